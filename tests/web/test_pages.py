"""The page's files: what is handed out to whom, how large it is, and what a study's insight says."""

import gzip
import re

import pytest

from prefero.web.static import page_files
from tests.web.conftest import answer

MOST_JAVASCRIPT = 25_000


def test_the_page_is_the_same_for_everybody_and_every_screen(owner, study):
    pages = [
        owner.get(path, token=None) for path in ("/studies/line%203", "/studies/none/compare", "/studies/x/result")
    ]
    assert {page.status for page in pages} == {200}
    assert len({page.body for page in pages}) == 1
    assert pages[0].headers["content-security-policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in pages[0].headers["content-security-policy"]


def test_what_the_page_names_is_there_and_nothing_is_inline_or_from_elsewhere(owner):
    html = page_files()["index.html"].plain.decode()
    named = re.findall(r'(?:href|src)="([^"]*)"', html)
    assert named
    for path in named:
        assert path.startswith("/page/")
        assert owner.get(path, token=None).status == 200
    assert not re.search(r"<style|style=|<script(?![^>]* src=)| on[a-z]+=", html)
    for name, file in page_files().items():
        if name.endswith(".js"):
            imported = re.findall(r'from "\./([^"]*)"', file.plain.decode())
            assert set(imported) <= set(page_files())


def test_the_javascript_is_small():
    assert sum(len(file.packed) for name, file in page_files().items() if name.endswith(".js")) <= MOST_JAVASCRIPT


def test_files_are_sent_compressed_and_only_once(owner):
    packed = owner.get("/page/main.js", headers={"Accept-Encoding": "gzip, br"}, token=None)
    plain = owner.get("/page/main.js", token=None)
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    again = owner.get("/page/main.js", headers={"If-None-Match": plain.headers["etag"]}, token=None)
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/page/..%2fpages.py", "/page/pages.py", "/page/", "/page/__init__.py", "/studies/a/b"]
)
def test_nothing_else_is_handed_out(owner, path):
    assert owner.get(path, token=None).status == 404


def test_the_list_of_studies_leads_to_their_pages(service, owner, cookie):
    service.create("a/b?".replace("/", "&"))
    page = owner.get("/", headers=cookie, token=None).body.decode()
    assert 'href="/studies/a%26b%3F"' in page
    assert "a&amp;b?" in page


@pytest.fixture
def cookie(owner):
    return {"Cookie": f"prefero={owner.token}"}


def test_the_history_and_the_study_name_the_files(owner, study):
    owner.get(f"{study}/question")
    owner.request("PUT", f"{study}/questions/0/a/files/response", body=b"t,y\n", headers={"Content-Type": "text/csv"})
    answer(owner, study)
    entry = owner.get(f"{study}/history").json()["history"][0]
    assert entry["files"]["a"]["response"]["media_type"] == "text/csv"
    assert entry["files"]["b"] == {}
    assert owner.get(study).json()["files"] == {"response": {"media_type": "text/csv"}}

"""The page's files: what is handed out to whom, how large it is, and what a study's insight says."""

import gzip
import json
import re
import string

import brotli
import pytest

from prefero.web.languages import TEXT
from prefero.web.scripts import shortened
from prefero.web.static import FOLDER
from tests.web.conftest import answer

MOST_JAVASCRIPT, MOST_FOR_COMPARE = 45_000, 25_000


def test_the_page_is_the_same_for_everybody_and_every_screen(owner, study):
    pages = [
        owner.get(path, token=None) for path in ("/studies/line%203", "/studies/none/compare", "/studies/x/result")
    ]
    assert {page.status for page in pages} == {200}
    assert len({page.body for page in pages}) == 1
    assert pages[0].headers["content-security-policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in pages[0].headers["content-security-policy"]


def test_what_the_page_names_is_there_and_nothing_is_inline_or_from_elsewhere(owner):
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'(?:href|src)="([^"]*)"', html)
    assert named
    for path in named:
        assert path.startswith("/page/")
        assert owner.get(path, token=None).status == 200
    assert not re.search(r"<style|style=|<script(?![^>]* src=)| on[a-z]+=", html)
    for file in FOLDER.glob("*.js"):
        imported = re.findall(r'from "\./([^"]*)"', file.read_text(encoding="utf-8"))
        assert set(imported) <= {other.name for other in FOLDER.iterdir()}


def test_the_javascript_is_small(owner):
    packs = {"Accept-Encoding": "gzip, deflate, br, zstd"}  # as Chromium asks this machine
    sizes = {
        file.name: len(owner.get(f"/page/{file.name}", headers=packs, token=None).body) for file in FOLDER.glob("*.js")
    }
    assert sum(sizes.values()) <= MOST_JAVASCRIPT
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    first = {"main.js"}  # what Compare waits for; other screens are imported when they are opened
    while more := {name for file in first for name in _imported(file)} - first:
        first |= more
    assert first - {"main.js"} == set(re.findall(r'modulepreload" href="/page/([^"]*)"', html))
    assert sum(sizes[name] for name in first) <= MOST_FOR_COMPARE


def _imported(name: str) -> list[str]:
    return re.findall(r'from "\./([^"]*)"', (FOLDER / name).read_text(encoding="utf-8"))


# What the page says in other languages ------------------------------------------------------------------------------


def test_every_text_is_in_each_catalogue_and_none_is_unused():
    used = {text for file in [*FOLDER.glob("*.js"), *WRITERS] for text in _texts(file)}
    used |= {text for name in TEMPLATES for text in _texts_of_template((FOLDER / name).read_text(encoding="utf-8"))}
    for catalogue in CATALOGUES.values():
        assert set(catalogue) - used == set()
        assert used - set(catalogue) == set()


def test_a_translation_has_the_values_of_its_text_and_all_forms():
    for language, catalogue in CATALOGUES.items():
        assert list(catalogue) == sorted(catalogue)
        for text, translation in catalogue.items():
            assert _values(text) == _values(translation), (language, text)
            assert all(len(forms) == 2 for forms in _forms(translation)), (language, text)


def test_the_languages_of_the_page_are_those_with_a_catalogue():
    named = re.search(r"const LANGUAGES = (\[.*?\])", (FOLDER / "words.js").read_text(encoding="utf-8"))
    assert sorted(json.loads(named[1])) == sorted(CATALOGUES)


def test_a_template_comes_in_the_language_that_its_query_names(owner):
    pages = {
        query: owner.get(f"/page/people.html{query}", token=None).body.decode()
        for query in ("", "?en", "?de", "?it", "?fr", "?de&x")
    }
    assert pages[""] == pages["?en"] == pages["?fr"] == pages["?de&x"]
    assert ">Judges</h2>" in pages[""]
    assert _texts_of_template(pages["?de"]) == {CATALOGUES["de"][text] for text in _texts_of_template(pages[""])}
    assert pages["?it"] not in (pages[""], pages["?de"])


def test_translations_are_html_as_they_are():
    for catalogue in CATALOGUES.values():
        assert not re.findall(r"""[<>&"']""", "".join([*catalogue, *catalogue.values()]))


TEMPLATES = ("new.html", "people.html")
WRITERS = [FOLDER.parent / name for name in ("home.py", "html.py", "sign_in.py")]
CATALOGUES = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FOLDER.glob("*.json")}
_CALL = re.compile(r'(?<!\w)(?<!\w\.)(?:t|woven)\((?!text\b)\s*("(?:[^"\\]|\\.)*"|.)')


def _texts(file):
    """The texts of a module; each is one literal, so that this finds it."""
    script = file.read_text(encoding="utf-8")
    found = _CALL.findall(shortened(script) if file.suffix == ".js" else script)  # comments show how to call it
    assert all(text.startswith('"') and len(text) > 2 for text in found), file.name
    return [json.loads(text) for text in found]


def _texts_of_template(html):
    """What is read in a template: not the digits and marks that are the same in every language."""
    texts = (found[1] or found[2] for found in TEXT.finditer(html))
    return {text for text in texts if re.search(r"[A-Za-z]{2}", text)}


def _values(text):
    """The names of its values; where forms depend on a count, the count need not be written."""
    return {re.split(r"\|", name)[0] for _, name, _, _ in string.Formatter().parse(text) if name}


def _forms(text):
    return [name.split("|")[1:] for _, name, _, _ in string.Formatter().parse(text) if name and "|" in name]


@pytest.mark.parametrize(
    ("accepted", "coding", "unpacked"),
    [
        ("gzip, br;q=0.9", "br", brotli.decompress),
        ("deflate, gzip", "gzip", gzip.decompress),
        ("br; q=0, gzip", "gzip", gzip.decompress),
        ("zebra", None, bytes),
    ],
)
def test_files_are_sent_compressed_and_only_once(owner, accepted, coding, unpacked):
    packed = owner.get("/page/main.js", headers={"Accept-Encoding": accepted}, token=None)
    plain = owner.get("/page/main.js", token=None)
    assert packed.headers.get("content-encoding") == coding
    assert unpacked(packed.body) == plain.body
    again = owner.get("/page/main.js", headers={"If-None-Match": plain.headers["etag"]}, token=None)
    assert (again.status, again.body) == (304, b"")
    assert {reply.headers["cache-control"] for reply in (packed, plain, again)} == {"no-cache"}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/page/main.js", "text/javascript; charset=utf-8"),
        ("/page/page.css", "text/css; charset=utf-8"),
        ("/page/de.json", "application/json; charset=utf-8"),
        ("/page/icon.svg", "image/svg+xml; charset=utf-8"),
        ("/studies/x", "text/html; charset=utf-8"),
    ],
)
def test_files_say_what_they_are_and_are_revalidated(owner, path, kind):
    reply = owner.get(path, token=None)
    assert reply.headers["content-type"] == kind
    assert reply.headers["cache-control"] == "no-cache"
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_figures_are_compressed_and_a_reply_with_a_token_never_is(owner, study):
    for said in "ab":
        answer(owner, study, said)
    packs = {"Accept-Encoding": "gzip"}
    figures = owner.get(f"{study}/figures", headers=packs)
    assert figures.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(figures.body)) == owner.get(f"{study}/figures").json()
    body = {"role": "viewer", "label": "x" * 50}
    for reply in (
        owner.post("/api/v1/tokens", body, headers=packs),
        owner.post(f"{study}/invitations", {"judge": "x" * 50}, headers=packs),
        owner.get(f"{study}/events", headers=packs),
    ):
        assert reply.status < 300
        assert "content-encoding" not in reply.headers


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


def test_every_icon_that_the_page_uses_is_drawn(owner):
    drawn = re.findall(r'<symbol id="([\w-]+)"', owner.get("/page/icons.svg", token=None).body.decode())
    scripts = "".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("*.js"))
    used = {name for call in re.findall(r"\bicon\(([^()]*)\)", scripts) for name in re.findall(r'"([\w-]+)"', call)}
    assert used <= set(drawn)
    assert len(used) > 15

"""Behind a proxy that speaks HTTPS, as SECURITY.md and docs/service.md say: a person joins and answers in a real browser."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from prefero.web.server import background
from prefero.web.settings import Settings
from tests.page.conftest import PATIENCE, Site, compare, press


@pytest.fixture
def proxied(tmp_path):
    """A service behind HTTPS: how its owner speaks to it, and its address for browsers."""
    with background(f"sqlite:///{tmp_path / 'page.db'}", Settings(https=True)) as link:
        command = [sys.executable, Path(__file__).with_name("tls_proxy.py"), str(urlsplit(link).port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as proxy:
            try:
                yield Site(link), f"https://127.0.0.1:{proxy.stdout.readline().strip()}"
            finally:
                proxy.kill()


def test_a_judge_joins_and_answers_behind_https(proxied, chromium):
    site, address = proxied
    study = site.study()
    invited = site.call(f"{study.path}/invitations", {"judge": "ann"})
    context = chromium.new_context(ignore_https_errors=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(f"{address}{invited['path']}")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(study.name)
    study.url = f"{address}{study.path}"
    compare(page, study)
    press(page, "a", 1)
    press(page, "b", 2)
    assert study.said() == ["a", "b"]
    assert all(cookie["secure"] for cookie in context.cookies())
    context.close()


@pytest.mark.parametrize("origin", ["http://127.0.0.1:{port}", "https://evil.example"])
def test_another_scheme_or_site_is_still_refused(proxied, chromium, origin):
    site, address = proxied
    study = site.study()
    context = chromium.new_context(ignore_https_errors=True)
    context.request.get(f"{address}/enter?token={site.token}")
    reply = context.request.post(
        f"{address}/api/v1{study.path}/undo",
        data={},
        headers={"Origin": origin.format(port=urlsplit(address).port)},
    )
    assert reply.status == 403
    assert "another origin" in reply.json()["error"]
    context.close()

"""Attempts that fail, made with a real browser: what another site, another study's judge and a malicious file can do."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from tests.page.conftest import LOADING, compare

ATTACK = """<!doctype html><meta charset="utf-8"><title>evil</title>
<iframe id="frame" src="{study}/compare"></iframe>
<form id="form" method="post" action="{api}/undo" enctype="text/plain"><input name='{{"x":"' value='"}}'></form>
<script>
  const attempts = [
    fetch("{api}/answers", {{method: "POST", credentials: "include", mode: "no-cors", headers: {{"Content-Type": "text/plain"}},
      body: JSON.stringify({{step: 1, answer: "b", answer_id: "evil"}})}}),
    fetch("{api}/history", {{credentials: "include"}}),
    fetch("{api}", {{method: "DELETE", credentials: "include"}}),
    import("{site}/page/api.js"),
  ];
  Promise.allSettled(attempts).then((all) => {{
    window.outcomes = all.map((each) => each.status === "fulfilled" && each.value.type !== "opaque");
  }});
</script>"""
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>top.pwned = 1; parent.pwned = 1</script>
<rect width="40" height="30" fill="green" onload="top.pwned = 1"/><image href="http://127.0.0.1:9/far.png"/></svg>"""


@pytest.fixture
def evil(tmp_path):
    """Another site, on this very machine: another port is another origin."""
    handler = partial(Quiet, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield tmp_path, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


def test_another_site_can_neither_answer_nor_read_nor_delete_nor_frame(site, chromium, evil):
    folder, address = evil
    study = site.study()
    study.answer("a")
    study.question()
    before = site.call(f"{study.path}/events")
    api = f"{site.address}/api/v1{study.path}"
    (folder / "index.html").write_text(ATTACK.format(api=api, study=study.url, site=site.address), encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(site.link)  # the victim is signed in
    page.goto(address)
    page.wait_for_function("() => window.outcomes")
    assert page.evaluate("window.outcomes") == [False] * 4
    frames = [frame for frame in page.frames if frame != page.main_frame]
    assert all(frame.locator(".compare").count() == 0 for frame in frames)
    page.evaluate("document.querySelector('#form').submit()")
    page.wait_for_url(f"{api}/undo")
    assert "from another" in page.content()
    context.close()
    assert site.call(f"{study.path}/events") == before


def test_scripts_in_an_svg_do_not_run_wherever_it_is_opened(site, open_context, watched):
    watched.allowed = (LOADING,)
    study = site.study()
    study.upload(SVG, SVG.replace(b"green", b"blue"), "image/svg+xml", "picture")
    _, page = open_context()
    compare(page, study)
    assert page.evaluate("[...document.images].every((image) => image.naturalWidth === 40)")
    assert page.evaluate("window.pwned") is None
    source = page.locator(".of-a img").get_attribute("src")
    with page.expect_download():  # by itself it is a download, and nothing that opens
        page.evaluate("(source) => { location.href = source; }", source)
    assert page.evaluate("window.pwned") is None


def invited(site, chromium, study, judge):
    """The browser of somebody who has accepted an invitation, and the invitation's address."""
    made = site.call(f"{study.path}/invitations", {"judge": judge})
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{site.address}{made['path']}")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("link", name="Start comparing")).to_be_visible()
    return context, page, f"{site.address}{made['path']}"


def test_the_cookie_of_one_study_opens_no_other(site, chromium):
    own, other = site.study(), site.study()
    other.answer("a")
    before = site.call(f"{other.path}/events")
    context, page, _ = invited(site, chromium, own, "ann")
    compare(page, own)
    for screen in ("", "/compare", "/history", "/result"):
        page.goto(other.url + screen)
        expect(page.get_by_text("You are signed in, but not for this study.")).to_be_visible()
    statuses = """(api) => Promise.all([
      fetch(`${api}/question`), fetch(`${api}/undo`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}),
      fetch(`${api}/figures`), fetch(api, {method: 'DELETE'}),
    ]).then((all) => all.map((reply) => reply.status))"""
    assert page.evaluate(statuses, f"/api/v1{other.path}") == [403] * 4
    context.close()
    assert site.call(f"{other.path}/events") == before


def test_an_invitation_that_was_used_opens_nothing_again(site, chromium):
    study = site.study()
    context, _, address = invited(site, chromium, study, "ann")
    context.close()
    thief = chromium.new_context()
    page = thief.new_page()
    page.goto(address)
    expect(page.get_by_role("heading", name="This link doesn’t work any more")).to_be_visible()
    assert thief.cookies() == []
    thief.close()


def test_without_a_cookie_nothing_of_a_study_is_shown(site, chromium):
    study = site.study(question="A secret question?")
    context = chromium.new_context()
    page = context.new_page()
    for screen in ("", "/compare", "/history", "/result"):
        page.goto(study.url + screen)
        expect(page.get_by_text("You are not signed in")).to_be_visible()
        assert "secret question" not in page.content()
    context.close()


def test_a_link_on_another_site_asks_before_it_replaces_the_session(site, chromium, evil):
    """The owner's browser follows a link to a judge's session, on a page of another host and of another port."""
    folder, address = evil
    study = site.study()
    judge = site.call("/tokens", {"role": "judge", "study": study.name, "label": "eve"})["token"]
    (folder / "index.html").write_text(f'<a href="{site.address}/enter?token={judge}">win</a>', encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(site.link)
    for foreign in (address, address.replace("127.0.0.1", "localhost")):
        page.goto(foreign)
        page.get_by_text("win").click()
        expect(page.get_by_text("signs this browser in as eve (judge). It replaces the session")).to_be_visible()
        page.goto(site.address)
        expect(page.get_by_text("Signed in as owner")).to_be_visible()
    page.goto(address)
    page.get_by_text("win").click()
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{study.url}**")
    page.goto(site.address)
    expect(page.get_by_text("Signed in as eve (judge)")).to_be_visible()
    context.close()

"""Films, Markdown and hidden parameters; what is in a file never runs."""

import base64
import re

import pytest
from playwright.sync_api import expect

from tests.page import media
from tests.page.conftest import QUIET, compare, in_state, press

RED, BLUE = media.png(40, 30, (200, 30, 30)), media.png(40, 30, (30, 30, 200))
RECORD = """async (colour) => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 64, height: 48});
  const pen = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(25), {mimeType: 'video/webm;codecs=vp8'});
  const chunks = [];
  recorder.ondataavailable = (event) => chunks.push(event.data);
  const over = new Promise((done) => (recorder.onstop = done));
  recorder.start();
  for (let k = 0; k < 20; k++) {
    pen.fillStyle = colour; pen.fillRect(0, 0, 64, 48); pen.fillStyle = 'white'; pen.fillRect(3 * k, 0, 8, 48);
    await new Promise((done) => setTimeout(done, 50));
  }
  recorder.stop();
  await over;
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}"""


@pytest.fixture(scope="module")
def films(chromium):
    """Two films of a second, as a browser records them: their files do not say how long they are."""
    page = chromium.new_page()
    made = [base64.b64decode(page.evaluate(RECORD, colour)) for colour in ("darkred", "darkblue")]
    page.close()
    return made


def test_films_run_together_muted(site, page, films):
    study = site.study()
    study.upload(*films, "video/webm", "film")
    compare(page, study)
    playing = "() => [...document.querySelectorAll('video')].map((film) => [film.paused, film.muted])"
    assert page.evaluate(playing) == [[True, True], [True, True]]
    expect(page.locator(".time")).to_have_text(re.compile(r"^0:00 / 0:0[01]$"))
    page.keyboard.press(" ")
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((film) => !film.paused)")
    page.keyboard.press(" ")
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((film) => film.paused)")
    page.get_by_label("Position").fill("0.5")
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((film) => film.currentTime === 0.5)")
    press(page, "a")
    in_state(page, "preparing")
    assert study.said() == ["a"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/markdown", "# Title\n\n<script>top.pwned = 1</script>\n\n- **one**\n- two"),
        ("text/html", "<h1>Title</h1><script>top.pwned = 1</script><img src=x onerror='top.pwned = 1'><b>one</b>"),
    ],
)
def test_markdown_and_html_are_shown_in_a_sandbox_where_nothing_runs(site, page, watched, kind, text):
    watched.allowed = (
        "Blocked script execution",
        "Refused to",
        "Loading the image",
        "Executing inline",
        "Failed to load",
    )
    study = site.study()
    study.upload(text.encode(), b"# Other", kind, "page")
    compare(page, study)
    frame = page.frame_locator("iframe").first
    expect(frame.get_by_role("heading", name="Title")).to_be_visible()
    expect(frame.get_by_text("one")).to_be_visible()
    assert all(each.get_attribute("sandbox") == "" for each in page.locator("iframe").all())
    assert page.evaluate("window.pwned") is None


def test_an_owner_may_hide_the_parameters(site, page):
    study = site.study(hide_parameters=True)
    page.goto(study.url)
    expect(page.get_by_role("link", name="Start comparing")).to_be_visible()
    expect(page.get_by_text("What varies")).to_have_count(0)
    compare(page, study, "preparing")  # there is nothing yet that may be shown
    expect(page.get_by_role("status")).to_have_text("Preparing candidates A and B")
    study.upload(RED, BLUE, "image/png")
    in_state(page, "ready")
    expect(page.locator(".parameters")).to_have_count(0)
    expect(page.get_by_role("button", name="What differs")).to_be_hidden()
    expect(page.get_by_role("img", name="Candidate A", exact=True)).to_be_visible()
    press(page, "b")
    in_state(page, "preparing")
    expect(page.locator(".parameters")).to_have_count(0)
    page.get_by_role("link", name="History").click()
    expect(page.locator(".entries li")).to_have_count(1)
    expect(page.locator(".entries")).not_to_contain_text("x 0")


def test_what_differs_is_a_drawer_that_stays_as_the_person_left_it(site, page):
    study = site.study()
    study.upload(RED, BLUE, "image/png")
    compare(page, study)
    expect(page.locator(".parameters")).to_be_hidden()  # the pictures come first
    page.get_by_role("button", name="What differs").click()
    expect(page.locator(".drawer li")).to_have_count(2)
    pair = study.question()
    for side in "ab":  # each dot lies where its value does, between 0 and 1
        place = page.locator(f".range .{side}").first.evaluate(
            "(dot) => parseFloat(getComputedStyle(dot).left) / dot.parentElement.clientWidth"
        )
        assert abs(place - pair[side]["x"]) < 0.02
    page.reload()
    in_state(page, "ready")
    expect(page.locator(".parameters")).to_be_visible()
    page.get_by_role("button", name="What differs").click()
    page.reload()
    in_state(page, "ready")
    expect(page.locator(".parameters")).to_be_hidden()


class Preparing:
    """Lets the page see that the server prepares a candidate, until that is over."""

    def __init__(self, page, **preparing):
        self.preparing = preparing
        self.steps = None  # the questions that it is about, by default all
        page.route("**/question", self._change)

    def _change(self, route):
        reply = route.fetch()
        value = reply.json()
        if self.steps is None or value["question"]["step"] in self.steps:
            value["question"] |= {"preparing": dict(self.preparing)}
        route.fulfill(response=reply, json=value)

    def over(self):
        self.preparing = {"a": None, "b": None}


def test_how_far_a_candidate_is_prepared_is_shown(site, page):
    study = site.study()
    preparing = Preparing(page, a=None, b={"failed": None, "progress": 0.4})
    compare(page, study, "preparing")
    expect(page.get_by_role("status")).to_have_text("Preparing candidate B")
    expect(page.get_by_text("Preparing candidate B… 40 %")).to_be_visible()
    expect(page.locator(".waits progress")).to_have_js_property("value", 0.4)
    preparing.over()
    in_state(page, "ready")


def test_a_pair_that_is_being_prepared_can_be_skipped_however_often_its_progress_is_told(site, page):
    study = site.study()
    preparing = Preparing(page, a=None, b={"failed": None, "progress": 0.0})
    compare(page, study, "preparing")
    for k in range(4):
        preparing.preparing = {"a": None, "b": {"failed": None, "progress": k / 10}}
        expect(page.get_by_text(f"Preparing candidate B… {10 * k} %")).to_be_visible()
    with page.expect_response("**/answers"):
        page.get_by_role("button", name="Can’t judge").click()
    assert study.said() == ["skipped"]


def test_a_candidate_that_could_not_be_made_is_set_aside_once_and_can_be_brought_back(site, page):
    study = site.study()
    failed = {"a": {"failed": "ZeroDivisionError: division by zero", "progress": None}, "b": None}
    preparing = Preparing(page, **failed)
    preparing.steps = {0}
    tries = []
    page.route("**/prepare", lambda route: tries.append(route.request.url) or route.fulfill(json={"retrying": "a"}))
    compare(page, study)
    expect(page.locator(".notice")).to_contain_text("A of the pair before could not be made, so it was set aside.")
    assert study.said() == ["a failed"]
    assert study.history()[0]["note"] == "Candidate A could not be prepared: ZeroDivisionError: division by zero"
    page.get_by_role("button", name="Try it again").click()
    in_state(page, "broken")  # it failed again: now the person decides
    assert study.said() == []
    expect(page.get_by_role("button", name="A is better")).to_be_disabled()
    expect(page.get_by_role("button", name="Can’t judge")).to_be_enabled()
    page.locator(".notice summary").click()
    expect(page.get_by_text("ZeroDivisionError: division by zero.")).to_be_visible()
    preparing.over()
    page.get_by_role("button", name="Retry").click()
    in_state(page, "ready")
    assert [url.rpartition("/questions/")[2] for url in tries] == ["0/a/prepare"] * 2


def test_the_page_asks_what_to_do_if_nothing_can_be_made(site, page):
    study = site.study()
    Preparing(page, a=None, b={"failed": "no paint left", "progress": None})
    compare(page, study, "broken")
    assert study.said() == ["b failed"] * 3
    page.goto(f"{study.url}/history")
    page.get_by_role("button", name="Remove the answer to question 3").click()
    expect(page.get_by_role("status")).to_have_text("Removed the answer to question 3.")
    assert study.said() == ["b failed"] * 2


@pytest.mark.parametrize("side", "ab")
def test_a_person_may_say_that_one_did_not_work(site, page, side):
    study = site.study()
    compare(page, study)
    page.wait_for_timeout(QUIET)
    page.get_by_text("One failed").click()
    page.get_by_role("button", name=f"{side.upper()} didn’t work").click()
    expect(page.get_by_role("status")).to_have_text(f"Saved: {side.upper()} didn’t work. Here is another pair.")
    in_state(page, "ready")
    assert study.said() == [f"{side} failed"]
    press(page, "z", 0)
    assert study.said() == []


def test_a_history_says_neutrally_what_may_be_worth_a_second_look(site, page):
    study = site.study(variables=[{"name": "k", "type": "integer", "low": 0, "high": 2}])
    study.upload(RED, BLUE, "image/png")
    study.answer("a")
    rows = [
        {"step": 5, "a": {"k": 1}, "b": {"k": 0}, "answer": "a"},
        {"step": 4, "a": {"k": 0}, "b": {"k": 1}, "answer": "a"},
        {"step": 3, "a": {"k": 2}, "b": {"k": 0}, "answer": "a", "contradicts": True},
        {"step": 2, "a": {"k": 0}, "b": {"k": 1}, "answer": "b", "status": "removed"},
    ]
    real = study.history()[0]
    page.route(
        "**/history",
        lambda route: (
            route.fulfill(json={"history": [real, *(real | row for row in rows[::-1])]})
            if route.request.resource_type == "fetch"
            else route.continue_()
        ),
    )
    page.goto(f"{study.url}/history")
    expect(page.locator(".entries li")).to_have_count(5)
    expect(page.locator(".look")).to_have_count(2)
    expect(page.locator("#answer-5 .look")).to_have_text(
        "Earlier you answered this pair differently. That happens when two are close. "
        "Both answers count; look again only if you like."
    )
    expect(page.locator("#answer-3 .look")).to_have_text(
        "This answer does not fit others. That happens when several are close; look again only if you like."
    )
    look = page.get_by_role("button", name="Look at question 1 again")
    look.click()
    expect(page.locator("#answer-0 .again img")).to_have_count(2)
    look.click()
    expect(page.locator(".again")).to_have_count(0)


def test_reloads_while_it_saves_thinks_or_is_offline_lose_nothing(site, open_context, watched):
    watched.allowed = ("Failed to load resource",)
    study = site.study()
    context, page = open_context()
    compare(page, study)
    context.set_offline(True)
    press(page, "a")
    in_state(page, "offline")
    context.set_offline(False)
    page.reload()
    in_state(page, "ready")
    page.route("**/question", lambda route: None)  # the next pair never comes
    page.wait_for_timeout(QUIET)
    page.keyboard.press("b")
    in_state(page, "thinking")
    page.unroute("**/question")
    page.reload()
    in_state(page, "ready")
    page.route("**/answers", lambda route: None)
    page.wait_for_timeout(QUIET)
    page.keyboard.press("a")
    in_state(page, "saving")
    page.reload()  # before the server has heard of it
    in_state(page, "ready")
    assert study.said() in (["b"], ["a", "b"])  # the first one may have been sent by itself before the reload

"""Every state of the page: what the person sees, that a reload resumes, and that nothing is lost or said twice."""

import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from prefero.proposers.glisp import Glisp
from prefero.web import proposals
from prefero.web.server import listening
from tests.page import media
from tests.page.conftest import LOADING, QUIET, Held, Shown, Site, compare, in_state, pair, press
from tests.page.test_safety import invited

RED, BLUE = media.png(40, 30, (200, 30, 30)), media.png(40, 30, (30, 30, 200))
ANSWER = ["A is better", "About the same", "B is better"]


def buttons(page, enabled):
    for name in ANSWER:
        button = page.get_by_role("button", name=name)
        expect(button).to_be_enabled() if enabled else expect(button).to_be_disabled()


def test_ready_only_after_both_pictures_have_decoded(site, page):
    study = site.study()
    study.upload(RED, BLUE, "image/png")
    held = Held(page, "**/files/*")
    compare(page, study, "preparing")
    buttons(page, enabled=False)
    held.release()
    in_state(page, "ready")
    buttons(page, enabled=True)
    assert page.evaluate("[...document.querySelectorAll('.images img')].map((image) => image.naturalWidth)") == [40, 40]


def test_saving_marks_the_pressed_button_at_once(site, page):
    study = site.study()
    compare(page, study)
    held = Held(page, "**/answers", "POST")
    press(page, "b")
    in_state(page, "saving")
    expect(page.get_by_role("button", name="B is better")).to_have_attribute("data-pressed", "")
    buttons(page, enabled=False)
    page.keyboard.press("a")  # nothing is answered twice
    held.release()
    in_state(page, "ready")
    expect(page.get_by_role("status")).to_have_text("Answer 1 saved: B is better.")
    assert study.said() == ["b"]


def test_thinking_dims_then_counts_then_gives_a_reason_and_a_way_out(site, page):
    study = site.study()
    page.clock.install()
    compare(page, study)
    page.clock.fast_forward(QUIET)
    held = Held(page, "**/question")
    page.keyboard.press("a")
    in_state(page, "thinking")
    page.clock.fast_forward(200)
    expect(page.locator(".compare")).to_have_attribute("data-dim", "")
    expect(page.locator(".notice")).to_be_hidden()
    page.clock.fast_forward(1000)
    expect(page.locator(".notice")).to_contain_text("Choosing the next pair… 1.")
    page.clock.fast_forward(10_000)
    expect(page.locator(".notice")).to_contain_text("It takes longer with more answers. All of them are saved.")
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("region", name="Best so far")).to_be_visible()
    assert page.url == f"{study.url}/result"
    held.release()


def test_a_candidate_that_is_being_prepared_is_waited_for(site, page):
    study = site.study()
    study.upload(RED, None, "image/png")
    compare(page, study, "preparing")
    expect(page.get_by_role("status")).to_have_text("Preparing candidate B")
    buttons(page, enabled=False)
    page.reload()
    in_state(page, "preparing")
    study.upload(None, BLUE, "image/png")
    in_state(page, "ready")
    press(page, "a")  # of the next pair both candidates are new
    in_state(page, "preparing")
    expect(page.get_by_role("status")).to_have_text("Preparing candidates A and B")
    page.wait_for_timeout(QUIET)
    with page.expect_response("**/answers"):
        page.get_by_role("button", name="Can’t judge").click()
    expect(page.locator(".frame.waits").first).to_be_visible()
    assert study.said() == ["a", "skipped"]


def test_a_picture_that_cannot_be_shown_leaves_only_cannot_judge(site, page, watched):
    study = site.study()
    study.upload(RED, b"\x89PNG\r\n\x1a\nthis is no picture", "image/png")
    compare(page, study, "broken")
    expect(page.locator(".notice")).to_contain_text("We can’t show B right now. Nothing is lost.")
    page.locator(".notice summary").click()
    expect(page.get_by_text("Candidate B could not be shown: the image cannot be decoded.")).to_be_visible()
    buttons(page, enabled=False)
    page.reload()
    in_state(page, "broken")
    study.upload(None, BLUE, "image/png")
    page.get_by_role("button", name="Retry").click()
    in_state(page, "ready")


UNSAVED = (
    "That answer isn’t saved yet. It is sent by itself when the connection is back. Your earlier answers are safe."
)


def test_an_answer_that_did_not_arrive_is_sent_by_itself_and_saved_once(site, open_context, watched):
    watched.allowed = (LOADING,)
    study = site.study()
    context, page = open_context()
    compare(page, study)
    context.set_offline(True)
    press(page, "a")
    in_state(page, "offline")
    expect(page.locator(".notice")).to_contain_text(UNSAVED)
    expect(page.get_by_role("button", name="A is better")).to_have_attribute("data-pressed", "")  # what waits is marked
    context.set_offline(False)  # the browser says so, and nobody has to press
    expect(page.get_by_role("status")).to_have_text("Answer 1 saved: A is better.")
    expect(page.locator(".notice")).to_be_hidden()

    def lose(route):
        route.fetch()
        route.abort()

    page.route("**/answers", lose)
    press(page, "a")
    in_state(page, "offline")
    page.keyboard.press("b")  # somebody in doubt presses something else; what was saved is A
    in_state(page, "offline")
    page.unroute("**/answers")  # the connection was there all the time: after a while it is tried again
    expect(page.get_by_role("status")).to_have_text(re.compile("^Answer 2 (saved|was saved before): A is better.$"))
    in_state(page, "ready")
    assert study.said() == ["a", "a"]


def test_two_tabs_do_not_answer_twice(site, open_context, watched):
    watched.allowed = (LOADING,)
    study = site.study()
    context, first = open_context()
    second = context.new_page()
    compare(first, study)
    compare(second, study)
    assert pair(first) == pair(second)
    press(first, "a", 1)
    press(second, "b", 1)
    expect(second.locator(".notice")).to_contain_text("answered or withdrawn elsewhere")
    assert pair(first) == pair(second)
    assert study.said() == ["a"]


def test_where_the_proposer_failed_a_space_filling_candidate_is_disclosed(site, page, monkeypatch):
    study = site.study(proposer="glisp")
    propose = Glisp.propose

    def fail(self, state, history, *rest):
        if len(history):
            raise ArithmeticError("for the test")
        return propose(self, state, history, *rest)

    monkeypatch.setattr(Glisp, "propose", fail)
    monkeypatch.setattr(proposals, "_is_whole", lambda state: False)  # propose in this process, not in a helper
    study.answer()
    compare(page, study)
    expect(page.locator(".notice")).to_contain_text(
        "a space-filling candidate, since the proposer failed: for the test"
    )
    page.reload()
    expect(page.locator(".notice")).to_contain_text("a space-filling candidate")
    press(page, "a", 2)
    assert study.said() == ["a", "a"]


def test_finished_offers_the_result_and_going_on(site, page):
    study = site.study(comparisons=2)
    study.answer()
    compare(page, study)
    press(page, "a")
    in_state(page, "finished")
    expect(page.get_by_role("heading", name="All 2 planned answers are given")).to_be_visible()
    page.reload()
    in_state(page, "finished")
    page.get_by_role("button", name="Keep comparing").click()
    in_state(page, "ready")
    page.reload()
    in_state(page, "ready")
    expect(page.locator(".count")).to_have_text("2 of about 2 answers")


def test_somebody_who_just_came_is_not_told_that_all_is_done(site, chromium):
    study = site.study(comparisons=1)
    context, page, _ = invited(site, chromium, study, "ann")
    study.answer()
    compare(page, study, "finished")
    expect(page.get_by_role("heading", name="The others are done. Your view still counts.")).to_be_visible()
    page.get_by_role("button", name="Keep comparing").click()
    in_state(page, "ready")
    context.close()


def test_the_advice_to_stop_is_given_with_its_reason(site, page):
    study = site.study()
    for _ in range(10):
        study.answer()
    advice = {"stop": True, "reason": "It is so.", "probability_best": 0.97, "expected_gain": 0.0, "one_sided": False}
    page.route("**/advice", lambda route: route.fulfill(json={"advice": advice}))
    with page.expect_response("**/advice"):
        compare(page, study)
    press(page, "a")
    in_state(page, "finished")
    expect(page.get_by_role("heading", name="That’s it. We know your favourite.")).to_be_visible()
    expect(page.locator(".verdict")).to_have_text("97 % sure. More answers would hardly change it.")
    page.unroute("**/advice")
    page.get_by_role("button", name="See result").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Result")


def test_where_nothing_is_left_to_ask_the_page_says_so(site, page):
    study = site.study(variables=[{"name": "k", "type": "integer", "low": 0, "high": 1}])
    study.answer()
    compare(page, study, "finished")
    expect(page.get_by_role("heading", name="There is nothing left to ask")).to_be_visible()


def test_who_is_not_signed_in_is_told_how(site, chromium):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{site.address}/studies/anything/compare")
    expect(page.get_by_text("open the link that the server printed")).to_be_visible()
    context.close()


class Process:
    """A server of its own, which can be killed."""

    def __init__(self, url: str, port: int) -> None:
        self._url, self._port = url, port

    def start(self) -> str:
        code = f"from prefero.web.server import run; run({self._url!r}, port={self._port}, announce=lambda x: print(x, flush=True))"
        self._process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        return self._process.stdout.readline().strip()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def process(tmp_path):
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    made = Process(f"sqlite:///{tmp_path / 'killed.db'}", port)
    yield made
    made.kill()


def test_a_server_killed_between_question_and_answer_loses_nothing(process, chromium):
    site = Site(process.start())
    context = chromium.new_context()
    page = context.new_page()
    page.goto(site.link)
    study = Shown(site, site.study().name)
    compare(page, study)
    press(page, "a", 1)
    before = pair(page)
    process.kill()
    press(page, "b")
    expect(page.locator(".notice")).to_contain_text(UNSAVED)
    assert pair(page) == before
    process.start()
    expect(page.get_by_role("status")).to_have_text("Answer 2 saved: B is better.")
    in_state(page, "ready")
    assert study.said() == ["a", "b"]
    context.close()

"""A study about more than two candidates is answered from a gallery: by pressing, with number keys, and by places."""

import pytest
from playwright.sync_api import expect

from tests.page import media
from tests.page.conftest import LOADING, QUIET, no_scrolling
from tests.page.test_screens import violations

RED = media.png(40, 30, (200, 30, 30))


def opened(page, study):
    page.goto(f"{study.url}/compare")
    expect(page.locator(".several")).to_have_attribute("data-state", "ready")
    page.wait_for_timeout(QUIET)


def at_step(page, step: int) -> None:
    expect(page.locator(".several")).to_have_attribute("data-step", str(step))
    expect(page.locator(".several")).to_have_attribute("data-state", "ready")
    page.wait_for_timeout(QUIET)


def test_a_gallery_takes_the_best_the_order_and_the_place(site, page, axe):
    best = site.study(kind="best of 4")
    step = best.question()["step"]
    for side in "abcd":
        site.call(f"{best.path}/questions/{step}/{side}/files/picture", body=RED, kind="image/png")
    opened(page, best)
    expect(page.get_by_role("heading")).to_have_text(["Which one do you like better?"])
    expect(page.locator(".gallery .card img")).to_have_count(4)
    page.get_by_role("button", name="C is the best").click()
    at_step(page, 1)
    assert best.said() == ["c>abd"]
    page.keyboard.press("4")
    at_step(page, 2)
    page.keyboard.press("x")
    at_step(page, 3)
    page.keyboard.press("z")
    at_step(page, 2)
    assert best.said() == ["c>abd", "d>abc"]
    page.evaluate(axe)
    found = page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa'] })")
    assert [each["id"] for each in found["violations"]] == []

    rank = site.study(kind="rank 3")
    opened(page, rank)
    page.keyboard.press("3")
    expect(page.locator(".gallery .picked")).to_have_count(1)
    page.keyboard.press("z")  # takes the choice back, not an answer
    expect(page.locator(".gallery .picked")).to_have_count(0)
    page.get_by_role("button", name="B is the best").click()
    page.get_by_role("button", name="C is the second").click()
    at_step(page, 1)
    assert rank.said() == ["b>c>a"]
    page.goto(f"{rank.url}/history")
    expect(page.locator(".entries .thumb")).to_have_count(3)
    expect(page.locator(".entries select")).to_be_disabled()

    insert = site.study(kind="insert among 2")
    insert.answer("a")
    opened(page, insert)
    expect(page.locator(".asks")).to_contain_text("Where does C belong")
    page.get_by_role("button", name="2: after A").click()
    at_step(page, 2)
    assert insert.said()[-1] == "a>c>b"


def test_the_gallery_fits_a_phone(site, open_context):
    study = site.study(kind="best and worst of 4")
    _, page = open_context("phone")
    opened(page, study)
    page.get_by_role("button", name="A is the best").click()
    page.get_by_role("button", name="D is the worst").click()
    at_step(page, 1)
    assert study.said() == ["a>bc>d"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_gallery_shows_whatever_kind_a_question_has(site, page):
    mixed = site.study(kinds=["pair", "rank 3"], efforts={"rank 3": 3600})
    opened(page, mixed)
    expect(page.locator(".gallery .card")).to_have_count(2)
    page.get_by_role("button", name="B is better").click()
    at_step(page, 1)
    page.get_by_role("button", name="About the same").click()
    at_step(page, 2)
    assert mixed.said() == ["b", "same"]
    ranked = site.study(kinds=["pair", "rank 3"], efforts={"pair": 3600})
    opened(page, ranked)
    page.get_by_role("button", name="B is the best").click()
    page.get_by_role("button", name="C is the second").click()
    at_step(page, 1)
    assert ranked.said() == ["b>c>a"]


def test_a_press_on_a_picture_chooses_it_and_a_phone_shows_all_four(site, open_context):
    study = site.study(kind="best of 4", hide_parameters=True)
    step = study.question()["step"]
    for side in "abcd":
        site.call(f"{study.path}/questions/{step}/{side}/files/picture", body=RED, kind="image/png")
    _, page = open_context("phone")
    opened(page, study)
    for card in page.locator(".gallery .card").all():
        expect(card).to_be_in_viewport(ratio=0.99)
    page.locator(".gallery .of-b img").click()
    at_step(page, 1)
    assert study.said() == ["b>acd"]


def test_candidates_of_a_gallery_are_rated_and_none_is_good_enough_is_one_key(site, page, axe):
    study = site.study(kind="best of 4", ratings=True)
    opened(page, study)
    page.get_by_role("button", name="Rate D: good", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("D is rated: good.")
    page.keyboard.press("1")
    at_step(page, 1)
    page.keyboard.press("n")
    at_step(page, 2)
    assert study.said() == ["rated 4", "a>bcd", "both unacceptable"]
    page.evaluate(axe)
    found = page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa'] })")
    assert [each["id"] for each in found["violations"]] == []


def test_a_kind_of_question_says_all_if_the_owner_asked_nothing(site, page):
    opened(page, site.study(kind="worst of 4", question="Which is better?"))
    expect(page.get_by_role("heading")).to_have_text(["Which one is the worst?"])


def test_nobody_rejects_or_places_what_is_not_shown_yet(site, page):
    study = site.study(kind="insert among 3")

    def preparing(route):
        current = route.fetch().json()
        current["question"]["preparing"] = {"b": {}} if current["question"]["step"] == 0 else {}
        route.fulfill(json=current)

    page.route("**/question", preparing)
    page.goto(f"{study.url}/compare")
    expect(page.locator(".several")).to_have_attribute("data-state", "preparing")
    page.wait_for_timeout(QUIET)
    page.keyboard.press("n")
    page.keyboard.press("1")
    page.keyboard.press("x")
    at_step(page, 1)
    assert study.said() == ["skipped"]


def test_the_history_says_in_words_what_a_gallery_was_answered(site, page):
    study = site.study(kind="best of 4")
    for said in ("c failed", "d unacceptable", "neither", "best b"):
        study.answer(said)
    page.goto(f"{study.url}/history")
    options = page.locator(".entries select option:checked")
    words = ["B > A, C, D", "None is good enough", "D is not acceptable", "C didn’t work"]
    expect(options).to_have_text(words)
    page.goto(f"{study.url}/people")
    expect(page.locator(".feed li").first).to_contain_text("B > A, C, D")


def pictured(site, kind):
    study = site.study(kind=kind, hide_parameters=True)
    step = study.question()["step"]
    for side in "abcd":
        site.call(f"{study.path}/questions/{step}/{side}/files/picture", body=RED, kind="image/png")
    return study


def centre(page, place):
    box = page.locator(place).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def shown_order(page):
    return [each.get_attribute("data-side") for each in page.locator(".gallery .card").all()]


def test_an_order_is_dragged_and_saved_and_a_press_still_chooses(site, page, axe):
    study = pictured(site, "rank 4")
    opened(page, study)
    page.mouse.move(*centre(page, ".gallery .of-d img"))
    page.mouse.down()
    page.mouse.move(*centre(page, ".gallery .of-b img"), steps=8)
    page.mouse.up()
    assert shown_order(page) == ["a", "d", "b", "c"]
    save = page.get_by_role("button", name="Save this order: A, D, B, C")
    expect(save).to_be_focused()
    assert violations(page, axe) == []
    page.keyboard.press("z")  # back to the order in which they were shown
    expect(save).to_have_count(0)
    assert shown_order(page) == ["a", "b", "c", "d"]
    assert study.said() == []
    page.mouse.move(*centre(page, ".gallery .of-a img"))
    page.mouse.down()
    page.mouse.move(*centre(page, ".gallery .of-c img"), steps=8)
    page.mouse.up()
    page.keyboard.press("Enter")
    at_step(page, 1)
    assert study.said() == ["b>c>a>d"]


TOUCH = """([from, to]) => {
  const at = ([x, y], type) => document.elementFromPoint(x, y).dispatchEvent(
    new PointerEvent(type, {pointerId: 7, pointerType: 'touch', clientX: x, clientY: y, bubbles: true}));
  document.querySelector('.gallery').setPointerCapture = () => {};
  at(from, 'pointerdown');
  for (let k = 1; k <= 8; k++) at([0, 1].map((i) => from[i] + (to[i] - from[i]) * k / 8), 'pointermove');
  at(to, 'pointerup');
}"""


def test_a_finger_drags_a_card_by_its_letter_and_scrolls_elsewhere(site, open_context):
    study = pictured(site, "rank 4")
    _, page = open_context("phone", has_touch=True)
    opened(page, study)
    page.evaluate(TOUCH, [centre(page, ".of-d img"), centre(page, ".of-a img")])
    assert shown_order(page) == ["a", "b", "c", "d"]
    expect(page.locator(".gallery .of-d figcaption")).to_have_css("touch-action", "none")
    page.evaluate(TOUCH, [centre(page, ".of-d .badge"), centre(page, ".of-a .badge")])
    assert shown_order(page) == ["d", "a", "b", "c"]
    page.get_by_role("button", name="Save this order: D, A, B, C").tap()
    at_step(page, 1)
    assert study.said() == ["d>a>b>c"]


def test_an_answer_from_the_gallery_that_did_not_arrive_is_sent_by_itself(site, open_context, watched):
    watched.allowed = (LOADING,)
    study = site.study(kind="best of 4")
    context, page = open_context()
    opened(page, study)
    context.set_offline(True)
    page.keyboard.press("3")
    expect(page.locator(".notice")).to_contain_text("That answer isn’t saved yet.")
    expect(page.locator(".gallery .picked")).to_have_count(1)
    context.set_offline(False)
    at_step(page, 1)
    assert study.said() == ["c>abd"]
    expect(page.locator(".notice")).to_be_hidden()


def test_an_answer_that_arrived_is_not_sent_again_when_the_browser_comes_back(site, page, watched):
    watched.allowed = (LOADING,)
    study = site.study(kind="best of 4")
    opened(page, study)
    lost = {"answers": True}
    page.route("**/answers", lambda route: route.abort() if lost["answers"] else route.continue_())
    unsaved = page.locator(".notice", has_text="That answer isn’t saved yet.")
    page.keyboard.press("3")
    expect(unsaved).to_be_visible()
    lost["answers"] = False
    page.get_by_role("button", name="Send now").click()
    at_step(page, 1)
    lost["answers"] = True
    page.keyboard.press("1")
    expect(unsaved).to_be_visible()
    lost["answers"] = False
    page.evaluate("window.dispatchEvent(new Event('online'))")
    at_step(page, 2)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.keyboard.press("2")
    at_step(page, 3)
    assert study.said() == ["c>abd", "a>bcd", "b>acd"]


@pytest.mark.parametrize(("kind", "screen"), [("pair", ".compare"), ("best of 4", ".several")])
def test_the_owner_s_undo_leaves_the_answers_of_others(site, page, kind, screen):
    study = site.study(kind=kind)
    study.answer("a")
    asked = site.call(f"{study.path}/question?judge=Ada")["question"]
    answer = {"step": asked["step"], "answer": "b", "answer_id": "hers", "judge": "Ada"}
    site.call(f"{study.path}/answers", answer)
    page.goto(f"{study.url}/compare")
    expect(page.locator(screen)).to_have_attribute("data-state", "ready")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Undone.")
    assert [(entry["who"], entry["status"]) for entry in study.history()] == [("", "undone"), ("Ada", "effective")]


def test_the_gallery_finishes_as_compare_does(site, page):
    study = site.study(kind="rank 3", comparisons=1)
    page.goto(study.url)
    expect(page.locator(".start")).to_contain_text("Several at a time: choose the best, or put them in order.")
    expect(page.locator(".keys")).to_contain_text("Choose one, and then the next")
    opened(page, study)
    page.keyboard.press("2")
    page.keyboard.press("1")
    expect(page.get_by_role("heading", name="The planned answer is given")).to_be_visible()
    sentence = page.locator(".finished .verdict").text_content()
    no_scrolling(page)
    page.get_by_role("button", name="Keep comparing").click()
    at_step(page, 1)
    page.reload()  # it does not ask again so soon
    at_step(page, 1)
    page.goto(f"{study.url}/result")
    expect(page.locator(".about .verdict")).to_have_text(sentence)

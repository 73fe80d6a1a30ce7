"""A study about more than two candidates is answered from a gallery: by pressing, with number keys, and by places."""

from playwright.sync_api import expect

from tests.page import media
from tests.page.conftest import QUIET

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

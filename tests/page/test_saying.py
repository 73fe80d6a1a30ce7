"""What a person can say besides which is better: a rating, doubt, a reason; and what Result and History let them say again."""

from playwright.sync_api import expect

from tests.page.conftest import compare, computed, in_state, press
from tests.page.test_screens import violations


def test_a_candidate_is_rated_beside_the_answer_where_the_owner_offers_it(site, page, axe):
    study = site.study(ratings=True, scale=["poor", "fair", "fine"])
    compare(page, study)
    page.get_by_role("button", name="Rate B: fine").click()
    expect(page.get_by_role("status")).to_have_text("B is rated: fine.")
    expect(page.get_by_role("button", name="Rate B: fine")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".rate.of-b .word")).to_have_text("fine")
    assert violations(page, axe) == []
    assert len(study.history()) == 1
    press(page, "a", 1)
    page.goto(f"{study.url}/history")
    expect(page.locator(".entries li")).to_have_count(2)
    assert violations(page, axe) == []


def test_nobody_is_asked_for_what_the_owner_does_not_offer(site, page):
    compare(page, site.study())
    expect(page.get_by_role("button", name="Rate A: good")).to_have_count(0)
    expect(page.get_by_role("button", name="Not sure")).to_be_hidden()
    page.keyboard.press("u")
    expect(page.locator(".compare")).not_to_have_attribute("data-doubt", "")


def test_doubt_holds_for_one_answer(site, page):
    study = site.study(unsure=True)
    compare(page, study)
    page.keyboard.press("u")
    expect(page.get_by_role("button", name="Not sure")).to_have_attribute("aria-pressed", "true")
    press(page, "a", 1)
    expect(page.get_by_role("button", name="Not sure")).to_have_attribute("aria-pressed", "false")
    press(page, "b", 2)
    assert [entry["sure"] for entry in study.history()] == [False, True]
    page.goto(f"{study.url}/history")
    expect(page.locator(".entries li").last).to_contain_text("not sure")


def test_a_reason_is_saved_with_its_answer_and_shown_in_history(site, page):
    study = site.study()
    compare(page, study)
    page.get_by_role("button", name="Say why").click()
    page.keyboard.type("a bit too sweet")  # letters answer nothing here
    page.keyboard.press("Enter")
    press(page, "b", 1)
    press(page, "a", 2)
    assert [entry["note"] for entry in study.history()] == ["a bit too sweet", ""]
    page.goto(f"{study.url}/history")
    expect(page.locator(".entries li").last.locator(".reason")).to_have_text("a bit too sweet")


def test_a_change_is_confirmed_beside_the_answer_and_undone_in_one_step(site, page):
    study = site.study()
    for said in "ab":
        study.answer(said)
    page.goto(f"{study.url}/history")
    page.get_by_label("Answer to question 1", exact=True).select_option("b")
    entry = page.locator("#answer-0")
    expect(entry.locator(".said")).to_contain_text("Changed question 1: B is better.")
    assert study.said() == ["b", "b"]
    entry.get_by_role("button", name="Undo the change").click()
    expect(entry.locator(".said")).to_have_text("The change is undone.")
    assert study.said() == ["a", "b"]
    page.get_by_role("button", name="Remove the answer to question 2").click()
    page.locator("#answer-1").get_by_role("button", name="Undo the change").click()
    expect(page.locator("#answer-1 .said")).to_have_text("The change is undone.")
    assert study.said() == ["a", "b"]


def test_any_two_of_the_ranking_are_compared_again(site, page):
    study = site.study()
    for said in "aab":
        study.answer(said)
    page.goto(f"{study.url}/result")
    computed(page)
    second, third = (page.locator(".rank button.ask").nth(k) for k in (1, 2))
    third.click()
    expect(page.get_by_role("status")).to_have_text("Now choose the one to compare it with.")
    expect(third).to_have_attribute("aria-pressed", "true")
    third.click()  # not this one after all
    expect(third).to_have_attribute("aria-pressed", "false")
    second.click()
    expect(third).to_have_text("With this one")
    third.click()
    in_state(page, "ready")
    ranked = [row["candidate"] for row in site.call(f"{study.path}/insight")["ranking"]]
    asked = study.question()
    assert sorted([ranked.index(asked["a"]), ranked.index(asked["b"])]) == [1, 2]
    press(page, "a")
    in_state(page, "ready")
    assert len(study.said()) == 4

"""The owner's screen: invite, watch, take back, save and delete; pages instead of JSON where something is not there."""

import pytest
from playwright.sync_api import expect

from tests.page.conftest import compare, fits, press
from tests.page.test_screens import violations


def test_an_owner_invites_watches_and_takes_back(site, look, chromium, axe):
    page, camera = look
    study = site.study()
    page.goto(f"{study.url}/people")
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_label("Name")).to_have_accessible_description("Say who it is for: their answers carry the name.")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Works for").select_option("a day")
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_role("textbox", name="Link for ann").input_value()
    expect(page.get_by_role("status")).to_have_text("A link for ann. It is shown only now.")
    fits(page)
    camera("people")
    assert violations(page, axe) == []
    context = chromium.new_context()
    judge = context.new_page()
    judge.goto(link)
    judge.get_by_role("button", name="Join").click()
    expect(judge.get_by_role("link", name="Start comparing")).to_be_visible()
    expect(judge.get_by_role("link", name="People")).to_have_count(0)
    compare(judge, study)
    press(judge, "a", 1)
    expect(page.locator(".judges").first).to_contain_text("1 answer")  # without a reload
    expect(page.locator(".count")).to_contain_text("1 of about")
    page.reload()
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Take back for good").click()
    expect(page.get_by_role("status")).to_have_text("ann can no longer answer. The answers given are kept.")
    assert violations(page, axe) == []
    judge.goto(f"{study.url}/compare")
    expect(judge.get_by_text("You are not signed in")).to_be_visible()
    context.close()
    assert study.said() == ["a"]


def test_a_study_is_deleted_by_two_presses(site, page):
    study = site.study()
    page.goto(f"{study.url}/people")
    page.get_by_role("button", name="Delete the study").click()
    page.get_by_label("Name").focus()  # a change of mind
    expect(page.get_by_role("button", name="Delete the study")).to_be_visible()
    page.get_by_role("button", name="Delete the study").click()
    page.get_by_role("button", name="Delete it with all answers, for good").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Studies")
    assert study.name not in [each["name"] for each in site.call("/studies")["studies"]]


@pytest.mark.parametrize("path", ["/nothing", "/studies/x/nothing", "/page/nothing.js"])
def test_what_is_not_there_is_a_page(site, page, watched, path):
    watched.allowed = ("Failed to load resource",)
    page.goto(f"{site.address}{path}")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
    page.get_by_role("link", name="All studies").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Studies")


def test_history_shows_twenty_answers_and_then_more(site, page):
    study = site.study()
    for _ in range(23):
        study.answer()
    page.goto(f"{study.url}/history")
    expect(page.locator(".entries li")).to_have_count(20)
    page.get_by_role("button", name="Show older answers").click()
    expect(page.locator(".entries li")).to_have_count(23)
    expect(page.get_by_role("button", name="Show older answers")).to_be_hidden()

"""The owner's screen: invite, watch, take back, save and delete; pages instead of JSON where something is not there."""

import re
import secrets

import pytest
from playwright.sync_api import expect

from tests.page.conftest import LOADING, compare, fits, press
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
    judge.goto(f"{study.url}/people")  # the owner's address leads to what the judge may see
    expect(judge.get_by_role("link", name="Start comparing")).to_be_visible()
    compare(judge, study)
    press(judge, "a", 1)
    expect(page.locator(".judges").first).to_contain_text("1 answer")  # without a reload
    expect(page.locator(".count")).to_contain_text("1 of about")
    expect(page.locator(".judges progress").first).to_have_attribute("max", "30")  # not full after one answer
    page.reload()
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Take back for good").click()
    expect(page.get_by_role("status")).to_have_text("ann can no longer get in. The answers given are kept.")
    assert violations(page, axe) == []
    judge.goto(f"{study.url}/compare")
    expect(judge.get_by_text("You are not signed in")).to_be_visible()
    context.close()
    assert study.said() == ["a"]


def test_on_a_phone_one_press_leads_to_the_invitation(site, open_context):
    _, page = open_context("phone")
    page.goto(f"{site.study().url}/people")
    page.get_by_role("button", name="Invite somebody").click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    expect(page.get_by_label("Name", exact=True)).to_be_in_viewport()


def test_a_deleted_study_can_be_brought_back_from_the_list(site, page):
    study = site.study()
    page.goto(f"{study.url}/people")
    page.get_by_role("button", name="Delete the study").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Studies")
    card = page.locator(f'.study[data-name="{study.name}"]')
    page.get_by_text("Deleted (").click()
    card.get_by_role("button", name="Bring back").click()
    expect(card.get_by_role("link", name="Open")).to_be_visible()
    assert site.call(study.path)["deleted"] is None


def test_what_cannot_be_put_away_is_said(site, page, watched):
    watched.allowed = (LOADING,)
    study = site.study()
    page.goto(f"{study.url}/people")
    page.route(f"**/api/v1{study.path}", lambda route: route.abort())
    page.get_by_role("button", name="Delete the study").click()
    expect(page.get_by_role("status")).to_have_text("Not done: the server does not answer.")


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


def test_a_viewer_sees_nothing_that_would_be_refused(site, chromium, axe):
    study = site.study()
    secret = site.call("/tokens", {"role": "viewer", "study": study.name, "label": "wall"})["token"]
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{site.address}/enter?token={secret}")
    refused = []
    page.on("response", lambda reply: reply.status >= 400 and refused.append(reply.url))
    for answers in (0, 2):
        for _ in range(answers):
            study.answer()
        for screen in ("", "/result", "/history", "/compare"):
            page.goto(f"{study.url}{screen}")
            expect(page.get_by_role("link", name="Result", exact=True)).to_be_visible()
            for name in ("Compare", "People", "Start comparing", "Go on comparing", "Keep comparing"):
                expect(page.get_by_role("link", name=name, exact=True)).to_have_count(0)
            for name in ("Remove", "Restore", "Undo"):
                expect(page.get_by_role("button", name=name)).to_have_count(0)
            expect(page.locator("select")).to_have_count(0)
            expect(page.locator(".answers")).to_have_count(0)
    page.get_by_role("link", name="See result").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Result")
    page.goto(site.address)
    expect(page.get_by_text(study.name)).to_be_visible()
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    assert violations(page, axe) == []
    assert refused == []
    context.close()


def test_a_study_is_edited_paused_and_given_a_number_for_each_judge(site, page, watched):
    watched.allowed = (LOADING,)  # bounds the wrong way round
    study = site.study()
    study.answer()
    page.goto(f"{study.url}/people")
    page.get_by_label("Title").fill("Line three")
    page.get_by_label("Question", exact=True).fill("Which curve?")
    page.get_by_label("x, to").fill("2")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Line three")
    told = site.call(study.path)
    assert (told["title"], told["question"], told["space"]["variables"][0]["high"]) == ("Line three", "Which curve?", 2)
    page.get_by_label("x, to").fill("-1")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("alert").filter(has_text="high")).to_be_visible()
    page.get_by_label("Answers from each judge").fill("1")
    page.get_by_role("button", name="Save the number").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    expect(page.locator(".judges").first).to_contain_text("1 of 1 answer")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused: nobody is asked")).to_be_visible()
    assert site.call(study.path)["paused"]
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_a_link_is_drawn_and_taken_back_and_somebody_may_only_look(site, page):
    study = site.study()
    page.goto(f"{study.url}/people")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Invited by", exact=True).fill("Bea")
    page.get_by_role("button", name="Make a link").click()
    page.get_by_role("button", name="QR code for ann").click()
    expect(page.get_by_role("img", name="QR code of the link for ann")).to_be_visible()
    expect(page.get_by_text("invited, until")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Take back for good").click()
    expect(page.get_by_text("Nobody yet. Invite somebody above.")).to_be_visible()
    page.get_by_label("Name").fill("wall")
    page.get_by_label("They may").select_option("only look")
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_text("may look, until")).to_be_visible()
    assert "/enter?token=" in page.get_by_role("textbox", name="Link for wall").input_value()


def test_studies_are_found_archived_deleted_and_brought_back(site, look, axe):
    page, camera = look
    word = f"haze{secrets.token_hex(4)}"  # other tests make studies on the same server
    studies = [site.study(question=f"Which {word}?"), *(site.study() for _ in range(3))]
    name = studies[0].name
    page.goto(site.address)
    page.get_by_label("Search").fill(f"{name} {word.upper()}")
    card = page.locator(f'.study[data-name="{name}"]')
    expect(card).to_be_visible()
    expect(page.locator("#found")).to_have_text(re.compile(r"1 of \d+ studies"))
    expect(page.locator(f'.study[data-name="{studies[1].name}"]')).to_be_hidden()
    card.locator(".menu summary").click()
    assert violations(page, axe) == []
    camera("studies-menu")
    card.get_by_role("button", name="Delete").click()
    expect(card.get_by_role("button", name="Undo")).to_be_focused()
    assert site.call("/studies")["studies"][-4]["deleted"]
    fits(page)
    card.get_by_role("button", name="Undo").click()
    expect(card.get_by_role("link")).to_be_visible()
    card.locator(".menu summary").click()
    card.get_by_role("button", name="Archive").click()
    expect(card.get_by_role("button", name="Undo")).to_be_focused()  # a reload might come before the request
    page.reload()
    page.get_by_text("Archived (").click()
    card.locator(".menu summary").click()
    card.get_by_role("button", name="Take out of the archive").click()
    expect(card.get_by_role("link", name="Open")).to_be_visible()
    assert not any(study["archived"] for study in site.call("/studies")["studies"])


def test_the_description_for_programs_is_a_page(site, look, axe):
    page, camera = look
    page.get_by_role("link", name="For programs").click()
    page.get_by_text("Create a study.").click()
    expect(page.get_by_text("the only candidates, instead of variables")).to_be_visible()
    within = "(box) => box.scrollWidth - box.clientWidth"
    assert {box.evaluate(within) for box in page.locator(".route[open] :is(.scroll, th)").all()} == {
        0
    }  # nothing is cut off
    fits(page)
    camera("api")
    assert violations(page, axe) == []

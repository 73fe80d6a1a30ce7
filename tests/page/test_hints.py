"""Hints on Compare: beside the values, in words, and undone where they are confirmed."""

from urllib.parse import quote

from playwright.sync_api import expect

from prefero.web.server import background
from prefero.web.settings import Settings
from tests.page.conftest import Site, compare, in_state, press
from tests.page.media import png
from tests.page.test_screens import violations

ORDERED = {"name": "warmth", "type": "real", "low": 0, "high": 1}
CHOSEN = {"name": "milk", "type": "choice", "levels": ["oat", "cow"]}
PICTURES = png(64, 48, (200, 60, 40)), png(64, 48, (40, 60, 200))


def opened(site, page, **more):
    """A study with one answer, and its hints open."""
    study = site.study(variables=[ORDERED, CHOSEN], **more)
    study.answer("a")
    compare(page, study)
    page.get_by_role("button", name="Hints").click()
    expect(page.get_by_role("button", name="more warmth than in the best so far")).to_be_visible()
    return study


def words(study):
    return [said for said in study.said() if said not in ("a", "b")]


def test_a_hint_is_confirmed_and_undone_where_the_message_stands(site, page, axe):
    study = opened(site, page)
    expect(page.get_by_role("button", name="more milk")).to_have_count(0)
    pressed = page.get_by_role("button", name="more warmth than in the best so far")
    assert pressed.get_attribute("title") == "more warmth than in the best so far"
    pressed.click()
    expect(page.get_by_role("status")).to_have_text(
        "Noted: more warmth than in the best so far. It counts from the next pair."
    )
    expect(pressed).to_be_focused()
    assert words(study) == ["more warmth"]
    assert violations(page, axe) == []
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.locator(".notice")).to_contain_text("Undone.")
    in_state(page, "ready")
    assert study.said() == ["a"]
    assert page.locator(".compare").get_attribute("data-step") == "1"


def test_a_variable_is_kept_and_let_go_with_the_keyboard(site, page):
    study = opened(site, page)
    page.get_by_role("button", name="less warmth").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    free = page.get_by_role("button", name="let warmth vary again")
    expect(free).to_be_focused()
    expect(page.get_by_role("button", name="more warmth")).to_have_count(0)
    expect(page.get_by_role("button", name="keep milk")).to_have_count(0)  # something has to vary
    page.reload()
    expect(free).to_be_visible()
    free.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="more warmth")).to_be_focused()
    assert [said.split()[0] for said in words(study)] == ["fix", "free"]


def test_the_next_pairs_stay_near_the_best_and_an_undo_takes_back_what_came_last(site, page):
    study = opened(site, page)
    page.get_by_role("button", name="Stay near the best").click()
    expect(page.get_by_role("status")).to_contain_text("Noted: Stay near the best for a while.")
    assert words(study) == ["near for 5 questions"]
    press(page, "b", 2)
    press(page, "z", 1)
    assert study.said() == ["a", "near for 5 questions"]
    press(page, "z")
    expect(page.locator(".notice")).to_contain_text("Undone.")
    assert study.said() == ["a"]


def test_hints_are_in_the_drawer_of_a_study_with_pictures(site, page, axe):
    study = site.study(variables=[ORDERED, CHOSEN])
    study.answer("a")
    study.upload(*PICTURES, "image/png")
    compare(page, study)
    expect(page.get_by_role("button", name="Stay near the best")).to_have_count(0)
    page.get_by_role("button", name="What differs").click()
    page.get_by_role("button", name="less warmth").click()
    expect(page.get_by_role("status")).to_contain_text("Noted: less warmth")
    assert violations(page, axe) == []
    page.get_by_role("button", name="What differs").click()
    expect(page.get_by_role("button", name="Stay near the best")).to_be_hidden()


def test_nobody_is_offered_hints_before_there_is_a_best_or_about_what_is_hidden(site, page):
    study = site.study()
    compare(page, study)
    expect(page.get_by_role("button", name="Hints")).to_be_hidden()
    hidden = site.study(hide_parameters=True)
    hidden.answer("a")
    hidden.upload(*PICTURES, "image/png")
    compare(page, hidden)
    expect(page.get_by_role("button", name="What differs")).to_be_hidden()
    expect(page.get_by_role("button", name="Hints")).to_be_hidden()


def test_a_viewer_is_offered_no_hints(site, open_context):
    study = site.study()
    study.answer("a")
    token = site.call("/tokens", {"role": "viewer", "study": study.name, "label": "looks on"})["token"]
    _, page = open_context(link=f"{site.address}/enter?token={token}&next={quote(study.path)}")
    page.goto(f"{study.url}/compare")
    expect(page.get_by_role("link", name="See result")).to_be_visible()  # a viewer has no Compare
    for name in ("Hints", "Stay near the best"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)


def test_history_shows_hints_in_their_words_and_lets_them_be_removed(site, page, axe):
    study = site.study(variables=[ORDERED, CHOSEN])
    study.answer("a")
    for hint in ({"kind": "more", "variable": "warmth"}, {"kind": "fix", "variable": "milk"}, {"kind": "free"}):
        site.call(f"{study.path}/hints", hint)
    page.goto(f"{study.url}/history")
    expect(page.locator("#answer--1 .what")).to_contain_text("more warmth")
    expect(page.locator("#answer--1 .thumb")).to_have_count(1)
    expect(page.locator("#answer--3 .thumb")).to_have_count(0)
    expect(page.locator(".entries")).not_to_contain_text("imported")
    assert violations(page, axe) == []
    page.locator("#answer--1").get_by_role("button", name="Remove").click()
    expect(page.locator("#answer--1 .said")).to_contain_text("Removed the answer to more warmth.")
    assert [said.split()[0] for said in words(study)] == ["fix", "free"]


def test_a_reason_suggests_hints_that_count_once_the_judge_agrees(tmp_path, chromium, axe):
    def program(told):
        if "dark" not in told["reason"]:
            raise RuntimeError("the owner's program is broken")
        return [{"kind": "more", "variable": "x", "why": "x is light"}, {"kind": "fix", "variable": "y"}]

    with background(f"sqlite:///{tmp_path / 'x.db'}", Settings(reasons=program)) as link:
        study = Site(link).study()
        study.answer()
        context = chromium.new_context()
        page = context.new_page()
        page.goto(link)

        def say(why: str, step: int) -> None:
            page.get_by_label("Why? Saved with your next answer.").fill(why)
            page.locator("#top").click()  # the keys answer again
            press(page, "a", step)

        compare(page, study)
        page.get_by_role("button", name="Say why").click()
        say("B is too dark", 2)
        ideas = page.locator(".ideas p")
        expect(ideas.first).to_have_text(
            "Your reason suggests: more x than in the best so far. (x is light)Yes, look thereNo"
        )
        assert violations(page, axe) == []
        ideas.first.get_by_role("button", name="Yes, look there").click()
        expect(ideas).to_have_count(1)
        expect(page.get_by_role("status")).to_have_text(
            "Noted: more x than in the best so far. It counts from the next pair."
        )
        ideas.get_by_role("button", name="No").click()
        expect(ideas).to_have_count(0)
        assert words(study) == ["more x"]
        say("neither here nor there", 3)  # the program fails: the answer counts all the same
        say("", 4)
        assert [said for said in study.said() if said != "more x"] == ["a"] * 4
        expect(ideas).to_have_count(0)
        context.close()

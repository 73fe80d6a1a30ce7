"""The page in other languages: every word of a judge's screens comes from the catalogue, and the frame turns with the text."""

import json
import re

import pytest
from playwright.sync_api import expect

from prefero.web.static import FOLDER
from tests.page import media
from tests.page.conftest import LOADING, compare, computed, in_state, press
from tests.page.test_screens import violations

GERMAN = json.loads((FOLDER / "de.json").read_text(encoding="utf-8"))
OWN = re.compile(r"gain|dose|Which one do you like better\?|study \d+|[xy]\b|[ABF]\b|Ctrl|Backspace|Shift|Home")
"""What is not the page's: names that the owner gave, letters and keys."""
WORDS = """() => {
  const found = [];
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    const node = all.currentNode;
    if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent);
    else for (const name of ["aria-label", "title", "alt"]) found.push(node.getAttribute(name) ?? "");
  }
  return found;
}"""


def marked(page):
    """A catalogue whose texts are all in brackets, instead of the German one."""
    words = {text: "⟦" + re.sub(r"[^{}|]+(?![^{}]*\})", "", text) + "⟧" for text in GERMAN}
    page.route("**/de.json", lambda route: route.fulfill(json=words))


def untranslated(page) -> set[str]:
    return {
        text for text in page.evaluate(WORDS) if re.search(r"[A-Za-z]{2,}", OWN.sub("", re.sub("⟦[^⟦⟧]*⟧", "", text)))
    }


def test_every_word_of_a_judges_screens_is_in_the_catalogue(site, open_context, watched):
    watched.allowed = (LOADING,)  # a study that is not there
    numbers = [{"name": name, "type": "real", "low": 0, "high": 1} for name in ("gain", "dose")]
    study = site.study(variables=numbers, comparisons=4, strengths=True)
    for said in "aab":
        study.answer(said)
    pictures = site.study(hide_parameters=True)
    pictures.upload(media.png(40, 30, (9, 9, 9)), media.png(40, 30, (99, 9, 9)), "image/png")
    several = site.study(kind="rank 4", variables=numbers)
    _, page = open_context(locale="de-AT")
    marked(page)
    page.goto(study.url)
    page.get_by_role("button", name="⟦⟧").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert untranslated(page) == set()
    page.keyboard.press("Escape")
    compare(page, study)
    assert untranslated(page) == set()
    press(page, "a")
    in_state(page, "finished")
    expect(page.locator(".verdict")).to_be_visible()
    assert untranslated(page) == set()
    page.goto(f"{study.url}/history")
    expect(page.locator(".entries li")).to_have_count(4)
    assert untranslated(page) == set()
    page.goto(f"{study.url}/result")
    expect(page.locator(".part.knobs")).to_be_visible()
    assert untranslated(page) == set()
    compare(page, pictures)
    assert untranslated(page) == set()
    page.goto(f"{several.url}/compare")
    in_state(page, "ready")
    assert untranslated(page) == set()
    page.goto(f"{site.address}/studies/none")
    expect(page.get_by_role("heading")).to_be_visible()
    assert untranslated(page) == set()


def test_a_browser_in_german_gets_german_words_numbers_and_forms(site, open_context, axe):
    study = site.study(comparisons=2, start=[{"x": 0.5, "y": 0.25}, {"x": 0.125, "y": 1}])
    _, page = open_context("phone", locale="de-DE")
    page.goto(study.url)
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_text("Etwa 2 Antworten.")).to_be_visible()
    page.get_by_role("link", name="Vergleichen beginnen").click()
    in_state(page, "ready")
    expect(page.locator(".parameters")).to_contain_text("0,125")
    assert violations(page, axe) == []
    press(page, "s", 1)
    expect(page.get_by_role("status")).to_have_text("Antwort 1 gespeichert: etwa gleich.")
    press(page, "a")
    expect(page.get_by_role("heading", name="Alle 2 geplanten Antworten sind gegeben")).to_be_visible()


@pytest.mark.parametrize(("locale", "shown"), [("it-CH", "A è meglio"), ("fr-FR", "A is better")])
def test_another_language_is_used_if_the_page_knows_it(site, open_context, locale, shown):
    study = site.study()
    _, page = open_context(locale=locale)
    compare(page, study)
    expect(page.get_by_role("button", name=shown)).to_be_enabled()


def test_a_study_may_name_its_language(site, page):
    study = site.study(language="it")
    compare(page, study)
    expect(page.locator("html")).to_have_attribute("lang", "it")
    expect(page.get_by_role("button", name="A è meglio")).to_be_enabled()


def test_a_question_from_right_to_left_turns_the_frame_and_leaves_a_on_the_left(site, page):
    study = site.study(question="أيهما تفضل؟")
    study.answer()
    compare(page, study)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    places = [page.get_by_role("button", name=f"{side} is better").bounding_box()["x"] for side in "AB"]
    assert places == sorted(places)
    heads = [page.locator(f".large th.of-{side}").bounding_box()["x"] for side in "ab"]
    assert heads == sorted(heads)
    heading, count = (page.locator(each).bounding_box() for each in ("h1", ".count"))
    assert count["x"] < 640 < heading["x"] + heading["width"]
    page.goto(f"{study.url}/result")
    computed(page)

"""The page in other languages: every word of its screens comes from the catalogue, and the frame turns with the text."""

import json
import re

import pytest
from playwright.sync_api import expect

from prefero.web import languages
from prefero.web.languages import FOLDER
from tests.page import media
from tests.page.conftest import LOADING, compare, computed, fits, in_state, press
from tests.page.test_screens import violations

GERMAN = json.loads((FOLDER / "de.json").read_text(encoding="utf-8"))
OWN = re.compile(
    r"gain|dose|Which one do you like better\?|study \d+|[xy]\b|[ABF]\b|ann|prefero|Ctrl|Backspace|Shift|Home"
)
"""What is not the page's: names that the owner gave, letters and keys."""
WORDS = """(ours) => {
  const found = [];
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    const node = all.currentNode;
    const card = (node.parentElement ?? node).closest(".study[data-name]");
    if (card && !ours.includes(card.dataset.name)) continue; // another test's study
    if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent);
    else for (const name of ["aria-label", "title", "alt", "placeholder"]) found.push(node.getAttribute(name) ?? "");
  }
  return found;
}"""


BARE = {text: re.sub(r"(\{\w+)\|[^}]*", r"\1|1|1", text) for text in GERMAN}  # forms without words
MARKED = {text: "⟦" + re.sub(r"[^{}|]+(?![^{}]*\})", "", bare) + "⟧" for text, bare in BARE.items()}


def marked(page):
    """A catalogue whose texts are all in brackets, instead of the German one."""
    page.route("**/de.json", lambda route: route.fulfill(json=MARKED))


def untranslated(page, *ours) -> set[str]:
    return {
        text
        for text in page.evaluate(WORDS, [study.name for study in ours])
        if re.search(r"[A-Za-z]{2,}", OWN.sub("", re.sub("⟦[^⟦⟧]*⟧|vor \\d+ Minuten?", "", text)))
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


def test_every_word_of_an_owners_screens_is_in_the_catalogue(site, open_context, monkeypatch):
    words = languages.Words("de", MARKED)
    monkeypatch.setitem(languages.WORDS, "de", words)
    people = words.template((FOLDER / "people.html").read_text(encoding="utf-8"))
    study, away = site.study(), site.study()
    study.answer()
    site.call(f"{study.path}/invitations", {"judge": "ann"})
    _, page = open_context(locale="de-DE")
    marked(page)
    page.route("**/people.html?de", lambda route: route.fulfill(body=people, content_type="text/html"))
    page.goto(f"{site.address}/new")
    page.locator("#example").click()
    expect(page.locator(".mini-answers span")).to_have_count(3)
    page.locator("#name").fill("")
    page.locator("#create").click()
    expect(page.locator("#name")).to_have_accessible_description("⟦⟧")
    assert untranslated(page) == set()
    page.goto(f"{study.url}/people")
    expect(page.locator("[data-links] li")).to_have_count(1)
    page.locator("[data-links] button").click()
    page.locator("[data-invite] button").click()
    expect(page.locator("#judge")).to_have_accessible_description("⟦⟧")
    page.locator("#judge").fill("ann")
    page.locator("[data-invite] button").click()
    expect(page.locator("[data-made] li")).to_have_count(1)
    page.locator("[data-made] button").last.click()
    expect(page.locator("[data-made] svg")).to_have_count(2)
    assert untranslated(page) == set()
    page.goto(f"{away.url}/people")
    page.locator("[data-away=archived]").click()
    expect(page.locator("h1")).to_have_text("⟦⟧")
    card, archived = (page.locator(f'.study[data-name="{each.name}"]') for each in (study, away))
    expect(card.locator("time")).to_have_text("⟦⟧")  # and so the script has the words
    assert untranslated(page, study, away) == set()
    card.locator(".menu summary").click()
    card.locator("[data-do=deleted]").click()
    expect(page.get_by_role("status")).to_have_text(f"⟦{study.name}⟧")
    assert untranslated(page, study, away) == set()
    page.locator(".put-away > summary").first.click()
    archived.locator(".menu summary").click()
    archived.locator("[data-do=archived]").click()
    expect(archived.locator(".button")).to_have_text("⟦⟧")
    assert untranslated(page, study, away) == set()


def test_whoever_is_invited_or_refused_is_told_in_their_language(site, chromium, axe):
    study = site.study()
    invited = site.call(f"{study.path}/invitations", {"judge": "Ann", "inviter": "Bea"})
    page = chromium.new_page(locale="de-DE")
    page.goto(f"{site.address}{invited['path']}")
    expect(page.get_by_text("Bea lädt Sie, Ann, zum Vergleichen ein. Etwa 30 schnelle Antworten")).to_be_visible()
    assert violations(page, axe) == []
    page.get_by_role("button", name="Mitmachen").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(study.name)
    page.goto(f"{site.address}{invited['path']}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Dieser Link gilt nicht mehr")
    page.goto(f"{site.address}/new")
    expect(page.get_by_role("heading", level=1)).to_have_text("Das ist nicht für Sie bestimmt")
    page.goto(site.address)
    page.get_by_role("button", name="Abmelden").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Abgemeldet")
    page.goto(site.address)
    expect(page.get_by_role("heading", level=1)).to_have_text("Bitte öffnen Sie Ihren Link")
    expect(page.get_by_role("link", name="Alle Studien")).to_have_count(0)  # there is none to go back to
    page.close()


@pytest.mark.parametrize(
    ("locale", "titles", "gone"),
    [
        (
            "de-DE",
            ("Studien", "Neue Studie", "Wer Zugang hat"),
            "ist gelöscht. Dreißig Tage lang bleibt die Studie erhalten.",
        ),
        ("it-IT", ("Studi", "Nuovo studio", "Chi può entrare"), "è stato eliminato. Si conserva per trenta giorni."),
    ],
)
def test_an_owner_is_spoken_to_in_their_language(site, open_context, axe, locale, titles, gone):
    study = site.study()
    _, page = open_context("phone", locale=locale)
    for path, title in zip(("/", "/new", f"{study.path}/people"), titles, strict=True):
        page.goto(f"{site.address}{path}")
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", locale[:2])
        fits(page)
        assert violations(page, axe) == []
    page.goto(site.address)
    card = page.locator(f'.study[data-name="{study.name}"]')
    card.locator(".menu summary").click()
    card.locator("[data-do=deleted]").click()
    expect(page.get_by_role("status")).to_have_text(f"{study.name} {gone}")


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
    expect(page.get_by_role("heading", name="Alle 2 geplanten Antworten liegen vor")).to_be_visible()


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
    expect(page.locator(".count")).to_have_css("direction", "ltr")  # "1 of about 30" stays in its order
    page.goto(f"{study.url}/result")
    computed(page)

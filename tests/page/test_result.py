"""Result: the setting at once, the figures when they are drawn, each with its data as a table; and the report of it."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.page import media
from tests.page.conftest import DRAWING, LOADING, SIZES, Held, compare, computed, drawn, fits, no_scrolling, press
from tests.page.test_safety import invited
from tests.page.test_screens import LONG, PARTS, violations


@pytest.fixture(scope="module")
def answered(site):
    study = site.study(variables=LONG, comparisons=10)
    for said in "abbaaaab":
        study.answer(said)
    return study


def test_the_setting_is_there_at_once_and_the_page_says_what_it_does(page, answered):
    held, drawing = Held(page, "**/insight"), Held(page, "**/figures")
    page.goto(f"{answered.url}/result")
    expect(page.locator(".setting")).to_contain_text("gain")
    expect(page.get_by_role("status")).to_have_text("Looking at the answers…")
    held.release()
    computed(page)
    expect(page.locator(".verdict")).to_have_text(re.compile(r"(sure|certain)\. (About ten more answers|More answers)"))
    page.get_by_text("Details: the statistics").click()
    expect(page.get_by_role("status")).to_have_text("Drawing the figures…")
    drawing.release()
    for part in PARTS:
        expect(page.get_by_role("heading", name=part, exact=True)).to_be_visible(timeout=DRAWING)
    expect(page.get_by_role("status")).to_have_text("The figures are drawn.")


FILES = {
    "img": (media.png(80, 60, (200, 30, 30)), media.png(80, 60, (30, 30, 200)), "image/png"),
    "audio": (media.wav(300), media.wav(500), "audio/wav"),
    "svg path.curve": (media.csv(0.5), media.csv(2.0), "text/csv"),
}


@pytest.mark.parametrize("shown", FILES)
def test_what_won_is_shown_large_and_the_others_small_in_the_same_words_as_when_finished(site, look, axe, shown):
    page, camera = look
    study = site.study(comparisons=3)
    for said in "aab":
        study.upload(*FILES[shown])
        study.answer(said)
    study.upload(*FILES[shown])
    compare(page, study, "finished")
    expect(page.locator(f".finished .winner {shown}").first).to_be_visible()
    sentence = page.locator(".finished .verdict").text_content()
    no_scrolling(page)
    camera(f"finished-{FILES[shown][2][:5]}")
    assert violations(page, axe) == []
    page.get_by_role("button", name="See result").click()
    expect(page.locator(f".hero .winner {shown}").first).to_be_visible()
    expect(page.locator(".about .verdict")).to_have_text(sentence)
    computed(page)
    fits(page)
    places = page.locator(".rank")
    expect(places.first).to_contain_text("Best so far")
    small = {"img": "img", "audio": "button"}.get(shown, "svg path.curve")
    expect(places.locator(small).first).to_be_visible()
    report = site.raw(f"{study.path}/report.html").read().decode()
    assert {"img": "<img", "audio": "<audio"}.get(shown, '<path class="pf-line-green"') in report
    sure = page.get_by_role("meter", name="How sure this is")
    assert sure.get_attribute("aria-valuetext").startswith(sentence.split(" %")[0] if "%" in sentence else "")
    camera(f"result-{FILES[shown][2][:5]}", whole=True)
    assert violations(page, axe) == []


def test_somebody_who_always_pressed_the_same_side_is_told_so(site, page):
    study = site.study(comparisons=14)
    for _ in range(14):
        study.answer("a")
    page.goto(f"{study.url}/result")
    expect(page.locator(".verdict")).to_contain_text("Hard to say. Nearly all answers chose the same side")
    expect(page.get_by_role("meter")).to_have_count(0)


def test_every_figure_has_a_label_its_colours_and_its_table(page, answered):
    page.goto(f"{answered.url}/result")
    drawn(page)
    figures = page.locator(".figures figure svg")
    expect(figures).to_have_count(4 + len(LONG))
    for figure in figures.all():
        assert figure.get_attribute("aria-label")
    assert page.locator(".figures details").count() >= figures.count()
    colour = "getComputedStyle(document.querySelector('.pf-fill-ink')).fill"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) != light
    page.locator(".figures .ranking summary").click()
    rows = page.locator(".figures .ranking tbody tr")
    expect(rows).to_have_count(len(answered.site.call(f"{answered.path}/insight")["ranking"]))
    expect(rows.filter(has_text="yes")).to_have_count(1)  # the one that is recommended


def test_on_a_phone_the_figures_are_seen_whole(open_context, answered):
    _, page = open_context("phone", is_mobile=True)
    page.goto(f"{answered.url}/result")
    drawn(page)
    fits(page)
    hidden = "(figure) => figure.scrollWidth - figure.clientWidth"
    letters = "(figure) => Math.min(...[...figure.querySelectorAll('text')].map((text) => text.getBoundingClientRect().height))"
    for figure in page.locator(".figures figure").all():
        assert figure.evaluate(hidden) <= 0
        assert figure.evaluate(letters) >= 8  # pixels, still to be read


def test_figures_that_could_not_be_drawn_can_be_asked_for_again(page, answered, watched):
    watched.allowed = (LOADING,)
    for part in ("insight", "figures"):
        page.route(f"**/{part}", lambda route: route.fulfill(status=503, json={"error": "too many at once"}))
    page.goto(f"{answered.url}/result")
    expect(page.locator(".notice")).to_contain_text("could not be computed: too many at once. Your answers are safe.")
    expect(page.locator(".setting")).to_be_visible()
    page.unroute("**/insight")
    page.get_by_role("button", name="Try again").click()
    computed(page)
    page.get_by_text("Details: the statistics").click()
    expect(page.locator(".notice")).to_contain_text("The figures could not be drawn: too many at once.")
    page.unroute("**/figures")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Slices")).to_be_visible(timeout=DRAWING)


OTHERS = "Several people judge this study. This is the result of your answers; its owner sees the result of all."


def test_one_of_several_judges_is_told_calmly_and_asks_for_nothing_that_is_refused(site, chromium):
    study = site.study()
    context, page, _ = invited(site, chromium, study, "ann")
    for _ in range(9):
        study.answer()
    refused = []
    page.on("response", lambda reply: reply.status >= 400 and refused.append(reply.url))
    compare(page, study)
    press(page, "a", 10)  # with ten answers the page would ask whether to stop
    page.goto(f"{study.url}/result")
    expect(page.locator(".setting")).to_be_visible()
    expect(page.get_by_text("After 1 of about")).to_be_visible()
    expect(page.get_by_text(OTHERS)).to_be_visible()
    expect(page.locator(".notice, .drawing")).to_have_count(0)
    expect(page.get_by_text("Share or save")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    context.close()
    assert refused == []


def test_a_judge_who_is_no_longer_alone_is_told_as_calmly(page, answered, watched):
    watched.allowed = (LOADING,)
    page.route("**/insight", lambda route: route.fulfill(status=403, json={"error": "several people judge this study"}))
    page.goto(f"{answered.url}/result")
    expect(page.get_by_text(OTHERS)).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_the_setting_can_be_copied_and_everything_downloaded(open_context, answered):
    context, page = open_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{answered.url}/result")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_have_text("Copied.")
    best = answered.site.call(f"{answered.path}/result")["best"]
    assert json.loads(page.evaluate("navigator.clipboard.readText()")) == best
    for name, starts in (
        ("Everything compared, as a table", "a name"),
        ("The whole study", "{"),
        ("Report", "<!DOCTYPE html>"),
    ):
        if not page.get_by_role("link", name=name).is_visible():
            page.get_by_text("Share or save").click()
        with page.expect_download(timeout=DRAWING) as download:
            page.get_by_role("link", name=name).click()
        text = download.value.path().read_text(encoding="utf-8")
        assert starts in text[:40]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_saved_report_is_accessible_too(chromium, answered, axe, tmp_path, scheme):
    file = tmp_path / "report.html"
    with answered.site.raw(f"{answered.path}/report.html") as reply:
        file.write_bytes(reply.read())
    width, height = SIZES["phone" if scheme == "dark" else "desk"]
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        bypass_csp=True,  # for axe, not for the page
    )
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    found = violations(page, axe)
    context.close()
    assert found == []


def test_before_any_answer_there_is_nothing_to_draw(site, page):
    page.goto(f"{site.study().url}/result")
    expect(page.get_by_text("There are no answers yet")).to_be_visible()
    page.get_by_role("link", name="Start comparing").click()
    expect(page.locator(".compare")).to_have_attribute("data-state", "ready")

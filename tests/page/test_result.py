"""Result: the setting at once, the figures when they are drawn, each with its data as a table; and the report of it."""

import json

import pytest
from playwright.sync_api import expect

from tests.page.conftest import DRAWING, LOADING, SIZES, Held, compare, drawn, fits, press
from tests.page.test_safety import invited
from tests.page.test_screens import LONG, PARTS, violations


@pytest.fixture(scope="module")
def answered(site):
    study = site.study(variables=LONG, comparisons=10)
    for said in "abbaaaab":
        study.answer(said)
    return study


def test_the_setting_is_there_at_once_and_the_page_says_that_it_draws(page, answered):
    held = Held(page, "**/figures")
    page.goto(f"{answered.url}/result")
    best = page.locator(".setting")
    expect(best).to_contain_text("gain")
    expect(page.get_by_text("Drawing the figures…").first).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("Drawing the figures…")
    held.release()
    drawn(page)
    for part in PARTS:
        expect(page.get_by_role("heading", name=part)).to_be_visible()
    expect(page.locator(".advice")).to_contain_text("probability")
    expect(page.get_by_text("It beats the runner-up with a probability of")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("The figures are drawn.")


def test_every_figure_has_a_label_its_colours_and_its_table(page, answered):
    page.goto(f"{answered.url}/result")
    drawn(page)
    figures = page.locator(".part figure svg")
    expect(figures).to_have_count(4 + len(LONG))
    for figure in figures.all():
        assert figure.get_attribute("aria-label")
    assert page.locator(".part details").count() >= figures.count()
    colour = "getComputedStyle(document.querySelector('.pf-fill-ink')).fill"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) != light
    page.locator(".ranking summary").click()
    rows = page.locator(".ranking tbody tr")
    expect(rows).to_have_count(len(answered.site.call(f"{answered.path}/insight")["ranking"]))
    expect(rows.filter(has_text="yes")).to_have_count(1)  # the one that is recommended


def test_on_a_phone_the_figures_are_seen_whole(open_context, answered):
    _, page = open_context("phone", is_mobile=True)
    page.goto(f"{answered.url}/result")
    drawn(page)
    fits(page)
    hidden = "(figure) => figure.scrollWidth - figure.clientWidth"
    letters = "(figure) => Math.min(...[...figure.querySelectorAll('text')].map((text) => text.getBoundingClientRect().height))"
    for figure in page.locator(".part figure").all():
        assert figure.evaluate(hidden) <= 0
        assert figure.evaluate(letters) >= 8  # pixels, still to be read


def test_figures_that_could_not_be_drawn_can_be_asked_for_again(page, answered, watched):
    watched.allowed = (LOADING,)
    page.route("**/figures", lambda route: route.fulfill(status=503, json={"error": "too many at once"}))
    page.goto(f"{answered.url}/result")
    expect(page.locator(".notice")).to_contain_text("The figures could not be drawn: too many at once.")
    expect(page.locator(".setting")).to_be_visible()
    page.unroute("**/figures")
    page.get_by_role("button", name="Try again").click()
    drawn(page)
    expect(page.get_by_role("heading", name="Slices")).to_be_visible()


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
    expect(page.get_by_text("By 1 answer of about")).to_be_visible()
    expect(page.get_by_text(OTHERS)).to_be_visible()
    expect(page.locator(".notice, .drawing")).to_have_count(0)
    expect(page.get_by_role("link", name="Report as HTML")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    context.close()
    assert refused == []


def test_a_judge_who_is_no_longer_alone_is_told_as_calmly(page, answered, watched):
    watched.allowed = (LOADING,)
    page.route("**/figures", lambda route: route.fulfill(status=403, json={"error": "several people judge this study"}))
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
        ("Candidates as CSV", "a name"),
        ("Study as JSON", "{"),
        ("Report as HTML", "<!DOCTYPE html>"),
    ):
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
    expect(page.get_by_text("Nothing was answered yet.")).to_be_visible()
    page.get_by_role("link", name="Start comparing").click()
    expect(page.locator(".compare")).to_have_attribute("data-state", "ready")

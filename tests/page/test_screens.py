"""Every screen in both sizes and colour schemes: nothing scrolls in Compare, axe finds nothing, a picture is kept."""

import re

import pytest
from playwright.sync_api import expect

from tests.page import media
from tests.page.conftest import SIZES, compare, drawn, fits, in_state, no_scrolling, press

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
MANY = [{"name": f"variable number {k}", "type": "real", "low": -1, "high": 1} for k in range(17)]
LONG = [
    {"name": "a name of a variable that has sixty characters, which is many", "type": "real", "low": 0, "high": 1},
    {"name": "شدة الضوء", "type": "choice", "levels": ["منخفض", "مرتفع"]},
    {"name": "gain", "type": "real", "low": 0.001, "high": 1000, "log": True},
]
CROWDED = [
    {
        "name": f"a rather long name of a variable, number {k} of twenty",
        "type": "real",
        "low": 0,
        "high": 1,
        "unit": "kg/m³",
    }
    for k in range(20)
]
UNITS = [
    {"name": "cut-off", "type": "real", "low": 1, "high": 100, "log": True, "unit": "Hz"},
    {"name": "delay", "type": "integer", "low": 0, "high": 40, "unit": "ms"},
    {"name": "mode", "type": "choice", "levels": ["soft", "hard"]},
]


PARTS = (
    "How the others did",
    "Were the answers steady?",
    "One knob at a time",
    "Ranking",
    "Progress",
    "Slices",
    "Consistency",
)
HIDDEN = "() => { const box = document.querySelector('.parameters'); return box.scrollHeight - box.clientHeight; }"


def violations(page, axe) -> list[str]:
    page.evaluate(axe)
    options = {"runOnly": {"type": "tag", "values": WCAG}, "preload": False}
    found = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]]


def checked(page, axe, camera, name) -> None:
    camera(name)
    assert violations(page, axe) == []


def test_start_keys_and_the_list_of_studies(site, look, axe):
    page, camera = look
    study = site.study()
    page.reload()  # with this study
    expect(page.get_by_role("heading", name="Studies")).to_be_visible()
    checked(page, axe, camera, "studies")
    page.goto(study.url)
    expect(page.get_by_role("link", name="Start comparing")).to_be_visible()
    checked(page, axe, camera, "start")
    page.get_by_role("button", name="Keys").click()
    checked(page, axe, camera, "keys")


def test_compare_history_and_result(site, look, axe):
    page, camera = look
    study = site.study(variables=MANY + LONG, question="Which of these two would you rather live with, day after day?")
    compare(page, study)
    no_scrolling(page)
    assert page.evaluate(HIDDEN) <= 0  # twenty rows, all of them in sight
    checked(page, axe, camera, "compare-parameters")
    for step, key in enumerate("abs", 1):
        press(page, key, step)
    page.get_by_role("link", name="History").click()
    expect(page.locator(".entries li")).to_have_count(3)
    checked(page, axe, camera, "history")
    page.get_by_label("Answer to question 1", exact=True).select_option("b")
    expect(page.get_by_role("status")).to_have_text("Changed question 1: B is better.")
    page.get_by_role("button", name="Remove the answer to question 2").click()
    expect(page.get_by_role("status")).to_have_text("Removed the answer to question 2.")
    page.get_by_role("button", name="Restore the answer to question 2").click()
    expect(page.get_by_role("status")).to_have_text("Restored the answer to question 2.")
    assert study.said() == ["b", "b", "same"]
    page.get_by_role("link", name="Result").click()
    drawn(page)
    for part in PARTS:
        expect(page.get_by_role("heading", name=part)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    camera("result", whole=True)
    # an open menu lies above what is below it
    page.evaluate("for (const each of document.querySelectorAll('details:not(.menu)')) each.open = true")
    checked(page, axe, camera, "result-tables")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("History")


FILES = {
    "image": (media.png(4000, 3000, (200, 30, 30)), media.png(4000, 3000, (30, 30, 200)), "image/png"),
    "plot": (media.csv(0.5), media.csv(2.0), "text/csv"),
    "sound": (media.wav(300), media.wav(500), "audio/wav"),
    "page": (b"<h1>Hello</h1>", b"<h1>Good morning</h1><p>And more.</p>", "text/html"),
    "text": (b"# Title\n\nSome words.", "النص هنا".encode(), "text/markdown"),
}


@pytest.mark.parametrize("kind", FILES)
def test_compare_with_files(site, look, axe, kind):
    page, camera = look
    study = site.study(variables=LONG)
    study.upload(*FILES[kind], kind)
    compare(page, study)
    no_scrolling(page)
    checked(page, axe, camera, f"compare-{kind}")
    sizes = [box for box in (pane.bounding_box() for pane in page.locator(".pane .frame").all()) if box]
    assert len({(round(box["width"]), round(box["height"])) for box in sizes}) <= 1  # A and B are the same size
    press(page, "a")
    in_state(page, "preparing")
    no_scrolling(page)
    camera(f"preparing-{kind}")


def test_history_with_pictures_fits_a_phone(site, open_context):
    _, page = open_context("phone", is_mobile=True)
    study = site.study(variables=LONG + MANY)
    study.upload(*FILES["image"], "picture")
    study.answer()
    page.goto(f"{study.url}/history")
    expect(page.locator(".thumb img")).to_have_count(2)
    fits(page)
    for values in page.locator(".thumb p").all():
        assert values.bounding_box()["width"] >= 140  # below its picture, where there is room for words


NUMBER = r"[\d.]+\s"


def test_values_have_their_units_wherever_they_are_listed(site, page):
    study = site.study(variables=UNITS)
    compare(page, study)
    row = page.locator(".parameters tbody tr")
    expect(row.first).to_have_text(re.compile(rf"^cut-off{NUMBER}Hz{NUMBER}Hz×[\d.]+$"))
    study.upload(*FILES["image"], "picture")
    expect(page.locator(".drawer li").first).to_have_text(re.compile(rf"^cut-offA {NUMBER}HzB {NUMBER}Hz$"))
    alt = re.compile(rf"^Candidate A: cut-off {NUMBER}Hz, delay {NUMBER}ms, mode (soft|hard)$")
    expect(page.locator(".of-a img")).to_have_attribute("alt", alt)
    press(page, "a", 1)
    page.goto(f"{study.url}/history")
    for name, unit in (("cut-off", "Hz"), ("delay", "ms")):
        expect(page.locator(".thumb p").first).to_contain_text(re.compile(f"{name} {NUMBER}{unit}"))
    page.goto(f"{study.url}/result")
    expect(page.locator(".setting div").first).to_have_text(re.compile(rf"^cut-off{NUMBER}Hz$"))


@pytest.mark.parametrize("size", SIZES)
def test_many_values_with_units_are_all_in_sight(site, open_context, size):
    _, page = open_context(size)
    compare(page, site.study(variables=[each | {"unit": "Hz"} for each in MANY] + LONG))
    no_scrolling(page)
    assert page.evaluate(HIDDEN) <= 0


def measured(site, names):
    """A study of pictures of which a number was measured, too."""
    study = site.study(variables=[{"name": f"weight of {name}", "type": "real", "low": 0, "high": 1} for name in names])
    study.upload(*FILES["image"], "picture")
    for side, right in (("a", 3012), ("b", 2987)):
        site.call(f"{study.path}/questions/0/{side}/numbers", {"numbers": {"right of 4000": right}})
    return study


def test_what_was_measured_is_in_sight_below_pictures_on_a_phone(site, open_context):
    _, page = open_context("phone", is_mobile=True)
    compare(page, measured(site, ("automobile", "bird", "deer")))
    no_scrolling(page)
    assert page.evaluate(HIDDEN) <= 0


SHADE = """() => {
  const box = document.querySelector('.drawer .parameters').getBoundingClientRect();
  return {x: box.left, y: box.bottom - 3, width: box.width, height: 2};
}"""


def test_rows_below_those_in_sight_are_hinted_at_and_can_be_reached(site, open_context):
    _, page = open_context("phone", is_mobile=True)
    compare(page, measured(site, "abcdefghijkl"))
    assert page.evaluate(HIDDEN) > 0
    last = page.get_by_role("listitem").filter(has_text="right of 4000")
    page.evaluate("document.querySelector('.parameters').scrollTo(0, 1e6)")
    expect(last).to_be_in_viewport(ratio=0.9)
    page.evaluate("for (const each of document.querySelectorAll('.drawer li')) each.style.visibility = 'hidden'")
    end = page.screenshot(clip=page.evaluate(SHADE))
    page.evaluate("document.querySelector('.parameters').scrollTo(0, 0)")
    assert page.screenshot(clip=page.evaluate(SHADE)) != end  # the shadow, with no letters in it


def test_finished(site, look, axe):
    page, camera = look
    study = site.study(comparisons=1)
    compare(page, study)
    press(page, "a")
    in_state(page, "finished")
    no_scrolling(page)
    checked(page, axe, camera, "finished")


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_the_buttons_are_large_enough(site, open_context, size):
    _, page = open_context(size)
    compare(page, site.study())
    for name in ("A is better", "About the same", "B is better"):
        assert page.get_by_role("button", name=name).bounding_box()["height"] >= 48


def test_with_text_twice_as_large_everything_can_still_be_reached(site, open_context):
    _, page = open_context("desk")
    page.set_viewport_size({"width": 640, "height": 400})  # what is left at 200 %
    study = site.study()
    compare(page, study)
    for name in ("A is better", "B is better", "Keys"):
        page.get_by_role("button", name=name).scroll_into_view_if_needed()
        expect(page.get_by_role("button", name=name)).to_be_in_viewport()
    press(page, "a", 1)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture(scope="module")
def crowded(site):
    """Studies with twenty variables of long names: of values alone with five answers, of large pictures, and of four at once."""
    long = "Which of the two is better, all in all, if you think of people who will use it every day and never saw it before?"
    studies = [
        site.study(variables=CROWDED, strengths=True, ratings=True, unsure=True, question=long),
        site.study(variables=CROWDED, question=long, ratings=True),
        site.study(variables=CROWDED, question=long, kind="best of 4"),
    ]
    for said in "abb":
        studies[0].answer(said)
    studies[1].upload(media.png(4000, 3000, (200, 30, 30)), media.png(3000, 4000, (30, 30, 200)), "image/png")
    return studies


@pytest.mark.parametrize("size", ["1280x800", "390x844", "844x390", "320x640", "640x400"])
def test_nothing_overflows_with_long_names_twenty_variables_and_large_pictures(crowded, open_context, size):
    """640 by 400 is what 1280 by 800 leaves at 200 %."""
    width, height = map(int, size.split("x"))
    _, page = open_context(locale="de")
    page.set_viewport_size({"width": width, "height": height})
    for study in crowded:
        compare(page, study)
        fits(page)
        if study is not crowded[2]:
            for name in ("A ist besser", "B ist besser"):
                expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=0.99)
        if study is crowded[1]:
            for picture in page.locator(".stage img").all():
                expect(picture).to_be_in_viewport(ratio=0.99)
    for screen in ("", "/history", "/result"):
        page.goto(f"{crowded[0].url}{screen}")
        expect(page.locator("#main > *")).to_be_visible()
        if screen == "/result":
            expect(page.locator(".part.knobs")).to_be_visible()
            for name in page.locator(".weights b, .knob h3").all():  # long names differ at their ends
                assert name.evaluate("(node) => node.scrollWidth <= node.clientWidth")
        fits(page)


def test_what_stands_on_the_screen_is_not_written_twice(site, page, watched):
    study = site.study(comparisons=1)
    compare(page, study)
    press(page, "a")
    in_state(page, "finished")
    expect(page.get_by_role("status")).to_have_text("The planned answer is given")  # for those who cannot see the card
    expect(page.get_by_role("status")).to_have_class("heard")
    page.get_by_role("button", name="Keep comparing").click()
    press(page, "b", 2)
    expect(page.get_by_role("status")).to_have_text("Answer 2 saved: B is better.")
    expect(page.get_by_role("status")).not_to_have_class("heard")


def test_a_phone_on_its_side_shows_pictures_beside_the_drawer_and_words_beside_nothing(site, open_context):
    study = site.study(variables=LONG)
    study.upload(*FILES["image"], "picture")
    study.answer()
    study.upload(*FILES["image"], "picture")
    _, page = open_context()
    page.set_viewport_size({"width": 844, "height": 390})
    compare(page, study)
    page.get_by_role("button", name="What differs").click()
    for side in "ab":
        assert page.locator(f".pane.of-{side} img").bounding_box()["height"] >= 90
    assert page.locator(".drawer").bounding_box()["height"] >= 150
    no_scrolling(page)
    page.goto(f"{study.url}/history")
    for values in page.locator(".thumb p").all():
        assert values.bounding_box()["width"] >= 140
    assert page.locator("#top .count").bounding_box()["height"] < 30  # one line


def test_a_narrow_phone_finishes_without_overlap_and_values_are_not_broken(site, open_context):
    _, page = open_context()
    page.set_viewport_size({"width": 320, "height": 640})
    values = site.study(strengths=True)
    compare(page, values)
    for cell in page.locator("td.of-a span, td.of-b span").all():
        assert cell.bounding_box()["height"] < 30
    badge = page.locator("thead .badge").first.bounding_box()
    assert badge["width"] == badge["height"]
    study = site.study(comparisons=1)
    study.upload(*FILES["image"], "picture")
    study.answer()
    compare(page, study, "finished")
    picture = page.locator(".finished .winner").bounding_box()
    assert page.locator("#top h1").bounding_box()["y"] < picture["y"]
    assert picture["y"] + picture["height"] <= page.locator(".finished h2").first.bounding_box()["y"]
    fits(page)


def test_the_keys_have_an_address_on_a_page_that_is_open(site, page):
    page.goto(site.study().url)
    expect(page.get_by_role("link", name="Start comparing")).to_be_visible()
    page.evaluate("location.hash = 'keys'")
    expect(page.get_by_role("heading", name="Keys", level=2).last).to_be_visible()
    expect(page.locator("dialog")).to_be_visible()

"""The notebook's widget in a plain page: a small model stands for the notebook's, and Python answers it."""

import base64
import json

import numpy as np
import pytest
from playwright.sync_api import expect

import prefero as pf
from prefero.errors import InputError
from prefero.web.notebook.widget import FOLDER
from tests.page.conftest import ARTEFACTS, QUIET

PAGE = """<!doctype html><title>notebook</title><meta name="color-scheme" content="light dark">
<style>{css}</style><body style="margin:16px"><div id="cell"></div><textarea id="other"></textarea>"""
RUN = """async ([code, state]) => {
  const { default: widget } = await import("data:text/javascript;base64," + code);
  const [values, heard] = [{ state }, new Set()];
  document.addEventListener("keydown", (event) => (window.leaked = event.key));
  const model = {
    get: (name) => values[name],
    set: (name, value) => (values[name] = value),
    save_changes: async () => { values.state = await window.toPython(values.said); heard.forEach((tell) => tell()); },
    on: (_, tell) => heard.add(tell),
    off: (_, tell) => heard.delete(tell),
  };
  window.stop = widget.render({ model, el: document.querySelector("#cell") });
}"""
SPACE = {"x": pf.Real(0, 1, unit="mm"), "window": pf.Choice(["hann", "flat"])}


class Cell:
    """A widget in a page."""

    def __init__(self, page, made):
        self.page, self.widget = page, made
        self.root = page.locator(".prefero")

        def to_python(said):
            made.said = said
            return json.loads(json.dumps(made.state))

        page.expose_function("toPython", to_python)
        page.set_content(PAGE.format(css=made._css))
        page.evaluate(RUN, [base64.b64encode(made._esm.encode()).decode(), made.state])

    def at(self, step):
        expect(self.root).to_have_attribute("data-step", str(step))
        self.page.wait_for_timeout(QUIET)

    def button(self, name):
        return self.root.get_by_role("button", name=name)


@pytest.fixture
def cell(chromium):
    context = chromium.new_context(viewport={"width": 900, "height": 700})
    context.set_default_timeout(30_000)
    wrong = []

    def make(study, scheme="light", **options):
        page = context.new_page()
        page.emulate_media(color_scheme=scheme)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: said.type in ("error", "warning") and wrong.append(said.text))
        return Cell(page, pf.widget(study, **options))

    make.wrong = wrong
    yield make
    context.close()
    assert wrong == []


def study(**more):
    return pf.Study(pf.Space(SPACE), **({"comparisons": 9, "seed": 1, "proposer": "glisp"} | more))


def said(asked):
    return [entry.answer for entry in asked.answers if entry.status == "effective"]


def test_a_person_answers_by_buttons_and_takes_back(cell):
    asked = study()
    shown = cell(asked)
    shown.at(0)
    shown.button("A is better").click()
    shown.at(1)
    shown.button("Can’t judge").click()
    shown.at(2)
    expect(shown.root.get_by_role("status")).to_contain_text("Skipped.")
    shown.button("Undo").click()
    shown.at(1)
    shown.button("Neither is acceptable").click()
    shown.at(3)
    assert said(asked) == ["a", "both unacceptable"]
    assert shown.root.get_by_role("button").count() == 6  # much better is not offered


def test_a_person_answers_by_keys_and_the_notebook_hears_none(cell):
    asked = study()
    shown = cell(asked)
    shown.at(0)
    shown.root.focus()
    for step, key in enumerate(["a", "ArrowRight", "s", "x", "Shift+ArrowLeft", "ArrowLeft"]):
        if key == "Shift+ArrowLeft":  # not offered: nothing happens
            shown.page.keyboard.press(key)
            continue
        shown.at(step if step < 5 else 4)
        shown.page.keyboard.press(key)
    shown.at(5)
    assert said(asked) == ["a", "b", "same", "skipped", "a"]
    shown.page.keyboard.press("Control+z")
    shown.at(4)
    assert shown.page.evaluate("window.leaked ?? null") is None
    assert shown.root.get_attribute("data-lm-suppress-shortcuts") == "true"
    shown.page.locator("#other").press("a")  # typed elsewhere
    assert shown.page.evaluate("window.leaked") == "a"
    assert len(asked.history) == 3


def test_a_key_pressed_too_soon_is_ignored(cell):
    asked = study()
    shown = cell(asked)
    shown.at(0)
    shown.page.evaluate("""() => {
      const press = () => document.querySelector(".prefero").dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
      press(); press(); press();
    }""")
    shown.at(1)
    assert said(asked) == ["a"]


def test_much_better_if_the_study_offers_it(cell):
    asked = pf.Study.create(pf.Space(SPACE), name="strong", strengths=True, seed=0, comparisons=1)
    shown = cell(asked)
    shown.at(0)
    shown.root.focus()
    shown.page.keyboard.press("Shift+ArrowRight")
    expect(shown.root).to_contain_text("All 1 planned answers are given.")
    expect(shown.root).to_contain_text("The best so far:")
    assert said(asked) == ["much b"]
    shown.button("Continue").click()
    shown.at(1)


@pytest.mark.parametrize(
    ("kind", "presses", "stored"),
    [
        ("best of 4", ["C is the best"], "c>abd"),
        ("worst of 3", ["A is the worst"], "bc>a"),
        ("best and worst of 4", ["D is the best", "A is the worst"], "d>bc>a"),
        ("rank 3", ["B is number 1", "A is number 2"], "b>a>c"),
        ("insert among 2", ["Place 2"], "a>c>b"),
    ],
)
def test_questions_about_more_than_two_have_buttons(cell, kind, presses, stored):
    asked = study(kind=kind, proposer="posterior")
    shown = cell(asked)
    while asked.waiting[""].kind != kind:  # the opening may begin with fewer
        step = asked.waiting[""].step
        shown.at(step)
        shown.root.locator(".answer").first.click()
    step = asked.waiting[""].step
    shown.at(step)
    for name in presses:
        shown.button(name).click()
    shown.at(step + 1)
    assert said(asked)[-1] == stored


def test_undo_takes_back_half_an_order_first(cell):
    asked = study(kind="rank 3")
    shown = cell(asked)
    shown.at(0)
    shown.button("B is number 1").click()
    shown.button("Undo").click()
    shown.button("C is number 1").click()
    shown.button("B is number 2").click()
    shown.at(1)
    assert said(asked) == ["c>b>a"]


def everything(candidate):
    x = candidate["x"]
    return {
        "picture": np.full((40, 60), x),
        "page": "<script>top.pwned = 1</script><b id='x'>bold</b><img src='http://127.0.0.1:9/x.png'>",
        "words": "<img src=x onerror='top.pwned = 1'> *plain*".lstrip("<"),
        "curve": {"t": [0.0, 1.0, 2.0], "y": [x, 1.0, 0.5]},
        "sound": (8000, np.zeros(80)),
        "loudness": x,
    }


def test_what_render_returns_is_shown_and_runs_nothing(cell):
    shown = cell(study(), render=everything)
    shown.at(0)
    pane = shown.root.get_by_role("group", name="Candidate A")
    expect(pane.get_by_role("img", name="picture")).to_be_visible()
    expect(pane.locator("pre")).to_contain_text("onerror")
    expect(pane.locator("polyline")).to_have_count(1)
    expect(pane.locator("audio")).to_have_count(1)
    expect(pane.locator("iframe").content_frame.locator("#x")).to_have_text("bold")
    expect(shown.root.locator("tbody")).to_contain_text("loudness")
    assert shown.page.evaluate("window.pwned ?? null") is None
    shown.root.screenshot(path=ARTEFACTS / "widget.png")
    assert all("srcdoc" in text or "Content Security Policy" in text for text in cell.wrong)  # blocked, as it should be
    cell.wrong.clear()


def test_a_candidate_that_cannot_be_shown_is_set_aside(cell):
    asked = study()

    def render(candidate):
        if len(asked.answers) == 0:
            raise RuntimeError("<b>no signal</b>")
        return "text"

    shown = cell(asked, render=render)
    shown.at(0)
    expect(shown.root).to_contain_text("RuntimeError: <b>no signal</b>")
    shown.button("Set B aside").click()
    shown.at(1)
    assert said(asked) == ["b failed"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_in_light_and_dark(cell, axe, scheme):
    shown = cell(study(), scheme, render=lambda c: np.full((20, 20), c["x"]))
    shown.at(0)
    shown.page.evaluate(axe)
    found = shown.page.evaluate("axe.run('.prefero').then(({ violations }) => violations)")
    assert [each["id"] for each in found] == []


def test_a_closed_view_hears_nothing(cell):
    shown = cell(study())
    shown.at(0)
    shown.page.evaluate("window.stop()")
    shown.button("A is better").click()
    shown.page.wait_for_timeout(QUIET)
    expect(shown.root).to_have_attribute("data-step", "0")


def test_the_widget_says_what_is_wrong_with_its_arguments():
    with pytest.raises(InputError, match="study"):
        pf.widget("x")
    with pytest.raises(InputError, match="render"):
        pf.widget(study(), render=7)
    with pytest.raises(InputError, match="judge"):
        pf.widget(study(), judge=7)
    assert "Widget" in repr(pf.widget(study()))
    assert (FOLDER / "widget.css").exists()


def test_a_person_rates_hints_doubts_and_says_why(cell):
    space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
    asked = pf.Study.create(space, name="said", ratings=True, seed=1, proposer=pf.Posterior(unsure=0.3))
    shown = cell(asked)
    shown.at(0)
    shown.root.get_by_label("Why?").fill("less noise, x")  # x is a key elsewhere
    shown.button("Rate B: good").click()
    expect(shown.button("Rate B: good")).to_have_attribute("aria-pressed", "true")
    expect(shown.root.get_by_label("Why?")).to_have_value("less noise, x")
    expect(shown.root.get_by_text("Hints")).to_have_count(0)  # there is no best so far
    shown.root.focus()
    shown.page.keyboard.press("u")
    expect(shown.button("Not sure")).to_have_attribute("aria-pressed", "true")
    shown.page.keyboard.press("b")
    shown.at(1)
    expect(shown.button("Not sure")).to_have_attribute("aria-pressed", "false")
    expect(shown.root.get_by_label("Why?")).to_have_value("")
    shown.root.get_by_text("Hints").click()
    shown.button("keep x").click()
    expect(shown.button("let go x")).to_be_visible()
    expect(shown.root.get_by_role("status")).to_contain_text("keep x as in the best so far")
    shown.page.screenshot(path=ARTEFACTS / "widget-said.png")
    by_words = {entry.answer: entry for entry in asked.answers}
    assert (by_words["b"].note, by_words["b"].sure) == ("less noise, x", False)
    assert "rated 4" in by_words

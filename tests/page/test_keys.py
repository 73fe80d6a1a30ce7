"""Every key of the table, and what is ignored."""

import pytest
from playwright.sync_api import expect

from tests.page import media
from tests.page.conftest import QUIET, compare, in_state, pair, press

ANSWERS = {
    "a": ["ArrowLeft", "a", "1"],
    "b": ["ArrowRight", "b", "2"],
    "same": ["ArrowDown", "s", "0"],
    "skipped": ["x"],
    "both unacceptable": ["n"],
    "much a": ["Shift+ArrowLeft"],
    "much b": ["Shift+ArrowRight"],
}


def test_the_keys_that_answer(site, page):
    study = site.study(strengths=True)
    compare(page, study)
    words = page.locator(".answer span").all_text_contents()
    assert words == ["A much better", "A better", "About the same", "B better", "B much better"]
    said = [(answer, key) for answer, keys in ANSWERS.items() for key in keys]
    for step, (_, key) in enumerate(said, 1):
        press(page, key, step)
    assert study.said() == [answer for answer, _ in said]
    expect(page.get_by_role("status")).to_have_text("Answer 11 saved: B is much better.")
    page.wait_for_timeout(QUIET)
    page.get_by_role("button", name="A is much better").click()
    expect(page.locator(".compare")).to_have_attribute("data-step", "14")
    page.wait_for_timeout(QUIET)
    page.get_by_role("button", name="Neither is acceptable").click()
    expect(page.get_by_role("status")).to_have_text("Saved: neither is acceptable. Here is another pair.")
    press(page, "z", 14)
    assert study.said()[-2:] == ["much b", "much a"]


@pytest.mark.parametrize("key", ["z", "Control+z", "Backspace"])
def test_undo_brings_the_very_pair_back_with_its_sides(site, page, key):
    study = site.study()
    study.answer()
    compare(page, study)
    before = pair(page)
    press(page, "a", 2)
    assert pair(page) != before
    press(page, key, 1)
    assert pair(page) == before
    expect(page.get_by_role("status")).to_have_text("Undone. Here is the same pair again.")
    page.reload()
    in_state(page, "ready")
    assert pair(page) == before
    assert study.said() == ["a"]


def test_help_and_the_switch_that_turns_single_keys_off(site, page):
    study = site.study()
    compare(page, study)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    assert page.url.endswith("#keys")
    page.keyboard.press("a")  # a dialog is not a place to answer
    page.reload()
    expect(dialog).to_be_visible()
    dialog.get_by_label("Single keys answer").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.wait_for_timeout(QUIET)
    page.keyboard.press("a")
    page.get_by_role("button", name="B is better").click()
    expect(page.locator(".compare")).to_have_attribute("data-step", "1")
    assert study.said() == ["b"]
    press(page, "Control+z", 0)  # not a single key
    page.get_by_role("button", name="Keys").click()
    dialog.get_by_label("Single keys answer").check()
    dialog.get_by_role("button", name="Close").click()
    press(page, "a", 2)  # question 1 was taken back with the answer before it


def test_repeats_modifiers_typing_fields_and_the_first_moment_are_ignored(site, page):
    study = site.study()
    compare(page, study)
    page.wait_for_timeout(QUIET)
    for key in ("Control+a", "Alt+b", "Meta+s", "Shift+A", "Shift+ArrowLeft"):  # no strengths are offered here
        page.keyboard.press(key)
    repeat = "new KeyboardEvent('keydown', {key: 'a', repeat: true, bubbles: true})"
    page.evaluate(f"document.body.dispatchEvent({repeat})")
    page.evaluate("document.querySelector('main').append(document.createElement('textarea'))")
    page.locator("textarea").press("a")
    page.evaluate("document.activeElement.blur()")
    press(page, "b", 1)
    # In one go, so that no time passes between the pair and the press.
    page.evaluate(
        """async () => {
          const compare = document.querySelector('.compare');
          const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true}));
          await new Promise((done) => {
            const watch = new MutationObserver(() => {
              if (compare.dataset.state === 'ready' && compare.dataset.step === '2') { press(); watch.disconnect(); done(); }
            });
            watch.observe(compare, {attributes: true});
            setTimeout(press, 300);
          });
        }"""
    )
    in_state(page, "ready")
    expect(page.locator(".compare")).to_have_attribute("data-step", "2")
    assert study.said() == ["b", "a"]


def test_the_keys_of_pictures(site, page):
    study = site.study()
    study.upload(media.png(400, 300, (200, 30, 30)), media.png(400, 300, (30, 30, 200)), "image/png")
    compare(page, study)
    images = page.locator(".images")
    page.keyboard.press("v")
    expect(images).to_have_attribute("data-view", "split")
    expect(page.get_by_label("Divider between A and B")).to_be_visible()
    page.keyboard.press("v")
    expect(images).to_have_attribute("data-view", "beside")
    page.keyboard.down("f")
    expect(page.get_by_role("img", name="Candidate A")).to_be_hidden()
    page.keyboard.up("f")
    expect(page.get_by_role("img", name="Candidate A")).to_be_visible()
    page.get_by_role("img", name="Candidate A").hover()
    page.mouse.wheel(0, -300)
    zoomed = "() => [...document.querySelectorAll('.images img')].map((image) => image.style.transform)"
    page.wait_for_function("() => document.querySelector('.images img').style.transform.includes('scale')")
    first, second = page.evaluate(zoomed)
    assert first == second
    assert "scale(1)" not in first
    page.keyboard.press("Home")
    assert all("scale(1)" in each for each in page.evaluate(zoomed))


def test_the_keys_of_sounds(site, page):
    study = site.study()
    study.upload(media.wav(300), media.wav(500), "audio/wav", "sound")
    compare(page, study)
    playing = "() => [...document.querySelectorAll('audio')].map((sound) => [sound.paused, sound.muted])"
    assert page.evaluate(playing) == [[True, False], [True, True]]  # nothing plays by itself
    page.keyboard.press("q")
    expect(page.get_by_role("status")).to_have_text("You hear B")
    page.keyboard.press(" ")
    page.wait_for_function("() => [...document.querySelectorAll('audio')].every((sound) => !sound.paused)")
    assert [muted for _, muted in page.evaluate(playing)] == [True, False]
    page.keyboard.press(" ")
    page.wait_for_function("() => [...document.querySelectorAll('audio')].every((sound) => sound.paused)")
    page.get_by_label("Position").fill("1.5")
    page.wait_for_function("() => [...document.querySelectorAll('audio')].every((sound) => sound.currentTime === 1.5)")


def test_the_whole_flow_by_keyboard_alone(site, page):
    study = site.study(comparisons=2)
    page.goto(study.url)
    expect(page.get_by_role("heading", level=1)).to_have_text(study.name)
    tab_to(page, "Start comparing")
    page.keyboard.press("Enter")
    press(page, "a", 1)
    tab_to(page, "B is better")
    page.wait_for_timeout(QUIET)
    page.keyboard.press("Enter")
    in_state(page, "finished")
    tab_to(page, "Keep comparing")
    page.keyboard.press("Enter")
    in_state(page, "ready")
    tab_to(page, "Undo")
    page.keyboard.press("Enter")
    expect(page.locator(".compare")).to_have_attribute("data-step", "1")
    press(page, "s", 3)  # who wants to go on is not asked again at once
    tab_to(page, "Result")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Best so far")).to_be_visible()
    tab_to(page, "History")
    page.keyboard.press("Enter")
    tab_to(page, "Remove the answer to question 2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Removed the answer to question 2.")
    assert study.said() == ["a"]


def test_an_answer_keeps_the_focus_for_the_next_pair(site, page):
    study = site.study()
    compare(page, study)
    tab_to(page, "A is better")
    for step in (1, 2):
        page.wait_for_timeout(QUIET)
        page.keyboard.press("Enter")
        expect(page.locator(".compare")).to_have_attribute("data-step", str(step))
        in_state(page, "ready")
        expect(page.get_by_role("button", name="A is better")).to_be_focused()
    assert study.said() == ["a", "a"]


def tab_to(page, name):
    """Press Tab until something of that name has the focus."""
    named = "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    expect(page.locator("#top h1")).to_be_visible()
    for _ in range(60):
        if page.evaluate(named).startswith(name):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {name!r}")

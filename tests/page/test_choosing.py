"""What is shown can be pressed to choose it; the press shows at once; a drag, a pinch and a press on a player choose nothing."""

import re

import pytest
from playwright.sync_api import expect

from tests.page import media
from tests.page.conftest import QUIET, Held, compare, in_state, no_scrolling

RED, BLUE = media.png(400, 300, (200, 30, 30)), media.png(400, 300, (30, 30, 200))
STYLE = "(node) => { const style = getComputedStyle(node); return [style.opacity, style.transform, style.transitionDuration]; }"


@pytest.fixture
def pictures(site):
    study = site.study()
    study.upload(RED, BLUE, "image/png")
    return study


@pytest.mark.parametrize("side", "ab")
def test_a_picture_is_a_button_that_lifts_while_the_other_fades(page, pictures, side):
    compare(page, pictures)
    held = Held(page, "**/answers", "POST")
    page.wait_for_timeout(QUIET)
    page.locator(f".pane.of-{side} .frame").click()
    in_state(page, "saving")
    expect(page.locator(".compare")).to_have_attribute("data-chosen", side)
    chosen, other = (page.locator(f".pane.of-{each}") for each in (side, "ba"["ab".index(side)]))
    expect(other).to_have_css("opacity", "0.38")
    expect(chosen).to_have_css("opacity", "1")
    expect(chosen).to_have_css("transform", "matrix(1, 0, 0, 1, 0, -4)")
    assert chosen.evaluate(STYLE)[2].split(",")[0] == "0.12s"
    held.release()
    expect(page.get_by_role("status")).to_have_text("Preparing candidates A and B")
    expect(page.locator(".compare")).not_to_have_attribute("data-chosen", side)
    assert pictures.said() == [side]


def test_pictures_hug_their_frames_and_fill_the_stage(page, pictures):
    compare(page, pictures)
    stage = page.locator(".stage").bounding_box()
    boxes = [pane.bounding_box() for pane in page.locator(".pane .frame").all()]
    for box in boxes:
        assert abs(box["width"] / box["height"] - 4 / 3) < 0.01
    assert sum(box["width"] for box in boxes) > 0.8 * stage["width"] or boxes[0]["height"] > 0.85 * stage["height"]
    page.set_viewport_size({"width": 844, "height": 390})  # a phone on its side
    no_scrolling(page)
    for place in (".pane.of-a img", ".pane.of-b img", ".answer.of-b"):
        expect(page.locator(place)).to_be_in_viewport(ratio=0.99)


def test_values_can_be_pressed_where_they_are_all_there_is(site, page):
    study = site.study()
    compare(page, study)
    page.wait_for_timeout(QUIET)
    page.locator("td.of-b").first.click()
    expect(page.locator(".compare")).to_have_attribute("data-step", "1")
    assert study.said() == ["b"]


def test_a_drag_and_a_press_on_a_player_choose_nothing(site, page, pictures):
    compare(page, pictures)
    page.wait_for_timeout(QUIET)
    box = page.locator(".pane.of-a .frame").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -600)
    page.mouse.down()
    page.mouse.move(x + 60, y + 20, steps=4)
    page.mouse.up()
    expect(page.locator(".pane.of-b img")).to_have_attribute("style", _moved(page))
    in_state(page, "ready")
    sounds = site.study()
    sounds.upload(media.wav(300), media.wav(500), "audio/wav", "sound")
    compare(page, sounds)
    page.wait_for_timeout(QUIET)
    page.get_by_role("button", name="Hear B").click()
    in_state(page, "ready")
    assert pictures.said() == sounds.said() == []


def _moved(page):
    style = page.locator(".pane.of-a img").get_attribute("style")
    assert "translate(60" in style
    return style


def test_two_fingers_zoom_both_pictures_alike(page, pictures):
    compare(page, pictures)
    page.evaluate(
        """() => {
          const stage = document.querySelector('.images');
          const frame = document.querySelector('.pane.of-a .frame');
          const box = frame.getBoundingClientRect();
          const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
          stage.setPointerCapture = () => {};
          const event = (name, pointerId, dx) => new PointerEvent(name, {pointerId, clientX: x + dx, clientY: y, bubbles: true});
          const send = (...given) => frame.dispatchEvent(event(...given));
          send('pointerdown', 1, -50); send('pointerdown', 2, 50);
          send('pointermove', 2, 150);
          send('pointerup', 1, -50); send('pointerup', 2, 150);
        }"""
    )
    first, second = (page.locator(f".pane.of-{side} img").evaluate("(image) => image.style.transform") for side in "ab")
    assert first == second
    assert "scale(2)" in first


def test_two_taps_zoom_and_one_chooses(open_context, pictures):
    _, page = open_context("phone", has_touch=True)
    compare(page, pictures)
    page.wait_for_timeout(QUIET)
    image = page.locator(".pane.of-a img")
    image.evaluate("""(image) => {
      const box = image.getBoundingClientRect();
      const click = () => image.dispatchEvent(new PointerEvent('click', {pointerType: 'touch', detail: 1, bubbles: true,
        clientX: box.x + 30, clientY: box.y + 30}));
      click();
      click();
    }""")
    expect(image).to_have_attribute("style", re.compile(r"scale\(2\.5\)"))
    page.wait_for_timeout(QUIET)
    in_state(page, "ready")
    assert pictures.said() == []
    page.locator(".pane.of-b .frame").tap()
    in_state(page, "preparing")
    assert pictures.said() == ["b"]

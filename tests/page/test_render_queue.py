"""A file's candidates on the page: prepared with progress, shown, failed with the reason, tried again; and every demo."""

import re

import pytest
from playwright.sync_api import expect

from prefero.cli.demos import PAGES
from prefero.web import served_file
from prefero.web.rendering.tuning import read
from prefero.web.server import background
from tests.page.conftest import SIZES, Watched, in_state, no_scrolling, press

FILE = """
import time
from pathlib import Path
import numpy as np
import prefero as pf

name = "walls"
question = "Which wall?"
space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
seed = 2
proposer = "glisp"
workers = 2
GATE, BROKEN = (Path(__file__).with_name(name) for name in ("gate", "broken"))

def render(candidate, progress):
    progress(0.4)
    while not GATE.exists():
        time.sleep(0.02)
    if BROKEN.exists():
        raise ValueError("no paint left")
    return np.full((30, 40, 3), candidate["x"])
"""


@pytest.fixture
def shown(chromium):
    """Pages of a file's study."""
    opened = []

    def show(path, storage, size="desk", scheme="light"):
        serving = served_file.served(read(path), storage)
        known, _ = serving.__enter__()
        running = background(storage, served=known)
        link = running.__enter__()
        width, height = SIZES[size]
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(60_000)
        watched = Watched(link)
        context.on("page", watched.watch)
        opened.append((context, running, serving, watched))
        page = context.new_page()
        page.goto(link)
        return page

    yield show
    for context, running, serving, watched in opened:
        context.close()
        running.__exit__(None, None, None)
        serving.__exit__(None, None, None)
        watched.check()


def test_a_candidate_is_prepared_fails_and_is_tried_again(shown, tmp_path):
    file, gate, broken = (tmp_path / name for name in ("walls.py", "gate", "broken"))
    file.write_text(FILE, encoding="utf-8")
    broken.touch()
    page = shown(file, f"sqlite:///{tmp_path / 'walls.db'}")
    expect(page.locator(".start")).to_contain_text("beside each other")  # straight to the study
    page.get_by_text("Start comparing").click()
    in_state(page, "preparing")
    expect(page.locator(".stage")).to_contain_text("Preparing candidate A… 40 %")
    expect(page.get_by_role("button", name="A is better")).to_be_disabled()
    expect(page.get_by_role("button", name="Can’t judge")).to_be_enabled()
    gate.touch()
    in_state(page, "broken")
    expect(page.locator(".notice")).to_contain_text("right now. Nothing is lost.")  # after three were set aside
    expect(page.locator(".notice")).to_contain_text("prepared: walls.py, line 20: ValueError: no paint left")
    expect(page.get_by_role("button", name="A is better")).to_be_disabled()
    expect(page.get_by_role("button", name="Can’t judge")).to_be_enabled()
    broken.unlink()
    for _ in range(2):  # A, and B if it was tried before the paint came
        if page.get_by_role("button", name="Retry").is_visible():
            with page.expect_response(lambda reply: reply.url.endswith("/question")):
                page.get_by_role("button", name="Retry").click()
        expect(page.locator(".compare")).to_have_attribute("data-state", re.compile("ready|broken"))
    in_state(page, "ready")
    expect(page.locator("#status")).to_have_text("")
    assert page.locator(".stage img").count() == 2


def test_pictures_that_may_come_next_are_loaded_while_the_person_looks(shown, tmp_path):
    file = tmp_path / "walls.py"
    file.write_text(FILE, encoding="utf-8")
    (tmp_path / "gate").touch()
    page = shown(file, f"sqlite:///{tmp_path / 'walls.db'}")
    page.get_by_text("Start comparing").click()
    in_state(page, "ready")
    page.wait_for_function(
        """() => performance.getEntriesByType("resource").some(({ name, initiatorType }) => initiatorType === "fetch"
        && /files\\/[0-9a-f]{64}/.test(name) && ![...document.querySelectorAll(".stage img")].some(({ src }) => src === name))"""
    )
    press(page, "a", 1)
    assert page.locator(".stage img").count() == 2


@pytest.mark.parametrize(("size", "scheme"), [("desk", "light"), ("phone", "dark")])
@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_demo_is_shown_without_scrolling_and_can_be_answered(shown, tmp_path, name, size, scheme):
    page = shown(PAGES[name].path, f"sqlite:///{tmp_path / 'demo.db'}", size, scheme)
    page.get_by_text("Start comparing").click()
    in_state(page, "ready")
    no_scrolling(page)
    assert page.locator(".stage img, .stage svg, .stage audio").count() >= 1
    press(page, "b", 1)
    no_scrolling(page)

"""The pictures of the page in the README, page.md, answers.md, ratings.md and hints.md: `make screenshots`.

The demo's own simulated person answers.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from walk import walk

import prefero as pf
from prefero.cli.compare import Screen
from prefero.cli.demos.pages import picture
from prefero.cli.simulate import PageClient
from prefero.web.server import background

IMAGES = Path(__file__).resolve().parent / "images"
EARLY, LATE = 5, 19
"""Answers before the picture of Compare, when the candidates still differ much, and after it."""
SIZE = {"width": 1200, "height": 750}
RESULT = {"x": 0, "y": 0, "width": 1200, "height": 930}
DESK, PHONE = {"width": 1180, "height": 860}, {"width": 390, "height": 780}
KEPT = ("walk-new", "walk-join", "walk-phone", "walk-owner", "walk-result", "walk-studies")
"""The stations of the walk that page.md shows."""
LARGEST, LARGEST_SAID = 120_000, 80_000
"""Bytes of a picture, and of one of those that show what can be said."""
SAID_WIDTH = 1320
"""Pixels of the window of the pictures that show what can be said."""
BEFORE, BEFORE_SEVERAL = 5, 1
"""Answers before them, so that the candidates still differ."""
QUIET = 400
"""Milliseconds in which the page ignores answers to a question that has just appeared, and more."""
SVG_FONT = re.compile(r"@font-face \{.*?\}", re.DOTALL)
BROWSER = ("--no-sandbox", "--disable-gpu", "--hide-scrollbars")


@contextmanager
def served(folder: str) -> Iterator[str]:
    """The demo on a server of its own; yields the link."""
    storage = f"sqlite:///{folder}/demo.db"
    command = [
        sys.executable,
        "-m",
        "prefero",
        "serve",
        picture.__file__,
        "--port",
        "0",
        "--json",
        "--storage",
        storage,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["link"]
    finally:
        process.terminate()
        process.communicate()


def answered(link: str, answers: int) -> None:
    """Let the demo's person answer."""
    visitor = PageClient(link, "picture")
    for _ in range(answers):
        question = visitor.pair()
        assert question is not None
        said = picture.prefer(question["a"], question["b"])
        step = question["step"]
        visitor.call("/answers", {"step": step, "answer": said, "answer_id": f"{step}", "seconds": 2.0 + step % 5})


def taken(page: Page, name: str, largest: int = LARGEST, **more: object) -> None:
    """Keep what the page shows; a picture that is too large is a mistake."""
    file = IMAGES / f"{name}.jpg"
    page.screenshot(path=file, type="jpeg", quality=78 if largest == LARGEST else 66, animations="disabled", **more)  # type: ignore[arg-type]
    size = file.stat().st_size
    assert size <= largest, f"{file} has {size} bytes"
    sys.stdout.write(f"{file.name}: {size / 1000:.0f} kB\n")


def walked(browser: Browser) -> None:
    """Take the pictures of the walk: eight of the demo's candidates are uploaded, and its person answers on the phone."""
    rng, shown, pictures = np.random.default_rng(5), {}, []
    for k in range(8):
        candidate = dict(zip(("sun", "warmth", "haze", "roughness"), rng.uniform(0.2, 1, 4), strict=True))
        file = io.BytesIO()
        pixels = (picture.render(candidate | {"ridges": 3 + k % 5}) * 255).astype("uint8")
        Image.fromarray(pixels).save(file, "PNG")
        shown[hashlib.sha256(file.getvalue()).hexdigest()] = candidate
        pictures.append({"name": f"mountain {k + 1}.png", "mimeType": "image/png", "buffer": file.getvalue()})

    def prefers(page: Page) -> str:
        found = [page.locator(f".pane.of-{side} img").get_attribute("src") or "" for side in "ab"]
        return picture.prefer(*(shown[source.rpartition("/")[2]] for source in found))

    def station(page: Page, name: str) -> None:
        if name in KEPT:
            page.evaluate("window.scrollTo(0, 0)")
            taken(page, name)

    with tempfile.TemporaryDirectory() as folder, background(f"sqlite:///{folder}/walk.db") as link:
        owner = browser.new_page(viewport=DESK)  # type: ignore[arg-type]
        phone = browser.new_page(viewport=PHONE, has_touch=True, color_scheme="dark")  # type: ignore[arg-type]
        owner.goto(link)
        walk(owner, phone, pictures, prefers, station)


# What can be said -----------------------------------------------------------------------------------------------------


def began(storage: str | None, name: str, **settings: object) -> pf.Study:
    """Return a study of mountains with a question that waits, and a picture of each candidate of it."""
    study = pf.Study.create(
        picture.space, name=name, storage=storage, question=picture.question, seed=4, comparisons=20, **settings
    )  # type: ignore[arg-type]
    study.log.change_settings(title="Mountains")
    for _ in range(BEFORE_SEVERAL if "kind" in settings else BEFORE):
        question = study.ask()
        shown = sorted(question.sides, key=lambda side: disliked(question.sides[side]))
        study.tell(question, shown if question.kind.startswith("rank") else shown[0])
    for candidate in study.ask().sides.values():
        file, pixels = io.BytesIO(), (picture.render(candidate) * 255).astype("uint8")
        Image.fromarray(pixels).save(file, "PNG")
        study.measure(candidate, files={"picture": (file.getvalue(), "image/png")})
    return study


def disliked(candidate: pf.Candidate) -> float:
    """Return how little the demo's person likes a picture."""
    return float(sum((candidate[name] - best) ** 2 for name, best in (("sun", 0.2), ("warmth", 0.8), ("haze", 0.6))))


def rated(page: Page) -> None:
    """Rate both candidates, say why and be unsure."""
    page.get_by_role("button", name="Rate A: good", exact=True).click()
    page.get_by_role("button", name="Rate B: bad", exact=True).click()
    page.get_by_role("button", name="Not sure").click()
    page.get_by_role("button", name="Say why").click()
    page.keyboard.type("the haze hides the mountains")
    page.mouse.move(0, 0)


def hinted(page: Page) -> None:
    """Open the drawer and say that the sky should be warmer."""
    page.get_by_role("button", name="What differs").click()
    page.get_by_role("button", name="more warmth than in the best so far").click()
    page.get_by_role("button", name="keep ridges as in the best so far").click()
    page.get_by_role("button", name="let ridges vary again").wait_for()
    page.evaluate("document.querySelector('.drawer').scrollTop = 0")


def ranked(page: Page) -> None:
    """Choose the first two of a ranking."""
    page.get_by_role("button", name="B is the best").click()
    page.get_by_role("button", name="D is the second").click()


SHOWN: dict[str, tuple[dict[str, object], int, Callable[[Page], None] | None]] = {
    "answers-five": ({"strengths": True}, 620, None),
    "answers-best": ({"kind": "best of 4", "hide_parameters": True}, 560, None),
    "answers-rank": ({"kind": "rank 4", "hide_parameters": True}, 560, ranked),
    "ratings": ({"ratings": True, "proposer": pf.Posterior(unsure=0.3)}, 700, rated),
    "hints": ({}, 840, hinted),
}
"""What can be said, by the name of its picture: settings of a study, the window's height, and what a person does on the page."""


def said(browser: Browser) -> None:
    """Take the pictures of what can be said: of the page, and of a ranking in a terminal."""
    with tempfile.TemporaryDirectory() as folder:
        storage = f"sqlite:///{folder}/said.db"
        for name, (settings, _, _) in SHOWN.items():
            began(storage, name, **settings)
        with background(storage) as link:
            page = browser.new_page()
            page.goto(link)
            for name, (_, height, act) in SHOWN.items():
                page.set_viewport_size({"width": SAID_WIDTH, "height": height})
                page.goto(f"{link.split('/enter')[0]}/studies/{name}/compare")
                page.wait_for_selector(".compare[data-state=ready]")
                page.wait_for_timeout(QUIET)
                if act is not None:
                    act(page)
                page.wait_for_timeout(QUIET)
                taken(page, name, LARGEST_SAID)
            page.close()
    page = browser.new_page(viewport=DESK)  # type: ignore[arg-type]  # not the service's, which allows no foreign styles
    page.set_content(in_terminal(began(None, "mountains", kind="rank 4")))
    taken(page, "answers-terminal", LARGEST_SAID, clip=page.locator("svg").bounding_box())
    page.close()


def in_terminal(study: pf.Study) -> str:
    """Return what a terminal shows when the best of four is chosen, as SVG."""
    out, shown = Console(record=True, width=104, file=io.StringIO(), force_terminal=True), [""]
    presses = iter("2q")

    def key(_: object) -> str:
        time.sleep(QUIET / 1000)
        shown[0] = out.export_svg(title="prefero compare")
        return next(presses)

    Screen(key, out).ask(study, study.ask(), "")
    return SVG_FONT.sub("", shown[0]).replace("Fira Code", "DejaVu Sans Mono")


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("the pictures need chromium: make tools installs it")
    with tempfile.TemporaryDirectory() as folder, served(folder) as link, sync_playwright() as playwright:
        answered(link, EARLY)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(BROWSER))
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(link)
        address = link.split("/enter")[0]
        page.goto(f"{address}/studies/picture/compare")
        page.wait_for_selector(".compare[data-state=ready]")
        taken(page, "compare")
        answered(link, LATE)
        page.goto(f"{address}/studies/picture/result")
        page.wait_for_selector(".part svg", timeout=120_000)
        page.set_viewport_size({"width": 1200, "height": 930})
        taken(page, "result", clip=RESULT)
        walked(browser)
        said(browser)
        browser.close()


if __name__ == "__main__":
    main()

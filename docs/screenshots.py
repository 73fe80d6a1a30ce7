"""The pictures of the page in the README and in page.md: `make screenshots`. The demo's own simulated person answers."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from walk import walk

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
LARGEST = 120_000
"""Bytes of a picture."""
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


def taken(page: Page, name: str, **more: object) -> None:
    """Keep what the page shows; a picture that is too large is a mistake."""
    file = IMAGES / f"{name}.jpg"
    page.screenshot(path=file, type="jpeg", quality=78, animations="disabled", **more)  # type: ignore[arg-type]
    size = file.stat().st_size
    assert size <= LARGEST, f"{file} has {size} bytes"
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
        browser.close()


if __name__ == "__main__":
    main()

"""A slow connection: how long after an answer the next two pictures are painted, loaded ahead by the page or only then."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

import prefero as pf
from benchmarks.progress import Progress

CONNECTION = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
"""1.6 and 0.75 Mbit/s and 150 ms, a phone's connection in a bad place; bytes a second."""
PICTURES, SIDE = 40, 200
"""Pictures of noise, which nothing compresses: 120 kB each."""
LOOK = 3.0
"""Seconds that the person looks at a pair."""
GOAL = 1_000
STUDY = "pictures"


def prepare(storage: str) -> None:
    """Store a study of pictures, a catalogue whose files are all there."""
    rng = np.random.default_rng(0)
    shades = rng.uniform(0, 1, (PICTURES, 2)).tolist()
    catalogue = pf.Catalogue([{"brightness": brightness, "hue": hue} for brightness, hue in shades])
    with pf.Study.create(catalogue, name=STUDY, storage=storage, seed=0, comparisons=1_000) as study:
        for candidate in catalogue.rows:
            png = io.BytesIO()
            Image.fromarray(rng.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)).save(png, "PNG")
            study.measure(candidate, files={"picture": (png.getvalue(), "image/png")})


def timed(link: str, opened: Any, answers: int, ahead: bool, progress: Progress) -> list[float]:
    """Return the milliseconds from each key press until the next pair is painted; without `ahead`, nothing is loaded before."""
    from benchmarks.page import RECORD

    context = opened.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    if not ahead:
        page.route("**/ahead*", lambda route: route.abort())
    page.goto(link)
    page.goto(f"{link.split('/enter')[0]}/studies/{STUDY}/compare")
    page.wait_for_selector(".compare[data-state=ready]", timeout=60_000)
    context.new_cdp_session(page).send("Network.emulateNetworkConditions", CONNECTION)
    page.evaluate(RECORD)
    for done in range(answers):
        page.wait_for_timeout(1000 * LOOK)
        page.keyboard.press("ab"[done % 2])
        page.wait_for_function("(done) => window.presses[done]?.next > 0", arg=done, timeout=60_000)
        progress.advance("answers")
    found = page.evaluate("window.presses.map(({ next }) => next)")
    context.close()
    return [float(each) for each in found]


def row(name: str, times: Sequence[float]) -> str:
    """One line of the report."""
    soon = sum(each < GOAL for each in times)
    return f"{name:24s}  median {np.median(times):5.0f} ms, most {max(times):5.0f} ms; {soon} of {len(times)} within a second"


def slow(link: str, opened: Any, answers: int) -> list[str]:
    """Measure both; returns the lines of the report."""
    progress = Progress(2 * answers)
    times = {ahead: timed(link, opened, answers, ahead, progress) for ahead in (True, False)}
    progress.close()
    return [row("loaded ahead", times[True]), row("loaded when it is shown", times[False])]

"""How quick the compare page is, in a real browser: `python -m benchmarks.page`.

Somebody answers 200 questions of several studies of six variables, for each proposer, a second after each pair has come. Measured
in the page, from the key press: until the press is seen (acknowledged), until the answer is saved, until the next pair is there,
decoded and painted. Then the same on Optuna Dashboard's preferential tutorial, in the same run. `--people 50` measures
something else: so many people at once, each with a study of their own, through HTTP and one server process. `--watchers 200`
measures how soon so many people who watch a study know of an answer, with two server processes on one PostgreSQL. `--slow`
measures the next pair of pictures on a slow connection.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
from PIL import Image

from benchmarks import page_slow
from benchmarks.page_people import people
from benchmarks.page_watchers import watchers
from benchmarks.progress import Progress
from prefero.web.static import FOLDER, PACKERS, sent

PROPOSERS = ("glisp", "posterior")
STUDIES = 5
DIMENSION = 6
GOALS = {"acknowledged": 50, "saved": 100, "next pair": 150}
"""Goals: 95th percentiles in milliseconds."""
READY = 500
MOST_WATCHED = 40
"""Answers while people watch, and of each row on a slow connection."""
BROWSER = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
LIKES = [0.3, 0.7, 0.5, 0.2, 0.8, 0.4]

RECORD = """() => {
  const compare = document.querySelector('.compare');
  window.presses = [];
  let press = null;
  const painted = (work) => requestAnimationFrame(() => requestAnimationFrame(work));
  document.addEventListener('keydown', (event) => {
    press = {at: event.timeStamp, step: compare.dataset.step};
    window.presses.push(press);
  }, true);
  new MutationObserver(() => {
    const mine = press;
    if (!mine) return;
    const now = () => performance.now() - mine.at;
    const {state, step} = compare.dataset;
    if (state === 'saving') painted(() => (mine.acknowledged ??= now()));
    if (state !== 'saving' && !mine.saved) mine.saved = now();
    if (state === 'ready' && step !== mine.step && !mine.next) {
      mine.next = -1;
      painted(() => (mine.next = now()));
    }
  }).observe(compare, {attributes: true});
}"""
"""Records what happens after a key press, and when it was painted."""
PREFERRED = """(likes) => {
  const far = (side) => [...document.querySelectorAll(`.parameters tbody td.of-${side} > span`)]
    .reduce((sum, cell, k) => sum + (Number(cell.textContent.replace('−', '-')) - likes[k]) ** 2, 0);
  return far('a') <= far('b') ? 'a' : 'b';
}"""
"""What a person who likes certain values would press."""


@dataclass(frozen=True)
class Timing:
    """One answer, in milliseconds from the key press."""

    acknowledged: float
    saved: float
    next_pair: float


def percentile(values: Sequence[float], share: float = 95) -> float:
    """A percentile of the values; missing ones are left out."""
    seen = [value for value in values if value == value]
    return float(np.percentile(seen, share)) if seen else float("nan")


@contextmanager
def server(folder: Path, **environment: str) -> Iterator[tuple[str, int]]:
    """A server of its own process; yields its link and the process's number."""
    code = "import sys; from prefero.web.server import run; run(sys.argv[1], port=0, announce=lambda link: print(link, flush=True))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, f"sqlite:///{folder / 'page.db'}"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.communicate()


def call(link: str, path: str, value: Any = None) -> Any:
    """Ask the service as its owner."""
    address, token = link.split("/enter?token=")
    sent = None if value is None else json.dumps(value).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(f"{address}/api/v1{path}", sent, headers)) as reply:  # noqa: S310 (our own server)
        return json.load(reply)


def new_study(name: str, proposer: str, seed: int) -> dict[str, Any]:
    """A study of six variables."""
    variables = [{"name": f"x{k}", "type": "real", "low": 0, "high": 1} for k in range(DIMENSION)]
    return {"name": name, "variables": variables, "proposer": proposer, "seed": seed, "comparisons": 1_000}


# In the browser -------------------------------------------------------------------------------------------------------


@contextmanager
def browser() -> Iterator[Any]:
    """Debian's chromium."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("the measurement needs chromium: make tools installs it")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(BROWSER))
        yield opened
        opened.close()


def answered(page: Any, count: int, pause: float, progress: Progress) -> list[Timing]:
    """Answer `count` questions of the study that the page shows."""
    page.evaluate(RECORD)
    for done in range(count):
        page.wait_for_timeout(1000 * pause)
        page.keyboard.press(page.evaluate(PREFERRED, LIKES))
        page.wait_for_function("(done) => window.presses[done]?.next > 0", arg=done, timeout=60_000)
        progress.advance("answers")
    return [Timing(p["acknowledged"], p["saved"], p["next"]) for p in page.evaluate("window.presses")]


def measured(link: str, opened: Any, proposer: str, answers: int, pause: float, progress: Progress) -> list[Timing]:
    """Every answer of somebody who answers several studies."""
    context = opened.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(link)
    address = link.split("/enter")[0]
    timings: list[Timing] = []
    for k in range(min(STUDIES, answers)):
        call(link, "/studies", new_study(f"{proposer}-{k}", proposer, k))
        page.goto(f"{address}/studies/{proposer}-{k}/compare")
        page.wait_for_selector(".compare[data-state=ready]", timeout=60_000)
        timings += answered(page, answers // STUDIES + (k < answers % STUDIES), pause, progress)
    context.close()
    return timings


def ready(link: str, opened: Any, study: str, times: int = 5) -> float:
    """Milliseconds from the navigation to a pair that can be answered, the median of several with an empty cache."""
    found = []
    for _ in range(times):
        context = opened.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(link)
        page.goto(f"{link.split('/enter')[0]}/studies/{study}/compare")
        page.wait_for_selector(".compare[data-state=ready]")
        found.append(page.evaluate("performance.now()"))
        context.close()
    return float(np.median(found))


def pictured(link: str, opened: Any, file: Path) -> None:
    """Keep a picture of our page where it asks what Optuna Dashboard's tutorial asks: which of four colours is the worst."""
    address, token = link.split("/enter?token=")
    variables = [{"name": name, "type": "integer", "low": 0, "high": 255} for name in ("red", "green", "blue")]
    study = {"name": "colours", "variables": variables, "seed": 6, "kind": "worst of 4", "hide_parameters": True}
    call(link, "/studies", study)
    question = call(link, "/studies/colours/question")["question"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/png"}
    for side in "abcd":
        png = io.BytesIO()
        Image.new("RGB", (400, 400), tuple(int(question[side][each["name"]]) for each in variables)).save(png, "PNG")
        path = f"{address}/api/v1/studies/colours/questions/{question['step']}/{side}/files/picture"
        urlopen(Request(path, png.getvalue(), headers, method="PUT")).close()  # noqa: S310 (our own server)
    page = opened.new_page(viewport={"width": 1280, "height": 800})
    page.goto(link)
    page.goto(f"{address}/studies/colours/compare")
    page.wait_for_selector(".compare[data-state=ready]")
    page.wait_for_function("() => [...document.images].filter((image) => image.naturalWidth).length >= 4")
    page.screenshot(path=file, type="jpeg", quality=78)
    page.close()


def weight() -> int:
    """Bytes of the page's JavaScript as it is sent to this browser, which takes Brotli."""
    return sum(len(PACKERS["br"](sent(file))) for file in FOLDER.glob("*.js"))


# The report -----------------------------------------------------------------------------------------------------------


def row(name: str, timings: Sequence[Timing]) -> str:
    """A line of the table: 95th percentiles, and the median of the last."""
    columns = ([t.acknowledged for t in timings], [t.saved for t in timings], [t.next_pair for t in timings])
    told = "  ".join(f"{percentile(column):8.0f}" for column in columns)
    return f"{name:28s}  {told}  {percentile(columns[-1], 50):8.0f}  {len(timings):7d}"


def missed(timings: Sequence[Timing]) -> list[str]:
    """The goals that were missed."""
    found = {
        "acknowledged": percentile([t.acknowledged for t in timings]),
        "saved": percentile([t.saved for t in timings]),
        "next pair": percentile([t.next_pair for t in timings]),
    }
    return [f"{name} {found[name]:.0f} ms > {goal} ms" for name, goal in GOALS.items() if found[name] > goal]


def load() -> str:
    """How busy the machine is: the figures depend on it."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return f"load {busy:.1f} on {os.cpu_count()} cores"


def in_the_browser(
    answers: int, pause: float, proposers: Sequence[str], peer_answers: int, pictures: Path | None = None
) -> list[str]:
    """Measure ours and theirs, keep a picture of each in a folder if one is given, and return the lines of the report."""
    from benchmarks import page_peer

    progress = Progress(answers * len(proposers) + peer_answers)
    before = load()
    lines, short = [], []
    with tempfile.TemporaryDirectory() as folder, browser() as opened:
        with server(Path(folder)) as (link, _):
            for proposer in proposers:
                timings = measured(link, opened, proposer, answers, pause, progress)
                lines.append(row(f"prefero, {proposer}", timings))
                short += [f"{proposer}: {goal}" for goal in missed(timings)]
            ours_ready = ready(link, opened, f"{proposers[0]}-0")
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
                pictured(link, opened, pictures / "page-prefero.jpg")
        theirs = None
        if peer_answers:
            theirs_kept = None if pictures is None else pictures / "page-optuna-dashboard.jpg"
            theirs = page_peer.measure(Path(folder), opened, peer_answers, pause, progress, theirs_kept)
    progress.close()
    head = f"{'95th percentile, ms':28s}  {'ack.':>8s}  {'saved':>8s}  {'next':>8s}  {'median':>8s}  {'answers':>7s}"
    sizes = [f"prefero: {weight() / 1000:.1f} kB of JavaScript, compressed; ready in {ours_ready:.0f} ms"]
    if theirs is not None:
        lines.append(row("Optuna Dashboard, tutorial", theirs.timings))
        sizes.append(f"Optuna Dashboard: {theirs.weight / 1000:.0f} kB; ready in {theirs.ready:.0f} ms")
    return [head, *lines, *sizes, *(f"short of its goal, {goal}" for goal in short), f"{before} before, {load()} after"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--answers", type=int, default=200, help="answers for each proposer")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that the person looks at a pair")
    parser.add_argument("--proposers", nargs="+", default=list(PROPOSERS), metavar="NAME")
    parser.add_argument("--peer-answers", type=int, default=20, help="answers in Optuna Dashboard; 0 leaves it out")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="keep a picture of each page, as JPEG")
    parser.add_argument("--people", type=int, default=0, metavar="N", help="so many people at once instead")
    parser.add_argument("--seconds", type=float, default=90.0, help="how long the people answer")
    parser.add_argument("--slow", action="store_true", help="measure pictures on a slow connection instead")
    parser.add_argument("--watchers", type=int, default=0, metavar="N", help="let so many people watch a study instead")
    options = parser.parse_args(arguments)
    if options.watchers:
        print("\n".join([*watchers(options.watchers, min(options.answers, MOST_WATCHED)), load()]))
    elif options.slow:
        with tempfile.TemporaryDirectory() as folder, browser() as opened:
            page_slow.prepare(f"sqlite:///{folder}/page.db")
            with server(Path(folder)) as (link, _):
                lines = page_slow.slow(link, opened, min(options.answers, MOST_WATCHED))
        print("\n".join([*lines, load()]))
    elif options.people:
        with tempfile.TemporaryDirectory() as folder, server(Path(folder), OMP_NUM_THREADS="1") as (link, process):
            lines = people(link, options.people, options.seconds, options.proposers, process)
        print("\n".join([*lines, load()]))
    else:
        theirs = options.peer_answers, options.pictures
        print("\n".join(in_the_browser(options.answers, options.pause, options.proposers, *theirs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

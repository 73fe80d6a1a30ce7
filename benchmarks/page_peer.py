"""Optuna Dashboard's preferential tutorial, measured as our page is: from the click on "Worst" to the next picture.

Two programs run, as the tutorial has it: the dashboard, and a generator that proposes colours when there is room for one.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.environments import ROOT, python_of
from benchmarks.progress import Progress

PATIENCE = 120_000
SHOWN = "[...document.querySelectorAll('img')].filter((image) => image.complete && image.naturalWidth).map((image) => image.src)"
RECORD = f"""() => {{
  const shown = () => {SHOWN};
  window.clicks = [];
  document.addEventListener('click', (event) => {{
    const click = {{at: event.timeStamp, before: new Set(shown())}};
    window.clicks.push(click);
    requestAnimationFrame(() => requestAnimationFrame(() => (click.acknowledged = performance.now() - click.at)));
    const look = () => {{
      const fresh = shown().some((source) => !click.before.has(source));
      if (fresh) requestAnimationFrame(() => (click.next = performance.now() - click.at));
      else setTimeout(look, 5);
    }};
    look();
  }}, true);
  const fetched = window.fetch;
  window.fetch = async (...given) => {{
    const click = window.clicks.at(-1);
    const reply = await fetched(...given);
    if (click && /preference$/.test(reply.url)) click.saved ??= performance.now() - click.at;
    return reply;
  }};
  const send = window.XMLHttpRequest.prototype.send;
  window.XMLHttpRequest.prototype.send = function (...body) {{
    const click = window.clicks.at(-1);
    this.addEventListener('loadend', () => {{
      if (click && /preference$/.test(this.responseURL)) click.saved ??= performance.now() - click.at;
    }});
    return send.apply(this, body);
  }};
}}"""


@dataclass(frozen=True)
class Theirs:
    """What was measured of the dashboard; weight in bytes as sent, ready in milliseconds."""

    timings: list[Any]
    weight: int
    ready: float


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The generator and the dashboard; yields the dashboard's address."""
    python = str(python_of("optuna"))
    paths = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [python, "-m", "benchmarks.peers.optuna_tutorial"]
    started: list[subprocess.Popen[str]] = []
    try:
        for part in ("generate", "serve"):  # one after the other: two at once would both create the database
            process = subprocess.Popen([*command, part], cwd=folder, env=paths, stdout=subprocess.PIPE, text=True)
            started.append(process)
            assert process.stdout is not None
            said = process.stdout.readline().strip()
        yield said
    finally:
        for process in started:
            process.send_signal(signal.SIGKILL)
            process.communicate()


def measure(
    folder: Path, opened: Any, answers: int, pause: float, progress: Progress, picture: Path | None = None
) -> Theirs:
    """Say so many times which picture is the worst; keep a `picture` of what the dashboard shows before."""
    from benchmarks.page import Timing

    with running(folder) as address:
        context = opened.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(f"{address}/dashboard/studies/1")
        page.wait_for_function(f"() => {SHOWN}.length > 0", timeout=PATIENCE)
        ready = page.evaluate("performance.now()")
        scripts = "performance.getEntriesByType('resource').filter((entry) => /js$/.test(entry.name))"
        weight = page.evaluate(f"{scripts}.reduce((sum, entry) => sum + entry.encodedBodySize, 0)")
        page.wait_for_function(f"() => {SHOWN}.length >= 4", timeout=PATIENCE)
        if picture is not None:
            page.screenshot(path=picture, type="jpeg", quality=78)
        page.evaluate(RECORD)
        for done in range(answers):
            page.wait_for_timeout(1000 * pause)
            page.get_by_role("button", name="Worst").first.click()
            page.wait_for_function("(done) => window.clicks[done]?.next", arg=done, timeout=PATIENCE)
            progress.advance("answers in Optuna Dashboard")
        clicks = page.evaluate("window.clicks.map(({acknowledged, saved, next}) => ({acknowledged, saved, next}))")
        context.close()
    timings = [Timing(c["acknowledged"], c.get("saved") or float("nan"), c["next"]) for c in clicks]
    return Theirs(timings, weight, ready)

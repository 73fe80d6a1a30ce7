"""Run it: `python -m benchmarks.torture`, at full size; `--size 0.05` is what the tests run. Exit code 1 if something broke."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # writers are forked: one thread, so that nothing of it is left behind

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.progress import Progress
from benchmarks.torture import figures, kills, postgres, swarm
from benchmarks.torture import requests as generated

KILLS = 200
ENGINES = ("sqlite", "postgresql")


@contextmanager
def database(engine: str) -> Iterator[str]:
    """A database of one's own, for as long as it is needed."""
    if engine == "postgresql":
        with postgres.server() as url:
            yield url
    else:
        with tempfile.TemporaryDirectory(prefix="prefero-") as folder:
            yield f"sqlite:///{Path(folder) / 'torture.db'}"


def run_kills(engine: str, size: float, seed: int) -> None:
    """The writing process killed, again and again."""
    count = max(1, round(KILLS * size))
    with database(engine) as url:
        began = time.perf_counter()
        show = Progress(count)
        answers = kills.kills(url, count, seed, lambda said: show.advance(f"kill -9, {engine}: {said}"))
        show.close()
        print(
            f"kill -9, {engine}: {count} kills, {answers} answers acknowledged, none lost, none twice, no gap, "
            f"the study went on each time; {time.perf_counter() - began:.0f} s"
        )


def run_figures(engine: str, size: float, seed: int) -> None:
    """What storing costs."""
    del seed
    studies = max(10, round(figures.STUDIES * size))
    answers = max(10, round(figures.OPEN_ANSWERS * size))
    with database(engine) as url:
        print(f"{engine}: open a study of {answers} answers: {1000 * figures.open_seconds(url, answers):.0f} ms")
        for length in figures.LENGTHS:
            if length <= figures.LENGTHS[-1] * size or length == figures.LENGTHS[0]:
                print(f"{engine}: append at {length} answers: {1000 * figures.append_seconds(url, length):.1f} ms")
        print(f"{engine}: list {studies} studies: {1000 * figures.list_seconds(url, studies):.0f} ms")


def run_swarm(engine: str, size: float, seed: int) -> None:
    """Many clients, several servers, one database."""
    del seed
    answers, studies = round(swarm.ANSWERS * size), max(10, round(swarm.STUDIES * size))
    with database(engine) as url:
        show = Progress(answers)
        account = swarm.swarm(url, answers, studies, progress=lambda: show.advance(f"{swarm.CLIENTS} clients"))
        show.close()
    p95 = {kind: account.percentile(kind, 0.95) for kind in account.seconds}
    print(
        f"{swarm.CLIENTS} clients, {swarm.SERVERS} servers, {engine}: {answers} answers in {studies} studies, none lost, none "
        f"doubled, no gap, no 5xx ({account.statuses[409]} refusals with 409); {answers / account.wall:.0f} answers a second, "
        f"95 % saved in {p95['answer']:.0f} ms, next question in {p95['question']:.0f} ms"
    )


def run_requests(engine: str, size: float, seed: int) -> None:
    """Generated requests against the service."""
    del engine, seed
    count = round(generated.REQUESTS * size)
    show, began = Progress(count), time.perf_counter()
    tally = generated.torment(count, lambda: show.advance("generated requests"))
    show.close()
    accepted = sum(count for status, count in tally.statuses.items() if status < 400)
    print(
        f"generated requests: {tally.requests}, {accepted} accepted, no 5xx, nothing written by one that was refused; "
        f"{time.perf_counter() - began:.0f} s"
    )


PARTS: dict[str, tuple[Callable[[str, float, int], None], tuple[str, ...]]] = {
    "kills": (run_kills, ENGINES),
    "figures": (run_figures, ENGINES),
    "swarm": (run_swarm, ("postgresql",)),
    "requests": (run_requests, ("sqlite",)),
}
"""What there is to run, and on which engines."""


def main() -> int:
    """Run the parts that were asked for, on the engines that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="both by default")
    parser.add_argument("--size", type=float, default=1.0, help="1 is full size")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if set(given.parts) - set(PARTS):
        parser.error(f"part: allowed are {', '.join(PARTS)}")
    broken = 0
    for part in given.parts or PARTS:
        run, engines = PARTS[part]
        for engine in [engine for engine in engines if engine in (given.engine or ENGINES)]:
            try:
                run(engine, given.size, given.seed)
            except AssertionError as error:
                broken += 1
                print(f"{part}, {engine}: BROKEN: {error}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

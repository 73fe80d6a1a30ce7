"""What storing costs: opening a study of 500 answers, appending to a long one, listing a thousand."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import prefero as pf
from benchmarks.torture.kills import SPACE, anywhere
from prefero.storage.database import Database

LENGTHS = (10, 100, 1000)
OPEN_ANSWERS, OPEN_LIMIT = 500, 0.300
STUDIES, LIST_LIMIT = 1000, 0.100
REPEATS = 15


def stored(url: str, name: str, answers: int) -> None:
    """A study of so many answers, to be gone on with by the paper's method."""
    study = pf.Study.create(SPACE, comparisons=answers, seed=0, proposer=anywhere, name=name)
    for k in range(answers):
        study.tell(study.ask(), ("a", "b", "same")[k % 3])
    study.change_proposer("glisp")
    pf.Study.from_json(study.to_json(), storage=url).close()


def open_seconds(url: str, answers: int = OPEN_ANSWERS) -> float:
    """Median seconds to open a study by its URL."""
    stored(url, f"open {answers}", answers)
    return _median(lambda: pf.Study.open(f"open {answers}", url).close())


def append_seconds(url: str, answers: int) -> float:
    """Median seconds of `tell` in a study of that length."""
    stored(url, f"append {answers}", answers)
    times = []
    with pf.Study.open(f"append {answers}", url) as study:
        study.change_proposer(anywhere)
        for _ in range(3 * REPEATS):
            question = study.ask()
            began = time.perf_counter()
            study.tell(question, "a")
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def list_seconds(url: str, studies: int = STUDIES) -> float:
    """Median seconds to list so many studies."""
    with Database(url) as storage:
        for k in range(studies):
            storage.create(pf.Study.create(SPACE, seed=0, name=f"list {k}").log.records)
        assert len(pf.studies(storage)) >= studies
        return _median(lambda: pf.studies(url))


def _median(action: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times)

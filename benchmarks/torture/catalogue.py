"""A catalogue that a crowd has judged: 5,000 rows, 100,000 answers by 5,000 judges. What opening it and proposing take.

Both are measured in a process of their own, which does nothing else: seconds, and the most memory that it ever had. Such a study is
asked about by the sparse model of `models/sparse.py`. How good that is shows a study which the exact posterior can handle as well.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import prefero as pf
from benchmarks.torture.processes import end_with_parent
from prefero import __version__
from prefero.proposers.thompson import THOMPSON
from prefero.space.arrays import Matrix, Vector
from prefero.storage.database import Database
from prefero.storage.events import Answered, Asked, Record
from prefero.study.pool import MOST_STOCK

ROWS, ANSWERS, JUDGES = 5_000, 100_000, 5_000
NAME = "catalogue"
TIME = "2026-01-01T00:00:00.000+00:00"
NOISE = 0.1
"""How undecided the judges are; utilities differ by about 1."""
COLUMNS = 4
SMALL_ROWS, SMALL_ANSWERS, SEEDS = 100, 400, 10
"""The study that both models learn from, and how often."""
MOST_MEGABYTES, MOST_BATCH_SECONDS = 1024.0, 10.0
"""What a process with such a study may take at most, and how long a batch."""


@dataclass(frozen=True)
class Figures:
    """Seconds to open a study, to propose a first batch and the next one after another answer, megabytes, and pairs in a batch."""

    open_seconds: float
    batch_seconds: float
    next_seconds: float
    megabytes: float
    pairs: int


def _rows(count: int, rng: np.random.Generator) -> list[dict[str, float]]:
    values = rng.uniform(0, 1, (count, COLUMNS)).round(4)
    return [{f"v{k}": float(value) for k, value in enumerate(row)} for row in values]


def utility(X: Matrix) -> Vector:
    """What the judges like: smooth, with an interaction and a variable that hardly counts."""
    return np.asarray(
        -((X[:, 0] - 0.6) ** 2) * 4 - (X[:, 1] - 0.3) ** 2 * 2 + X[:, 1] * X[:, 2] + 0.05 * X[:, COLUMNS - 1]
    )


def _said(u: Vector, first: int, second: int, rng: np.random.Generator) -> str:
    lead = u[first] - u[second] + NOISE * rng.logistic()
    return "same" if abs(lead) < NOISE / 5 else "a" if lead > 0 else "b"


def store(url: str, rows: int, answers: int, judges: int, seed: int = 0) -> None:
    """Store a catalogue study with answers by many judges, as if they had given them one after the other."""
    rng = np.random.default_rng(seed)
    table = _rows(rows, rng)
    with Database(url) as storage:
        created = pf.Study.create(pf.Catalogue(table), name=NAME, seed=seed, comparisons=min(answers, 1000)).log.records
        storage.create([*created, *_conversation(table, answers, judges, rng)], answers)


def _conversation(
    table: list[dict[str, float]], answers: int, judges: int, rng: np.random.Generator
) -> Iterator[Record]:
    """Half of the questions are about any two rows, half about two of the better ones, as a proposer would ask."""
    u = utility(np.array([list(row.values()) for row in table]))
    better = np.argsort(-u)[: max(2, len(table) // 10)]
    for step in range(answers):
        first, second = rng.choice(len(table), 2, replace=False) if step % 2 else rng.choice(better, 2, replace=False)
        who = f"judge {step % judges}"
        asked = Asked(step, table[first], table[second], False, "", who, 1)
        yield Record(2 * step + 1, TIME, who, __version__, asked)
        yield Record(2 * step + 2, TIME, who, __version__, Answered(step, _said(u, first, second, rng), f"{step}"))


def measure(url: str) -> Figures:
    """Open the study and propose, in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent) as alone:
        return alone.submit(_measured, url).result()


def _measured(url: str) -> Figures:
    began = time.perf_counter()
    study = pf.Study.open(NAME, url)
    opened = time.perf_counter()
    state = study.log.state
    pairs = study._session_of(state).propose_several(state.history, [], len(state.asked), MOST_STOCK)
    proposed = time.perf_counter()
    study.tell(study.ask("ann"), "a", judge="ann")
    told = time.perf_counter()
    state = study.log.state
    study._session_of(state).propose_several(state.history, [], len(state.asked), MOST_STOCK)
    ended = time.perf_counter()
    study.close()
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    megabytes = int(peak[1]) / 1024 if peak else 0.0
    return Figures(opened - began, proposed - opened, ended - told, megabytes, len(pairs))


def check(seen: Figures, most_megabytes: float = MOST_MEGABYTES, most_seconds: float = MOST_BATCH_SECONDS) -> None:
    """An AssertionError if it took too much."""
    assert seen.pairs == MOST_STOCK, f"a batch of {seen.pairs} pairs"
    assert seen.megabytes <= most_megabytes, f"{seen.megabytes:.0f} MB"
    assert seen.batch_seconds <= most_seconds, f"a batch took {seen.batch_seconds:.1f} s"


@dataclass(frozen=True)
class Quality:
    """The share of pairs of rows that each model orders as the judges would, and the correlation of their utilities."""

    exact: float
    sparse: float
    agreement: float


def quality(rows: int = SMALL_ROWS, answers: int = SMALL_ANSWERS, seeds: int = SEEDS) -> Quality:
    """Compare the sparse model with the exact posterior: means over several studies."""
    found = [_compared(rows, answers, seed) for seed in range(seeds)]
    return Quality(*np.mean(found, axis=0).tolist())


def _compared(rows: int, answers: int, seed: int) -> tuple[float, float, float]:
    rng = np.random.default_rng(seed)
    table = _rows(rows, rng)
    u = utility(np.array([list(row.values()) for row in table]))
    study = pf.Study(pf.Catalogue(table), seed=seed, comparisons=answers)
    pairs = [rng.choice(rows, 2, replace=False).tolist() for _ in range(answers)]
    study.import_comparisons(table, [(i, j, _said(u, i, j, rng)) for i, j in pairs])
    exact, _ = study.learned.utilities(table)
    state = study.log.state
    task = study._session_of(state).task
    points = np.array([study.space.encode(pf.Candidate(row)) for row in table])
    sparse, _ = THOMPSON.learned(state.history, task, rng).utilities(points)
    return _ordered(exact, u), _ordered(sparse, u), float(np.corrcoef(exact, sparse)[0, 1])


def _ordered(means: Vector, u: Vector) -> float:
    """Return the share of pairs that two utilities order alike."""
    i, j = np.triu_indices(len(u), 1)
    return float(np.mean((means[i] > means[j]) == (u[i] > u[j])))

"""Random histories at full size: `python -m benchmarks.histories` gives ten thousand of them to a proposer.

Tastes and spaces are random; some answers are ties, some are wrong, some contradict an earlier one about the same pair, some
samples lie a hair apart. Whatever was said, the proposer must find a pair of finite points of the space, and warn of nothing.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import prefero as pf
from benchmarks.progress import Progress
from benchmarks.workers import side_by_side
from prefero.answers import Comparison, History
from prefero.errors import ExhaustedError, PreferoError
from prefero.proposers.protocol import Task
from prefero.space.arrays import Matrix
from prefero.study.checks import as_proposer

PROPOSERS = ("posterior", "glisp", "pbo")
CHUNK = 50
LONG, VERY_LONG = 60, 500
"""The most answers of an ordinary history; and of one in a thousand, in twenty variables."""
FAULTS = (PreferoError, ArithmeticError, LookupError, TypeError, ValueError, Warning, np.linalg.LinAlgError)
"""The faults to look for."""


@dataclass(frozen=True)
class Failure:
    """A history that went wrong: its seed, and how."""

    seed: int
    how: str


def random_space(rng: np.random.Generator, dimension: int) -> pf.Space:
    """Real, whole and named variables, mixed."""
    kinds = rng.choice(["real", "whole", "named"], dimension, p=[0.8, 0.1, 0.1])
    made: dict[str, pf.Real | pf.Integer | pf.Choice] = {}
    for k, kind in enumerate(kinds):
        made[f"v{k}"] = (
            pf.Real(-1.0, 2.0)
            if kind == "real"
            else pf.Integer(0, 9)
            if kind == "whole"
            else pf.Choice(["p", "q", "r"])
        )
    return pf.Space(made)


def random_answers(X: Matrix, count: int, rng: np.random.Generator) -> tuple[Comparison, ...]:
    """Answers about pairs of these samples by a person with a random taste and random faults."""
    taste = np.sin(X @ rng.normal(size=(X.shape[1], 3)) * 2).sum(axis=1)
    wrong, alike = rng.choice([0.0, 0.1, 0.5]), rng.choice([0.0, 0.2])
    said: list[Comparison] = []
    for step in range(count):
        if said and rng.random() < 0.1:
            i, j = said[int(rng.integers(len(said)))].i, said[int(rng.integers(len(said)))].j
        else:
            i, j = (int(k) for k in rng.choice(len(X), 2, replace=False))
        if i == j:
            continue
        first_is_better = bool((taste[i] < taste[j]) ^ (rng.random() < wrong))
        said.append(Comparison(i, j, 0 if abs(taste[i] - taste[j]) < alike else -1 if first_is_better else 1, step))
    return tuple(said) or (Comparison(0, 1, -1, 0),)


def random_history(seed: int) -> tuple[Task, History]:
    """A task and what was said about it so far."""
    rng = np.random.default_rng([seed, 41])
    longest = seed % 1000 == 999
    space = random_space(rng, 20 if longest else int(rng.integers(1, 9)))
    count = VERY_LONG if longest else int(np.exp(rng.uniform(0, np.log(LONG))))
    X = space.snap(rng.uniform(-1, 1, (max(2, int(count * rng.uniform(0.5, 1.1))), space.dimension)))
    near = rng.random(len(X)) < 0.1
    X[near] = space.snap(X[rng.integers(len(X), size=int(near.sum()))] + 1e-9)
    X = np.unique(X, axis=0)
    while len(X) < 2:
        X = np.unique(np.vstack([X, space.snap(rng.uniform(-1, 1, (1, space.dimension)))]), axis=0)
    history = History(X, np.ones(len(X), bool), random_answers(X, count, rng))
    return Task(space, len(history) + 10, seed, np.zeros((0, space.dimension))), history


def what_is_wrong(seed: int, name: str) -> str | None:
    """How one random history goes wrong, if it does."""
    task, history = random_history(seed)
    proposer = as_proposer(name)
    rng = np.random.default_rng([seed, 42])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            state = proposer.advance(None, history, task, rng)
            proposal = proposer.propose(state, history, task, rng)
        except ExhaustedError:
            return None  # a small discrete space of which everything was seen: it says so
        except FAULTS as error:
            return f"{type(error).__name__}: {error}"
    pair = np.vstack([proposal.first, proposal.second])
    if not np.isfinite(pair).all():
        return "a point that is not finite"
    if (np.abs(pair) > 1 + 1e-9).any() or not task.space.feasible(pair).all():
        return "a point outside of the space"
    return "a sample against itself" if np.array_equal(*pair) else None


def chunk(first: int, count: int, name: str) -> list[Failure]:
    """The faults of `count` histories, starting with this seed."""
    found = ((seed, what_is_wrong(seed, name)) for seed in range(first, first + count))
    return [Failure(seed, how) for seed, how in found if how is not None]


def check(count: int, name: str, jobs: int, first: int = 0) -> list[Failure]:
    """Give histories to a proposer, in parallel."""
    failures: list[Failure] = []
    chunks = [(seed, min(CHUNK, first + count - seed), name) for seed in range(first, first + count, CHUNK)]
    progress = Progress(len(chunks))
    for found in side_by_side(chunk, chunks, jobs):
        failures += found
        progress.advance(f"{name}, {CHUNK} histories each: {len(failures)} went wrong")
    progress.close()
    return sorted(failures, key=lambda failure: failure.seed)


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0, 1 if a history went wrong, 2 for an invalid command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.histories", description=(__doc__ or "").splitlines()[0])
    p.add_argument("proposer", nargs="?", default="posterior", choices=PROPOSERS)
    p.add_argument("--count", type=int, default=10_000, help="histories (10000)")
    p.add_argument("--first", type=int, default=0, help="the first seed (0)")
    p.add_argument("--jobs", type=int, default=2, help="side by side (2)")
    arguments = p.parse_args(argv)
    if arguments.count < 1 or arguments.jobs < 1 or arguments.first < 0:
        print("error: --count and --jobs must be at least 1, --first at least 0", file=sys.stderr)
        return 2
    failures = check(arguments.count, arguments.proposer, arguments.jobs, arguments.first)
    print(f"{arguments.proposer}: {arguments.count} random histories, {len(failures)} went wrong")
    for how, times in Counter(failure.how for failure in failures).most_common():
        print(f"  {times} × {how}, seed {next(f.seed for f in failures if f.how == how)} for one")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

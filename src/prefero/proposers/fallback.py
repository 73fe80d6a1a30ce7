"""What to ask if a proposer's own method has no candidate: space filling, a new start, or a pair of known samples."""

from __future__ import annotations

import itertools

import numpy as np

from prefero.answers import History, incumbent
from prefero.errors import ExhaustedError
from prefero.proposers import search
from prefero.proposers.acquisition import farthest_from_samples
from prefero.proposers.avoidance import avoiding
from prefero.proposers.exclusions import taken
from prefero.proposers.protocol import Proposal, Task
from prefero.space.arrays import ROUNDING, Vector


def best_without_model(history: History) -> int | None:
    """Return the winner of the comparisons, or, if they do not determine one, the sample with the most wins minus losses.

    A rating is a win if it is the best level, a loss if it is the worst, and something between if not.

    None if no feasible sample was compared.
    """
    best, seen = incumbent(history), history.compared
    if best is not None or not seen.size:
        return best
    score = np.zeros(len(history.points))
    np.add.at(score, history.pairs[:, 0], -history.preferences)
    np.add.at(score, history.pairs[:, 1], history.preferences)
    for rating in history.ratings:
        score[rating.sample] += (2 * rating.level - rating.levels - 1) / (rating.levels - 1)
    return int(seen[score[seen].argmax()])


def space_filling(history: History, task: Task, rng: np.random.Generator) -> Vector | None:
    """Return a feasible candidate far from all samples, or None if the space has none left."""
    explore = avoiding(farthest_from_samples(history.points), history, task)
    return search.minimise(explore, task.space, rng, taken(history))


def start_over(history: History, task: Task, rng: np.random.Generator) -> Proposal:
    """Return a pair for a history without a usable comparison: the last usable sample and a new candidate, or two new ones."""
    x = space_filling(history, task, rng)
    if x is None:
        return unskipped_pair(history)
    # Changed bounds can leave samples outside of the box; those are never shown again.
    inside = np.flatnonzero(np.abs(history.points).max(axis=1, initial=0.0) <= 1 + ROUNDING)
    left = [k for k in inside if k not in history.failed]
    if left:
        return Proposal(history.points[left[-1]], x)
    other = space_filling(history.with_point(x, feasible=True)[0], task, rng)
    return unskipped_pair(history) if other is None else Proposal(x, other)


def unskipped_pair(history: History) -> Proposal:
    """Return two samples that were not skipped together, for a finite space without new candidates."""
    skipped = {frozenset(pair) for pair in history.skipped}
    for i, j in itertools.combinations(np.flatnonzero(history.feasible).tolist(), 2):
        if frozenset((i, j)) not in skipped:
            return Proposal(history.points[i], history.points[j], "every candidate has been seen: two of them again")
    raise ExhaustedError("every pair of candidates has been skipped: there is nothing left to ask")


def rematch(history: History, best: int, predicted: Vector, judge: str | None = None) -> Proposal:
    """Return the best sample against the most promising one it never met, for a finite space without new candidates.

    If it met all of them, a judge is asked about those that only other judges compared it with.

    Parameters
    ----------
    history: the answers so far.
    best: the incumbent.
    predicted: a value for each sample, lower is more promising.
    judge: who is asked.
    """
    left = history.never_met(best) or history.never_met(best, judge)
    others = [int(k) for k in np.argsort(predicted, kind="stable") if int(k) in left]
    if not others:
        raise ExhaustedError(
            "every candidate of the space has been compared with the best one: there is nothing left to ask"
        )
    return Proposal(history.points[best], history.points[others[0]], "every candidate has been seen: one of them again")

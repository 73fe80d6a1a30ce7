"""The opening: how the first samples are compared, one after the other or in a tournament."""

from __future__ import annotations

import itertools
from math import ceil

import numpy as np

from prefero.answers import History
from prefero.proposers.exclusions import failures
from prefero.proposers.protocol import Proposal, Task
from prefero.space.arrays import Matrix, same_points


def opening_size(initial_samples: int | None, task: Task, divisor: int) -> int:
    """Return N_init: the number given, or the expected samples over `divisor`, rounded up; at least 2."""
    return max(2, ceil(task.samples / divisor) if initial_samples is None else initial_samples)


def missing_opening(task: Task, n: int, history: History, infeasible: bool = False) -> Matrix:
    """Return the opening without what imported comparisons make unnecessary; the user's own candidates are kept.

    Every sample that was compared elsewhere takes the place of one candidate of the design.
    """
    opening, known = task.opening(n, infeasible), history.imported_samples
    if not known.size or task.reach is not None:  # within reach, every sample counts already
        return opening
    own = same_points(opening, task.start).any(axis=1) if len(task.start) else np.zeros(len(opening), dtype=bool)
    fresh = ~same_points(opening, history.points[known]).any(axis=1)
    designed = np.flatnonzero(fresh & ~own)[: max(0, n - len(known) - int((own & fresh).sum()))]
    return opening[np.sort(np.append(np.flatnonzero(own), designed))]


def opening_pair(opening: Matrix, history: History, best: int | None) -> Proposal | None:
    """Return the incumbent against the next unseen candidate of the opening, or None if all were seen.

    Without an incumbent, return two unseen candidates.
    """
    unseen = _unseen(opening, history)
    if not len(unseen):
        return None
    if best is not None:
        return Proposal(history.points[best], unseen[0])
    return Proposal(unseen[0], unseen[1]) if len(unseen) > 1 else None


def knockout_pair(opening: Matrix, history: History) -> Proposal | None:
    """Return the next match of a knockout tournament, or None if it is over or cannot continue.

    A tournament takes as many answers to find the best of the opening as comparing each candidate with the best so far. Its
    answers are more informative: both candidates of a match have won equally often, while the twelfth candidate hardly ever
    beats the best of eleven.
    """
    if history.answered >= len(opening) - 1:  # n candidates need n − 1 matches
        return None
    unseen = _unseen(opening, history)
    if len(unseen) > 1:
        return Proposal(unseen[0], unseen[1])
    left = _undefeated(opening, history)
    if len(unseen):  # an odd one out meets a winner
        return Proposal(history.points[left[0]], unseen[0]) if left else None
    skipped = {frozenset(pair) for pair in history.skipped}
    matches = (pair for pair in itertools.combinations(left, 2) if frozenset(pair) not in skipped)
    i, j = next(matches, (None, None))
    return None if i is None else Proposal(history.points[i], history.points[j])


def _unseen(opening: Matrix, history: History) -> Matrix:
    """Return the candidates of the opening that were not tried and are not too near to a failure.

    A candidate that was shown beside a failure was not tried: it is still to be compared.
    """
    left = opening[~history.without_untried().holds(opening)]
    return left[~failures(history).hidden(left)]


def _undefeated(opening: Matrix, history: History) -> list[int]:
    """Return the feasible samples of the opening without a loss, the one with the fewest comparisons first.

    The second sample of a tie counts as defeated: one of the two has to leave the tournament.
    """
    met = np.bincount(history.pairs.ravel(), minlength=len(history.points))
    left = set(history.compared.tolist()) - {*history.losers.tolist(), *history.failed}
    return sorted(left & {history.index(x) for x in opening}, key=lambda k: int(met[k]))

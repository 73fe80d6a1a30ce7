"""What may not be proposed: samples, and some room around those that tied, failed or could not be judged."""

from __future__ import annotations

import numpy as np

from prefero.answers import History
from prefero.proposers import search
from prefero.proposers.protocol import Task
from prefero.proposers.search import Taken
from prefero.space.arrays import ROUNDING

# Radii in the largest coordinate of the box, which is 2 wide.
TIED_RADIUS = 0.01
"""How far a proposal stays from a candidate that tied: a nearer one is likely to tie again and teaches nothing."""
SKIPPED_RADIUS = 0.05
"""How far a proposal stays from a candidate that could not be judged."""
FAILED_RADIUS = 0.02
"""How far a proposal stays from a candidate that failed: 1 % of the box."""


def taken(history: History) -> Taken:
    """Return the samples, each with the room that proposals keep from it."""
    # A sample that no answer mentions was only ever skipped, so that is the default.
    radius = np.full(len(history.points), SKIPPED_RADIUS)
    radius[np.unique(history.pairs)] = search.SAMPLE_RADIUS
    radius[np.unique(history.pairs[history.preferences == 0])] = TIED_RADIUS
    # In a finite space the room may have to shrink; around a failure it never does.
    firm = np.full(len(radius), ROUNDING)
    failed = list(history.failed)
    radius[failed] = firm[failed] = FAILED_RADIUS
    return Taken(history.points, radius, firm)


def failures(history: History) -> Taken:
    """Return the samples that failed, with the room that proposals keep from them."""
    return Taken(history.points[list(history.failed)], np.full(len(history.failed), FAILED_RADIUS))


def may_be_shown(pair: tuple[int, int], history: History, task: Task) -> bool:
    """Return whether two samples may be shown once more.

    They may not if the pair was skipped or waits for another judge, if one of them failed or is infeasible, or if one is out
    of reach.
    """
    if any(set(pair) == set(skipped) for skipped in history.skipped):
        return False
    if not history.feasible[list(pair)].all() or set(pair) & set(history.failed):
        return False
    return task.reach is None or all(task.reach.holds(history.points[k]) for k in pair)

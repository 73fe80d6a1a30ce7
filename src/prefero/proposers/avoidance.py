"""Proposals that avoid candidates which are likely to fail. Without a failure, nothing here changes anything.

| symbol | meaning |
|---|---|
| s_i | 1 if sample i worked, 0 if it failed |
| p̂(x) | Σ w_i s_i / Σ w_i with w_i = 1/d²(x, x_i): feasibility by inverse distance weighting, as in C-GLISp |
| δ_G | weight of 1 − p̂ in the acquisition, Eq. (acquisition) of the paper plus δ_G (1 − p̂) |

`avoiding` and `likely` use the classifier of `models.feasibility` instead.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from prefero.answers import History
from prefero.models.feasibility import Feasibility, feasibility, tried
from prefero.proposers.protocol import Task
from prefero.space.arrays import Acquisition, Matrix, Vector, squared_distances

OPENING = 0.3
"""A sample of the opening is left out if it works with less than this probability: the opening is there to find regions."""
FIRST, LAST = 0.8, 0.96
"""The least probability that a challenger works, at the first answer and at the last one expected: border first, precision last."""
SHORT = 10.0
"""Penalty for each standard deviation that the margin is too small, for an acquisition of order one."""
_AT_SAMPLE = 1e-15
"""A squared distance up to this is rounding error."""


def avoiding(acquisition: Acquisition, history: History, task: Task) -> Acquisition:
    """Return the acquisition with a penalty for candidates that are likely to fail; the same one if nothing failed yet."""
    works = _learned(history, task)
    if works is None:
        return acquisition
    progress = min(history.answers / task.comparisons, 1.0)
    least = float(ndtri(FIRST + (LAST - FIRST) * progress))

    def penalised(Z: Matrix) -> Vector:
        return np.asarray(acquisition(Z) + SHORT * np.maximum(least - works.margin(Z), 0.0))

    return penalised


def likely(opening: Matrix, history: History, task: Task) -> Matrix:
    """Return the samples of an opening that were shown, or may well work."""
    works = _learned(history, task)
    return opening if works is None else opening[history.holds(opening) | (works(opening) >= OPENING)]


def _learned(history: History, task: Task) -> Feasibility | None:
    """Return which candidates work; None if nothing failed, or if nothing worked: then every region is worth a try."""
    if not history.failed or not (tried(history)[1] > 0).any():
        return None
    return feasibility(history, task.groups)


def avoiding_by_distance(acquisition: Acquisition, history: History, delta: float) -> Acquisition:
    """Return a + δ_G (1 − p̂), the acquisition of C-GLISp; the same one if nothing failed yet.

    δ_G is δ times 1 − e, where e is the root of the mean squared error of p̂ at samples that are left out: a p̂ that predicts badly
    counts little.
    """
    if not history.failed:
        return acquisition
    known, signs = tried(history)
    X, s = history.points[known], (signs > 0).astype(float)
    weight = delta * max(0.0, 1 - _left_out_error(X, s))

    def penalised(Z: Matrix) -> Vector:
        return np.asarray(acquisition(Z) + weight * (1 - _by_distance(squared_distances(Z, X), s)))

    return penalised


def _by_distance(d2: Matrix, s: Vector) -> Vector:
    """Return p̂ from squared distances to the samples."""
    w = 1 / np.maximum(d2, _AT_SAMPLE)
    return np.asarray(w @ s / w.sum(axis=1))


def _left_out_error(X: Matrix, s: Vector) -> float:
    """Return the root of the mean squared error of p̂ at each sample, predicted from the others; 1 for a single sample."""
    if len(X) < 2:
        return 1.0
    d2 = squared_distances(X, X)
    np.fill_diagonal(d2, np.inf)
    return float(np.sqrt(((_by_distance(d2, s) - s) ** 2).mean()))

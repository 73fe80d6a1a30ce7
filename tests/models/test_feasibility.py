"""The probability that a candidate works, learned from what worked and what failed."""

import numpy as np
import pytest

from prefero.answers import Comparison, History
from prefero.models.feasibility import MOST_SAMPLES, feasibility, tried

GROUPS = (slice(0, 1), slice(1, 2))


def half_plane(n=40, seed=0):
    """A history in which what lies right of 0.2 failed."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    works = X[:, 0] < 0.2
    worked, failed = np.flatnonzero(works), np.flatnonzero(~works)
    comparisons = tuple(Comparison(int(worked[0]), int(k), -1) for k in worked[1:])
    return History(X, works, comparisons, failed=tuple(failed.tolist()))


def test_it_knows_what_worked_and_what_failed():
    history = half_plane()
    p = feasibility(history, GROUPS)(history.points)
    assert (p[history.feasible] > 0.5).all()
    assert (p[list(history.failed)] < 0.5).all()


def test_it_predicts_candidates_it_has_not_seen():
    works = feasibility(half_plane(), GROUPS)
    Z = np.random.default_rng(1).uniform(-1, 1, (500, 2))
    assert np.mean((works(Z) > 0.5) == (Z[:, 0] < 0.2)) > 0.9


def test_most_candidates_work_before_much_is_known():
    history = History(
        np.array([[-0.9, 0.0], [-0.8, 0.1], [1.0, 1.0]]), np.ones(3, bool), (Comparison(0, 1, -1),), (), (2,)
    )
    works = feasibility(history, GROUPS)
    assert works(np.array([[1.0, 1.0]]))[0] < 0.5 < works(np.array([[-1.0, -1.0]]))[0]


def test_what_failed_later_failed_and_what_was_only_shown_is_unknown():
    history = History(np.eye(4), np.ones(4, bool), (Comparison(0, 1, -1),), ((0, 2),), (1,))
    known, signs = tried(history)
    assert known.tolist() == [0, 1]
    assert signs == pytest.approx([1, -1])


def test_very_many_samples_are_too_many():
    history = half_plane(3 * MOST_SAMPLES)
    known, signs = tried(history)
    assert len(known) <= MOST_SAMPLES
    assert {-1.0, 1.0} == set(signs)

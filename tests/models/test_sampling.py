"""Gibbs sampling against truncated normals that are known, and against rejection."""

import numpy as np
import pytest
from scipy.stats import truncnorm

from prefero.models import sampling
from prefero.models.expectation import propagate
from prefero.models.posterior import posterior
from prefero.models.prior import prior
from prefero.models.sampling import draws_of_samples, truncated
from prefero.models.statements import Statements

PRIOR = prior((slice(0, 1), slice(1, 2)), 0.3, -1.0, 0.5)
X = np.random.default_rng(0).uniform(-1, 1, (5, 2))


@pytest.mark.parametrize(
    ("low", "high"), [(0, np.inf), (1.5, np.inf), (-2, np.inf), (-0.3, 0.3), (0.5, 2.0), (9.0, np.inf), (-np.inf, -9.0)]
)
def test_one_dimension_has_the_moments_of_a_truncated_normal(low, high):
    U = np.random.default_rng(1).random(200_000)
    v = truncated(np.full(len(U), 0.3), 1.4, low, high, U)
    exact = truncnorm((low - 0.3) / 1.4, (high - 0.3) / 1.4, loc=0.3, scale=1.4)
    assert low <= v.min() <= v.max() <= high
    assert v.mean() == pytest.approx(exact.mean(), abs=6 * exact.std() / np.sqrt(v.size))
    assert v.std() == pytest.approx(exact.std(), rel=0.02)


@pytest.mark.parametrize("noise", [1e-3, 0.3])
@pytest.mark.parametrize(("low", "high"), [(0.0, np.inf), (-0.5, 0.5)])
def test_utilities_agree_with_rejection_sampling(noise, low, high):
    first, second = np.array([0, 1, 0]), np.array([1, 2, 3])
    said = Statements(first, second, np.full(3, low), np.full(3, high))
    found = draws_of_samples(
        posterior(PRIOR, X, said, noise, propagate), np.arange(5), np.random.default_rng(2), 40_000
    )
    rng = np.random.default_rng(3)
    u = np.linalg.cholesky(PRIOR(X, X) + 1e-10 * np.eye(5)) @ rng.standard_normal((5, 400_000))
    v = u[first] - u[second] + np.sqrt(2) * noise * rng.standard_normal((3, 400_000))
    kept = u[:, ((v > low) & (v < high)).all(axis=0)]
    assert kept.shape[1] > 5000
    # The chains are few, 128, and each has many of the draws.
    assert found.mean(axis=1) == pytest.approx(kept.mean(axis=1), abs=0.2)
    assert np.cov(found) == pytest.approx(np.cov(kept), abs=0.2)


def test_who_lost_is_not_better_and_very_many_answers_are_drawn_from_the_gaussian(monkeypatch):
    said = Statements(np.array([0, 0, 0, 0]), np.array([1, 2, 3, 4]), np.zeros(4), np.full(4, np.inf))
    known = posterior(PRIOR, X, said, 1e-3, propagate)

    def best():
        draws = draws_of_samples(known, np.arange(5), np.random.default_rng(0), 2000)
        return float((draws.argmax(axis=0) == 0).mean())

    assert best() > 0.98
    monkeypatch.setattr(sampling, "MOST_ANSWERS", 3)
    assert best() < 0.95

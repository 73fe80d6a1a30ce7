"""The prior of the utility: a linear part plus a smooth one."""

import numpy as np
import pytest

from prefero.models.kernels import Kernel
from prefero.models.prior import Prior, prior

GROUPS = (slice(0, 1), slice(1, 3), slice(3, 4))
PRIOR = prior(GROUPS, 0.4, -1.0, 0.5)
X = np.random.default_rng(0).uniform(-1, 1, (8, 4))


def test_it_agrees_with_itself_row_by_row_and_near_candidates():
    assert np.diag(PRIOR(X, X)) == pytest.approx(PRIOR.variance(X))
    assert pytest.approx(PRIOR(X[:3], X)) == PRIOR.near(X[:3], X).K
    assert PRIOR.between(X[:3], X[3:6]) == pytest.approx(np.diag(PRIOR(X[:3], X[3:6])))
    single = PRIOR(X.astype(np.float32), X.astype(np.float32))
    assert single.dtype == np.float32
    assert single == pytest.approx(PRIOR(X, X), abs=1e-5)


def test_the_same_prior_is_the_same_object():
    assert prior(list(GROUPS), 0.4, -1.0, 0.5) is PRIOR
    assert prior(GROUPS, 0.3, -1.0, 0.5) is not PRIOR


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_its_parts_are_a_weighted_sum_and_a_smooth_function(share):
    made = prior(GROUPS, share, -1.0, 0.5)
    linear = X @ X.T * 3 / 4
    assert made(X, X) == pytest.approx((1 - share) * made.smooth(X, X) + share * linear)
    # Either part alone varies by about one over the box.
    Z = np.random.default_rng(1).uniform(-1, 1, (4000, 4))
    assert made.variance(Z).mean() == pytest.approx(1.0, abs=0.05)


def test_people_who_are_known_have_a_mean():
    m, S = np.array([1.0, -2.0]), np.array([[0.5, 0.1], [0.1, 0.3]])
    known = Prior(Kernel(np.zeros(3), (slice(0, 1), slice(1, 2))), 0.0, m, S)
    Z = np.random.default_rng(2).uniform(-1, 1, (5, 2))
    weights = np.random.default_rng(3).multivariate_normal(m, S, 200_000)
    assert known.mean(Z) == pytest.approx(Z @ m)
    assert known(Z, Z) == pytest.approx(np.cov(Z @ weights.T), abs=0.02)

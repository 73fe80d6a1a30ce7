"""Expectation propagation against weighted draws of the prior."""

import numpy as np
import pytest
from scipy.special import ndtr

from prefero.models.expectation import propagate
from prefero.models.prior import prior
from prefero.models.statements import Statements

PRIOR = prior((slice(0, 1), slice(1, 3), slice(3, 4)), 0.4, -1.0, 0.5)
X = np.random.default_rng(0).uniform(-1, 1, (8, 4))


def statements(first, second, low=0.0, high=np.inf) -> Statements:
    M = len(first)
    return Statements(np.array(first), np.array(second), np.full(M, low), np.full(M, high))


def drawn(C):
    return np.linalg.cholesky(C + 1e-9 * np.eye(len(C))) @ np.random.default_rng(1).standard_normal((len(C), 400_000))


@pytest.mark.parametrize("noise", [0.03, 0.3, 3.0])
@pytest.mark.parametrize("interval", [(0.0, np.inf), (-0.4, 0.4), (0.3, np.inf)])
def test_the_posterior_and_the_evidence_are_those_of_weighted_draws(noise, interval):
    said = statements([0, 1, 2, 0], [1, 2, 3, 3], *interval)
    C = said.covariance(PRIOR(X, X))
    sites, g, s = propagate(C, said, noise), drawn(C), np.sqrt(2) * noise
    weight = (ndtr((interval[1] - g) / s) - ndtr((interval[0] - g) / s)).prod(axis=0)
    mean = (g * weight).sum(axis=1) / weight.sum()
    variance = ((g - mean[:, None]) ** 2 * weight).sum(axis=1) / weight.sum()
    assert sites.log_evidence == pytest.approx(np.log(weight.mean()), abs=0.05)
    assert C @ sites.alpha == pytest.approx(mean, abs=0.1)
    assert np.diag(C - C @ sites.W @ C) == pytest.approx(variance, abs=0.1)


def test_the_order_of_the_answers_and_a_start_change_nothing():
    first, second = [0, 1, 2, 0, 5, 6], [1, 2, 3, 3, 0, 5]
    whole = statements(first, second)
    C = whole.covariance(PRIOR(X, X))
    found = propagate(C, whole, 0.1)
    mirrored = propagate(np.ascontiguousarray(C[::-1, ::-1]), statements(first[::-1], second[::-1]), 0.1)
    begun = propagate(C[:4, :4], statements(first[:4], second[:4]), 0.1)
    continued = propagate(C, whole, 0.1, start=begun)
    assert C[::-1, ::-1] @ mirrored.alpha == pytest.approx((C @ found.alpha)[::-1], abs=1e-3)
    assert C @ continued.alpha == pytest.approx(C @ found.alpha, abs=1e-3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("noise", [0.0, 1e-3, 1.0])
def test_repeated_and_contradicting_answers_are_no_trouble(noise):
    said = statements([0] * 50 + [1] * 3 + [2, 3], [1] * 50 + [0] * 3 + [3, 2])
    C = said.covariance(PRIOR(X, X))
    sites = propagate(C, said, noise)
    assert np.isfinite(sites.alpha).all()
    assert (C @ sites.alpha)[0] > 0  # fifty against three
    assert abs((C @ sites.alpha)[-1]) < 0.2  # one against one

"""The likelihood of the answers, its derivatives, and Laplace's approximation."""

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import multivariate_normal, norm

from prefero.answers import Comparison, History
from prefero.models.kernels import Kernel
from prefero.models.laplace import mode, sites
from prefero.models.statements import Statements, log_likelihood


def groups_of(n):
    return [slice(k, k + 1) for k in range(n)]


def test_likelihood_derivatives_match_finite_differences():
    low = np.array([0.0, -0.1, 0.1, -0.2, 0.0])
    high = np.array([np.inf, 0.1, np.inf, 0.2, np.inf])
    box = Statements(np.arange(5), np.arange(5), low, high)
    g, h = np.array([0.2, 0.05, -3.0, 1.5, 8.0]), 1e-5
    value, d1, d2, d3 = log_likelihood(g, box, 0.3)
    near = [0, 1, 3]  # the others are far in a tail, where the plain difference loses its digits
    exact = np.log(norm.cdf((high - g)[near] / 0.3) - norm.cdf((low - g)[near] / 0.3))
    assert value[near] == pytest.approx(exact, rel=1e-6)
    up, down = log_likelihood(g + h, box, 0.3), log_likelihood(g - h, box, 0.3)
    for order, derivative in enumerate((d1, d2, d3)):
        assert derivative == pytest.approx((up[order] - down[order]) / (2 * h), rel=1e-4, abs=1e-4)


def test_likelihood_of_statements_without_upper_bounds_is_the_same_beside_others():
    g, low = np.array([0.2, -3.0, 8.0, -9.0, 0.0]), np.array([0.0, 0.1, 0.0, 0.2, -0.1])
    some = Statements(np.arange(5), np.arange(5), low, np.full(5, np.inf))
    one_more = Statements(np.arange(6), np.arange(6), np.append(low, -0.1), np.append(some.high, 0.1))
    alone, together = log_likelihood(g, some, 0.3), log_likelihood(np.append(g, 0.0), one_more, 0.3)
    for ours, theirs in zip(alone, together, strict=True):
        assert ours == pytest.approx(theirs[:5], rel=1e-6, abs=1e-8)


def test_evidence_of_two_answers_is_near_the_integral():
    X = np.array([[-0.5], [0.1], [0.8]])
    history = History(X, np.ones(3, bool), (Comparison(0, 1, -1), Comparison(0, 2, 1)))
    statements = Statements.of(history, 0.0)
    C = statements.covariance(Kernel(np.array([-0.5, 0.0]), groups_of(1))(X, X))
    density = multivariate_normal(np.zeros(2), C).pdf
    s = 0.6
    exact, _ = dblquad(lambda y, x: density([x, y]) * norm.cdf(x / s) * norm.cdf(y / s), -6, 6, -6, 6, epsabs=1e-5)
    assert mode(C, statements, s).log_evidence == pytest.approx(np.log(exact), abs=0.1)  # it is an approximation


def test_the_sites_are_those_of_the_mode():
    """The posterior mean at the samples is the mode, and its covariance is (C⁻¹ + W)⁻¹."""
    X = np.random.default_rng(0).uniform(-1, 1, (5, 1))
    history = History(X, np.ones(5, bool), tuple(Comparison(0, k, -1) for k in range(1, 5)))
    statements = Statements.of(history, 0.0)
    C = statements.covariance(Kernel(np.array([-0.5, 0.0]), groups_of(1))(X, X)) + 1e-6 * np.eye(4)
    fit, found = mode(C, statements, np.sqrt(2) * 0.3), sites(C, statements, 0.3)
    assert C @ found.alpha == pytest.approx(fit.g)
    covariance = np.linalg.inv(np.linalg.inv(C) + np.diag(found.tau))
    assert pytest.approx(covariance, abs=1e-6) == C - C @ found.W @ C
    assert covariance @ found.eta == pytest.approx(fit.g, abs=1e-5)

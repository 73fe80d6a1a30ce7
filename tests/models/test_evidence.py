"""Laplace's evidence: its gradient, its derivatives, and the tie threshold it finds."""

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import multivariate_normal, norm

from prefero.answers import Comparison, History
from prefero.models.evidence import Evidence, discernment, mode, prior, recent
from prefero.models.kernels import Kernel
from prefero.models.statements import Statements, log_likelihood


def a_history(rng, answers=15, n=3, flips=0.0, tie=0.0):
    X = rng.uniform(-1, 1, (answers + 1, n))
    f = ((X - 0.3) ** 2).sum(axis=1)
    best, comparisons = 0, []
    for k in range(1, answers + 1):
        d = f[best] - f[k]
        outcome = 0 if abs(d) <= tie else int(np.sign(d))
        comparisons.append(Comparison(best, k, -outcome if rng.random() < flips else outcome))
        best = k if outcome == 1 else best
    return History(X, np.ones(len(X), bool), tuple(comparisons))


def groups_of(n):
    return [slice(k, k + 1) for k in range(n)]


@pytest.mark.parametrize("groups", [groups_of(3), [slice(0, 1), slice(1, 3)]])
@pytest.mark.parametrize("tie", [0.0, 0.3])
def test_gradient_matches_finite_differences(groups, tie):
    rng = np.random.default_rng(1)
    D, statements = recent(a_history(rng, tie=tie), groups, 0.1)
    theta = prior(len(groups))[0] + rng.normal(0, 0.3, len(groups) + 1)
    _, gradient = Evidence(D, statements)(theta)
    steps = 1e-4 * np.eye(len(theta))
    numeric = [(Evidence(D, statements)(theta + e)[0] - Evidence(D, statements)(theta - e)[0]) / 2e-4 for e in steps]
    assert gradient == pytest.approx(numeric, rel=1e-4, abs=1e-5)


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


def test_the_tie_threshold_follows_how_often_somebody_sees_no_difference():
    found = []
    for ties in (0.02, 0.5):
        rng = np.random.default_rng(4)
        X = rng.uniform(-1, 1, (41, 2))
        f = np.sin(3 * X[:, 0]) + X[:, 1]
        comparisons = [
            Comparison(0, k, 0 if abs(f[0] - f[k]) < ties else -1 if f[0] < f[k] else 1) for k in range(1, 41)
        ]
        history = History(X, np.ones(41, bool), tuple(comparisons))
        assert (history.preferences == 0).any()
        found.append(discernment(Kernel(prior(2)[0], groups_of(2)), history)[0])
    assert found[0] < found[1]

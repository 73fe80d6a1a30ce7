"""The Gibbs sampler against truncated normals that are known, and against an independent sampler."""

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from prefero.models import posterior
from prefero.models.posterior import gibbs
from prefero.models.statements import Statements


def statements(low, high, doubt=None):
    n = len(low)
    return Statements(np.arange(n), np.arange(n), np.array(low, float), np.array(high, float), doubt)


def drawn(S, low, high, sweeps=60, chains=4000, burn=20, seed=0, doubt=None, about=None):
    """Chains after a burn-in, with one more set of draws every few sweeps."""
    rng = np.random.default_rng(seed)
    P, box = np.linalg.inv(S), statements(low, high, doubt)
    inside = np.where(np.isinf(high), np.array(low) + 0.5, (np.array(low) + np.array(high)) / 2)
    V = gibbs(np.repeat(inside[:, None], chains, axis=1), P, box, burn, rng)
    draws = []
    for _ in range(sweeps // 6):
        V = gibbs(V, P, box, 6, rng, about)
        draws.append(V)
    return np.hstack(draws)


@pytest.mark.parametrize(
    ("low", "high"), [(0, np.inf), (1.5, np.inf), (-2, np.inf), (-0.3, 0.3), (0.5, 2.0), (3.0, 3.5)]
)
def test_one_dimension_has_the_moments_of_a_truncated_normal(low, high):
    v = drawn(np.array([[1.7]]), [low], [high])[0]
    s = np.sqrt(1.7)
    exact = truncnorm(low / s, high / s, scale=s)
    assert v.min() >= low
    assert v.max() <= high
    assert v.mean() == pytest.approx(exact.mean(), abs=5 * exact.std() / np.sqrt(v.size))
    assert v.std() == pytest.approx(exact.std(), rel=0.02)


@pytest.mark.parametrize("rho", [-0.8, -0.3, 0.0, 0.5, 0.9])
def test_two_dimensional_orthants(rho):
    v = drawn(np.array([[1, rho], [rho, 1]]), [0, 0], [np.inf, np.inf])
    probability = 1 / 4 + np.arcsin(rho) / (2 * np.pi)
    mean = (1 + rho) / (2 * np.sqrt(2 * np.pi) * probability)
    assert v.mean(axis=1) == pytest.approx([mean, mean], rel=0.02)


@pytest.mark.parametrize("about", [0, 7])
@pytest.mark.parametrize("slip", [None, 0.1])
def test_visiting_what_depends_on_one_statement_draws_the_same(monkeypatch, about, slip):
    monkeypatch.setattr(posterior, "NEIGHBOURS", 2)
    n = 8
    R = np.random.default_rng(5).standard_normal((n, n))
    S, doubt = R @ R.T / n + 0.3 * np.eye(n), None if slip is None else np.full(n, slip)
    everything = drawn(S, [0.0] * n, [np.inf] * n, seed=1, doubt=doubt)
    some = drawn(S, [0.0] * n, [np.inf] * n, seed=2, doubt=doubt, about=about)
    assert some.mean(axis=1) == pytest.approx(everything.mean(axis=1), abs=0.03)
    assert np.cov(some) == pytest.approx(np.cov(everything), abs=0.05)


def test_statements_that_hardly_depend_on_the_news_are_visited_once_in_four_sweeps(monkeypatch):
    monkeypatch.setattr(posterior, "NEIGHBOURS", 1)
    S = np.eye(4) + 0.5 * np.eye(4)[[1, 0, 2, 3]] * [[1], [1], [0], [0]]  # the first two depend on each other
    V, P, box = np.ones((4, 5)), np.linalg.inv(S), statements([0.0] * 4, [np.inf] * 4)
    once = gibbs(V, P, box, 1, np.random.default_rng(0), about=1)
    assert (once != V).all()
    later = gibbs(V, P, box, 3, np.random.default_rng(0), about=1)
    assert (later[2:] == once[2:]).all()
    assert (later[:2] != once[:2]).all()


@pytest.mark.parametrize("rhos", [(0.5, 0.5, 0.5), (0.2, -0.4, 0.3), (0.7, 0.1, 0.4)])
def test_three_dimensional_orthants(rhos):
    a, b, c = rhos
    S = np.array([[1, a, b], [a, 1, c], [b, c, 1]])
    v = drawn(S, [0, 0, 0], [np.inf] * 3)
    probability = 1 / 8 + (np.arcsin(a) + np.arcsin(b) + np.arcsin(c)) / (4 * np.pi)

    def orthant_given(j):
        """The chance that the other two are positive where coordinate j is 0."""
        k, m = (i for i in range(3) if i != j)
        partial = (S[k, m] - S[k, j] * S[m, j]) / np.sqrt((1 - S[k, j] ** 2) * (1 - S[m, j] ** 2))
        return 1 / 4 + np.arcsin(partial) / (2 * np.pi)

    mean = [sum(S[i, j] * orthant_given(j) for j in range(3)) / (np.sqrt(2 * np.pi) * probability) for i in range(3)]
    assert v.mean(axis=1) == pytest.approx(mean, rel=0.025)


@pytest.mark.parametrize("seed", range(4))
def test_random_boxes_agree_with_rejection_sampling(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((4, 6))
    S = A @ A.T / 6 + 0.05 * np.eye(4)
    low = rng.uniform(-1, 0.3, 4)
    high = np.where(rng.random(4) < 0.5, np.inf, low + rng.uniform(0.8, 2, 4))
    plain = np.linalg.cholesky(S) @ rng.standard_normal((4, 400_000))
    kept = plain[:, ((plain > low[:, None]) & (plain < high[:, None])).all(axis=0)]
    assert kept.shape[1] > 2000
    v = drawn(S, low, high, seed=seed)
    error = 6 * kept.std(axis=1) / np.sqrt(min(kept.shape[1], 10_000))
    assert (np.abs(v.mean(axis=1) - kept.mean(axis=1)) < error).all()
    assert np.cov(v) == pytest.approx(np.cov(kept), abs=0.05)


@pytest.mark.parametrize("doubt", [1e-6, 0.05, 0.5, 0.8])
@pytest.mark.parametrize("low", [-1.0, 0.0, 1.5])
def test_a_doubted_statement_in_one_dimension(low, doubt):
    v = drawn(np.eye(1), [low], [np.inf], doubt=np.array([doubt]))[0]
    below, above = doubt * norm.cdf(low), (1 - doubt) * norm.sf(low)
    chance = below / (below + above)
    assert (v < low).mean() == pytest.approx(chance, abs=5 * np.sqrt(chance / v.size) + 1e-6)
    mean = (doubt * -norm.pdf(low) + (1 - doubt) * norm.pdf(low)) / (below + above)
    assert v.mean() == pytest.approx(mean, abs=0.02)


@pytest.mark.parametrize("rho", [-0.8, 0.0, 0.6])
def test_two_doubted_statements_weigh_the_four_quadrants(rho):
    doubt = np.array([0.1, 0.3])
    v = drawn(np.array([[1, rho], [rho, 1]]), [0, 0], [np.inf, np.inf], doubt=doubt)
    same, other = 1 / 4 + np.arcsin(rho) / (2 * np.pi), 1 / 4 - np.arcsin(rho) / (2 * np.pi)
    weights = np.array([[same, other], [other, same]]) * np.outer([1 - doubt[0], doubt[0]], [1 - doubt[1], doubt[1]])
    seen = [[((v[0] < 0) == a) & ((v[1] < 0) == b) for b in (False, True)] for a in (False, True)]
    assert np.mean(seen, axis=2) == pytest.approx(weights / weights.sum(), abs=0.01)


def test_no_doubt_draws_what_was_always_drawn():
    S = np.array([[1, 0.5], [0.5, 1]])
    V = np.full((2, 8), 0.5)
    believed = [
        gibbs(V, np.linalg.inv(S), statements([0, 0], [np.inf] * 2, doubt), 3, np.random.default_rng(1))
        for doubt in (None, np.zeros(2))
    ]
    assert np.array_equal(*believed)

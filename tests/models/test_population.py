"""The prior from other people's answers: means, covariances, and which sources count."""

from collections.abc import Callable

import numpy as np
import pytest

from prefero.answers import Comparison, History
from prefero.models.population import Others, Population, Settings
from prefero.models.prior import Basis, Prior, prior
from prefero.space.arrays import Matrix, Vector

GROUPS = (slice(0, 1), slice(1, 2))
SETTINGS = Settings(-1.0, 0.5, (0.15, 0.95), 0.1)


def answers_of(w: Vector, rng: np.random.Generator, answers: int = 20) -> History:
    """What somebody with these weights says about random pairs."""
    X = rng.uniform(-1, 1, (2 * answers, 2))
    u = X @ w
    said = [(k, k + answers) if u[k] > u[k + answers] else (k + answers, k) for k in range(answers)]
    return History(X, np.ones(len(X), dtype=bool), tuple(Comparison(i, j, -1, k) for k, (i, j) in enumerate(said)))


def slope(f: Callable[[Matrix], Vector], Z: Matrix, h: float = 1e-5) -> Matrix:
    """The gradient of f at each row of Z, by central differences."""
    return np.column_stack([(f(Z + step) - f(Z - step)) / (2 * h) for step in h * np.eye(Z.shape[1])])


def population_of(*weights: tuple[float, float], seed: int = 0) -> Population:
    rng = np.random.default_rng(seed)
    histories = tuple(answers_of(np.array(w), rng) for w in weights)
    return Others(histories, rng.uniform(-1, 1, (32, 2))).population(GROUPS, SETTINGS)


def test_the_mean_follows_the_sources() -> None:
    known = population_of((1, 0.5), (1, 0.4), (0.9, 0.5)).prior()
    corner = np.array([[1.0, 1.0], [-1.0, -1.0]])
    assert known.mean(corner)[0] > 0.5 > -0.5 > known.mean(corner)[1]


def test_more_sources_that_agree_leave_less_open() -> None:
    pair = np.array([[1.0, 1.0], [-1.0, -1.0]])

    def sureness(known: Prior) -> float:
        mean, K = known.mean(pair), known(pair, pair)
        return float((mean[0] - mean[1]) / np.sqrt(K[0, 0] + K[1, 1] - 2 * K[0, 1]))

    assert sureness(population_of(*[(1, 0.5)] * 8).prior()) > 1.5 * sureness(population_of((1, 0.5)).prior())


def test_a_source_of_the_opposite_taste_stops_counting() -> None:
    found = population_of((1, 0.5), (-1, -0.5))
    like, unlike = found.counts(answers_of(np.array([1, 0.5]), np.random.default_rng(9), answers=8))
    assert like > 0.9
    assert unlike < 0.05


def test_ties_speak_neither_for_nor_against_a_source() -> None:
    found = population_of((1, 0.5))
    tied = History(np.array([[0.5, 0.5], [-0.5, -0.5]]), np.ones(2, dtype=bool), (Comparison(0, 1, 0, 0),))
    assert found.counts(tied) == pytest.approx([0.5])


def test_a_prior_with_a_basis_is_a_covariance_and_agrees_with_itself() -> None:
    known, rng = population_of((1, 0.5), (0.2, 1)).prior(), np.random.default_rng(1)
    Z = rng.uniform(-1, 1, (12, 2))
    K = known(Z, Z)
    assert np.allclose(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-8
    assert np.allclose(K.diagonal(), known.variance(Z))
    assert np.allclose(K[np.arange(12), np.arange(11, -1, -1)], known.between(Z, Z[::-1]))
    assert np.allclose(known.near(Z, Z[:5]).K, K[:, :5])


def test_gradients_through_the_basis() -> None:
    known, rng = population_of((1, 0.5), (0.2, 1)).prior(), np.random.default_rng(2)
    Z, X, omega = rng.uniform(-1, 1, (4, 2)), rng.uniform(-1, 1, (6, 2)), rng.standard_normal(6)
    near = known.near(Z, X)
    assert near.gradient(np.tile(omega, (4, 1))) == pytest.approx(slope(lambda A: known(A, X) @ omega, Z), abs=1e-5)
    assert near.rise == pytest.approx(slope(known.mean, Z), abs=1e-5)
    assert 2 * near.own == pytest.approx(slope(known.variance, Z), abs=1e-5)


def test_a_basis_on_the_points_reproduces_the_smooth_kernel() -> None:
    smooth, P = prior(GROUPS, 0.0, -1.0, 0.5).smooth, np.random.default_rng(3).uniform(-1, 1, (10, 2))
    basis = Basis(smooth, P, np.linalg.inv(np.linalg.cholesky(smooth(P, P))).T)
    F: Matrix = basis(P)[:, 2:]
    assert np.allclose(F @ F.T, smooth(P, P))


def test_the_two_first_candidates_differ_and_the_best_comes_first() -> None:
    found = population_of((1, 0.5), (1, 0.4))
    Z = np.array([[1.0, 1.0], [-1.0, -1.0], [0.9, 1.0], [0.0, 0.0]])
    first, second = found.promising(Z, 2.0)
    assert first.tolist() == [1.0, 1.0]
    assert second.tolist() != first.tolist()

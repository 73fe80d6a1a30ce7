"""The model of very many answers: counted votes, features of the default's kernel, Laplace's posterior of the weights."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from prefero.answers import Comparison, History
from prefero.models import sparse
from prefero.models.kernels import Kernel
from prefero.models.sparse import Features, SparseUtilities, Votes

RNG = np.random.default_rng(0)
GROUPS = (slice(0, 1), slice(1, 3))


def history(X: np.ndarray, answers: int, noise: float = 0.1, seed: int = 1) -> History:
    """Answers about random pairs of a smooth utility, some of them ties."""
    rng = np.random.default_rng(seed)
    u = utility(X)
    pairs = [rng.choice(len(X), 2, replace=False) for _ in range(answers)]
    lead = [u[i] - u[j] + noise * rng.logistic() for i, j in pairs]
    said = [0 if abs(d) < 0.02 else -1 if d > 0 else 1 for d in lead]
    comparisons = tuple(Comparison(int(i), int(j), s, k) for k, ((i, j), s) in enumerate(zip(pairs, said, strict=True)))
    return History(X, np.ones(len(X), bool), comparisons)


def utility(X: np.ndarray) -> np.ndarray:
    return -((X - 0.2) ** 2).sum(axis=1)


def test_repeated_votes_are_counted():
    said = [Comparison(0, 2, -1), Comparison(2, 0, -1), Comparison(2, 0, 0), Comparison(1, 2, 1), Comparison(0, 2, -1)]
    votes = Votes.of(History(np.zeros((3, 1)), np.ones(3, bool), tuple(said)))
    assert votes.i.tolist() == [0, 1]
    assert votes.j.tolist() == [2, 2]
    assert votes.asked.tolist() == [4, 1]
    assert votes.won.tolist() == [2.5, 0]  # a tie is half a win


def test_some_votes_are_evenly_taken():
    votes = Votes(np.arange(10), np.arange(1, 11), np.ones(10), np.zeros(10))
    samples, some = votes.some(4)
    assert samples[some.i].tolist() == [0, 3, 6, 9]
    assert samples[some.j].tolist() == [1, 4, 7, 10]
    assert votes.some(10)[1].i.tolist() == list(range(10))


def test_the_features_of_few_samples_are_the_kernel(monkeypatch):
    X = RNG.uniform(-1, 1, (30, 3))
    features = Features.of(Kernel(np.array([-0.5, 0.2, 0.0]), GROUPS), X)
    monkeypatch.setattr(sparse, "BLOCK", 7)  # in several blocks, too
    Phi = features(X)
    assert pytest.approx(features.kernel(X, X), abs=1e-6) == Phi @ Phi.T


def test_inducing_points_cover_the_space_and_are_dense_where_answers_are():
    corners = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    X = np.vstack([RNG.uniform(-0.05, 0.05, (40, 2)), corners])
    U = sparse.inducing(X, np.append(np.arange(40.0), np.ones(4)), 8)
    assert np.array_equal(U[:4], X[[39, 38, 37, 36]])
    assert {tuple(u) for u in U[4:].tolist()} == set(corners)
    assert sparse.inducing(X, np.ones(44), 44) is X


def test_the_mode_is_stationary_and_its_precision_is_the_curvature():
    X = RNG.uniform(-1, 1, (12, 3))
    Phi, votes = RNG.standard_normal((12, 4)), Votes.of(history(X, 60))
    mode = sparse._mode(Phi, votes, 0.7)

    def slope(w: np.ndarray) -> np.ndarray:
        difference = Phi[votes.i] - Phi[votes.j]
        p = expit(difference @ w / 0.7)
        return difference.T @ (votes.won - votes.asked * p) / 0.7 - w

    assert slope(mode.weights) == pytest.approx(np.zeros(4), abs=1e-3)
    steps = 1e-5 * np.eye(4)
    curvature = np.array([slope(mode.weights - e) - slope(mode.weights + e) for e in steps]) / 2e-5
    assert pytest.approx(curvature, rel=1e-2) == mode.L @ mode.L.T


def test_a_variable_without_effect_gets_a_long_scale():
    X = RNG.uniform(-1, 1, (80, 3))
    judged = X * (1, 0, 0)  # only the first variable counts
    scales = SparseUtilities.of(replace(history(judged, 400), points=X), GROUPS).features.kernel.scales
    assert scales[1] > 2 * scales[0]


def test_noise_is_noticed():
    X = RNG.uniform(-1, 1, (60, 3))
    sure, unsure = (SparseUtilities.of(history(X, 400, noise), GROUPS) for noise in (0.02, 2.0))
    assert sure.scale < unsure.scale


def test_utilities_are_learned_and_surer_with_more_answers():
    X, Z = RNG.uniform(-1, 1, (60, 3)), RNG.uniform(-1, 1, (50, 3))
    few, many = (SparseUtilities.of(history(X, answers), GROUPS) for answers in (200, 2000))
    means, sd = many.utilities(Z)
    assert np.corrcoef(means, utility(Z))[0, 1] > 0.95
    # The level of the utilities is not known: a difference is what people compare.
    assert many.differences(Z[:-1], Z[1:])[1].mean() < few.differences(Z[:-1], Z[1:])[1].mean()
    assert (sd > 0).all()


def test_draws_have_the_moments_that_are_reported():
    X = RNG.uniform(-1, 1, (40, 3))
    posterior = SparseUtilities.of(history(X, 300), GROUPS)
    u = posterior.draws(X[:6], np.random.default_rng(2), 4000)
    assert u.shape == (6, 4000)
    means, sd = posterior.utilities(X[:6])
    assert u.mean(axis=1) == pytest.approx(means, abs=4 * sd.max() / np.sqrt(u.shape[1]))
    assert u.std(axis=1) == pytest.approx(sd, rel=0.1)
    assert posterior.probabilities(X[:1], X[1:2])[0] == pytest.approx((u[0] > u[1]).mean(), abs=0.05)


def test_the_first_draws_do_not_depend_on_how_many_there_are():
    posterior = SparseUtilities.of(history(RNG.uniform(-1, 1, (20, 3)), 50), GROUPS)
    two, five = (posterior.weight_draws(np.random.default_rng(3), count) for count in (2, 5))
    assert two == pytest.approx(five[:, :2])

"""Laws of the acquisition functions: exploration, probability of improvement, lemma 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.models.rbf import BASES
from prefero.proposers.acquisition import (
    ProbabilityOfImprovement,
    SurrogateAndDistance,
    distance_from_samples,
    farthest_from_samples,
    outcome_probabilities,
)

rngs = st.integers(0, 10**6).map(np.random.default_rng)
positive = st.floats(0.05, 20)


def learned(rng, basis="inverse quadratic", n=2, N=7, **options) -> pf.Surrogate:
    X = rng.uniform(-1, 1, (N, n))
    order = np.argsort(((X - 0.3) ** 2).sum(axis=1))
    return pf.fit(X, [(int(order[0]), int(k)) for k in order[1:]], basis=basis, **options)


@given(rngs, st.integers(1, 12), st.integers(1, 5))
def test_exploration_is_zero_at_samples_positive_elsewhere_and_below_half_pi(rng, N, n):
    X, Z = rng.uniform(-1, 1, (N, n)), rng.uniform(-100, 100, (50, n))
    z = distance_from_samples(X)
    assert (z(X) == 0).all()
    assert (z(Z) > 0).all()
    assert (z(np.vstack([X, Z])) < np.pi / 2).all()


@given(rngs, st.integers(1, 12))
def test_exploration_falls_when_a_sample_is_added_anywhere(rng, N):
    X, Z = rng.uniform(-1, 1, (N, 2)), rng.uniform(-1, 1, (50, 2))
    assert (distance_from_samples(X)(Z) < distance_from_samples(X[:-1])(Z)).all() if N > 1 else True
    assert farthest_from_samples(X)(Z) == pytest.approx(-distance_from_samples(X)(Z), abs=1e-12)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), positive, st.tuples(positive, positive, positive))
def test_the_probabilities_of_the_outcomes_sum_to_one(t, margin, weights):
    p = outcome_probabilities(np.array(t), margin, weights)
    assert ((p >= 0) & (p <= 1)).all()
    assert p.sum(axis=1) == pytest.approx(1)


@given(st.floats(-30, 30), positive, st.tuples(positive, positive, positive))
def test_exchanging_the_candidates_exchanges_the_probabilities(t, margin, weights):
    p, q = (outcome_probabilities(np.array([v]), margin, w)[0] for v, w in ((t, weights), (-t, weights[::-1])))
    assert p == pytest.approx(q[::-1])


@settings(max_examples=100)
@given(st.floats(0.05, 3), st.floats(0.05, 1), st.floats(0.05, 3), st.floats(0.1, 10))
def test_the_probability_of_improvement_falls_strictly_where_ties_weigh_no_more_than_wins(win, share, loss, margin):
    """For c̄₀ ≤ c̄₋₁, over differences t = Φ'β of some margins: where 64 bits still tell the exponentials apart."""
    t = np.linspace(-4, 4, 400) * margin
    weights = (win / margin, share * win / margin, loss / margin)
    p = outcome_probabilities(t, margin, weights)[:, 0]
    assert (np.diff(p) < 0).all()


def test_the_probability_of_improvement_may_rise_where_ties_weigh_more():
    t = np.linspace(1, 3, 50)
    assert (np.diff(outcome_probabilities(t, 1.0, (0.01, 100.0, 1.0))[:, 0]) > 0).any()


@given(rngs, st.sampled_from(list(BASES)))
def test_improvement_without_exploration_has_the_minimiser_of_the_surrogate(rng, basis):
    surrogate = learned(rng, basis, regularization=1e-2, margin=0.1)
    Z = rng.uniform(-1, 1, (300, 2))
    f, p = surrogate.predict(Z), -ProbabilityOfImprovement(surrogate, best=0)(Z)
    assert f.argmin() == p.argmax()
    order = np.argsort(f)
    assert (np.diff(p[order]) <= 1e-12).all()


@given(rngs, st.floats(0, 5))
def test_exploration_is_subtracted_with_its_weight(rng, delta):
    surrogate = learned(rng)
    Z = rng.uniform(-1, 1, (30, 2))
    z = distance_from_samples(surrogate.X)(Z)
    for kind, arguments in ((SurrogateAndDistance, ()), (ProbabilityOfImprovement, (0,))):
        with_z, without = kind(surrogate, *arguments, delta)(Z), kind(surrogate, *arguments, 0.0)(Z)
        assert with_z == pytest.approx(without - delta * z, abs=1e-9)


def slopes(a, x, directions, h):
    """One-sided difference quotients of a at x."""
    return (a(x + h * directions) - a(x[None])) / h


def kink(surrogate, a, at, rng) -> float:
    """How far the one-sided slopes at a sample are from being linear in the direction."""
    n = surrogate.X.shape[1]
    D = rng.normal(size=(12, n))
    D /= np.linalg.norm(D, axis=1)[:, None]
    gradient = slopes(a, surrogate.X[at], np.eye(n), 1e-6)
    return float(np.abs(slopes(a, surrogate.X[at], D, 1e-6) - D @ gradient).max())


@settings(max_examples=10)
@pytest.mark.parametrize("basis", list(BASES))
@given(rng=rngs, delta=st.sampled_from([0.0, 2.0]))
def test_lemma_1_a_is_differentiable_at_samples_but_for_the_linear_basis(basis, rng, delta):
    surrogate = learned(rng, basis, regularization=1e-2)
    a = SurrogateAndDistance(surrogate, delta)
    kinks = [kink(surrogate, a, k, rng) for k in range(len(surrogate.X))]
    if basis == "linear":
        expected = np.abs(surrogate.beta) / surrogate.spread
        assert max(kinks) > 0.5 * expected.max()
    else:
        assert max(kinks) < 2e-2


@settings(max_examples=10)
@given(rng=rngs)
def test_exploration_alone_is_flat_at_samples(rng):
    X = rng.uniform(-1, 1, (6, 3))
    z = distance_from_samples(X)
    for x in X:
        assert np.abs(slopes(z, x, np.vstack([np.eye(3), -np.eye(3)]), 1e-5)).max() < 1e-4

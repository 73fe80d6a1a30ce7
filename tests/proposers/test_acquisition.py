"""The acquisition functions against numbers worked out by hand."""

import numpy as np
import pytest

import prefero as pf
from prefero.models.programs import Solution
from prefero.models.rbf import Settings, Surrogate
from prefero.proposers.acquisition import (
    ProbabilityOfImprovement,
    SurrogateAndDistance,
    distance_from_samples,
    exploration,
    outcome_probabilities,
)


def test_exploration_between_two_samples():
    """Samples −1 and 1, x = 0: w = 1 + 1, z = atan(1/2). x = 0.5: w = 4/9 + 4, z = atan(9/40)."""
    z = distance_from_samples(np.array([[-1.0], [1.0]]))
    assert z(np.array([[0.0], [0.5], [-1.0], [1.0]])) == pytest.approx([np.arctan(0.5), np.arctan(9 / 40), 0, 0])


def test_exploration_takes_the_norm_squared_once():
    """One sample at the origin, x = (3, 4)/5: d = 1, z = atan(1) = π/4; at (3, 4): d² = 25."""
    z = distance_from_samples(np.zeros((1, 2)))
    assert z(np.array([[0.6, 0.8], [3.0, 4.0]])) == pytest.approx([np.pi / 4, np.arctan(25)])


def test_exploration_of_distances():
    assert exploration(np.array([[1.0, 1.0], [0.0, 5.0], [4.0, 4.0]])) == pytest.approx(
        [np.arctan(0.5), 0, np.arctan(2)]
    )


@pytest.mark.parametrize(
    ("t", "exponents"),
    [
        (0.0, (1, 0, 1)),
        (1.0, (2, 0, 0)),
        (-1.0, (0, 0, 2)),
        (3.0, (4, 2, 0)),
        (-3.0, (0, 2, 4)),
        (0.5, (1.5, 0, 0.5)),
    ],
)
def test_probabilities_of_the_three_outcomes(t, exponents):
    """ℓ₋₁ = max{0, t + 1}, ℓ₀ = max{0, t − 1, −t − 1}, ℓ₁ = max{0, 1 − t}; p ∝ e^(−c ℓ)."""
    for weights in ((1.0, 1.0, 1.0), (2.0, 0.5, 3.0)):
        likelihood = np.exp(-np.array(weights) * exponents)
        assert outcome_probabilities(np.array([t]), 1.0, weights)[0] == pytest.approx(likelihood / likelihood.sum())


def test_probabilities_do_not_overflow():
    p = outcome_probabilities(np.array([-1e8, 1e8]), 1.0, (1.0, 1.0, 1.0))
    assert p[0].tolist() == [1, 0, 0]
    assert p[1].tolist() == [0, 0, 1]


def surrogate() -> Surrogate:
    """f̂(x) = 2φ(x) − φ(x − 1), φ inverse quadratic with ε = 1; f̂(0) = 1.5, f̂(1) = 0."""
    X, beta = np.array([[0.0], [1.0]]), np.array([2.0, -1.0])
    solution = Solution(beta, np.zeros(1), np.zeros(1), 0.0, 0.0)
    return Surrogate(X, beta, Settings(margin=0.5), solution, np.array([1.5, 0.0]))


def test_the_surrogate_by_hand():
    """At 2: 2/5 − 1/2 = −0.1; at −1: 2/2 − 1/5 = 0.8."""
    assert surrogate().predict([[0.0], [1.0], [2.0], [-1.0]]) == pytest.approx([1.5, 0, -0.1, 0.8])
    assert surrogate().spread == 1.5


def test_surrogate_and_distance_by_hand():
    """a(2) = −0.1/1.5 − 2 atan(1/(1/4 + 1)); at the samples a = f̂/ΔF̂."""
    a = SurrogateAndDistance(surrogate(), 2.0)(np.array([[2.0], [0.0], [1.0]]))
    assert a == pytest.approx([-0.1 / 1.5 - 2 * np.arctan(0.8), 1, 0])


def test_probability_of_improvement_by_hand():
    """Best is sample 1 with f̂ = 0; at 2, t = −0.1: ℓ = (0.4, 0, 0.6)."""
    a = ProbabilityOfImprovement(surrogate(), best=1)(np.array([[2.0]]))
    assert a == pytest.approx([-np.exp(-0.4) / (np.exp(-0.4) + 1 + np.exp(-0.6))])
    with_z = ProbabilityOfImprovement(surrogate(), best=1, delta=3.0)(np.array([[2.0]]))
    assert with_z == pytest.approx(a - 3 * np.arctan(0.8))


def test_the_paper_example_finds_its_minimum():
    """Eq. (f-1d-example) on [−3, 3] with the paper's settings and the quadratic program, a few more samples."""

    def f(x):
        return (1 + x * np.sin(2 * x) * np.cos(3 * x) / (1 + x**2)) ** 2 + x**2 / 12 + x / 10

    x = np.linspace(-3, 3, 100_001)
    minimum = x[f(x).argmin()]
    assert minimum == pytest.approx(-0.9598, abs=1e-3)
    proposer = pf.Glisp(initial_samples=3, exploration=1.0, shape=2.0, calibration_steps=[])
    found = [
        pf.optimize(pf.preference(lambda c: f(c[0])), ([-3], [3]), comparisons=15, seed=seed, proposer=proposer).x[0]
        for seed in range(5)
    ]
    assert np.median(np.abs(np.array(found) - minimum)) < 0.1

"""Gradients against finite differences, wherever there are any."""

import numpy as np
import pytest

import prefero as pf
from prefero.models import rbf
from prefero.proposers.acquisition import ProbabilityOfImprovement, SurrogateAndDistance

BASES = list(rbf.BASES)


def learned(basis: str, seed: int = 0, n: int = 3) -> pf.Surrogate:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (8, n))
    order = np.argsort(X @ rng.normal(size=n))
    pairs = [(int(order[k]), int(order[k + 1])) for k in range(7)]
    return pf.fit(X, pairs, basis=basis, shape=1.3, regularization=0.05)


def central(a, Z: np.ndarray, h: float = 1e-6) -> np.ndarray:
    n = Z.shape[1]
    steps = h * np.eye(n)
    return np.column_stack([(a(Z + step) - a(Z - step)) / (2 * h) for step in steps])


@pytest.mark.parametrize("basis", BASES)
def test_the_slope_of_a_basis_is_its_derivative(basis):
    s = np.array([[1e-4, 0.01, 0.5, 1.0, 3.0, 20.0]])
    h = 1e-6 * s
    numeric = (rbf.BASES[basis](s + h) - rbf.BASES[basis](s - h)) / (2 * h)
    assert rbf.SLOPES[basis](s) == pytest.approx(numeric, rel=1e-5)


@pytest.mark.parametrize("basis", BASES)
def test_the_slopes_of_the_surrogate_are_by_squared_distance(basis):
    surrogate = learned(basis)
    d2 = np.random.default_rng(1).uniform(0.01, 4, (5, 8))
    for sample in range(8):
        step = np.zeros(8)
        step[sample] = 1e-6
        numeric = (surrogate.at_distances(d2 + step) - surrogate.at_distances(d2 - step)) / 2e-6
        assert surrogate.slopes(d2)[:, sample] == pytest.approx(numeric, abs=1e-6 * np.abs(surrogate.beta).max())


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("delta", [0.0, 2.0])
def test_the_gradient_of_surrogate_and_distance(basis, delta):
    a = SurrogateAndDistance(learned(basis), delta)
    Z = np.random.default_rng(2).uniform(-1, 1, (20, 3))
    value, gradient = a.with_gradient(Z)
    assert value == pytest.approx(a(Z), abs=1e-9)
    assert gradient == pytest.approx(central(a, Z), abs=1e-5 * np.abs(gradient).max())
    assert np.abs(gradient).max() > 1e-2


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("delta", [0.0, 1.5])
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (3.0, 0.5, 2.0)])
def test_the_gradient_of_the_probability_of_improvement(basis, delta, weights):
    plain = learned(basis)
    settings = rbf.Settings(basis, 1.3, plain.settings.margin, 0.05, weights)
    surrogate = rbf.Surrogate(plain.X, plain.beta, settings, plain.solution, plain.values)
    a = ProbabilityOfImprovement(surrogate, 2, delta)
    Z = np.random.default_rng(3).uniform(-1, 1, (60, 3))
    t = np.abs(surrogate.predict(Z) - surrogate.values[2])
    Z = Z[np.abs(t - settings.margin) > 1e-3]  # p has kinks where |t| is the margin
    assert len(Z) > 20
    value, gradient = a.with_gradient(Z)
    assert value == pytest.approx(a(Z), abs=1e-9)
    assert gradient == pytest.approx(central(a, Z), abs=1e-5 * np.abs(gradient).max())


@pytest.mark.parametrize("basis", [basis for basis in BASES if basis != "linear"])
def test_the_gradient_at_a_sample_is_that_of_the_surrogate(basis):
    """z is flat there, lemma 1."""
    surrogate = learned(basis)
    value, gradient = SurrogateAndDistance(surrogate, 5.0).with_gradient(surrogate.X)
    plain, slope = SurrogateAndDistance(surrogate, 0.0).with_gradient(surrogate.X)
    assert value == pytest.approx(plain, abs=1e-9)
    assert gradient == pytest.approx(slope, abs=1e-6 * max(1, np.abs(slope).max()))

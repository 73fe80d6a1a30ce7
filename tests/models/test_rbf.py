"""The six radial basis functions against the formulas of the paper and of Gutmann, and their limits at 0."""

import math

import numpy as np
import pytest
from scipy.interpolate import RBFInterpolator

import prefero as pf
from prefero.models import rbf

FORMULAS = {
    "inverse quadratic": lambda s: 1 / (1 + s**2),
    "gaussian": lambda s: math.exp(-(s**2)),
    "thin plate spline": lambda s: s**2 * math.log(s),
    "multiquadric": lambda s: math.sqrt(1 + s**2),
    "inverse multiquadric": lambda s: 1 / math.sqrt(1 + s**2),
    "linear": lambda s: s,
}
AT_ZERO = {
    "inverse quadratic": 1,
    "gaussian": 1,
    "thin plate spline": 0,
    "multiquadric": 1,
    "inverse multiquadric": 1,
    "linear": 0,
}


def phi(basis: str, distance: float, shape: float) -> float:
    return float(rbf.matrix(np.array([[distance**2]]), rbf.Settings(basis, shape))[0, 0])


def test_all_six_are_there():
    assert set(rbf.BASES) == set(FORMULAS)


@pytest.mark.parametrize("basis", FORMULAS)
@pytest.mark.parametrize("shape", [0.1, 1.0, 6.3])
@pytest.mark.parametrize("distance", [1e-9, 1e-3, 0.5, 1.0, 2.8])
def test_a_basis_is_its_formula_of_epsilon_times_the_norm(basis, shape, distance):
    assert phi(basis, distance, shape) == pytest.approx(FORMULAS[basis](shape * distance), rel=1e-12)


@pytest.mark.parametrize("basis", FORMULAS)
def test_a_basis_has_its_limit_at_zero(basis):
    assert phi(basis, 0.0, 2.0) == AT_ZERO[basis]
    assert phi(basis, 1e-12, 2.0) == pytest.approx(AT_ZERO[basis], abs=1e-11)


@pytest.mark.parametrize("basis", FORMULAS)
def test_psi_is_symmetric_with_the_limit_on_its_diagonal(basis):
    X = np.random.default_rng(0).uniform(-1, 1, (6, 3))
    Psi = rbf.matrix(rbf.Distances.of(X).D2, rbf.Settings(basis, 1.7))
    assert np.array_equal(Psi, Psi.T)
    assert (Psi.diagonal() == AT_ZERO[basis]).all()
    assert Psi[1, 4] == pytest.approx(FORMULAS[basis](1.7 * np.linalg.norm(X[1] - X[4])))


@pytest.mark.parametrize("basis", FORMULAS)
def test_the_surrogate_is_the_sum_of_its_bases(basis):
    X = np.random.default_rng(2).uniform(-1, 1, (5, 2))
    surrogate = pf.fit(X, [(0, 1), (1, 2), (2, 3), (3, 4)], basis=basis, shape=1.3)
    z = np.array([0.12, -0.77])
    expected = sum(b * FORMULAS[basis](1.3 * np.linalg.norm(z - x)) for b, x in zip(surrogate.beta, X, strict=True))
    assert surrogate.predict(z) == pytest.approx([expected])
    assert surrogate.predict([z, z]) == pytest.approx([expected] * 2)


@pytest.mark.parametrize(
    ("basis", "theirs"),
    [
        ("inverse quadratic", "inverse_quadratic"),
        ("gaussian", "gaussian"),
        ("inverse multiquadric", "inverse_multiquadric"),
    ],
)
def test_scipy_interpolates_the_same_function(basis, theirs):
    """The values of f̂ at the samples determine it: SciPy's interpolant through them is f̂."""
    X = np.random.default_rng(3).uniform(-1, 1, (6, 2))
    surrogate = pf.fit(X, [(k, k + 1) for k in range(5)], basis=basis, shape=2.0)
    other = RBFInterpolator(X, surrogate.values, kernel=theirs, epsilon=2.0, degree=-1)
    Z = np.random.default_rng(4).uniform(-1, 1, (20, 2))
    assert surrogate.predict(Z) == pytest.approx(other(Z), abs=1e-8)


def test_bounds_scale_the_samples_to_the_box():
    X = np.array([[10.0, 0.0], [20.0, 1.0], [15.0, 0.25]])
    inside = pf.fit((X - [15, 0.5]) / [5, 0.5], [(0, 1), (2, 1)])
    scaled = pf.fit(X, [(0, 1), (2, 1)], bounds=([10, 0], [20, 1]))
    assert scaled.predict(X) == pytest.approx(inside.values)
    assert scaled.predict([[12.0, 0.3]]) == pytest.approx(inside.predict([[-0.6, -0.4]]))


def test_the_margin_is_one_over_the_number_of_samples_unless_given():
    assert pf.fit([[0.0], [1.0]], [(0, 1)]).settings.margin == 0.5
    assert pf.fit([[0.0], [1.0]], [(0, 1)], margin=0.1).settings.margin == 0.1


def test_a_lower_value_is_the_better_one():
    surrogate = pf.fit([[0.0], [0.4], [1.0]], [(1, 0), (1, 2)])
    assert surrogate.predict([[0.4]]) < min(surrogate.predict([[0.0], [1.0]]))
    assert surrogate.spread == pytest.approx(np.ptp(surrogate.values))


def test_the_spread_has_a_floor_where_nothing_was_learned():
    surrogate = pf.fit([[0.0], [1.0]], [], ties=[(0, 1)], margin=0.5)
    assert surrogate.spread == pytest.approx(0.5e-6)


@pytest.mark.parametrize("X", [np.ones((2, 2)), np.ones((2, 1)), [1.0], "x", [[1, 2, np.nan]], np.ones((1, 1, 3))])
def test_a_prediction_wants_the_samples_width(X):
    fitted = pf.fit(np.eye(3), [[0, 1]], bounds=([-1] * 3, [2] * 3))
    with pytest.raises(pf.InputError, match=r"X: got .*3 columns"):
        fitted.predict(X)
    assert fitted.predict([0, 0, 1]).shape == (1,)

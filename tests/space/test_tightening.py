"""The bounding box of the feasible set, Eq. (BBox), whatever form the constraints come in."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint
from scipy.sparse import csr_array

import prefero as pf
from prefero.errors import InputError
from tests.complaints import complaint

BOX = {"x": pf.Real(0, 10), "y": pf.Real(0, 10)}
AT_LEAST_FOUR = {
    "linear": LinearConstraint([[1, 0]], 4, np.inf),
    "linear, the other way round": LinearConstraint([[-1, 0]], -np.inf, -4),
    "linear, sparse": LinearConstraint(csr_array([[1.0, 0.0]]), 4, np.inf),
    "nonlinear": NonlinearConstraint(lambda u: u[0], 4, np.inf),
    "a square": NonlinearConstraint(lambda u: u[0] ** 2, 16, np.inf),
    "a function": lambda c: 4 - c["x"],
    "a function of the vector": lambda c: 16 - np.asarray(c)[0] ** 2,
    "both bounds": NonlinearConstraint(lambda u: u, [4, -1], [20, 20]),
}


@pytest.mark.parametrize("form", AT_LEAST_FOUR)
def test_at_least_four_on_zero_to_ten_is_four_to_ten(form):
    bounds = pf.Space(BOX, AT_LEAST_FOUR[form]).bounds
    assert bounds["x"] == pytest.approx((4, 10), abs=1e-5)
    assert bounds["y"] == pytest.approx((0, 10), abs=1e-5)


@pytest.mark.parametrize("form", ["linear", "nonlinear", "a function"])
def test_the_box_is_scaled_to_what_is_left(form):
    space = pf.Space(BOX, AT_LEAST_FOUR[form])
    assert np.asarray(space.decode(np.array([-1.0, 0.0]))) == pytest.approx([4, 5], abs=1e-4)
    assert np.asarray(space.decode(np.array([1.0, 1.0]))) == pytest.approx([10, 10], abs=1e-4)
    assert space.encode({"x": 7, "y": 5}) == pytest.approx([0, 0], abs=1e-4)


def disc(x, y, radius):
    return lambda c: (c["x"] - x) ** 2 + (c["y"] - y) ** 2 - radius**2


@pytest.mark.parametrize(
    ("constraint", "x", "y"),
    [
        (disc(3, 7, 0.1), (2.9, 3.1), (6.9, 7.1)),
        (lambda c: min(disc(1, 2, 0.5)(c), disc(9, 8, 0.2)(c)), (0.5, 9.2), (1.5, 8.2)),
        (lambda c: (c["x"] - 2) * (8 - c["x"]), (0, 10), (0, 10)),
        (lambda c: abs(c["x"] - 5) + abs(c["y"] - 4) - 1, (4, 6), (3, 5)),
        ([disc(4, 5, 2), disc(7, 5, 2)], (5, 6), (5 - np.sqrt(1.75), 5 + np.sqrt(1.75))),
        ([LinearConstraint([[1, 1]], -np.inf, 6), lambda c: 4 - c["x"]], (4, 6), (0, 2)),
    ],
)
def test_functions_are_bounded_by_local_solves_from_many_starts(constraint, x, y):
    """Small, disconnected, kinked and mixed sets."""
    bounds = pf.Space(BOX, constraint).bounds
    assert bounds["x"] == pytest.approx(x, abs=1e-4)
    assert bounds["y"] == pytest.approx(y, abs=1e-4)


def test_linear_constraints_are_exact_corners():
    bounds = pf.Space(BOX, LinearConstraint([[1, 1], [1, -1]], [-np.inf, 1], [7, 9])).bounds
    assert bounds == {"x": (pytest.approx(1), pytest.approx(7)), "y": (pytest.approx(0), pytest.approx(3))}


def test_integers_are_bounded_by_integer_programs():
    """2k ≥ 3 is k ≥ 2, and x ≤ 8.5 − k is then 6.5: the relaxed program would say k ≥ 1.5 and x ≤ 7."""
    variables = {"k": pf.Integer(0, 10), "x": pf.Real(0, 10)}
    bounds = pf.Space(variables, LinearConstraint([[2, 0], [1, 1]], [3, -np.inf], [np.inf, 8.5])).bounds
    assert bounds["k"] == (2, 8)
    assert bounds["x"] == pytest.approx((0, 6.5))


def test_integers_are_bounded_for_functions_too():
    assert pf.Space({"k": pf.Integer(0, 10)}, lambda c: 3.5 - c["k"]).bounds["k"] == (4, 10)
    bounds = pf.Space(
        {"k": pf.Integer(0, 5), "x": pf.Real(0, 10)}, lambda c: [c["x"] - c["k"] - 0.5, 1.5 - c["x"]]
    ).bounds
    assert bounds["k"] == (1, 5)
    assert bounds["x"] == pytest.approx((1.5, 5.5), abs=1e-4)


def test_each_level_counts():
    space = pf.Space({"c": pf.Choice(["a", "b"]), "x": pf.Real(0, 10)}, lambda c: c["x"] - (3 if c["c"] == "a" else 7))
    assert space.bounds["x"] == pytest.approx((0, 7), abs=1e-4)


def test_more_combinations_than_can_be_tried_keep_the_declared_bounds():
    assert pf.Space({"k": pf.Integer(0, 200)}, lambda c: 3.5 - c["k"]).bounds["k"] == (0, 200)


def test_linear_over_a_logarithmic_variable_acts_in_user_units():
    space = pf.Space({"x": pf.Real(0.01, 100, log=True), "y": pf.Real(0, 10)}, LinearConstraint([[1, 1]], -np.inf, 5))
    assert space.bounds["x"] == pytest.approx((0.01, 5))
    assert space.bounds["y"] == pytest.approx((0, 4.99))
    assert space.decode(np.zeros(2))["x"] == pytest.approx(np.sqrt(0.01 * 5))
    X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    expected = [c["x"] + c["y"] <= 5 + 1e-9 for c in map(space.decode, X)]
    assert space.feasible(X).tolist() == expected
    assert 20 < sum(expected) < 180


def test_constraints_see_numeric_variables_in_declared_order():
    space = pf.Space(
        {"y": pf.Real(0, 1), "c": pf.Choice(["a", "b"]), "x": pf.Real(0, 10)}, LinearConstraint([[0, 1]], 4, np.inf)
    )
    assert space.bounds == {"y": (0, 1), "x": (4, 10)}
    assert space.admits(pf.Candidate({"y": 0.0, "c": "a", "x": 4.0}))
    assert not space.admits(pf.Candidate({"y": 1.0, "c": "a", "x": 3.9}))


@pytest.mark.parametrize(
    "constraints",
    [
        [LinearConstraint([[1, 0]], 4, np.inf), LinearConstraint([[1, 0]], -np.inf, 4)],
        [lambda c: c["x"] - 4, lambda c: 4 - c["x"]],
    ],
)
def test_a_variable_that_is_left_one_value_is_to_be_taken_out(constraints):
    with complaint(InputError, "constraints", "'x'", "a single value, 4", "take it out"):
        pf.Space(BOX, constraints)


def test_the_scaled_polyhedron_is_that_of_the_corrected_equation():
    """Ā = A diag((u_s − ℓ_s)/2), b̄ = b − A(u_s + ℓ_s)/2."""
    A, b = np.array([[1.0, 2.0]]), np.array([12.0])
    space = pf.Space({"x": pf.Real(0, 10), "y": pf.Real(2, 10)}, LinearConstraint(A, -np.inf, b))
    low, high = np.array(list(space.bounds.values())).T
    X = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    assert (low.tolist(), high.tolist()) == (pytest.approx([0, 2]), pytest.approx([8, 6]))
    scaled_A, scaled_b = A * (high - low) / 2, b - A @ (high + low) / 2
    assert np.array_equal(space.feasible(X), (X @ scaled_A.T - scaled_b <= 0)[:, 0])


@pytest.mark.parametrize("form", [AT_LEAST_FOUR["linear"], AT_LEAST_FOUR["a function"]])
def test_candidates_outside_the_declared_bounds_are_not_admitted(form):
    space = pf.Space(BOX, form)
    assert space.admits(pf.Candidate({"x": 4.0, "y": 10.0}))
    for x, y in ((3.99, 5), (11, 5), (5, -0.1)):
        assert not space.admits(pf.Candidate({"x": x, "y": y}))


def test_a_constraint_without_a_gradient_is_tightened_too():
    space = pf.Space({"x": pf.Real(0, 10), "y": pf.Real(0, 1)}, constraints=[lambda c: 1.0 if c["x"] < 4 else -1.0])
    assert space.bounds["x"] == pytest.approx((4, 10), abs=1e-9)
    assert space.bounds["y"] == (0, 1)

"""Bad input: what is wrong with a space is said at once, by argument, what was given and what is allowed."""

import math

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint

import prefero as pf
from prefero.errors import ConstraintError, InfeasibleError, InputError
from tests.complaints import complaint

X = {"x": pf.Real(0, 10)}
XY = {"x": pf.Real(0, 1), "y": pf.Real(0, 1)}


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda: pf.Space({}), ("variables", "{}", "at least one")),
        (lambda: pf.Space([]), ("variables", "[]", "at least one")),
        (lambda: pf.Space(7), ("variables", "7", "a mapping")),
        (lambda: pf.Space({"x": (0, 1)}), ("variables['x']", "(0, 1)", "Real(low, high)")),
        (lambda: pf.Space({3: pf.Real(0, 1)}), ("variables", "3", "non-empty text")),
        (lambda: pf.Space({"": pf.Real(0, 1)}), ("variables", "''", "non-empty text")),
        (lambda: pf.Space([("x", pf.Real(0, 1)), ("x", pf.Real(0, 2))]), ("variables", "['x']", "each name once")),
        (lambda: pf.Real(0, math.inf), ("high", "inf", "a finite number")),
        (lambda: pf.Real(-math.inf, 0), ("low", "-inf", "a finite number")),
        (lambda: pf.Real(math.nan, 1), ("low", "nan", "a finite number")),
        (lambda: pf.Real("0", 1), ("low", "'0'", "a finite number")),
        (lambda: pf.Real(None, 1), ("low", "None", "a finite number")),
        (lambda: pf.Real(2, 1), ("low, high", "(2, 1)", "low below high")),
        (lambda: pf.Real(1, 1), ("low, high", "(1, 1)", "low below high")),
        (lambda: pf.Real(0, 1, log=True), ("low", "0.0", "positive")),
        (lambda: pf.Real(0, 1, log="yes"), ("log", "'yes'", "True or False")),
        (lambda: pf.Real(0, 1, unit=5), ("unit", "5", "one line")),
        (lambda: pf.Integer(0, 1, unit="a\nb"), ("unit", "one line")),
        (lambda: pf.Integer(0, math.inf), ("high", "inf", "a finite number")),
        (lambda: pf.Integer(5, 5), ("low, high", "(5, 5)", "low below high")),
        (lambda: pf.Integer(9, 1), ("low, high", "(9, 1)", "low below high")),
        (lambda: pf.Integer(0.5, 3), ("low, high", "(0.5, 3)", "whole numbers")),
        (lambda: pf.Choice([]), ("levels", "[]", "at least two different levels")),
        (lambda: pf.Choice(["one"]), ("levels", "['one']", "at least two different levels")),
        (lambda: pf.Choice(["a", "b", "a"]), ("levels", "['a', 'b', 'a']", "at least two different levels")),
        (lambda: pf.Choice("ab"), ("levels", "'ab'", "a list")),
        (lambda: pf.Choice([None, "a"]), ("levels", "[None, 'a']", "text")),
        (lambda: pf.Choice([math.nan, 1.0]), ("levels", "nan", "finite numbers")),
        (lambda: pf.Space.box([0, 0], [1, 1, 1]), ("lower, upper", "[1, 1, 1]", "same length")),
        (lambda: pf.Space.box([[0]], [[1]]), ("lower, upper", "[[0]]", "vectors")),
        (lambda: pf.Space.box("ab", [1]), ("lower, upper", "'ab'", "vectors")),
        (lambda: pf.Space.box([0, 0], [1, math.inf]), ("x2", "high", "inf", "a finite number")),
        (lambda: pf.Space.box([0, 3], [1, 2]), ("x2", "low, high", "(3.0, 2.0)")),
        (lambda: pf.Space.box([], []), ("variables", "at least one")),
    ],
)
def test_a_wrong_variable_is_refused(mistake, words):
    with complaint(InputError, *words):
        mistake()


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        (5, ("constraints", "5", "a list of constraints")),
        (["x < 1"], ("constraints[0]", "'x < 1'", "LinearConstraint", "g(candidate) <= 0")),
        (LinearConstraint([[1, 2]], -np.inf, 1), ("constraints[0].A", "[[1.0, 2.0]]", "one column for each of the 1")),
        (LinearConstraint([[np.nan]], -np.inf, 1), ("constraints[0].A", "nan", "finite numbers")),
        (LinearConstraint([[1]], 1, 1), ("constraints[0]", "equality", "allowed: inequalities", "Eliminate")),
        (NonlinearConstraint(lambda u: u, 3, 3), ("constraints[0]", "equality", "Eliminate")),
        ([LinearConstraint([[1]], 0, 9), LinearConstraint([[1]], [5], [4])], ("constraints[1]", "[5.0]", "below")),
        (NonlinearConstraint(lambda u: u, np.nan, 1), ("constraints[0]", "nan", "a lower bound")),
        (NonlinearConstraint(lambda u: u, -np.inf, np.inf), ("constraints[0]", "inf", "at least one finite bound")),
        (NonlinearConstraint(lambda u: u, [0, 0], [1, 1, 1]), ("constraints[0]", "[1.0, 1.0, 1.0]", "as many")),
    ],
)
def test_a_wrong_constraint_is_refused(constraints, words):
    with complaint(InputError, *words):
        pf.Space(X, constraints)


def grows(candidate):
    return [-1.0] * (1 + (candidate["x"] > 5))


def breaks_somewhere(candidate):
    if candidate["x"] > 5:
        raise KeyError("no such gain")
    return -1.0


@pytest.mark.parametrize(
    ("g", "words"),
    [
        (lambda c: 1 / 0, ("raised ZeroDivisionError", "division by zero", "Candidate(x=")),
        (breaks_somewhere, ("raised KeyError", "no such gain", "Candidate(x=")),
        (lambda c: math.nan, ("returned nan", "finite numbers")),
        (lambda c: [-1.0, math.inf], ("inf", "finite numbers")),
        (lambda c: None, ("returned None", "finite numbers")),
        (lambda c: "abc", ("returned 'abc'", "finite numbers")),
        (lambda c: [[-1.0]], ("returned [[-1.0]]", "a number")),
        (lambda c: [], ("returned []", "a number")),
        (grows, ("returned [1, 2] numbers", "always the same number")),
        (NonlinearConstraint(lambda u: u, [0, 0], [1, 1]), ("as many numbers as it has bounds",)),
    ],
)
def test_a_constraint_function_that_fails_is_named(g, words):
    with complaint(ConstraintError, "constraints[1]", *words):
        pf.Space(X, [lambda c: -1.0, g])


@pytest.mark.parametrize(
    ("variables", "constraints"),
    [
        (X, LinearConstraint([[1]], 11, np.inf)),
        (XY, [LinearConstraint([[1, 1]], -np.inf, 0.5), LinearConstraint([[1, 1]], 0.6, np.inf)]),
        ({"k": pf.Integer(0, 9)}, LinearConstraint([[2]], 2.5, 3.5)),
        (X, NonlinearConstraint(lambda u: u[0] ** 2, -np.inf, -1)),
        (X, lambda c: 1.0),
        (XY, [lambda c: c["x"] - 0.4, lambda c: 0.6 - c["x"]]),
        ({"c": pf.Choice(["a", "b"])}, lambda c: 1.0),
        ({"k": pf.Integer(0, 3)}, lambda c: 1.0),
        ({"k": pf.Integer(0, 500)}, lambda c: 1.0),
        ({"k": pf.Integer(0, 1), "c": pf.Choice(["a", "b"]), "x": pf.Real(0, 1)}, lambda c: 1.0),
    ],
)
def test_constraints_that_nothing_satisfies_are_refused(variables, constraints):
    with complaint(InfeasibleError, "constraints", "satisf"):
        pf.Space(variables, constraints)


def test_a_space_of_one_candidate_is_refused():
    with complaint(InfeasibleError, "constraints", "c='b'", "two or more"):
        pf.Space({"c": pf.Choice(["a", "b"])}, lambda c: 0.0 if c["c"] == "b" else 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x": 1}, ("candidate", "{'x': 1}", "['x', 'y']")),
        ({"x": 1, "y": 1, "z": 1}, ("candidate", "['x', 'y'] and nothing else")),
        ([1], ("candidate", "[1]", "2 values in the order")),
        ("xy", ("candidate", "'xy'", "a mapping")),
        (3, ("candidate", "3", "a mapping")),
        ({"x": "1", "y": 1}, ("x: ", "'1'", "a number from 0 to 1")),
        ({"x": True, "y": 1}, ("x: ", "True", "a number from 0 to 1")),
        ({"x": 1, "y": math.nan}, ("y: ", "nan", "a number from 0 to 1")),
    ],
)
def test_a_candidate_that_does_not_fit_the_space_is_refused(given, words):
    with complaint(InputError, *words):
        pf.Space(XY).candidate(given)


def test_integers_and_levels_are_taken_as_what_they_are():
    space = pf.Space({"taps": pf.Integer(1, 8), "window": pf.Choice(["hann", 1, 1.5])})
    with complaint(InputError, "taps: ", "2.5", "a whole number from 1 to 8"):
        space.candidate({"taps": 2.5, "window": "hann"})
    with complaint(InputError, "window: ", "'flat'", "one of ['hann', 1, 1.5]"):
        space.candidate({"taps": 2, "window": "flat"})
    assert space.candidate({"taps": 2.0, "window": 1})["window"] is not True


@pytest.mark.parametrize("g", [lambda c: c["x"] < 0.5, lambda c: np.array([c["x"] < 0.5])])
def test_a_constraint_that_answers_yes_or_no_is_refused_since_it_would_mean_the_opposite(g):
    with complaint(ConstraintError, "constraints[0]", "returned", "a number, at most 0"):
        pf.Study(pf.Space({"x": pf.Real(0, 1)}, constraints=g), seed=0).ask()


@pytest.mark.parametrize(("lower", "upper"), [([1], [2, 3]), ([0, 0], [1])])
def test_bounds_of_unequal_length_are_refused_and_one_number_stands_for_all(lower, upper):
    with complaint(InputError, "lower, upper", "the same length"):
        pf.Space.box(lower, upper)
    assert pf.Space.box(0, [1, 2]).names == ("x1", "x2")


@pytest.mark.parametrize("high", [10**400, 1e308])
def test_bounds_whose_width_is_no_number_are_refused(high):
    with complaint(InputError, "high", "a finite number"):
        pf.Real(0, high)

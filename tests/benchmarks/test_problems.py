"""The problems: known minima, budgets of the paper, and that the turned ones are turned."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmarks import surfaces
from benchmarks.constraints import CONSTRAINTS
from benchmarks.problems import DIGITS, FLOOR, OTHERS, PROBLEMS, SASENA, SETS, TEN, TURNED, Problem, floor_of, range_of

ALL = list(PROBLEMS.values())
STARTS = 12


def by_name(problem: Problem) -> str:
    return problem.name


def lowest_found(problem: Problem) -> float:
    """The best of a quick global search: many uniform points, the best of them and the known minimizer polished."""
    rng = np.random.default_rng(1)
    points = rng.uniform(problem.lower, problem.upper, (20_000, problem.dimension))
    values = problem.function(points)
    g = CONSTRAINTS.get(problem.constraint or "")
    if g is not None:
        keep = [g(x.tolist()) <= 0 for x in points]
        points, values = points[keep], values[keep]
    starts = points[np.argsort(values)[:STARTS]]
    bounds = list(zip(problem.lower, problem.upper, strict=True))
    constraints = [] if g is None else [{"type": "ineq", "fun": lambda x: -g(list(x))}]
    found = [minimize(problem, x, method="SLSQP", bounds=bounds, constraints=constraints) for x in starts]
    feasible = [r.fun for r in found if g is None or g(list(r.x)) <= 1e-9]
    return float(min([*values, *feasible]))


@pytest.mark.parametrize("problem", ALL, ids=by_name)
def test_nothing_lies_below_the_stored_minimum(problem: Problem) -> None:
    assert lowest_found(problem) >= problem.minimum - 1e-9 * max(1.0, abs(problem.minimum))


@pytest.mark.parametrize("problem", ALL, ids=by_name)
def test_the_minimizer_lies_in_the_box_and_reaches_the_minimum(problem: Problem) -> None:
    x = problem.minimizer
    assert x is not None
    assert np.all((problem.lower <= x) & (x <= problem.upper))
    assert abs(problem(x) - problem.minimum) < 0.1 * floor_of(problem, DIGITS)
    if problem.constraint is not None:
        assert CONSTRAINTS[problem.constraint](x.tolist()) <= 1e-6


def test_the_ten_have_the_budgets_of_the_paper() -> None:
    assert {problem.name: problem.samples for problem in TEN} == {
        "brochu-2d": 50,
        "adjiman": 25,
        "brochu-4d": 75,
        "ackley": 75,
        "brochu-6d": 75,
        "hartman3": 60,
        "hartman6": 80,
        "rosenbrock8": 80,
        "stepfunction2": 40,
        "camelsixhumps": 30,
    }
    assert [problem.initial for problem in TEN] == [17, 9, 25, 25, 25, 20, 27, 27, 14, 10]


def test_the_constrained_example_has_the_settings_of_the_paper() -> None:
    (sasena,) = SASENA
    assert (sasena.samples, sasena.initial, sasena.delta, sasena.sigma) == (25, 8, 1.0, 1.0)
    assert sasena.minimum == pytest.approx(-1.1743, abs=5e-5)


def test_known_values_at_hand() -> None:
    assert PROBLEMS["ackley"](np.zeros(2)) == pytest.approx(0, abs=1e-12)
    assert PROBLEMS["stepfunction2"](np.array([1.2, -0.4, 3.0, 0.0])) == 10
    assert PROBLEMS["rosenbrock8"](np.zeros(8)) == 7
    assert PROBLEMS["brochu-2d"](np.zeros(2)) == 0


@pytest.mark.parametrize("problem", ALL, ids=by_name)
def test_one_point_and_many_points_agree(problem: Problem) -> None:
    points = np.random.default_rng(2).uniform(problem.lower, problem.upper, (2, 3, problem.dimension))
    values = problem.function(points)
    assert values.shape == (2, 3)
    assert values[1, 2] == pytest.approx(problem(points[1, 2]), rel=1e-12)


@pytest.mark.parametrize("problem", ALL, ids=by_name)
def test_the_range_is_positive_and_the_floor_a_part_of_it(problem: Problem) -> None:
    assert range_of(problem) > 0
    assert floor_of(problem) == FLOOR * range_of(problem)


@pytest.mark.parametrize("dimension", [2, 3, 6, 8])
def test_rotations_are_orthogonal(dimension: int) -> None:
    r = surfaces.rotation(dimension, key=101)
    np.testing.assert_allclose(r @ r.T, np.eye(dimension), atol=1e-12)
    np.testing.assert_array_equal(r, surfaces.rotation(dimension, key=101))
    assert np.max(np.abs(r)) < 0.999


@pytest.mark.parametrize("problem", TURNED, ids=by_name)
def test_no_variable_of_a_turned_problem_acts_alone(problem: Problem) -> None:
    """Every pair of variables has a mixed difference somewhere that a sum of one-variable functions cannot have."""
    rng = np.random.default_rng(3)
    width = problem.upper - problem.lower
    base = problem.lower + 0.8 * width * rng.random((50, problem.dimension))
    for i, j in combinations(range(problem.dimension), 2):
        step_i, step_j = (0.2 * width[k] * np.eye(problem.dimension)[k] for k in (i, j))
        f = problem.function
        mixed = f(base + step_i + step_j) - f(base + step_i) - f(base + step_j) + f(base)
        assert np.max(np.abs(mixed)) > 1e-3 * range_of(problem)


def test_the_sets_are_large_enough_and_names_are_unique() -> None:
    assert len(TURNED) >= 10
    assert len(OTHERS) >= 10
    assert len(PROBLEMS) == sum(len(group) for group in SETS.values())
    assert {problem.dimension for problem in TURNED} >= {2, 3, 4, 6, 8}

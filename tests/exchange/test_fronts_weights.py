"""Choosing scalarisation weights by preferences, section 6."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError, JudgeError
from prefero.exchange.fronts import InnerSolution, Scalarised, all_weights, choose_weights, simplex
from tests.complaints import complaint


def parabolas(z):
    """Three wishes for two numbers; the minimiser of Σ x_i F_i is the weighted mean of the centres."""
    return [(z[0] - 1) ** 2 + z[1] ** 2, (z[0] + 1) ** 2 + z[1] ** 2, z[0] ** 2 + (z[1] - 1) ** 2]


CENTRES = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
TARGET = np.array([0.6, 0.1, 0.3])


def near_target(F, G):
    wanted = np.array(parabolas(TARGET @ CENTRES))
    return pf.preference(lambda H: float(np.abs(H - wanted).sum()))(F, G)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_simplex_has_one_variable_less_than_weights(n):
    space = simplex(n)
    assert space.dimension == n - 1
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, n - 1))
    for candidate in (space.decode(x) for x in X[space.feasible(X)]):
        weights = all_weights(candidate)
        assert weights.shape == (n,)
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1)
    assert space.admits(pf.Candidate({name: 1.0 if k == 0 else 0.0 for k, name in enumerate(space.names)}))
    if n > 2:
        assert not space.admits(pf.Candidate(dict.fromkeys(space.names, 0.9)))


@pytest.mark.parametrize("n", [1, 0, -1, 2.5, "3", None, True])
def test_fewer_than_two_objectives_are_refused(n):
    with complaint(InputError, "n", repr(n), "a whole number, 2 or more"):
        simplex(n)


def test_the_inner_problem_is_solved_globally():
    low, high = np.array([-3.0, -3.0]), np.array([3.0, 3.0])
    z = Scalarised(parabolas, low, high, np.random.default_rng(0)).minimiser(TARGET)
    assert z == pytest.approx(TARGET @ CENTRES, abs=1e-4)

    def two_valleys(z):
        return [np.sin(5 * z[0]) + 0.1 * z[0] ** 2, 0.0]

    z = Scalarised(two_valleys, low[:1], high[:1], np.random.default_rng(0)).minimiser(np.array([1.0, 0.0]))
    grid = np.linspace(-3, 3, 10_001)
    assert z[0] == pytest.approx(grid[(np.sin(5 * grid) + 0.1 * grid**2).argmin()], abs=1e-3)


def test_weights_are_chosen_with_bounds():
    chosen = choose_weights(near_target, parabolas, n_objectives=3, bounds=([-3, -3], [3, 3]), comparisons=18, seed=0)
    assert chosen.weights.sum() == pytest.approx(1)
    assert chosen.weights == pytest.approx(TARGET, abs=0.2)
    assert chosen.decision == pytest.approx(chosen.weights @ CENTRES, abs=1e-3)
    assert chosen.objectives == pytest.approx(parabolas(chosen.decision))
    assert chosen.result.n_comparisons == 18
    assert isinstance(chosen.result.study.proposer, pf.Outcomes)


def test_weights_are_chosen_with_ones_own_solver():
    asked = []

    def solve(weights):
        asked.append(weights)
        return weights @ CENTRES

    chosen = choose_weights(near_target, parabolas, n_objectives=3, solve=solve, comparisons=18, seed=0)
    assert chosen.weights == pytest.approx(TARGET, abs=0.05)
    assert chosen.decision == pytest.approx(chosen.weights @ CENTRES)
    # Each choice of weights is solved once, the front's and those that are compared.
    assert len(asked) == 64 + len(chosen.result.study.candidates)
    only_objectives = choose_weights(
        near_target, None, n_objectives=3, solve=lambda w: parabolas(w @ CENTRES), comparisons=18, seed=0
    )
    assert only_objectives.weights == pytest.approx(chosen.weights)
    assert only_objectives.decision is None


def test_weights_can_be_what_is_learned_from():
    asked = []

    def solve(weights):
        asked.append(weights)
        return weights @ CENTRES

    arguments = {"n_objectives": 3, "solve": solve, "comparisons": 18, "seed": 0, "learn_from": "weights"}
    chosen = choose_weights(near_target, parabolas, **arguments)
    assert isinstance(chosen.result.study.proposer, pf.Posterior)
    assert len(asked) == len(chosen.result.study.candidates)
    asked.clear()
    assert choose_weights(near_target, parabolas, **arguments, proposer="glisp").result.n_comparisons == 18

    def anywhere(history, rng):
        return rng.uniform(-1, 0, 2)

    own = choose_weights(near_target, parabolas, **arguments | {"learn_from": "objectives"}, proposer=anywhere)
    assert own.result.n_comparisons == 18


def test_how_many_weights_are_solved_beforehand_is_for_the_user_to_say():
    asked = []

    def solve(weights):
        asked.append(weights)
        return weights @ CENTRES

    chosen = choose_weights(near_target, parabolas, n_objectives=3, solve=solve, comparisons=8, seed=0, front=5)
    assert len(asked) == 5 + len(chosen.result.study.candidates)


@pytest.mark.parametrize("failure", ["raises", "nan", "unbounded", "shape"])
def test_a_failing_inner_problem_loses_and_is_no_exception(failure):
    compared = []

    def solve(weights):
        if weights[0] > 0.5:
            if failure == "raises":
                raise ArithmeticError("no solution")
            return {"nan": [np.nan, 0.0], "unbounded": [-np.inf, 0.0], "shape": [1.0]}[failure]
        return [weights[0], 1 - weights[0]]

    def prefer(F, G):
        compared.append((F, G))
        return -1 if F[0] > G[0] else 1

    chosen = choose_weights(prefer, None, n_objectives=2, solve=solve, comparisons=10, seed=0)
    assert 0 < len(compared) < 10
    assert all(np.isfinite(pair).all() for pair in compared)
    assert 0.3 < chosen.weights[0] <= 0.5
    assert chosen.result.success


def test_all_inner_problems_failing_leaves_no_objectives():
    with pytest.warns(RuntimeWarning, match="none of 32 candidates leads to an outcome"):
        chosen = choose_weights(
            lambda F, G: 7, None, n_objectives=2, solve=lambda w: [np.nan] * 2, comparisons=4, seed=0
        )
    assert chosen.objectives is None
    assert chosen.result.n_comparisons == 4


def test_an_outcome_knows_whether_it_failed():
    assert InnerSolution(np.ones(2), None, None, "unbounded").failed
    assert not InnerSolution(np.ones(2), np.ones(2), None).failed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ("solve, bounds", "one of them")),
        ({"bounds": ([0], [1]), "solve": list}, ("solve, bounds", "one of them")),
        ({"bounds": ([0], [1]), "objectives": None}, ("objectives", "None", "F(z)")),
        ({"bounds": ([1], [0])}, ("x1", "low below high")),
        ({"solve": list, "n_objectives": 1}, ("n", "1", "2 or more")),
        ({"solve": list, "comparisons": 0}, ("comparisons", "0")),
        ({"solve": list, "learn_from": "decisions"}, ("learn_from", "'decisions'", "'objectives' or 'weights'")),
        ({"solve": list, "front": 0}, ("front", "0", "from 2 up")),
    ],
)
def test_wrong_arguments_are_refused(arguments, words):
    given = {"objectives": parabolas, "n_objectives": 2} | arguments
    with complaint(InputError, *words):
        choose_weights(lambda F, G: 0, given.pop("objectives"), **given)


def test_a_person_who_says_nonsense_about_objectives_is_named_and_what_was_known_is_kept():
    with complaint(JudgeError, "prefer", "7", '"a" or -1') as caught:
        choose_weights(lambda F, G: 7, None, n_objectives=2, solve=list, comparisons=4, seed=0)
    assert caught.value.result.n_comparisons == 0


def test_where_no_weights_lead_to_objectives_the_result_says_why():
    with pytest.warns(RuntimeWarning, match="none of 32 candidates leads to an outcome"):
        chosen = choose_weights(
            lambda F, G: 7, lambda z: 1 / 0, n_objectives=2, solve=lambda w: w, comparisons=4, seed=0
        )
    assert chosen.objectives is None
    assert "ZeroDivisionError" in chosen.message

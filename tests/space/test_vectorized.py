"""Constraint functions that take many candidates at once, and how often others are called."""

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

import prefero as pf

VARIABLES = {"x": pf.Real(0, 1), "y": pf.Real(0, 1), "colour": pf.Choice(["red", "blue"])}


def one(candidate):
    return candidate["x"] + candidate["y"] - (0.8 if candidate["colour"] == "red" else 1.2)


def many(columns):
    return columns["x"] + columns["y"] - np.where(columns["colour"] == "red", 0.8, 1.2)


def answered(space, answers=12):
    study = pf.Study(space, seed=3)
    for _ in range(answers):
        question = study.ask()
        study.tell(question, pf.preference(lambda c: (c["x"] - 0.7) ** 2 + (c["y"] - 0.6) ** 2)(question.a, question.b))
    return study


def test_the_questions_are_the_same_however_the_function_is_called():
    apart, together = answered(pf.Space(VARIABLES, one)), answered(pf.Space(VARIABLES, many, vectorized=True))
    assert [(e.a, e.b) for e in apart.answers] == [(e.a, e.b) for e in together.answers]


def test_scipys_constraints_get_one_candidate_in_each_column():
    two = {"x": pf.Real(0, 1), "y": pf.Real(0, 1)}
    single = pf.Space(two, NonlinearConstraint(lambda u: [u[0] * u[1], u[0] + u[1]], [0.1, -np.inf], [np.inf, 1.5]))
    whole = pf.Space(
        two,
        NonlinearConstraint(lambda u: np.array([u[0] * u[1], u[0] + u[1]]), [0.1, -np.inf], [np.inf, 1.5]),
        vectorized=True,
    )
    points = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    assert (single.feasible(points) == whole.feasible(points)).all()
    assert 0 < whole.feasible(points).sum() < 50


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda columns: 0.5, "one number for each candidate"),
        (lambda columns: columns["z"], "raised KeyError"),
        (lambda columns: columns["x"] > 0.5, "a number, at most 0"),
        (lambda columns: np.full(len(columns["x"]), np.nan), "finite numbers"),
    ],
)
def test_what_a_vectorised_function_may_not_return(function, words):
    with pytest.raises(pf.PreferoError, match=words):
        pf.Space(VARIABLES, function, vectorized=True)


def test_vectorized_is_true_or_false():
    with pytest.raises(pf.PreferoError, match="vectorized: got 'yes'"):
        pf.Space(VARIABLES, many, vectorized="yes")


def test_a_slow_constraint_is_called_at_most_500_times_a_question():
    """In the median, and if the person likes best what is not allowed; all points of the search would be 1,400."""
    calls = []

    def counted(candidate):
        calls.append(candidate)
        return sum(candidate.values()) - 1.5

    study, counts = pf.Study(pf.Space({f"x{k}": pf.Real(0, 1) for k in range(5)}, counted), seed=0), []
    for _ in range(30):
        calls.clear()
        question = study.ask()
        counts.append(len(calls))
        study.tell(question, pf.preference(lambda c: sum((v - 0.6) ** 2 for v in c.values()))(question.a, question.b))
    assert np.median(counts) <= 500

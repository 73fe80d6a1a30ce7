"""Every proposal is a candidate of its kind, satisfies the known constraints, and is new."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import LinearConstraint, NonlinearConstraint

import prefero as pf
from tests.strategies import (
    begun,
    each_proposer,
    for_each_proposer,
    is_a_check,
    next_question,
    proposer_of,
    seeds,
    spaces,
)

CONSTRAINED = {
    "linear": (
        {"x": pf.Real(0, 4), "y": pf.Real(0, 4)},
        LinearConstraint([[1, 2], [-1, 1]], -np.inf, [5, 1]),
        lambda c: [c["x"] + 2 * c["y"] - 5, c["y"] - c["x"] - 1],
    ),
    "both sides": (
        {"x": pf.Real(0, 1), "y": pf.Real(0, 1)},
        LinearConstraint([[1, -1]], -0.05, 0.05),
        lambda c: [abs(c["x"] - c["y"]) - 0.05],
    ),
    "linear over a log variable": (
        {"x": pf.Real(0.01, 10, log=True), "y": pf.Real(0, 5)},
        LinearConstraint([[1, 1]], -np.inf, 4),
        lambda c: [c["x"] + c["y"] - 4],
    ),
    "a ring": (
        {"x": pf.Real(-2, 2), "y": pf.Real(-2, 2)},
        NonlinearConstraint(lambda u: u @ u, 0.8, 1.2),
        lambda c: [abs(c["x"] ** 2 + c["y"] ** 2 - 1) - 0.2],
    ),
    "of Sasena et al.": (
        {"x": pf.Real(0, 5), "y": pf.Real(0, 5)},
        lambda c: -np.sin(c["x"] - c["y"] - np.pi / 8),
        lambda c: [-np.sin(c["x"] - c["y"] - np.pi / 8)],
    ),
    "integers and levels": (
        {"k": pf.Integer(0, 3), "c": pf.Choice(["a", "b"]), "x": pf.Real(0, 3)},
        lambda c: c["k"] + c["x"] - (4 if c["c"] == "a" else 2),
        lambda c: [c["k"] + c["x"] - (4 if c["c"] == "a" else 2)],
    ),
    "many integers": (
        {"k": pf.Integer(0, 99), "m": pf.Integer(0, 99)},
        LinearConstraint([[3, 5]], -np.inf, 200),
        lambda c: [3 * c["k"] + 5 * c["m"] - 200],
    ),
}
each_constraint = pytest.mark.parametrize("kind", CONSTRAINED)


@cache
def constrained(kind: str) -> pf.Space:
    variables, constraints, _ = CONSTRAINED[kind]
    return pf.Space(variables, constraints)


def outwards(space: pf.Space, seed: int):
    """Somebody whose favourite lies in a corner, beyond the constraints."""
    corner = np.random.default_rng(seed).choice([-1.0, 1.0], space.dimension)
    return pf.preference(lambda c: float(((space.encode(c) - corner) ** 2).sum()))


def check_kind(space: pf.Space, candidate: pf.Candidate) -> None:
    for name, variable in space.variables.items():
        value = candidate[name]
        if isinstance(variable, pf.Choice):
            assert value in variable.levels
        else:
            assert type(value) is (int if isinstance(variable, pf.Integer) else float)
            assert variable.low <= value <= variable.high


@each_proposer
@each_constraint
@settings(max_examples=2)
@given(seed=seeds)
def test_no_candidate_shown_violates_a_constraint(proposer, kind, seed):
    space, rows = constrained(kind), CONSTRAINED[kind][2]
    drawn = np.random.default_rng(0).uniform(-1, 1, (200, space.dimension))
    scale = np.median(np.abs([rows(space.decode(x)) for x in space.snap(drawn)]), axis=0)
    shown = []

    def prefer(a, b):
        shown.extend([a, b])
        return outwards(space, seed)(a, b)

    pf.optimize(prefer, space, comparisons=11, seed=seed, proposer=proposer_of(proposer, space))
    for candidate in shown:
        check_kind(space, candidate)
        assert (np.array(rows(candidate)) <= 1.001e-8 * scale).all()
    assert max(np.max(rows(candidate) / scale) for candidate in shown) > -1  # the constraint was felt


@for_each_proposer(10, space=spaces, seed=seeds)
def test_no_candidate_is_proposed_twice_while_there_is_another(proposer, space, seed):
    prefer = outwards(space, seed)
    study = begun(proposer, space, 10, seed=seed, sides="incumbent first")
    seen = set()
    everything = space.points()
    for _ in range(12):
        question = next_question(study)
        if question is None or (everything is not None and len(seen) == len(everything)):
            break
        check_kind(space, question.a)
        check_kind(space, question.b)
        assert question.a != question.b
        assert question.b not in seen or is_a_check(question)
        seen |= {question.a, question.b}
        study.tell(question, prefer(question.a, question.b))
    assert len(study.history.points) == len(seen)


@pytest.mark.parametrize("knobs", [{"exploration": 0.0}, {"acquisition": "improvement", "exploration": 0.0}])
@pytest.mark.parametrize("search", ["multistart", "swarm", "direct"])
def test_a_proposal_is_new_even_where_the_surrogate_alone_is_trusted(knobs, search):
    space = pf.Space.box([0], [1])
    proposer = pf.Glisp(search=search, initial_samples=3, **knobs)
    result = pf.optimize(outwards(space, 0), space, comparisons=16, seed=0, proposer=proposer)
    points = result.study.history.points[:, 0]
    assert len(points) == 17
    assert np.diff(np.sort(points)).min() > 1e-7


@pytest.mark.parametrize("start", [[[0.5, 0.5]] * 3, [[0.5, 0.5], [0.5 + 1e-13, 0.5]]])
def test_a_start_that_repeats_itself_is_asked_about_once(start):
    study = pf.Study(([0, 0], [1, 1]), comparisons=6, seed=0, start=start)
    for _ in range(6):
        question = study.ask()
        assert np.abs(np.asarray(question.a) - np.asarray(question.b)).max() > 1e-9
        study.tell(question, "a" if question.a[0] < question.b[0] else "b")
    known = study.history.points
    assert len(known) >= 4  # some questions confirm an answer
    assert len(np.unique(known.round(9), axis=0)) == len(known)

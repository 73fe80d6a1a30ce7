"""The first candidates: Latin hypercubes, feasible ones, and when to give up."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint

import prefero as pf
from prefero.errors import InfeasibleError
from prefero.space import design
from tests.complaints import complaint
from tests.strategies import seeds, spaces


@given(st.integers(1, 40), st.integers(1, 6), seeds)
def test_every_slice_of_every_coordinate_has_one_point(n, dimension, seed):
    X = design.latin_hypercube(n, dimension, np.random.default_rng(seed))
    assert X.shape == (n, dimension)
    assert np.abs(X).max() <= 1
    slices = np.floor((X + 1) / 2 * n).astype(int)
    assert (np.sort(slices, axis=0) == np.arange(n)[:, None]).all()


def test_the_coordinates_of_a_hypercube_are_not_in_step():
    X = design.latin_hypercube(200, 2, np.random.default_rng(0))
    assert abs(np.corrcoef(X.T)[0, 1]) < 0.25


@given(spaces, st.integers(2, 12), seeds)
def test_the_first_candidates_are_different_and_feasible(space, n, seed):
    X = design.initial(space, n, np.random.default_rng(seed))
    everything = space.points()
    assert len(X) == (n if everything is None else min(n, len(everything)))
    assert len({space.decode(x) for x in X}) == len(X)
    assert space.feasible(X).all()
    assert space.snap(X) == pytest.approx(X, abs=1e-12)


STRIP = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, LinearConstraint([[1, -1]], -0.01, 0.01))


def test_the_hypercube_grows_until_enough_of_it_is_feasible(monkeypatch):
    drawn = []
    plain = design.latin_hypercube
    monkeypatch.setattr(design, "latin_hypercube", lambda n, *rest: drawn.append(n) or plain(n, *rest))
    X = design.initial(STRIP, 8, np.random.default_rng(0))
    assert len(X) == 8
    assert STRIP.feasible(X).all()
    assert drawn[0] == 8
    assert drawn == sorted(set(drawn))
    assert 100 < drawn[-1] < 20_000


def test_it_says_how_likely_feasibility_is_when_it_gives_up():
    thin = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, LinearConstraint([[1, -1]], -1e-9, 1e-9))
    with complaint(
        InfeasibleError, "constraints", "candidates drawn", "8 are needed", "probability", "below 2e-05", "start="
    ):
        design.initial(thin, 8, np.random.default_rng(0))
    thicker = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, LinearConstraint([[1, -1]], -2e-4, 2e-4))
    with complaint(InfeasibleError, "only", "90 are needed", "probability") as caught:
        design.initial(thicker, 90, np.random.default_rng(0))
    share = float(re.search(r"about (\S+)\. Narrow", str(caught.value)).group(1))
    assert share == pytest.approx(4e-4, rel=0.5)


def test_start_helps_where_the_design_gives_up():
    thin = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, LinearConstraint([[1, -1]], -1e-9, 1e-9))
    with complaint(InfeasibleError, "probability"):
        pf.Study(thin, comparisons=4, seed=0).ask()
    study = pf.Study(thin, comparisons=4, seed=0, start=[[0.1, 0.1], [0.5, 0.5]])
    question = study.ask()
    assert {question.a["x"], question.b["x"]} == {0.1, 0.5}


def test_case_i_uses_one_plain_hypercube_with_a_feasible_first_point():
    rng = np.random.default_rng(3)
    X = design.initial(STRIP, 12, rng, infeasible=True)
    feasible = STRIP.feasible(X)
    assert len(X) == 12
    assert feasible[0]
    assert not feasible.all()
    half = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, LinearConstraint([[1, 1]], -np.inf, 1))
    Y = design.initial(half, 12, np.random.default_rng(0), infeasible=True)
    slices = np.floor((Y + 1) / 2 * 12).astype(int)
    assert (np.sort(slices, axis=0) == np.arange(12)[:, None]).all()
    assert np.all(np.diff(half.feasible(Y).astype(int)) <= 0)


def test_a_finite_space_begins_with_candidates_far_apart():
    space = pf.Space({"k": pf.Integer(0, 100)})
    X = design.initial(space, 3, np.random.default_rng(0))
    chosen = sorted(space.decode(x)["k"] for x in X)
    assert chosen[0] <= 25
    assert chosen[-1] >= 75
    assert min(np.diff(chosen)) >= 10

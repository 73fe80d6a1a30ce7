"""A proposer's state is a fold over the answers: built from nothing it is the same as carried along."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.proposers.protocol import Task

f = pf.preference(lambda c: (c["x1"] - 0.4) ** 2 + np.sin(4 * c["x2"]) + 0.3 * c["x1"] * c["x2"])


def run(proposer: pf.Glisp, answers: int, comparisons: int, seed: int, noise: float = 0.2) -> pf.Study:
    rng = np.random.default_rng(seed)
    study = pf.Study(pf.Space.box([-1, -1], [1, 1]), comparisons=comparisons, seed=seed, proposer=proposer)
    for _ in range(answers):
        question = study.ask()
        said = f(question.a, question.b)
        study.tell(question, -said if rng.random() < noise else said)
    return study


@pytest.mark.parametrize(("of", "seed"), [("first", 1), ("current", 2)])
def test_a_state_built_from_nothing_is_the_state_carried_along(of, seed):
    proposer = pf.Glisp(calibration_of=of)
    study = run(proposer, answers=18, comparisons=14, seed=seed)
    task = Task(study.space, 14, seed, np.zeros((0, 2)))
    state, rng, shapes = None, np.random.default_rng(0), set()
    for k in range(19):
        state = proposer.advance(state, study.history.prefix(k), task, rng)
        shapes.add(state.shape)
        if k in (0, 4, 6, 9, 14, 16, 18):
            anew = proposer.advance(None, study.history.prefix(k), task, rng)
            assert anew.shape == state.shape
            assert np.array_equal(anew.distances.D2, state.distances.D2)
    assert len(shapes) > 1


@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_proposing_changes_nothing(seed):
    study = run(pf.Glisp(), answers=7, comparisons=9, seed=seed)
    task = Task(study.space, 9, seed, np.zeros((0, 2)))
    state = study.proposer.advance(None, study.history, task, np.random.default_rng(0))
    one, two = (study.proposer.propose(state, study.history, task, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(one.first, two.first)
    assert np.array_equal(one.second, two.second)

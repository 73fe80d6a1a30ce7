"""The hallucination believer and Thompson sampling: what they propose after a few answers."""

import numpy as np
import pytest

from benchmarks.peers.believer_driver import Hallucination, Model, propose


def answered() -> Model:
    """Three samples on a line; the first beat both others."""
    model = Model(2)
    model.X = np.array([[0.5, 0.5], [0.1, 0.5], [0.9, 0.5]])
    model.answers = [(0, 1), (0, 2)]
    return model


@pytest.mark.parametrize("thompson", [False, True])
def test_the_winner_meets_a_new_candidate_in_the_box(thompson: bool) -> None:
    opponent, new = propose(answered(), np.random.default_rng(0), thompson)
    assert opponent == 0
    assert ((new >= 0) & (new <= 1)).all()
    assert np.abs(answered().X - new).max(axis=1).min() > 0


def test_drawn_utilities_agree_with_the_answers() -> None:
    model = answered()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        u = Hallucination(model, rng).drawn(model.X, rng)
        assert u[0] > max(u[1:]) - 0.05  # an answer's noise has a standard deviation of 0.01


def test_thompson_sampling_draws_anew_each_time() -> None:
    first, second = (propose(answered(), np.random.default_rng(seed), thompson=True)[1] for seed in (1, 2))
    assert not np.allclose(first, second)

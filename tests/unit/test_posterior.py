"""The posterior proposer's own decisions: its knobs, and when it asks again."""

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.errors import InputError
from prefero.proposers.posterior import AGAIN, repeated, worth_repeating


def history_of(*comparisons):
    return History(np.linspace(-1, 1, 8)[:, None], np.ones(8, bool), tuple(Comparison(*c) for c in comparisons))


@pytest.mark.parametrize(
    ("knobs", "named"),
    [
        ({"turns": ()}, "turns"),
        ({"turns": ("global", "sideways")}, "turns"),
        ({"initial_samples": 1}, "initial_samples"),
        ({"noise": -0.1}, "noise"),
        ({"tie": float("nan")}, "tie"),
    ],
)
def test_a_wrong_knob_is_refused_by_name(knobs, named):
    with pytest.raises(InputError, match=named):
        pf.Posterior(**knobs)


def test_knobs_survive_the_journey_through_json():
    knobs = pf.Posterior(turns=["global", "explore"], initial_samples=4, noise=0.2)
    assert pf.Study.from_json(pf.Study(([0.0], [1.0]), seed=0, proposer=knobs).to_json()).proposer == knobs


def test_repeated_pairs_are_counted_whatever_their_sides():
    assert repeated(history_of((0, 1, -1), (1, 0, 1), (1, 2, -1))) == (1, 0)
    assert repeated(history_of((0, 1, -1), (1, 0, -1), (2, 3, 0), (2, 3, 0))) == (1, 1)


def test_a_newcomer_that_wins_against_all_expectation_is_asked_about_again():
    surprise = history_of((0, 1, -1), (0, 2, 1))
    assert worth_repeating(surprise, expected=0.01)
    assert not worth_repeating(surprise, expected=0.3)
    assert not worth_repeating(history_of((0, 1, -1), (0, 2, -1)), expected=0.01)


def test_two_answers_that_disagree_are_settled_by_a_third():
    assert worth_repeating(history_of((0, 2, 1), (0, 2, -1)), expected=1.0)
    assert not worth_repeating(history_of((0, 2, 1), (0, 2, 1)), expected=0.01)
    assert not worth_repeating(history_of((0, 2, 1), (0, 2, -1), (0, 2, 1)), expected=0.01)


def test_a_person_who_confirmed_three_surprises_is_believed_at_once():
    confirmed = [(0, 1, 1), (0, 1, 1), (1, 2, 1), (1, 2, 1), (2, 3, 1), (2, 3, 1)]
    assert not worth_repeating(history_of(*confirmed, (3, 4, 1)), expected=0.01)
    assert worth_repeating(history_of(*confirmed, (3, 5, 1), (3, 5, -1), (3, 5, 1), (5, 4, 1)), expected=0.01)


def test_the_question_says_that_it_is_asked_again():
    """Somebody who likes small x, and errs once, badly, late."""
    study = pf.Study(([0.0], [1.0]), comparisons=20, seed=3, proposer="posterior", sides="incumbent first")
    for _ in range(12):
        question = study.ask()
        study.tell(question, "a" if question.a[0] < question.b[0] else "b")
    told, notes = study.best, []
    for _ in range(8):
        question = study.ask()
        notes.append(question.note)
        far = question.b[0] > question.a[0] + 0.2
        study.tell(question, "b" if far and AGAIN not in notes else "a" if question.a[0] < question.b[0] else "b")
    assert AGAIN in notes
    assert study.best[0] <= told[0] + 0.05

"""The answers that deserve a second look are named, asked again with swapped sides, and then no longer named."""

import pytest

import prefero as pf
from prefero.errors import InputError
from prefero.insight import second_thoughts
from prefero.insight.doubts import Drift


def prefers(question):
    return "a" if question.a["x1"] + question.a["x2"] > question.b["x1"] + question.b["x2"] else "b"


def answered(count=14, flipped=(), **settings):
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), seed=3, comparisons=20, **settings)
    for _ in range(count):
        question = study.ask()
        said = prefers(question)
        study.tell(question, {"a": "b", "b": "a"}[said] if question.step in flipped else said)
    return study


def test_a_slip_is_named_first_and_no_longer_after_it_was_changed():
    study = answered(flipped={2})
    found = second_thoughts(study)
    assert found.looks[0].entry.step == 2
    assert "second look" in found.words
    assert found.table.rows[0][0] == 2
    study.log.correct(2, prefers(study.log.question(2)))
    assert all(look.entry.step != 2 for look in second_thoughts(study).looks)


def test_an_answer_that_was_repeated_had_its_second_look():
    study = answered(flipped={2})
    question = study.probe(2)
    study.tell(question, prefers(question))
    again = study.probe(2)
    said = study.log.state.responses[2].said
    study.tell(again, {"a": "b", "b": "a"}[said])  # the same candidate, on the other side
    assert all(look.entry.step != 2 for look in second_thoughts(study).looks)


def test_before_the_first_answer_there_is_nothing_to_doubt():
    found = second_thoughts(pf.Study(pf.Space.box([0], [1]), seed=0))
    assert (found.looks, found.drifts) == ((), ())
    assert found.words == "No answer stands out as a slip."


def test_each_judge_is_compared_with_their_own_answers():
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), seed=3, comparisons=40)
    for _ in range(12):
        for judge, sign in (("Ada", 1), ("Bob", -1)):
            question = study.ask(judge)
            study.tell(question, "a" if sign * (question.a["x1"] - question.b["x1"]) > 0 else "b")
    slips = study.learned.slips()
    assert slips.max() < 0.5  # they want opposite things, which is nobody's slip
    assert {drift.judge for drift in second_thoughts(study).drifts} == {"Ada", "Bob"}
    assert [drift.judge for drift in second_thoughts(study, judge="Bob").drifts] == ["Bob"]
    with pytest.raises(InputError, match="judge"):
        study.learned.drift("Cy")


def test_a_drift_says_what_was_found():
    assert Drift("Ada", 0.99, 20).words.startswith("The early answers of Ada do not fit the late ones")
    assert Drift("", 0.4, 20).words == "The early and the late answers of (not named) fit one taste."


def test_a_study_with_a_half_life_is_stored_and_asks_the_same():
    study = answered(6, proposer=pf.Posterior(half_life=10))
    again = pf.Study.from_json(study.to_json())
    assert again.proposer.half_life == 10
    assert again.ask() == study.ask()
    assert "half_life" not in pf.Posterior().to_dict()
    for wrong in (0, -1, float("inf"), "x"):
        with pytest.raises(InputError, match="half_life"):
            pf.Posterior(half_life=wrong)

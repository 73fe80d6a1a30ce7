"""From reasons to suggested hints, which count only when somebody confirms them."""

import pytest

import prefero as pf
from prefero.errors import InputError, JudgeError


def told(reason="too bitter"):
    study = pf.Study(pf.Space({"dose": pf.Real(10, 20), "milk": pf.Choice(["oat", "soy"])}), comparisons=9, seed=0)
    return study, study.tell(study.ask(), pf.because("a", reason), judge="")


def test_a_reason_suggests_hints_that_a_person_confirms():
    study, record = told()
    heard = []

    def reasons(answer):
        heard.append(answer)
        return [{"kind": "less", "variable": "dose", "why": "bitter"}, {"kind": "near"}]

    before = study.to_json()
    less, near = pf.suggestions(study, record, reasons)
    assert study.to_json() == before  # nothing counts yet
    assert (less.words, less.why, near.words) == ("less dose", "bitter", "near")
    [answer] = heard
    assert (answer["reason"], answer["answer"], answer["step"]) == ("too bitter", "a", 0)
    assert answer["a"] == dict(study.log.question(0).a) == answer["best"]
    assert answer["variables"] == ["dose", "milk"]
    assert less.confirm(study, note="yes").event.variable == "dose"
    near.confirm(study)
    assert [entry.answer for entry in study.answers][1:] == ["less dose", "near for 5 questions"]


def test_what_the_study_would_refuse_is_not_suggested():
    study, record = told()
    found = [
        {"kind": "more", "variable": "milk"},
        {"kind": "warmer"},
        {"kind": "free"},
        {"kind": "less", "variable": "dose"},
    ]
    assert [each.words for each in pf.suggestions(study, record, lambda _: found)] == ["less dose"]
    assert pf.suggestions(study, record, lambda _: None) == ()
    study, record = told(reason="")
    assert pf.suggestions(study, record, lambda _: found) == ()


@pytest.mark.parametrize(
    "reply",
    [
        [{"variable": "dose"}],
        ["less dose"],
        [{"kind": "less", "variable": 3}],
        [{"kind": "less", "power": 9000}],
        7,
    ],
)
def test_a_function_that_fails_loses_no_answer(reply):
    study, record = told()
    before = study.to_json()
    with pytest.raises(JudgeError, match="reasons"):
        pf.suggestions(study, record, lambda _: reply)

    def raises(_):
        raise RuntimeError("no network")

    with pytest.raises(JudgeError, match="no network"):
        pf.suggestions(study, record, raises)
    assert study.to_json() == before
    assert study.answers[0].note == "too bitter"


def test_a_rating_has_reasons_too():
    study, _ = told()
    record = study.rate({"dose": 12, "milk": "oat"}, 1, note="too bitter")
    [less] = pf.suggestions(study, record, lambda told: [{"kind": "less", "variable": "dose"}] * (told["step"] is None))
    assert less.words == "less dose"


def test_no_reason_and_no_time_is_lost_silently():
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), seed=0)
    question = study.ask()
    with pytest.raises(InputError, match="one reason"):
        study.tell(question, pf.because("a", "less noise"), note="smoother")
    study.tell(question, pf.because("a", "less noise"), note="less noise")
    with pytest.raises(InputError, match="nothing to correct"):
        study.log.correct(0, "a", note="smoother")
    study.log.correct(0, "a", note="less noise")  # said twice
    with pytest.raises(InputError, match="seconds"):
        study.tell(([0.1, 0.2], [0.3, 0.4]), "a", seconds=3.0)
    assert [entry.note for entry in study.answers] == ["less noise"]

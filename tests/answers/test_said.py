"""What is said beside an answer: it goes with it through the library, files and `optimize`."""

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Said, as_said
from prefero.errors import AnswerError, InputError, JudgeError
from prefero.exchange import tables

SPACE = pf.Space.box([0, 0], [1, 1])


def test_an_answer_takes_a_reason_and_a_doubt_in_any_order():
    assert pf.unsure("a") == Said("a", sure=False)
    assert pf.because("a", "less noise") == Said("a", note="less noise")
    assert pf.unsure(pf.because("a", "hm")) == pf.because(pf.unsure("a"), "hm") == Said("a", False, "hm")
    assert as_said("b") == Said("b")


def test_both_are_stored_shown_exported_and_corrected():
    study = pf.Study(SPACE, comparisons=8, seed=1)
    study.tell(study.ask(), pf.because("a", "less noise"))
    study.tell(study.ask(), "much b", sure=False, note="hm")
    study.skip(study.ask(), note="too dark")
    study.tell((study.candidates[0], study.candidates[1]), pf.unsure("b"))
    said = [(entry.answer, entry.sure, entry.note) for entry in study.answers]
    assert said == [("a", True, "less noise"), ("much b", False, "hm"), ("skipped", True, "too dark"), ("b", False, "")]
    assert [c.sure for c in study.history.comparisons] == [True, False, False]
    assert "less noise" in tables.answers_csv(study)
    again = pf.Study.from_json(study.to_json())
    assert again.answers == study.answers
    assert again.ask() == study.ask()
    copy = pf.Study(SPACE, comparisons=8, seed=1)
    tables.import_csv(copy, tables.answers_csv(study))
    assert [c.sure for c in copy.history.comparisons] == [True, False, False]
    study.log.correct(0, pf.unsure("a"))
    assert not study.answers[0].sure
    study.log.correct(0, "a")
    assert (study.answers[0].sure, study.answers[0].corrected) == (True, True)


@pytest.mark.parametrize(
    ("said", "more"),
    [
        (pf.unsure("c"), {}),
        ("a", {"sure": "no"}),
        ("a", {"sure": 0}),
        (Said("a", sure=None), {}),
        (pf.unsure("neither"), {}),
        ("a unacceptable", {"sure": False}),
        (pf.because("a", 7), {}),
        (pf.because("a", "\x00"), {}),
    ],
)
def test_what_is_wrong_stores_nothing(said, more):
    study = pf.Study(SPACE, comparisons=8, seed=1)
    question, before = study.ask(), study.to_json()
    with pytest.raises((AnswerError, InputError)):
        study.tell(question, said, **more)
    assert study.to_json() == before


def test_a_wrong_cell_of_csv_is_refused():
    study = pf.Study(SPACE, comparisons=8, seed=1)
    study.tell(study.ask(), "a")
    text = tables.answers_csv(study).replace("True", "perhaps")
    with pytest.raises(InputError, match="sure"):
        tables.import_csv(pf.Study(SPACE, seed=1), text)


def test_optimize_takes_both():
    def prefer(a, b):
        lead = float(np.sum((b - 0.3) ** 2) - np.sum((a - 0.3) ** 2))
        answer = pf.because("a" if lead > 0 else "b", "nearer")
        return pf.unsure(answer) if abs(lead) < 0.05 else answer

    study = pf.optimize(prefer, ([0, 0], [1, 1]), comparisons=9, seed=1).study
    assert {entry.note for entry in study.answers} == {"nearer"}
    assert 0 < sum(not entry.sure for entry in study.answers) < 9
    skipping = pf.optimize(lambda a, b: pf.because("skip", "dark"), ([0, 0], [1, 1]), comparisons=2, seed=1)
    assert skipping.study.answers[0].note == "dark"
    with pytest.raises(JudgeError, match="answer"):
        pf.optimize(lambda a, b: pf.unsure("perhaps"), ([0, 0], [1, 1]), comparisons=2, seed=1)

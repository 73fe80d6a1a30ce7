"""Probes: an old pair with its sides swapped, or one candidate on both sides. Not being able to judge is never a tie."""

import pytest

import prefero as pf
from prefero.errors import QuestionError
from prefero.exchange.tables import answers_csv


@pytest.fixture
def study():
    made = pf.Study(pf.Space.box([0, 0], [1, 1]), seed=1, comparisons=12)
    for said in ("a", "b", "same"):
        made.tell(made.ask(), said)
    return made


def test_an_old_pair_is_asked_again_with_its_sides_swapped(study):
    old, question = study.log.question(1), study.probe(1)
    assert (question.a, question.b) == (old.b, old.a)
    assert question.note == "a second look at question 1"
    assert study.ask() == question  # it waits as any other
    study.tell(question, "a")  # the same candidate as before
    first, second = study.history.comparisons[1], study.history.comparisons[-1]
    assert (first.winner, first.loser) == (second.winner, second.loser)
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()


def test_one_candidate_on_both_sides_tells_nothing_about_candidates(study):
    question = study.probe(judge="Ada")
    assert question.a == question.b == study.best
    before = study.history.comparisons
    study.tell(question, "b")
    assert study.history.comparisons == before
    assert study.answers[-1].answer == "b"
    study.ask("Ada")


def test_an_imported_comparison_can_be_asked_about(study):
    study.tell(({"x1": 0.1, "x2": 0.2}, {"x1": 0.3, "x2": 0.4}), "a", judge="Ada")
    question = study.probe(-1)
    assert (question.a["x1"], question.b["x1"], question.judge) == (0.3, 0.1, "Ada")
    study.tell(question, "b")
    assert study.history.comparisons[-1].winner == study.history.comparisons[-2].winner


@pytest.mark.parametrize("step", [9, "1", True, 1.0])
def test_what_was_never_answered_cannot_be_asked_again(study, step):
    records = len(study.log.records)
    with pytest.raises(QuestionError):
        study.probe(step)
    assert len(study.log.records) == records


def test_a_pair_with_a_candidate_that_failed_is_not_shown_again(study):
    study.fail(study.probe(1), "a")
    with pytest.raises(QuestionError, match="can no longer be shown"):
        study.probe(1)


def test_nothing_was_compared_yet():
    with pytest.raises(QuestionError, match="answer a question first"):
        pf.Study(pf.Space.box([0], [1]), seed=0).probe()


@pytest.mark.parametrize("proposer", ["posterior", "glisp", "pbo"])
def test_not_being_able_to_judge_is_never_read_as_a_tie(proposer):
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), seed=1, comparisons=12, proposer=proposer)
    for _ in range(4):
        study.tell(study.ask(), "a")
    known, best = study.history.comparisons, study.best
    means = study.learned.utilities(study.candidates)[0]
    question = study.ask()
    study.skip(question)
    assert study.history.comparisons == known
    assert study.history.answered == 4
    assert study.best == best
    assert study.learned.utilities(study.candidates[: len(means)])[0] == pytest.approx(means)
    assert {study.ask().a, study.ask().b} != {question.a, question.b}
    again = pf.Study.from_json(study.to_json())
    assert again.history.comparisons == known
    assert again.answers[-1].answer == "skipped"


def test_a_reason_is_stored_shown_and_exported(study):
    study.tell(study.ask(), "a", note="less bitter, “rounder”")
    study.skip(study.ask(), note="both cold")
    again = pf.Study.from_json(study.to_json())
    assert [entry.note for entry in again.answers[-2:]] == ["less bitter, “rounder”", "both cold"]
    assert "less bitter, “rounder”" in answers_csv(study)

"""Questions by their number, those that wait, and an undo that says what it means to take back."""

import pytest

import prefero as pf
from prefero.errors import QuestionError
from tests.complaints import complaint


@pytest.fixture
def study():
    return pf.Study(([0, 0], [1, 1]), seed=0)


def test_a_question_is_found_by_its_number_whatever_became_of_it(study):
    first = study.ask()
    study.tell(first, "a")
    second = study.ask("ann")
    assert study.log.question(0) == first
    assert study.log.question(1) == second


@pytest.mark.parametrize("step", [1, -1, True, "0", None])
def test_a_question_that_was_not_asked_is_refused(study, step):
    study.ask()
    with complaint(QuestionError, "step", unchanged=study):
        study.log.question(step)


def test_every_judges_waiting_question_is_listed(study):
    assert tuple(study.waiting.values()) == ()
    questions = study.ask(), study.ask("ann"), study.ask("bob")
    assert tuple(study.waiting.values()) == questions
    study.tell(questions[1], "b")
    assert tuple(study.waiting.values()) == (questions[0], questions[2])


def test_undo_takes_back_only_what_is_meant(study):
    for _ in range(2):
        study.tell(study.ask(), "a")
    with complaint(QuestionError, "step", "1, the question that was answered last", unchanged=study):
        study.undo(step=0)
    assert study.undo(step=1).step == 1
    with complaint(QuestionError, "0", unchanged=study):
        study.undo(step=1)

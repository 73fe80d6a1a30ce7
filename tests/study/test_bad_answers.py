"""A person or a function that answers nonsense, raises or contradicts itself."""

import pytest

import prefero as pf
from prefero.answers import contradictions
from prefero.errors import AnswerError, InputError, JudgeError, QuestionError
from prefero.study.loop import Status
from tests.complaints import complaint
from tests.strategies import distance_to

SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
sensible = pf.preference(distance_to([0.3, 0.6]))


def after(answers: int, then):
    """A judge that is sensible at first."""
    count = 0

    def prefer(a, b):
        nonlocal count
        count += 1
        return sensible(a, b) if count <= answers else then(a, b)

    return prefer


def failing(a, b):
    raise RuntimeError("the machine stopped")


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (lambda a, b: 7, ("prefer", "7", '"a" or -1')),
        (lambda a, b: None, ("prefer", "None", '"a" or -1')),
        (lambda a, b: True, ("prefer", "True", '"a" or -1')),
        (lambda a, b: "A", ("prefer", "'A'", '"a" or -1')),
        (failing, ("prefer", "RuntimeError", "the machine stopped", "Candidate(x=")),
        (lambda a, b: next(iter(())), ("prefer", "StopIteration")),
        (lambda a, b: SPACE.candidate(3), ("prefer", "InputError", "a mapping")),
    ],
)
def test_a_judge_that_fails_is_named_and_what_was_known_is_kept(then, words):
    with complaint(JudgeError, *words) as caught:
        pf.optimize(after(4, then), SPACE, comparisons=9, seed=0)
    result = caught.value.result
    assert result.status is Status.JUDGE_FAILED
    assert not result.success
    assert result.n_comparisons == 4 == len(result.incumbents)
    assert result.best == pf.optimize(sensible, SPACE, comparisons=9, seed=0).incumbents[3]
    assert "4 comparisons" in result.message
    assert result.study.waiting.get("") is not None
    result.study.tell(result.study.ask(), "a")


def test_a_judge_that_fails_at_once_leaves_nothing_known():
    with pytest.raises(JudgeError) as caught:
        pf.optimize(failing, SPACE, comparisons=3, seed=0)
    assert caught.value.result.best is None
    assert caught.value.result.x is None
    assert "nothing yet" in str(caught.value.result)
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize("prefer", [None, "a", 3])
def test_what_cannot_be_called_is_not_a_judge(prefer):
    with complaint(AnswerError, "prefer", repr(prefer), "a function prefer(a, b)"):
        pf.optimize(prefer, SPACE)


@pytest.mark.parametrize("arguments", [{"comparisons": 0}, {"seed": 0.5}, {"proposer": "magic"}, {"start": [3]}])
def test_optimize_checks_its_arguments_before_it_asks(arguments):
    with complaint(InputError, next(iter(arguments))):
        pf.optimize(failing, SPACE, **arguments)


def test_a_judge_that_contradicts_itself_is_counted_and_believed_as_far_as_possible():
    study = pf.Study(SPACE, comparisons=6, seed=0, proposer=lambda history: (history.points[0], history.points[1]))
    first = study.ask()
    study.tell(first, "a")
    assert contradictions(study.history.comparisons) == 0
    again = study.ask()
    assert {again.a, again.b} == {first.a, first.b}
    study.tell(again, "a" if again.a == first.b else "b")
    assert contradictions(study.history.comparisons) == 2
    assert study.best in (first.a, first.b)
    assert study.ask().step == 2


def test_a_judge_who_always_prefers_the_new_one_is_no_error():
    for proposer in (pf.Glisp(), pf.Posterior(noise=0.0)):  # which take people at their word
        result = pf.optimize(lambda a, b: "b", SPACE, comparisons=8, seed=0, proposer=proposer)
        assert result.success
        assert result.contradictions == 0
        assert result.best == result.study.ask().a


def test_a_judge_who_always_prefers_the_new_one_is_doubted_and_no_error():
    shown = []
    result = pf.optimize(lambda a, b: shown.extend([a, b]) or "b", SPACE, comparisons=8, seed=0)
    assert result.success
    assert result.best in shown


def test_an_id_of_a_rating_or_a_pair_belongs_to_its_candidates():
    study = pf.Study(SPACE, comparisons=6, seed=0)
    a, b, c = ({"x": x, "y": 0.5} for x in (0.1, 0.2, 0.3))
    rated = study.rate(a, 4, answer_id="1")
    told = study.tell((a, b), "a", answer_id="2")
    assert study.rate(study.space.candidate(a), 4, answer_id="1") is rated
    assert study.tell((a, b), "a", answer_id="2") is told
    with complaint(QuestionError, "answer_id", "'1'", "nothing was saved", unchanged=study):
        study.rate(b, 4, answer_id="1")
    with complaint(QuestionError, "answer_id", "'2'", "nothing was saved", unchanged=study):
        study.tell((a, c), "a", answer_id="2")
    study.change_space(pf.Space({**study.space.variables, "z": pf.Real(0, 1)}), {"z": 0.5})
    assert study.rate(a, 4, answer_id="1") is rated


@pytest.mark.parametrize("side", ["z", "A", "", "ab", 0, None, ["a"]])
def test_a_side_that_no_question_has_cannot_fail(side):
    study = pf.Study(SPACE, comparisons=6, seed=0, kind="rank 4")
    question = study.ask()
    with complaint(InputError, "side", repr(side), "a, b, c, d, e, f", unchanged=study):
        study.fail(question, side)

"""Bad input to a study: refused by name, and the study is as it was."""

import math

import numpy as np
import pytest

import prefero as pf
from prefero.errors import AnswerError, InputError, QuestionError
from prefero.study.checks import as_space
from prefero.study.questions import Question
from tests.complaints import complaint
from tests.strategies import answered, distance_to

SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})


def study(count: int = 2, seed: int = 0) -> pf.Study:
    return answered(pf.Study(SPACE, comparisons=6, seed=seed), distance_to([0.3, 0.6]), count)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"comparisons": 0}, ("comparisons", "0", "a whole number from 1")),
        ({"comparisons": -3}, ("comparisons", "-3", "a whole number from 1")),
        ({"comparisons": 2.5}, ("comparisons", "2.5", "a whole number")),
        ({"comparisons": True}, ("comparisons", "True", "a whole number")),
        ({"comparisons": "30"}, ("comparisons", "'30'", "a whole number")),
        ({"comparisons": 10**9}, ("comparisons", "1000000000", "100000")),
        ({"seed": 1.5}, ("seed", "1.5", "a whole number from 0 up")),
        ({"seed": "1"}, ("seed", "'1'", "a whole number")),
        ({"seed": -1}, ("seed", "-1", "a whole number")),
        ({"seed": True}, ("seed", "True", "a whole number")),
        ({"seed": math.nan}, ("seed", "nan", "a whole number")),
        ({"sides": "left"}, ("sides", "'left'", "incumbent first")),
        ({"proposer": "magic"}, ("proposer", "'magic'", "glisp")),
        ({"proposer": pf.Glisp}, ("proposer", "Glisp", "glisp")),
        ({"proposer": 3}, ("proposer", "3", "a function of the history")),
        ({"start": "xy"}, ("start", "'xy'", "a list of candidates")),
        ({"start": 5}, ("start", "5", "a list of candidates")),
        ({"start": [[0.5, 0.5], [0.5]]}, ("start[1]", "[0.5]", "2 values")),
        ({"start": [{"x": 0.5, "y": math.nan}]}, ("start[0]", "y", "nan")),
        ({"start": [[0.5, 1.5]]}, ("start[0]", "1.5", "within the bounds")),
    ],
)
def test_a_study_that_cannot_be_is_refused(arguments, words):
    with complaint(InputError, *words):
        pf.Study(SPACE, **arguments)


@pytest.mark.parametrize("space", [None, 3, "box", [1, 2, 3], {"x": pf.Real(0, 1)}])
def test_what_is_not_a_space_is_refused(space):
    with complaint(InputError, "space", repr(space)[:5], "a tuple (lower, upper)"):
        pf.Study(space)


def test_a_start_that_violates_a_constraint_is_refused():
    space = pf.Space({"x": pf.Real(0, 10)}, constraints=lambda c: 4 - c["x"])
    with complaint(InputError, "start[1]", "{'x': 3.0}", "satisfy the constraints"):
        pf.Study(space, start=[[5], [3]])


@pytest.mark.parametrize("answer", [7, None, "A", "", "better", True, False, 0.5, math.nan, 3, -3, [], {}, np.ones(2)])
def test_what_is_not_an_answer_is_refused(answer):
    asked = study()
    question = asked.ask()
    with complaint(AnswerError, "answer", repr(answer)[:10], '"a" or -1', '"b" or 1', '"same" or 0', unchanged=asked):
        asked.tell(question, answer)
    asked.tell(question, "same")


def unknown_questions():
    mine = study().ask()
    other = pf.Study(SPACE, comparisons=6, seed=1)
    for _ in range(2):
        other.tell(other.ask(), "a")
    return [
        ("a number that was never asked", 99),
        ("a negative number", -1),
        ("not a question", "2"),
        ("nothing", None),
        ("a truth value", True),
        ("a candidate", mine.a),
        ("another study's", other.ask()),
        ("the sides swapped", Question(mine.step, mine.b, mine.a, mine.note)),
    ]


@pytest.mark.parametrize(("_", "question"), unknown_questions())
@pytest.mark.parametrize("act", [lambda s, q: s.tell(q, "a"), pf.Study.skip], ids=["tell", "skip"])
def test_an_unknown_question_is_refused(act, _, question):
    asked = study()
    asked.ask()
    with complaint(QuestionError, "question", "a question that this study asked", unchanged=asked):
        act(asked, question)


def test_a_pair_that_was_not_asked_is_told_but_not_skipped():
    asked = study()
    pair = asked.ask()
    with complaint(QuestionError, "question", "a question that this study asked", unchanged=asked):
        asked.skip((pair.a, pair.b))
    asked.tell((pair.a, pair.b), "a")
    assert [(entry.a, entry.b, entry.answer) for entry in asked.answers if entry.imported] == [(pair.a, pair.b, "a")]


@pytest.mark.parametrize("act", [lambda s, q: s.tell(q, "a"), pf.Study.skip], ids=["tell", "skip"])
def test_an_answered_question_is_refused(act):
    asked = study()
    question = asked.ask()
    asked.tell(question, "b")
    with complaint(QuestionError, "question 2", "answered already", "fetch the current question", unchanged=asked):
        act(asked, question)
    asked.ask()
    with complaint(QuestionError, "question 2", "answered already", "question 3 waits", unchanged=asked):
        act(asked, question)


@pytest.mark.parametrize("act", [lambda s, q: s.tell(q, "a"), pf.Study.skip], ids=["tell", "skip"])
def test_an_old_question_is_refused(act):
    asked = study()
    dropped = asked.ask()
    asked.undo()
    with complaint(QuestionError, f"question {dropped.step}", "no longer waits", "question 1 waits", unchanged=asked):
        act(asked, dropped)


def test_undo_with_nothing_to_undo_is_refused():
    asked = pf.Study(SPACE, comparisons=6, seed=0)
    with complaint(QuestionError, "undo", "no answer", unchanged=asked):
        asked.undo()
    asked.ask()
    with complaint(QuestionError, "undo", "no answer", unchanged=asked):
        asked.undo()
    asked.tell(asked.ask(), "a")
    asked.undo()
    with complaint(QuestionError, "undo", "no answer", unchanged=asked):
        asked.undo()


def test_a_constraint_that_begins_to_fail_leaves_the_study_as_it_was():
    broken = False

    def g(candidate):
        if broken:
            raise OSError("the plant does not answer")
        return -1.0

    asked = answered(pf.Study(pf.Space({"x": pf.Real(0, 1)}, g), comparisons=6, seed=0), distance_to([0.3]), 3)
    broken = True
    with complaint(pf.errors.ConstraintError, "constraints[0]", "raised OSError", "the plant does not answer"):
        asked.ask()
    broken = False
    assert len(asked.history) == 3
    assert asked.waiting.get("") is None
    assert asked.ask().step == 3


HUGE = 10**400


@pytest.mark.parametrize(
    "act",
    [
        lambda study: study.measure([0.5, 0.5], {"loss": HUGE}),
        lambda study: study.measure([HUGE, 0.5], {"loss": 1}),
        lambda study: study.tell(study.ask(), "a", seconds=HUGE),
        lambda study: study.import_comparisons([[HUGE, 0], [1, 1]], [(0, 1, "a")]),
        lambda study: pf.Study(study.space, max_step={"x1": HUGE}),
        lambda study: pf.Study(study.space, start=[[HUGE, 0]]),
        lambda study: pf.Study(study.space, seed=HUGE),
        lambda study: pf.Space.box([0], [HUGE]),
        lambda study: pf.Choice([HUGE, 1]),
        lambda study: pf.Integer(0, 5).check("n", HUGE),
        lambda study: pf.Integer(0, HUGE),
        lambda study: pf.Study(study.space, kind={"pair": HUGE}),
        lambda study: pf.fit([[0.0], [1.0]], [(0, 1)], margins=HUGE),
    ],
)
def test_an_integer_that_no_float_holds_is_a_mistake_like_any_other(act):
    study = pf.Study(([0, 0], [1, 1]), seed=0)
    with pytest.raises(InputError) as caught:
        act(study)
    assert "\n" not in str(caught.value)


TWO = np.array([1, 2])


@pytest.mark.parametrize(
    ("act", "argument"),
    [
        (lambda study: study.tell(study.ask(), "a", judge=TWO), "judge"),
        (lambda study: study.tell(study.ask(), "a", seconds=TWO), "seconds"),
        (lambda study: study.tell(study.ask(), pf.because("a", TWO)), "note"),
        (lambda study: study.tell(study.ask(), TWO), "answer"),
        (lambda study: study.undo(TWO), "judge"),
        (lambda study: study.hint("more", TWO), "variable"),
        (lambda study: study.import_comparisons([[0, 0], [1, 1]], 3), "comparisons"),
        (lambda study: study.import_comparisons([[0, 0], [1, 1]], ""), "comparisons"),
        (lambda study: study.import_comparisons(None, []), "candidates"),
        (lambda study: pf.much(TWO), "side"),
    ],
)
def test_an_argument_of_another_type_is_named_and_nothing_is_stored(act, argument):
    study = pf.Study(([0, 0], [1, 1]), seed=0)
    study.tell(study.ask(), "a")
    study.ask()
    before = study.to_json()
    with pytest.raises(InputError, match=argument):
        act(study)
    assert study.to_json() == before


@pytest.mark.parametrize(
    ("given", "bounds"),
    [
        ([(-1, 1), (0, 2)], [(-1, 1), (0, 2)]),  # a list of tuples is SciPy's form, also for two variables
        ([(0, 5)], [(0, 5)]),
        (np.array([[0, 1], [2, 3], [4, 5]]), [(0, 1), (2, 3), (4, 5)]),
        (((0, 1), (2, 3), (4, 5)), [(0, 1), (2, 3), (4, 5)]),
        (([-1, 1], [0, 2]), [(-1, 0), (1, 2)]),  # a tuple of two lists is (lower, upper)
        ([[0, 0], [1, 1]], [(0, 1), (0, 1)]),  # (0, 0) would be no interval
        (((3, 4), (0, 1)), [(3, 4), (0, 1)]),  # 3 is not below 0
        ([[0, 0, 0], [1, 2, 3]], [(0, 1), (0, 2), (0, 3)]),
        ((0, 1), [(0, 1)]),
    ],
)
def test_bounds_are_read_as_they_are_meant(given, bounds):
    assert list(as_space(given).bounds.values()) == bounds


@pytest.mark.parametrize("given", [[[-1, 1], [0, 2]], ((-1, 1), (0, 2)), np.array([[-1, 1], [0, 2]])])
def test_ambiguous_bounds_are_refused(given):
    with complaint(InputError, "space: got", "could be (lower, upper) or pairs", "Bounds(lower, upper)"):
        as_space(given)


@pytest.mark.parametrize("given", [[], [(1, 2, 3)], np.zeros((2, 2, 2)), [["a", "b"], ["c", "d"]], [(0, 0)]])
def test_other_bounds_are_refused(given):
    with pytest.raises(InputError):
        as_space(given)


def test_numpy_numbers_are_numbers():
    study = pf.Study(([0, 0], [1, 1]), comparisons=np.int64(9), seed=np.uint8(0), max_step={"x1": np.float32(0.5)})
    first, second = study.ask(count=np.int64(2))
    study.tell(np.int64(first.step), np.array(-1), seconds=np.float32(2.5))
    study.tell(second, np.str_("b"))
    study.measure([np.array([0.5]), np.float32(0.25)], {"noise": np.float32(3)})
    assert [entry.answer for entry in study.answers] == ["a", "b"]


def test_the_numbers_of_a_data_frame_are_steps():
    live = study(3)
    step = live.to_frame()["step"][1]
    assert isinstance(step, np.integer)
    other = "b" if live.answers[1].answer == "a" else "a"
    assert live.log.correct(step, other).event.step == 1
    live.log.remove(step)
    live.log.restore(step)
    assert live.log.question(step).step == 1
    live.probe(step)
    assert pf.Study.from_json(live.to_json()).answers == live.answers


@pytest.mark.parametrize("several", [np.array(["a", "b"]), np.array([1, 2]), ["a"], {}])
def test_several_values_are_no_word_and_no_number(several):
    live = study()
    for argument, call in {
        "kind": lambda: live.hint(several, "x"),
        "step": lambda: live.undo(step=several),
        "of": lambda: live.to_frame(several),
        "sides": lambda: pf.Study(SPACE, sides=several),
    }.items():
        with pytest.raises(InputError, match=f"^{argument}: got"):
            call()
    with complaint(QuestionError, "step", unchanged=live):
        live.log.remove(several)
    with complaint(QuestionError, "step", unchanged=live):
        live.undo(step=True)

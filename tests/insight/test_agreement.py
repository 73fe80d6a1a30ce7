"""Several judges: a question belongs to one of them, what waits elsewhere is not asked again, and who said what is known."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import ExhaustedError, InputError, QuestionError
from prefero.insight.agreement import disagreements, judge_names, standing
from tests.complaints import complaint
from tests.strategies import distance_to

BOX = pf.Space.box([0, 0], [1, 1])
PROPOSERS = ("glisp", "posterior", "pbo")


def panel(rounds: int, likes: dict[str, list[float]], proposer="glisp", seed=0) -> pf.Study:
    """A study that people with tastes of their own answered by turns."""
    study = pf.Study(BOX, comparisons=12, seed=seed, proposer=proposer)
    for _ in range(rounds):
        for judge, target in likes.items():
            question = study.ask(judge)
            study.tell(question, pf.preference(distance_to(target))(question.a, question.b), judge=judge)
    return study


def test_a_question_waits_for_each_judge():
    study = panel(3, {"ann": [0.2, 0.2], "bob": [0.3, 0.3]})
    ann, bob = study.ask("ann"), study.ask("bob")
    assert (ann.judge, bob.judge) == ("ann", "bob")
    assert study.ask("ann") == ann == study.waiting.get("ann")
    assert study.ask("bob") == bob
    assert study.waiting.get("") is None
    assert study.waiting.get("cleo") is None
    study.tell(bob, "a")
    assert study.ask("ann") == ann


@pytest.mark.parametrize("proposer", PROPOSERS)
@pytest.mark.parametrize("rounds", [0, 5])
def test_pairs_that_wait_elsewhere_are_not_asked_again(proposer, rounds):
    study = panel(rounds, {"ann": [0.2, 0.2], "bob": [0.3, 0.3]}, proposer)
    questions = [study.ask(judge) for judge in ("ann", "bob", "cleo", "dan", "eve")]
    assert len({frozenset((question.a, question.b)) for question in questions}) == 5
    again = pf.Study.from_json(study.to_json())
    assert [again.ask(question.judge) for question in questions] == questions
    assert again.ask("fred") == study.ask("fred")


@pytest.mark.parametrize("proposer", PROPOSERS)
def test_replay_equals_live_with_several_judges(proposer):
    study = panel(9, {"ann": [0.2, 0.2], "bob": [0.7, 0.3]}, proposer)
    study.ask("bob")
    study.undo("ann")
    study.undo("ann")
    again = pf.Study.from_json(study.to_json())
    assert again.history.comparisons == study.history.comparisons
    assert again.ask("ann") == study.ask("ann")
    study.tell(study.ask("ann"), "same")
    again.tell(again.ask("ann"), "same")
    assert again.ask("ann") == study.ask("ann")
    assert again.best == study.best


def test_what_waits_for_another_is_asked_if_nothing_else_is_left():
    study = pf.Study(pf.Space({"k": pf.Integer(0, 1)}), seed=0)
    anns, bobs = study.ask("ann"), study.ask("bob")
    assert {bobs.a, bobs.b} == {anns.a, anns.b}
    study.tell(anns, "a")
    study.tell(bobs, "b")
    with complaint(ExhaustedError, "nothing left to ask", unchanged=study):
        study.ask("ann")


def test_only_the_judge_who_was_asked_answers():
    study = pf.Study(BOX, seed=0)
    question = study.ask("ann")
    for act in (study.skip, lambda q, **who: study.tell(q, "a", **who), lambda q, **who: study.fail(q, "b", **who)):
        with complaint(QuestionError, "judge", "'bob'", "'ann'", unchanged=study):
            act(question, judge="bob")
    assert study.tell(question, "a").who == "ann"


def test_undo_takes_back_that_judges_last():
    study = panel(3, {"ann": [0.2, 0.2], "bob": [0.7, 0.3]})
    anns = [entry.step for entry in study.answers if entry.who == "ann"]
    question = study.undo("ann")
    assert (question.step, question.judge) == (anns[-1], "ann")
    assert study.ask("ann") == question
    assert [entry.status for entry in study.answers if entry.who == "bob"] == ["effective"] * 3
    study.undo()
    assert [entry.step for entry in study.answers if entry.status == "undone"] == [4, 5]
    with complaint(QuestionError, "undo", unchanged=study):
        study.undo("cleo")


def test_a_candidate_that_failed_is_withdrawn_from_others():
    study = panel(3, {"ann": [0.2, 0.2], "bob": [0.2, 0.3]})
    ann, bob = study.ask("ann"), study.ask("bob")
    shared = {ann.a, ann.b} & {bob.a, bob.b}
    assert shared == {study.best}
    study.fail(ann, "a" if ann.a in shared else "b")
    assert study.waiting.get("bob") is None
    assert not shared & {study.ask("bob").a, study.ask("bob").b}


@pytest.mark.parametrize("judge", [None, 3, " ann", "a/b", "x" * 201, "a\n"])
def test_a_judge_has_a_name_in_one_line(judge):
    study = pf.Study(BOX, seed=0)
    with complaint(InputError, "judge", unchanged=study):
        study.ask(judge)


# Who said what -------------------------------------------------------------------------------------------------------------


def test_there_is_a_result_for_each_judge_and_for_all():
    likes = {"ann": [0.1, 0.1], "bob": [0.9, 0.9]}
    study = panel(10, likes)
    assert judge_names(study) == ("ann", "bob")
    everybody = standing(study)
    assert (everybody.judge, everybody.best, everybody.answers) == (None, study.best, 20)
    for judge in likes:
        one = standing(study, judge)
        assert (one.judge, one.answers) == (judge, 10)
        seen = {side for entry in study.answers if entry.who == judge for side in (entry.a, entry.b)}
        assert one.best in seen
    assert standing(study, "ann").best != standing(study, "bob").best
    with complaint(InputError, "judge", "'cleo'", "ann"):
        standing(study, "cleo")


def test_where_judges_disagree():
    study = pf.Study(BOX, seed=0, proposer=lambda history: (history.points[0], history.points[1]))
    for judge, said in (("ann", "a"), ("bob", "b"), ("cleo", "same"), ("dan", "a")):
        question = study.ask(judge)
        first = study.log.events[1].first
        study.tell(question, said if dict(question.a) == first else {"a": "b", "b": "a"}.get(said, said))
    (pair,) = disagreements(study)
    assert dict(pair.a) == study.log.events[1].first
    assert pair.said == {"ann": "a", "bob": "b", "cleo": "same", "dan": "a"}


def test_what_follows_from_answers_may_disagree_too():
    study = pf.Study(pf.Catalogue([[0.0], [1.0], [2.0]]), seed=0)
    rows = [[0.0], [1.0], [2.0]]
    study.import_comparisons(rows, [(0, 1, "a"), (1, 2, "a")], who="ann")
    study.import_comparisons(rows, [(2, 0, "a")], who="bob")
    (pair,) = disagreements(study)
    assert (pair.a["x1"], pair.b["x1"]) == (0.0, 2.0)
    assert pair.said == {"ann": "a", "bob": "b"}


def test_judges_who_agree_do_not_disagree():
    assert disagreements(panel(8, {"ann": [0.4, 0.4], "bob": [0.4, 0.4]})) == ()


def test_the_list_of_answers_tells_what_is_known_of_each():
    study = pf.Study(BOX, seed=0)
    question = study.ask("ann")
    record = study.tell(question, "b", seconds=2.5, note="smoother", answer_id="x1")
    (entry,) = study.answers
    assert (entry.step, entry.a, entry.b, entry.answer) == (0, question.a, question.b, "b")
    assert (entry.who, entry.time, entry.seconds, entry.note) == ("ann", record.time, 2.5, "smoother")
    assert (entry.status, entry.corrected, entry.contradicts) == ("effective", False, False)


def test_answers_that_contradict_each_other_are_marked():
    study = pf.Study(BOX, seed=0, proposer=lambda history: (history.points[0], history.points[1]))
    for said in ("a", "b"):
        question = study.ask()
        study.tell(question, said if dict(question.a) == study.log.events[1].first else {"a": "b", "b": "a"}[said])
    assert [entry.contradicts for entry in study.answers] == [True, True]
    study.log.remove(0)
    assert [entry.contradicts for entry in study.answers] == [False, False]


# What an answer carries ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extras", "words"),
    [
        ({"seconds": -1}, ("seconds", "-1")),
        ({"seconds": "fast"}, ("seconds", "fast")),
        ({"seconds": np.nan}, ("seconds", "nan")),
        ({"seconds": True}, ("seconds", "True")),
        ({"answer_id": ""}, ("answer_id", "''")),
        ({"answer_id": 3}, ("answer_id", "3")),
        ({"answer_id": "x" * 201}, ("answer_id",)),
        ({"note": None}, ("note", "None")),
        ({"note": "x" * 10_001}, ("note",)),
        ({"note": "\x00"}, ("note",)),
    ],
)
def test_what_an_answer_cannot_carry_is_refused(extras, words):
    study = pf.Study(BOX, seed=0)
    question = study.ask()
    with complaint(InputError, *words, unchanged=study):
        study.tell(question, "a", **extras)


@pytest.mark.parametrize(
    ("numbers", "files", "words"),
    [
        ({"loss": np.inf}, {}, ("numbers['loss']", "inf")),
        ({"loss": "low"}, {}, ("numbers['loss']", "low")),
        ([1.0], {}, ("numbers", "1.0")),
        ({"": 1.0}, {}, ("numbers",)),
        ({}, {"curve": "text"}, ("files['curve']", "text")),
        ({}, {"curve": (b"", "picture")}, ("media_type", "picture")),
        ({}, ["curve"], ("files",)),
    ],
)
def test_what_cannot_be_measured_is_refused(numbers, files, words):
    study = pf.Study(BOX, seed=0)
    with complaint(InputError, *words, unchanged=study):
        study.measure([0.1, 0.2], numbers, files)


def test_measurements_of_a_study_in_memory():
    study = pf.Study(BOX, seed=0)
    study.measure([0.1, 0.2], {"loss": 3}, {"curve": b"1,2"})
    measured = study.log.measured([0.1, 0.2])
    assert measured.numbers == {"loss": 3.0}
    assert study.log.artifact(measured.files["curve"]["digest"]).content == b"1,2"
    with complaint(InputError, "candidate", unchanged=study):
        study.measure([0.1], {"loss": 3})

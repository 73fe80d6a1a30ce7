"""A state is a value, and one function decides what can come next: live, on refresh and on replay."""

import copy

import pytest

import prefero as pf
from prefero.errors import FormatError, QuestionError
from prefero.storage.events import (
    Answered,
    Asked,
    Corrected,
    Created,
    Failed,
    Imported,
    Record,
    Removed,
    Restored,
    Skipped,
    Undone,
)
from prefero.study.state import State
from tests.strategies import answered, distance_to


def live() -> pf.Study:
    """A study with three answers, a skip and a waiting question of ann's."""
    study = answered(pf.Study(([0, 0], [1, 1]), comparisons=9, seed=0), distance_to([0.3, 0.6]), 3)
    study.skip(study.ask("ann"))
    study.ask("ann")
    return study


def after(state: State, event) -> State:
    return state.after(Record(len(state.records), "", "", "", event))


def described(state: State) -> tuple:
    return (
        tuple(state.records),
        dict(state.asked),
        dict(state.waiting),
        dict(state.responses),
        dict(state.by_answer_id),
        tuple(state.samples.shown),
        state.history.comparisons,
        state.history.skipped,
        state.history.failed,
    )


EVENTS = {
    "answer": Answered(4, "a", "an id"),
    "skip": Skipped(4),
    "undo": Undone(2),
    "correct": Corrected(3, "b"),
    "remove": Removed(1),
    "import": Imported([{"x1": 0.1, "x2": 0.2}, {"x1": 0.3, "x2": 0.4}], [[0, 1, -1]]),
    "ask": Asked(5, {"x1": 0.1, "x2": 0.2}, {"x1": 0.3, "x2": 0.4}, False, "", "bob"),
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_leaves_the_state_before_it_as_it_was(name):
    state = live().log.state
    before = copy.deepcopy(described(state))
    following = after(state, EVENTS[name])
    assert described(state) == before
    assert described(following) != before
    assert len(following.records) == len(state.records) + 1


@pytest.mark.parametrize("name", EVENTS)
def test_a_state_replayed_from_its_records_is_the_same(name):
    state = live().log.state
    following = after(state, EVENTS[name])
    again = State.of(following.records)
    assert described(again) == described(following)
    assert (again.history.points == following.history.points).all()


REFUSED = [
    (Created({}, 1, 0, {}, [], "random"), "created already"),
    (Asked(4, {}, {}, False), "next question has number 5"),
    (Asked(5, {}, {}, False, "", "ann"), "question 4 waits for ann already"),
    (Answered(9, "a"), "question 9 was never asked"),
    (Answered(0, "a"), "question 0 has been answered already; fetch the current question"),
    (Skipped(3), "question 3 has been answered already; question 4 waits now"),
    (Answered(4, "left"), "'left' is none of a, same, b"),
    (Failed(4, "c", {}), "'c' is neither"),
    (Undone(0), "question 0 was not answered last"),
    (Corrected(4, "a"), "question 4 was not answered or skipped"),
    (Removed(-1), "question -1 was not answered or skipped"),
    (Restored(0), "only a removed or undone answer can be restored"),
    (Imported([{}], [[0, 0, 1]]), "two different candidates"),
]


@pytest.mark.parametrize(("event", "words"), REFUSED, ids=lambda given: type(given).__name__)
def test_what_cannot_come_next_is_refused_live_and_on_replay(event, words):
    state = live().log.state
    with pytest.raises(QuestionError, match=words):
        after(state, event)
    records = [*state.records, Record(len(state.records), "", "", "", event)]
    with pytest.raises(FormatError, match="does not fit together"):
        State.of(records)


def test_an_answer_id_is_taken_once():
    state = after(live().log.state, Answered(4, "a", "mine"))
    state = after(state, Asked(5, *[dict(c) for c in state.samples.shown[:2]], False, "", "ann"))
    with pytest.raises(QuestionError, match="'mine' is taken"):
        after(state, Answered(5, "b", "mine"))

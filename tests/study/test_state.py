"""A state is a value, and one function decides what can come next: live, on refresh and on replay."""

import copy

import pytest

import prefero as pf
from prefero.errors import FormatError, QuestionError
from prefero.space.arrays import ROUNDING
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
from prefero.study.lookahead import Lookahead
from prefero.study.samples import CELL, CELL_SHIFT, Samples
from prefero.study.state import RESERVED, State
from prefero.web.payloads import of_entry
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
        dict(state.by_answer_key),
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
    (Failed(4, "c", {}), "'c' is none of a, b"),
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
    state = after(state, Asked(5, *[dict(c) for c in state.samples.shown[:2]], False, "", ""))
    with pytest.raises(QuestionError, match="'mine' is taken"):
        after(state, Answered(5, "b", "mine"))


def test_an_answer_without_an_id_is_another_one_than_the_one_called_none():
    study = pf.Study(([-1, -1], [1, 1]), comparisons=9, seed=0)
    study.tell(study.ask(), "a", answer_id="None")
    study.tell(study.ask(), "b")
    study.rate(study.candidates[0], 3)
    study.hint("near", study.candidates[0])
    study.tell((study.candidates[0], study.candidates[1]), "a")
    assert len(study.answers) == 5


def test_candidates_at_the_same_point_are_one_sample_whatever_cell_they_lie_in():
    study = pf.Study(([-1, -1], [1, 1]), comparisons=9, seed=0)
    border = (7 - CELL_SHIFT) * CELL  # in the box, which is the space here
    offsets = (0, ROUNDING / 2, -ROUNDING / 2, 3 * ROUNDING, CELL / 2)
    candidates = [[border + d, 0.5] for d in offsets]
    study.import_comparisons(candidates, [(0, 4, "a"), (1, 4, "a"), (2, 4, "b"), (3, 4, "b")])
    assert len(study.candidates) == 3
    assert [(c.i, c.j) for c in study.history.comparisons] == [(0, 2), (0, 2), (0, 2), (1, 2)]


ROWS = [{"x": k / 4} for k in range(5)]


def compared(*pairs: tuple[int, int]) -> State:
    """A study of a catalogue in which these rows were compared."""
    state = pf.Study(pf.Catalogue(ROWS), comparisons=9, seed=0).log.state
    for step, (i, j) in enumerate(pairs):
        state = after(state, Asked(step, ROWS[i], ROWS[j], bool(step % 2)))
        state = after(state, Answered(step, "a"))
    return state


def same(state: State, other: State) -> bool:
    return state.history.comparisons == other.history.comparisons and described(state) == described(other)


def test_an_answer_is_taken_out_as_if_it_had_never_been_given():
    state = compared((0, 1), (2, 0), (1, 2), (0, 2), (3, 4), (4, 0))
    assert [step for step in range(6) if state.samples.without(step) is None] == [0, 1, 4]  # they brought samples
    before = state.history.comparisons
    for step in range(6):
        following = after(state, Removed(step))
        assert same(following, State.of(following.records))
    assert state.history.comparisons == before


def test_an_answer_before_an_import_is_taken_out():
    imported = Imported([ROWS[0], ROWS[1]], [[0, 1, 1]])
    state = after(compared((0, 1), (0, 1)), imported)
    following = after(state, Removed(1))
    assert same(following, State.of(following.records))
    assert [c.imported for c in following.history.comparisons] == [False, True]


# Imported comparisons ----------------------------------------------------------------------------------------------------

IMPORTED = Imported([ROWS[0], ROWS[1], ROWS[2]], [[0, 1, 1], [1, 2, -1], [0, 2, 0]], "spring")


def test_every_imported_comparison_has_a_number_of_its_own():
    state = after(after(compared((0, 1)), IMPORTED), IMPORTED)
    assert [step for step in state.responses if step < 0] == [-1, -2, -3, -4, -5, -6]
    assert (state.answers, len(state.history)) == (1, 7)
    assert len({c.step for c in state.history.comparisons}) == 7


@pytest.mark.parametrize("event", [Removed(-1), Removed(-2), Undone(-3, waits=False), Corrected(-2, "same")])
def test_an_imported_comparison_is_amended_as_any_other(event):
    before = after(compared((0, 1)), IMPORTED)
    state = after(before, event)
    assert same(state, State.of(state.records))
    counts = len(before.history) - (not isinstance(event, Corrected))
    assert len(state.history) == counts
    assert state.answers == before.answers
    if not isinstance(event, Corrected):
        restored = after(state, Restored(event.step))
        assert same(restored, State.of(restored.records))
        assert [c.step for c in restored.history.comparisons] == [c.step for c in before.history.comparisons]


@pytest.mark.parametrize("event", [Removed(-9), Undone(-1), Corrected(-1, "b"), Restored(-1)])
def test_what_cannot_be_amended_of_an_import_is_refused(event):
    with pytest.raises(QuestionError):
        after(after(compared((0, 1)), IMPORTED), event)


def test_candidates_without_comparisons_are_no_answers():
    state = after(compared((0, 1)), Imported([ROWS[2]], []))
    assert len(state.samples.shown) == 3
    assert not state.has_answer(-1)
    with pytest.raises(QuestionError):
        after(state, Removed(-1))


# Measurements ------------------------------------------------------------------------------------------------------------


def test_the_newest_measurement_of_each_name_counts():
    study = live()
    first, second = study.candidates[:2]
    study.measure(first, {"loss": 1.0, "time": 2.0}, {"curve": b"old"})
    before = study.log.state
    assert study.log.measured(first).numbers == {"loss": 1.0, "time": 2.0}
    study.measure(first, {"loss": 3.0}, {"curve": b"new"})
    found = study.log.measured(first)
    assert found.numbers == {"loss": 3.0, "time": 2.0}
    assert study.log.artifact(found.files["curve"]["digest"]).content == b"new"
    assert (study.log.measured(second).numbers, study.log.measured(second).files) == ({}, {})
    assert before.measured_of(first).numbers == {"loss": 1.0, "time": 2.0}
    found.numbers["loss"] = 9.0
    assert study.log.measured(first).numbers["loss"] == 3.0


def test_measurements_are_found_in_a_space_that_grew():
    study = pf.Study(pf.Space({"x": pf.Real(0, 1)}), seed=0)
    study.measure([0.5], {"loss": 1.0})
    assert study.log.measured([0.5]).numbers == {"loss": 1.0}
    study.change_space(pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}), {"y": 0.2})
    assert study.log.measured([0.5, 0.2]).numbers == {"loss": 1.0}
    assert study.log.measured([0.5, 0.3]).numbers == {}


@pytest.mark.parametrize("more", [1, 4])
def test_a_history_with_files_looks_at_each_measurement_once(monkeypatch, more):
    study = answered(pf.Study(([0, 0], [1, 1]), seed=0), distance_to([0.3, 0.6]), 6)
    for candidate in study.candidates:
        for k in range(10 * more):
            study.measure(candidate, {"n": float(k)}, {"curve": b"..."})
    looked, complete = [], Samples.complete
    monkeypatch.setattr(Samples, "complete", lambda *given: looked.append(1) or complete(*given))
    entries = study.answers
    looked.clear()
    assert all(of_entry(study, entry)["files"]["a"] for entry in entries)
    assert len(looked) == len(study.log.state.measured)


def test_a_pair_is_held_back_until_many_others_were_asked():
    study = pf.Study(([-1, -1], [1, 1]), seed=0, proposer=lambda history, rng: rng.uniform(-1, 1, 2))
    left = study.ask("ann")
    assert len(study.log.state.reserved) == 1
    for _ in range(RESERVED - 1):
        study.tell(study.ask("bob"), "a")
    assert len(study.log.state.reserved) == 1
    study.tell(study.ask("bob"), "a")
    assert study.log.state.reserved == []
    assert study.waiting["ann"] == left  # it still waits for her
    study.tell(left, "b")


def test_the_last_pair_does_not_wait_for_one_who_left():
    study = pf.Study.create(pf.Catalogue([{"x": 0}, {"x": 1}]), name="few", seed=0)
    left = study.ask("ann")
    other = study.ask("bob")
    assert {other.a, other.b} == {left.a, left.b}


# Response times ----------------------------------------------------------------------------------------------------------


SLOW = pf.Posterior(unsure=0.3, slow=2.0)


def timed(*times: float | None, judge: str = "", proposer: object = SLOW) -> pf.Study:
    study = pf.Study(([0, 0], [1, 1]), comparisons=20, seed=0, proposer=proposer)
    for seconds in times:
        study.tell(study.ask(judge), "a", judge=judge, seconds=seconds)
    return study


def doubted(study: pf.Study) -> list[bool]:
    return [bool(each) for each in study.history.unsure]


def is_as_replayed(study: pf.Study) -> bool:
    """Whether the study, read again, has the same history and asks the same question."""
    again = pf.Study.from_json(study.to_json())
    return again.history.comparisons == study.history.comparisons and again.ask() == study.ask()


def test_a_slow_answer_counts_as_unsure_and_replay_equals_live():
    study = timed(60, 4, 2, 4, 3, 8, 8.1, None, 9, 7)  # the first five tell what is usual: a median of 4
    assert doubted(study) == [False] * 6 + [True, False, True, False]
    assert is_as_replayed(study)
    assert [entry.sure for entry in study.answers] == [True] * 10  # what people said
    live = study.best
    assert pf.Study.from_json(study.to_json()).best == live


@pytest.mark.parametrize("proposer", ["posterior", pf.Posterior(unsure=0.3), "glisp"])
def test_by_default_the_time_does_not_matter(proposer):
    assert not any(doubted(timed(3, 3, 3, 3, 3, 60, proposer=proposer)))


def test_each_judge_has_a_usual_time():
    study = timed(3, 3, 3, 3, 3, judge="ann")
    study.tell(study.ask("bob"), "a", judge="bob", seconds=60)
    study.tell(study.ask("ann"), "a", judge="ann", seconds=60)
    assert doubted(study) == [False] * 6 + [True]
    assert is_as_replayed(study)


def test_all_comparisons_of_a_slow_ranking_count_as_unsure():
    study = pf.Study(([0, 0], [1, 1]), comparisons=20, seed=0, proposer=SLOW, kind="rank 3")
    for seconds in (3, 3, 3, 3, 3, 60):
        study.tell(study.ask(), ["b", "a", "c"], seconds=seconds)
    rows = [c for c in study.history.comparisons if not c.sure]
    assert len(rows) > 1
    assert {c.step for c in rows} == {5}
    assert is_as_replayed(study)


def test_undone_removed_and_corrected_answers_are_judged_again():
    study = timed(3, 3, 3, 3, 3, 3, 60)
    assert doubted(study)[-1]
    study.log.correct(6, "b")
    assert not any(doubted(study))
    study.log.remove(6)
    study.log.restore(6)
    assert not any(doubted(study))
    study.tell(study.ask(), "a", seconds=60)
    assert doubted(study)[-1]
    for step in (0, 1, 2):
        study.log.remove(step)
    assert not any(doubted(study))  # too few are left to tell what is usual
    assert is_as_replayed(study)
    study.log.restore(1)
    assert doubted(study)[-1]
    study.undo()
    assert not any(doubted(study))
    assert is_as_replayed(study)


def test_another_proposer_looks_at_the_times_again():
    study = timed(3, 3, 3, 3, 3, 60, proposer="posterior")
    study.change_proposer(SLOW)
    assert doubted(study) == [False] * 5 + [True]
    assert is_as_replayed(study)
    study.change_proposer(pf.Posterior(unsure=0.3))
    assert not any(doubted(study))


@pytest.mark.parametrize(("seconds", "holds"), [(3, True), (60, False)])
def test_what_was_computed_ahead_holds_only_if_the_answer_was_not_slow(seconds, holds):
    study = timed(3, 3, 3, 3, 3)
    question = study.ask()
    ahead = Lookahead.of(study).after("a")
    study.tell(question, "a", seconds=seconds)
    assert (ahead.proposed(study.log.state) is not None) == holds


@pytest.mark.parametrize(("given", "match"), [({"slow": 2}, "unsure"), ({"slow": 0.5, "unsure": 0.3}, "from 1 up")])
def test_a_factor_that_makes_no_sense_is_refused(given, match):
    with pytest.raises(pf.InputError, match=f"slow.*{match}"):
        pf.Posterior(**given)

"""One worker proposes ahead for many judges: different pairs, of what is known by then, and only while the pool is its own."""

import threading

import pytest

import prefero as pf
from prefero.proposers.posterior import Posterior
from prefero.storage import Memory
from prefero.study import pool
from prefero.study.pool import Filler, moment
from prefero.study.session import Session

SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
JUDGES = ("ann", "bob", "eve", "joe", "kim")


@pytest.fixture
def storage():
    return Memory()


@pytest.fixture
def study(storage):
    made = pf.Study.create(SPACE, name="line 3", storage=storage, seed=0)
    gather(storage)
    return made


def gather(storage, study="line 3", judges=JUDGES):
    for judge in judges:
        storage.arrive(study, judge, moment(), moment())


def take(storage, judge, study="line 3"):
    return storage.hand_out(study, judge, moment(), "")


def answer(storage, study, judge, said="a"):
    """Ask and answer as a judge does; return the question."""
    asked = take(storage, judge).record.event
    study.refresh()
    study.tell(asked.step, said)
    return asked


def test_every_judge_finds_another_pair(storage, study):
    Filler(storage).round()
    asked = [take(storage, judge).record.event for judge in JUDGES]
    assert len({str((each.first, each.second)) for each in asked}) == len(JUDGES)
    assert {each.known for each in asked} == {1}
    study.refresh()
    assert set(study.waiting) == set(JUDGES)


def test_what_is_proposed_next_knows_the_answers_so_far(storage, study):
    filler = Filler(storage)
    filler.round()
    before = [answer(storage, study, judge) for judge in JUDGES]
    filler.round()
    after = answer(storage, study, "ann")
    assert after.known == len(study.log.records) - 2
    assert (after.first, after.second) not in [(each.first, each.second) for each in before]


def test_a_study_without_a_crowd_has_no_pool(storage):
    pf.Study.create(SPACE, name="line 3", storage=storage, seed=0)
    gather(storage, judges=JUDGES[: pool.CROWD - 1])
    Filler(storage).round()
    assert take(storage, "ann") is None


def test_of_two_workers_one_fills(storage, study):
    first, second = Filler(storage), Filler(storage)
    first.round()
    before = storage.crowds(moment(-60), 1)
    for judge in JUDGES:
        take(storage, judge)
    second.round()
    assert [crowd.stock for crowd in storage.crowds(moment(-60), 1)] == [before[0].stock - len(JUDGES)]
    first.round()
    assert [crowd.stock for crowd in storage.crowds(moment(-60), 1)] == [len(JUDGES)]


def test_a_worker_that_is_gone_is_replaced(storage, study, monkeypatch):
    monkeypatch.setattr(pool, "LEASE_SECONDS", 0.0)
    Filler(storage).round()
    for judge in JUDGES:
        take(storage, judge)
    Filler(storage).round()
    assert storage.crowds(moment(-60), 1)[0].stock == len(JUDGES)


def test_after_a_change_of_the_space_nothing_old_is_shown(storage, study):
    filler = Filler(storage)
    filler.round()
    study.change_space(pf.Space({"x": pf.Real(0, 2), "y": pf.Real(0, 1), "z": pf.Real(0, 1)}), fill={"z": 0.5})
    assert take(storage, "ann") is None
    filler.round()  # the lease was ended: this one notices
    filler.round()
    assert set(take(storage, "ann").record.event.first) == {"x", "y", "z"}


def test_a_candidate_that_failed_is_not_shown_again(storage, study):
    filler = Filler(storage)
    filler.round()
    asked = take(storage, "ann").record.event
    study.refresh()
    study.fail(asked.step, "a")
    failed = asked.second if asked.swapped else asked.first
    assert take(storage, "bob") is None
    filler.round()
    filler.round()
    for judge in JUDGES:
        shown = take(storage, judge).record.event
        assert failed not in (shown.first, shown.second)


def test_a_study_of_functions_has_no_pool_and_is_left_alone(storage, caplog):
    constrained = pf.Space({"x": pf.Real(0, 1)}, [lambda candidate: candidate["x"] - 0.5])
    pf.Study.create(constrained, name="own", storage=storage, seed=0)
    gather(storage, "own")
    filler = Filler(storage)
    filler.round()
    filler.round()
    assert take(storage, "ann", "own") is None
    assert len([record for record in caplog.records if "own has no pool" in record.message]) == 1


def test_a_small_catalogue_runs_out_and_says_nothing(storage):
    rows = [{"x": k} for k in range(3)]
    made = pf.Study.create(pf.Catalogue(rows), name="few", storage=storage, seed=0)
    gather(storage, "few")
    filler = Filler(storage)
    seen = set()
    for _ in range(12):
        filler.round()
        stored = take(storage, "ann", "few")
        if stored is None:
            break
        made.refresh()
        made.tell(stored.record.event.step, "a")
        seen.add(str(stored.record.event.second))
    assert seen


def test_it_stops_when_told_and_goes_on_after_an_error(storage, study, monkeypatch):
    calls, stop = [], threading.Event()
    filler = Filler(storage)
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.0)

    def breaks(since, least):
        calls.append(least)
        if len(calls) == 1:
            raise pf.PreferoError("the database is away")
        stop.set()
        return []

    monkeypatch.setattr(storage, "crowds", breaks)
    filler.run(stop)
    assert len(calls) == 2


def test_after_many_answers_at_once_the_state_advances_in_one_step(monkeypatch):
    def answered(count):
        live = pf.Study(SPACE, seed=3, comparisons=60)
        for _ in range(count):
            question = live.ask()
            live.tell(question, "a" if question.a["x"] < question.b["x"] else "b")
        return live

    steps = []
    advance = Posterior.advance
    monkeypatch.setattr(Posterior, "advance", lambda self, *given: steps.append(given[0]) or advance(self, *given))
    early, late, later = (answered(count).log.state for count in (10, 18, 28))
    session = Session.of(early)

    def several(state):
        steps.clear()
        return session.propose_several(state.history, [], len(state.asked), 2)

    several(early)
    assert len(steps) == 11  # as on replay, from nothing
    pairs = several(late)
    assert len(pairs) == 2
    assert len(steps) == 1  # over eight answers at once, for both pairs
    assert several(late)[0].second.tolist() == pairs[0].second.tolist()
    assert steps == []
    several(later)
    assert steps == [None]  # they have grown by a half: from scratch
    several(early)  # answers were taken back
    assert len(steps) <= 11

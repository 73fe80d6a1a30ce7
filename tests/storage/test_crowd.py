"""Studies with many judges: an answer, or a question from the pool, in one transaction that reads no log. On every engine."""

from dataclasses import replace
from threading import Barrier, Thread

import pytest

import prefero as pf
from prefero.errors import RevokedError
from prefero.storage import Token, open_storage
from prefero.storage.events import Answered, Asked, Record

SPACE = pf.Space({"x": pf.Real(0, 1)})
NOW, LATER, LATEST = "2026-01-01T00:00:00", "2026-01-01T00:01:00", "2026-01-01T00:02:00"
PAIRS = [
    {"first": {"x": 0.0}, "second": {"x": 0.1 * (k + 1)}, "swapped": False, "note": "“é”", "known": 1} for k in range(3)
]
MANY = 10_000


@pytest.fixture
def study(storage):
    return pf.Study.create(SPACE, name="line 3", storage=storage, seed=0)


def said(step: int, answer: str = "a", answer_id: str | None = None, who: str = "ann") -> Record:
    return Record(-1, LATER, who, "", Answered(step, answer, answer_id))


def handed(storage, judge: str = "ann", now: str = NOW):
    storage.arrive("line 3", judge, now, NOW)
    return storage.hand_out("line 3", judge, now, "1.2.3")


def settled(storage, step: int, judge: str = "ann", most: int = MANY, **more):
    return storage.settle("line 3", judge, step, said(step, who=judge, **more), counts=True, most=most)


def filled(storage, pairs=PAIRS, keep: int = 0, owner: str = "worker") -> bool:
    return storage.lease("line 3", owner, NOW, LATER) and storage.fill("line 3", owner, pairs, keep)


def test_an_answer_to_the_question_that_waits_is_appended_wherever_the_log_ends(storage, study):
    question = study.ask("ann")
    study.ask("bob")
    stored = settled(storage, question.step, answer_id="one")
    assert (stored.record.sequence, stored.answers, stored.expected, stored.measured) == (3, 1, 30, 0)
    assert study.refresh() == 1
    assert study.log.records[-1] == stored.record
    assert (len(study.history), set(study.waiting)) == (1, {"bob"})
    assert [summary.answers for summary in storage.studies()] == [1]


def test_nothing_is_written_where_the_log_has_to_tell(storage, study):
    first = study.ask("ann")
    assert settled(storage, first.step, answer_id="one") is not None
    study.refresh()
    waits = study.ask("ann")
    before = storage.read(storage.find("line 3"))
    assert settled(storage, first.step) is None  # it was answered
    assert settled(storage, waits.step, judge="bob") is None  # it is another judge's
    assert settled(storage, waits.step, answer_id="one") is None  # the id is taken
    assert settled(storage, waits.step, most=3) is None  # two questions and an answer are all that the judge may cause
    assert storage.settle("no such", "ann", 0, said(0), counts=True, most=MANY) is None
    assert storage.read(storage.find("line 3")) == before
    assert settled(storage, waits.step, most=4) is not None
    assert storage.events_of("line 3", "ann") == 4
    assert storage.events_of("line 3", "bob") == storage.events_of("no such", "ann") == 0


@pytest.mark.parametrize("withdraw", ["undo", "change", "fail", "tell"])
def test_a_question_that_was_withdrawn_elsewhere_does_not_wait(storage, study, withdraw):
    question = study.ask("ann")
    match withdraw:
        case "undo":
            study.tell(question, "a")
            again = study.ask("ann")
            study.tell(again, "b")
            study.undo("ann")
            study.undo("ann")
            question = again
        case "change":
            study.change_space(pf.Space({"x": pf.Real(0, 2)}))
        case "fail":
            study.tell(question, "a")
            assert filled(storage)
            step = handed(storage, "ann").record.event.step
            other = handed(storage, "bob").record.event.step  # about the same first candidate
            study.refresh()
            question = study.waiting["ann"]
            assert question.step == step
            study.fail(other, "a")
        case "tell":
            study.tell(question, "a")
    assert settled(storage, question.step) is None
    study.refresh()
    for judge, waiting in study.waiting.items():
        assert settled(storage, waiting.step, judge=judge) is not None


def test_only_the_log_knows_that_an_answer_about_one_candidate_does_not_count(storage, study):
    question = study.ask("ann")
    study.tell(question, "a")
    twice = study.probe(judge="ann")
    assert settled(storage, twice.step) is None
    study.tell(twice, "same")
    assert storage.studies()[0].answers == 1


def test_a_pair_of_the_pool_becomes_a_question_that_waits(storage, study):
    assert handed(storage) is None
    assert filled(storage)
    stored = handed(storage)
    assert stored.record.event == Asked(0, judge="ann", **PAIRS[-1])
    assert stored.record.sequence == 1
    assert replace(handed(storage).record, sequence=1) == stored.record  # it waits
    study.refresh()
    assert study.waiting["ann"].b == PAIRS[-1]["second"]
    assert settled(storage, 0) is not None
    assert handed(storage).record.event.step == 1


def test_a_judge_gets_each_pair_once_and_fresh_ones_come_first(storage, study):
    assert filled(storage)
    seen = {judge: [] for judge in ("ann", "bob")}
    for _ in PAIRS:
        for judge, had in seen.items():
            stored = handed(storage, judge)
            had.append(stored.record.event.second["x"])
            assert settled(storage, stored.record.event.step, judge=judge) is not None
    assert sorted(seen["ann"]) == sorted(seen["bob"]) == [pair["second"]["x"] for pair in PAIRS]
    assert (
        len({seen["ann"][0], seen["bob"][0], seen["ann"][1]}) == 3
    )  # nobody's second-hand while there were fresh ones
    assert handed(storage) is None
    study.refresh()
    assert len(study.history) == 2 * len(PAIRS)


def test_a_pair_that_is_proposed_again_keeps_its_takers(storage, study):
    assert filled(storage)
    had = handed(storage)
    assert settled(storage, had.record.event.step) is not None
    swapped = [dict(pair, first=pair["second"], second=pair["first"], known=3) for pair in PAIRS]
    assert filled(storage, swapped, keep=32)
    (crowd,) = storage.crowds(NOW, 1)
    assert crowd.stock == 2  # not five: the older ones were replaced
    seen = [had.record.event.second["x"]]
    while (stored := handed(storage)) is not None:
        assert stored.record.event.known == 3
        seen.append(stored.record.event.first["x"])
        assert settled(storage, stored.record.event.step) is not None
    assert sorted(seen) == [pair["second"]["x"] for pair in PAIRS]
    assert handed(storage, "bob") is not None


def test_names_that_are_part_of_others_are_different_judges(storage, study):
    assert filled(storage, PAIRS[:1])
    for judge in ("an", "ann", "anna", "%", "_", ""):
        assert handed(storage, judge) is not None


def test_only_who_holds_the_lease_fills_the_pool(storage, study):
    assert not storage.lease("no such", "worker", NOW, LATER)
    assert not storage.fill("line 3", "worker", PAIRS, 0)
    assert filled(storage)
    assert not storage.lease("line 3", "other", NOW, LATER)
    assert storage.lease("line 3", "worker", NOW, LATER)
    assert storage.lease("line 3", "other", LATER, LATEST)  # the first one's has run out
    assert not storage.fill("line 3", "worker", PAIRS, 0)
    assert storage.fill("line 3", "other", PAIRS, 1)
    assert [crowd.stock for crowd in storage.crowds(NOW, 0)] in ([], [3])  # the same three pairs again


def test_a_lease_from_before_the_clock_was_moved_back_binds_nobody(storage, study):
    tomorrow, then = "2026-01-02T00:00:00", "2026-01-02T00:01:00"
    assert storage.lease("line 3", "worker", tomorrow, then)
    assert not storage.lease("line 3", "other", tomorrow, then)
    assert storage.lease("line 3", "other", NOW, LATER)
    assert not storage.fill("line 3", "worker", PAIRS, 0)


def test_a_crowd_is_several_judges_at_once(storage, study):
    assert storage.arrive("no such", "ann", NOW, NOW) == 0
    assert storage.hand_out("line 3", "ann", NOW, "") is None  # who has not arrived gets nothing
    assert storage.arrive("line 3", "eve", NOW, NOW) == 1
    assert [storage.arrive("line 3", judge, LATER, NOW) for judge in ("ann", "bob", "ann")] == [2, 3, 3]
    assert storage.arrive("line 3", "ann", LATER, LATER) == 2
    filled(storage)
    handed(storage, "ann", LATEST)
    (crowd,) = storage.crowds(LATER, 2)
    assert (crowd.study, crowd.present, crowd.stock, crowd.length) == ("line 3", 2, 2, 2)
    assert storage.crowds(LATER, 3) == []


def test_a_revoked_token_settles_and_takes_nothing(storage, study):
    question = study.ask("ann")
    storage.add_token(Token("t", "judge", "line 3", "ann", NOW))
    storage.revoke_token("t", NOW)
    with storage.checking(None):
        filled(storage)
        storage.arrive("line 3", "bob", NOW, NOW)
    for act in (lambda: settled(storage, question.step), lambda: storage.hand_out("line 3", "bob", NOW, "")):
        with pytest.raises(RevokedError), storage.checking("t"):
            assert act() is None
    assert study.refresh() == 0


def test_threads_that_share_a_study_lose_nothing(place):
    storage, _ = open_storage(place)
    study = pf.Study.create(SPACE, name="line 3", storage=storage, seed=0)
    pairs = [{"first": {"x": 0.0}, "second": {"x": (k + 1) / 100}, "swapped": False} for k in range(30)]
    assert filled(storage, pairs)
    barrier, failures = Barrier(4), []

    def answer(judge: str) -> None:
        try:
            barrier.wait()
            for _ in range(10):
                stored = handed(storage, judge)
                step = stored.record.event.step
                got = settled(storage, step, judge=judge, answer_id=f"{judge} {step}")
                assert got.record.event.step == step
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=answer, args=(judge,)) for judge in ("ann", "bob", "eve", "joe")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    records = storage.read(storage.find("line 3"))
    assert [record.sequence for record in records] == list(range(81))
    study.refresh()
    assert len(study.history) == 40
    assert [summary.answers for summary in storage.studies()] == [40]
    storage.close()

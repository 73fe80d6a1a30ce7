"""Whether every study of a database opens and is what the list of studies says; what the storage finds is in tests/storage."""

import json

import pytest

import prefero as pf
from prefero.errors import InputError, StorageError
from prefero.storage import Memory, events, schema
from prefero.storage.database import Database
from prefero.storage.engine import transaction
from prefero.study.inspection import check
from tests.complaints import complaint

BOX = pf.Space.box([0, 0], [1, 1])


@pytest.fixture
def path(tmp_path):
    with pf.Study.create(BOX, name="line 3", storage=tmp_path / "tuning.db", seed=0) as live:
        for said in ("a", "b"):
            live.tell(live.ask("ann"), said, judge="ann")
        live.ask("ann")
    return tmp_path / "tuning.db"


def change(path, statement) -> None:
    with Database(path) as storage, transaction(storage.engine, write=True) as connection:
        assert connection.execute(statement).rowcount == 1


def test_what_was_written_is_fine(path):
    pf.Study.create(BOX, name="second", storage=path, seed=1).close()
    told = []
    report = check(path, progress=lambda *given: told.append(given))
    assert (report.count, report.faults) == (0, ())
    assert [(s.name, s.events, s.unprotected, s.replayed, s.faults) for s in report.studies] == [
        ("line 3", 6, 0, True, ()),
        ("second", 1, 0, True, ()),
    ]
    assert told == [(1, 2), (2, 2)]
    with Database(path) as storage:
        assert check(storage) == report


def test_a_wrong_number_of_answers_is_noticed(path):
    change(path, schema.studies.update().values(answers=7))
    assert check(path).studies[0].faults == ("answers: the list of studies has 7, the log 2",)


def test_a_log_that_does_not_fit_together_is_noticed(path):
    """Each event is as it was written, but two of them are the same."""
    e = schema.events.c
    with Database(path) as storage:
        answered = next(record for record in storage.read(1) if record.kind == "answered")
    data = '{"step":0,"answer":"a","answer_id":null,"seconds":null,"note":""}'
    row = {"time": answered.time, "who": "ann", "prefero": pf.__version__, "kind": "answered", "answer_id": None}
    digest = events.row_digest(*row.values(), data)
    change(path, schema.events.update().where(e.sequence == 4).values(**row, data=data, digest=digest))
    faults = check(path).studies[0].faults
    assert any(fault.startswith("it does not open: the study does not fit together") for fault in faults)


def test_a_question_that_does_not_wait_is_noticed(path):
    with pf.Study.open("line 3", path) as live:
        first = live.log.records[1]
    asked = json.dumps(first.fields())
    change(path, schema.judges.update().values(step=0, asked=asked))
    assert check(path).studies[0].faults == ("question 0 does not wait for 'ann'",)


def test_a_study_with_functions_of_its_own_is_not_called_damaged(path):
    def nearby(history, rng):
        return None

    space = pf.Space({"x": pf.Real(0, 1)}, constraints=[lambda candidate: candidate["x"] - 0.9])
    pf.Study.create(space, name="constrained", storage=path, seed=0).close()
    pf.Study.create(BOX, name="own", storage=path, seed=0, proposer=nearby).close()
    report = check(path)
    assert report.count == 0
    assert [study.replayed for study in report.studies] == [True, False, False]


def test_only_databases_can_be_checked(tmp_path):
    with complaint(InputError, "storage", "a database"):
        check(Memory())
    with complaint(StorageError, "there is no database"):
        check(tmp_path / "typo.db")

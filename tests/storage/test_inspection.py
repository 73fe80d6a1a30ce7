"""A change that prefero did not make is noticed: a digest that does not fit, a gap, a flipped bit."""

import json
import random

import pytest
import sqlalchemy as sa

import prefero as pf
from prefero.errors import DamagedError
from prefero.storage import Token, schema
from prefero.storage.database import Database
from prefero.storage.engine import snapshot, transaction
from prefero.storage.inspection import check_copy, file_faults, inspect_studies
from prefero.study.inspection import check
from tests.complaints import complaint
from tests.storage.test_contract import SPACE, everything

FLIPS = 200


@pytest.fixture
def stored(database):
    """A study in which everything happened, and its database."""
    study = pf.Study.create(SPACE, comparisons=9, seed=0, name="line 3", storage=database, question="Which curve?")
    with everything(study):
        study.ask("ann")
        study.ask("bob")
    with Database(database) as storage:
        yield storage


def change(storage: Database, table: sa.Table, where: sa.ColumnElement[bool], **values: object) -> None:
    with transaction(storage.engine, write=True) as connection:
        assert connection.execute(table.update().where(where).values(values)).rowcount == 1


def faults(storage: Database) -> list[str]:
    with snapshot(storage.engine) as connection:
        return [*file_faults(connection), *(f for study in inspect_studies(connection) for f in study.faults)]


def test_what_was_written_is_found(stored):
    with snapshot(stored.engine) as connection:
        (study,) = inspect_studies(connection)
    assert study.faults == ()
    assert study.records == stored.read(1)
    assert (study.events, study.unprotected, study.files, study.missing) == (len(study.records), 0, 2, 0)
    assert set(study.waiting) == {"ann", "bob"}


@pytest.mark.parametrize(
    "values", [{"who": "eve"}, {"time": "2020-01-01"}, {"prefero": "9"}, {"kind": "skipped"}, {"answer_id": "other"}]
)
def test_a_changed_event_is_noticed_when_it_is_read(stored, values):
    change(stored, schema.events, schema.events.c.sequence == 3, **values)
    with complaint(DamagedError, "is damaged: event 3", "digest"):
        stored.read(1)
    assert faults(stored)[0].startswith("event 3: its digest does not fit")


def test_another_answer_in_an_event_is_noticed(stored):
    e = schema.events.c
    with transaction(stored.engine, write=True) as connection:
        answered = sa.select(e.sequence, e.data).where(e.kind == "answered").order_by(e.sequence)
        sequence, data = connection.execute(answered).first()
        other = data.replace('"answer":"a"', '"answer":"b"')
        assert other != data
        connection.execute(schema.events.update().where(e.sequence == sequence).values(data=other))
    with complaint(DamagedError, f"is damaged: event {sequence}"):
        stored.read(1)
    with complaint(DamagedError, f"is damaged: event {sequence}"):
        stored.read(1, sequence)
    assert stored.read(1, sequence + 1)


@pytest.mark.parametrize("place", [4, -1])
def test_a_missing_event_is_noticed(stored, place):
    e, last = schema.events.c, len(stored.read(1)) - 1
    missing = last if place < 0 else place
    with transaction(stored.engine, write=True) as connection:
        connection.execute(schema.events.delete().where(e.sequence == missing))
    with complaint(DamagedError, f"is damaged: event {missing} is missing"):
        stored.read(1)
    assert f"the log has {last} events, not {last + 1}" in faults(stored)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"length": 3}, "events, not 3"),
        ({"asked": 2}, "asked: the list of studies has 2"),
        ({"measured": 7}, "measured: the list of studies has 7"),
        ({"question": "Which?"}, "question: the list of studies has 'Which?', the log 'Which curve?'"),
        ({"name": "line 4"}, "name: the list of studies has 'line 4'"),
        ({"last": "2020-01-01"}, "last: the list of studies has '2020-01-01'"),
        ({"proposer": "pbo"}, "proposer: the list of studies has 'pbo', the log 'glisp'"),
    ],
)
def test_a_list_of_studies_that_the_log_contradicts(stored, values, words):
    change(stored, schema.studies, schema.studies.c.id == 1, **values)
    assert any(words in fault for fault in faults(stored))


def test_another_question_that_waits_is_noticed(stored):
    j = schema.judges.c
    with transaction(stored.engine, write=True) as connection:
        asked = connection.scalar(sa.select(j.asked).where(j.judge == "ann"))
    other = json.dumps(json.loads(asked) | {"swapped": not json.loads(asked)["swapped"]})
    change(stored, schema.judges, j.judge == "ann", asked=other)
    assert faults(stored) == ["the question that waits for 'ann' is not the one in the log"]
    change(stored, schema.judges, j.judge == "ann", asked="{")
    assert faults(stored) == ["the question that waits for 'ann' is not the one in the log"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"content": b"\x89PNG\x01"}, "does not fit its digest"),
        ({"size": 99}, "is described otherwise"),
        ({"media_type": "text/html"}, "is described otherwise"),
    ],
)
def test_a_changed_file_is_noticed(stored, values, words):
    change(stored, schema.artifacts, schema.artifacts.c.media_type == "image/png", **values)
    assert len(faults(stored)) == 1
    assert words in faults(stored)[0]


def test_events_without_a_digest_are_counted(stored):
    with transaction(stored.engine, write=True) as connection:
        connection.execute(schema.events.update().where(schema.events.c.sequence < 5).values(digest=None))
    with snapshot(stored.engine) as connection:
        (study,) = inspect_studies(connection)
    assert (study.unprotected, study.faults) == (5, ())
    assert len(stored.read(1)) == study.events


def test_a_row_that_belongs_to_nothing(sqlite):
    pf.Study.create(SPACE, name="line 3", storage=sqlite, seed=0).close()
    with Database(sqlite) as storage:
        with storage.engine.connect() as connection:
            driver = connection.connection.driver_connection
            driver.execute("PRAGMA foreign_keys=OFF")
            driver.execute("UPDATE prefero_events SET study = 77")
            driver.execute("PRAGMA foreign_keys=ON")
        with snapshot(storage.engine) as connection:
            assert any("belongs to nothing in prefero_studies" in fault for fault in file_faults(connection))
            with complaint(DamagedError, "the copy is damaged", "prefero check"):
                check_copy(connection)


# Flipped bits ------------------------------------------------------------------------------------------------------------


def seen(path) -> list[object]:
    """Everything that a person can see of a database."""
    with Database(path, create=False) as storage:
        found: list[object] = [storage.studies(), storage.tokens()]
        for summary in storage.studies():
            with pf.Study.open(summary.name, storage) as study:
                digests = [file["digest"] for event in study.log.state.measured for file in event.files.values()]
                found.append((study.to_json(), [study.log.artifact(d) for d in digests], dict(study.waiting)))
    return found


@pytest.mark.parametrize("only_used", [False, True])
def test_a_flipped_bit_is_noticed_or_changes_nothing(tmp_path, only_used):
    """Anywhere in the file, and again only where it holds something."""
    path, flipped = tmp_path / "tuning.db", tmp_path / "flipped.db"
    study = pf.Study.create(SPACE, comparisons=9, seed=0, name="line 3", storage=path, question="Which curve?")
    with everything(study):
        study.ask("ann")
    content, before = path.read_bytes(), seen(path)
    bytes_to_flip = [place for place, byte in enumerate(content) if byte or not only_used]
    draw, noticed = random.Random(5), 0
    for _ in range(FLIPS):
        place, bit = draw.choice(bytes_to_flip), draw.randrange(8)
        changed = bytearray(content)
        changed[place] ^= 1 << bit
        flipped.write_bytes(changed)
        try:
            same = seen(flipped) == before
            fine = not check(flipped).count
        except pf.PreferoError:
            noticed += 1
        else:
            assert same or not fine, f"bit {bit} of byte {place} was changed, and nobody noticed"
            noticed += not fine
        for suffix in ("", "-wal", "-shm"):
            path.with_name(f"flipped.db{suffix}").unlink(missing_ok=True)
    assert noticed > (FLIPS / 2 if only_used else 0)


def test_tokens_are_seen(tmp_path):
    """So that the test above compares them, too."""
    with Database(tmp_path / "tuning.db") as storage:
        storage.add_token(Token("d", "owner", None, "laptop", "2026-01-01"))
    assert [token.label for token in seen(tmp_path / "tuning.db")[1]] == ["laptop"]

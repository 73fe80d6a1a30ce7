"""A database, and a JSON, of an older version opens unchanged in meaning; a newer one is refused with the version it needs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

import prefero as pf
from prefero.errors import FormatError, StorageError
from prefero.storage import Token, events, schema
from prefero.storage.database import Database
from prefero.storage.events import Answered, Asked, Skipped, Undone
from tests.complaints import complaint

BOX = pf.Space.box([0, 0], [1, 1])
VERSION_1 = (Path(__file__).with_name("version_1.json")).read_text(encoding="utf-8")


def as_version(url: str, version: int) -> None:
    """Make of a database what it was in an older version: 2 had no digests, judges and pool, 1 no tokens and invitations."""
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    newer = [schema.judges, schema.pool, schema.leases] + [schema.tokens, schema.invitations] * (version == 1)
    with engine.begin() as connection:
        schema.metadata.drop_all(connection, tables=newer)
        gone = [(schema.studies, c) for c in ("asked", "measured", "title", "paused", "archived", "deleted", "quota")]
        gone += [(schema.events, "digest")] + [(schema.invitations, "inviter")] * (version == 2)
        for table, column in gone:
            connection.exec_driver_sql(f"ALTER TABLE {table.name} DROP COLUMN {column}")
        connection.execute(schema.schema.update().values(version=version))
    engine.dispose()


@pytest.mark.parametrize("version", [1, 2])
def test_a_database_of_an_older_version_opens_and_is_of_this_version_then(database, version):
    with pf.Study.create(BOX, name="line 3", storage=database, seed=0) as live:
        live.tell(live.ask(), "a")
        waits = live.ask()
        live.measure(waits.a, {"noise": 1.0})
    as_version(database, version)
    with pf.Study.open("line 3", database) as again:
        assert again.log.records == live.log.records
        assert again.ask() == waits
        again.tell(waits, "b")
        assert again.ask() == live.ask()
    with Database(database) as storage:
        storage.add_token(Token("d", "owner", None, "laptop", "2026-01-01"))
        with storage.engine.connect() as connection:
            assert schema.version_of(connection) == schema.VERSION == 5
            t = schema.studies.c
            assert connection.execute(sa.select(t.asked, t.measured)).one() == (3, 1)
            digests = connection.scalars(sa.select(schema.events.c.digest).order_by(schema.events.c.sequence)).all()
            assert [digest is None for digest in digests] == [True] * 5 + [False] * 2


def test_a_newer_database_is_refused_and_not_touched(database):
    pf.Study.create(BOX, name="line 3", storage=database, seed=0).close()
    engine = sa.create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(schema.schema.update().values(version=7))
    for act in (lambda: pf.studies(database), lambda: pf.Study.open("line 3", database)):
        with complaint(StorageError, "version 7", "up to 5", "newer prefero"):
            act()
    with engine.begin() as connection:
        assert connection.scalar(sa.select(schema.schema.c.version)) == 7
    engine.dispose()


def test_a_migration_that_fails_leaves_the_old_version(database, monkeypatch):
    pf.Study.create(BOX, name="line 3", storage=database, seed=0).close()
    as_version(database, 1)

    def breaks(connection):
        schema.metadata.create_all(connection, tables=[schema.tokens])
        raise StorageError("the power went")

    with monkeypatch.context() as patched:
        patched.setitem(schema.MIGRATIONS, 1, breaks)
        with complaint(StorageError, "the power went"):
            Database(database)
    engine = sa.create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        assert schema.version_of(connection) == 1
        assert not sa.inspect(connection).has_table(schema.tokens.name)
    engine.dispose()
    Database(database).close()


def test_json_of_version_1_opens_unchanged_in_meaning():
    rows = json.loads(VERSION_1)["events"]
    study = pf.Study.from_json(VERSION_1)
    kinds = {"asked": Asked, "answered": Answered, "skipped": Skipped, "undone": Undone}
    for record, row in zip(study.log.records[1:], rows[1:], strict=True):
        assert isinstance(record.event, kinds[row["event"]])
        assert {key: value for key, value in record.fields().items() if key in row} == {
            key: value for key, value in row.items() if key != "event"
        }
        assert (record.time, record.who, record.prefero) == ("", "", rows[0]["prefero"])
    assert len(study.history) == 2
    assert study.best == {"x": 0.1, "taps": 1, "window": "flat"}
    assert study.waiting.get("").step == 3
    study.tell(study.ask(), "a")
    again = pf.Study.from_json(study.to_json())
    assert json.loads(study.to_json())["version"] == events.VERSION == 6
    assert again.ask() == study.ask()


def test_json_of_version_1_goes_into_a_database(database):
    with pf.Study.from_json(VERSION_1, name="old", storage=database) as study, pf.Study.open("old", database) as again:
        assert again.ask() == study.ask()


def test_a_text_that_no_database_holds_is_refused(database):
    live = pf.Study.create(BOX, name="line 3", seed=0)
    live.log.state.records = [replace(live.log.records[0], who="\ud800")]
    with complaint(StorageError, "cannot"):
        pf.Study.from_json(live.to_json(), storage=database)
    assert pf.studies(database) == []


@pytest.mark.parametrize("version", [7, 12])
def test_newer_json_is_refused_with_the_version_it_needs(version):
    data = json.loads(VERSION_1) | {"version": version}
    with complaint(FormatError, "version", f"reads version {version}"):
        pf.Study.from_json(json.dumps(data))

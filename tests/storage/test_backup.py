"""A copy of a database in use: all of one moment, checked, whole or not there at all."""

import shutil
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import prefero as pf
from prefero.errors import DamagedError, InputError, StorageError
from prefero.storage import Invitation, Token, backup, schema
from prefero.storage.database import Database
from prefero.storage.engine import transaction
from prefero.study.inspection import check
from tests.complaints import complaint
from tests.storage.test_contract import SPACE, everything

BOX = pf.Space.box([0, 0], [1, 1])
TOKEN = Token("d" * 64, "judge", "line 3", "ann", "2026-01-01", revoked="2026-01-02")
INVITATION = Invitation("e" * 64, "judge", "line 3", "bob", "2026-01-01", "2026-01-04")


@pytest.fixture
def live(database):
    with everything(pf.Study.create(SPACE, comparisons=9, seed=0, name="line 3", storage=database)) as study:
        study.ask("ann")
        study.log.storage.add_token(TOKEN)
        study.log.storage.add_invitation(INVITATION)
        pf.Study.create(BOX, name="second", storage=database, seed=1).close()
        yield study


def test_a_running_study_is_copied_with_everything(live, database, tmp_path):
    copy = tmp_path / "copy.db"
    with Database(database) as storage:
        backup.backup(storage, copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert [s.name for s in pf.studies(copy)] == ["line 3", "second"]
    assert pf.studies(copy) == pf.studies(database)
    assert check(copy).count == 0
    with pf.Study.open("line 3", copy) as copied:
        assert copied.to_json() == live.to_json()
        digest = copied.log.measured(live.candidates[0]).files["curve.png"]["digest"]
        assert copied.log.artifact(digest).content == b"\x89PNG\x00"
        assert dict(copied.waiting) == dict(live.waiting)
        assert copied.log.storage.tokens() == [TOKEN]
        accepted = copied.log.storage.accept_invitation("e" * 64, "2026-01-02", lambda given: TOKEN_OF_BOB)
        assert accepted == (
            Invitation(*list(vars(INVITATION).values())[:6], "2026-01-02"),
            TOKEN_OF_BOB,
        )
        copied.tell(copied.waiting["ann"], "a", judge="ann")  # it goes on
        assert copied.ask("ann").step == live.waiting["ann"].step + 1
    assert len(pf.studies(copy)) == 2


TOKEN_OF_BOB = Token("f" * 64, "judge", "line 3", "bob", "2026-01-02")


def test_the_copy_is_one_file_that_a_read_only_folder_may_hold(live, database, tmp_path):
    (tmp_path / "safe").mkdir()
    copy = tmp_path / "safe" / "copy.db"
    with Database(database) as storage:
        backup.backup(storage, copy)
    assert [path.name for path in copy.parent.iterdir()] == ["copy.db"]
    with sqlite3.connect(copy) as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    plain.close()
    shutil.copy(copy, tmp_path / "elsewhere.db")
    assert pf.studies(tmp_path / "elsewhere.db") == pf.studies(database)


def test_what_happens_meanwhile_is_not_in_the_copy(live, database, tmp_path, monkeypatch):
    """The copy is of one moment, and writers do not wait for it."""
    monkeypatch.setattr(backup, "PAGES", 1)
    monkeypatch.setattr(backup, "ROWS", 1)
    before, told = live.to_json(), []

    def meanwhile(done, total):
        told.append((done, total))
        if len(told) in (2, 8):
            live.tell(live.ask("ann"), "a", judge="ann")

    with Database(database) as storage:
        backup.backup(storage, tmp_path / "copy.db", progress=meanwhile)
    assert len(told) > 8
    assert told[-1][0] == told[-1][1]
    with pf.Study.open("line 3", tmp_path / "copy.db") as copied:
        assert copied.to_json() == before != live.to_json()
    assert check(tmp_path / "copy.db").count == check(database).count == 0


def test_a_server_writes_on_while_it_is_copied(tmp_path):
    path = tmp_path / "tuning.db"
    pf.Study.create(BOX, name="line 3", storage=path, seed=0).close()
    code = (
        "import sys, prefero as pf\n"
        "with pf.Study.open('line 3', sys.argv[1]) as live:\n"
        "    while True:\n"
        "        live.measure([0.5, 0.5], {'n': 1.0})\n"
        "        print('measured', flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        try:
            with Database(path) as storage:
                for number in range(5):
                    assert writer.stdout.readline() == "measured\n"
                    backup.backup(storage, tmp_path / f"copy {number}.db")
        finally:
            writer.kill()
    with pf.Study.open("line 3", path) as study:
        records = study.log.records
    for number in range(5):
        with pf.Study.open("line 3", tmp_path / f"copy {number}.db") as copied:
            assert copied.log.records == records[: len(copied.log.records)]
            assert len(copied.log.records) >= number + 2


def test_nothing_is_overwritten_without_being_told(live, database, tmp_path):
    copy = tmp_path / "copy.db"
    copy.write_text("something else")
    with Database(database) as storage:
        with complaint(InputError, "copy.db exists already"):
            backup.backup(storage, copy)
        assert copy.read_text() == "something else"
        backup.backup(storage, copy, overwrite=True)
    assert pf.studies(copy) == pf.studies(database)


def test_a_database_in_use_is_not_overwritten(live, database, tmp_path):
    """A new file beside the old one's log would be damaged at once."""
    used = tmp_path / "used.db"
    with (
        pf.Study.create(BOX, name="other", storage=used, seed=0),
        Database(database) as storage,
        complaint(InputError, "used.db is a database in use", "used.db-wal"),
    ):
        backup.backup(storage, used, overwrite=True)
    assert [s.name for s in pf.studies(used)] == ["other"]


def test_a_database_is_no_copy_of_itself(sqlite, tmp_path):
    pf.Study.create(BOX, name="line 3", storage=sqlite, seed=0).close()
    (tmp_path / "link.db").symlink_to(tmp_path / "tuning.db")
    with Database(sqlite) as storage:
        for place in ("tuning.db", "link.db"):
            with complaint(InputError, "another file than the database itself"):
                backup.backup(storage, tmp_path / place, overwrite=True)
    assert pf.studies(sqlite)


def test_a_copy_that_fails_leaves_nothing_behind(live, database, tmp_path, monkeypatch):
    (tmp_path / "safe").mkdir()
    copy = tmp_path / "safe" / "copy.db"
    copy.write_text("the copy of yesterday")

    def broken(connection):
        raise DamagedError("the copy is damaged")

    monkeypatch.setattr(backup, "check_copy", broken)
    with Database(database) as storage, complaint(DamagedError, "the copy is damaged"):
        backup.backup(storage, copy, overwrite=True)
    assert [path.name for path in copy.parent.iterdir()] == ["copy.db"]
    assert copy.read_text() == "the copy of yesterday"


def test_a_damaged_database_is_not_copied_silently(live, database, tmp_path):
    with Database(database) as storage:
        with transaction(storage.engine, write=True) as connection:
            connection.execute(schema.events.update().where(schema.events.c.sequence == 2).values(who="eve"))
        with complaint(DamagedError, "the copy is damaged", "'line 3': event 2", "prefero check"):
            backup.backup(storage, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_place_where_nothing_can_be_written(live, database, tmp_path):
    with Database(database) as storage, complaint(InputError, "nowhere", "No such file"):
        backup.backup(storage, tmp_path / "nowhere" / "copy.db")


def test_a_full_disk_while_it_is_copied(sqlite, tmp_path, monkeypatch):
    pf.Study.create(BOX, name="line 3", storage=sqlite, seed=0).close()
    connect = sqlite3.connect

    def small(*given, **options):
        made = connect(*given, **options)
        if not options:  # the copy, not the database
            made.execute("PRAGMA max_page_count=2")
        return made

    monkeypatch.setattr("prefero.storage.backup.sqlite3.connect", small)
    with Database(sqlite) as storage, complaint(StorageError, "copy.db cannot be written", "full"):
        backup.backup(storage, tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir()] == ["tuning.db"]


def test_a_plain_copy_of_a_running_database_is_told_apart(tmp_path):
    """What is new is still in the file beside it."""
    with pf.Study.create(BOX, name="line 3", storage=tmp_path / "tuning.db", seed=0):
        shutil.copy(tmp_path / "tuning.db", tmp_path / "copied.db")
        with complaint(StorageError, "copied.db", "prefero backup"):
            pf.studies(Path(tmp_path / "copied.db"))

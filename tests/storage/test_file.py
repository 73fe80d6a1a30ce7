"""The file of a SQLite database: deleted, replaced, read-only, or somebody else's."""

import os
import pwd
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

import prefero as pf
from prefero.errors import StorageError
from tests.complaints import complaint

BOX = pf.Space.box([0, 0], [1, 1])


@pytest.fixture
def live(tmp_path):
    with pf.Study.create(BOX, name="line 3", storage=tmp_path / "tuning.db", seed=0) as study:
        study.tell(study.ask(), "a")
        study.ask()
        yield study


# Deleted or replaced while it is open ------------------------------------------------------------------------------------


@pytest.mark.parametrize("beside", [True, False])
def test_an_answer_to_a_deleted_file_is_not_acknowledged(live, tmp_path, beside):
    for path in tmp_path.iterdir():
        if beside or path.name == "tuning.db":
            path.unlink()
    for act in (
        lambda: live.tell(live.waiting[""], "a"),
        lambda: live.skip(live.waiting[""]),
        lambda: live.measure(live.waiting[""].a, {"loss": 1.0}),
        lambda: live.refresh(),
    ):
        with complaint(StorageError, "tuning.db", "was deleted or replaced while it was open", unchanged=live):
            act()
    assert not (tmp_path / "tuning.db").exists()


def test_an_answer_to_a_replaced_file_is_not_acknowledged(live, tmp_path):
    with pf.Study.create(BOX, name="line 3", storage=tmp_path / "other.db", seed=0) as other:
        other.ask()
    os.replace(tmp_path / "other.db", tmp_path / "tuning.db")
    with complaint(StorageError, "tuning.db", "was deleted or replaced while it was open", unchanged=live):
        live.tell(live.waiting[""], "a")
    live.log.storage.close()  # new connections would go to the new file
    with complaint(StorageError, "tuning.db", "was deleted or replaced while it was open", unchanged=live):
        live.tell(live.waiting[""], "a")


def test_a_file_deleted_during_a_transaction_is_noticed_after_it(live, tmp_path, monkeypatch):
    storage = live.log.storage

    def deleted(*_):
        (tmp_path / "tuning.db").unlink()

    monkeypatch.setattr(storage, "_keep", deleted)
    with complaint(StorageError, "tuning.db", "was deleted or replaced", unchanged=live):
        live.measure(live.waiting[""].a, {"loss": 1.0}, {"curve": b"..."})


def test_an_answer_without_its_log_is_not_acknowledged(live, tmp_path):
    (tmp_path / "tuning.db-wal").unlink()
    with complaint(StorageError, "tuning.db-wal", "was deleted or replaced while it was open", unchanged=live):
        live.tell(live.waiting[""], "a")


def test_a_new_connection_does_not_make_a_deleted_log_anew(live, tmp_path):
    storage = live.log.storage
    held = [storage.engine.connect() for _ in range(3)]  # the other connections are busy: another one is opened
    (tmp_path / "tuning.db-wal").unlink()
    with complaint(StorageError, "tuning.db-wal", "was deleted or replaced while it was open", unchanged=live):
        live.tell(live.waiting[""], "a")
    for connection in held:
        connection.close()


def test_other_processes_that_come_and_go_change_nothing(live, tmp_path):
    """The last one to close a database removes its log; the next one makes another."""
    for _ in range(3):
        with pf.Study.open("line 3", tmp_path / "tuning.db") as other:
            other.tell(other.ask(), "b")
        live.tell(live.ask(), "a")
        live.log.storage.close()
        assert not (tmp_path / "tuning.db-wal").exists()
    assert len(live.history) == 7


def test_another_working_directory_is_no_other_file(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with pf.Study.create(BOX, name="line 3", storage="tuning.db", seed=0) as live:
        live.log.storage.close()
        monkeypatch.chdir(tmp_path / "elsewhere")
        live.tell(live.ask(), "a")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert pf.studies(tmp_path / "tuning.db")[0].answers == 1


# Read-only ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder():
    """A database in a folder where everybody may look and nobody may write."""
    made = Path(tempfile.mkdtemp())
    with pf.Study.create(BOX, name="line 3", storage=made / "tuning.db", seed=0) as live:
        live.tell(live.ask(), "a")
        live.ask()
    (made / "tuning.db").chmod(0o444)
    made.chmod(0o555)
    yield made
    made.chmod(0o700)
    shutil.rmtree(made)


def test_a_database_in_a_read_only_folder_can_be_read(folder, unprivileged):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pf.Study.open("line 3", folder / "tuning.db") as looking:
        assert (len(looking.history), looking.waiting[""].step) == (1, 1)
        assert looking.refresh() == 0
        assert looking.best is not None
        with complaint(StorageError, "tuning.db", "read-only", unchanged=looking):
            looking.tell(looking.waiting[""], "b")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_change_of_what_is_read_as_unchanging_is_noticed(folder, unprivileged):
    with pf.Study.open("line 3", folder / "tuning.db") as looking:
        if os.getuid() == 0:
            os.seteuid(0)
        folder.chmod(0o700)
        (folder / "tuning.db").chmod(0o600)
        with sqlite3.connect(folder / "tuning.db") as other:
            other.execute("UPDATE prefero_studies SET answers = 9")
        other.close()
        with complaint(StorageError, "tuning.db", "changed while it was read"):
            looking.refresh()


def test_a_read_only_file_in_a_folder_that_is_not(folder, unprivileged):
    if os.getuid() == 0:
        os.seteuid(0)
        os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)
    folder.chmod(0o700)
    if os.getuid() == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    with pf.Study.open("line 3", folder / "tuning.db") as looking:
        assert len(looking.history) == 1
        with complaint(StorageError, "tuning.db", "read-only", unchanged=looking):
            looking.tell(looking.waiting[""], "b")


# Somebody else's ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_the_database_of_another_program_is_left_alone(tmp_path, mode):
    path = tmp_path / "foreign.db"
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA journal_mode={mode}")
        other.execute("CREATE TABLE songs (name TEXT)")
    other.close()
    before = path.read_bytes()
    for act in (
        lambda: pf.studies(path),
        lambda: pf.Study.open("line 3", path),
        lambda: pf.delete_study("line 3", path),
        lambda: pf.Study.create(BOX, name="line 3", storage=path),
    ):
        with complaint(StorageError, "foreign.db is a database, but not prefero's", "songs"):
            act()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["foreign.db"]


def test_reading_makes_no_tables_in_an_empty_file(tmp_path):
    path = tmp_path / "empty.db"
    path.touch()
    for act in (lambda: pf.studies(path), lambda: pf.Study.open("line 3", path)):
        with complaint(StorageError, "empty.db is a database, but not prefero's", "no studies"):
            act()
    assert path.read_bytes() == b""
    pf.Study.create(BOX, name="line 3", storage=path).close()
    assert [study.name for study in pf.studies(path)] == ["line 3"]


def test_reading_makes_no_tables_in_postgresql(postgresql):
    with complaint(StorageError, "is a database, but not prefero's", "no studies"):
        pf.studies(postgresql)
    pf.Study.create(BOX, name="line 3", storage=postgresql).close()
    assert [study.name for study in pf.studies(postgresql)] == ["line 3"]

"""A full disk, a read-only file, a locked database, a lost connection: one clear line, nothing half-written, and on it goes."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

import prefero as pf
from prefero.errors import StorageError
from prefero.storage.database import Database
from tests.complaints import complaint

BOX = pf.Space.box([0, 0], [1, 1])


def study(url, **options) -> pf.Study:
    return pf.Study.create(BOX, name="line 3", storage=url, seed=0, **options)


def works_again(live: pf.Study, url) -> None:
    """The study goes on, and a new process sees the same."""
    live.tell(live.ask(), "b")
    with pf.Study.open("line 3", url) as again:
        assert again.log.records == live.log.records
        assert again.ask() == live.ask()


def refuses_to_write(live: pf.Study, *words: str) -> None:
    """Answering, asking and skipping are refused in one line, and the study is as it was."""
    question = live.waiting.get("")
    for act in (lambda: live.tell(question, "a"), lambda: live.skip(question), lambda: live.fail(question, "a")):
        with complaint(StorageError, *words, unchanged=live):
            act()


# SQLite ----------------------------------------------------------------------------------------------------------------


def test_the_file_belongs_to_its_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        with study(tmp_path / "tuning.db") as live:
            live.ask()
            files = sorted(tmp_path.glob("tuning.db*"))
            assert [file.name for file in files] == ["tuning.db", "tuning.db-shm", "tuning.db-wal"]
            assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 3
    finally:
        os.umask(before)


def test_sqlite_is_set_to_lose_nothing(sqlite):
    with Database(sqlite) as storage, storage.engine.connect() as connection:
        settings = ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        assert [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in settings] == ["wal", 1, 2, 10_000]


def test_a_full_disk(sqlite):
    with study(sqlite) as live:
        live.ask()
        with live.log.storage.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        noted = "x" * 9000
        with complaint(StorageError, "tuning.db", "the disk is full", unchanged=live):
            live.tell(live.waiting.get(""), "a", note=noted)
        with pf.Study.open("line 3", sqlite) as other:
            assert other.log.records == live.log.records
        with live.log.storage.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1073741823")
        live.tell(live.waiting.get(""), "a", note=noted)
        works_again(live, sqlite)


LIMITED = """
import resource, sys
from pathlib import Path
import prefero as pf
from prefero.errors import StorageError
path = Path(sys.argv[1])
with pf.Study.create(pf.Space.box([0], [1]), name="line 3", storage=path, seed=0) as live:
    question = live.ask()
    full = path.with_name(path.name + "-wal").stat().st_size + 2000
    resource.setrlimit(resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
    before = live.to_json()
    for _ in range(3):
        try:
            live.tell(question, "a", note="x" * 9000)
        except StorageError as error:
            print(error)
    assert live.to_json() == before
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    live.tell(question, "a", note="x" * 9000)
with pf.Study.open("line 3", path) as again:
    assert len(again.history) == 1 and again.log.records == live.log.records
"""


def test_a_file_that_may_not_grow(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "tuning.db")], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    said = run.stdout.splitlines()
    assert len(said) == 3
    assert all("tuning.db" in line and "the disk is full" in line for line in said)


def test_a_read_only_file(sqlite, tmp_path):
    live = study(sqlite)
    live.ask()
    live.close()
    with pf.Study.open("line 3", f"sqlite:///file:{tmp_path / 'tuning.db'}?mode=ro&uri=true") as looking:
        assert looking.log.records == live.log.records
        refuses_to_write(looking, "tuning.db", "read-only")
    works_again(live, sqlite)
    live.close()


@pytest.fixture
def read_only_folder():
    """A database in a folder where everybody may look and nobody may write."""
    folder = Path(tempfile.mkdtemp())
    live = study(folder / "tuning.db")
    live.ask()
    live.close()
    (folder / "tuning.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_a_file_without_permission_to_write(read_only_folder, unprivileged):
    path = read_only_folder / "tuning.db"
    for act in (lambda: study(path, load_if_exists=True).skip(0), lambda: pf.delete_study("line 3", path)):
        with complaint(StorageError, "tuning.db"):
            act()


def test_a_locked_database(tmp_path):
    url = f"sqlite:///{tmp_path / 'tuning.db'}?timeout=0.1"
    with study(url) as live:
        live.ask()
        other = sqlite3.connect(tmp_path / "tuning.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        refuses_to_write(live, "tuning.db", "locked by another program")
        assert pf.studies(url)[0].name == "line 3"  # reading goes on
        other.execute("ROLLBACK")
        other.close()
        works_again(live, url)


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 100, b"\x00" * 5000, b"SQLite format 3\x00" + b"?" * 5000]
)
def test_what_is_not_a_database(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    for act in (lambda: study(path), lambda: pf.studies(path)):
        with complaint(StorageError, "notes.txt", "not a database"):
            act()
    assert path.read_bytes() == content


@pytest.mark.parametrize("place", ["nowhere/tuning.db", "."])
def test_a_place_where_no_database_can_be(tmp_path, place):
    with complaint(StorageError, "tuning.db" if place != "." else "cannot be opened"):
        study(tmp_path / place)


def test_reading_does_not_make_a_database(tmp_path):
    for act in (
        lambda: pf.studies(tmp_path / "typo.db"),
        lambda: pf.Study.open("line 3", tmp_path / "typo.db"),
        lambda: pf.delete_study("line 3", tmp_path / "typo.db"),
    ):
        with complaint(StorageError, "there is no database", "typo.db"):
            act()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url", ["mysql://user:secret@host/db", "oracle://x", "nonsense://", "sqlite://", "sqlite:///:memory:", "", 3, "://"]
)
def test_another_engine_is_refused(url):
    with complaint(StorageError, "storage", "sqlite:///file.db", "postgresql://") as caught:
        study(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("module", "url", "extra"),
    [
        ("sqlalchemy", "sqlite:///tuning.db", "prefero[studies]"),
        ("psycopg", "postgresql://host/db", "prefero[postgres]"),
    ],
)
def test_a_missing_extra_says_what_to_install(module, url, extra, tmp_path):
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "import prefero as pf\n"
        f"try: pf.studies({url!r})\n"
        "except pf.errors.StorageError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert f"pip install '{extra}'" in run.stdout
    assert len(run.stdout.splitlines()) == 1


# PostgreSQL --------------------------------------------------------------------------------------------------------------


def others_ended(url: str) -> int:
    """End every other connection to the server."""
    with psycopg.connect(url, autocommit=True) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'prefero'"
        )
        return len(ended.fetchall())


def test_a_connection_lost_between_two_answers_is_made_again(postgresql):
    with study(postgresql) as live:
        question = live.ask()
        assert others_ended(postgresql)
        live.tell(question, "a")
        works_again(live, postgresql)


def test_a_connection_lost_in_the_middle_of_an_answer(postgresql, monkeypatch):
    with study(postgresql) as live:
        question = live.ask()
        storage = live.log.storage

        def interrupted(connection, number, artifact):
            others_ended(postgresql)

        with monkeypatch.context() as patched:
            patched.setattr(storage, "_keep", interrupted)
            with complaint(StorageError, "connection", "lost", unchanged=live):
                live.measure(question.a, {"loss": 1.0}, {"curve": b"..."})
        live.measure(question.a, {"loss": 1.0}, {"curve": b"..."})
        assert [record.kind for record in live.log.records] == ["created", "asked", "measured"]
        works_again(live, postgresql)


def test_a_server_that_is_not_there():
    with complaint(StorageError, "no connection", "postgresql+psycopg://ann:***@127.0.0.1:1/db") as caught:
        study("postgresql://ann:secret@127.0.0.1:1/db")
    assert "secret" not in str(caught.value)


def test_a_server_that_goes_away_and_comes_back(postgresql, monkeypatch):
    with study(postgresql) as live:
        live.ask()
        reachable = live.log.storage.engine
        elsewhere = Path("/nonexistent")
        monkeypatch.setattr(
            live.log.storage, "engine", _engine(f"postgresql+psycopg://prefero@/postgres?host={elsewhere}")
        )
        refuses_to_write(live, "no connection")
        monkeypatch.setattr(live.log.storage, "engine", reachable)
        works_again(live, postgresql)


def _engine(url: str):
    import sqlalchemy as sa

    return sa.create_engine(url)

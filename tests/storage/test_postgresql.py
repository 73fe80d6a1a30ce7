"""A PostgreSQL that is locked, slow or stuck holds nobody for ever: one plain line, nothing half-written, and on it goes.

The time limit is shortened by the URL, so that the tests do not wait long; none of them measures time.
"""

import os
import select
import signal
import time

import psycopg
import pytest
import sqlalchemy as sa

import prefero as pf
from prefero.errors import StorageError
from prefero.storage.database import Database
from prefero.storage.engine import transaction
from prefero.storage.events import Answered
from prefero.study.log import new_record
from tests.complaints import complaint

BOX = pf.Space.box([0, 0], [1, 1])


@pytest.fixture
def hasty(postgresql) -> str:
    """A database that waits for two seconds: on a busy machine one passes within a transaction."""
    return f"{postgresql}&timeout=2"


@pytest.fixture
def live(postgresql, hasty):
    with pf.Study.create(BOX, name="line 3", storage=postgresql, seed=0) as study:
        study.ask()
    with pf.Study.open("line 3", hasty) as study:
        yield study


def goes_on(live: pf.Study, url: str) -> None:
    live.tell(live.waiting[""], "b")
    with pf.Study.open("line 3", url) as again:
        assert again.log.records == live.log.records


def test_every_connection_has_time_limits(postgresql):
    with Database(postgresql) as storage, transaction(storage.engine, write=False) as connection:
        names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        assert [connection.scalar(sa.text(f"SHOW {name}")) for name in names] == ["10s", "8s", "10s"]
        driver = connection.connection.driver_connection
        assert driver.patience == 12
        used = driver.info.get_parameters()
        assert (used["connect_timeout"], used["tcp_user_timeout"], used["keepalives_idle"]) == ("10", "10000", "5")


def test_the_limits_of_the_url_count(postgres_url):
    url = f"{postgres_url}&options=-c%20statement_timeout%3D7s&connect_timeout=5&timeout=3"
    with Database(url) as storage, transaction(storage.engine, write=False) as connection:
        names = ("statement_timeout", "lock_timeout")
        assert [connection.scalar(sa.text(f"SHOW {name}")) for name in names] == ["7s", "2400ms"]
        assert connection.connection.driver_connection.info.get_parameters()["connect_timeout"] == "5"


def test_a_lock_held_by_another_session(live, hasty, postgresql):
    with psycopg.connect(postgresql) as other:
        other.execute("SELECT * FROM prefero_studies FOR UPDATE")
        with complaint(StorageError, "locked by another program", unchanged=live):
            live.tell(live.waiting[""], "a")
    goes_on(live, hasty)


def test_a_table_that_is_locked_against_readers(live, hasty, postgresql):
    with psycopg.connect(postgresql) as other:
        other.execute("LOCK TABLE prefero_events IN ACCESS EXCLUSIVE MODE")
        with complaint(StorageError, "locked by another program"):
            pf.Study.open("line 3", hasty)
    goes_on(live, hasty)


def test_a_statement_that_takes_too_long(live):
    with (
        complaint(StorageError, "took too long", "timeout=SECONDS"),
        transaction(live.log.storage.engine, write=False) as connection,
    ):
        connection.execute(sa.text("SELECT pg_sleep(60)"))


def test_a_server_process_that_hangs_is_given_up(live, hasty):
    engine = live.log.storage.engine
    with transaction(engine, write=False) as connection:
        stuck = connection.scalar(sa.text("SELECT pg_backend_pid()"))
    os.kill(stuck, signal.SIGSTOP)
    try:
        with complaint(StorageError, "no connection", "did not reply within 4 s", unchanged=live):
            live.tell(live.waiting[""], "a")
        goes_on(live, hasty)  # on a new connection, while the old one still hangs
    finally:
        os.kill(stuck, signal.SIGCONT)


def test_a_server_that_hangs_in_the_middle_of_an_answer(live, hasty, monkeypatch):
    stuck = []

    def stopped(connection, number, artifact):
        stuck.append(connection.scalar(sa.text("SELECT pg_backend_pid()")))
        os.kill(stuck[0], signal.SIGSTOP)
        connection.scalar(sa.text("SELECT 1"))

    before = len(live.log.records)
    with monkeypatch.context() as patched:
        patched.setattr(live.log.storage, "_keep", stopped)
        try:
            with complaint(StorageError, "no connection", "did not reply", unchanged=live):
                live.measure(live.waiting[""].a, {"loss": 1.0}, {"curve": b"..."})
        finally:
            os.kill(stuck[0], signal.SIGCONT)
    goes_on(live, hasty)
    assert len(live.log.records) == before + 1


def test_a_server_that_accepts_nobody(live, hasty, postgresql):
    """The whole server hangs: a connection is not even refused."""
    with psycopg.connect(postgresql) as other:
        backend = other.info.backend_pid
        with open(f"/proc/{backend}/stat") as stat:
            postmaster = int(stat.read().rpartition(")")[2].split()[1])
    os.kill(postmaster, signal.SIGSTOP)
    try:
        with complaint(StorageError, "no connection", "timeout"):
            pf.studies(hasty)
    finally:
        os.kill(postmaster, signal.SIGCONT)
    goes_on(live, hasty)


def test_a_transaction_that_its_program_forgot_is_ended(live, hasty):
    """It would keep its locks, and everybody else out."""
    with (
        complaint(StorageError, "no connection", "idle-in-transaction"),
        transaction(live.log.storage.engine, write=True) as connection,
    ):
        connection.execute(sa.text("SELECT * FROM prefero_studies FOR UPDATE"))
        driver = connection.connection.driver_connection
        select.select([driver], [], [], 60)  # until the server says something by itself
        connection.execute(sa.text("SELECT 1"))
    goes_on(live, hasty)


def test_a_pool_without_a_free_connection(live, hasty):
    engine = live.log.storage.engine
    held = [engine.connect() for _ in range(15)]
    with complaint(StorageError, "all connections of this process are in use", unchanged=live):
        live.tell(live.waiting[""], "a")
    for connection in held:
        connection.close()
    goes_on(live, hasty)


def statements(engine: sa.Engine) -> list[str]:
    """Everything that will be sent, COMMIT included."""
    sent: list[str] = []
    sa.event.listen(engine, "before_cursor_execute", lambda *given: sent.append(given[2].split()[0]))
    sa.event.listen(engine, "commit", lambda connection: sent.append(_committed(connection)))
    return sent


def _committed(connection: sa.Connection) -> str:
    """What a commit sends: nothing if no transaction was begun."""
    status = connection.connection.driver_connection.info.transaction_status
    return "COMMIT" if status is psycopg.pq.TransactionStatus.INTRANS else "nothing"


def test_no_statement_is_spent_on_asking_whether_the_connection_lives(live):
    sent = statements(live.log.storage.engine)
    live.refresh()
    assert sent == ["BEGIN", "SELECT", "COMMIT"]


def test_an_answer_in_a_crowd_is_one_round_trip(live, hasty):
    storage, sent = live.log.storage, statements(live.log.storage.engine)
    record = new_record(0, Answered(0, "a"), "")
    assert storage.settle("line 3", "", 0, record, counts=True, most=9).answers == 1
    assert sent == ["WITH", "nothing"]
    with pf.Study.open("line 3", hasty) as again:
        assert len(again.history) == 1


def test_a_connection_lost_before_an_answer_in_a_crowd(live, hasty, postgresql):
    """The answer is one statement: there is no BEGIN that would tell."""
    storage = live.log.storage
    with psycopg.connect(postgresql, autocommit=True) as other:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'prefero'"
        assert other.execute(ended).fetchall()
        while other.execute(ended).fetchall():
            pass  # until they have ended
    for pooled in storage.engine.pool._pool.queue:
        while not pooled.dbapi_connection.is_lost():
            time.sleep(0.01)  # until their good-bye has arrived
    record = new_record(0, Answered(0, "a"), "")
    assert storage.settle("line 3", "", 0, record, counts=True, most=9).answers == 1

"""From a URL to transactions, and database errors in plain words.

SQLite runs with a write-ahead log, foreign keys, full synchronisation, and waits ten seconds for other writers. The drivers would
start transactions on their own, so that is switched off and each starts here, with BEGIN IMMEDIATE if it writes to SQLite. While it
waits for a writer, SQLite polls at growing intervals; threads that share an engine take turns on a lock instead, which is faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL

from prefero.errors import DamagedError, StorageError
from prefero.storage.address import is_sqlite, patience, shown, without_secrets
from prefero.storage.file import DatabaseFile

WRITES, ALONE = "prefero_writes", "prefero_alone"
"""Execution options of a connection: it will write; its one statement is a transaction by itself."""

CONNECTIONS = 15
"""The most connections of an engine, which it keeps open. PostgreSQL starts a process for each, so that one opened for a single
request costs more than the request. Whoever finds none free waits for one, up to the URL's timeout."""

_FILES: WeakKeyDictionary[sa.Engine, DatabaseFile] = WeakKeyDictionary()

_LOCKED = "is locked by another program: try again when that is done"
_SQLITE = (
    ("database is locked", _LOCKED),
    ("database table is locked", _LOCKED),
    ("readonly database", "is read-only: nothing can be written to it"),
    ("unable to open", "cannot be opened: its folder must exist, and it must be a file that may be read and written"),
    ("not a database", "is not a database"),
    ("malformed", "is damaged: use a backup"),
    ("UTF-8", "is damaged: it holds a text that is none"),
    ("disk is full", "cannot grow: the disk is full"),
    ("disk I/O error", "cannot be written: the disk is full, or failing"),
)
_POSTGRESQL = {
    "55P03": _LOCKED,
    "57014": "took too long to do this: try again, or give it more time with ?timeout=SECONDS",
    "53100": "cannot grow: the disk is full",
    "25006": "is read-only: nothing can be written to it",
}
"""By SQLSTATE."""


def engine_of(url: URL, create: bool) -> sa.Engine:
    """Return the engine of a database. With create=False a SQLite file must exist."""
    file = DatabaseFile(url, create) if is_sqlite(url) else None
    try:
        if file is None:
            from prefero.storage import postgresql

            postgresql.check_options(url)
        accepted = url.set(query={}) if file is not None else url  # SQLAlchemy warns of options that it does not know
        engine = sa.create_engine(accepted, pool_timeout=patience(url), pool_size=CONNECTIONS, max_overflow=0)
    except ImportError as error:
        raise StorageError(f"{shown(url)} needs a driver: pip install 'prefero[postgres]' ({error})") from None
    except exc.ArgumentError as error:
        raise StorageError.of("storage", shown(url), _said(error, url)) from None

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: object, _record: object, _arguments: object, options: dict[str, Any]) -> Any:
        return postgresql.connect(url, options) if file is None else file.connect()

    event.listen(engine, "begin", _begin)
    if file is None:
        event.listen(engine, "checkout", _check_alive)
    else:
        event.listen(engine, "close", lambda connection, _: file.closed(connection))
        _FILES[engine] = file
    return engine


def _check_alive(connection: Any, _record: object, _proxy: object) -> None:
    """Let the pool replace a connection that was lost while it waited there."""
    if connection.is_lost():
        raise exc.DisconnectionError


def _begin(connection: sa.Connection) -> None:
    if connection.get_execution_options().get(ALONE):
        return
    immediately = connection.get_execution_options().get(WRITES) and connection.dialect.name == "sqlite"
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediately else "BEGIN")


@contextmanager
def transaction(engine: sa.Engine, write: bool) -> Iterator[sa.Connection]:
    """Yield a connection in a transaction; a database error becomes a StorageError of one line."""
    file = _FILES.get(engine)
    held = write and file is not None and file.turn.acquire(timeout=file.patience)
    try:
        with _begun(engine, write) as connection, connection.get_transaction() as begun:  # type: ignore[union-attr]
            _check(file, write)
            yield connection
            begun.commit()
            _check(file, write)  # what was written to a file that is gone must not be acknowledged
    except exc.IntegrityError:
        raise  # what it means depends on the statement: the caller decides
    except exc.DBAPIError as error:
        _check(file, write)  # SQLite calls a file that is gone a failing disk
        raise _plainly(error, engine.url) from error
    except UnicodeDecodeError as error:
        raise DamagedError(f"{shown(engine.url)} is damaged: it holds a text that is none") from error
    except UnicodeEncodeError as error:
        raise StorageError(f"{shown(engine.url)} cannot hold a text: {error}") from error
    except exc.TimeoutError as error:
        raise StorageError(f"{shown(engine.url)}: all connections of this process are in use: try again") from error
    except exc.SQLAlchemyError as error:
        raise StorageError(f"{shown(engine.url)} cannot be used: {_said(error, engine.url)}") from error
    finally:
        if held and file is not None:
            file.turn.release()


@contextmanager
def statement(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Yield a connection of PostgreSQL for one statement, which commits by itself: one round trip instead of three."""
    with transaction(engine.execution_options(**{ALONE: True}), write=True) as connection:
        yield connection


@contextmanager
def snapshot(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Yield a connection that sees the database as it is now, however long the block takes and whatever others write."""
    with transaction(engine, write=False) as connection:
        if not is_sqlite(engine.url):  # SQLite's transactions are snapshots anyway
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield connection


def _check(file: DatabaseFile | None, write: bool) -> None:
    if file is not None:
        file.check()
        if write:
            file.check_log()


def _begun(engine: sa.Engine, write: bool) -> sa.Connection:
    """Return a connection with a transaction.

    A connection may have been lost while it waited in the pool, and only BEGIN tells. Nothing else was sent then, so another one is
    tried, once.
    """
    try:
        return _begun_once(engine, write)
    except exc.DBAPIError as error:
        if not error.connection_invalidated or type(error.orig).__name__ == "NoReplyError":
            raise
        return _begun_once(engine, write)


def _begun_once(engine: sa.Engine, write: bool) -> sa.Connection:
    try:
        connection = engine.connect()
    except UnicodeDecodeError:
        raise  # a damaged file
    except (TypeError, ValueError, OSError) as error:  # of the driver, about an odd value in the URL
        raise StorageError(f"{shown(engine.url)} cannot be used: {_said(error, engine.url)}") from error
    try:
        connection = connection.execution_options(**{WRITES: write})
        connection.begin()
    except BaseException:
        connection.close()
        raise
    return connection


def _plainly(error: exc.DBAPIError, url: URL) -> StorageError:
    said = _said(error.orig, url)
    if is_sqlite(url):
        kind = DamagedError if "malformed" in said or "UTF-8" in said else StorageError
        meaning = next((meaning for words, meaning in _SQLITE if words in said), f"cannot be used: {said}")
        return kind(f"the database {url.database!r} {meaning}")
    meaning = _POSTGRESQL.get(str(getattr(error.orig, "sqlstate", None)), "")
    if meaning:
        return StorageError(f"{shown(url)} {meaning}")
    if error.connection_invalidated or isinstance(error, exc.OperationalError):
        return StorageError(f"no connection to {shown(url)}, or it was lost: {said}")
    return StorageError(f"{shown(url)} cannot be used: {said}")


def _said(error: object, url: URL) -> str:
    """Return the first line of a driver's message, without passwords."""
    return without_secrets((str(error).strip().splitlines() or [type(error).__name__])[0], url)

"""From a URL to transactions: SQLite's settings, the permissions of its file, and database errors in plain words.

SQLite runs with a write-ahead log, foreign keys, full synchronisation, and waits ten seconds for other writers. Python's driver
would start transactions on its own, so that is switched off and each starts here, with BEGIN IMMEDIATE if it writes. While it
waits for a writer, SQLite polls at growing intervals; threads that share an engine take turns on a lock instead, which is faster.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, make_url

from prefero.errors import StorageError

PATIENCE = 10.0
"""Seconds to wait for another writer."""
URL_FORMS = "sqlite:///file.db, the path of a file, or postgresql://user:password@host/database"
WRITES = "prefero_writes"
"""The execution option of a connection that will write."""

_TURNS: WeakKeyDictionary[sa.Engine, Lock] = WeakKeyDictionary()

_SQLITE = (
    ("database is locked", "is locked by another program: try again when that is done"),
    ("database table is locked", "is locked by another program: try again when that is done"),
    ("readonly database", "is read-only: nothing can be written to it"),
    ("unable to open", "cannot be opened: its folder must exist, and it must be a file that may be read and written"),
    ("not a database", "is not a database"),
    ("malformed", "is damaged"),
    ("disk is full", "cannot grow: the disk is full"),
    ("disk I/O error", "cannot be written: the disk is full, or failing"),
)


def parse(given: object) -> URL:
    """Return the URL of a database; a path means a SQLite file."""
    if isinstance(given, os.PathLike) or (isinstance(given, str) and given and "://" not in given):
        return URL.create("sqlite", database=os.fspath(given))
    try:
        url = make_url(given)  # type: ignore[arg-type]
    except (exc.ArgumentError, ValueError, TypeError, AttributeError):
        raise StorageError.of("storage", given, URL_FORMS) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise StorageError.of("storage", shown(url), URL_FORMS)
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise StorageError.of("storage", shown(url), URL_FORMS)
    return url


def shown(url: URL) -> str:
    """Return a URL that is fit to print, without its password."""
    return url.render_as_string(hide_password=True)


def engine_of(url: URL, create: bool) -> sa.Engine:
    """Return the engine of a database; only the owner may read a new SQLite file."""
    sqlite = url.get_backend_name() == "sqlite"
    if sqlite:
        _make_private(url, create)
    try:
        if sqlite:
            patience = {} if "timeout" in url.query else {"timeout": PATIENCE}
            engine = sa.create_engine(url, connect_args=patience)
        else:
            engine = sa.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    except (ImportError, exc.NoSuchModuleError) as error:
        raise StorageError(f"{shown(url)} needs a driver: pip install 'prefero[postgres]' ({error})") from None
    if sqlite:
        event.listen(engine, "connect", _settle)
        event.listen(engine, "begin", _begin)
        _TURNS[engine] = Lock()
    return engine


def _make_private(url: URL, create: bool) -> None:
    """Create the file with mode 0600; SQLite gives the files beside it the same mode."""
    if "uri" in url.query:
        return
    path = Path(str(url.database))
    if path.exists():
        return
    if not create:
        raise StorageError(f"there is no database {str(path)!r}")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StorageError(f"the database {str(path)!r} cannot be created: {error.strerror}") from None


def _settle(connection: Any, _: object) -> None:
    connection.isolation_level = None  # the driver must not start transactions on its own
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except connection.OperationalError as error:
            if "readonly" not in str(error):
                raise


def _begin(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def transaction(engine: sa.Engine, write: bool) -> Iterator[sa.Connection]:
    """Yield a connection in a transaction; a database error becomes a StorageError of one line."""
    turn = _TURNS.get(engine) if write else None
    held = turn is not None and turn.acquire(timeout=PATIENCE)
    try:
        with engine.connect().execution_options(**{WRITES: write}) as connection, connection.begin():
            yield connection
    except exc.IntegrityError:
        raise  # what it means depends on the statement: the caller decides
    except exc.DBAPIError as error:
        raise StorageError(_plainly(error, engine.url)) from error
    except UnicodeEncodeError as error:
        raise StorageError(f"{shown(engine.url)} cannot hold a text: {error}") from error
    except exc.SQLAlchemyError as error:  # the pool has run out, the connection is gone
        raise StorageError(f"{shown(engine.url)} cannot be used: {_first_line(error)}") from error
    finally:
        if turn is not None and held:
            turn.release()


def _plainly(error: exc.DBAPIError, url: URL) -> str:
    said = _first_line(error.orig)
    if url.get_backend_name() == "sqlite":
        for words, meaning in _SQLITE:
            if words in said:
                return f"the database {url.database!r} {meaning}"
        return f"the database {url.database!r} cannot be used: {said}"
    if error.connection_invalidated or isinstance(error, exc.OperationalError):
        return f"no connection to {shown(url)}, or it was lost: {said}"
    return f"{shown(url)} cannot be used: {said}"


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]

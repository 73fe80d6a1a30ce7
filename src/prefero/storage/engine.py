"""Between a URL and a connection: SQLite's settings, who may read its file, and a database's complaints in plain words.

SQLite: write-ahead log, foreign keys, full synchronisation, ten seconds' patience with other writers. Python's driver would
begin transactions at moments of its own choosing, so it is told not to, and each begins here: BEGIN IMMEDIATE to write. SQLite
looks again and again whether a writer is done, ever more seldom; threads of one engine know, and take turns.
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
"""The execution option of a connection that is going to write."""

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
    """The address of a database; a path is a file of SQLite's."""
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
    """A URL to print: without its password."""
    return url.render_as_string(hide_password=True)


def engine_of(url: URL, create: bool) -> sa.Engine:
    """The engine of a database; the file of a new one belongs to its owner alone."""
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
    """Create the file with mode 0600, which SQLite gives to the files beside it, too."""
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
    connection.isolation_level = None  # the driver begins nothing by itself
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
    """A connection whose work is done wholly or not at all; a database's complaint becomes a StorageError of one line."""
    turn = _TURNS.get(engine) if write else None
    held = turn is not None and turn.acquire(timeout=PATIENCE)
    try:
        with engine.connect().execution_options(**{WRITES: write}) as connection, connection.begin():
            yield connection
    except exc.IntegrityError:
        raise  # the caller knows what it means
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

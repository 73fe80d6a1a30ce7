"""Copy a whole database, while others use it, into one SQLite file.

A copy holds all that the database held at one moment: studies, answers, files, and the digests of tokens and invitations. It is
written beside its place, checked, and only then takes it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa

from prefero.errors import InputError, StorageError
from prefero.storage import schema
from prefero.storage.address import is_sqlite
from prefero.storage.atomic import replacing
from prefero.storage.database import Database
from prefero.storage.engine import snapshot, transaction
from prefero.storage.inspection import check_copy

PAGES = 256
"""How many pages of a SQLite file, of 4 kB each, are copied at once."""
ROWS = 200
"""How many rows are copied at once; files, which may be large, one by one."""
Progress = Callable[[int, int], None]
"""Told how much is done of how much."""


def backup(storage: Database, file: Path, *, overwrite: bool = False, progress: Progress | None = None) -> None:
    """Copy a database into a new SQLite file, which only its owner may read.

    overwrite: replace a file that is there, unless it is a database in use.
    """
    _check_place(storage, file, overwrite)
    with replacing(file) as temporary:
        copied = _copy_file if is_sqlite(storage.engine.url) else _copy_tables
        try:
            copied(storage, temporary, progress or (lambda *_: None))
            _check(temporary)
        except sqlite3.Error as error:
            raise StorageError(f"{file} cannot be written: {error}") from error
        finally:
            for suffix in ("-wal", "-shm", "-journal"):
                Path(f"{temporary}{suffix}").unlink(missing_ok=True)


def _check_place(storage: Database, file: Path, overwrite: bool) -> None:
    if is_sqlite(storage.engine.url) and file.exists() and file.samefile(str(storage.engine.url.database)):
        raise InputError.of("file", str(file), "another file than the database itself")
    if file.exists() and not overwrite:
        raise InputError(f"{file} exists already; --force overwrites it")
    if Path(f"{file}-wal").exists():
        raise InputError(f"{file} is a database in use, because {file.name}-wal is beside it: choose another file")


def _copy_file(storage: Database, to: Path, progress: Progress) -> None:
    with snapshot(storage.engine) as connection:
        connection.exec_driver_sql("SELECT 1 FROM sqlite_master").first()  # the snapshot begins with the first read
        source = connection.connection.driver_connection
        assert isinstance(source, sqlite3.Connection)
        target = sqlite3.connect(to)
        try:
            source.backup(target, pages=PAGES, progress=lambda _, left, total: progress(total - left, total))
            target.execute("PRAGMA journal_mode=DELETE")  # one file, which may lie in a read-only folder
        finally:
            target.close()


def _copy_tables(storage: Database, to: Path, progress: Progress) -> None:
    tables = [table for table in schema.metadata.sorted_tables if table is not schema.schema]
    with Database(to) as target:
        with snapshot(storage.engine) as source, transaction(target.engine, write=True) as into:
            total = sum(source.scalar(sa.select(sa.func.count()).select_from(table)) or 0 for table in tables)
            done = 0
            for table in tables:
                at_once = 1 if table is schema.artifacts else ROWS
                rows = source.execution_options(yield_per=at_once).execute(sa.select(table))
                for some in rows.mappings().partitions():
                    into.execute(table.insert(), [dict(row) for row in some])
                    done += len(some)
                    progress(done, total)
        with target.engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            driver.execute("PRAGMA journal_mode=DELETE")


def _check(copy: Path) -> None:
    url = sa.URL.create("sqlite", database=os.fspath(copy), query={"mode": "ro", "immutable": "1"})
    with Database(url, create=False) as storage, snapshot(storage.engine) as connection:
        check_copy(connection)

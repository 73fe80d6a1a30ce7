"""DatabaseFile: the file of a SQLite database, how it is opened, and whether it is still the file that was opened.

A program that keeps a file open may go on writing after somebody deleted or replaced it; what it writes is then lost. Each
transaction therefore compares the file, and one that writes the write-ahead log beside it, with those that were opened.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from threading import Lock
from weakref import WeakSet

from sqlalchemy.engine import URL

from prefero.errors import StorageError, shorten
from prefero.storage.address import patience

Identity = tuple[int, int] | None
"""Device and inode of a file; None if there is none."""
OURS = "SELECT 1 FROM sqlite_master WHERE name = 'prefero_schema'"


class Connection(sqlite3.Connection):
    """A connection that can be referred to weakly."""


class DatabaseFile:
    """The file that a URL names. With create=False it must exist; a new one is readable by its owner only."""

    def __init__(self, url: URL, create: bool) -> None:
        self.name = str(url.database)
        self.path = os.path.abspath(self.name)  # the process may change its directory
        self.turn = Lock()
        self._query, self._create = url.query, create
        self.patience = patience(url)
        if _identity(self.path) is None:
            self._make(create)
        self._opened = _identity(self.path)
        self._immutable_as: tuple[int, int] | None = None
        self._connections: WeakSet[Connection] = WeakSet()
        self._log: Identity = None  # while there is a connection, SQLite keeps the log

    def _make(self, create: bool) -> None:
        if not create or self._query.get("mode") == "ro":
            raise StorageError(f"there is no database {self.name!r}")
        try:
            os.close(
                os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600)
            )  # SQLite gives the files beside it the same mode
        except OSError as error:
            raise StorageError(f"the database {self.name!r} cannot be created: {error.strerror}") from None

    # Opening ----------------------------------------------------------------------------------------------------------

    def connect(self) -> Connection:
        """Return a new connection, which never creates the file.

        A database with a write-ahead log needs files beside it. In a folder where none can be made it is read as it is,
        unless a log tells that a program is writing to it or was interrupted.
        """
        mode, immutable = self._query.get("mode", "rw"), self._query.get("immutable") == "1"
        if not immutable and _identity(f"{self.path}-wal") is None and not _writable(Path(self.path).parent):
            immutable = True
        if immutable:
            mode, self._immutable_as = "ro", self._content()
        uri = f"{Path(self.path).as_uri()}?mode={mode}{'&immutable=1' if immutable else ''}"
        connection = sqlite3.connect(uri, uri=True, timeout=self.patience, check_same_thread=False, factory=Connection)
        try:
            self._settle(connection)
        except BaseException:
            connection.close()
            raise
        if not self._connections:
            self._log = None
        self._connections.add(connection)
        return connection

    def closed(self, connection: Connection) -> None:
        """Forget a connection that is being closed."""
        self._connections.discard(connection)

    def _settle(self, connection: Connection) -> None:
        connection.isolation_level = None  # the driver must not start transactions on its own
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA cell_size_check=ON")  # notice damaged pages
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            return
        empty = connection.execute("PRAGMA page_count").fetchone()[0] == 0
        if (empty and self._create) or connection.execute(OURS).fetchone():  # nobody else's database is changed
            try:
                connection.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if "readonly" not in str(error):
                    raise

    # Still the same? --------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise a StorageError if the file is not the one that was opened."""
        if _identity(self.path) != self._opened:
            raise StorageError(
                f"the database {self.name!r} was deleted or replaced while it was open: close this program, restore the file, "
                "and start again"
            )
        if self._immutable_as is not None and self._content() != self._immutable_as:
            raise StorageError(f"the database {self.name!r} was changed while it was read: try again")

    def check_log(self) -> None:
        """Raise a StorageError if the write-ahead log is not the one that the connections have open; one of them writes now."""
        log = _identity(f"{self.path}-wal")
        self._log = self._log or log
        if log != self._log:
            raise StorageError(
                f"the file {self.name + '-wal'!r}, which holds the newest answers, was deleted or replaced while it was open: "
                "close every program that uses the database, and start again"
            )

    def _content(self) -> tuple[int, int]:
        """Return the size of the file and when it was written; SQLite does not notice changes of an immutable one."""
        found = os.stat(self.path)
        return found.st_size, found.st_mtime_ns


def _identity(path: str) -> Identity:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"the database {shorten(path)} cannot be opened: {error.strerror}") from None
    return found.st_dev, found.st_ino


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)

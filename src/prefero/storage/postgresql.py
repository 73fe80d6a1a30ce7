"""PostgreSQL with time limits: a server that is locked, slow or stuck does not hold a caller for ever.

The server ends a statement, a wait for a lock and an idle transaction after the time limit. A server that does not even do that,
because it is stopped or the network swallows packets, is given up two seconds later by the client.
"""

from __future__ import annotations

import select
from collections.abc import Generator
from time import monotonic
from typing import Any

import psycopg
from psycopg import pq
from sqlalchemy.engine import URL

from prefero.errors import StorageError
from prefero.storage.address import patience

GRACE = 2.0
"""Seconds that the client waits longer than the server, whose message says more."""


def _readable(socket: int) -> bool:
    if hasattr(select, "poll"):
        poll = select.poll()  # unlike select, it takes numbers above 1023
        poll.register(socket, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([socket], [], [], 0)[0])


class NoReplyError(psycopg.OperationalError):
    """The server did not reply in time."""


class Connection(psycopg.Connection[Any]):
    """A connection that closes itself if a reply takes longer than `patience` seconds."""

    patience: float

    def is_lost(self) -> bool:
        """Return whether the server has closed the connection, as far as is known here: nothing is sent."""
        try:
            while _readable(self.pgconn.socket):  # an idle server says nothing, except good-bye
                self.pgconn.consume_input()
        except (psycopg.Error, OSError, ValueError):
            return True
        return False

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **options: Any) -> Any:
        """Wait for a reply of the server."""
        return super().wait(self._limited(gen), *arguments, **options)

    def _limited(self, waiting: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        deadline = monotonic() + self.patience
        try:
            wanted = next(waiting)
            while True:
                ready = yield wanted  # nothing is ready several times a second
                if not ready and monotonic() > deadline:
                    self.close()
                    raise NoReplyError(f"the server did not reply within {self.patience:g} s")
                wanted = waiting.send(ready)
        except StopIteration as ended:
            return ended.value


def connect(url: URL, options: dict[str, Any]) -> Connection:
    """Return a connection that starts no transactions on its own; `options` are those of libpq that SQLAlchemy found in the URL."""
    seconds = patience(url)
    milliseconds = max(int(seconds * 1000), 1)
    limits = {
        "statement_timeout": milliseconds,
        "lock_timeout": max(milliseconds * 4 // 5, 1),  # sooner, because its message says why
        "idle_in_transaction_session_timeout": milliseconds,
    }
    limited = " ".join(f"-c {name}={limit}" for name, limit in limits.items())
    defaults = {
        "connect_timeout": max(round(seconds), 2),  # the least that libpq allows
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": milliseconds,
    }
    given = {name: value for name, value in options.items() if name != "timeout"}
    given["options"] = f"{limited} {given.get('options', '')}".rstrip()  # of two settings, the last one counts
    connection = Connection.connect(**(defaults | given), autocommit=True)
    connection.patience = seconds + GRACE
    return connection


def check_options(url: URL) -> None:
    """Raise a StorageError if the URL has an option that is neither libpq's nor ours."""
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()} | {"timeout"}
    unknown = [name for name in url.query if name not in known]
    if unknown:
        raise StorageError.of("storage", unknown[0], "timeout, or an option of libpq such as sslmode")

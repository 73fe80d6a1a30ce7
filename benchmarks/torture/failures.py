"""What goes wrong around a service while judges answer: a full disk, a locked or stopped database, a clock that is moved.

Every acknowledged answer must be there afterwards. Meanwhile a request may only be answered, or refused with 503 and a sentence.
Then the service goes on by itself, without a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from benchmarks.torture import processes
from benchmarks.torture.insistent import UNAVAILABLE, Load, under_load
from benchmarks.torture.postgres import Cluster
from prefero.storage import Storage, schema
from prefero.storage.database import Database
from prefero.storage.events import Asked
from prefero.web import access

FULL_SECONDS, STOPPED_SECONDS, LOCKED_SECONDS, CLOCK_SECONDS = 20.0, 20.0, 60.0, 10.0
"""How long the disk is full, the database stopped, the database locked, and each time of day kept, in a full run."""
DISK = 8 << 20
"""The size of the disk that is filled up."""
ANSWERS = 20
"""How many answers there must be before and after a failure."""
REFUSALS = 3
"""How many refusals with 503 there must be before a failure ends: it was noticed."""
BACK_SECONDS = 300.0
CLOCK_CACHE_SECONDS = 1
"""How long a process with a clock of its own may take to see that it was moved; the library counts whole seconds."""
MOVES: tuple[str, ...] = ("+1h", "+0", "-1h", "+1d", "-1d", "+0")
"""Where the clock is moved, counted from the true time."""
LIBRARY = "faketime/libfaketimeMT.so.1"


@dataclass
class Outcome:
    """What a failure came to: what the judges saw, how long it took, how soon the service was back, and how it was done."""

    load: Load
    seconds: float
    back: float = 0.0
    means: str = ""

    @property
    def unavailable(self) -> int:
        """How many requests were refused with 503."""
        return self.load.account.statuses[UNAVAILABLE]


def failing(
    url: str, fails: Callable[[], contextlib.AbstractContextManager[str]], seconds: float, unanswered: bool = True
) -> Outcome:
    """Let something fail for so long, and return what came of it.

    fails: a context in which it fails; it yields a sentence about how. unanswered: whether it must be noticed by a 503.
    """
    seen = []
    with processes.running(url, processes.serve_quietly) as server, Database(_patient(url)) as storage:

        async def torment(load: Load) -> None:
            await load.more(ANSWERS)
            async with _failing(fails) as means:
                began, before = time.monotonic(), load.account.statuses[UNAVAILABLE]
                await asyncio.sleep(seconds)
                while unanswered and load.account.statuses[UNAVAILABLE] < before + REFUSALS:
                    assert time.monotonic() < began + BACK_SECONDS, "nobody noticed that something fails"
                    await asyncio.sleep(0.1)
                lasted = time.monotonic() - began
            ended = time.monotonic()
            await load.more(1)
            back = time.monotonic() - ended
            await load.more(ANSWERS)
            assert _health(server.port) == 200, "it answers, and says that it cannot"
            seen.append((lasted, back, means))

        load = under_load(storage, [server.port], torment)
    return Outcome(load, *seen[0])


@asynccontextmanager
async def _failing(fails: Callable[[], contextlib.AbstractContextManager[str]]) -> AsyncIterator[str]:
    """A blocking context in threads, so that the judges go on."""
    context = fails()
    means = await asyncio.to_thread(context.__enter__)
    try:
        yield means
    finally:
        await asyncio.to_thread(context.__exit__, None, None, None)


def _patient(url: str) -> str:
    """The URL without a time limit for servers: we wait for as long as it takes."""
    return url.replace("&timeout=1", "").replace("?timeout=1", "")


def impatient(url: str) -> str:
    """The URL for a server that waits for a second only."""
    return f"{url}{'&' if '?' in url else '?'}timeout=1"


def _health(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status
    finally:
        connection.close()


# A full disk -----------------------------------------------------------------------------------------------------------


@contextmanager
def small_disk() -> Iterator[tuple[Path, bool]]:
    """A folder on a small disk of its own, and whether it is one: only root may mount one, and not everywhere."""
    with tempfile.TemporaryDirectory(prefix="prefero-disk-") as folder:
        mount = shutil.which("mount")
        options = ["-t", "tmpfs", "-o", f"size={DISK},mode=700", "prefero", folder]
        mounted = mount is not None and subprocess.run([mount, *options], capture_output=True).returncode == 0
        try:
            yield Path(folder), mounted
        finally:
            if mounted:
                subprocess.run([shutil.which("umount") or "umount", "-l", folder], check=True, capture_output=True)


def full_disk(seconds: float = FULL_SECONDS) -> Outcome:
    """Fill the disk of a SQLite database up to the last byte; where nothing may be mounted, let its files not grow instead."""
    with small_disk() as (folder, mounted):
        url = f"sqlite:///{folder / 'torture.db'}"
        return failing(url, lambda: _filled(folder) if mounted else _stunted(folder), seconds)


@contextmanager
def _filled(folder: Path) -> Iterator[str]:
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    try:
        yield f"a disk of {DISK >> 20} MB, filled up"
    finally:
        ballast.unlink()


@contextmanager
def _stunted(folder: Path) -> Iterator[str]:
    """Forbid every process that we started to let a file grow beyond the size of the write-ahead log."""
    size = (folder / "torture.db-wal").stat().st_size
    victims = processes.descendants(os.getpid())
    for pid in victims:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # one that is about to end
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        yield "no disk may be mounted here: a limit for the size of files instead"
    finally:
        for pid in victims:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


# A database that is locked, or not there ---------------------------------------------------------------------------------


def locked(url: str, seconds: float = LOCKED_SECONDS) -> Outcome:
    """Let somebody else hold the lock of a database."""
    return failing(url, lambda: _locked(_patient(url)), seconds)


@contextmanager
def _locked(url: str) -> Iterator[str]:
    if url.startswith("sqlite"):
        with contextlib.closing(
            sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60, isolation_level=None, check_same_thread=False)
        ) as other:
            other.execute("BEGIN IMMEDIATE")
            yield "BEGIN IMMEDIATE by another program"
            other.execute("ROLLBACK")
    else:
        with psycopg.connect(url) as connection:
            tables = sql.SQL(", ").join(map(sql.Identifier, schema.metadata.tables))
            _lock(connection, sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(tables))
            yield "LOCK TABLE by another program"
            connection.rollback()


def _lock(connection: psycopg.Connection[Any], statement: sql.Composed) -> None:
    """Lock all tables, which takes several attempts if a request holds some of them and waits for others."""
    for _ in range(100):
        with contextlib.suppress(psycopg.errors.DeadlockDetected):
            connection.execute(statement)
            return
        connection.rollback()
    raise AssertionError("the tables cannot be locked")


def stopped(cluster: Cluster, seconds: float = STOPPED_SECONDS) -> Outcome:
    """Stop PostgreSQL for a while."""
    return failing(cluster.url, lambda: _stopped(cluster), seconds)


@contextmanager
def _stopped(cluster: Cluster) -> Iterator[str]:
    cluster.stop()
    try:
        yield "pg_ctl -m immediate stop"
    finally:
        cluster.start()


# The clock ---------------------------------------------------------------------------------------------------------------


def moved_clock(url: str, seconds: float = CLOCK_SECONDS, moves: Sequence[str] = MOVES) -> Outcome:
    """Move the clock of a server and of everything that it starts, forth and back, by up to a day.

    At each time the judges' answers are acknowledged, no request fails, a token for half an hour has expired if the clock says so,
    and the pool is filled. When the clock is moved back, the worker is killed: its lease, which seems to last for an hour, is taken
    over.
    """
    with _clock() as (environment, move), Database(url) as storage:
        brief = access.make_token(storage, "viewer", label="brief", hours=0.5)[0]
        with _with(environment):
            server = processes.Server(url, processes.serve_quietly)
        try:
            began = time.monotonic()

            async def torment(load: Load) -> None:
                await load.more(ANSWERS)
                for offset in moves:
                    if offset == "-1h":  # the worker does not renew its lease any more
                        await asyncio.to_thread(_kill_worker, server.pid)
                    await asyncio.to_thread(move, offset)
                    await load.more(ANSWERS)
                    wanted = 401 if offset in ("+1h", "+1d") else 200
                    assert await asyncio.to_thread(_status, server.port, brief) == wanted, (
                        f"{offset}: the token's expiry"
                    )
                    await asyncio.to_thread(_pool_is_filled, storage)
                    await asyncio.sleep(seconds)
                await load.more(ANSWERS)

            load = under_load(storage, [server.port], torment)
        finally:
            server.close()
    assert not load.account.statuses[UNAVAILABLE], f"a moved clock makes the service unavailable: {load.said}"
    return Outcome(load, time.monotonic() - began, means=f"libfaketime: {', '.join(moves)}")


@contextmanager
def _clock() -> Iterator[tuple[dict[str, str], Callable[[str], None]]]:
    """What to put into the environment of a process for it to have a clock of its own, and a function that moves the clock."""
    library = next((path for path in Path("/usr/lib").glob(f"*/{LIBRARY}")), None)
    if library is None:
        raise RuntimeError("libfaketime is missing: apt-get install faketime")
    with tempfile.TemporaryDirectory(prefix="prefero-clock-") as folder:
        told = Path(folder) / "offset"

        def move(offset: str) -> None:
            new = told.with_suffix(".new")
            new.write_text(f"{offset}\n", encoding="ascii")
            new.replace(told)
            time.sleep(CLOCK_CACHE_SECONDS + 0.5)

        move("+0")
        environment = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(told),
            "FAKETIME_CACHE_DURATION": str(CLOCK_CACHE_SECONDS),  # without, every wait of a thread would read the file
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # a system's clock that is moved does not move this one
            "DONT_FAKE_MONOTONIC": "1",
        }
        yield environment, move


@contextmanager
def _with(environment: dict[str, str]) -> Iterator[None]:
    """Give our environment to what is started in a block."""
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _status(port: int, token: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/api/v1/me", headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status
    finally:
        connection.close()


def _kill_worker(server: int) -> None:
    (worker,) = processes.wait_for(
        lambda: processes.running_module(server, "prefero.study.worker"), BACK_SECONDS, "a worker that runs"
    )
    os.kill(worker, signal.SIGKILL)


def _pool_is_filled(storage: Storage) -> None:
    """Wait until questions come from a pool that was filled just now."""
    study = storage.find("study-0")
    length = len(storage.read(study))

    def fresh() -> bool:
        events = [record.event for record in storage.read(study, length)]
        return any(isinstance(event, Asked) and (event.known or 0) >= length for event in events)

    processes.wait_for(fresh, BACK_SECONDS, "a question from a pool that was filled since")

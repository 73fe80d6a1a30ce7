"""Server processes, and what the system tells about them: who started whom, memory, threads, open files."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from prefero.web import server
from prefero.web.settings import Settings

MEGABYTE = 1 << 20
START_SECONDS = 120.0
"""How long a server may take to start on a busy machine."""
Serve = Callable[[str, int, Any], None]
"""Serves a database at a port until it is ended, and sends the link through a pipe first."""


def end_with_parent() -> None:
    """Let this process be told to stop when the one that started it ends, even if that is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_stop_after, args=(parent,), daemon=True).start()


def _stop_after(parent: Any) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def serve(url: str, port: int, pipe: Any) -> None:
    """Serve a database as `prefero serve` does, without a limit of requests per second."""
    end_with_parent()
    server.run(url, port=port, settings=Settings(rate=1e9, burst=1_000_000_000), announce=pipe.send)


def serve_quietly(url: str, port: int, pipe: Any) -> None:
    """Serve without a word about requests that fail, of which there are thousands while something is killed."""
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)  # the processes that it starts have the same
    serve(url, port, pipe)


class Server:
    """A server process that can be killed and started again at the same port."""

    def __init__(self, url: str, target: Serve = serve) -> None:
        self.url, self.port = url, 0
        self._target, self._spawn = target, multiprocessing.get_context("spawn")
        self.process: BaseProcess | None = None
        self.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self.process is not None
        assert self.process.pid is not None
        return self.process.pid

    def start(self) -> None:
        """Start the process, and wait until it listens."""
        read, write = self._spawn.Pipe(duplex=False)
        self.process = self._spawn.Process(target=self._target, args=(self.url, self.port, write))
        self.process.start()
        write.close()
        assert read.poll(START_SECONDS), "the server does not start"
        try:
            self.port = int(read.recv().split(":")[2].split("/")[0])
        except EOFError:
            raise AssertionError("the server ended while it started") from None
        finally:
            read.close()

    def kill(self) -> None:
        """kill -9, and nothing else."""
        assert self.process is not None
        os.kill(self.pid, signal.SIGKILL)
        self.process.join()

    def close(self) -> None:
        """Stop it as its owner would."""
        assert self.process is not None
        self.process.terminate()
        self.process.join(30)
        self.process.kill()
        self.process.join()


@contextlib.contextmanager
def running(url: str, target: Serve = serve) -> Iterator[Server]:
    """A server, for as long as it is needed."""
    started = Server(url, target)
    try:
        yield started
    finally:
        started.close()


@dataclass(frozen=True)
class Usage:
    """What a process and everything that it started take: megabytes in memory, threads, open files, and how many processes."""

    megabytes: float
    threads: int
    files: int
    processes: int


def usage(pid: int) -> Usage:
    """Return what a process and its descendants take now."""
    found = [_usage(each) for each in (pid, *descendants(pid))]
    alive = [each for each in found if each is not None]
    return Usage(sum(m for m, _, _ in alive), sum(t for _, t, _ in alive), sum(f for _, _, f in alive), len(alive))


def _usage(pid: int) -> tuple[float, int, int] | None:
    """Megabytes, threads and open files of one process; None if it is gone."""
    folder = Path(f"/proc/{pid}")
    try:
        pages = int((folder / "statm").read_text("ascii").split()[1])
        return (
            pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE,
            len(_entries(folder / "task")),
            len(_entries(folder / "fd")),
        )
    except OSError:
        return None


def _entries(folder: Path) -> list[str]:
    return os.listdir(folder)


def descendants(pid: int) -> list[int]:
    """The processes that a process started, directly or not, and that are still there."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found: list[int] = []
    left = [pid]
    while left:
        new = children.get(left.pop(), [])
        found += new
        left += new
    return found


def running_module(pid: int, module: str) -> list[int]:
    """The descendants of a process that run `python -m module`."""
    found = []
    for child in descendants(pid):
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"-m" in command and module.encode() in command:
                found.append(child)
    return found


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and its descendants that are still there."""
    total = 0
    for each in (pid, *descendants(pid)):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{each}/stat").read_text(errors="replace").rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def wait_for(look: Callable[[], Any], seconds: float, what: str) -> Any:
    """Return what a look finds, as soon as it finds something; an AssertionError if that takes too long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds:g} s: {what}")

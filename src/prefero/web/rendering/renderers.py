"""Who renders, with a time limit: worker processes of this machine, or any executor, as Dask's is.

A rendering that fails is a value, a Failure with its reason: the page shows it, and the next one is tried.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from prefero.errors import PreferoError
from prefero.web.rendering import worker
from prefero.web.rendering.pictures import Shown
from prefero.web.rendering.tuning import Render, Tuning, module_of, source_of, told

MOST_WORKERS = 4
START_SECONDS = 120.0
"""How long a worker may take to import what the file imports."""


@dataclass(frozen=True)
class Failure:
    """Why a candidate cannot be shown."""

    why: str


class Renderer(Protocol):
    """Renders candidates, several at a time if it is called from several threads."""

    @property
    def workers(self) -> int:
        """How many at a time are of use."""

    def render(self, candidate: Mapping[str, Any], progress: worker.Progress) -> Shown | Failure:
        """What there is to see of a candidate; told its progress, from 0 to 1, where it is known."""

    def close(self) -> None:
        """End what is under way."""


def default_workers() -> int:
    """How many worker processes fit this machine: one core is left to those who wait for an answer."""
    return max(1, min(MOST_WORKERS, (os.cpu_count() or 1) - 1))


_Reply = tuple[dict[str, Any], list[bytes]]


# Worker processes -----------------------------------------------------------------------------------------------------


class _Worker:
    """One process that renders one candidate at a time."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-m", "prefero.web.rendering.worker", str(path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._replies: queue.SimpleQueue[_Reply | None] = queue.SimpleQueue()  # None: it has ended
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ready = False

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while (reply := worker.read(self._process.stdout)) is not None:
                self._replies.put(reply)
        self._replies.put(None)

    def render(self, candidate: Mapping[str, Any], seconds: float, progress: worker.Progress) -> Shown | Failure:
        assert self._process.stdin is not None
        if not self._ready:
            started = self._reply(START_SECONDS, progress)
            if isinstance(started, Failure):
                return started
            self._ready = True
        with contextlib.suppress(OSError):  # it is gone: the reply says so
            worker.write(self._process.stdin, {"candidate": dict(candidate)})
        reply = self._reply(seconds, progress)
        if isinstance(reply, Failure):
            return reply
        message, contents = reply
        files = {f["name"]: (c, f["media_type"]) for f, c in zip(message["files"], contents, strict=True)}
        return Shown(files, message["numbers"])

    def _reply(self, seconds: float, progress: worker.Progress) -> _Reply | Failure:
        """The next message that is no progress; a Failure, and no process, where it does not come in time."""
        end = time.monotonic() + seconds
        while True:
            try:
                reply = self._replies.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                self.close()
                return Failure(f"it took longer than {seconds:g} s")
            if reply is None:
                self.close()
                return Failure(f"its process ended (exit code {self._process.returncode})")
            message, _ = reply
            if "failed" in message:
                return Failure(str(message["failed"]))
            if "progress" not in message:
                return reply
            progress(message["progress"])

    @property
    def usable(self) -> bool:
        return self._ready and self._process.poll() is None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()


class Workers:
    """Worker processes of this machine: each runs the file once, and renders one candidate after the other.

    One that takes too long is ended, and another started in its place.
    """

    def __init__(self, tuning: Tuning) -> None:
        self.workers = tuning.workers or default_workers()
        self._path, self._seconds = tuning.path, tuning.seconds
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def render(self, candidate: Mapping[str, Any], progress: worker.Progress) -> Shown | Failure:
        """Render in an idle process, or in a new one."""
        try:
            used = self._idle.get_nowait()
        except queue.Empty:
            with self._lock:
                if self._closed:
                    return Failure("the server is stopping")
                used = _Worker(self._path)
                self._all.add(used)
        made = used.render(candidate, self._seconds, progress)
        if used.usable:
            self._idle.put(used)
        else:
            used.close()
            with self._lock:
                self._all.discard(used)
        return made

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._closed = True
            for each in self._all:
                each.close()


# Any executor ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _render_of(path: str, source: str) -> Render:
    render = vars(module_of(Path(path), source)).get("render")
    assert callable(render)
    return render  # type: ignore[no-any-return]


def render_elsewhere(path: str, source: str, candidate: dict[str, Any]) -> Shown | Failure:
    """Render on whichever machine this runs; the file travels as its text, and is run there once."""
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        return worker.rendered(_render_of(path, source), candidate, lambda _: None)
    except PreferoError as error:
        return Failure(str(error))
    except Exception as error:  # noqa: BLE001 (whatever the user's function raises is told, and shown)
        return Failure(told(error, Path(path), Path(path).name))


class Submitted:
    """Rendering by an executor. What takes too long is given up; it is for the executor to end it."""

    def __init__(self, tuning: Tuning, executor: Executor, close: Callable[[], object], workers: int) -> None:
        self.workers = workers
        self._executor, self._close, self._seconds = executor, close, tuning.seconds
        self._source = (str(tuning.path), source_of(tuning.path))

    def render(self, candidate: Mapping[str, Any], progress: worker.Progress) -> Shown | Failure:  # noqa: ARG002
        """Submit, and wait."""
        future: Future[Shown | Failure] | None = None
        try:
            future = self._executor.submit(render_elsewhere, *self._source, dict(candidate))
            return future.result(self._seconds)
        except (TimeoutError, FutureTimeout):
            if future is not None:
                future.cancel()
            return Failure(f"it took longer than {self._seconds:g} s")
        except Exception as error:  # noqa: BLE001 (a scheduler that went away, a worker without prefero: told, and shown)
            return Failure(" ".join(f"the executor failed: {type(error).__name__}: {error}".split()))

    def close(self) -> None:
        """Leave the executor."""
        self._close()


class InThread:
    """Rendering by a function of this process, as a notebook's is; nothing ends what takes too long."""

    workers = 1

    def __init__(self, render: Render) -> None:
        self._render = render

    def render(self, candidate: Mapping[str, Any], progress: worker.Progress) -> Shown | Failure:
        """Call the function."""
        try:
            return worker.rendered(self._render, dict(candidate), progress)
        except Exception as error:  # noqa: BLE001 (whatever the user's function raises is told, and shown)
            return Failure(told(error, Path("render")))

    def close(self) -> None:
        """There is nothing to end."""

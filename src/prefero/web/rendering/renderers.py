"""Rendering with a time limit: in helper processes, by any executor such as Dask's, or in a thread.

A failed rendering is a value, a Failure with its reason, which the page shows.
"""

from __future__ import annotations

import os
import queue
import threading
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
from prefero.web.rendering.tuning import Render, Tuning, error_line, module_of, source_of
from prefero.web.worker_process import Progress, WorkerError, WorkerProcess

MOST_WORKERS = 4
"""The most helper processes that are started unless the file asks for more: each holds the file's libraries in memory."""


@dataclass(frozen=True)
class Failure:
    """Why a candidate cannot be shown."""

    why: str


class Renderer(Protocol):
    """Renders candidates, several at a time if it is called from several threads."""

    @property
    def workers(self) -> int:
        """How many candidates can be rendered at a time."""

    def render(self, candidate: Mapping[str, Any], progress: Progress) -> Shown | Failure:
        """Return what is shown of a candidate; `progress` is told how far it is, from 0 to 1, if that is known."""

    def interrupt(self, candidate: Mapping[str, Any]) -> bool:
        """End the rendering of a candidate, which then returns a Failure; return whether that was possible."""

    def close(self) -> None:
        """Stop what is running."""


def default_workers() -> int:
    """Return how many helper processes fit this machine; one core stays free for the server."""
    return max(1, min(MOST_WORKERS, (os.cpu_count() or 1) - 1))


# Worker processes -----------------------------------------------------------------------------------------------------


class ProcessRenderer:
    """Worker processes of this machine: each runs the file once, and renders one candidate after the other."""

    def __init__(self, tuning: Tuning) -> None:
        self.workers = tuning.workers or default_workers()
        self._seconds = tuning.seconds
        self._all = [WorkerProcess(worker.__name__, str(tuning.path)) for _ in range(self.workers)]
        self._idle: queue.LifoQueue[WorkerProcess] = queue.LifoQueue()  # the last one used is the warmest
        self._busy: list[tuple[dict[str, Any], WorkerProcess]] = []
        self._changing = threading.Lock()
        for each in reversed(self._all):
            self._idle.put(each)

    def render(self, candidate: Mapping[str, Any], progress: Progress) -> Shown | Failure:
        """Render in an idle process; a Failure if it fails, ends or takes too long."""
        process = self._idle.get()
        task = dict(candidate), process
        with self._changing:
            self._busy.append(task)
        try:
            message, parts = process.request({"candidate": task[0]}, self._seconds, progress)
        except WorkerError as error:
            return Failure(str(error))
        finally:
            with self._changing:  # from here on nobody interrupts this process
                self._busy.remove(task)
            self._idle.put(process)
        files = {file["name"]: (part, file["media_type"]) for file, part in zip(message["files"], parts, strict=True)}
        return Shown(files, message["numbers"])

    def interrupt(self, candidate: Mapping[str, Any]) -> bool:
        """End the process that renders a candidate; the next rendering starts another."""
        with self._changing:
            found = [process for busy, process in self._busy if busy == candidate]
            for process in found:
                process.interrupt()
        return bool(found)

    def close(self) -> None:
        """End every process."""
        for each in self._all:
            each.close()


# Any executor ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _render_of(path: str, source: str) -> Render:
    render = vars(module_of(Path(path), source)).get("render")
    assert callable(render)
    return render  # type: ignore[no-any-return]


def render_elsewhere(path: str, source: str, candidate: dict[str, Any]) -> Shown | Failure:
    """Render on the machine that this runs on; the served file is sent as text and run there once."""
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        return worker.rendered(_render_of(path, source), candidate, lambda _: None)
    except PreferoError as error:
        return Failure(str(error))
    except Exception as error:  # noqa: BLE001 (whatever the user's function raises is told, and shown)
        return Failure(error_line(error, Path(path), Path(path).name))


class ExecutorRenderer:
    """Rendering by an executor. A rendering that takes too long is given up; only the executor can end it."""

    def __init__(self, tuning: Tuning, executor: Executor, close: Callable[[], object], workers: int) -> None:
        self.workers = workers
        self._executor, self._close, self._seconds = executor, close, tuning.seconds
        self._source = (str(tuning.path), source_of(tuning.path))

    def render(self, candidate: Mapping[str, Any], progress: Progress) -> Shown | Failure:  # noqa: ARG002
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

    def interrupt(self, candidate: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """Return False: only the executor can end what has begun."""
        return False

    def close(self) -> None:
        """Disconnect from the executor."""
        self._close()


class ThreadRenderer:
    """Rendering by a function of this process, such as a notebook's; there is no time limit."""

    workers = 1

    def __init__(self, render: Render) -> None:
        self._render = render

    def render(self, candidate: Mapping[str, Any], progress: Progress) -> Shown | Failure:
        """Call the function."""
        try:
            return worker.rendered(self._render, dict(candidate), progress)
        except Exception as error:  # noqa: BLE001 (whatever the user's function raises is told, and shown)
            return Failure(error_line(error, Path("render")))

    def interrupt(self, candidate: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """Return False: a thread cannot be stopped."""
        return False

    def close(self) -> None:
        """Do nothing: a thread cannot be stopped."""

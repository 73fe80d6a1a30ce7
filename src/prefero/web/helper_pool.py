"""HelperPool: a few helpers that work for many studies, so that no study keeps another one waiting for long.

People who wait come before what is computed ahead. Studies take turns: one job of a study runs at a time, and the study that was
served least recently comes first. Studies whose last job was slow never have all helpers: together they leave one to the others.
If a job turns out to be slow while somebody waits, it is interrupted and put back.

A helper remembers the studies that it worked for, so a study's jobs go to the same one, unless it is busy for long.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from prefero.web.worker_process import EndedError, WorkerError

T = TypeVar("T")

SLOW_SECONDS = 1.0
"""A job that takes longer is slow, and so is its study until its next job."""
PATIENCE_SECONDS = 0.25
"""How long a job waits for the helper that knows its study before any other may take it."""
STARTS = 2
"""A job is interrupted only if it has run for this many times as long as a helper took to start: on a busy machine, interrupting
what is merely slow would leave helpers that do nothing but start."""
TRIES = 2
"""How often a job is begun whose helper ends by itself."""
MOST_STUDIES = 1_000
"""How many studies' turns are remembered, the last ones served."""
WAITED_FOR, LIKELY, UNLIKELY = range(3)
"""Ranks of jobs: somebody waits for it; it will probably, or only possibly, be needed."""
STOPPING = "the server is stopping"


class Helper(Protocol):
    """What works: a process that can be ended, or this process itself."""

    def start(self) -> bool:
        """Make sure that it can take a job; return whether it had to be started."""

    def interrupt(self) -> None:
        """End the job that it works on, if that is possible."""

    def close(self) -> None:
        """End it for good."""


class InThread:
    """No process: the work is done in a thread of the pool, and cannot be interrupted."""

    def start(self) -> bool:
        """Return False: there is nothing to start."""
        return False

    def interrupt(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing: a thread cannot be ended."""


class Job(Generic[T]):
    """Work for one study: a function of the helper that does it, and a future of what it returns."""

    def __init__(self, study: str, work: Callable[[Any], T], rank: int) -> None:
        self.study, self.work, self.rank = study, work, rank
        self.future: Future[T] = Future()
        self.since = time.monotonic()
        self.begun = math.inf  # when the work began; a helper that starts first is no part of it
        self.tries = 0
        self.interrupted = False  # once is enough: it must end at some time


@dataclass
class _Turn:
    """A study's last turn: when it was, which helper had it, and how long it took."""

    order: int = -1
    helper: int | None = None
    seconds: float = 0.0


_NEVER = _Turn()


class HelperPool:
    """Helpers, the jobs that they work on, and the jobs that wait."""

    def __init__(self, helpers: Sequence[Helper]) -> None:
        self._helpers = helpers
        self._changed = threading.Condition()
        self._waiting: dict[Job[Any], None] = {}  # in the order of arrival
        self._running: dict[int, Job[Any]] = {}  # by the helper's number
        self._turns: OrderedDict[str, _Turn] = OrderedDict()
        self._order = itertools.count()
        self._started: set[int] = {0}  # helpers that had a job; the others are started only if these are busy
        self._start_seconds = 0.0  # how long starting a helper took last
        self._threads: list[threading.Thread] = []
        self._closed = False

    # From any thread --------------------------------------------------------------------------------------------------

    def submit(self, study: str, work: Callable[[Any], T], rank: int = WAITED_FOR) -> Job[T]:
        """Return the job of some work; `work` gets a helper. A WorkerError if the pool is closed."""
        job = Job(study, work, rank)
        with self._changed:
            if self._closed:
                raise WorkerError(STOPPING)
            if not self._threads:
                numbers = range(len(self._helpers))
                self._threads = [threading.Thread(target=self._work, args=(k,), daemon=True) for k in numbers]
                for thread in self._threads:
                    thread.start()
            self._waiting[job] = None
            self._changed.notify_all()
        return job

    def result(self, job: Job[T]) -> T:
        """Wait for a job and return its result; it comes before the jobs that nobody waits for.

        A WorkerError if it took too long, if its helper ended repeatedly, or if the pool was closed.
        """
        with self._changed:
            job.rank = WAITED_FOR
            self._changed.notify_all()
        while True:
            try:
                return job.future.result(SLOW_SECONDS)
            except TimeoutError:
                if job.future.done():
                    raise
                self._make_room(job)

    def drop(self, job: Job[Any]) -> bool:
        """Remove a job that has not begun; return whether it was removed."""
        with self._changed:
            if job not in self._waiting:
                return False
            del self._waiting[job]
        return job.future.cancel()

    def close(self) -> None:
        """End all helpers and fail all jobs."""
        with self._changed:
            self._closed = True
            left = list(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        for job in left:
            job.future.set_exception(WorkerError(STOPPING))
        for helper in self._helpers:
            helper.close()

    # Who is next ------------------------------------------------------------------------------------------------------

    def _next(self, helper: int) -> Job[Any] | None:
        """Return the job that a free helper begins now, if there is one."""
        if not self._waiting:
            return None
        busy = {job.study for job in self._running.values()}
        now = time.monotonic()
        # Only helpers with slow jobs count: quick studies that keep the others busy must not shut a slow one out.
        slow = sum(self._is_slow(job.study) or now - job.begun > SLOW_SECONDS for job in self._running.values())
        is_last = slow == len(self._helpers) - 1 > 0
        possible = [
            job
            for job in self._waiting
            if job.study not in busy and not (is_last and self._is_slow(job.study)) and self._may_take(helper, job, now)
        ]
        return min(possible, key=lambda job: self._precedence(helper, job), default=None)

    def _precedence(self, helper: int, job: Job[Any]) -> tuple[int, bool, int]:
        turn = self._turns.get(job.study, _NEVER)
        # Nobody waits for what is computed ahead, so there it matters more that the helper knows the study.
        return job.rank, job.rank != WAITED_FOR and turn.helper != helper, turn.order

    def _may_take(self, helper: int, job: Job[Any], now: float) -> bool:
        """Return whether a helper may take a job that another one may be better prepared for."""
        home = self._turns.get(job.study, _NEVER).helper
        if home == helper:
            return True
        has_waited = now - job.since > PATIENCE_SECONDS
        return helper in self._started or has_waited if home is None else home in self._running and has_waited

    def _is_slow(self, study: str) -> bool:
        return self._turns.get(study, _NEVER).seconds > SLOW_SECONDS

    def _make_room(self, job: Job[Any]) -> None:
        """Interrupt a slow job that a waiting one has to wait for.

        That is one that nobody waits for, or, if slow studies hold all helpers, one that should not have got the last helper.
        """
        with self._changed:
            if job not in self._waiting:
                return
            long_ago = time.monotonic() - max(SLOW_SECONDS, STARTS * self._start_seconds)
            slow = [(other.begun, k) for k, other in self._running.items() if other.begun < long_ago]
            slow = [(begun, k) for begun, k in slow if not self._running[k].interrupted]
            unneeded = [(begun, k) for begun, k in slow if self._running[k].rank != WAITED_FOR]
            crowded = len(slow) == len(self._helpers) > 1 and not self._is_slow(job.study)
            found = unneeded or (slow if crowded else [])
            if found:
                _, helper = max(found)  # the one that loses least
                self._running[helper].interrupted = True
                self._helpers[helper].interrupt()

    # The work ---------------------------------------------------------------------------------------------------------

    def _work(self, helper: int) -> None:
        """Do one job after the other: the thread of a helper."""
        while (job := self._taken(helper)) is not None:
            try:
                before = time.monotonic()
                has_started = self._helpers[helper].start()
                job.begun = time.monotonic()
                if has_started:
                    self._start_seconds = job.begun - before
                made = job.work(self._helpers[helper])
            except Exception as error:  # noqa: BLE001 (whoever waits for the job gets it)
                again = self._left(helper, job, error)
                if not again:
                    job.future.set_exception(error)
            else:
                self._left(helper, job)
                job.future.set_result(made)

    def _taken(self, helper: int) -> Job[Any] | None:
        """Return the next job of a helper, waiting for one; None if the pool is closed."""
        with self._changed:
            while not self._closed:
                job = self._next(helper)
                if job is not None:
                    del self._waiting[job]
                    self._running[helper] = job
                    self._started.add(helper)
                    if not job.future.running():
                        job.future.set_running_or_notify_cancel()
                    job.tries += 1
                    turn = self._turns.setdefault(job.study, _Turn())
                    turn.order, turn.helper = next(self._order), helper
                    self._turns.move_to_end(job.study)
                    if len(self._turns) > MOST_STUDIES:
                        self._turns.popitem(last=False)
                    return job
                # Another helper is better prepared for what waits; if it stays busy, this one takes it.
                self._changed.wait(PATIENCE_SECONDS if self._waiting else None)
        return None

    def _left(self, helper: int, job: Job[Any], error: Exception | None = None) -> bool:
        """Note that a helper is free again; return whether the job was put back because its helper ended."""
        with self._changed:
            del self._running[helper]
            turn = self._turns.setdefault(job.study, _Turn())
            turn.seconds = max(0.0, time.monotonic() - job.begun)
            self._changed.notify_all()
            if self._closed or not isinstance(error, EndedError):
                return False
            # An interrupted job that nobody waits for is given up; it is computed when it is needed.
            if job.tries >= TRIES + job.interrupted or (job.interrupted and job.rank != WAITED_FOR):
                return False
            job.begun = math.inf
            self._waiting[job] = None
            return True

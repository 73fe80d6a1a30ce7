"""Studies with many judges, as the server sees them: questions from the pool, and the worker that fills it.

Which judges a study has is looked up when one arrives, and remembered for a while. The first crowd starts the worker: a process
of its own if the storage is a database, a thread if it lives in this process's memory. A worker that ends is started again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

from prefero import __version__
from prefero.storage import Storage, Stored
from prefero.study.pool import CROWD, PRESENT_SECONDS, Filler, moment
from prefero.web.worker_process import SINGLE_THREADED

LOOK_SECONDS = 30.0
"""How long it is remembered which judges a study has."""
EMPTY_SECONDS = 0.2
"""How long it is remembered that there is nothing for a judge."""
DRY_SECONDS = 0.4
"""If a study's pool had nothing for a judge, how long until the next one of those who wait looks again."""
RESTART_SECONDS = 1.0
"""The pause before a worker that ended is started again."""
MOST_REMEMBERED = 10_000


@dataclass
class _Seen:
    """What is remembered about a study until a moment: how many judges are present, who of them came to this server, until when
    there is nothing for a judge, and until when nobody who waits needs to look again."""

    present: int
    until: float
    judges: set[str] = field(default_factory=set)
    empty: dict[str, float] = field(default_factory=dict)
    dry: float = 0.0


class Crowds:
    """Hands out questions of studies with many judges."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._worker = Worker(storage)
        self._lock = threading.Lock()
        self._seen: dict[str, _Seen] = {}

    def gathered(self, study: str, judge: str) -> bool:
        """Return whether a study has so many judges at once that its questions come from the pool."""
        now = time.monotonic()
        seen = self._seen.get(study)
        if seen is None or seen.until < now or judge not in seen.judges:
            present = self._storage.arrive(study, judge, moment(), moment(-PRESENT_SECONDS))
            if present >= CROWD - 1:
                self._worker.start()  # a little early: it takes a second or two to start
            seen = self._remember(study, present, seen)
            seen.judges.add(judge)
        return seen.present >= CROWD

    def _remember(self, study: str, present: int, seen: _Seen | None) -> _Seen:
        now = time.monotonic()
        with self._lock:
            if seen is None or seen.until < now or present == 0:
                seen = self._seen[study] = _Seen(present, now + LOOK_SECONDS)
                if len(self._seen) > MOST_REMEMBERED:
                    self._seen.pop(next(iter(self._seen)))
            seen.present = max(seen.present, present)
            return seen

    def ask(self, study: str, judge: str) -> Stored | None:
        """Return the question that waits for a judge, or one from the pool; None if there is none."""
        seen, now = self._seen[study], time.monotonic()
        if now < seen.empty.get(judge, 0.0):
            return None
        stored = self._storage.hand_out(study, judge, moment(), __version__)
        if stored is None:
            seen.empty[judge], seen.dry = now + EMPTY_SECONDS, now + DRY_SECONDS
        else:
            seen.dry = 0.0  # there may be something for the others, too
        return stored

    def pause(self, study: str) -> float:
        """Return how long a judge who waits should wait before the next look; 0 for one of them now and then."""
        seen, now = self._seen.get(study), time.monotonic()
        if seen is None or not seen.dry:
            return 0.0
        if now < seen.dry:
            return seen.dry - now
        seen.dry = now + DRY_SECONDS  # this one looks, the others wait on
        return 0.0

    def forget(self, study: str) -> None:
        """Drop a deleted study: a new one may have its name."""
        self._seen.pop(study, None)

    def close(self) -> None:
        """End the worker."""
        self._worker.close()


class Worker:
    """The worker of one server, started when it is first needed."""

    def __init__(self, storage: Storage) -> None:
        self._storage, self._url = storage, getattr(storage, "url", None)  # a memory has none
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the worker, unless it was started."""
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                work = self._fill_here if self._url is None else self._supervise
                self._thread = threading.Thread(target=work, name="prefero-pool", daemon=True)
                self._thread.start()

    def _fill_here(self) -> None:
        Filler(self._storage).run(self._stop)

    def _supervise(self) -> None:
        """Keep a worker process alive."""
        while not self._stop.is_set():
            command = [sys.executable, "-P", "-m", "prefero.study.worker"]
            environment = {**os.environ, **SINGLE_THREADED}
            with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:  # noqa: S603 (our own module)
                assert process.stdin is not None
                try:
                    process.stdin.write(f"{self._url}\n".encode())  # not an argument: it may hold a password
                    process.stdin.flush()
                except BrokenPipeError:
                    pass
                while process.poll() is None and not self._stop.wait(0.2):
                    pass
                process.kill()
            self._stop.wait(RESTART_SECONDS)

    def close(self) -> None:
        """End the worker, whatever it does."""
        with self._lock:
            self._stop.set()
        if self._thread is not None:
            self._thread.join()

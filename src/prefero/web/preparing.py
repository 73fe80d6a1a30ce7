"""Candidates are prepared before they are shown: rendered for the questions that wait, and for those that may come next.

What is rendered ahead is kept in memory; it is stored, as measurements of its candidate, when the candidate is asked about.
A rendering that failed is kept too, with its reason, until somebody wants it tried again.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from prefero.panel import Question
from prefero.rendering.pictures import Shown
from prefero.rendering.renderers import Failure, Renderer
from prefero.study import Study

log = logging.getLogger("prefero.web")
MOST_BYTES = 256 << 20
"""Of what was rendered and not asked about."""
MOST_FAILURES = 1_000
NOW, SOON = 0, 1
"""How urgent: somebody waits for it; it may be asked for next."""

Key = tuple[tuple[str, Any], ...]


def key_of(candidate: Mapping[str, Any]) -> Key:
    """What tells candidates apart."""
    return tuple(candidate.items())


@dataclass
class _Job:
    """A candidate that is to be rendered, or is being rendered."""

    candidate: dict[str, Any]
    urgency: int
    begun: bool = False
    progress: float | None = None


class Preparing:
    """The renderings of one study: wanted, under way, done, failed."""

    def __init__(self, study: str, renderer: Renderer) -> None:
        self.study, self._renderer = study, renderer
        self._changed = threading.Condition()
        self._jobs: dict[Key, _Job] = {}
        self._queue: list[tuple[int, int, Key]] = []
        self._order = itertools.count()
        self._done: OrderedDict[Key, Shown] = OrderedDict()
        self._failed: OrderedDict[Key, str] = OrderedDict()
        self._stored: set[Key] = set()
        self._kinds: dict[str, str] = {}
        self._closed = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(renderer.workers)]
        for thread in self._threads:
            thread.start()

    # What is wanted ---------------------------------------------------------------------------------------------------

    def want(self, candidates: Iterable[Mapping[str, Any]], urgency: int) -> None:
        """See to it that candidates are rendered; the urgent ones first, and each once."""
        with self._changed:
            for candidate in candidates:
                key = key_of(candidate)
                if key in self._done or key in self._failed or key in self._stored:
                    continue
                job = self._jobs.get(key)
                if job is not None and (job.begun or job.urgency <= urgency):
                    continue
                if job is None:
                    job = self._jobs[key] = _Job(dict(candidate), urgency)
                job.urgency = urgency
                heapq.heappush(self._queue, (urgency, next(self._order), key))
            self._changed.notify_all()

    def forget(self) -> None:
        """Drop what was wanted soon and was not begun: something else may come next now."""
        with self._changed:
            for key in [key for key, job in self._jobs.items() if job.urgency == SOON and not job.begun]:
                del self._jobs[key]

    def retry(self, candidate: Mapping[str, Any]) -> None:
        """Try a candidate again that failed."""
        with self._changed:
            self._failed.pop(key_of(candidate), None)
        self.want([candidate], NOW)

    # What becomes of it -----------------------------------------------------------------------------------------------

    def settle(self, study: Study, question: Question) -> None:
        """Store what was rendered of a question's candidates, and see to it that the rest will be."""
        for candidate in (question.a, question.b):
            key = key_of(candidate)
            with self._changed:
                if key in self._stored:
                    continue
                shown = self._done.pop(key, None)
                if shown is not None:
                    self._stored.add(key)
            if shown is not None:
                self._store(study, candidate, key, shown)
                continue
            measured = study.measurements(candidate)
            if measured.files or measured.numbers:
                with self._changed:
                    self._stored.add(key)
            else:
                self.want([candidate], NOW)

    def _store(self, study: Study, candidate: Mapping[str, Any], key: Key, shown: Shown) -> None:
        if not shown.files and not shown.numbers:
            return
        try:
            study.measure(candidate, shown.numbers, dict(shown.files))
        except BaseException:
            with self._changed:
                self._stored.discard(key)
                self._done[key] = shown  # for the next time that somebody looks
            raise

    def state(self, candidate: Mapping[str, Any]) -> dict[str, Any] | None:
        """What keeps a candidate from being shown: `failed` says why, `progress` how far it is; None where nothing does."""
        key = key_of(candidate)
        with self._changed:
            if key in self._failed:
                return {"failed": self._failed[key], "progress": None}
            job = self._jobs.get(key)
            return None if job is None else {"failed": None, "progress": job.progress}

    @property
    def files(self) -> dict[str, str]:
        """The media type by the name of every file that was rendered so far."""
        return dict(self._kinds)

    # The work ---------------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (taken := self._next()) is not None:
            key, job = taken

            def told(share: float, job: _Job = job) -> None:
                job.progress = share

            try:
                made = self._renderer.render(job.candidate, told)
            except Exception:
                log.exception("rendering failed")
                made = Failure("something went wrong here")
            self._finish(key, job, made)

    def _next(self) -> tuple[Key, _Job] | None:
        """The most urgent job, waited for; None when it is over."""
        with self._changed:
            while not self._closed:
                while self._queue:
                    _, _, key = heapq.heappop(self._queue)
                    job = self._jobs.get(key)
                    if job is not None and not job.begun:
                        job.begun = True
                        return key, job
                self._changed.wait()
        return None

    def _finish(self, key: Key, job: _Job, made: Shown | Failure) -> None:
        if isinstance(made, Failure) and not self._closed:
            setting = ", ".join(f"{name} {value}" for name, value in job.candidate.items())
            log.warning("a candidate could not be prepared: %s (%s)", made.why, setting)
        with self._changed:
            self._jobs.pop(key, None)
            if isinstance(made, Failure):
                self._failed[key] = made.why
                if len(self._failed) > MOST_FAILURES:
                    self._failed.popitem(last=False)
                return
            self._done[key] = made
            self._kinds.update({name: kind for name, (_, kind) in made.files.items()})
            while len(self._done) > 1 and sum(shown.size for shown in self._done.values()) > MOST_BYTES:
                self._done.popitem(last=False)

    def close(self) -> None:
        """End what is under way, and wait for it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._renderer.close()
        for thread in self._threads:
            thread.join()

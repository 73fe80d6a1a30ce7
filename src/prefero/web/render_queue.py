"""RenderQueue: renders candidates before they are shown, for the questions that wait and those that may come next.

If a candidate was asked about, its rendering is stored as a measurement as soon as it is done. Renderings made ahead stay in memory
until their candidates are asked about. A failed rendering is kept with its reason until somebody retries it.

A rendering that a person waits for goes first. If every worker is busy with renderings made ahead, the last one begun is ended
after a moment, and made again later.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from prefero.storage.events import Artifact
from prefero.study import Question, Study
from prefero.web.rendering.pictures import Shown
from prefero.web.rendering.renderers import Failure, Renderer

log = logging.getLogger("prefero.web")
MOST_BYTES = 256 << 20
"""Most bytes of renderings whose candidates were not asked about."""
MOST_AHEAD = 24
"""The most files rendered ahead that a page can load before they are asked about; they are kept until others take their place."""
MOST_FAILURES = 1_000
"""Most failures that are remembered."""
GRACE = 1.0
"""Seconds that a person's rendering waits for a free worker before one made ahead is ended: a new worker must start first."""
NOW, SOON = 0, 1
"""Urgency: a person waits for it; it may be asked about next."""

Key = tuple[tuple[str, Any], ...]


def key_of(candidate: Mapping[str, Any]) -> Key:
    """Return what tells candidates apart."""
    return tuple(candidate.items())


@dataclass
class _Job:
    """A candidate that waits to be rendered, or is being rendered."""

    candidate: dict[str, Any]
    urgency: int
    begun: bool = False
    progress: float | None = None
    interrupted: bool = False


class RenderQueue:
    """The renderings of one study: wanted, running, done, stored or failed."""

    def __init__(self, study: str, renderer: Renderer) -> None:
        self.study, self._renderer = study, renderer
        self._open: Callable[[], Study] | None = None
        self._changed = threading.Condition()
        self._jobs: dict[Key, _Job] = {}
        self._queue: list[tuple[int, int, Key]] = []
        self._order = itertools.count()
        self._asked: set[Key] = set()  # of jobs: to be stored as soon as they are rendered
        self._done: OrderedDict[Key, Shown] = OrderedDict()
        self._ahead: OrderedDict[str, tuple[Key, Artifact]] = OrderedDict()  # for pages that load what may come next
        self._failed: OrderedDict[Key, str] = OrderedDict()
        self._empty: set[Key] = set()  # rendered, with nothing to show
        self._storing = threading.Lock()
        self._kinds: dict[str, str] = {}
        self._closed = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(renderer.workers)]
        for thread in self._threads:
            thread.start()

    def attach(self, open_study: Callable[[], Study]) -> None:
        """Tell the queue how to open the study that its renderings are stored in."""
        self._open = open_study

    # Requests ---------------------------------------------------------------------------------------------------------

    def want(self, candidates: Iterable[Mapping[str, Any]], urgency: int) -> None:
        """Make sure that candidates are rendered, each once, urgent ones first."""
        with self._changed:
            for candidate in candidates:
                key = key_of(candidate)
                if key in self._done or key in self._failed:
                    continue
                job = self._jobs.get(key)
                if job is not None and job.urgency <= urgency:
                    continue
                if job is None:
                    job = self._jobs[key] = _Job(dict(candidate), urgency)
                job.urgency = urgency
                if job.begun:  # now nobody ends it for another
                    continue
                if urgency == NOW:
                    self._hurry_later(key)
                heapq.heappush(self._queue, (urgency, next(self._order), key))
            self._changed.notify_all()

    def _hurry_later(self, key: Key) -> None:
        timer = threading.Timer(GRACE, self._hurry, (key,))
        timer.daemon = True
        timer.start()

    def _hurry(self, key: Key) -> None:
        """End a rendering made ahead, if one that a person waits for has not begun."""
        with self._changed:
            job = self._jobs.get(key)
            if self._closed or job is None or job.begun:
                return
            ahead = [
                each for each in self._jobs.values() if each.begun and each.urgency == SOON and not each.interrupted
            ]
            for each in reversed(ahead):  # the last one has lost the least
                each.interrupted = True
                if self._renderer.interrupt(each.candidate):
                    return
                each.interrupted = False

    def forget(self) -> None:
        """Drop renderings made ahead that have not begun: other questions may come next now."""
        with self._changed:
            for key in [key for key, job in self._jobs.items() if job.urgency == SOON and not job.begun]:
                del self._jobs[key]

    def retry(self, candidate: Mapping[str, Any]) -> None:
        """Render a candidate that failed once more."""
        with self._changed:
            self._failed.pop(key_of(candidate), None)
        self.want([candidate], NOW)

    # Outcomes ---------------------------------------------------------------------------------------------------------

    def ask(self, study: Study, question: Question) -> None:
        """Store the finished renderings of a question's candidates, and render the others."""
        with self._storing:  # a second request about the same candidate waits until it is stored
            for candidate in question.sides.values():
                key = key_of(candidate)
                measured = study.log.measured(candidate)
                if measured.files or measured.numbers or key in self._empty:
                    continue
                with self._changed:
                    shown = self._done.pop(key, None)
                    if shown is None and key not in self._failed:
                        self._asked.add(key)
                if shown is None:
                    self.want([candidate], NOW)
                else:
                    self._store(study, candidate, key, shown)

    def _store(self, study: Study, candidate: Mapping[str, Any], key: Key, shown: Shown) -> None:
        """Store a rendering; if that fails, keep it for the next request that asks about the candidate."""
        try:
            if shown.files or shown.numbers:
                study.measure(candidate, shown.numbers, dict(shown.files))
            else:
                self._empty.add(key)
        except BaseException:
            with self._changed:
                self._done[key] = shown
            raise

    def state(self, candidate: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return why a candidate cannot be shown yet: `failed` says why, `progress` how far it is; None if it can."""
        key = key_of(candidate)
        with self._changed:
            if key in self._failed:
                return {"failed": self._failed[key], "progress": None}
            job = self._jobs.get(key)
            return None if job is None else {"failed": None, "progress": job.progress}

    def ahead(self, candidate: Mapping[str, Any]) -> list[str]:
        """Return the digests of the files of a candidate that was rendered ahead."""
        key = key_of(candidate)
        with self._changed:
            return [digest for digest, (whose, _) in self._ahead.items() if whose == key]

    def artifact(self, digest: str) -> Artifact | None:
        """Return a file that was rendered ahead; None if there is none, or none any more."""
        with self._changed:
            _, found = self._ahead.get(digest, (None, None))
        return found

    @property
    def files(self) -> dict[str, str]:
        """The media type by the name of every file that was rendered so far."""
        return dict(self._kinds)

    # The work ---------------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (taken := self._next()) is not None:
            key, job = taken

            def report(share: float, job: _Job = job) -> None:
                job.progress = share

            try:
                made = self._renderer.render(job.candidate, report)
            except Exception:
                log.exception("rendering failed")
                made = Failure("something went wrong here")
            if job.interrupted and isinstance(made, Failure):
                self._again(key, job)
                continue
            try:
                self._finish(key, job, made)
            except Exception:  # the rendering is kept, and stored when its candidate is asked about again
                log.exception("a rendering could not be stored")

    def _again(self, key: Key, job: _Job) -> None:
        """Queue a rendering that was ended for another."""
        with self._changed:
            job.begun, job.interrupted, job.progress = False, False, None
            heapq.heappush(self._queue, (job.urgency, next(self._order), key))
            self._changed.notify_all()

    def _next(self) -> tuple[Key, _Job] | None:
        """Return the most urgent job, waiting for one; None when the queue is closed."""
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
        if isinstance(made, Failure):
            if not self._closed:
                setting = ", ".join(f"{name} {value}" for name, value in job.candidate.items())
                log.warning("a candidate could not be prepared: %s (%s)", made.why, setting)
            with self._changed:
                self._jobs.pop(key, None)
                self._failed[key] = made.why
                if len(self._failed) > MOST_FAILURES:
                    self._failed.popitem(last=False)
            return
        with self._changed:
            self._kinds.update({name: kind for name, (_, kind) in made.files.items()})
            open_study = self._open if key in self._asked else None
            if open_study is None:
                self._keep(key, made)
        try:
            if open_study is not None:
                self._store_asked(open_study, job.candidate, key, made)
        finally:
            # The job ends only now: nobody sees a candidate as ready without its files.
            with self._changed:
                self._jobs.pop(key, None)
                self._asked.discard(key)

    def _store_asked(self, open_study: Callable[[], Study], candidate: dict[str, Any], key: Key, made: Shown) -> None:
        try:
            study = open_study()
        except BaseException:
            with self._changed:
                self._keep(key, made)
            raise
        self._store(study, candidate, key, made)

    def _keep(self, key: Key, made: Shown) -> None:
        self._done[key] = made
        for artifact in (Artifact(content, kind) for content, kind in made.files.values()):
            self._ahead[artifact.digest] = key, artifact
        while len(self._ahead) > MOST_AHEAD:
            self._ahead.popitem(last=False)
        while len(self._done) > 1 and sum(shown.size for shown in self._done.values()) > MOST_BYTES:
            self._done.popitem(last=False)

    def close(self) -> None:
        """Stop what is running, and wait for it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._renderer.close()
        for thread in self._threads:
            thread.join()

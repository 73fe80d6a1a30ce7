"""Live progress: one watcher in each server process looks at all studies that anybody watches, and tells the watchers.

Every process looks for itself, so it does not matter which one saved an answer. One look is one query, however many people watch;
nobody's thread waits. A watcher is told how far the study is, not what was answered: the page fetches that as usual.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
from starlette.responses import StreamingResponse

from prefero.errors import PreferoError
from prefero.storage import Storage, Summary
from prefero.web.refusals import Refusal

log = logging.getLogger("prefero.web")

LOOK_SECONDS = 0.3
"""The pause between two looks."""
BEAT_SECONDS = 15.0
"""How often a silent stream says that it is alive; the token is checked again then."""
MOST_WATCHERS = 1_000
"""How many may watch at once on one server process."""
STREAM = "prefero.stream"
"""The key of a request's scope that tells the protocol to end the reply when the server stops."""


def told(summary: Summary) -> dict[str, Any]:
    """Return what a watcher is told."""
    return {
        "answers": summary.answers,
        "expected": summary.expected,
        "length": summary.length,
        "last": summary.last,
        "paused": summary.paused is not None,
    }


class Watcher:
    """Looks at the studies that are watched, and wakes those who watch them."""

    def __init__(self, storage: Storage) -> None:
        self._storage, self._threads = storage, anyio.CapacityLimiter(1)
        self._watched: Counter[str] = Counter()
        self._seen: dict[str, Summary] = {}
        self._changed = asyncio.Event()  # replaced by a new one at every change
        self._task: asyncio.Task[None] | None = None

    def check_room(self) -> None:
        """Raise a Refusal if too many watch already."""
        if self._watched.total() >= MOST_WATCHERS:
            raise Refusal(503, "too many people are watching: try again later", {"Retry-After": "10"})

    async def watch(self, study: str, valid: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
        """Yield the events of one stream, the first at once; end if the study is gone or `valid` says no."""
        self._watched[study] += 1
        sent: dict[str, Any] | None = None
        try:
            if study not in self._seen:
                await self._look()
            if self._task is None:
                self._task = asyncio.create_task(self._go_on())
            while study in self._seen:
                now, changed = told(self._seen[study]), self._changed
                if now != sent:
                    yield f"data: {json.dumps(now)}\n\n".encode()
                    sent = now
                    continue
                try:
                    await asyncio.wait_for(changed.wait(), BEAT_SECONDS)
                except TimeoutError:
                    if not await valid():
                        return
                    yield b":\n\n"  # a comment: a proxy between us keeps the connection
        finally:
            self._watched[study] -= 1
            if not self._watched[study]:
                del self._watched[study]
                self._seen.pop(study, None)
            if not self._watched and self._task is not None:
                self._task.cancel()
                self._task = None

    async def _go_on(self) -> None:
        """Look again and again as long as anybody watches."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._look()
            except PreferoError as error:  # the storage may be back in a moment
                log.warning("nobody could be told how far the studies are: %s", error)

    async def _look(self) -> None:
        names = list(self._watched)
        found = await anyio.to_thread.run_sync(self._storage.studies, names, limiter=self._threads)
        now = {summary.name: summary for summary in found if summary.deleted is None}
        # A study that somebody began to watch meanwhile was not looked at: what is known of it stays.
        others = {name: self._seen[name] for name in self._watched if name in self._seen and name not in names}
        if now | others != self._seen:
            self._seen = now | others
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()


class Stream(StreamingResponse):
    """The reply to one who watches."""

    def __init__(self, events: AsyncIterator[bytes]) -> None:
        headers = {"X-Accel-Buffering": "no"}  # nginx would keep events back
        super().__init__(events, headers=headers, media_type="text/event-stream")

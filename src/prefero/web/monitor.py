"""How the server is: `/healthz` for whoever restarts it, `/metrics` for Prometheus.

Each server process counts for itself, so every value is labelled with its process. Prometheus adds them up:
`sum by (route) (rate(prefero_requests_total[5m]))`.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from prefero.web.access import READERS
from prefero.web.limits import InFlight
from prefero.web.operation import Services

if TYPE_CHECKING:
    from prefero.web.app import Service

ROUTE = "prefero.route"
"""The key of a request's scope under which the name of its route is kept."""
OTHER = "other"
"""The route of the page's files, and of addresses at which there is nothing."""
HEALTH_SECONDS = 2.0
"""How long the storage may take to answer."""
KEPT_SECONDS = 1.0
"""How long one look at the storage is good for: the route needs no token, so it must not cost much."""
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper ends of the latency histogram's buckets, in seconds."""
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[Mapping[str, object], float]
"""A value and its labels."""


class Histogram:
    """How many requests, or proposals, took how long; several threads may add to it."""

    def __init__(self) -> None:
        self.counts, self.seconds, self._lock = [0] * (len(BUCKETS) + 1), 0.0, threading.Lock()

    def add(self, seconds: float) -> None:
        """Count one."""
        with self._lock:
            self.counts[bisect_left(BUCKETS, seconds)] += 1
            self.seconds += seconds

    def lines(self, name: str, labels: Mapping[str, object]) -> Iterator[str]:
        """Return the samples: how many took no longer than each bucket's end, the sum, and the count."""
        total = 0
        for end, count in zip((*BUCKETS, "+Inf"), self.counts, strict=True):
            total += count
            yield _sample(f"{name}_bucket", {**labels, "le": end}, total)
        yield _sample(f"{name}_sum", labels, self.seconds)
        yield _sample(f"{name}_count", labels, total)


class Monitor:
    """Counts the requests of a server process, and looks at its storage."""

    def __init__(self, services: Services, in_flight: InFlight) -> None:
        self._services, self.in_flight = services, in_flight
        self._requests: Counter[tuple[str, int]] = Counter()
        self._latency: dict[str, Histogram] = {}
        self._proposals = Histogram()
        services.proposals.observe = self._proposals.add
        self._look: asyncio.Task[bool] | None = None
        self._looked = -KEPT_SECONDS

    def done(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request."""
        route = scope.get(ROUTE, OTHER)
        self._requests[route, status] += 1
        self._latency.setdefault(route, Histogram()).add(seconds)

    # Health ------------------------------------------------------------------------------------------------------------

    async def get_health(self, request: Request) -> Response:
        """Say whether the server can do its work: 200 if the storage answers, else 503."""
        request.scope[ROUTE] = "healthz"
        well = await self._well()
        return JSONResponse({"status": "ok" if well else "the storage does not answer"}, 200 if well else 503)

    async def _well(self) -> bool:
        """Return whether the storage answers. All requests of a second share one look, which may still be under way."""
        look = self._look
        if look is None or (look.done() and time.monotonic() - self._looked >= KEPT_SECONDS):
            look = self._look = asyncio.ensure_future(self._storage_answers())
        if not look.done():
            await asyncio.wait({look}, timeout=HEALTH_SECONDS)
        return look.done() and look.result()

    async def _storage_answers(self) -> bool:
        try:
            await anyio.to_thread.run_sync(self._services.storage.tokens, "", limiter=anyio.CapacityLimiter(1))
        except Exception:  # noqa: BLE001 (whatever it is, the storage does not answer)
            return False
        finally:
            self._looked = time.monotonic()
        return True

    # Metrics -----------------------------------------------------------------------------------------------------------

    async def get_metrics(self, service: Service, request: Request) -> Response:
        """Return the counts as text for Prometheus; it needs a token that reads every study."""
        caller = await service.caller(request)
        caller.check(READERS, None)
        caller.check_unbound()
        return Response("\n".join((*self._lines(), "")), media_type=MEDIA_TYPE)

    def _lines(self) -> Iterator[str]:
        requests: list[Sample] = [
            ({"route": route, "status": status}, count) for (route, status), count in sorted(self._requests.items())
        ]
        yield from _family("prefero_requests_total", "counter", "Requests by route and status.", requests)
        yield from _head(
            "prefero_request_seconds", "histogram", "Seconds from a request's head to the end of its reply."
        )
        for route, histogram in sorted(self._latency.items()):
            yield from histogram.lines("prefero_request_seconds", {"route": route})
        yield from _head("prefero_proposal_seconds", "histogram", "Seconds that a proposal took, for now or ahead.")
        yield from self._proposals.lines("prefero_proposal_seconds", {})
        saved, asked = self._requests["give_answer", 200], self._requests["get_question", 200]
        yield from _family("prefero_answers_saved_total", "counter", "Answers that were saved.", [({}, saved)])
        yield from _family("prefero_questions_total", "counter", "Questions that were shown.", [({}, asked)])
        open_studies = len(self._services.studies)
        yield from _family("prefero_open_studies", "gauge", "Studies that are open.", [({}, open_studies)])
        held = self.in_flight.total
        yield from _family("prefero_bytes_in_flight", "gauge", "Bytes held for bodies and replies.", [({}, held)])
        for name, kind, about, value in process_figures():
            yield from _family(name, kind, about, [({}, value)])


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield from _head(name, kind, about)
    for labels, value in samples:
        yield _sample(name, labels, value)


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, labels: Mapping[str, object], value: float) -> str:
    listed = ",".join(f'{key}="{given}"' for key, given in {"process": os.getpid(), **labels}.items())
    return f"{name}{{{listed}}} {value:g}" if isinstance(value, float) else f"{name}{{{listed}}} {value}"


def process_figures() -> Iterator[tuple[str, str, str, float]]:
    """Return the names, kinds, meanings and values of what the system tells about this process, if it does."""
    yield "process_cpu_seconds_total", "counter", "CPU time of this process.", time.process_time()
    told, files = Path("/proc/self/statm"), Path("/proc/self/fd")
    if told.exists():
        pages = int(told.read_text(encoding="ascii").split()[1])
        yield "process_resident_memory_bytes", "gauge", "Memory of this process.", pages * _page_size()
        yield "process_open_fds", "gauge", "Open files and connections.", len(os.listdir(files))
        helpers = sum(len(listed.read_text("ascii").split()) for listed in Path("/proc/self/task").glob("*/children"))
        yield "prefero_helpers_alive", "gauge", "Helper processes that are running.", helpers


def _page_size() -> int:
    return int(os.sysconf("SC_PAGE_SIZE"))

"""Rate limits by token buckets, the bytes held for requests and replies, and a body reader with limits of size and time."""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio
from starlette.requests import Request

from prefero.web.refusals import Refusal

REMEMBERED = 10_000
"""How many buckets are kept; the least recently used one is dropped first."""
MEGABYTE = 1 << 20


class Rate:
    """A token bucket for each key: `rate` requests a second, up to `burst` at once."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left, and when

    def left(self, key: str) -> float:
        """Return how many requests are allowed now."""
        left, since = self._buckets.get(key, (self.burst, 0.0))
        return min(self.burst, left + (self._clock() - since) * self.rate) if key in self._buckets else self.burst

    def spend(self, key: str) -> None:
        """Count one request; a Refusal if none is left."""
        left = self.left(key)
        if left < 1:
            wait = max(1, math.ceil((1 - left) / self.rate))
            raise Refusal(429, f"too many requests: try again in {wait} s", {"Retry-After": str(wait)})
        self._buckets[key] = (left - 1, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)


class InFlight:
    """Counts the bytes that requests and replies hold in memory: `most` in all, `most_each` for each client.

    One request is always allowed, however large: its own limits bound it.
    """

    def __init__(self, most: int, most_each: int) -> None:
        self._most, self._most_each = most, most_each
        self._held: Counter[str] = Counter()
        self.total = 0

    @contextmanager
    def hold(self, client: str, size: int) -> Iterator[None]:
        """Count bytes during a block; a Refusal if too many are held already."""
        own = self._held[client]
        if own and own + size > self._most_each:
            raise Refusal(429, "too much is being sent to you or by you: try again in a moment", {"Retry-After": "2"})
        if self.total and self.total + size > self._most:
            raise Refusal(503, "too much is being sent at once: try again in a moment", {"Retry-After": "2"})
        self._held[client] += size
        self.total += size
        try:
            yield
        finally:
            self.total -= size
            self._held[client] -= size
            if not self._held[client]:
                del self._held[client]


async def read_body(
    request: Request, most: int, seconds: float, hold: Callable[[int], object] = lambda _: None
) -> bytes:
    """Return the body; a Refusal if it is too large or too slow. A body declared too large is not read at all.

    hold: is told how many bytes there may be, before they are read; it may refuse them.
    """
    declared = request.headers.get("content-length", "0")
    too_large = Refusal(413, f"the body is too large: at most {most} bytes are allowed", {"Connection": "close"})
    if not declared.isascii() or not declared.isdigit():
        raise Refusal(400, "Content-Length is not a number")
    if len(declared) > 18 or int(declared) > most:
        raise too_large
    expected = most if "transfer-encoding" in request.headers else int(declared)
    if expected:
        hold(expected)
    allowed = seconds * (1 + min(int(declared) or most, most) // MEGABYTE)
    chunks, size = [], 0
    try:
        with anyio.fail_after(allowed):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise too_large
                chunks.append(chunk)
    except TimeoutError:
        raise Refusal(408, f"the body did not arrive within {allowed:g} s", {"Connection": "close"}) from None
    return b"".join(chunks)

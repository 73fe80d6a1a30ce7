"""Rate limits by token buckets, and a body reader with limits of size and time."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

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


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """Return the body; a Refusal if it is too large or too slow. A body declared too large is not read at all."""
    declared = request.headers.get("content-length", "0")
    too_large = Refusal(413, f"the body is too large: at most {most} bytes are allowed", {"Connection": "close"})
    if not declared.isascii() or not declared.isdigit():
        raise Refusal(400, "Content-Length is not a number")
    if len(declared) > 18 or int(declared) > most:
        raise too_large
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

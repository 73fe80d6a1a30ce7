"""Many people watch one study while it is answered: how long after an answer was saved each of them has been told.

Two server processes share one PostgreSQL. The answers go through the first of them, and half of the watchers hang on each.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.page_people import Line
from benchmarks.torture import postgres
from benchmarks.torture.processes import Server
from prefero.storage import open_storage
from prefero.web import access

GOAL = 1_000
"""Milliseconds from a saved answer until a watcher knows, for the slowest of them."""
STUDY = "watched"
PATIENCE = 60.0
"""Seconds until a watcher who was told nothing counts as lost."""


async def _told(port: int, token: str, ready: asyncio.Event, times: dict[int, float]) -> None:
    """Watch, and note when each number of answers was first told."""
    read, write = await asyncio.open_connection("127.0.0.1", port, limit=1 << 16)
    head = (
        f"GET /api/v1/studies/{STUDY}/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    write.write(head.encode())
    try:
        while line := await read.readline():
            if line.startswith(b"HTTP/1.1") and b" 200 " not in line:
                raise OSError(line.decode().strip())
            if line.startswith(b"data: "):
                times.setdefault(json.loads(line[6:])["answers"], time.perf_counter())
                ready.set()
    finally:
        write.close()


def _answer(line: Line, said: str) -> float:
    """Answer the question that waits; returns the moment at which the answer was saved."""
    step = line.call("GET", f"/studies/{STUDY}/question")["question"]["step"]
    line.call("POST", f"/studies/{STUDY}/answers", {"step": step, "answer": said, "answer_id": f"{step}"})
    return time.perf_counter()


async def _watched(ports: Sequence[int], token: str, count: int, answers: int, pause: float) -> list[float]:
    """Let them watch while somebody answers; returns the delay of each watcher after each answer, in milliseconds."""
    line = Line(f"http://127.0.0.1:{ports[0]}", token)
    told: list[dict[int, float]] = [{} for _ in range(count)]
    begun = [asyncio.Event() for _ in range(count)]
    tasks = [asyncio.create_task(_told(ports[k % len(ports)], token, begun[k], told[k])) for k in range(count)]
    delays: list[float] = []
    try:
        await asyncio.wait_for(asyncio.gather(*(event.wait() for event in begun)), PATIENCE)
        for k in range(1, answers + 1):
            saved = await asyncio.to_thread(_answer, line, "ab"[k % 2])
            until = saved + PATIENCE
            while any(k not in times for times in told):
                if time.perf_counter() > until:
                    raise TimeoutError(f"{sum(k not in times for times in told)} watchers were told nothing")
                await asyncio.sleep(0.02)
            delays += [max(0.0, 1000 * (times[k] - saved)) for times in told]
            await asyncio.sleep(pause * (1 + k % 7 / 7))  # not in step with the looks of the server
    finally:
        line.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return delays


def measured(url: str, count: int, answers: int, pause: float, processes: int = 2) -> list[float]:
    """Serve a database by several processes, and measure."""
    servers = [Server(url) for _ in range(processes)]
    try:
        storage, _ = open_storage(url)
        secret, _ = access.make_token(storage, "owner", study=None, label="watchers")
        storage.close()
        owner = Line(f"http://127.0.0.1:{servers[0].port}", secret)
        variables = [{"name": name, "type": "real", "low": 0, "high": 1} for name in "xy"]
        owner.call("POST", "/studies", {"name": STUDY, "variables": variables, "seed": 0})
        owner.close()
        return asyncio.run(_watched([each.port for each in servers], secret, count, answers, pause))
    finally:
        for each in servers:
            each.close()


def watchers(count: int, answers: int, pause: float = 0.5) -> list[str]:
    """Measure on a PostgreSQL of one's own; returns the lines of the report."""
    with postgres.server() as url:
        delays = measured(url, count, answers, pause)
    return [f"{count} people watch, two server processes, one PostgreSQL; goal: {GOAL} ms", told(delays)]


def told(delays: Sequence[float]) -> str:
    """The figures of a run in one line."""
    middle, high, most = np.percentile(delays, [50, 95, 100])
    late = sum(delay > GOAL for delay in delays)
    short = f"; {late} later than the goal" if late else ""
    times = f"median {middle:.0f} ms, p95 {high:.0f} ms, most {most:.0f} ms"
    return f"{len(delays)} times told: {times} after the answer was saved{short}"

"""Hostile clients: heads and bodies that never end, connections that say nothing, huge uploads, downloads that nobody reads.

They come from another loopback address, in a process of their own, and connect again when they are cut off. Meanwhile a few normal
clients ask for their question and measure how long that takes.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import multiprocessing
import random
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import prefero as pf
from benchmarks.torture.processes import end_with_parent
from prefero.storage.database import Database
from prefero.web import access, server
from prefero.web.settings import Settings

CLIENTS, SECONDS, NORMAL = 500, 15.0, 4
SOURCE = "127.0.0.2"
"""The address of the hostile clients; only Linux has it without being asked."""
PAUSE = 1.0
"""Seconds between two things that a hostile client does."""
TOKENS = 10
"""With how many tokens the downloads are made: one of them may hold only a part of the bytes in flight."""
FILE = 31 << 20
STUDY = "tormented"


@dataclass
class Figures:
    """What the normal clients saw before and during the attack, and what it cost the server.

    calm, tormented: seconds of each request. refused: statuses other than 200. peak: the server's memory, in megabytes.
    """

    calm: list[float] = field(default_factory=list)
    tormented: list[float] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    peak: float = 0.0

    def ratio(self, share: float) -> float:
        """How many times longer the attack made a request, at this share of the ordered times."""
        return _at(self.tormented, share) / _at(self.calm, share)


def _at(seconds: list[float], share: float) -> float:
    return statistics.quantiles(seconds, n=100, method="inclusive")[round(100 * share) - 1]


def torment(clients: int = CLIENTS, seconds: float = SECONDS, source: str = SOURCE) -> Figures:
    """Let so many hostile clients have a server for so long."""
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="prefero-") as folder:
        url = f"sqlite:///{Path(folder) / 'torture.db'}"
        judge, viewers, digest = _prepared(url)
        with _served(url) as (port, process):
            _measure(port, judge, seconds / 2, figures.calm, figures)
            spawn = multiprocessing.get_context("spawn")
            hostile = spawn.Process(target=_attack, args=(port, clients, seconds + 2, judge, viewers, digest, source))
            hostile.start()
            time.sleep(2.0)  # until they are all there
            _measure(port, judge, seconds, figures.tormented, figures)
            hostile.join()
            figures.peak = _peak_megabytes(process)
    return figures


def _prepared(url: str) -> tuple[str, list[str], str]:
    """Make a study with a large file; a judge's token, some viewers', and the file's digest."""
    with Database(url) as storage:
        space = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})
        study = pf.Study.create(space, name=STUDY, storage=storage, seed=0)
        record: Any = study.measure(study.ask().a, files={"film": (bytes(FILE), "application/octet-stream")}).event
        judge = access.make_token(storage, "judge", study=STUDY, label="ann")[0]
        viewers = [access.make_token(storage, "viewer", label=f"wall {number}")[0] for number in range(TOKENS)]
    return judge, viewers, record.files["film"]["digest"]


def _serve(url: str, pipe: Any) -> None:
    end_with_parent()
    server.run(url, port=0, settings=Settings(rate=1e9, burst=1_000_000_000), announce=pipe.send)


@contextlib.contextmanager
def _served(url: str) -> Iterator[tuple[int, BaseProcess]]:
    spawn = multiprocessing.get_context("spawn")
    read, write = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_serve, args=(url, write))
    process.start()
    try:
        yield int(read.recv().split(":")[2].split("/")[0]), process
    finally:
        process.terminate()
        process.join(30)
        process.kill()


def _peak_megabytes(process: BaseProcess) -> float:
    told = Path(f"/proc/{process.pid}/status")
    found = re.search(r"VmHWM:\s+(\d+)", told.read_text(encoding="ascii")) if told.exists() else None
    return int(found[1]) / 1024 if found else 0.0


# Normal clients ---------------------------------------------------------------------------------------------------------


def _measure(port: int, token: str, seconds: float, into: list[float], figures: Figures) -> None:
    """Let normal clients ask for their question, one after the other, and note how long each takes."""
    until = time.monotonic() + seconds

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < until:
            began = time.perf_counter()
            connection.request("GET", f"/api/v1/studies/{STUDY}/question", headers={"Authorization": f"Bearer {token}"})
            reply = connection.getresponse()
            reply.read()
            into.append(time.perf_counter() - began)
            if reply.status != 200:
                figures.refused.append(reply.status)
            time.sleep(0.01)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(NORMAL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# Hostile clients --------------------------------------------------------------------------------------------------------


def _attack(port: int, clients: int, seconds: float, judge: str, viewers: list[str], digest: str, source: str) -> None:
    end_with_parent()
    asyncio.run(_attacked(port, clients, seconds, judge, viewers, digest, source))


async def _attacked(
    port: int, clients: int, seconds: float, judge: str, viewers: list[str], digest: str, source: str
) -> None:
    until = asyncio.get_running_loop().time() + seconds
    answers = f"/api/v1/studies/{STUDY}/answers"
    downloads = [_head("GET", f"/api/v1/studies/{STUDY}/files/{digest}", viewer) + b"\r\n" for viewer in viewers]
    chunked = b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    kinds = [
        (_head("GET", "/", judge), b"X: x\r\n"),  # a head that never ends
        (b"", b""),  # nothing at all
        (_head("POST", answers, judge) + chunked, b"1\r\n \r\n"),  # a body that never ends
        (_head("POST", answers, "prefero_wrong") + b"Content-Length: 2147483648\r\n\r\n", bytes(1 << 18)),  # a huge one
    ]
    tasks = []
    for number in range(clients):
        kind = number % (len(kinds) + 1)
        first, drip = kinds[kind] if kind < len(kinds) else (downloads[number % TOKENS], b"")
        tasks.append(asyncio.create_task(_hold(port, first, drip, until, source)))
    await asyncio.gather(*tasks)


def _head(method: str, path: str, token: str) -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n".encode()


async def _hold(port: int, first: bytes, drip: bytes, until: float, source: str) -> None:
    """Hold a connection as long as the server lets it, and then another one."""
    clock = asyncio.get_running_loop().time
    await asyncio.sleep(random.uniform(0, PAUSE))  # or they would act all at once
    while clock() < until:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            try:
                writer.write(first)
                while clock() < until and not reader.at_eof() and not writer.is_closing():
                    writer.write(drip)
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(writer.drain(), PAUSE)
                    await asyncio.sleep(PAUSE)
            finally:
                writer.transport.abort()
        await asyncio.sleep(PAUSE)

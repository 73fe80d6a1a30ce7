"""Hundreds of judges, several server processes, one PostgreSQL: no answer is lost, none doubled, no sequence has a gap.

Every judge has a token and a person's habits: they look at a pair for about a second and answer. They ask at one server and answer
at another, and now and then send an answer twice, as a client does that has not heard the reply. What was acknowledged is then
looked for in the database.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import prefero as pf
from benchmarks.torture.asgi import run_apart
from benchmarks.torture.processes import end_with_parent
from prefero.storage import Storage
from prefero.storage.database import Database
from prefero.storage.events import Answered, Asked
from prefero.web import access, server

JUDGES, STUDIES, SERVERS, SECONDS = 500, 50, 4, 60.0
WARM = 0.25
"""The share of the time that is not measured: servers open studies, workers start."""
LOOK_SECONDS = 1.05
"""How long a judge looks at a pair, on average: 500 judges then offer about 470 answers a second."""
REPEATED = 0.1
"""The share of answers that are sent twice."""
TRIES = 10
"""How often a request is sent whose connection was lost."""
SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1), "z": pf.Real(0, 1)})


@dataclass
class Account:
    """What the judges saw: acknowledged answers with their study and step, statuses, and seconds by kind of request."""

    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"answer": [], "question": []})
    measured: int = 0
    wall: float = 0.0
    pooled: float = 0.0  # the share of questions that came from a pool
    fresh: float = 0.0  # the share of those that nobody had been asked before

    def percentile(self, kind: str, share: float) -> float:
        """The milliseconds that so large a share of the requests did not take longer than."""
        ordered = sorted(self.seconds[kind])
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _server(url: str, pipe: Any) -> None:
    end_with_parent()
    server.run(url, port=0, announce=pipe.send)


@contextmanager
def servers(url: str, count: int) -> Iterator[list[int]]:
    """So many server processes; their ports."""
    spawn = multiprocessing.get_context("spawn")
    started, ports = [], []
    try:
        for _ in range(count):
            read, write = spawn.Pipe(duplex=False)
            process = spawn.Process(target=_server, args=(url, write))
            process.start()
            started.append(process)
            ports.append((read, process))
        yield [int(read.recv().split(":")[2].split("/")[0]) for read, _ in ports]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.join(30)
            process.kill()


class NoConnection(AssertionError):
    """The server is not there."""


class Line:
    """One connection to a server, opened again if the server hangs up."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, value: Any = None) -> tuple[int, Any]:
        """Send a value as JSON, and return the status and the value of the reply."""
        body = b"" if value is None else json.dumps(value).encode()
        status, content = await self.exchange(method, path, body)
        return status, json.loads(content)

    async def exchange(
        self, method: str, path: str, body: bytes = b"", media_type: str = "application/json"
    ) -> tuple[int, bytes]:
        """Send a request, and again where the connection was lost: that is what an answer's id is for."""
        head = (
            f"{method} {path} HTTP/1.1\r\n{self._head}Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        for _ in range(TRIES):
            try:
                if self._streams is None:
                    self._streams = await asyncio.open_connection("127.0.0.1", self._port)
                reader, writer = self._streams
                writer.write(head.encode() + body)
                reply = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(reply.split(b"content-length: ")[1].split(b"\r\n")[0])
                return int(reply[9:12]), await reader.readexactly(length)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
        raise NoConnection(f"no connection in {TRIES} tries")

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Judge:
    """One who asks and answers in one study until the time is over."""

    name: str
    study: str
    token: str
    account: Account
    rng: random.Random
    look_seconds: float

    async def answer(self, ports: list[int], begin: float, until: float) -> None:
        """Ask, look, answer, and so on."""
        lines = [Line(port, self.token) for port in self.rng.sample(ports, min(2, len(ports)))]
        await asyncio.sleep(self.rng.uniform(0, self.look_seconds))
        try:
            while time.perf_counter() < until:
                status, current = await self._timed("question", lines, begin, "GET", "question")
                if status == 409:  # others were faster than a question could be stored
                    continue
                assert status == 200, f"{status}: {current}"
                if current["question"] is None:
                    return
                await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.look_seconds)
                await self._say(lines, begin, current["question"]["step"])
        finally:
            for line in lines:
                line.close()

    async def _say(self, lines: list[Line], begin: float, step: int) -> None:
        answer_id = f"{self.name} {step}"
        said = {"step": step, "answer": self.rng.choice(["a", "b", "same"]), "answer_id": answer_id}
        status, reply = await self._timed("answer", lines, begin, "POST", "answers", said)
        assert status == 200, f"{status}: {reply}"
        if self.rng.random() < REPEATED:
            again = await self._timed("answer", lines, begin, "POST", "answers", said)
            assert again[1]["saved"] == reply["saved"], "an answer sent twice has two records"
        else:
            self.account.measured += time.perf_counter() > begin
        self.account.acknowledged[answer_id] = (self.study, reply["saved"]["data"]["step"])

    async def _timed(
        self, kind: str, lines: list[Line], begin: float, method: str, path: str, value: Any = None
    ) -> tuple[int, Any]:
        began = time.perf_counter()
        status, reply = await self.rng.choice(lines).send(method, f"/api/v1/studies/{self.study}/{path}", value)
        self.account.statuses[status] += 1
        if began > begin:
            self.account.seconds[kind].append(time.perf_counter() - began)
        return status, reply


def swarm(
    url: str,
    judges: int = JUDGES,
    studies: int = STUDIES,
    seconds: float = SECONDS,
    look_seconds: float = LOOK_SECONDS,
    progress: Callable[[], object] = lambda: None,
) -> Account:
    """Let the judges answer, and look whether all of it is there; an AssertionError where it is not."""
    names = [f"swarm-{k}" for k in range(studies)]
    account = Account()
    with Database(url) as storage:
        for seed, name in enumerate(names):
            pf.Study.create(SPACE, name=name, storage=storage, seed=seed, comparisons=100)
        people = []
        for k in range(judges):
            name, study = f"judge-{k}", names[k % studies]
            token, _ = access.make_token(storage, "judge", study=study, label=name)
            people.append(Judge(name, study, token, account, random.Random(k), look_seconds))
        with servers(url, SERVERS) as ports:
            run_apart(_let_answer(people, ports, seconds, account, progress))
        check(storage, names, account)
    return account


async def _let_answer(
    people: list[Judge], ports: list[int], seconds: float, account: Account, progress: Callable[[], object]
) -> None:
    began = time.perf_counter()
    begin, until = began + WARM * seconds, began + seconds
    account.wall = until - begin
    tasks = [asyncio.create_task(judge.answer(ports, begin, until)) for judge in people]
    while pending := [task for task in tasks if not task.done()]:
        await asyncio.wait(pending, timeout=1.0, return_when=asyncio.FIRST_EXCEPTION)
        failed = [task for task in tasks if task.done() and task.exception() is not None]
        if failed:
            for task in pending:
                task.cancel()
            raise AssertionError(f"a judge failed: {failed[0].exception()!r}")
        if time.perf_counter() < until:
            progress()


def check(storage: Storage, names: list[str], account: Account) -> None:
    """What was acknowledged is in the database, once, and every log is without gaps."""
    assert not [status for status in account.statuses if status >= 500], f"5xx: {account.statuses}"
    stored: dict[str, tuple[str, int]] = {}
    asked = pooled = different = 0
    for name in names:
        records = storage.read(storage.find(name))
        assert [r.sequence for r in records] == list(range(len(records))), f"{name}: a gap in the sequence"
        pairs = Counter(str((r.event.first, r.event.second)) for r in records if isinstance(r.event, Asked))
        asked, different = asked + sum(pairs.values()), different + len(pairs)
        pooled += sum(isinstance(r.event, Asked) and r.event.known is not None for r in records)
        for record in records:
            if isinstance(record.event, Answered):
                assert record.answer_id is not None
                assert record.answer_id not in stored, f"{record.answer_id} is there twice"
                stored[record.answer_id] = (name, record.event.step)
        counted = len(pf.Study.open(name, storage).history)
        assert counted == sum(study == name for study, _ in stored.values()), f"{name}: an answer does not count"
    assert stored == account.acknowledged, "what is stored is not what was acknowledged"
    account.pooled, account.fresh = pooled / max(1, asked), different / max(1, asked)

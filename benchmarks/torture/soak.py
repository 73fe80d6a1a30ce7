"""An hour of ordinary use: 50 studies, judges who answer, take back, look at results, upload and read files.

Memory, threads and open files of the server, its helpers and its worker are sampled every few seconds. They must not grow. A study
that has enough answers is exported, compared with what its judges were told, deleted, and another one of that name begins: what is
open at a time stays the same, so whatever grows was not given back.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.torture import processes
from benchmarks.torture.asgi import run_apart
from benchmarks.torture.processes import Usage
from benchmarks.torture.swarm import Line
from prefero.storage.database import Database
from prefero.web import access
from prefero.web.operation import PREFIX

SECONDS, STUDIES = 3600.0, 50
LOOK_SECONDS = 30.0
"""How long a judge looks at a pair, on average: a load of about a tenth of a core."""
ANSWERS = 24
"""A study with so many answers is done."""
SAMPLE_SECONDS = 5.0
WARM = 0.25
"""The share of the time before anything is measured: caches fill, every helper has started and has done each kind of work. On a
busy machine it takes longer, until as many studies are done as there are at a time."""
MOST_GROWTH = 0.05
"""Memory may grow by this share of itself while it is measured: what caches with a limit still take."""
MOST_MORE = 4.0
"""And so many threads or open files more: connections come and go."""
CROWDED, PAIR = 10, 5
"""Each tenth study has a crowd of judges, so that its questions come from the pool; each fifth one has two."""
FILE = 100_000
LIST = [{"name": "x", "type": "real", "low": 0, "high": 1}, {"name": "y", "type": "integer", "low": 0, "high": 20}]


@dataclass
class Account:
    """What was done, and what it took: samples are pairs of a time and a Usage."""

    done: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    samples: list[tuple[float, Usage]] = field(default_factory=list)
    cpu: float = 0.0
    wall: float = 0.0
    warm: float = float("inf")

    def measured(self, what: str) -> list[tuple[float, float]]:
        """The samples of one figure after the warm-up."""
        return [(at, float(getattr(usage, what))) for at, usage in self.samples if at >= self.warm]

    def growth(self, what: str) -> float:
        """How much a figure grew while it was measured: the slope that fits it best, times the time."""
        return growth(self.measured(what))

    def level(self, what: str) -> float:
        """The median of a figure after the warm-up."""
        return statistics.median(value for _, value in self.measured(what))


def growth(samples: Sequence[tuple[float, float]]) -> float:
    """Return the slope of a figure over time, times the time: the median slope of all pairs of samples (Theil and Sen).

    A few samples far off, such as a helper that is just being replaced, do not change it.
    """
    assert len(samples) >= 3, "there are too few samples"
    some = samples[:: max(1, len(samples) // 300)]
    slopes = [
        (later - value) / (then - at)
        for k, (at, value) in enumerate(some)
        for then, later in some[k + 1 :]
        if then > at
    ]
    return statistics.median(slopes) * (samples[-1][0] - samples[0][0])


def check(account: Account, most_growth: float = MOST_GROWTH, most_more: float = MOST_MORE) -> None:
    """An AssertionError if something grew."""
    assert not [status for status in account.statuses if status >= 500], f"5xx: {account.statuses}"
    grown, level = account.growth("megabytes"), account.level("megabytes")
    assert grown <= most_growth * level, f"memory grew by {grown:.1f} MB, from about {level:.0f} MB"
    for what in ("threads", "files"):
        more = account.growth(what)
        assert more <= most_more, f"{what} grew by {more:.1f}, from about {account.level(what):.0f}"


def soak(
    url: str,
    seconds: float = SECONDS,
    studies: int = STUDIES,
    look_seconds: float = LOOK_SECONDS,
    sample_seconds: float = SAMPLE_SECONDS,
    answers: int = ANSWERS,
    target: processes.Serve = processes.serve,
    progress: Callable[[str], object] = lambda _: None,
) -> Account:
    """Use a server for so long, and return what that took; `check` judges it."""
    account = Account()
    with Database(url) as storage:
        owner = access.make_token(storage, "owner", label="soak")[0]
    with processes.running(url, target) as server:
        run_apart(_used(server, owner, account, seconds, studies, look_seconds, sample_seconds, answers, progress))
        account.cpu = processes.cpu_seconds(server.pid)
    return account


async def _used(
    server: processes.Server,
    owner: str,
    account: Account,
    seconds: float,
    studies: int,
    look_seconds: float,
    sample_seconds: float,
    answers: int,
    progress: Callable[[str], object],
) -> None:
    over = asyncio.Event()
    tables = [
        Table(f"soak-{k}", _judges(k), server.port, owner, account, random.Random(k), look_seconds, answers, over)
        for k in range(studies)
    ]
    tasks = [asyncio.create_task(table.serve()) for table in tables]
    began = time.monotonic()
    try:
        while (now := time.monotonic()) < account.warm + (1 - WARM) * seconds:
            account.samples.append((now, processes.usage(server.pid)))
            if account.warm > now >= began + WARM * seconds and account.done["studies"] >= studies:
                account.warm = now
            progress(_said(account))
            done, _ = await asyncio.wait(tasks, timeout=sample_seconds, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        account.wall = now - began
        over.set()
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _said(account: Account) -> str:
    usage = account.samples[-1][1]
    return (
        f"{account.done['answers']} answers; {usage.megabytes:.0f} MB, {usage.threads} threads, {usage.files} files, "
        f"{usage.processes} processes"
    )


def _judges(study: int) -> int:
    if study % CROWDED == 0:
        return 5
    return 2 if study % PAIR == 0 else 1


@dataclass
class Table:
    """One study after another, and its judges."""

    name: str
    judges: int
    port: int
    owner: str
    account: Account
    rng: random.Random
    look_seconds: float
    answers: int
    over: asyncio.Event

    def __post_init__(self) -> None:
        self._line, self._turn = (
            Line(self.port, self.owner),
            asyncio.Lock(),
        )  # the judges of a study share the owner's line
        self._path = f"{PREFIX}/studies/{self.name}"
        self._acknowledged: dict[str, int] = {}

    async def serve(self) -> None:
        """Let the judges answer until the time is over."""
        try:
            while not self.over.is_set():
                await self._one_study()
        finally:
            self._line.close()

    async def _one_study(self) -> None:
        self._acknowledged = {}
        named = {"name": self.name, "variables": LIST, "seed": 0, "comparisons": self.answers}
        await self._send(self._line, 201, "POST", f"{PREFIX}/studies", named)
        tokens = []
        for k in range(self.judges):
            wanted = {"role": "judge", "study": self.name, "label": f"judge {k}", "hours": 24}
            tokens.append((await self._send(self._line, 201, "POST", f"{PREFIX}/tokens", wanted))["token"])
        await asyncio.gather(*(self._judge(k, token) for k, token in enumerate(tokens)))
        await self._compare()
        await self._send(self._line, 200, "DELETE", self._path)
        self.account.done["studies"] += 1

    async def _judge(self, number: int, token: str) -> None:
        line = Line(self.port, token)
        try:
            await asyncio.sleep(self.rng.uniform(0, self.look_seconds))
            while len(self._acknowledged) < self.answers and not self.over.is_set():
                current = await self._ask(line)
                if current is None:
                    return
                if self.rng.random() < 0.1:
                    await self._file(line, current["step"])
                await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.look_seconds)
                await self._say(line, number, current["step"])
                if self.rng.random() < 0.1:
                    await self._take_back(line, number, current["step"])
                if self.rng.random() < 0.1:
                    await self._look(line)
        finally:
            line.close()

    async def _ask(self, line: Line) -> Any:
        while True:
            status, reply = await line.send("GET", f"{self._path}/question")
            self.account.statuses[status] += 1
            if status != 409:  # others were faster than a question could be stored
                assert status == 200, f"{status}: {reply}"
                return reply["question"]

    async def _say(self, line: Line, number: int, step: int) -> None:
        answer_id = f"{number} {step} {self.rng.random()}"
        said = {"step": step, "answer": self.rng.choice(["a", "b", "same"]), "answer_id": answer_id}
        await self._send(line, 200, "POST", f"{self._path}/answers", said)
        self._acknowledged[answer_id] = step
        self.account.done["answers"] += 1

    async def _take_back(self, line: Line, number: int, step: int) -> None:
        """Undo the last answer, and give another one."""
        reply = await self._send(line, 200, "POST", f"{self._path}/undo", {"step": step})
        assert reply["question"]["step"] == step, "another question came back"
        self.account.done["undone"] += 1
        await self._say(line, number, step)

    async def _look(self, line: Line) -> None:
        """Look at the result, as a judge and as the owner."""
        await self._send(line, 200, "GET", f"{self._path}/result")
        await self._send(self._line, 200, "GET", f"{self._path}/{self.rng.choice(['insight', 'advice', 'history'])}")
        self.account.done["looks"] += 1

    async def _file(self, line: Line, step: int) -> None:
        """Upload a file about a candidate, and let the judge read it."""
        content = self.rng.randbytes(FILE)
        place = f"{self._path}/questions/{step}/a/files/film"
        async with self._turn:
            status, body = await self._line.exchange("PUT", place, content, "application/octet-stream")
        self.account.statuses[status] += 1
        assert status == 200, f"{status}: {body[:300]!r}"
        question = await self._send(line, 200, "GET", f"{self._path}/questions/{step}")
        digest = question["measured"]["a"]["files"]["film"]["digest"]
        status, body = await line.exchange("GET", f"{self._path}/files/{digest}")
        self.account.statuses[status] += 1
        assert (status, body) == (200, content), f"{status}: the file that came back is another one"
        self.account.done["files"] += 1

    async def _compare(self) -> None:
        """What was acknowledged is in the study, once, and its log has no gap."""
        events = (await self._send(self._line, 200, "GET", f"{self._path}/events"))["events"]
        exported = await self._send(self._line, 200, "GET", f"{self._path}/export.json")
        assert len(exported["events"]) == len(events), "the export is not the log"
        assert [event["sequence"] for event in events] == list(range(len(events))), "a gap in the sequence"
        found = [(e["data"]["answer_id"], e["data"]["step"]) for e in events if e["event"] == "answered"]
        assert len(dict(found)) == len(found), "an answer is there twice"
        assert dict(found) == self._acknowledged, "what is stored is not what was acknowledged"

    async def _send(self, line: Line, wanted: int, method: str, path: str, value: Any = None) -> Any:
        async with self._turn if line is self._line else contextlib.nullcontext():
            status, reply = await line.send(method, path, value)
        self.account.statuses[status] += 1
        assert status == wanted, f"{method} {path}: {status} {reply}"
        return reply

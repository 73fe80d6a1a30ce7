"""Judges who do not give up: whatever fails, they send the same answer with the same id again, until it is acknowledged.

What was acknowledged must then be in the database, and nothing else: an answer is never given up, so it is stored exactly once.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import prefero as pf
from benchmarks.torture.asgi import run_apart
from benchmarks.torture.swarm import SPACE, Account, Line, NoConnection, check
from prefero.storage import Storage
from prefero.web import access

AGAIN_SECONDS = 0.1
"""The pause before a request is sent again."""
PATIENCE_SECONDS = 300.0
"""How long a judge goes on trying one request."""
LOOK_SECONDS = 0.3
"""How long a judge looks at a pair, on average."""
CROWDS = (6, 6, 1, 1, 1, 1)
"""How many judges each study has: the questions of the first two come from the pool, those of the others from helpers."""
UNAVAILABLE = 503


@dataclass
class Load:
    """Judges at work, and what they saw: acknowledged answers, statuses, lost connections, and the words of each 503."""

    ports: Sequence[int]
    account: Account = field(default_factory=Account)
    lost: int = 0
    said: Counter[str] = field(default_factory=Counter)
    judges: Sequence[str] = ()
    by_judge: Counter[str] = field(default_factory=Counter)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def answers(self) -> int:
        """How many answers were acknowledged."""
        return len(self.account.acknowledged)

    async def everybody(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until every judge has had another answer acknowledged."""
        before, until = dict(self.by_judge), time.monotonic() + seconds
        while late := [name for name in self.judges if self.by_judge[name] == before.get(name, 0)]:
            assert time.monotonic() < until, f"no answer of {', '.join(late)} was acknowledged for {seconds:g} s"
            await asyncio.sleep(0.05)

    async def more(self, count: int, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until so many more answers were acknowledged: the service is there."""
        wanted, until = self.answers + count, time.monotonic() + seconds
        while self.answers < wanted:
            assert time.monotonic() < until, f"no answer was acknowledged for {seconds:g} s"
            await asyncio.sleep(0.02)


@dataclass
class Judge:
    """One who asks and answers until the load is over."""

    name: str
    study: str
    token: str
    load: Load
    rng: random.Random

    async def answer(self) -> None:
        """Ask, look, answer, and so on."""
        lines = [Line(port, self.token) for port in self.load.ports]
        try:
            while not self.load.over.is_set():
                current = await self._insist(lines, "GET", "question")
                if current["question"] is None:
                    return
                await asyncio.sleep(self.rng.uniform(0.5, 1.5) * LOOK_SECONDS)
                step = current["question"]["step"]
                answer_id = f"{self.name} {step}"
                said = {"step": step, "answer": self.rng.choice(["a", "b", "same"]), "answer_id": answer_id}
                reply = await self._insist(lines, "POST", "answers", said)
                assert reply["saved"]["data"]["step"] == step, "another question was answered"
                self.load.account.acknowledged[answer_id] = (self.study, step)
                self.load.by_judge[self.name] += 1
        finally:
            for line in lines:
                line.close()

    async def _insist(self, lines: list[Line], method: str, path: str, value: Any = None) -> Any:
        """Send a request, to any server, until one says that it is done."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                status, reply = await self.rng.choice(lines).send(method, f"/api/v1/studies/{self.study}/{path}", value)
            except NoConnection:
                self.load.lost += 1
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            self.load.account.statuses[status] += 1
            if status == 200:
                return reply
            assert status in (409, UNAVAILABLE), f"{method} {path}: {status} {reply}"
            assert status == UNAVAILABLE or method == "GET", (
                f"the answer to a question that was shown is refused: {reply}"
            )
            assert reply["error"], f"{status} without a word"
            if status == UNAVAILABLE:
                self.load.said[reply["error"]] += 1
            await asyncio.sleep(AGAIN_SECONDS)
        raise AssertionError(f"{method} {path}: not done in {PATIENCE_SECONDS:g} s")


def under_load(
    storage: Storage,
    ports: Sequence[int],
    torment: Callable[[Load], Coroutine[Any, Any, None]],
    judges: Sequence[int] = CROWDS,
) -> Load:
    """Let judges answer while something happens to the service, and look whether all of it is there afterwards."""
    names = [f"study-{k}" for k in range(len(judges))]
    people = []
    for k, name in enumerate(names):
        pf.Study.create(SPACE, name=name, storage=storage, seed=k, comparisons=100)
        for number in range(judges[k]):
            label = f"judge-{k}-{number}"
            token = access.make_token(storage, "judge", study=name, label=label)[0]
            people.append((label, name, token))
    load = run_apart(_let_answer(people, ports, torment))
    assert not [status for status in load.account.statuses if status >= 500 and status != UNAVAILABLE], "a 5xx"
    unavailable = load.account.statuses.pop(UNAVAILABLE, 0)
    check(storage, names, load.account)
    load.account.statuses[UNAVAILABLE] = unavailable
    return load


async def _let_answer(
    people: Sequence[tuple[str, str, str]],
    ports: Sequence[int],
    torment: Callable[[Load], Coroutine[Any, Any, None]],
) -> Load:
    load = Load(ports, judges=[name for name, _, _ in people])
    judges = [Judge(*person, load, random.Random(k)) for k, person in enumerate(people)]
    tasks = [asyncio.create_task(judge.answer()) for judge in judges]
    happening = asyncio.create_task(torment(load))
    try:
        while not happening.done():
            await asyncio.wait([happening, *tasks], timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
                    raise AssertionError("a judge has nothing left to answer")
        happening.result()
        load.over.set()
        await asyncio.gather(*tasks)
    finally:
        for task in (happening, *tasks):
            task.cancel()
        await asyncio.gather(happening, *tasks, return_exceptions=True)
    return load

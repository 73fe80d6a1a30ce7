"""The driver's end of the conversation: questions out, answers in, one JSON object a line; standard library only.

    parent  {"lower": [...], "upper": [...], "samples": N, "initial": n, "seed": s, "delta": d, "sigma": s,
             "constraint": name or null, "noisy": bool, "options": {...}}
    driver  {"ask": [a, b], "seconds": CPU spent since the last answer}     parent  {"answer": -1 | 0 | 1}
                                                                   and "seen": [value of a, value of b] with the option "numbers"
    driver  {"recommend": x}                      after each answer: the sample it would recommend now,
                                                                   which may be new with the option "anywhere"
    driver  {"done": true, "initial": n, "calibrating": CPU seconds or null, "versions": {...}}
            or  {"failed": "why", "versions": {...}}

The person lives in the parent, so a driver never sees the function, and its values only where that is the point. A
driver stays alive for the next start line, and before its first run with some options it rehearses a tiny one: imports
and compilation are never counted.
"""

import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TextIO


@dataclass(frozen=True)
class Start:
    """One run: the box, the budget, the paper's settings for the problem and the method's own options."""

    lower: list[float]
    upper: list[float]
    samples: int
    initial: int
    seed: int
    delta: float
    sigma: float
    constraint: str | None
    noisy: bool
    options: dict[str, Any]

    @property
    def comparisons(self) -> int:
        """How many questions may be asked."""
        return self.samples - 1


class Judge:
    """The person at the other end of the pipe; keeps the clock, which stands still while she thinks."""

    def __init__(self, incoming: TextIO, outgoing: TextIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._since = time.process_time()
        self.calibrating: float | None = None  # CPU seconds, for a driver that knows
        self.seen: tuple[float, float] = (0.0, 0.0)  # the numbers behind the last answer, for a driver that is told

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        self._outgoing.write(json.dumps(message) + "\n")
        self._outgoing.flush()

    def start_clock(self) -> None:
        """Count CPU time from now on."""
        self._since = time.process_time()

    def prefer(self, a: Iterable[float], b: Iterable[float]) -> int:
        """The person's answer: -1 (a is better), 1 (b is better) or 0."""
        seconds = time.process_time() - self._since
        self.send({"ask": [_floats(a), _floats(b)], "seconds": seconds})
        line = self._incoming.readline()
        if not line:
            raise EOFError("the benchmark has closed the conversation")
        reply = json.loads(line)
        self.seen = tuple(reply.get("seen", self.seen))
        self.start_clock()
        return int(reply["answer"])

    def recommend(self, x: Iterable[float]) -> None:
        """Say which of the samples shown so far would be recommended now."""
        before = time.process_time()
        self.send({"recommend": _floats(x)})
        self._since += time.process_time() - before


class Rehearsal(Judge):
    """A person who answers on the spot and is not listened to."""

    def send(self, message: dict[str, Any]) -> None:
        """Say nothing."""

    def prefer(self, a: Iterable[float], b: Iterable[float]) -> int:
        """Prefer the smaller sum."""
        self.seen = sum(_floats(a)), sum(_floats(b))
        return -1 if self.seen[0] < self.seen[1] else 1


def rehearse(solve: Callable[[Start, Judge], int | None], options: dict[str, Any]) -> None:
    """Run a tiny problem, so that whatever loads or compiles itself on first use has done so."""
    start = Start([0.0, 0.0], [1.0, 1.0], 8, 3, 0, 2.0, 0.125, None, False, options)
    with contextlib.suppress(Exception):  # what is wrong will show again in the real run
        solve(start, Rehearsal(sys.stdin, sys.stderr))


def serve(solve: Callable[[Start, Judge], int | None], packages: Iterable[str]) -> None:
    """Answer start lines until the parent closes the pipe; `solve` may return its number of initial samples."""
    outgoing = _private_stdout()
    versions = {"python": platform.python_version(), **{name: _version(name) for name in packages}}
    rehearsed = []
    for line in sys.stdin:
        start = Start(**json.loads(line))
        if start.options not in rehearsed:
            rehearsed.append(start.options)
            rehearse(solve, start.options)
        judge = Judge(sys.stdin, outgoing)
        try:
            initial = solve(start, judge)
        except EOFError:
            return
        except Exception as error:  # noqa: BLE001  a peer may raise anything; it is counted, with its message
            judge.send({"failed": f"{type(error).__name__}: {error}", "versions": versions})
        else:
            done = {"done": True, "initial": initial or start.initial, "calibrating": judge.calibrating}
            judge.send({**done, "versions": versions})


def _private_stdout() -> TextIO:
    """The pipe to the parent for us alone: what a library prints goes to stderr instead."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return pipe


def _floats(x: Iterable[float]) -> list[float]:
    return [float(value) for value in x]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"

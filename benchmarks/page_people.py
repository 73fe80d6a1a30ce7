"""Many people at once, each with their own study, over HTTP: how long each waits from an answer to the next pair.

They do what the page does: ask, look for about three seconds, answer, ask again; from the tenth answer on, every fifth time,
they let the server think about whether to stop. All begin within three seconds, each at a moment of their own.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np

from benchmarks.progress import Progress

LOOK = 3.0
"""Seconds between two answers of a person."""
GOAL = 300
"""Milliseconds from an answer to the next pair, for 95 of 100."""
ADVICE_FROM, ADVICE_EVERY = 10, 5
DIMENSION = 6


@dataclass
class Tally:
    """What happened to all of them."""

    saved: list[float] = field(default_factory=list)
    next_pair: list[float] = field(default_factory=list)
    advised: int = 0
    refused: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Line:
    """A connection that is kept, as a browser's is."""

    def __init__(self, link: str, token: str) -> None:
        self._host = urlsplit(link).netloc
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection = http.client.HTTPConnection(self._host, timeout=60)

    def call(self, method: str, path: str, value: Any = None) -> Any:
        """Ask, and read the answer."""
        body = None if value is None else json.dumps(value)
        self._connection.request(method, f"/api/v1{path}", body, self._headers)
        reply = self._connection.getresponse()
        found = json.loads(reply.read())
        if reply.status >= 400:
            raise OSError(f"{reply.status}: {found.get('error')}")
        return found

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Person:
    """Somebody who likes certain values, and answers until the time is over."""

    def __init__(self, link: str, owner: Line, name: str, proposer: str, seed: int) -> None:
        variables = [{"name": f"x{k}", "type": "real", "low": 0, "high": 1} for k in range(DIMENSION)]
        owner.call("POST", "/studies", {"name": name, "variables": variables, "seed": seed, "proposer": proposer})
        token = owner.call("POST", "/tokens", {"role": "judge", "label": name, "study": name})["token"]
        self._path = f"/studies/{quote(name)}"
        self._link, self._token = link, token
        self._line, self._advising = Line(link, token), list[threading.Thread]()
        self._random = random.Random(seed)
        self._likes = [self._random.random() for _ in range(DIMENSION)]

    def answer_until(self, end: float, tally: Tally) -> None:
        """Ask and answer, and record how long each takes."""
        try:
            time.sleep(self._random.uniform(0, LOOK))
            question = self._line.call("GET", f"{self._path}/question")["question"]
            while time.monotonic() < end:
                time.sleep(self._random.uniform(0.8, 1.2) * LOOK)
                question = self._answered(question, tally)
        except OSError as error:
            with tally.lock:
                tally.refused.append(str(error))
        finally:
            self._line.close()
            for advising in self._advising:
                advising.join()

    def _answered(self, question: dict[str, Any], tally: Tally) -> Any:
        said = "a" if self._far(question["a"]) <= self._far(question["b"]) else "b"
        step = question["step"]
        began = time.perf_counter()
        answer = {"step": step, "answer": said, "answer_id": f"{step}"}
        saved = self._line.call("POST", f"{self._path}/answers", answer)
        then = time.perf_counter()
        following = self._line.call("GET", f"{self._path}/question")["question"]
        now = time.perf_counter()
        with tally.lock:
            tally.saved.append(1000 * (then - began))
            tally.next_pair.append(1000 * (now - began))
        if saved["answers"] >= ADVICE_FROM and saved["answers"] % ADVICE_EVERY == 0:
            self._advising.append(threading.Thread(target=self._advised, args=(tally,), daemon=True))
            self._advising[-1].start()
        return following

    def _far(self, candidate: dict[str, float]) -> float:
        return sum((value - wanted) ** 2 for value, wanted in zip(candidate.values(), self._likes, strict=True))

    def _advised(self, tally: Tally) -> None:
        """Fetch the advice, as the page does in parallel; do without if there is none."""
        aside = Line(self._link, self._token)  # of its own: whoever answers hangs up meanwhile
        try:
            aside.call("GET", f"{self._path}/advice")
        except (OSError, http.client.HTTPException):
            return
        finally:
            aside.close()
        with tally.lock:
            tally.advised += 1


def cpu_seconds(process: int) -> float:
    """The processor time that a process has used; NaN if the system does not report it."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


def people(link: str, count: int, seconds: float, proposers: Sequence[str], process: int) -> list[str]:
    """Let people answer for a while; returns the lines of the report, one for each proposer."""
    lines = [f"{count} people, an answer every {LOOK:g} s each, one process; goal: {GOAL} ms"]
    for proposer in proposers:
        owner = Line(link, link.split("token=")[1])
        persons = [Person(link, owner, f"{proposer} {k}", proposer, k) for k in range(count)]
        owner.close()
        before = cpu_seconds(process)
        tally = let_answer(persons, seconds)
        used = (cpu_seconds(process) - before) / max(1, len(tally.next_pair))
        lines.append(f"{proposer}: {told(tally)}; {1000 * used:.0f} ms of the server's processor time for each answer")
    return lines


def let_answer(persons: Sequence[Person], seconds: float) -> Tally:
    """All of them at once."""
    tally, end = Tally(), time.monotonic() + seconds
    threads = [threading.Thread(target=person.answer_until, args=(end, tally)) for person in persons]
    for thread in threads:
        thread.start()
    progress = Progress(round(seconds))
    for _ in range(round(seconds)):
        time.sleep(1)
        progress.advance(f"seconds, {len(tally.next_pair)} answers")
    for thread in threads:
        thread.join()
    progress.close()
    return tally


def told(tally: Tally) -> str:
    """The figures of a run in one line."""
    if not tally.next_pair:
        return f"nobody got an answer through: {tally.refused[:1]}"
    saved, following = (np.percentile(times, [50, 95, 100]) for times in (tally.saved, tally.next_pair))
    short = "" if following[1] <= GOAL else "; short of its goal"
    return (
        f"{len(tally.next_pair)} answers; next pair p95 {following[1]:.0f} ms (median {following[0]:.0f}, most "
        f"{following[2]:.0f}); saved p95 {saved[1]:.0f} ms; {tally.advised} times advised; "
        f"{len(tally.refused)} people lost{short}"
    )

"""What was said, to be looked at: question by question, judge by judge, and where the judges disagree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prefero.answers import Answer, History, contradicting, word
from prefero.arrays import Mask
from prefero.events import Answered, Asked, Failed, Imported, Skipped
from prefero.replay import Ledger, Line, Samples, Status
from prefero.space import Candidate


@dataclass(frozen=True)
class Question:
    """Two candidates, A and B, waiting for an answer; `note` says what was unusual about choosing them, `judge` whom it asks."""

    step: int
    a: Candidate
    b: Candidate
    note: str = ""
    judge: str = ""

    @classmethod
    def of(cls, asked: Asked, samples: Samples) -> Question:
        """A question of the log, the sides as they were shown."""
        first, second = samples.complete(asked.first), samples.complete(asked.second)
        a, b = (second, first) if asked.swapped else (first, second)
        return cls(asked.step, a, b, asked.note, asked.judge)


@dataclass(frozen=True)
class Entry:
    """One line of what was said.

    answer: "a", "same" or "b", "skipped", "a failed" or "b failed". status: "effective", or "undone" or "removed".
    time: when it was said, UTC. seconds: the response time, if it is known. contradicts: whether other answers say otherwise.
    """

    step: int
    a: Candidate
    b: Candidate
    answer: str
    who: str
    time: str
    seconds: float | None
    note: str
    status: Status
    corrected: bool
    contradicts: bool


@dataclass(frozen=True)
class Standing:
    """What is recommended, by everybody's answers (judge is None) or by one judge's."""

    judge: str | None
    best: Candidate | None
    answers: int
    contradictions: int


@dataclass(frozen=True)
class Disagreement:
    """A pair of which two judges say different things: what they said, or what follows from it, "a", "same" or "b"."""

    a: Candidate
    b: Candidate
    said: dict[str, Answer]


def entries(ledger: Ledger, samples: Samples) -> tuple[Entry, ...]:
    """What was said about the study's own questions, in the order it was said."""
    history = samples.history()
    odd = contradicting(history.comparisons)
    contradict = {c.step for c, contradicts in zip(history.comparisons, odd, strict=True) if contradicts}
    return tuple(_entry(line, ledger, samples, contradict) for line in ledger.lines.values() if line.step >= 0)


def _entry(line: Line, ledger: Ledger, samples: Samples, contradict: set[int]) -> Entry:
    question = Question.of(ledger.asked[line.step], samples)
    said = line.record.event
    assert isinstance(said, Answered | Skipped | Failed)
    return Entry(
        step=line.step,
        a=question.a,
        b=question.b,
        answer=line.said,
        who=line.record.who,
        time=line.record.time,
        seconds=said.seconds,
        note=said.note,
        status=line.status,
        corrected=line.corrected,
        contradicts=line.status == "effective" and line.step in contradict,
    )


def imported(ledger: Ledger) -> list[Imported]:
    """What was imported."""
    return [line.record.event for line in ledger.lines.values() if isinstance(line.record.event, Imported)]


def of_judge(samples: Samples, judge: str) -> History:
    """The history as if nobody but one judge had answered."""
    history = samples.history()
    own = [c for c, who in zip(history.comparisons, samples.authors, strict=True) if who == judge]
    return replace(history, points=history.points.copy(), feasible=history.feasible.copy(), comparisons=tuple(own))


def disagreements(samples: Samples) -> tuple[Disagreement, ...]:
    """Pairs of samples of which one judge's answers say, or imply, something else than another's.

    Better than better is better; who contradicts themselves about a pair has no say in it. A tie is what was said itself.
    """
    judges = list(dict.fromkeys(samples.authors))
    said = {judge: _said(of_judge(samples, judge)) for judge in judges}
    found: dict[tuple[int, int], dict[str, Answer]] = {}
    for judge, table in said.items():
        for i, j in zip(*np.nonzero(np.triu(table != _NOTHING)), strict=True):
            found.setdefault((int(i), int(j)), {})[judge] = word(int(table[i, j]))  # type: ignore[arg-type]
    shown = samples.shown
    return tuple(
        Disagreement(shown[i], shown[j], views)
        for (i, j), views in sorted(found.items())
        if len(set(views.values())) > 1
    )


_NOTHING = 9


def _said(history: History) -> np.ndarray[Any, np.dtype[np.int_]]:
    """π(x_i, x_j) where the answers tell it, _NOTHING elsewhere."""
    n = len(history.points)
    beats: Mask = np.zeros((n, n), dtype=bool)
    table = np.full((n, n), _NOTHING)
    for c in history.comparisons:
        if c.outcome:
            winner, loser = (c.i, c.j) if c.outcome == -1 else (c.j, c.i)
            beats[winner, loser] = True
        else:
            table[c.i, c.j] = table[c.j, c.i] = 0
    for k in range(n):  # Warshall: better than better is better
        beats |= np.outer(beats[:, k], beats[k])
    table[beats & ~beats.T] = -1
    table[beats.T & ~beats] = 1
    return table

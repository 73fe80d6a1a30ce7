"""What a person said, and the history of it.

The convention of a comparison, once and for all. In words: the person compares A and B. In mathematics: π(A, B) = −1
when A is better, 0 when they are as good, 1 when B is better; the latent function is lower for the better one. In
Python: `tell(question, "a")` or `tell(question, -1)` says that A is better, "same" or 0 a tie, "b" or 1 that B is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Literal

import numpy as np

from prefero.arrays import Indices, Mask, Matrix, Vector, read_only
from prefero.errors import AnswerError

Answer = Literal["a", "same", "b"]
Outcome = Literal[-1, 0, 1]

ROUNDING = 1e-9
"""Points nearer than this in every coordinate are one sample."""

_OUTCOMES: dict[object, Outcome] = {"a": -1, "same": 0, "b": 1}
_WORDS: dict[int, Answer] = {-1: "a", 0: "same", 1: "b"}


def outcome(answer: object) -> Outcome:
    """π(A, B) of an answer in words or as a number, Eq. (pref_fun)."""
    if isinstance(answer, str) and answer in _OUTCOMES:
        return _OUTCOMES[answer]
    whole = isinstance(answer, Integral) or (isinstance(answer, float | np.floating) and float(answer).is_integer())
    if whole and not isinstance(answer, bool | np.bool_) and int(answer) in _WORDS:  # type: ignore[call-overload]
        return int(answer)  # type: ignore[call-overload,no-any-return]
    raise AnswerError.of("answer", answer, '"a" or -1 (A is better), "b" or 1 (B is better), "same" or 0')


def word(value: Outcome) -> Answer:
    """An outcome as the word a person would use."""
    return _WORDS[value]


@dataclass(frozen=True)
class Comparison:
    """b_h = π(x_i, x_j), Eq. (pref-vector): the samples' indices and what was said; `step` is the question's number."""

    i: int
    j: int
    outcome: Outcome
    step: int = 0


@dataclass(frozen=True, eq=False)
class History:
    """All candidates and all answers so far: a value, never changed in place.

    `points` are the samples x_1 … x_N in the box, one a row; `feasible` tells which satisfy the known constraints;
    `skipped` are pairs that the person could not judge; `failed` are samples that could not be tried.
    """

    points: Matrix
    feasible: Mask
    comparisons: tuple[Comparison, ...] = ()
    skipped: tuple[tuple[int, int], ...] = ()
    failed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        read_only(self.points)
        read_only(self.feasible)

    @classmethod
    def empty(cls, dimension: int) -> History:
        """Before the first question."""
        return cls(np.zeros((0, dimension)), np.zeros(0, dtype=bool))

    def __len__(self) -> int:
        return len(self.comparisons)

    @cached_property
    def pairs(self) -> Indices:
        """(i(h), j(h)) for each comparison, M × 2."""
        return np.array([(c.i, c.j) for c in self.comparisons], dtype=np.intp).reshape(-1, 2)

    @cached_property
    def outcomes(self) -> Vector:
        """b_h for each comparison."""
        return np.array([c.outcome for c in self.comparisons], dtype=float)

    def index(self, point: Vector) -> int | None:
        """The number of a sample, if the point is one; user units and back may cost the last digits."""
        same = np.flatnonzero(self._same(point[None])[0])
        return int(same[0]) if same.size else None

    def holds(self, X: Matrix) -> Mask:
        """Which rows of X are samples."""
        return np.asarray(self._same(X).any(axis=1))

    def indices(self, X: Matrix) -> Indices:
        """The number of the sample that each row of X is; each has to be one."""
        return np.asarray(self._same(X).argmax(axis=1))

    def _same(self, X: Matrix) -> Mask:
        """Which row of X is which sample, to the last digits: rows × samples."""
        return np.asarray(np.abs(X[:, None, :] - self.points).max(axis=2, initial=0.0) <= ROUNDING)

    def with_point(self, point: Vector, feasible: bool) -> tuple[History, int]:
        """The history with one more sample, and its number; a sample that is there already is not added again."""
        known = self.index(point)
        if known is not None:
            return self, known
        points, mask = np.vstack([self.points, point]), np.append(self.feasible, feasible)
        return replace(self, points=points, feasible=mask), len(points) - 1

    def with_comparison(self, comparison: Comparison) -> History:
        """The history with one more answer."""
        return replace(self, comparisons=(*self.comparisons, comparison))

    def with_skip(self, i: int, j: int) -> History:
        """The history with one more pair that could not be judged."""
        return replace(self, skipped=(*self.skipped, (i, j)))

    def prefix(self, answers: int) -> History:
        """The first answers, with the samples they speak of; for algorithms that look back at their own steps."""
        kept = self.comparisons[:answers]
        samples = 1 + max((max(c.i, c.j) for c in kept), default=-1)
        skipped = tuple(pair for pair in self.skipped if max(pair) < samples)
        failed = tuple(k for k in self.failed if k < samples)
        return History(self.points[:samples].copy(), self.feasible[:samples].copy(), kept, skipped, failed)

    def last(self, answers: int) -> History:
        """The last answers, with all samples; for algorithms whose cost grows with their number."""
        return self if len(self) <= answers else replace(self, comparisons=self.comparisons[-answers:])

    def common(self, other: History) -> int:
        """How many answers both begin with: the same ones about the same samples."""
        least = min(len(self.points), len(other.points))
        same = (self.points[:least] == other.points[:least]).all(axis=1) & (
            self.feasible[:least] == other.feasible[:least]
        )
        samples = least if same.all() else int(same.argmin())
        answers = 0
        for mine, theirs in zip(self.comparisons, other.comparisons, strict=False):
            if mine != theirs or max(mine.i, mine.j) >= samples:
                break
            answers += 1
        return answers


def incumbent(history: History) -> int | None:
    """i* of algorithm 1, or None where the answers do not tell it alone.

    Each answer compares the incumbent with a challenger; a better, feasible challenger takes its place, a tie keeps it. None when
    an answer bypasses the incumbent (imported comparisons, cycles): then a surrogate has to decide. An infeasible sample
    may be compared, and is never the incumbent.
    """
    best: int | None = None
    for c in history.comparisons:
        if best is None:
            best = _first(c, history.feasible)
            continue
        if best not in (c.i, c.j):
            if history.feasible[c.i] and history.feasible[c.j]:
                return None
            continue
        challenger = c.j if best == c.i else c.i
        won = c.outcome == (1 if best == c.i else -1)
        if won and history.feasible[challenger]:
            best = challenger
    if best is not None and loses_to(history, best):
        return None
    return best


def _first(c: Comparison, feasible: Mask) -> int | None:
    """The incumbent after the first comparison: the better of the feasible ones, i where they are as good."""
    if feasible[c.i] and feasible[c.j]:
        return c.j if c.outcome == 1 else c.i
    return c.i if feasible[c.i] else c.j if feasible[c.j] else None


def loses_to(history: History, sample: int) -> list[int]:
    """The feasible samples that an answer puts above `sample`."""
    above = []
    for c in history.comparisons:
        if c.i == sample and c.outcome == 1 and history.feasible[c.j]:
            above.append(c.j)
        elif c.j == sample and c.outcome == -1 and history.feasible[c.i]:
            above.append(c.i)
    return above


def contradictions(comparisons: Sequence[Comparison]) -> int:
    """How many answers contradict others: those within a cycle of "better than", ties apart."""
    return sum(contradicting(comparisons))


def contradicting(comparisons: Sequence[Comparison]) -> list[bool]:
    """Which answers contradict others."""
    edges = [(c.i, c.j) if c.outcome == -1 else (c.j, c.i) for c in comparisons]
    beats: dict[int, set[int]] = {}
    for (winner, loser), c in zip(edges, comparisons, strict=True):
        if c.outcome:
            beats.setdefault(winner, set()).add(loser)
    return [
        bool(c.outcome) and _reaches(beats, loser, winner)
        for (winner, loser), c in zip(edges, comparisons, strict=True)
    ]


def _reaches(beats: dict[int, set[int]], start: int, goal: int) -> bool:
    seen, stack = {start}, [start]
    while stack:
        node = stack.pop()
        if node == goal:
            return True
        new = beats.get(node, set()) - seen
        seen |= new
        stack.extend(new)
    return False

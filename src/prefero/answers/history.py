"""History: all samples and all answers so far, as the algorithms see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from prefero.answers.comparison import Comparison
from prefero.space.arrays import Indices, Mask, Matrix, Vector, read_only

ROUNDING = 1e-9
"""Points nearer than this in every coordinate are one sample."""


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
    def preferences(self) -> Vector:
        """b_h for each comparison."""
        return np.array([c.preference for c in self.comparisons], dtype=float)

    @cached_property
    def compared(self) -> Indices:
        """The feasible samples that some answer is about."""
        seen = np.zeros(len(self.points), dtype=bool)
        seen[self.pairs] = True
        return np.flatnonzero(seen & self.feasible)

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

    def never_met(self, sample: int) -> set[int]:
        """Return the feasible samples that were never shown together with a sample."""
        met = {int(k) for pair in (*self.pairs, *self.skipped) for k in pair if sample in pair}
        return {int(k) for k in np.flatnonzero(self.feasible)} - met - {sample}

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
        won = c.preference == (1 if best == c.i else -1)
        if won and history.feasible[challenger]:
            best = challenger
    if best is not None and loses_to(history, best):
        return None
    return best


def _first(c: Comparison, feasible: Mask) -> int | None:
    """The incumbent after the first comparison: the better of the feasible ones, i where they are as good."""
    if feasible[c.i] and feasible[c.j]:
        return c.j if c.preference == 1 else c.i
    return c.i if feasible[c.i] else c.j if feasible[c.j] else None


def loses_to(history: History, sample: int) -> list[int]:
    """The feasible samples that an answer puts above `sample`."""
    above = []
    for c in history.comparisons:
        if c.i == sample and c.preference == 1 and history.feasible[c.j]:
            above.append(c.j)
        elif c.j == sample and c.preference == -1 and history.feasible[c.i]:
            above.append(c.i)
    return above

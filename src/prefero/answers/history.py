"""The history: all samples and all answers so far, as the algorithms see them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from prefero.answers.comparison import Comparison
from prefero.answers.hint import Leaning, Limit
from prefero.answers.rating import Rating
from prefero.space.arrays import Indices, Mask, Matrix, Vector, read_only, same_points

Asides: TypeAlias = tuple[Rating | Leaning, ...]


@dataclass(frozen=True, eq=False)
class History:
    """All samples and all answers so far: an immutable value.

    Attributes
    ----------
    points: the samples x_1 … x_N in the box, one per row.
    feasible: which samples satisfy the known constraints.
    comparisons: the answers, in the order they were given.
    skipped: pairs that the person could not judge.
    failed: samples that could not be tried.
    pending: pairs that wait for an answer; they are among the skipped ones, so that they are not proposed again.
    waiting: how many questions those pairs belong to.
    together: how many of the pairs, the last ones, belong to the question that is being made.
    ratings: of single samples, in the order they were given; of each judge and sample the last one.
    leanings: directions that would be better, in the order they were given.
    limits: of where the next questions come from; nothing is learned from them.
    """

    points: Matrix
    feasible: Mask
    comparisons: tuple[Comparison, ...] = ()
    skipped: tuple[tuple[int, int], ...] = ()
    failed: tuple[int, ...] = ()
    pending: tuple[tuple[int, int], ...] = ()
    waiting: int = 0
    ratings: tuple[Rating, ...] = ()
    together: int = 0
    leanings: tuple[Leaning, ...] = ()
    limits: tuple[Limit, ...] = ()

    def __post_init__(self) -> None:
        read_only(self.points)
        read_only(self.feasible)

    @classmethod
    def empty(cls, dimension: int) -> History:
        """Return the history before the first question."""
        return cls(np.zeros((0, dimension)), np.zeros(0, dtype=bool))

    def __len__(self) -> int:
        return len(self.comparisons)

    @property
    def spoken(self) -> bool:
        """Whether there is anything to learn from: a comparison or a rating."""
        return bool(self.comparisons or self.ratings)

    @cached_property
    def rated(self) -> Indices:
        """The sample of each rating."""
        return np.array([rating.sample for rating in self.ratings], dtype=np.intp)

    @property
    def asides(self) -> Asides:
        """Ratings and leanings: what was said beside the comparisons."""
        return (*self.ratings, *self.leanings)

    @cached_property
    def order(self) -> Indices:
        """The places of comparisons, then ratings, then leanings, in the order in which all of them were given."""
        places = [*range(len(self.comparisons)), *(aside.after - 0.5 for aside in self.asides)]
        return np.argsort(places, kind="stable")

    @cached_property
    def in_order(self) -> tuple[Comparison | Rating | Leaning, ...]:
        """Comparisons, ratings and leanings in the order they were given."""
        said: tuple[Comparison | Rating | Leaning, ...] = (*self.comparisons, *self.asides)
        return tuple(said[k] for k in self.order) if self.asides else self.comparisons

    @cached_property
    def spoken_of(self) -> Matrix:
        """The samples, and behind them the better end of each leaning, then the worse ends."""
        if not self.leanings:
            return self.points
        better, worse = zip(*(leaning.ends for leaning in self.leanings), strict=True)
        return np.vstack([self.points, *better, *worse])

    @cached_property
    def answers(self) -> int:
        """How many answers there are; one about more than two candidates counts once."""
        return sum(not c.part for c in self.comparisons)

    @cached_property
    def answered(self) -> int:
        """How many of the answers are about questions of the study; the others were made elsewhere."""
        return sum(not c.imported and not c.part for c in self.comparisons)

    @cached_property
    def imported_samples(self) -> Indices:
        """The feasible samples that appear in a comparison made elsewhere."""
        seen = sorted({k for c in self.comparisons if c.imported for k in (c.i, c.j)})
        return np.array([k for k in seen if self.feasible[k]], dtype=np.intp)

    @cached_property
    def pairs(self) -> Indices:
        """(i(h), j(h)) for each comparison, M × 2."""
        return np.array([(c.i, c.j) for c in self.comparisons], dtype=np.intp).reshape(-1, 2)

    @cached_property
    def preferences(self) -> Vector:
        """b_h for each comparison."""
        return np.array([c.preference for c in self.comparisons], dtype=float)

    @cached_property
    def strengths(self) -> Indices:
        """1 for each comparison, 2 for "much better"."""
        return np.array([c.strength for c in self.comparisons], dtype=np.intp)

    @cached_property
    def unsure(self) -> Mask:
        """Which answers the person was not sure of."""
        return np.array([not c.sure for c in self.comparisons], dtype=bool)

    @cached_property
    def winners(self) -> Indices:
        """The better sample of each comparison; the first one of a tie."""
        return np.where(self.preferences == 1, self.pairs[:, 1], self.pairs[:, 0])

    @cached_property
    def losers(self) -> Indices:
        """The other sample of each comparison."""
        return np.where(self.preferences == 1, self.pairs[:, 0], self.pairs[:, 1])

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Who answered, in the order of their first answers."""
        return tuple(dict.fromkeys(each.judge for each in self.in_order))

    @cached_property
    def compared(self) -> Indices:
        """The feasible samples that appear in at least one comparison or rating."""
        seen = np.zeros(len(self.points), dtype=bool)
        # One assignment by index instead of a set: the samples stay in ascending order.
        seen[self.pairs] = True
        seen[self.rated] = True
        return np.flatnonzero(seen & self.feasible)

    def index(self, point: Vector) -> int | None:
        """Return the number of the sample at a point, or None if there is none."""
        same = np.flatnonzero(same_points(point[None], self.points)[0])
        return int(same[0]) if same.size else None

    def holds(self, X: Matrix) -> Mask:
        """Return which rows of X are samples."""
        return np.asarray(same_points(X, self.points).any(axis=1))

    def indices(self, X: Matrix) -> Indices:
        """Return the number of the sample at each row of X; every row must be a sample."""
        return np.asarray(same_points(X, self.points).argmax(axis=1))

    def never_met(self, sample: int, judge: str | None = None) -> set[int]:
        """Return the feasible samples that were never shown together with `sample`, or that a judge never compared with it."""
        pairs = self.pairs if judge is None else [(c.i, c.j) for c in self.comparisons if c.judge == judge]
        met = {int(k) for pair in (*pairs, *self.skipped) for k in pair if sample in pair}
        return {int(k) for k in np.flatnonzero(self.feasible)} - met - {sample}

    def without_untried(self) -> History:
        """Return the history without the samples that were shown beside a failure and never again."""
        if not self.failed:
            return self
        tried = {*self.pairs.ravel().tolist(), *self.rated.tolist(), *itertools.chain(*self.skipped), *self.failed}
        return replace(self, points=self.points[sorted(tried)])

    def with_point(self, point: Vector, feasible: bool) -> tuple[History, int]:
        """Return the history with one more sample, and its number; a known sample is not added twice."""
        known = self.index(point)
        if known is not None:
            return self, known
        points, mask = np.vstack([self.points, point]), np.append(self.feasible, feasible)
        return replace(self, points=points, feasible=mask), len(points) - 1

    def with_comparison(self, comparison: Comparison) -> History:
        """Return the history with one more answer."""
        return replace(self, comparisons=(*self.comparisons, comparison))

    def with_skip(self, i: int, j: int) -> History:
        """Return the history with one more pair that could not be judged."""
        return replace(self, skipped=(*self.skipped, (i, j)))

    def supposed(self) -> History:
        """Return the history as if the first sample of each pending pair, usually the incumbent, had won.

        The pairs of the question that is being made are left out: nobody answers one of them before the others.
        """
        answers = tuple(Comparison(i, j, -1) for i, j in self.pending[: len(self.pending) - self.together])
        points, feasible = self.points.copy(), self.feasible.copy()
        known = self.comparisons + answers
        return replace(self, points=points, feasible=feasible, comparisons=known, pending=(), waiting=0, together=0)

    def prefix(self, answers: int) -> History:
        """Return the first answers and the samples they mention: what a proposer knew at an earlier step."""
        kept = self.comparisons[:answers]
        ratings = tuple(rating for rating in self.ratings if rating.after <= answers)
        leanings = tuple(leaning for leaning in self.leanings if leaning.after <= answers)
        samples = 1 + max((*(max(c.i, c.j) for c in kept), *(r.sample for r in ratings)), default=-1)
        skipped = tuple(pair for pair in self.skipped if max(pair) < samples)
        failed = tuple(k for k in self.failed if k < samples)
        points, feasible = self.points[:samples].copy(), self.feasible[:samples].copy()
        return History(points, feasible, kept, skipped, failed, ratings=ratings, leanings=leanings)

    def of_judge(self, judge: str) -> History:
        """Return all samples with the answers of one judge alone."""
        own = tuple(c for c in self.comparisons if c.judge == judge)
        mine = np.cumsum([0, *(c.judge == judge for c in self.comparisons)])
        ratings = tuple(replace(r, after=int(mine[r.after])) for r in self.ratings if r.judge == judge)
        leanings = tuple(replace(one, after=int(mine[one.after])) for one in self.leanings if one.judge == judge)
        points, feasible = self.points.copy(), self.feasible.copy()
        return replace(self, points=points, feasible=feasible, comparisons=own, ratings=ratings, leanings=leanings)

    def limits_of(self, judge: str | None, step: int) -> tuple[Limit, ...]:
        """Return the limits of a judge's question."""
        return tuple(limit for limit in self.limits if limit.holds_for(judge, step))

    def without_asides(self) -> History:
        """Return all samples with the comparisons alone."""
        if not self.asides:
            return self
        return replace(self, points=self.points.copy(), feasible=self.feasible.copy(), ratings=(), leanings=())

    def last(self, answers: int) -> History:
        """Return the last answers with all samples, to bound the cost of an algorithm that is slow in their number."""
        if max(len(self), len(self.ratings), len(self.leanings)) <= answers:
            return self
        dropped = max(0, len(self) - answers)
        ratings = tuple(replace(r, after=max(0, r.after - dropped)) for r in self.ratings[-answers:])
        leanings = tuple(replace(one, after=max(0, one.after - dropped)) for one in self.leanings[-answers:])
        points, feasible = self.points.copy(), self.feasible.copy()
        kept = self.comparisons[dropped:]
        return replace(self, points=points, feasible=feasible, comparisons=kept, ratings=ratings, leanings=leanings)

    def common(self, other: History) -> int:
        """Return how many comparisons both histories begin with, counting only those about identical samples.

        It is −1 if not even the ratings and leanings before the first comparison are the same.
        """
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
        both: tuple[tuple[Asides, Asides], ...] = ((self.ratings, other.ratings), (self.leanings, other.leanings))
        for mine_too, theirs_too in both:
            for aside, another in itertools.zip_longest(mine_too, theirs_too):
                if aside != another or (isinstance(aside, Rating) and aside.sample >= samples):
                    # A rating after the k-th comparison is known to the state after k comparisons.
                    answers = min(answers, min(each.after for each in (aside, another) if each is not None) - 1)
                    break
        return answers


def incumbent(history: History) -> int | None:
    """Return i* of algorithm 1, or None if the answers alone do not determine it.

    Each answer compares the incumbent with a challenger. A feasible challenger that wins replaces it; a tie keeps it. The
    result is None if an answer bypasses the incumbent (imported comparisons, cycles): then a surrogate has to decide. An
    infeasible sample may be compared but is never the incumbent. It is also None if there are ratings, unless a judge rated that
    sample and no feasible one higher.
    """
    best = _last_winner(history)
    if best is None or not history.ratings:
        return best
    own = {rating.judge: rating.level for rating in history.ratings if rating.sample == best}
    above = (r.level > own.get(r.judge, 0) for r in history.ratings if history.feasible[r.sample])
    return None if any(above) else best


def _last_winner(history: History) -> int | None:
    """Return i* by the comparisons alone."""
    best: int | None = None
    for rows in _by_answer(history.comparisons):
        c = rows[0]
        if len(rows) > 1:
            best, known = _after_several(best, rows, history.feasible)
            if not known:
                return None
            continue
        if best is None:
            best = _first(c, history.feasible)
            continue
        if best not in (c.i, c.j):
            # Two feasible samples, neither of them the incumbent: the chain of duels is broken.
            if history.feasible[c.i] and history.feasible[c.j]:
                return None
            continue
        challenger = c.j if best == c.i else c.i
        won = c.preference == (1 if best == c.i else -1)
        if won and history.feasible[challenger]:
            best = challenger
    # A cycle can leave the last winner with a loss; algorithm 1 does not say who is best then.
    if best is not None and loses_to(history, best):
        return None
    return best


def _by_answer(comparisons: Iterable[Comparison]) -> Iterator[list[Comparison]]:
    """Yield the comparisons of each answer: one, or several of an answer about more than two candidates."""
    rows: list[Comparison] = []
    for c in comparisons:
        if rows and not c.part:
            yield rows
            rows = []
        rows.append(c)
    if rows:
        yield rows


def _after_several(best: int | None, rows: Sequence[Comparison], feasible: Mask) -> tuple[int | None, bool]:
    """Return the incumbent after an answer about more than two candidates, and whether it is known.

    It is not if the incumbent was not among them, or if several candidates beat it and nobody said which of those is best.
    """
    shown = [k for k in dict.fromkeys(k for c in rows for k in (c.i, c.j)) if feasible[k]]
    if not shown or (best is not None and best not in shown):
        return best, len(shown) < 2
    worse: dict[int, set[int]] = {}
    for c in rows:
        worse.setdefault(c.winner, set()).add(c.loser)
    top = [k for k in shown if not any(k in worse.get(other, ()) for other in shown)]
    if best is None or len(top) == 1:
        return (top or shown)[0], bool(top)
    return best, best in top


def _first(c: Comparison, feasible: Mask) -> int | None:
    """Return the incumbent after the first comparison: the winner among its feasible samples, the first one of a tie."""
    if feasible[c.i] and feasible[c.j]:
        return c.j if c.preference == 1 else c.i
    return c.i if feasible[c.i] else c.j if feasible[c.j] else None


def loses_to(history: History, sample: int) -> list[int]:
    """Return the feasible samples that an answer puts above `sample`."""
    above = []
    for c in history.comparisons:
        if c.i == sample and c.preference == 1 and history.feasible[c.j]:
            above.append(c.j)
        elif c.j == sample and c.preference == -1 and history.feasible[c.i]:
            above.append(c.i)
    return above

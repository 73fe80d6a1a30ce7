"""Samples: the candidates of a log as points of the box, with what counts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from prefero.answers import (
    DIRECTIONS,
    FIRST_IMPORTED,
    Comparison,
    History,
    Leaning,
    Limit,
    Rating,
    as_kind,
    as_level,
    better_pairs,
    rated_level,
)
from prefero.errors import InputError
from prefero.space import Candidate, Choice, Domain
from prefero.space.arrays import ROUNDING, Indices, Vector, same_points
from prefero.storage.events import Asked, Hinted, Imported, Rated
from prefero.study.growing import GrowingDict, GrowingList

if TYPE_CHECKING:
    from prefero.study.state import Response, State

SKIPPED, CANDIDATES, REJECTED = "skipped", "candidates", "unacceptable"
CELL, CELL_SHIFT = 1e-6, 0.381966
"""Width of the cells in which samples are looked up, and how far the grid is moved: round numbers then lie inside of a cell."""
ROOM = 1.01 * ROUNDING
"""How far rounding may move a point, and a little more."""

FEWEST_TIMES, RECENT_TIMES = 5, 30
"""How many earlier response times of a judge tell what is usual, at least and at most: people get faster with practice."""


class Samples:
    """Candidates and effective answers in the box of one space; `history` is the value made of them.

    slow: answers that took longer than so many times what is usual for their judge count as unsure; None for no matter how long.
    """

    def __init__(self, space: Domain, fill: Mapping[str, Any], slow: float | None = None) -> None:
        self.space, self.fill, self.slow = space, fill, slow
        self.shown: GrowingList[Candidate] = GrowingList()
        self.comparisons: GrowingList[Comparison] = GrowingList()
        self.answered = 0  # how many of the comparisons are answers to questions, not imported
        self.ratings: tuple[Rating, ...] = ()
        self.leanings: tuple[Leaning, ...] = ()
        self.limits: tuple[Limit, ...] = ()
        self._times: dict[
            tuple[str, str], tuple[float, ...]
        ] = {}  # by judge and kind of question; never changed in place
        self._brought_by: GrowingList[int] = GrowingList()  # the step of the response that each sample came with
        self._imports: frozenset[int] = frozenset()  # the records whose candidates are among the samples
        self._rejections: frozenset[int] = frozenset()  # the steps that called a candidate not acceptable
        self._skipped: GrowingList[tuple[int, int]] = GrowingList()
        self._failed: GrowingList[int] = GrowingList()
        self._points = np.empty((64, space.dimension))  # the first len(shown) rows count; grown by doubling
        self._feasible = np.empty(64, dtype=bool)
        self._shared = False  # whether a copy has the same two arrays: then they are copied before they change
        self._index: GrowingDict[Candidate, int] = GrowingDict()
        self._cells: GrowingDict[bytes, tuple[int, ...]] = GrowingDict()  # the samples in each cell of a fine grid
        self._history: History | None = None

    @classmethod
    def of(cls, state: State, space: Domain) -> Samples:
        """Return the samples of everything that counts in a state."""
        samples = cls(space, state.fill, state.slow)
        for response in state.effective:
            samples.add(response, state)
        return samples

    def copy(self) -> Samples:
        """Return a copy to which more can be added."""
        self._shared = True
        copied = Samples.__new__(Samples)
        copied.__dict__.update(self.__dict__)
        return copied

    def without(self, step: int) -> Samples | None:
        """Return the samples without the answer to a question; None if that changes the numbers of others.

        It does if the answer brought a new sample, and may if it called one not acceptable or if there are ratings or hints.
        """
        own = history_step(step)
        comparisons = [c for c in self.comparisons if c.step != own]
        unknown = len(comparisons) == len(self.comparisons)
        if unknown or step in self._brought_by or step in self._rejections or self.ratings or self.leanings:
            return None
        if self.slow is not None:  # later answers were compared with the time that this one took
            return None
        left = self.copy()
        left.answered -= step >= 0
        left.comparisons, left._history = GrowingList(comparisons), None
        return left

    def complete(self, values: Mapping[str, Any]) -> Candidate:
        """Return a logged candidate in the current space; a variable added later has the value that was named for it."""
        known = {**self.fill, **values}
        return Candidate({name: known[name] for name in self.space.present(known)})

    @property
    def history(self) -> History:
        """What counts, as the proposers see it."""
        if self._history is None:
            n = len(self.shown)
            self._history = History(
                self._points[:n].copy(),
                self._feasible[:n].copy(),
                tuple(self.comparisons),
                tuple(self._skipped),
                tuple(self._failed),
                ratings=self.ratings,
                leanings=self.leanings,
                limits=self.limits,
            )
        return self._history

    def add(self, response: Response, state: State) -> None:
        """Add one response that counts."""
        self._history = None
        match response.record.event:
            case Imported() as imported:
                self._import(response, imported, state.judge(response.step))
            case Rated() as rated:
                self._rate(response, rated, state)
            case Hinted() as hinted:
                self._hint(response, hinted, state.judge(response.step))
            case _:
                self._answer(response, state)

    def _answer(self, response: Response, state: State) -> None:
        """Add what was said about a question."""
        asked = state.asked[response.step]
        number = {str(values): self._sample(values, response.step) for values in asked.candidates}
        i, *others = number.values()
        ruled_out = [number[str(values)] for values in state.ruled_out(response.step, response.said)]
        if ruled_out:
            self._rule_out(ruled_out)
            if response.said.endswith(REJECTED):
                self._rejections |= {response.step}
                left = [k for k in number.values() if k not in ruled_out]
                self._compare_all([(k, gone) for k in left for gone in ruled_out], response, asked)  # they are better
        elif response.said == SKIPPED:
            for j in others:
                if i != j:  # the current bounds may not tell candidates apart
                    self._skipped = self._skipped.plus((i, j))
        elif asked.more:
            response = self._timed(response, asked)
            shown = {side: number[str(values)] for side, values in asked.shown.items()}
            self._compare_all(
                [(shown[a], shown[b]) for a, b in better_pairs(response.said, as_kind(asked.kind))], response, asked
            )
        elif others and i != others[0]:
            level = as_level(response.said)
            level = as_level(-level) if asked.swapped else level
            response = self._timed(response, asked)
            self._compare(Comparison.of_level(i, others[0], level, response.step, asked.judge, sure=response.sure))

    def _timed(self, response: Response, asked: Asked) -> Response:
        """Return the response, as an unsure one if it took much longer than its judge's earlier ones, and keep its time."""
        seconds = getattr(response.record.event, "seconds", None)
        if self.slow is None or seconds is None:
            return response
        who = asked.judge, asked.kind
        earlier = self._times.get(who, ())
        self._times = {**self._times, who: (*earlier, seconds)[-RECENT_TIMES:]}
        usual = median(earlier) if len(earlier) >= FEWEST_TIMES else np.inf
        # Whoever corrected an answer looked at it again, and said whether they are sure.
        is_slow = not response.corrected and seconds > self.slow * usual
        return replace(response, sure=False) if is_slow else response

    def is_doubted(self, step: int) -> bool:
        """Return whether the last comparison is of this question, and counts as unsure."""
        last = self.comparisons[-1] if self.comparisons else None
        return last is not None and last.step == step and not last.sure

    def _compare_all(self, better: Sequence[tuple[int, int]], response: Response, asked: Asked) -> None:
        """Add the comparisons (better, worse) of one answer, each with the earlier candidate of the question first."""
        place = {self._sample(values, response.step): k for k, values in reversed(list(enumerate(asked.candidates)))}
        part = 0
        for winner, loser in better:
            if winner == loser:
                continue  # the current bounds do not tell them apart
            first = place[winner] < place[loser]
            i, j, level = (winner, loser, as_level(-1)) if first else (loser, winner, as_level(1))
            self._compare(Comparison.of_level(i, j, level, response.step, asked.judge, part, response.sure))
            part += 1

    def _rate(self, response: Response, event: Rated, state: State) -> None:
        """Add a rating; it replaces the same judge's earlier one of the same sample."""
        sample, judge = self._sample(event.candidate, response.step), state.judge(response.step)
        level, levels, step = rated_level(response.said), len(state.created.scale), history_step(response.step)
        rating = Rating(sample, level, levels, step, judge, response.sure, len(self.comparisons))
        others = (each for each in self.ratings if (each.sample, each.judge) != (sample, judge))
        self.ratings = (*others, rating)

    def _hint(self, response: Response, event: Hinted, judge: str) -> None:
        """Add a hint; a new limit replaces the same judge's earlier one of the same variable, or around another candidate."""
        if event.kind in DIRECTIONS:
            self._lean(response, event, judge)
            return
        if event.kind == "free" and not event.variable:  # of everything
            self.limits = tuple(each for each in self.limits if each.judge != judge)
            return
        kept = tuple(each for each in self.limits if (each.judge, each.variable) != (judge, event.variable))
        self.limits = kept
        if event.kind == "near":
            low, high = self.space.around(self.space.encode(self.complete(event.candidate)), event.within)
            last: int | None = event.since + event.questions
        elif event.kind == "fix" and self._may_be_fixed(event):
            low, high = self.space.pinned(event.variable, event.fixed[event.variable])
            last = None
        else:
            return
        self.limits = (
            *kept,
            Limit(tuple(low.tolist()), tuple(high.tolist()), judge, event.since, last, event.variable),
        )

    def _lean(self, response: Response, event: Hinted, judge: str) -> None:
        """Add a direction, unless the variable has none any more."""
        candidate, variable = self.complete(event.candidate), event.variable
        if variable not in self.space.variables or isinstance(self.space.variables[variable], Choice):
            return
        if variable not in candidate:
            return
        point = tuple(self.space.encode(candidate).tolist())
        coordinate = dict(zip(self.space.varying, self.space.groups, strict=True))[variable].start
        sign, step = DIRECTIONS[event.kind], history_step(response.step)
        self.leanings = (*self.leanings, Leaning(point, coordinate, sign, step, judge, len(self.comparisons)))

    def _may_be_fixed(self, event: Hinted) -> bool:
        """Return whether a variable may still have the value that a hint gave it: the space may have changed."""
        name, value = event.variable, event.fixed[event.variable]
        try:
            checked = self.space.variables[name].check(name, value)
        except (InputError, KeyError):
            return False
        return self.space.allows(name, checked)

    def _rule_out(self, samples: list[int]) -> None:
        """Note that samples failed or are not acceptable: none is recommended or shown again."""
        self._unshare()
        for k in samples:
            self._failed = self._failed.plus(k)
            self._feasible[k] = False

    def _compare(self, comparison: Comparison) -> None:
        self.comparisons = self.comparisons.plus(comparison)
        self.answered += not comparison.imported and not comparison.part

    def _import(self, response: Response, event: Imported, who: str) -> None:
        sequence = response.record.sequence
        if sequence not in self._imports:  # the first row brings all candidates, in the order they were given
            self._imports |= {sequence}
            for values in event.candidates:
                self._sample(values, response.step)
        if response.said == CANDIDATES:
            return
        row_i, row_j, _ = event.comparisons[response.row]
        i, j = (self._sample(event.candidates[k], response.step) for k in (row_i, row_j))
        if i != j:
            level = as_level(response.said)
            self._compare(Comparison.of_level(i, j, level, history_step(response.step), who, sure=response.sure))

    def _sample(self, values: Mapping[str, Any], brought_by: int) -> int:
        """Return the number of a candidate's sample, a new one if it was not seen before."""
        candidate = self.complete(values)
        known = self._index.get(candidate)
        if known is None:
            point = self.space.encode(candidate)
            known = self._at(point)
            if known is None:
                known = self._append(candidate, point)
                self._brought_by = self._brought_by.plus(brought_by)
            self._index = self._index.plus(candidate, known)
        return known

    def _at(self, point: Vector) -> int | None:
        """Return the number of the first sample at a point, up to rounding; None if there is none."""
        near = sorted(k for cell in _cells_around(point) for k in self._cells.get(cell, ()))
        return next((k for k in near if same_points(point[None], self._points[k][None])[0, 0]), None)

    def _append(self, candidate: Candidate, point: Vector) -> int:
        n = len(self.shown)
        self._unshare()
        if n == len(self._points):
            self._points = np.vstack([self._points, np.empty_like(self._points)])
            self._feasible = np.append(self._feasible, np.empty_like(self._feasible))
        self._points[n], self._feasible[n] = point, self.space.admits(candidate)
        self.shown = self.shown.plus(candidate)
        cell = _cell(point).tobytes()
        self._cells = self._cells.plus(cell, (*self._cells.get(cell, ()), n))
        return n

    def _unshare(self) -> None:
        """Copy the arrays if a copy of these samples has the same ones."""
        if self._shared:
            self._points, self._feasible, self._shared = self._points.copy(), self._feasible.copy(), False


def history_step(step: int) -> int:
    """Return the step that a comparison has in the history; imported ones have the numbers −1, −2, … in the log."""
    return step if step >= 0 else FIRST_IMPORTED - 1 - step


def _cell(point: Vector) -> Indices:
    """Return the cell of a fine grid that a point lies in."""
    return np.floor(point / CELL + CELL_SHIFT).astype(np.intp)


def _cells_around(point: Vector) -> list[bytes]:
    """Return the cells in which a point may lie after rounding: nearly always one."""
    low, high = _cell(point - ROOM), _cell(point + ROOM)
    if (low == high).all():
        return [low.tobytes()]
    return [np.array(cell).tobytes() for cell in product(*({a, b} for a, b in zip(low, high, strict=True)))]

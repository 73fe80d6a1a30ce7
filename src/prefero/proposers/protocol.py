"""What a proposer is: a task and a history go in, a pair of points to compare comes out.

A proposer has no memory of its own. What it wants to keep between questions is its state, a value: a fold over the
answers, `advance(state, history, …)` after each of them. `advance(None, …)` builds it from nothing. Where that leads to the
same state, a stored study resumes from nothing at once. Where it does not (chains remember where they were), the state is
built from nothing at every so many answers, live as on replay, so that resuming costs a few steps and asks the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import ceil
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from prefero.answers import ROUNDING, History, incumbent
from prefero.errors import ExhaustedError, InputError
from prefero.proposers import search
from prefero.proposers.acquisition import farthest_from_samples
from prefero.proposers.search import Taken
from prefero.space import design
from prefero.space.arrays import Matrix, Vector, drawn_together
from prefero.space.domain import Domain

P = TypeVar("P")

TIED_RADIUS = 0.01
"""How far (of the box's half-width) a proposal stays from a candidate that was as good as another: nearer it teaches nothing."""
SKIPPED_RADIUS = 0.05
"""How far (of the box's half-width) a proposal stays from a candidate that could not be judged."""
FAILED_RADIUS = 0.1
"""How far (of the box's half-width) a proposal stays from a candidate that failed: 5 % of the box."""


@dataclass(frozen=True, eq=False)
class Reach:
    """How far from the incumbent the next proposal may be: a part of the box around it; `seen` samples were shown so far."""

    whole: Domain
    centre: Vector
    low: Vector
    high: Vector
    seen: int

    def holds(self, x: Vector) -> bool:
        """Whether a point is within reach, to the last digits."""
        return bool(((x >= self.low - ROUNDING) & (x <= self.high + ROUNDING)).all())

    def opening(self, designed: Matrix, space: Domain) -> Matrix:
        """A design of the whole box, drawn together around the incumbent; without as many points as were seen already."""
        near = space.snap(drawn_together(designed[self.seen :], self.low, self.high))
        return np.vstack([self.centre, near[space.feasible(near)]])


@dataclass(frozen=True, eq=False)
class Task:
    """What does not change while a study runs: the space, the expected number of comparisons, the seed, the user's candidates.

    `reach`, where a step may only be so large, is that of the next proposal, and the space is then that part of it.
    """

    space: Domain
    comparisons: int
    seed: int
    start: Matrix
    reach: Reach | None = None
    _designs: dict[tuple[int, bool], Matrix] = field(default_factory=dict, repr=False)

    @property
    def groups(self) -> tuple[slice, ...]:
        """The coordinates of each variable."""
        return self.space.groups

    @property
    def samples(self) -> int:
        """N_max: each comparison but the first brings one new sample."""
        return self.comparisons + 1

    def opening(self, n: int, infeasible: bool = False) -> Matrix:
        """The first candidates: the user's own, then a design; n or more of them, always the same."""
        key = (n, infeasible)
        if key not in self._designs:
            rng = np.random.default_rng([self.seed, 0, 2])
            own = _different(self.start)
            space = self.space if self.reach is None else self.reach.whole
            drawn = design.initial(space, n, rng, infeasible) if len(own) < n else own[:0]
            self._designs[key] = _different(np.vstack([own, drawn]))[: max(n, len(own))]
        if self.reach is None:
            return self._designs[key]
        return _different(self.reach.opening(self._designs[key], self.space))


def _different(X: Matrix) -> Matrix:
    """The rows without those that repeat an earlier one."""
    history = History.empty(X.shape[1])
    for x in X:
        history, _ = history.with_point(x, feasible=True)
    return history.points


@dataclass(frozen=True)
class Proposal:
    """Two points to compare, the incumbent first; `note` tells the person what was unusual about choosing them."""

    first: Vector
    second: Vector
    note: str = ""


@runtime_checkable
class Proposer(Protocol):
    """Suggesting changes nothing: the same state and history give the same proposal for the same `rng`."""

    @property
    def rebuild(self) -> int:
        """The state is built from nothing after every so many answers, live as on replay; 0 where that makes no difference."""

    def winner(self, history: History) -> int | None:
        """What `recommend` would say whatever the state is; None where it depends on it."""

    def advance(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Any:
        """The state after the last answer of the history, given the one before it; None builds it from nothing."""

    def propose(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """The next question."""

    def recommend(self, state: Any, history: History, task: Task) -> int | None:
        """The sample to stake one's name on, a feasible one that was compared; None where there is none."""

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""


def proposer_from_dict(kind: type[P], data: Mapping[str, Any]) -> P:
    """The proposer of that kind with the settings that its `to_dict` described."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items() if key != "name"}
    if set(given) - known:
        raise InputError.of("proposer", sorted(set(given) - known), f"the knobs {sorted(known)}")
    return kind(**given)


def opening_pair(opening: Matrix, history: History, best: int | None) -> Proposal | None:
    """The next pair of the opening: its first candidate not yet seen against the incumbent; None when all were seen."""
    unseen = _unseen(opening, history)
    if not len(unseen):
        return None
    if best is not None:
        return Proposal(history.points[best], unseen[0])
    return Proposal(unseen[0], unseen[1]) if len(unseen) > 1 else None


def knockout_pair(opening: Matrix, history: History) -> Proposal | None:
    """The next match of a tournament in which who loses is out; None when it is over, or cannot go on.

    It takes as many answers to find the best of the opening as setting each against the best so far, and they tell more: in each
    match both have won as often, while against the best of a dozen the next one hardly ever wins.
    """
    if len(history) >= len(opening) - 1:
        return None
    unseen = _unseen(opening, history)
    if len(unseen) > 1:
        return Proposal(unseen[0], unseen[1])
    left = _unbeaten(opening, history)
    if len(unseen):
        return Proposal(history.points[left[0]], unseen[0]) if left else None
    skipped = {frozenset(pair) for pair in history.skipped}
    matches = (pair for pair in itertools.combinations(left, 2) if frozenset(pair) not in skipped)
    i, j = next(matches, (None, None))
    return None if i is None else Proposal(history.points[i], history.points[j])


def _unseen(opening: Matrix, history: History) -> Matrix:
    """The candidates of the opening that were not shown, without those too near to one that failed."""
    failures = Taken(history.points[list(history.failed)], np.full(len(history.failed), FAILED_RADIUS))
    left = opening[~history.holds(opening)]
    return left[~failures.hidden(left)]


def _unbeaten(opening: Matrix, history: History) -> list[int]:
    """Feasible samples of the opening that no answer puts below another, or second to an equal; who met fewest others first."""
    met = np.bincount(history.pairs.ravel(), minlength=len(history.points))
    lost = np.where(history.preferences > 0, history.pairs[:, 0], history.pairs[:, 1])
    left = set(history.compared.tolist()) - {*lost.tolist(), *history.failed}
    return sorted(left & {history.index(x) for x in opening}, key=lambda k: int(met[k]))


def taken(history: History) -> Taken:
    """The samples, which are not proposed again, with some room around those that tied, failed or could not be judged."""
    radius = np.full(len(history.points), SKIPPED_RADIUS)
    radius[np.unique(history.pairs)] = search.SAME
    radius[np.unique(history.pairs[history.preferences == 0])] = TIED_RADIUS
    firm = np.full(len(radius), ROUNDING)
    failed = list(history.failed)
    radius[failed] = firm[failed] = FAILED_RADIUS
    return Taken(history.points, radius, firm)


def may_be_shown(pair: tuple[int, int], history: History, task: Task) -> bool:
    """Whether two samples may be shown once more: nobody skipped them or is asked, neither failed, and both are within reach."""
    if any(set(pair) == set(skipped) for skipped in history.skipped):
        return False
    if not history.feasible[list(pair)].all() or set(pair) & set(history.failed):
        return False
    return task.reach is None or all(task.reach.holds(history.points[k]) for k in pair)


def best_without_model(history: History) -> int | None:
    """The winner of the comparisons; where they do not tell, the feasible sample that won most often, losses counted against it.

    None where no feasible sample was compared.
    """
    best, seen = incumbent(history), history.compared
    if best is not None or not seen.size:
        return best
    wins = np.zeros(len(history.points))
    np.add.at(wins, history.pairs[:, 0], -history.preferences)
    np.add.at(wins, history.pairs[:, 1], history.preferences)
    return int(seen[wins[seen].argmax()])


def space_filling(history: History, task: Task, rng: np.random.Generator) -> Vector | None:
    """A feasible candidate far from all samples; None where the space has none left."""
    return search.minimise(farthest_from_samples(history.points), task.space, rng, taken(history))


def first_pair(history: History) -> Proposal:
    """For a finite space where every candidate was skipped: two of them that were not shown together."""
    skipped = {frozenset(pair) for pair in history.skipped}
    for i, j in itertools.combinations(np.flatnonzero(history.feasible).tolist(), 2):
        if frozenset((i, j)) not in skipped:
            return Proposal(history.points[i], history.points[j], "every candidate has been seen: two of them again")
    raise ExhaustedError("every pair of candidates has been skipped: there is nothing left to ask")


def start_over(history: History, task: Task, rng: np.random.Generator) -> Proposal:
    """Nothing feasible was compared yet: the last sample that did not fail against a feasible one, or two new ones."""
    x = space_filling(history, task, rng)
    if x is None:
        return first_pair(history)
    inside = np.flatnonzero(np.abs(history.points).max(axis=1, initial=0.0) <= 1 + ROUNDING)
    left = [k for k in inside if k not in history.failed]
    if left:
        return Proposal(history.points[left[-1]], x)
    other = space_filling(history.with_point(x, feasible=True)[0], task, rng)
    return first_pair(history) if other is None else Proposal(x, other)


def calibration_steps(first: int, last: int, samples: int) -> list[int]:
    """I_sc of section 7.2 up to a number of samples: four steps between N_init and N_max, later ones every ⌈N_max/6⌉."""
    steps = [first + ceil(k * (last - first) / 4) for k in range(4)]
    later = range(last, samples + 1, ceil(last / 6))
    return sorted({step for step in (*steps, *later) if step <= samples})


def rematch(history: History, best: int, preference: Vector) -> Proposal:
    """For a finite space without new candidates: the best against the most promising sample it never met."""
    left = history.never_met(best)
    others = [int(k) for k in np.argsort(preference, kind="stable") if int(k) in left]
    if not others:
        raise ExhaustedError(
            "every candidate of the space has been compared with the best one: there is nothing left to ask"
        )
    return Proposal(history.points[best], history.points[others[0]], "every candidate has been seen: one of them again")

"""The interface of a proposer: a task and a history go in, a pair of points to compare comes out.

A proposer's answers depend on its arguments only. What it has learned is its state, an immutable value that
`advance(state, history, …)` updates after each answer; `advance(None, …)` builds it from scratch. If both ways lead to the
same state, a stored study resumes at once. If not (where an iteration stops depends on its start), the state is rebuilt from
scratch after every `rebuild` answers, live and on replay alike, so that resuming repeats only a few steps and asks the same
question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from prefero.answers import PAIR, History, Kind
from prefero.errors import InputError
from prefero.models.population import Others
from prefero.space import design
from prefero.space.arrays import Matrix, Vector, between, map_into
from prefero.space.domain import Domain

P = TypeVar("P")

DESIGN_STREAM = 2
"""The last number of the seed of the opening design: each kind of draw has its own, so that they are independent."""


@dataclass(frozen=True, eq=False)
class Reach:
    """The part of the box that the next proposal may come from, if a step has a maximal size or a judge limits it by hints.

    Attributes
    ----------
    whole: the space without the limit.
    centre: the incumbent, which a maximal step is measured from.
    low, high: the corners of the part that every candidate must lie in, also one that was shown before.
    seen: the number of samples so far.
    part: the corners of the part that new candidates come from; it may be smaller, because of hints.
    """

    whole: Domain
    centre: Vector
    low: Vector
    high: Vector
    seen: int
    part: tuple[Vector, Vector]

    def holds(self, x: Vector) -> bool:
        """Return whether a point is within reach, up to rounding."""
        return bool(between(x[None], self.low, self.high)[0])

    def opening(self, designed: Matrix, space: Domain) -> Matrix:
        """Return the rest of an opening design, mapped into the part around the incumbent.

        As many of its points as there are samples are dropped: they have been used.
        """
        near = space.snap(map_into(designed[self.seen :], *self.part))
        return np.vstack([self.centre, near[space.feasible(near)]])


@dataclass(frozen=True, eq=False)
class Task:
    """What a proposer is told besides the history.

    Attributes
    ----------
    space: where proposals come from; the part within reach if there is a `reach`.
    comparisons: how many answers are expected in all.
    seed: of everything that is drawn.
    start: points that the user wants to see first.
    reach: the limit of the next proposal, None without one. A maximal step follows the incumbent.
    others: what other people, or earlier studies, answered; None without any.
    judge: whom the next question is for, None if that is not known yet. All but this and `reach` is fixed for a study.
    """

    space: Domain
    comparisons: int
    seed: int
    start: Matrix
    reach: Reach | None = None
    others: Others | None = None
    judge: str | None = None
    _designs: dict[tuple[int, bool], Matrix] = field(default_factory=dict, repr=False)
    """Cache of the designs drawn by `opening`, a pure function of its arguments and the other fields."""

    @property
    def groups(self) -> tuple[slice, ...]:
        """The coordinates of each variable."""
        return self.space.groups

    @property
    def samples(self) -> int:
        """N_max: the first comparison brings two samples, every other one brings one."""
        return self.comparisons + 1

    def opening(self, n: int, infeasible: bool = False) -> Matrix:
        """Return the first candidates: the user's own, then a design; n or more, and always the same.

        With `infeasible`, the design may hold candidates that violate constraints.
        """
        key = (n, infeasible)
        if key not in self._designs:
            rng = np.random.default_rng([self.seed, 0, DESIGN_STREAM])
            own = _distinct(self.start)
            space = self.space if self.reach is None else self.reach.whole
            drawn = design.initial(space, n, rng, infeasible) if len(own) < n else own[:0]
            self._designs[key] = _distinct(np.vstack([own, drawn]))[: max(n, len(own))]
        if self.reach is None:
            return self._designs[key]
        return _distinct(self.reach.opening(self._designs[key], self.space))


def _distinct(X: Matrix) -> Matrix:
    """Return the rows of X without repetitions."""
    history = History.empty(X.shape[1])
    for x in X:
        history, _ = history.with_point(x, feasible=True)
    return history.points


@dataclass(frozen=True)
class Proposal:
    """Two points to compare, usually the incumbent first; `note` tells the person if the choice is unusual.

    A proposer proposes pairs. A study that asks about more than two makes a set of several proposals: `more` are its further
    points, and `kind` is what is asked about them.
    """

    first: Vector
    second: Vector
    note: str = ""
    more: tuple[Vector, ...] = ()
    kind: Kind = PAIR

    @property
    def points(self) -> tuple[Vector, ...]:
        """All points, the incumbent first."""
        return (self.first, self.second, *self.more)


@runtime_checkable
class Proposer(Protocol):
    """Chooses the next question; the same arguments and the same `rng` always give the same proposal."""

    @property
    def rebuild(self) -> int:
        """After how many answers the state is rebuilt from scratch, live and on replay; 0 if that makes no difference."""

    def winner(self, history: History) -> int | None:
        """Return what `recommend` returns for every state, or None if that depends on the state."""

    def advance(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Any:
        """Return the state after the last answer, given the state before it; None builds it from scratch."""

    def propose(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return the next question."""

    def recommend(self, state: Any, history: History, task: Task) -> int | None:
        """Return the sample to recommend, a feasible one that was compared, or None if there is none."""

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""


def proposer_from_dict(kind: type[P], data: Mapping[str, Any]) -> P:
    """Return the proposer of that kind with the settings that `to_dict` wrote."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items() if key != "name"}
    if set(given) - known:
        raise InputError.of("proposer", sorted(set(given) - known), f"the knobs {sorted(known)}")
    return kind(**given)

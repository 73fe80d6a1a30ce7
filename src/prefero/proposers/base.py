"""What a proposer is: a task and a history go in, a pair of points to compare comes out.

A proposer has no memory of its own. What it wants to keep between questions is its state, a value: a fold over the
answers, `advance(state, history, …)` after each of them. `advance(None, …)` builds it from nothing, and must lead to the
same questions, since that is how a stored study resumes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from prefero import design, search
from prefero.acquisition import farthest_from_samples
from prefero.answers import History
from prefero.arrays import Indices, Matrix, Vector
from prefero.domain import Domain
from prefero.errors import ExhaustedError

SKIPPED_RADIUS = 0.05
"""How far (of the box's half-width) a proposal stays from a candidate that could not be judged."""


@dataclass(frozen=True, eq=False)
class Task:
    """What does not change while a study runs: the space, the expected number of comparisons, the seed, the user's candidates."""

    space: Domain
    comparisons: int
    seed: int
    start: Matrix
    _designs: dict[tuple[int, bool], Matrix] = field(default_factory=dict, repr=False)

    @property
    def samples(self) -> int:
        """N_max: each comparison but the first brings one new sample."""
        return self.comparisons + 1

    def opening(self, n: int, infeasible: bool = False) -> Matrix:
        """The first candidates: the user's own, then a design; n or more of them, always the same."""
        key = (n, infeasible)
        if key not in self._designs:
            missing = max(n - len(self.start), 0)
            rng = np.random.default_rng([self.seed, 0, 2])
            drawn = design.initial(self.space, missing, rng, infeasible) if missing else self.start[:0]
            self._designs[key] = np.vstack([self.start, drawn])
        return self._designs[key]


@dataclass(frozen=True)
class Proposal:
    """Two points to compare, the incumbent first; `note` tells the person what was unusual about choosing them."""

    first: Vector
    second: Vector
    note: str = ""


class Proposer(Protocol):
    """Suggesting changes nothing: the same state and history give the same proposal for the same `rng`."""

    def advance(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Any:
        """The state after the last answer of the history, given the one before it; None builds it from nothing."""

    def propose(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """The next question."""

    def recommend(self, state: Any, history: History, task: Task) -> int | None:
        """The sample to stake one's name on, a feasible one that was compared; None where there is none."""

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""


def opening_pair(opening: Matrix, history: History, best: int | None) -> Proposal | None:
    """The next pair of the opening: its first candidate not yet seen against the incumbent; None when all were seen."""
    unseen = [x for x in opening if history.index(x) is None]
    if not unseen:
        return None
    if best is not None:
        return Proposal(history.points[best], unseen[0])
    return Proposal(unseen[0], unseen[1]) if len(unseen) > 1 else None


def taken(history: History) -> search.Taken:
    """The samples, which are not proposed again, and some room around those that could not be judged."""
    judged = np.zeros(len(history.points), dtype=bool)
    judged[np.unique(history.pairs)] = True
    return search.Taken(history.points, np.where(judged, search.SAME, SKIPPED_RADIUS))


def compared(history: History) -> Indices:
    """The feasible samples that some answer speaks of."""
    seen = np.unique(history.pairs)
    return np.asarray(seen[history.feasible[seen]])


def space_filling(history: History, task: Task, rng: np.random.Generator) -> Vector | None:
    """A feasible candidate far from all samples; None where the space has none left."""
    return search.minimise(farthest_from_samples(history.points), task.space, rng, taken(history))


def rematch(history: History, best: int, preference: Vector) -> Proposal:
    """For a finite space without new candidates: the best against the most promising sample it never met."""
    met = {int(k) for pair in history.pairs for k in pair if best in pair}
    met |= {k for pair in history.skipped for k in pair if best in pair}
    others = [
        int(k) for k in np.argsort(preference, kind="stable") if k not in met and history.feasible[k] and k != best
    ]
    if not others:
        raise ExhaustedError(
            "every candidate of the space has been compared with the best one: there is nothing left to ask"
        )
    return Proposal(history.points[best], history.points[others[0]], "every candidate has been seen: one of them again")

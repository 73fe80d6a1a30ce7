"""Samples: the candidates of a log as points of the box, with what counts about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from prefero.answers import Comparison, History, as_preference
from prefero.space import Candidate, Domain
from prefero.space.arrays import Vector, same_points
from prefero.storage.events import Imported

if TYPE_CHECKING:
    from prefero.study.state import Response, State

ANSWERS = ("a", "same", "b")
SKIPPED, IMPORTED = "skipped", "imported"
FIRST_IMPORTED = 10**9
"""Imported comparisons have step numbers from here up, so that none collides with a question and each seeds its own draws."""


class Samples:
    """Candidates and effective answers in the box of one space; `history` is the value made of them."""

    def __init__(self, space: Domain, fill: Mapping[str, Any]) -> None:
        self.space, self.fill = space, fill
        self.shown: list[Candidate] = []
        self.comparisons: list[Comparison] = []
        self.judges: list[str] = []  # of each comparison
        self._skipped: list[tuple[int, int]] = []
        self._failed: list[int] = []
        self._points = np.empty((64, space.dimension))  # the first len(shown) rows count; grown by doubling
        self._feasible = np.empty(64, dtype=bool)
        self._index: dict[Candidate, int] = {}
        self._history: History | None = None

    @classmethod
    def of(cls, state: State, space: Domain) -> Samples:
        """Return the samples of everything that counts in a state."""
        samples = cls(space, state.fill)
        for response in state.effective:
            samples.add(response, state)
        return samples

    def copy(self) -> Samples:
        """Return a copy to which more can be added."""
        copied = Samples(self.space, self.fill)
        for name in ("shown", "comparisons", "judges", "_skipped", "_failed", "_points", "_feasible", "_index"):
            setattr(copied, name, getattr(self, name).copy())
        copied._history = self._history
        return copied

    def complete(self, values: Mapping[str, Any]) -> Candidate:
        """Return a logged candidate in the current space; a variable added later has the value that was named for it."""
        if len(values) == len(self.space.names):
            return Candidate(values)
        return Candidate({name: values[name] if name in values else self.fill[name] for name in self.space.names})

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
            )
        return self._history

    def add(self, response: Response, state: State) -> None:
        """Add one response that counts."""
        self._history = None
        if isinstance(response.record.event, Imported):
            self._import(response.record.event, response.record.who)
            return
        asked = state.asked[response.step]
        i, j = self._sample(asked.first), self._sample(asked.second)
        if response.said not in (*ANSWERS, SKIPPED):
            failed = j if (response.said == "a failed") == asked.swapped else i
            self._failed.append(failed)
            self._feasible[failed] = False
        elif i == j:
            return  # the current bounds do not tell the two candidates apart
        elif response.said == SKIPPED:
            self._skipped.append((i, j))
        else:
            said = as_preference(response.said)
            preference = as_preference(-said) if asked.swapped else said
            self.comparisons.append(Comparison(i, j, preference, response.step))
            self.judges.append(asked.judge)

    def _import(self, event: Imported, who: str) -> None:
        numbers = [self._sample(values) for values in event.candidates]
        for i, j, said in event.comparisons:
            if numbers[i] != numbers[j]:
                step = FIRST_IMPORTED + len(self.comparisons)
                self.comparisons.append(Comparison(numbers[i], numbers[j], as_preference(said), step))
                self.judges.append(who)

    def _sample(self, values: Mapping[str, Any]) -> int:
        """Return the number of a candidate's sample, a new one if it was not seen before."""
        candidate = self.complete(values)
        known = self._index.get(candidate)
        if known is None:
            n, point = len(self.shown), self.space.encode(candidate)
            near = np.flatnonzero(same_points(point[None], self._points[:n])[0])
            known = int(near[0]) if near.size else self._append(candidate, point)
            self._index[candidate] = known
        return known

    def _append(self, candidate: Candidate, point: Vector) -> int:
        n = len(self.shown)
        if n == len(self._points):
            self._points = np.vstack([self._points, np.empty_like(self._points)])
            self._feasible = np.append(self._feasible, np.empty_like(self._feasible))
        self._points[n], self._feasible[n] = point, self.space.admits(candidate)
        self.shown.append(candidate)
        return n

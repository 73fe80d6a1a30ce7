"""From the history to the next question: the proposer's state, kept from answer to answer, and what stands in when it fails.

What is kept here is a memo: everything is a function of the task, the history and the number of questions asked. The state is
a fold over the answers, which a proposer that remembers its past begins anew now and then, live as on replay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from prefero.answers import ROUNDING, History
from prefero.arrays import Vector
from prefero.errors import ExhaustedError, InputError, PreferoError
from prefero.proposers.base import (
    FAILED_RADIUS,
    Proposal,
    Proposer,
    Reach,
    Task,
    best_without_model,
    space_filling,
    start_over,
)
from prefero.search import Taken

FAILURES = (PreferoError, ArithmeticError, np.linalg.LinAlgError)
"""What a proposer may fail with and not lose a study."""


@dataclass
class Proposing:
    """A proposer at its task; `max_step` is how far from the incumbent it may go, by variable, in the variable's unit."""

    proposer: Proposer
    task: Task
    max_step: Mapping[str, float] = field(default_factory=dict)
    _states: dict[int, Any] = field(default_factory=dict, repr=False)  # by the number of answers, the last two

    # The state -------------------------------------------------------------------------------------------------------

    def state(self, history: History) -> Any:
        """The proposer's state after all answers."""
        answered = len(history)
        if answered not in self._states:
            for k in range(self._first_to_advance(answered), answered + 1):
                prefix = history.prefix(k)  # without samples skipped since, which a replay would see too early
                step = prefix.comparisons[-1].step if k else 0
                rng = np.random.default_rng([self.task.seed, step, 1])
                anew = self.proposer.rebuild and k % self.proposer.rebuild == 0
                before = None if anew else self._states.get(k - 1)
                self._states[k] = self.proposer.advance(before, prefix, self.task, rng)
            self._states = {k: state for k, state in self._states.items() if k >= answered - 1}
        return self._states[answered]

    def _first_to_advance(self, answered: int) -> int:
        """Where the fold goes on: after the last state that is known, or where it may begin anew."""
        rebuild = self.proposer.rebuild
        earliest = answered - answered % rebuild if rebuild else 0
        known = [k + 1 for k in self._states if earliest <= k < answered]
        return max(known, default=earliest if rebuild else answered)

    def forget(self, after: int) -> None:
        """Drop the states after more answers than that: the history became another one there."""
        self._states = {k: state for k, state in self._states.items() if k <= after}

    def states(self) -> dict[int, Any]:
        """What is kept, by the number of answers; values, which another copy of the same history can take over."""
        return dict(self._states)

    def take_over(self, states: Mapping[int, Any]) -> None:
        """Keep what was computed of the same history elsewhere."""
        self._states = dict(states)

    # The recommendation ----------------------------------------------------------------------------------------------

    def best(self, history: History) -> int | None:
        """The recommended sample; a state is not advanced where the answers alone tell it."""
        if not len(history):
            return None
        winner = self.proposer.winner(history)
        if winner is not None:
            return winner
        try:
            return self.proposer.recommend(self.state(history), history, self.task)
        except FAILURES:  # the answers are kept, and what they alone say still holds
            return best_without_model(history)

    # The next question -----------------------------------------------------------------------------------------------

    def propose(self, history: History, pending: list[tuple[Vector, Vector]], step: int) -> Proposal:
        """The next question, about none of the pairs that wait for an answer elsewhere."""
        rng = np.random.default_rng([self.task.seed, step])
        task = self._within_reach(history)
        known = _with_pending(history, pending)
        try:
            proposal = self.proposer.propose(self.state(history), known, task, rng)
        except (ExhaustedError, InputError):
            raise
        except FAILURES as error:
            if not len(history):
                raise
            return self._stand_in(known, task, rng, f"the proposer failed: {error}", error)
        refusal = self.objection(proposal, history, pending, task)
        if refusal:
            nothing = ExhaustedError(f"there is nothing left to ask: {refusal}")
            return self._stand_in(known, task, rng, refusal, nothing)
        return proposal

    def _stand_in(
        self, known: History, task: Task, rng: np.random.Generator, since: str, otherwise: Exception
    ) -> Proposal:
        """A proposer that fails does not lose a study: a space-filling candidate, and it says so."""
        best = best_without_model(known) if task.reach is None else known.index(task.reach.centre)
        note = f"a space-filling candidate, since {since}"
        if best is None:
            return replace(start_over(known, task, rng), note=note)
        point = space_filling(known, task, rng)
        if point is None:
            raise otherwise
        return Proposal(known.points[best], point, note)

    def objection(
        self, proposal: Proposal, history: History, pending: list[tuple[Vector, Vector]], task: Task | None = None
    ) -> str:
        """Why a pair may not be shown, "" where it may."""
        task = self._within_reach(history) if task is None else task
        pair = (proposal.first, proposal.second)
        if np.abs(pair[0] - pair[1]).max() <= ROUNDING:
            return "what was proposed is one candidate twice"
        if any(_same(pair, other) or _same(pair[::-1], other) for other in pending):
            return "what was proposed waits for another judge's answer"
        failures = Taken(history.points[list(history.failed)], np.full(len(history.failed), FAILED_RADIUS))
        for x in pair:
            index = history.index(x)
            if index in history.failed or (index is None and failures.hides(x)):
                return "what was proposed is too near to a candidate that failed"
            if np.abs(x).max() > 1 + ROUNDING:
                return "what was proposed lies outside the bounds"
            if task.reach is not None and not task.reach.holds(x):
                return "what was proposed is farther from the best one than max_step allows"
        return ""

    def _within_reach(self, history: History) -> Task:
        """The task of the next proposal, limited to the incumbent's surroundings where a step may only be so large."""
        if not self.max_step:
            return self.task
        best = self.best(history)
        if best is None:  # what was shown last, as it may be far from what would be shown first
            best = max(np.flatnonzero(history.feasible).tolist(), default=None)
        centre = self.task.opening(2)[0] if best is None else history.points[best]
        space = self.task.space
        low, high = space.reach(space.decode(centre), self.max_step)
        reach = Reach(space, centre, low, high, len(history.points))
        return replace(self.task, space=space.within(low, high), reach=reach)


def _with_pending(history: History, pending: list[tuple[Vector, Vector]]) -> History:
    """The history with the pairs that wait elsewhere: as if they could not be judged, so that they are not asked again."""
    for first, second in pending:
        history, i = history.with_point(first, feasible=True)
        history, j = history.with_point(second, feasible=True)
        history = history.with_skip(i, j)
    return history


def _same(pair: tuple[Vector, ...], other: tuple[Vector, Vector]) -> bool:
    return all(np.abs(x - y).max() <= ROUNDING for x, y in zip(pair, other, strict=True))

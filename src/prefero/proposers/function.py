"""A proposer made of the user's own function of the history."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prefero import answers
from prefero.answers import History
from prefero.errors import InputError, PreferoError
from prefero.proposers.fallback import best_without_model
from prefero.proposers.opening import missing_opening, opening_pair
from prefero.proposers.protocol import Proposal, Task
from prefero.space.arrays import Vector, same_points

_ADMITTED = "one within the bounds that satisfies the constraints"


@dataclass(frozen=True)
class FunctionProposer:
    """Asks what `function(history)` or `function(history, rng)` returns.

    The function returns the challenger, as a candidate (a mapping) or as a point of the box [−1, 1]ⁿ, to be compared with the
    incumbent; or a pair of those. The first question compares the user's candidates, or two of a Latin hypercube.
    """

    function: Callable[..., Any]

    @property
    def rebuild(self) -> int:
        """Always 0: there is no state."""
        return 0

    def advance(self, state: None, history: History, task: Task, rng: np.random.Generator) -> None:
        """Return None: a function of the history keeps no state."""

    def propose(self, state: None, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return the incumbent against what the function returns, or the pair that it returns."""
        best = self.recommend(state, history, task)
        opening = opening_pair(missing_opening(task, 2, history), history, best)
        if opening is not None:
            return opening
        try:
            takes_rng = len(inspect.signature(self.function).parameters) > 1
            returned = self.function(history, rng) if takes_rng else self.function(history)
        except PreferoError:
            raise
        except Exception as error:  # whatever the user's function raises, the study continues with a fallback
            raise PreferoError(f"the proposer raised {type(error).__name__}: {error}") from error
        if isinstance(returned, tuple) and len(returned) == 2 and not np.isscalar(returned[0]):
            first, second = _point(returned[0], task), _point(returned[1], task)
        else:
            first, second = history.points[-1 if best is None else best], _point(returned, task)
        if same_points(first[None], second[None])[0, 0]:
            raise PreferoError(
                "the proposer returned the candidate that its proposal is compared with: return another one"
            )
        return Proposal(first, second)

    def winner(self, history: History) -> int | None:
        """Return the winner of the comparisons, or None if they do not determine one."""
        return answers.incumbent(history)

    def recommend(self, state: None, history: History, task: Task) -> int | None:
        """Return the winner of the comparisons, or, if they do not determine one, the sample with the most wins minus losses."""
        del state, task
        return best_without_model(history)

    def to_dict(self) -> dict[str, Any]:
        """Return the function's name: the function itself cannot be stored."""
        return {"name": "function", "function": getattr(self.function, "__qualname__", repr(self.function))}


def _point(returned: object, task: Task) -> Vector:
    """Return what the function returned as a feasible point of the box; raise InputError if that is impossible."""
    if isinstance(returned, Mapping):
        candidate = task.space.candidate(returned)
        if not task.space.admits(candidate):
            raise InputError.of("the proposer's candidate", dict(candidate), _ADMITTED)
        return task.space.encode(candidate)
    try:
        point = np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        point = np.empty(0)
    if point.shape != (task.space.dimension,) or not np.isfinite(point).all():
        raise InputError.of(
            "the proposer's candidate", returned, f"a mapping, or {task.space.dimension} finite coordinates"
        )
    snapped = task.space.snap(point[None])
    if not task.space.feasible(snapped)[0]:
        raise InputError.of("the proposer's candidate", dict(task.space.decode(snapped[0])), _ADMITTED)
    return np.asarray(snapped[0])

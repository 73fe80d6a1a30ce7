"""Thompson sampling: the proposer of studies with very many answers, for which the others take too long.

Each pair consists of the winners of two draws of the utility, so that candidates that may be the best are shown as often as they
may be. Draws are cheap and independent: a batch of pairs costs hardly more than one.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from prefero import answers
from prefero.answers import History
from prefero.errors import ExhaustedError
from prefero.models.sparse import SparseUtilities
from prefero.models.utility import LearnedUtility
from prefero.proposers import search
from prefero.proposers.exclusions import failures
from prefero.proposers.fallback import start_over
from prefero.proposers.glisp import Glisp
from prefero.proposers.outcomes import Outcomes
from prefero.proposers.pbo import Pbo
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Proposal, Task
from prefero.space.arrays import ROUNDING, Matrix, Vector, same_points

P = TypeVar("P")

LARGEST: dict[type, int] = {Posterior: 1000, Outcomes: 1000, Glisp: 1000, Pbo: 500}
"""The most answers, and the most samples, that each proposer handles; the default then takes a second and 250 MB from scratch."""
NOTE = "there are very many answers: the pair is drawn from a simpler model"
"""The note of every question."""
KNOWN = 64
"""In an infinite space, the candidates are this many of the best samples, and new ones:"""
EFFORT = search.Effort(spread=1024, near=768, jumps=256)
"""new candidates all over the space, and around the best sample."""


def for_size(proposer: P, history: History) -> P | Thompson:
    """Return the proposer, or Thompson sampling if the history is too large for it.

    A proposer of the user's own is never replaced.
    """
    size = max(len(history), len(history.points))
    return THOMPSON if size > LARGEST.get(type(proposer), np.inf) else proposer


class Thompson:
    """Asks about the winners of two draws from the posterior of a sparse model of the utility."""

    @property
    def rebuild(self) -> int:
        """Always 1: the state is built from scratch after every answer."""
        return 1

    def advance(
        self, state: SparseUtilities | None, history: History, task: Task, rng: np.random.Generator
    ) -> SparseUtilities | None:
        """Return the posterior of all answers."""
        del state, rng
        return SparseUtilities.of(history, task.groups) if len(history) else None

    def propose(
        self, state: SparseUtilities | None, history: History, task: Task, rng: np.random.Generator
    ) -> Proposal:
        """Return a batch of one."""
        return self.propose_several(state, history, task, rng, 1)[0]

    def propose_several(
        self, state: SparseUtilities | None, history: History, task: Task, rng: np.random.Generator, count: int
    ) -> list[Proposal]:
        """Return different pairs, none of which was skipped or waits for an answer; at least one, fewer if there are few left.

        Parameters
        ----------
        state: the posterior.
        history: the answers; waiting pairs count as skipped.
        task: where candidates come from.
        rng: of the candidates and the draws.
        count: how many pairs; the first ones do not depend on it.
        """
        best = self.recommend(state, history, task)
        if state is None or best is None:
            return [start_over(history, task, rng)]
        C = self._candidates(state, history, best, task, rng)
        if not len(C):
            return [start_over(history, task, rng)]
        draws = np.asarray(state.features(C) @ state.weight_draws(rng, 2 * count))
        excluded = _skipped_partners(history, C)
        pairs: list[Proposal] = []
        for u, v in zip(draws.T[::2], draws.T[1::2], strict=True):
            pair = _winners(u, v, excluded)
            if pair is None:
                break
            first, second = pair
            excluded[first].add(second)
            excluded[second].add(first)
            pairs.append(Proposal(C[first], C[second], NOTE))
        if not pairs:
            raise ExhaustedError(
                "every pair of candidates waits for an answer or was skipped: there is nothing left to ask"
            )
        return pairs

    def _candidates(
        self, state: SparseUtilities, history: History, best: int, task: Task, rng: np.random.Generator
    ) -> Matrix:
        """Return what may be shown: every candidate if there are few; otherwise the best samples and new candidates."""
        C = search.scattered(task.space, rng, history.points[best], EFFORT)
        points = task.space.points()
        if points is None or len(points) > len(C):
            seen = history.compared[np.argsort(-state.means[history.compared], kind="stable")[:KNOWN]]
            known = history.points[seen]
            inside = np.abs(known).max(axis=1, initial=0.0) <= 1 + ROUNDING
            if task.reach is not None:
                inside &= [task.reach.holds(x) for x in known]
            known = known[inside]
            C = np.vstack([known, C[~same_points(C, known).any(axis=1)]])
        return C[~failures(history).hidden(C)]

    def winner(self, history: History) -> None:
        """Always None: the winner depends on the posterior."""

    def recommend(self, state: SparseUtilities | None, history: History, task: Task) -> int | None:
        """Return the sample of best posterior mean, among the feasible ones that were compared."""
        del task
        seen = history.compared
        if state is None or not seen.size:
            return answers.incumbent(history)
        return int(seen[state.means[seen].argmax()])

    def learned(self, history: History, task: Task, rng: np.random.Generator) -> LearnedUtility:
        """Return the posterior of all answers for reports on a study."""
        del rng
        posterior = SparseUtilities.of(history, task.groups)
        return LearnedUtility(history.points, posterior, posterior)

    def to_dict(self) -> dict[str, Any]:
        """Return the name: there are no settings."""
        return {"name": "thompson"}


THOMPSON = Thompson()


def _skipped_partners(history: History, C: Matrix) -> list[set[int]]:
    """Return, for each candidate, those that it may not be shown with."""
    partners: list[set[int]] = [set() for _ in C]
    if not history.skipped:
        return partners
    samples = np.unique(history.skipped)
    place = {int(k): int(row) for k, row in zip(samples, _places(history.points[samples], C), strict=True)}
    for i, j in history.skipped:
        a, b = place[i], place[j]
        if a >= 0 and b >= 0:
            partners[a].add(b)
            partners[b].add(a)
    return partners


def _places(X: Matrix, C: Matrix) -> list[int]:
    """Return the row of C that is each row of X, −1 if there is none."""
    found = []
    for x in X:  # one at a time: all at once would need an array of rows × rows × coordinates
        same = np.flatnonzero(same_points(x[None], C)[0])
        found.append(int(same[0]) if same.size else -1)
    return found


def _winners(u: Vector, v: Vector, excluded: list[set[int]]) -> tuple[int, int] | None:
    """Return the winner of draw u and the best partner for it by draw v; None if no pair is left."""
    for first in np.argsort(-u, kind="stable"):
        rest = v.copy()
        rest[[first, *excluded[first]]] = -np.inf
        second = int(rest.argmax())
        if rest[second] > -np.inf:
            return int(first), second
    return None

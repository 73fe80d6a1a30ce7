"""Learned: what the answers say beyond the next question.

Everything is computed from the posterior of the utilities, whichever proposer asked: the paper's surrogate satisfies the
comparisons and is not meant as a utility.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prefero.answers import History
from prefero.errors import InputError
from prefero.models import advice
from prefero.models.advice import Advice
from prefero.models.utility import LearnedUtility
from prefero.space import Domain
from prefero.space.arrays import Matrix, Vector

IMPORTANCE_STREAM, ADVICE_STREAM = 5, 6
"""The last number of the seed of each kind of draw, so that they are independent."""


@dataclass(frozen=True, eq=False)
class Learned:
    """Utilities of candidates, the importance of variables, and whether more answers are worth asking for.

    space: where the candidates come from.
    history: the answers.
    utility: the posterior of the utilities.
    best: the recommended sample, None if there is none.
    seed: makes the draws repeatable.
    sided: the chance that the person pressed the same key again and again, whatever was shown.
    """

    space: Domain
    history: History
    utility: LearnedUtility
    best: int | None
    seed: int
    sided: float = 0.0

    def probability(self, a: Any, b: Any) -> float:
        """Return the probability that candidate a is better than candidate b."""
        chance = float(self.utility.probabilities(self._points([a]), self._points([b]))[0])
        return (1 - self.sided) * chance + self.sided / 2

    def predict(self, a: Any, b: Any) -> float:
        """Return the probability that the person would say that candidate a is better than candidate b.

        It is less sure than `probability`: people err, most of all about candidates that are nearly as good.
        """
        chance = float(self.utility.predictions(self._points([a]), self._points([b]))[0])
        return (1 - self.sided) * chance + self.sided / 2

    def utilities(self, candidates: Sequence[Any]) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of the utility of candidates.

        Higher is better; 1 is a typical difference between two candidates of the space.
        """
        if isinstance(candidates, str | Mapping) or not isinstance(candidates, Iterable):
            raise InputError.of("candidates", candidates, "a list of candidates")
        return self.utility.utilities(self._points(list(candidates)))

    def importance(self) -> dict[str, float]:
        """Return each variable's share in the differences of utility; the shares sum to one."""
        shares = advice.importance(self.utility, self.space, self._rng(IMPORTANCE_STREAM))
        return dict(zip(self.space.varying, shares.tolist(), strict=True))

    def advice(self) -> Advice:
        """Return whether to stop, and why."""
        seen = self.history.compared
        if self.best is None or seen.size < 2:
            raise InputError("advice: no answer about two feasible candidates yet; answer a question first")
        rng = self._rng(ADVICE_STREAM)
        if not left_to_ask(self.history, self.best, self.space):
            return advice.nothing_left(self.utility, self.best, seen, rng, self.sided)
        return advice.advise(self.utility, self.best, seen, self.space, rng, self.sided)

    def _points(self, candidates: list[Any]) -> Matrix:
        points = [self.space.encode(self.space.candidate(given)) for given in candidates]
        return np.array(points).reshape(-1, self.space.dimension)

    def _rng(self, kind: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, len(self.history), kind])


def left_to_ask(history: History, best: int, space: Domain) -> bool:
    """Return whether there is a candidate that was never compared with the best one."""
    points = space.points()
    unseen = points is None or len(points) > len(history.points) or not history.holds(points).all()
    return unseen or bool(history.never_met(best))

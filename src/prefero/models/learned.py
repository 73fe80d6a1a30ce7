"""Learned: what the answers say beyond the next question.

Everything is computed from the posterior of the utilities, whichever proposer asked: the paper's surrogate satisfies the
comparisons and is not meant as a utility.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from prefero.answers import History
from prefero.errors import InputError
from prefero.models import advice
from prefero.models.advice import Advice
from prefero.models.prior import Prior
from prefero.models.slips import drift, slips
from prefero.models.sparse import SparseUtilities
from prefero.models.threads import one_thread
from prefero.models.utility import LearnedUtility
from prefero.space import Domain
from prefero.space.arrays import ROUNDING, Matrix, Vector

IMPORTANCE_STREAM, ADVICE_STREAM, CONFLICT_STREAM = 5, 6, 7
"""The last number of the seed of each kind of draw, so that they are independent."""


DRAWS = 2000
"""Draws of all judges' utilities, to find where they disagree."""
DISAGREE = 0.8
"""Two judges disagree if they order two candidates differently with this probability."""
MOST_JUDGES = 12
"""Disagreement is looked for among so many judges, those with the most answers."""
DRIFT_ANSWERS = 12
"""With fewer answers, whether a taste changes is not asked."""
DIFFERENT = " The judges want different things, though: it is a compromise."


@dataclass(frozen=True)
class Conflict:
    """Two judges who disagree: the first prefers sample a to sample b, the second b to a, with this probability."""

    judges: tuple[str, str]
    a: int
    b: int
    probability: float


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

    @one_thread
    def probability(self, a: Any, b: Any) -> float:
        """Return the probability that candidate a is better than candidate b."""
        chance = float(self.utility.probabilities(self._points([a]), self._points([b]))[0])
        return (1 - self.sided) * chance + self.sided / 2

    @one_thread
    def predict(self, a: Any, b: Any) -> float:
        """Return the probability that the person would say that candidate a is better than candidate b.

        It is less sure than `probability`: people err, most of all about candidates that are nearly as good.
        """
        chance = float(self.utility.predictions(self._points([a]), self._points([b]))[0])
        return (1 - self.sided) * chance + self.sided / 2

    @one_thread
    def utilities(self, candidates: Sequence[Any]) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of the utility of candidates.

        Higher is better; 1 is a typical difference between two candidates of the space.
        """
        if isinstance(candidates, str | Mapping) or not isinstance(candidates, Iterable):
            raise InputError.of("candidates", candidates, "a list of candidates")
        return self.utility.utilities(self._points(list(candidates)))

    @one_thread
    def importance(self) -> dict[str, float]:
        """Return each variable's share in the differences of utility; the shares sum to one."""
        shares = advice.importance(self.utility, self.space, self._rng(IMPORTANCE_STREAM))
        return dict(zip(self.space.varying, shares.tolist(), strict=True))

    @one_thread
    def advice(self) -> Advice:
        """Return whether to stop, and why."""
        seen = self.history.compared
        if self.best is None or seen.size < 2:
            raise InputError("advice: no answer about two feasible candidates yet; answer a question first")
        rng = self._rng(ADVICE_STREAM)
        if not left_to_ask(self.history, self.best, self.space):
            found = advice.nothing_left(self.utility, self.best, seen, rng, self.sided)
        else:
            found = advice.advise(self.utility, self.best, seen, self.space, rng, self.sided)
        return replace(found, reason=found.reason + DIFFERENT) if self.conflicts() else found

    # Second thoughts -----------------------------------------------------------------------------------------------------

    def slips(self) -> Vector:
        """Return for each answer of the history the probability that it is a slip: that a second look would change it.

        Each judge's answers are compared with that judge's others alone. Answers too old to be looked at have 0, and so have all
        if there are so many that no model of single answers is made.
        """
        found = np.zeros(len(self.history))
        for judge, priors in self._priors().items():
            own = [k for k, c in enumerate(self.history.comparisons) if c.judge == judge]
            if not own:
                continue  # a judge of ratings alone
            found[own] = slips(priors, self._judged_points, self.history.of_judge(judge), self._tie)
        return found

    def drift(self, judge: str | None = None) -> tuple[float, float] | None:
        """Return the probability that a judge's taste changed, and the likeliest half-life in answers; None with few answers.

        judge: whose taste; by default that of the only judge.
        """
        judge = self.judges[0] if judge is None else judge
        if judge not in self.judges:
            raise InputError.of("judge", judge, f"one of the judges who answered: {list(self.judges)}")
        own, priors = self.history.of_judge(judge), self._priors().get(judge)
        if priors is None or len(own) < DRIFT_ANSWERS:
            return None
        return drift(priors, self._judged_points, own, self._tie)

    @property
    def _judged_points(self) -> Matrix:
        """What the samples are judged as: themselves, or their outcomes."""
        return self.utility.judged_as(self.history.points)

    @property
    def _tie(self) -> float:
        """τ, as it was learned; it does not matter if nobody said "about the same"."""
        parts = self.utility.posterior
        if isinstance(parts, SparseUtilities):
            return 1.0
        statements = parts.parts[0].statements
        return float(np.min(statements.high[statements.pairs], initial=1.0))

    def _priors(self) -> dict[str, list[Prior]]:
        """Return the priors of each judge's utilities, without repetitions; {} with very many answers."""
        known = self.utility.judges
        parts = self.utility.posterior if known is None else known.posterior
        if isinstance(parts, SparseUtilities):
            return {}
        priors = list({id(part.prior): part.prior for part in parts.parts}.values())
        return dict.fromkeys(self.judges, priors)

    # Several judges ------------------------------------------------------------------------------------------------------

    @property
    def judges(self) -> tuple[str, ...]:
        """Who answered."""
        return self.history.judges

    def for_judge(self, judge: str) -> Learned:
        """Return what the answers say about one judge: their own, and those of the others as far as they are alike."""
        if judge not in self.judges:
            raise InputError.of("judge", judge, f"one of the judges who answered: {list(self.judges)}")
        if self.utility.judges is None:
            return self
        utility, seen = self.utility.of_judge(judge), self.history.compared
        means, _ = utility.utilities(self.history.points)
        best = int(seen[means[seen].argmax()]) if seen.size else None
        return replace(self, utility=utility, best=best, sided=0.0)

    @property
    def alike(self) -> float | None:
        """The share of the judges' utilities that they have in common, from 0 to 1; None if it is not learned."""
        return None if self.utility.judges is None else self.utility.judges.posterior.alike

    @property
    def weights(self) -> dict[str, float]:
        """How much each judge counts in the mean; the weights sum to one, and a judge who answers at random has none."""
        known = self.utility.judges
        if known is None:
            return dict.fromkeys(self.judges, 1 / max(1, len(self.judges)))
        return dict(zip(known.panel.names, known.weights.tolist(), strict=True))

    @property
    def reliabilities(self) -> dict[str, float]:
        """How often each judge tells the better of two candidates drawn at random, 0.5 if by chance; {} if it is not learned."""
        known = self.utility.judges
        return {} if known is None else dict(zip(known.panel.names, known.panel.reliabilities.tolist(), strict=True))

    @property
    def at_random(self) -> tuple[str, ...]:
        """The judges whose answers are predicted no better than a coin's tosses."""
        known = self.utility.judges
        if known is None:
            return ()
        return tuple(name for name, random in zip(known.panel.names, known.panel.found_out, strict=True) if random)

    @property
    def fairest(self) -> int | None:
        """The sample that is best for the worst-off: whoever loses most by it, compared with their own best, loses least."""
        seen = self.history.compared
        if not seen.size or self.utility.judges is None:
            return self.best
        counted = [judge for judge, weight in self.weights.items() if weight > 0]
        X = self.history.points[seen]
        means = np.array([self.utility.of_judge(judge).utilities(X)[0] for judge in counted])
        losses = means.max(axis=1, keepdims=True) - means
        return int(seen[losses.max(axis=0).argmin()])

    @one_thread
    def conflicts(self) -> tuple[Conflict, ...]:
        """Return the pairs of judges who surely disagree, and about which samples; the surest first.

        Looked at are each judge's best sample, the one that is best for all, and the one that is best for the worst-off.
        """
        known = self.utility.judges
        if known is None or self.best is None or self.fairest is None:
            return ()
        counts = Counter(c.judge for c in self.history.comparisons)
        among = [name for name, _ in counts.most_common() if name not in self.at_random][:MOST_JUDGES]
        favourites = [self.for_judge(judge).best for judge in among]
        samples = list(dict.fromkeys([self.best, self.fairest, *(k for k in favourites if k is not None)]))
        drawn = self.utility.draws_by_judge(self.history.points[samples], self._rng(CONFLICT_STREAM), DRAWS)
        above = drawn[:, :, None, :] > drawn[:, None, :, :]  # judges × a × b × draws
        found = []
        for one, other in combinations(among, 2):
            i, j = known.panel.names.index(one), known.panel.names.index(other)
            chances = (above[i] & above[j].transpose(1, 0, 2)).mean(axis=2)
            a, b = np.unravel_index(chances.argmax(), chances.shape)
            found.append(Conflict((one, other), samples[a], samples[b], float(chances[a, b])))
        return tuple(sorted((c for c in found if c.probability >= DISAGREE), key=lambda c: -c.probability))

    def _points(self, candidates: list[Any]) -> Matrix:
        """Return candidates as points; raise InputError for one outside the bounds that was never shown.

        Far from all answers a model only repeats its prior, which looks like knowledge and is none.
        """
        points = [self.space.encode(self.space.candidate(given)) for given in candidates]
        X = np.array(points).reshape(-1, self.space.dimension)
        for k in np.flatnonzero(np.abs(X).max(axis=1, initial=0.0) > 1 + ROUNDING):
            if self.history.index(X[k]) is None:
                raise InputError.of(f"candidates[{k}]", candidates[k], "candidates within the bounds, or shown before")
        return X

    def _rng(self, kind: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, len(self.history), kind])


def left_to_ask(history: History, best: int, space: Domain) -> bool:
    """Return whether there is a candidate that was never compared with the best one."""
    points = space.points()
    unseen = points is None or len(points) > len(history.points) or not history.holds(points).all()
    return unseen or bool(history.never_met(best))

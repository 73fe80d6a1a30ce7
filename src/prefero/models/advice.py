"""What the answers say beyond the next question: who would win, what matters, whether to stop.

Everything here is read off the posterior of the utilities, whatever proposer asked the questions: the paper's own surrogate
honours the comparisons made and is not meant as a utility. Where liking is learned from what candidates lead to, that is where
the utilities come from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prefero.models.utility import LearnedUtility
from prefero.space import design
from prefero.space.arrays import Indices, Vector
from prefero.space.domain import Domain

CANDIDATES, PROMISING, DRAWS = 512, 64, 32
"""Candidates looked at, the most promising ones kept, draws for each chain."""
SURE, SMALL = 0.9, 0.02
"""Stop when the recommendation is the best seen with this probability, and ten more answers promise less than this share."""
ALIKE = 0.01
"""Candidates whose utilities differ by less than this share of the range of those seen are as good as each other."""


@dataclass(frozen=True)
class Advice:
    """Whether to stop, and why.

    probability_best: the chance that the recommendation is the best candidate seen, or as good (a hundredth of their range).
    expected_gain: of ten more answers, as a share of what the recommendation is above a typical candidate.
    """

    stop: bool
    reason: str
    probability_best: float
    expected_gain: float


def advise(learned: LearnedUtility, best: int, among: Indices, space: Domain, rng: np.random.Generator) -> Advice:
    """Return whether to stop, and why."""
    sure = probability_best(learned, best, among, rng)
    gain = expected_gain(learned, best, space, rng)
    stop = sure >= SURE and gain <= SMALL
    likely = "more than 99%" if sure > 0.99 else f"{sure:.0%}"  # nothing is certain
    go_on = f"Go on: about ten more answers should {_benefit(gain)}."
    verdict = "You can stop: ten more answers would hardly help." if stop else go_on
    standing = f"The recommendation is the best candidate seen, or as good, with a probability of {likely}."
    return Advice(stop, f"{verdict} {standing}", sure, gain)


def _benefit(gain: float) -> str:
    """Return in words what answers with this expected gain are good for."""
    if gain <= SMALL:
        return "settle which candidate is best"
    if gain <= 0.1:
        return "help a little"
    return "help noticeably" if gain <= 1 else "help a lot"


def nothing_left(learned: LearnedUtility, best: int, among: Indices, rng: np.random.Generator) -> Advice:
    """Return the advice to stop, because nothing is left to ask."""
    sure = probability_best(learned, best, among, rng)
    return Advice(True, "You can stop: every candidate has been compared with the recommendation.", sure, 0.0)


def probability_best(learned: LearnedUtility, best: int, among: Indices, rng: np.random.Generator) -> float:
    """The chance that sample `best` has the largest utility of those samples, or one alike."""
    u = learned.draws_of_samples(among, rng, DRAWS)
    most = u.max(axis=0)
    missing = most - u[np.flatnonzero(among == best)].max(axis=0, initial=-np.inf)
    return float((missing <= ALIKE * (most - u.min(axis=0))).mean())


def expected_gain(
    learned: LearnedUtility, best: int, space: Domain, rng: np.random.Generator, answers: int = 10
) -> float:
    """The expected improvement of the best of so many well-chosen candidates, relative to what was gained so far."""
    points = space.points()
    Z = design.initial(space, CANDIDATES, rng) if points is None else points
    if points is None:
        steps = 10 ** rng.uniform(-3, -0.3, (len(Z), 1)) * rng.standard_normal(Z.shape)
        near = space.snap(learned.X[best] + steps)
        Z = np.vstack([Z, near[space.feasible(near)]])
    promising = Z[np.argsort(-learned.improvements(Z, best))[:PROMISING]]
    draws = learned.draws(np.vstack([learned.X[best], promising]), rng, DRAWS)
    improvement = np.maximum(draws[1:] - draws[0], 0.0)
    reached = np.zeros(improvement.shape[1])
    for _ in range(answers):  # greedily, the candidate that adds most to what the others reach
        reached = np.maximum(reached, improvement[np.maximum(improvement, reached).mean(axis=1).argmax()])
    means, _ = learned.utilities(np.vstack([learned.X[best], Z[:CANDIDATES]]))
    gained = float(means[0] - np.median(means[1:]))
    return float(reached.mean() / max(gained, 1e-9))


def importance(learned: LearnedUtility, space: Domain, rng: np.random.Generator) -> Vector:
    """The share of each variable in how much the utility changes over the space: Jansen's total effects, summing to one."""
    Z = design.sample(space, CANDIDATES, rng)
    other = Z[rng.permutation(len(Z))]
    base, _ = learned.utilities(Z)
    effects = []
    for place in space.groups:
        changed = Z.copy()
        changed[:, place] = other[:, place]
        effects.append(float(((learned.utilities(changed)[0] - base) ** 2).mean()))
    total = sum(effects)
    return np.array(effects) / total if total > 0 else np.full(len(effects), 1 / len(effects))

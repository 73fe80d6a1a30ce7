"""What the answers say beyond the next question: which candidate is best, which variables matter, whether to stop.

Everything is computed from the posterior of the utilities, whichever proposer asked the questions: the paper's surrogate
satisfies the comparisons and is not meant as a utility. If the utility is learned from outcomes, that posterior is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, expit

from prefero.models.utility import LearnedUtility
from prefero.space import design
from prefero.space.arrays import Indices, Vector
from prefero.space.domain import Domain
from prefero.space.html import table

CANDIDATES, PROMISING, DRAWS = 512, 64, 1024
"""Candidates looked at, the most promising ones that are kept, and draws of the posterior."""
STOP_PROBABILITY, STOP_GAIN = 0.9, 0.02
"""Advise to stop if the recommendation is the best seen with this probability and ten more answers promise less than this gain."""
INDIFFERENCE = 0.01
"""Two candidates are as good as each other if their utilities differ by less than this share of the range of those seen."""


BY_SIDE = 0.01
"""The share of people who press the same key again and again, whatever is shown, before any answer is known."""
SIDED = " Nearly all answers chose the same side: unless that is chance, they say nothing about the candidates."


@dataclass(frozen=True)
class Advice:
    """Whether to stop, and why.

    probability_best: the chance that the recommendation is the best candidate seen, or as good (within 1 % of their range).
    expected_gain: of ten more answers, relative to the recommendation's lead over a typical candidate.
    """

    stop: bool
    reason: str
    probability_best: float
    expected_gain: float

    def _repr_html_(self) -> str:
        rows = {"best seen": f"{self.probability_best:.0%} likely", "ten more answers": f"{self.expected_gain:+.1%}"}
        return table({"advice": "stop" if self.stop else "go on"} | rows, caption=self.reason)


def by_side(left: int, right: int) -> float:
    """Return the chance that somebody answers by the side, from how often each side was chosen; the sides are random.

    Who looks chooses each side with probability ½; who does not, with an unknown one: n answers then have the probability
    left! right! / (n + 1)!.
    """
    presses = betaln(left + 1, right + 1) + np.log(BY_SIDE)
    looks = (left + right) * np.log(0.5) + np.log1p(-BY_SIDE)
    return float(expit(presses - looks))


def advise(
    learned: LearnedUtility, best: int, among: Indices, space: Domain, rng: np.random.Generator, sided: float = 0.0
) -> Advice:
    """Return whether more answers are worth asking for.

    Parameters
    ----------
    learned: the utilities.
    best: the recommended sample.
    among: the samples that it competes with.
    space: where better candidates may be.
    rng: of the draws.
    sided: the chance that the answers say nothing about the candidates.
    """
    sure = _sure(learned, best, among, rng, sided)
    gain = expected_gain(learned, best, space, rng)
    stop = sure >= STOP_PROBABILITY and gain <= STOP_GAIN
    likely = "more than 99%" if sure > 0.99 else f"{sure:.0%}"  # nothing is certain
    go_on = f"Go on: about ten more answers should {_benefit(gain)}."
    verdict = "You can stop: ten more answers would hardly help." if stop else go_on
    standing = f"The recommendation is the best candidate seen, or as good, with a probability of {likely}."
    return Advice(stop, f"{verdict} {standing}{_warning(sided)}", sure, gain)


def _benefit(gain: float) -> str:
    """Return in words what answers with this expected gain are good for."""
    if gain <= STOP_GAIN:
        return "settle which candidate is best"
    if gain <= 0.1:
        return "help a little"
    return "help noticeably" if gain <= 1 else "help a lot"


def nothing_left(
    learned: LearnedUtility, best: int, among: Indices, rng: np.random.Generator, sided: float = 0.0
) -> Advice:
    """Return the advice to stop, because nothing is left to ask; the parameters are those of `advise`."""
    sure = _sure(learned, best, among, rng, sided)
    reason = "You can stop: every candidate has been compared with the recommendation."
    return Advice(True, f"{reason}{_warning(sided)}", sure, 0.0)


def _sure(learned: LearnedUtility, best: int, among: Indices, rng: np.random.Generator, sided: float) -> float:
    """Return the chance that sample `best` is the best of some, of which each is as likely if the answers say nothing."""
    return (1 - sided) * probability_best(learned, best, among, rng) + sided / len(among)


def _warning(sided: float) -> str:
    return SIDED if sided > 0.5 else ""


def probability_best(learned: LearnedUtility, best: int, among: Indices, rng: np.random.Generator) -> float:
    """Return the chance that sample `best` has the largest utility of the samples `among`, or is as good."""
    u = learned.draws_of_samples(among, rng, DRAWS)
    most = u.max(axis=0)
    missing = most - u[np.flatnonzero(among == best)].max(axis=0, initial=-np.inf)
    return float((missing <= INDIFFERENCE * (most - u.min(axis=0))).mean())


def expected_gain(
    learned: LearnedUtility, best: int, space: Domain, rng: np.random.Generator, answers: int = 10
) -> float:
    """Return the expected improvement by the best of some well-chosen candidates, relative to the gain so far.

    Parameters
    ----------
    learned: the utilities.
    best: the recommended sample.
    space: where the candidates come from.
    rng: of the candidates and the draws.
    answers: how many candidates are tried.
    """
    points = space.points()
    Z = design.initial(space, CANDIDATES, rng) if points is None else design.some(points, rng)
    if points is None:
        # A good candidate is often near the best one, at an unknown distance: draw the distance on a logarithmic scale.
        steps = 10 ** rng.uniform(-3, -0.3, (len(Z), 1)) * rng.standard_normal(Z.shape)
        near = space.snap(learned.X[best] + steps)
        Z = np.vstack([Z, near[space.feasible(near)]])
    promising = Z[np.argsort(-learned.improvements(Z, best))[:PROMISING]]
    draws = learned.draws(np.vstack([learned.X[best], promising]), rng, DRAWS)
    improvement = np.maximum(draws[1:] - draws[0], 0.0)
    reached = np.zeros(improvement.shape[1])
    for _ in range(answers):  # greedily: the candidate that adds most to the best of those chosen before
        reached = np.maximum(reached, improvement[np.maximum(improvement, reached).mean(axis=1).argmax()])
    means, _ = learned.utilities(np.vstack([learned.X[best], Z[:CANDIDATES]]))
    gained = float(means[0] - np.median(means[1:]))
    return float(reached.mean() / max(gained, 1e-9))  # the floor only avoids a division by zero


def importance(learned: LearnedUtility, space: Domain, rng: np.random.Generator) -> Vector:
    """Return each variable's share in the variation of the utility over the space: Jansen's total effects, scaled to sum to one."""
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

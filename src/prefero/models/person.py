"""What is learned of a person besides their taste: how noisy they are, what seems the same to them, how linear their taste is.

| symbol | meaning |
|---|---|
| ν | standard deviation of the noise of one utility, relative to that of the utility |
| τ | difference below which two candidates seem the same |
| τ₂ − τ | how much more "much better" is |
| λ | share of the linear part of the utility |
| s | distance of two levels of the scale of ratings |

To ask, one value of each is chosen by its evidence, one after the other, from a few: one-bit answers do not tell them any better,
and length scales cannot be learned from such answers at all. To report, all values of ν and λ are averaged, each with the weight
of its evidence: a chosen one would sound too sure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.special import logsumexp

from prefero.answers import History
from prefero.models.expectation import Sites, propagate
from prefero.models.posterior import Utilities, posterior
from prefero.models.prior import Prior
from prefero.models.sampling import draws_of_samples
from prefero.models.statements import SPACING, Statements
from prefero.space.arrays import Indices, Matrix, Vector

MOST_ANSWERS = 150
"""The evidence uses this many of the last answers: with more, the values hardly move, and the cost grows with the cube."""
LEAST_WEIGHT = 0.02
"""An average leaves out what has less weight than this."""
OTHERS = -1.0
"""In place of a value of λ: the prior that other people's answers give."""
PriorOf: TypeAlias = Callable[[float], Prior]
"""The prior for a value of λ, or for `OTHERS`."""


@dataclass(frozen=True)
class Person:
    """ν, τ, λ, τ₂ − τ and s, and after how many comparisons and ratings they were chosen.

    `half_life` is of `posterior`, `unsure` of `Statements`.
    """

    noise: float
    tie: float
    linear: float
    answered: int = 0
    half_life: float | None = None
    much: float = 0.0
    unsure: float = 0.0
    spacing: float = SPACING
    rated: int = 0


@dataclass(frozen=True)
class Grid:
    """The values of ν, τ, λ, τ₂ − τ and s that are compared; a single one is kept. `odds`: the log of the prior odds of each λ."""

    noise: Sequence[float]
    tie: Sequence[float]
    linear: Sequence[float]
    odds: Sequence[float] = ()
    much: Sequence[float] = (0.0,)
    spacing: Sequence[float] = (SPACING,)

    def log_odds(self, linear: float) -> float:
        """Return the log of the prior odds of a value of λ."""
        return float(self.odds[list(self.linear).index(linear)]) if self.odds else 0.0


def chosen(history: History, prior_of: PriorOf, grid: Grid, start: Person) -> Person:
    """Return ν, τ, λ, τ₂ − τ and s of largest evidence, one after the other, beginning with those of `start`.

    Parameters
    ----------
    history: the answers.
    prior_of: the prior for a value of λ.
    grid: the values to compare.
    start: the values to begin with.
    """
    recent, person, before = history.last(MOST_ANSWERS), start, None
    # Without any tie τ plays no part, and without any "much better" τ₂ plays none.
    played = {
        "tie": (history.preferences == 0).any(),
        "much": (history.strengths > 1).any(),
        "spacing": history.ratings,
    }
    for name in (name for name in ("tie", "much", "spacing", "noise", "linear") if played.get(name, True)):
        values = getattr(grid, name)
        if len(values) == 1:
            person = replace(person, **{name: values[0]})
            continue
        scores = []
        for value in values:
            tried = replace(person, **{name: value})
            before = believed(recent, prior_of, tried, before)
            scores.append(before.sites.log_evidence + grid.log_odds(tried.linear))
        person = replace(person, **{name: values[int(np.argmax(scores))]})
    return replace(person, answered=len(history), rated=len(history.ratings))


def believed(history: History, prior_of: PriorOf, person: Person, before: Utilities | None = None) -> Utilities:
    """Return the posterior of a person's utilities by expectation propagation, which continues from `before`."""
    ep = partial(propagate, start=None if before is None else before.sites)
    statements = Statements.of(history, person.tie, person.much, person.unsure, person.spacing)
    prior = prior_of(person.linear)
    return posterior(prior, history.spoken_of, statements, person.noise, ep, before, person.half_life)


@dataclass(frozen=True)
class Averaged:
    """A mixture of posteriors of the utilities, one for each of several values of ν and λ."""

    parts: tuple[Utilities, ...]
    weights: Vector

    @property
    def X(self) -> Matrix:  # noqa: N802
        """The samples."""
        return self.parts[0].X

    def utilities(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u at candidates."""
        means, sds = (np.array(each) for each in zip(*(part.utilities(Z) for part in self.parts), strict=True))
        mean = self.weights @ means
        # The law of total variance: within the parts, and between their means.
        return mean, np.sqrt(self.weights @ (sds**2 + (means - mean) ** 2))

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of u at a few candidates: candidates × count."""
        return np.hstack([part.draws(Z, rng, n) for part, n in self._shares(count)])

    def draws_of_samples(self, among: Indices, rng: np.random.Generator, count: int) -> Matrix:
        """Return exact joint draws of u at some samples: samples × count."""
        return np.hstack([draws_of_samples(part, among, rng, n) for part, n in self._shares(count)])

    def _shares(self, count: int) -> list[tuple[Utilities, int]]:
        """Return the parts, and how many of so many draws each has."""
        upto = np.rint(np.cumsum(self.weights) * count).astype(int)
        shares = np.diff(upto, prepend=0).tolist()
        return [(part, share) for part, share in zip(self.parts, shares, strict=True) if share]

    def probabilities(self, Y: Matrix, Z: Matrix, said: bool = False) -> Vector:
        """Return the chance that u(y) > u(z), row by row; with `said`, that the person will say so."""
        return np.asarray(self.weights @ np.array([part.probabilities(Y, Z, said) for part in self.parts]))

    def improvements(self, Z: Matrix, best: int) -> Vector:
        """Return the expected improvement of each candidate over sample `best`."""
        return np.asarray(self.weights @ np.array([part.improvements(Z, best) for part in self.parts]))


def averaged(
    history: History,
    prior_of: PriorOf,
    grid: Grid,
    tie: float,
    approximation: Callable[[Matrix, Statements, float], Sites] = propagate,
    half_life: float | None = None,
    much: float = 0.0,
    unsure: float = 0.0,
    spacing: float = SPACING,
) -> Averaged:
    """Return the posterior of the utilities averaged over ν and λ.

    Parameters
    ----------
    history: the answers.
    prior_of: the prior for a value of λ.
    grid: the values of ν and λ.
    tie: τ.
    approximation: of each part, `expectation.propagate` or `laplace.sites`.
    half_life: as in `posterior`.
    much: τ₂ − τ.
    unsure, spacing: as in `Statements`.
    """
    recent = history.last(MOST_ANSWERS)

    def part(given: History, noise: float, linear: float) -> Utilities:
        statements = Statements.of(given, tie, much, unsure, spacing)
        return posterior(prior_of(linear), given.spoken_of, statements, noise, approximation, half_life=half_life)

    tried = [(noise, linear) for linear in grid.linear for noise in grid.noise]
    parts = [part(recent, *values) for values in tried]
    scores = [each.sites.log_evidence + grid.log_odds(linear) for each, (_, linear) in zip(parts, tried, strict=True)]
    weights = np.exp(np.array(scores) - logsumexp(scores))
    kept = np.flatnonzero(weights >= LEAST_WEIGHT)
    if recent is not history:
        parts = [part(history, *values) if k in kept else parts[k] for k, values in enumerate(tried)]
    return Averaged(tuple(parts[k] for k in kept), weights[kept] / weights[kept].sum())

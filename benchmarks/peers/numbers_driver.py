"""What could be had if the person said numbers: the default proposer's prior, hope and search, told what was seen.

It is a yardstick, no bound: where the values span decades, as in a steep valley, comparisons alone may do better. Every question
shows the best candidate and a new one, and brings a reading of both.

| symbol | meaning | shape |
|---|---|---|
| y, r | the mean of a sample's readings, and their number | N |
| m, s | mean and standard deviation of the utility, by the largest marginal likelihood | |
| ρ | standard deviation of a reading's noise, as a part of s | |
"""

from dataclasses import dataclass
from math import ceil
from typing import cast

import numpy as np

from benchmarks.functions import Array
from benchmarks.peers.prefero_driver import space_of
from benchmarks.peers.wire import Judge, Start, serve
from prefero.models.posterior import HopefulMean, Utilities
from prefero.models.prior import Prior, prior
from prefero.proposers import search
from prefero.proposers.posterior import Policy
from prefero.space import Space, design

EXACT = 1e-3
NOISES = (0.1, 0.2, 0.4, 0.8)
"""Values of ρ: of a person whose readings of one candidate never differ, and those that are compared otherwise."""


@dataclass(frozen=True)
class Told:
    """The utilities given numbers, as an acquisition wants them: E u(z) is k(z, X) h, and k G k' is off its covariance."""

    prior: Prior
    X: Array
    K: Array
    G: Array
    h: Array

    @property
    def best(self) -> int:
        """The sample of largest mean."""
        return int((self.K @ self.h).argmax())


@dataclass
class Readings:
    """What was said of each sample so far."""

    X: Array
    said: list[list[float]]

    def add(self, x: Array, value: float) -> None:
        """One more reading, of a sample that may be new."""
        known = np.flatnonzero((x == self.X).all(axis=1))
        if known.size:
            self.said[int(known[0])].append(value)
        else:
            self.X, self.said = np.vstack([self.X, x]), [*self.said, [value]]

    def told(self, known: Prior) -> Told:
        """The posterior; lower readings are better."""
        y = -np.array([np.mean(values) for values in self.said])
        r = np.array([len(values) for values in self.said])
        exact = all(len(set(values)) == 1 for values in self.said)
        K, t = known(self.X, self.X), y - y.mean()
        fits = [_fit(K, t, rho, r) for rho in ((EXACT,) if exact else NOISES)]
        _, s, G = max(fits, key=lambda fit: fit[0])
        return Told(known, self.X, K, G, np.asarray(G @ t / s))


def _fit(K: Array, t: Array, rho: float, r: Array) -> tuple[float, float, Array]:
    """The log of the marginal likelihood with the best s, that s, and (K + ρ²/r)⁻¹."""
    S = np.asarray(K + np.diag(rho**2 / r + 1e-9))
    G = np.asarray(np.linalg.inv(S), dtype=float)
    s = float(np.sqrt(max(t @ G @ t / len(t), 1e-300)))
    return -0.5 * float(np.linalg.slogdet(S)[1]) - len(t) * float(np.log(s)), s, G


def next_sample(told: Told, asked: int, start: Start, space: Space, rng: np.random.Generator) -> Array:
    """By the rule of the default proposer: the largest mean plus some standard deviations, fewer and fewer of them."""
    hope = Policy.hope * max(start.comparisons - asked - 1, 0) / start.comparisons
    promise = HopefulMean(cast(Utilities, told), told.best, hope)
    taken = search.Taken(told.X, np.full(len(told.X), search.SAMPLE_RADIUS))
    scales = told.prior.coordinate_scales
    x = search.minimise(promise, space, rng, taken, told.X[told.best], scales=scales)
    if x is None:
        raise ValueError("no candidate is left")
    return x


def solve(start: Start, judge: Judge) -> int:
    """Compare the best with the first samples, then with what promises most; keep what the person read off both."""
    rng, space = np.random.default_rng(start.seed), space_of(start)
    first = max(2, ceil(start.samples / 4))
    opening = design.initial(space, first, rng)
    known = prior(space.groups, Policy.linears[0], Policy.scale, Policy.additive)
    readings, best = Readings(opening[:0], []), opening[0]
    told: Told | None = None
    for asked in range(start.comparisons):
        new = opening[asked + 1] if told is None or asked + 1 < first else next_sample(told, asked, start, space, rng)
        judge.prefer(*(np.asarray(space.decode(x)) for x in (best, new)))
        for x, value in zip((best, new), judge.seen, strict=True):
            readings.add(x, value)
        told = readings.told(known)
        best = told.X[told.best]
        judge.recommend(np.asarray(space.decode(best)))
    return first


if __name__ == "__main__":
    serve(solve, ["prefero", "numpy", "scipy"])

"""What could be had if the person said numbers: the default proposer's kernel, turns and search, told what was seen.

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
from prefero.models import evidence
from prefero.models.kernels import Kernel
from prefero.models.posterior import ExpectedImprovement, HopefulMean, Utilities
from prefero.proposers import posterior, search
from prefero.proposers.posterior import Posterior
from prefero.space import Space, design

EXACT = 1e-3
NOISES = (0.1, 0.2, 0.4, 0.8)
"""Values of ρ: of a person whose readings of one candidate never differ, and those that are compared otherwise."""


@dataclass(frozen=True)
class Told:
    """The utilities given numbers, as acquisition functions want them: E u(z) is k(z, X) H, and k G k' is off its covariance."""

    kernel: Kernel
    X: Array
    K: Array
    G: Array
    H: Array

    @property
    def best(self) -> int:
        """The sample of largest mean."""
        return int((self.K @ self.H)[:, 0].argmax())


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

    def told(self, kernel: Kernel) -> Told:
        """The posterior; lower readings are better."""
        y = -np.array([np.mean(values) for values in self.said])
        r = np.array([len(values) for values in self.said])
        exact = all(len(set(values)) == 1 for values in self.said)
        K, t = kernel(self.X, self.X), y - y.mean()
        fits = [_fit(K, t, rho, r) for rho in ((EXACT,) if exact else NOISES)]
        _, s, G = max(fits, key=lambda fit: fit[0])
        return Told(kernel, self.X, K, G, (G @ t / s)[:, None])


def _fit(K: Array, t: Array, rho: float, r: Array) -> tuple[float, float, Array]:
    """The log of the marginal likelihood with the best s, that s, and (K + ρ²/r)⁻¹."""
    S = np.asarray(K + np.diag(rho**2 / r + 1e-9))
    G = np.asarray(np.linalg.inv(S), dtype=float)
    s = float(np.sqrt(max(t @ G @ t / len(t), 1e-300)))
    return -0.5 * float(np.linalg.slogdet(S)[1]) - len(t) * float(np.log(s)), s, G


def next_sample(told: Told, asked: int, start: Start, space: Space, rng: np.random.Generator) -> Array:
    """By the turns of the default proposer, less the paper's method, which takes no numbers."""
    exploit = asked % 2 == 1 or start.comparisons - asked <= posterior.FINISH * start.samples
    utilities = cast(Utilities, told)
    promise: HopefulMean | ExpectedImprovement = (
        HopefulMean(utilities, told.best, Posterior.hope) if exploit else ExpectedImprovement(utilities, told.best)
    )
    taken = search.Taken(told.X, np.full(len(told.X), search.SAMPLE_RADIUS))
    scales = told.kernel.coordinate_scales
    x = search.minimise(promise, space, rng, taken, told.X[told.best], effort=posterior.EFFORT, scales=scales)
    if x is None:
        raise ValueError("no candidate is left")
    return x


def solve(start: Start, judge: Judge) -> int:
    """Compare the best with the first samples, then with what promises most; keep what the person read off both."""
    rng, space = np.random.default_rng(start.seed), space_of(start)
    first = max(2, ceil(start.samples / 4))
    opening = design.initial(space, first, rng)
    kernel = Kernel(evidence.prior(len(space.groups))[0], space.groups)
    readings, best = Readings(opening[:0], []), opening[0]
    told: Told | None = None
    for asked in range(start.comparisons):
        new = opening[asked + 1] if told is None or asked + 1 < first else next_sample(told, asked, start, space, rng)
        judge.prefer(*(np.asarray(space.decode(x)) for x in (best, new)))
        for x, value in zip((best, new), judge.seen, strict=True):
            readings.add(x, value)
        told = readings.told(kernel)
        best = told.X[told.best]
        judge.recommend(np.asarray(space.decode(best)))
    return first


if __name__ == "__main__":
    serve(solve, ["prefero", "numpy", "scipy"])

"""Acquisition functions of the paper: the lower the value, the more a candidate is worth asking about.

| symbol | meaning |
|---|---|
| z(x) | inverse distance weighting exploration function, Eq. (IDW-distance) |
| a(x) | acquisition function, Eq. (acquisition) or Eq. (acquisition-improvement-prob) |
| δ | weight of exploration |
| t = Φ'β | f̂(x) − f̂(x*) |
| ℓ₋₁, ℓ₀, ℓ₁ | losses of the three outcomes at t |

Each takes a matrix with one candidate per row. Those that are smooth also return their gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prefero.models.rbf import Surrogate
from prefero.space.arrays import Acquisition, Matrix, Vector, quick_squared_distances, squared_distances

_AT_SAMPLE = 1e-15
"""A squared distance up to this is rounding error: the candidate is the sample."""


def exploration(d2: Matrix) -> Vector:
    """Return z, Eq. (IDW-distance), from squared distances to the samples: 0 at a sample, at most π/2 far from all."""
    w = 1 / np.maximum(d2, _AT_SAMPLE)  # Eq. (w-IDW-basic), d the norm
    z: Vector = np.arctan(1 / w.sum(axis=1))
    z[d2.min(axis=1, initial=np.inf) <= _AT_SAMPLE] = 0.0
    return z


def distance_from_samples(X: Matrix) -> Acquisition:
    """Return z as a function of candidates, for samples X."""
    return lambda Z: exploration(squared_distances(Z, X))


def farthest_from_samples(X: Matrix) -> Acquisition:
    """Return a = −z, the acquisition for a constant surrogate and for fallbacks."""
    return lambda Z: -exploration(quick_squared_distances(Z, X))


@dataclass(frozen=True)
class SurrogateAndDistance:
    """a = f̂/ΔF̂ − δ z, Eq. (acquisition)."""

    surrogate: Surrogate
    delta: float

    def __call__(self, Z: Matrix) -> Vector:
        """Return a at candidates."""
        d2 = quick_squared_distances(Z, self.surrogate.X)
        value = self.surrogate.at_distances(d2) / self.surrogate.spread
        return value - self.delta * exploration(d2) if self.delta else value  # Eq. (acquisition)

    def with_gradient(self, Z: Matrix) -> tuple[Vector, Matrix]:
        """Return a and its gradient; f̂ and z are both sums over the samples of functions of d²."""
        d2 = squared_distances(Z, self.surrogate.X)
        f, slopes = self.surrogate.at_distances(d2), self.surrogate.slopes(d2)
        z, z_slopes = exploration(d2), _exploration_slopes(d2)
        weights = slopes / self.surrogate.spread - self.delta * z_slopes
        return f / self.surrogate.spread - self.delta * z, _gathered(weights, Z, self.surrogate.X)


@dataclass(frozen=True)
class ProbabilityOfImprovement:
    """a = −p − δ z, p the probability that the candidate beats sample `best`, Eq. (acquisition-improvement-prob).

    Theorem 1 reads the fit as a likelihood whose weights are those of the outcome, c_h = c̄. A fit with `best_weight` other than 1
    weighs comparisons with the best sample more, so p is then not the probability under this likelihood but a ranking by it.
    """

    surrogate: Surrogate
    best: int
    delta: float = 0.0

    def __call__(self, Z: Matrix) -> Vector:
        """Return a at candidates."""
        d2 = quick_squared_distances(Z, self.surrogate.X)
        p = self._probability(self.surrogate.at_distances(d2))[:, 0]
        return -p - self.delta * exploration(d2) if self.delta else -p

    def with_gradient(self, Z: Matrix) -> tuple[Vector, Matrix]:
        """Return a and its gradient."""
        d2 = squared_distances(Z, self.surrogate.X)
        f = self.surrogate.at_distances(d2)
        p = self._probability(f)
        t, settings = f - self.surrogate.values[self.best], self.surrogate.settings
        # dℓ_b/dt of the three losses, which are piecewise linear
        loss_slopes = np.column_stack(
            [t > -settings.margin, np.sign(t) * (np.abs(t) > settings.margin), -1.0 * (t < settings.margin)]
        )
        pull = loss_slopes * np.asarray(settings.weights)
        by_t = p[:, 0] * ((p * pull).sum(axis=1) - pull[:, 0])  # dp/dt of a softmax
        weights = -by_t[:, None] * self.surrogate.slopes(d2) - self.delta * _exploration_slopes(d2)
        return -p[:, 0] - self.delta * exploration(d2), _gathered(weights, Z, self.surrogate.X)

    def _probability(self, f: Vector) -> Matrix:
        """Return the chances of the outcomes for values f of f̂, one row per value."""
        settings = self.surrogate.settings
        return outcome_probabilities(f - self.surrogate.values[self.best], settings.margin, settings.weights)


def _exploration_slopes(d2: Matrix) -> Matrix:
    """Return ∂z/∂d² for each sample: z = arctan(1/W) with W = Σ 1/d²."""
    w = 1 / np.maximum(d2, _AT_SAMPLE)
    total = w.sum(axis=1, keepdims=True)
    return np.asarray((w / total) ** 2 / (1 + 1 / total**2))


def _gathered(weights: Matrix, Z: Matrix, X: Matrix) -> Matrix:
    """Return Σ_i weights_i ∇ d²(z, x_i) for each candidate z."""
    return np.asarray(2 * (weights.sum(axis=1, keepdims=True) * Z - weights @ X))


def outcome_probabilities(t: Vector, margin: float, weights: tuple[float, float, float]) -> Matrix:
    """Return the chances of the outcomes −1, 0, 1 for differences t = Φ'β, Eq. (posterior), one row per difference.

    The paper prints ℓ₀ = max{0, ±t − σ}; correct is max{0, t − σ, −t − σ}.
    """
    losses = np.column_stack([np.maximum(0, t + margin), np.maximum(0, np.abs(t) - margin), np.maximum(0, margin - t)])
    exponents = -losses * np.asarray(weights)
    likelihood = np.exp(exponents - exponents.max(axis=1, keepdims=True))  # the largest is 1: no underflow of all three
    return np.asarray(likelihood / likelihood.sum(axis=1, keepdims=True))

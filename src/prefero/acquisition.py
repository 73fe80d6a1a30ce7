"""What to ask about next, as functions of candidates: lower is more worth asking about.

| symbol | meaning |
|---|---|
| z(x) | inverse distance weighting exploration function, Eq. (IDW-distance) |
| a(x) | acquisition function, Eq. (acquisition) or Eq. (acquisition-improvement-prob) |
| δ | weight of exploration |
| t = Φ'β | f̂(x) − f̂(x*) |
| ℓ₋₁, ℓ₀, ℓ₁ | losses of the three outcomes at t |

Each function here returns a function of a matrix with one candidate a row.
"""

from __future__ import annotations

import numpy as np

from prefero.arrays import Acquisition, Matrix, Vector, quick_squared_distances, squared_distances
from prefero.surrogates.rbf import Surrogate

_AT_SAMPLE = 1e-15
"""Squared distances up to this are rounding: the candidate is the sample."""


def exploration(d2: Matrix) -> Vector:
    """z, Eq. (IDW-distance), of squared distances to the samples: 0 at a sample, larger far from all, below π/2."""
    w = 1 / np.maximum(d2, _AT_SAMPLE)  # Eq. (w-IDW-basic), d the norm
    z: Vector = np.arctan(1 / w.sum(axis=1))
    z[d2.min(axis=1, initial=np.inf) <= _AT_SAMPLE] = 0.0
    return z


def distance_from_samples(X: Matrix) -> Acquisition:
    """z as a function of candidates, for samples X."""
    return lambda Z: exploration(squared_distances(Z, X))


def farthest_from_samples(X: Matrix) -> Acquisition:
    """a = −z: what to ask about when nothing was learned, or nothing can be trusted."""
    return lambda Z: -exploration(quick_squared_distances(Z, X))


def surrogate_and_distance(surrogate: Surrogate, delta: float) -> Acquisition:
    """a = f̂/ΔF̂ − δ z, Eq. (acquisition)."""
    spread = surrogate.spread

    def a(Z: Matrix) -> Vector:
        d2 = quick_squared_distances(Z, surrogate.X)
        value = surrogate.at_distances(d2) / spread
        return value - delta * exploration(d2) if delta else value

    return a


def probability_of_improvement(surrogate: Surrogate, best: int, delta: float = 0.0) -> Acquisition:
    """a = −p − δ z, p the probability that the candidate beats sample `best`, Eq. (acquisition-improvement-prob)."""
    f_best, settings = surrogate.values[best], surrogate.settings

    def a(Z: Matrix) -> Vector:
        d2 = quick_squared_distances(Z, surrogate.X)
        p = outcome_probabilities(surrogate.at_distances(d2) - f_best, settings.margin, settings.weights)[:, 0]
        return -p - delta * exploration(d2) if delta else -p

    return a


def outcome_probabilities(t: Vector, margin: float, weights: tuple[float, float, float]) -> Matrix:
    """The chances of the outcomes −1, 0, 1 for differences t = Φ'β, Eq. (posterior); one row a difference.

    The paper prints ℓ₀ = max{0, ±t − σ}; it is max{0, t − σ, −t − σ}.
    """
    losses = np.column_stack([np.maximum(0, t + margin), np.maximum(0, np.abs(t) - margin), np.maximum(0, margin - t)])
    exponents = -losses * np.asarray(weights)
    likelihood = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return np.asarray(likelihood / likelihood.sum(axis=1, keepdims=True))

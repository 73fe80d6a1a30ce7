"""Answers as intervals of linear functionals of the utilities, the common form of every kind of answer.

The utility is u = −f, higher is better. Answer h is a statement about v_h = a_h'u(X) + e_h, e_h ~ N(0, 2ν²): v_h lies
between `low` and `high`.

| answer | a_h | interval |
|---|---|---|
| A better | e_A − e_B | (τ, ∞), (τ, τ₂) once somebody says "much"; τ = 0 until somebody says "about the same" |
| about the same | e_A − e_B | (−τ, τ) |
| A much better | e_A − e_B | (τ₂, ∞), τ₂ > τ |

Without the bound τ₂ of "A better", the answers would always speak for the smallest τ₂, and it could not be learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr

from prefero.answers import History
from prefero.space.arrays import Indices, Matrix, Vector

_LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Statements:
    """low < u(first) − u(second) + noise < high, one row per statement."""

    first: Indices
    second: Indices
    low: Vector
    high: Vector

    @classmethod
    def of(cls, history: History, tie: float, much: float = 0.0) -> Statements:
        """Return the comparisons of a history.

        tie: τ, the difference below which two candidates seem the same. much: τ₂ − τ; with 0, "much better" is "better".
        """
        even = history.preferences == 0
        threshold = tie if even.any() else 0.0
        low = threshold + much * (history.strengths > 1)
        top = threshold + much if much and (history.strengths > 1).any() else np.inf
        high = np.where(history.strengths > 1, np.inf, top)
        return cls(history.winners, history.losers, np.where(even, -low, low), np.where(even, low, high))

    def __len__(self) -> int:
        return len(self.first)

    def relative_to(self, means: Vector) -> Statements:
        """Return the same statements about what the utilities exceed these prior means of the samples by."""
        offset = means[self.first] - means[self.second]
        return replace(self, low=self.low - offset, high=self.high - offset)

    def functionals(self, K: Matrix) -> Matrix:
        """Return K A': covariances of the functionals with whatever the rows of K stand for."""
        return np.asarray(K[:, self.first] - K[:, self.second])

    def covariance(self, K: Matrix) -> Matrix:
        """Return A K A'."""
        KA = self.functionals(K)
        return np.asarray(KA[self.first] - KA[self.second])

    def matrix(self, samples: int) -> Matrix:
        """Return A as a dense matrix, statements × samples."""
        A, rows = np.zeros((len(self), samples)), np.arange(len(self))
        A[rows, self.first] = 1.0
        A[rows, self.second] = -1.0
        return A


def log_likelihood(g: Vector, statements: Statements, scale: float | Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Return log P(low < g + e < high), e ~ N(0, scale²), and its first three derivatives by g."""
    if np.isinf(statements.high).all():
        return _log_likelihood_above((g - statements.low) / scale, scale)
    a, b = (statements.low - g) / scale, (statements.high - g) / scale
    flip = a + b < 0  # by symmetry into the right tail, where the difference of two tail probabilities is accurate
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    log_a, log_b = log_ndtr(-a), log_ndtr(-b)  # of the upper tails
    # Z = Q(a) − Q(b) in logarithms, since both may underflow; the bound keeps rounding from making Z negative.
    log_z = log_a + np.log1p(-np.exp(np.minimum(log_b - log_a, -1e-300)))
    phi_a, phi_b = (np.exp(-0.5 * x * x - _LOG_SQRT_2PI - log_z) for x in (a, b))  # densities over Z
    far_a, far_b = (np.where(np.isfinite(x), x, 0.0) for x in (a, b))  # x φ(x) → 0 at infinity, not NaN
    rho = phi_a - phi_b
    m2 = far_a * phi_a - far_b * phi_b
    m3 = (far_a**2 - 1) * phi_a - (far_b**2 - 1) * phi_b
    sign = np.where(flip, -1.0, 1.0)
    d1 = sign * rho / scale
    d2 = (m2 - rho**2) / scale**2
    d3 = sign * (m3 - 3 * rho * m2 + 2 * rho**3) / scale**3
    return log_z, d1, d2, d3


def _log_likelihood_above(z: Vector, scale: float | Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the same if there is no upper bound, at z = (g − low)/scale."""
    log_z = log_ndtr(z)
    rho = np.exp(-0.5 * z * z - _LOG_SQRT_2PI - log_z)
    d2 = -rho * (z + rho)
    return log_z, rho / scale, d2 / scale**2, rho * (z * z - 1 + z * rho - 2 * d2) / scale**3

"""The prior of the utility: a linear part plus a smooth one.

| symbol | meaning | shape |
|---|---|---|
| s | the smooth kernel, additive and full parts mixed (`kernels`) | |
| λ | share of the linear part in the variance | |
| m, S | mean and covariance of the weights of the linear part | d, d × d |

u(x) = w'x + g(x) with w ~ N(m, S) and g ~ GP(0, (1 − λ) s). Without other people to learn from, m = 0 and S = λ 3/d I, so that
either part alone varies by about 1 over the box [−1, 1]ᵈ. Real tastes are often monotone: a linear part finds that out in a few
answers, and leaves the rest to the smooth one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from prefero.models.kernels import Groups, Kernel, Near
from prefero.space.arrays import Matrix, Vector

CACHED = 256
"""Priors that are kept: the same object for the same arguments tells that its covariances need not be computed again."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Mean and covariance of the utilities of candidates."""

    smooth: Kernel
    share: float  # 1 − λ, of the smooth part
    m: Vector
    S: Matrix

    @property
    def coordinate_scales(self) -> Vector:
        """The length scale of each coordinate."""
        return self.smooth.coordinate_scales

    def scaled(self, factor: float) -> Prior:
        """Return the prior with all covariances multiplied by a factor."""
        return Prior(self.smooth, self.share * factor, self.m, self.S * factor)

    def mean(self, Z: Matrix) -> Vector:
        """Return the prior mean of u at candidates."""
        return np.asarray(Z @ self.m)

    def __call__(self, A: Matrix, B: Matrix) -> Matrix:
        """Return k(a, b) for every row of A and of B, in single precision if the arguments are."""
        linear = A @ (self.S.astype(A.dtype) @ B.T)
        if not self.share:
            return np.asarray(linear)
        return np.asarray(A.dtype.type(self.share) * self.smooth(A, B) + linear)

    def variance(self, Z: Matrix) -> Vector:
        """Return k(z, z)."""
        return np.asarray(self.share * self.smooth.variance(Z) + ((Z @ self.S) * Z).sum(axis=1))

    def between(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return k(y, z), row by row."""
        return np.asarray(self.share * self.smooth.between(Y, Z) + ((Y @ self.S) * Z).sum(axis=1))

    def near(self, Z: Matrix, X: Matrix) -> NearPrior:
        """Return k(z, x) for a few candidates, with what its gradient needs."""
        near, ascent = self.smooth.near(Z, X), X @ self.S
        return NearPrior(self.share * near.K + Z @ ascent.T, near, self.share, ascent, Z @ self.S)


@dataclass(frozen=True)
class NearPrior:
    """k at a few candidates, and the gradients of linear combinations of it."""

    K: Matrix
    smooth: Near
    share: float  # 1 − λ
    ascent: Matrix  # ∇_z of the linear part of k(z, x): samples × coordinates
    own: Matrix  # ½ ∇_z k(z, z): of the linear part alone, since the smooth one has the same variance everywhere

    def gradient(self, omega: Matrix) -> Matrix:
        """Return ∇_z Σ_i ω_i(z) k(z, x_i), candidates × coordinates; ω has one row per candidate."""
        return np.asarray(self.share * self.smooth.gradient(omega) + omega @ self.ascent)


def prior(groups: Groups, linear: float, scale: float, additive: float) -> Prior:
    """Return the prior of a person nobody knows; the same object for the same arguments.

    Parameters
    ----------
    groups: the coordinates of each variable.
    linear: λ.
    scale: log of the length scales, relative to √n for n variables.
    additive: weight of the additive part of the smooth kernel.
    """
    return _prior(tuple((place.start, place.stop) for place in groups), linear, scale, additive)


@lru_cache(CACHED)
def _prior(groups: tuple[tuple[int, int], ...], linear: float, scale: float, additive: float) -> Prior:
    n, d = len(groups), groups[-1][1]
    theta = np.append(np.full(n, scale + 0.5 * np.log(n)), np.log(additive / (1 - additive)))
    smooth = Kernel(theta, tuple(slice(*place) for place in groups))
    return Prior(smooth, 1 - linear, np.zeros(d), linear * 3 / d * np.eye(d))

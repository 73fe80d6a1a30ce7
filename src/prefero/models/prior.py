"""The prior of the utility: a linear part plus a smooth one.

| symbol | meaning | shape |
|---|---|---|
| s | the smooth kernel, additive and full parts mixed (`kernels`) | |
| λ | share of the linear part in the variance | |
| ψ | functions whose weighted sum is the linear part: x itself, or x and a few smooth functions (`Basis`) | D |
| m, S | mean and covariance of the weights of the linear part | D, D × D |

u(x) = w'ψ(x) + g(x) with w ~ N(m, S) and g ~ GP(0, (1 − λ) s). Without other people to learn from, ψ(x) = x, m = 0 and
S = λ 3/d I, so that either part alone varies by about 1 over the box [−1, 1]ᵈ. Real tastes are often monotone: a linear part finds
that out in a few answers, and leaves the rest to the smooth one. What other people answered gives m and S (`population`).
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
class Basis:
    """ψ(z) = (z, R's(P, z)): with weights w ~ N(0, I) of the second part, its sum has the covariance s between points of P.

    P: points of the box.
    R: R R' = s(P, P)⁻¹.
    """

    smooth: Kernel
    P: Matrix
    R: Matrix

    def __call__(self, Z: Matrix) -> Matrix:
        """Return ψ(z), one row per candidate."""
        return np.hstack([Z, self.smooth(Z, self.P.astype(Z.dtype)) @ self.R.astype(Z.dtype)])


@dataclass(frozen=True, eq=False)
class Prior:
    """Mean and covariance of the utilities of candidates."""

    smooth: Kernel
    share: float  # 1 − λ, of the smooth part
    m: Vector
    S: Matrix
    basis: Basis | None = None  # ψ; None if ψ(x) = x

    def features(self, Z: Matrix) -> Matrix:
        """Return ψ(z), one row per candidate."""
        return Z if self.basis is None else self.basis(Z)

    @property
    def coordinate_scales(self) -> Vector:
        """The length scale of each coordinate."""
        return self.smooth.coordinate_scales

    def scaled(self, factor: float) -> Prior:
        """Return the prior with all covariances multiplied by a factor."""
        return Prior(self.smooth, self.share * factor, self.m, self.S * factor)

    def mean(self, Z: Matrix) -> Vector:
        """Return the prior mean of u at candidates."""
        return np.asarray(self.features(Z) @ self.m)

    def __call__(self, A: Matrix, B: Matrix) -> Matrix:
        """Return k(a, b) for every row of A and of B, in single precision if the arguments are."""
        linear = self.features(A) @ (self.S.astype(A.dtype) @ self.features(B).T)
        if not self.share:
            return np.asarray(linear)
        return np.asarray(A.dtype.type(self.share) * self.smooth(A, B) + linear)

    def variance(self, Z: Matrix) -> Vector:
        """Return k(z, z)."""
        F = self.features(Z)
        return np.asarray(self.share * self.smooth.variance(Z) + ((F @ self.S) * F).sum(axis=1))

    def between(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return k(y, z), row by row."""
        linear = ((self.features(Y) @ self.S) * self.features(Z)).sum(axis=1)
        return np.asarray(self.share * self.smooth.between(Y, Z) + linear)

    def near(self, Z: Matrix, X: Matrix) -> NearPrior:
        """Return k(z, x) for a few candidates, with what its gradient needs."""
        near, ascent = self.smooth.near(Z, X), self.features(X) @ self.S
        around = None if self.basis is None else self.basis.smooth.near(Z, self.basis.P)
        F = Z if around is None or self.basis is None else np.hstack([Z, around.K @ self.basis.R])
        return NearPrior(self, self.share * near.K + F @ ascent.T, near, ascent, F, around)


@dataclass(frozen=True)
class NearPrior:
    """k at a few candidates, and the gradients of linear combinations of it."""

    prior: Prior
    K: Matrix
    smooth: Near
    ascent: Matrix  # ψ(X) S: samples × D
    F: Matrix  # ψ at the candidates
    around: Near | None  # s(z, P), if there is a basis

    def gradient(self, omega: Matrix) -> Matrix:
        """Return ∇_z Σ_i ω_i(z) k(z, x_i), candidates × coordinates; ω has one row per candidate."""
        return np.asarray(self.prior.share * self.smooth.gradient(omega) + self._of_features(omega @ self.ascent))

    @property
    def rise(self) -> Matrix:
        """The gradient of the prior mean: candidates × coordinates."""
        return self._of_features(np.broadcast_to(self.prior.m, self.F.shape))

    @property
    def own(self) -> Matrix:
        """½ ∇_z k(z, z): of the linear part alone, since the smooth one has the same variance everywhere."""
        return self._of_features(self.F @ self.prior.S)

    def _of_features(self, c: Matrix) -> Matrix:
        """Return ∇_z c'ψ(z); c has one row per candidate."""
        if self.around is None or self.prior.basis is None:
            return c
        d = c.shape[1] - self.prior.basis.R.shape[1]
        return np.asarray(c[:, :d] + self.around.gradient(c[:, d:] @ self.prior.basis.R.T))


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

"""The prior covariance: a smooth utility plus a linear one.

k(x, y) = (1 − λ) s(x, y) + λ 3/d x'y for d coordinates. s is the smooth kernel of the default proposer. Each weight of the linear
part is N(0, 3/d), so that both parts vary by about 1 over the box.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from prefero.models.kernels import Groups, Kernel, Near
from prefero.space.arrays import Matrix, Vector


@dataclass(frozen=True)
class Mixed:
    """k for a smooth kernel and a share λ of the linear part."""

    smooth: Kernel
    share: float

    @property
    def slope(self) -> float:
        """λ 3/d."""
        return self.share * 3 / float(self.smooth.groups[-1].stop)

    @property
    def coordinate_scales(self) -> Vector:
        """The length scale of each coordinate."""
        return self.smooth.coordinate_scales

    def __call__(self, A: Matrix, B: Matrix) -> Matrix:
        """Return k(a, b) for every row of A and of B, in single precision if the arguments are."""
        number = A.dtype.type
        return np.asarray(number(1 - self.share) * self.smooth(A, B) + (number(self.slope) * A) @ B.T)

    def variance(self, Z: Matrix) -> Vector:
        """Return k(z, z)."""
        return np.asarray((1 - self.share) * self.smooth.variance(Z) + self.slope * (Z * Z).sum(axis=1))

    def between(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return k(y, z), row by row."""
        return np.asarray((1 - self.share) * self.smooth.between(Y, Z) + self.slope * (Y * Z).sum(axis=1))

    def near(self, Z: Matrix, X: Matrix) -> NearMixed:
        """Return k(z, x) for a few candidates, with what its gradient needs."""
        near = self.smooth.near(Z, X)
        K = (1 - self.share) * near.K + self.slope * Z @ X.T
        return NearMixed(K, near, 1 - self.share, self.slope * X, self.slope * Z)


@dataclass(frozen=True)
class NearMixed:
    """k at a few candidates, and the gradients of linear combinations of it."""

    K: Matrix
    smooth: Near
    weight: float  # 1 − λ
    ascent: Matrix  # ∇_z of the linear part of k(z, x): samples × coordinates
    own: Matrix  # ½ ∇_z k(z, z): of the linear part alone, since the smooth one has the same variance everywhere

    def gradient(self, omega: Matrix) -> Matrix:
        """Return ∇_z Σ_i ω_i(z) k(z, x_i), candidates × coordinates; ω has one row per candidate."""
        return np.asarray(self.weight * self.smooth.gradient(omega) + omega @ self.ascent)


def mixed(groups: Groups, share: float, scale: float, additive: float) -> Mixed:
    """Return the kernel; the same object for the same arguments, so that its covariances are not computed twice.

    Parameters
    ----------
    groups: the coordinates of each variable.
    share: λ.
    scale: log of the length scales, relative to √n.
    additive: weight of the additive part of s.
    """
    return _mixed(tuple((place.start, place.stop) for place in groups), share, scale, additive)


@cache
def _mixed(groups: tuple[tuple[int, int], ...], share: float, scale: float, additive: float) -> Mixed:
    n = len(groups)
    theta = np.append(np.full(n, scale + 0.5 * np.log(n)), np.log(additive / (1 - additive)))
    return Mixed(Kernel(theta, tuple(slice(*place) for place in groups)), share)

"""The prior covariance of utilities: a product and an additive Matérn-5/2 kernel, weighted.

| symbol | meaning | shape |
|---|---|---|
| θ | (log length scales, logit of the additive weight) | n + 1 |
| n | variables; a choice of m levels is one variable with m coordinates | |
| D | distances in each variable, for each pair of samples | n × N(N−1)/2 |
| w | weight of the additive part | |

k(x, y) = (1 − w) m(√5 ‖(x − y)/l‖) + w/n Σ_k m(√(5n) |x_k − y_k|/l_k), m(r) = (1 + r + r²/3) e^−r. Length scales of the
product kernel grow with √n (distances do); the one-dimensional ones are taken without it. k(x, x) = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prefero.arrays import Matrix, Vector

Groups = Sequence[slice]
"""The coordinates of each variable."""


def matern(r: Matrix) -> Matrix:
    """m(r), computed in place of r."""
    e = np.exp(-r)
    value = r / 3
    value += 1
    value *= r
    value += 1
    value *= e
    return value


def distances_of_pairs(X: Matrix, groups: Groups) -> Matrix:
    """|x_ik − x_jk| of the pairs i < j, in the order of `np.triu_indices`, for each variable k: n × pairs."""
    i, j = np.triu_indices(len(X), 1)
    return distances_by_variable(X[i] - X[j], groups)


def distances_by_variable(differences: Matrix, groups: Groups) -> Matrix:
    """The distances in each variable of pairs of points, whose differences are given one pair a row: n × pairs."""
    if len(groups) == differences.shape[1]:
        return np.ascontiguousarray(np.abs(differences.T))
    squares = differences.T**2
    return np.sqrt([squares[place].sum(axis=0) for place in groups])


@dataclass(frozen=True)
class Kernel:
    """k for given θ, as functions of candidates."""

    theta: Vector
    groups: Groups

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.groups)

    @property
    def scales(self) -> Vector:
        """The length scales l of the variables."""
        return np.asarray(np.exp(self.theta[: self.n]))

    @property
    def additive_weight(self) -> float:
        """w."""
        return float(1 / (1 + np.exp(-self.theta[self.n])))

    def __call__(self, A: Matrix, B: Matrix) -> Matrix:
        """k(a, b) for every row of A and of B; single precision in, single precision out."""
        w, reach = self.additive_weight, (np.sqrt(5) / self.scales).astype(A.dtype)
        total = np.zeros((len(A), len(B)), dtype=A.dtype)
        additive = np.zeros_like(total)
        for k, place in enumerate(self.groups):
            d = _distance(A, B, place)
            d *= reach[k]
            total += d * d
            d *= total.dtype.type(np.sqrt(self.n))
            additive += matern(d)
        np.sqrt(total, out=total)
        K = matern(total)
        K *= 1 - w
        additive *= w / self.n
        K += additive
        return K

    def near(self, Z: Matrix, X: Matrix) -> Near:
        """k(z, x) for a few candidates, with what its gradient needs."""
        reach = np.sqrt(5) / np.repeat(self.scales, self._widths)
        offset = (Z[:, None, :] - X) * reach
        squares = offset * offset
        r = np.sqrt(squares.sum(axis=2))
        if self._plain:
            r1 = np.abs(offset)
        else:
            r1 = np.sqrt(np.stack([squares[:, :, place].sum(axis=2) for place in self.groups], axis=2))
        r1 *= np.sqrt(self.n)
        w, e, e1 = self.additive_weight, np.exp(-r), np.exp(-r1)
        slope, slopes = (1 - w) * (1 + r) * e, (1 + r1) * e1
        r1 *= r1
        r1 *= e1
        K = slope + (1 - w) / 3 * r * r * e + (w / self.n) * (slopes.sum(axis=2) + r1.sum(axis=2) / 3)
        slopes *= w
        return Near(K, offset, slope, slopes if self._plain else np.repeat(slopes, self._widths, axis=2), reach)

    @property
    def _widths(self) -> list[int]:
        """The number of coordinates of each variable."""
        return [place.stop - place.start for place in self.groups]

    @property
    def _plain(self) -> bool:
        """Whether every variable has one coordinate."""
        return bool(self.groups[-1].stop == self.n)


@dataclass(frozen=True)
class Near:
    """k at a few candidates, and the gradients of weighted sums of it."""

    K: Matrix  # candidates × samples
    offset: Matrix  # √5 (z − x)/l: candidates × samples × coordinates
    slope: Matrix
    slopes: Matrix  # candidates × samples × coordinates
    reach: Vector

    def gradient(self, omega: Matrix) -> Matrix:
        """∇_z Σ_i ω_i(z) k(z, x_i), ω one row a candidate; candidates × coordinates."""
        # dm/d(r²/2) = −(1 + r) e^−r / 3, and the n of √(5n) cancels with the 1/n of the mean
        pull = omega[:, None, :] @ ((self.slope[:, :, None] + self.slopes) * self.offset)
        return np.asarray(pull[:, 0] * (-self.reach / 3))


def _distance(A: Matrix, B: Matrix, place: slice) -> Matrix:
    """|a − b| in one variable."""
    if place.stop - place.start == 1:
        d = A[:, place.start, None] - B[:, place.start]
        return np.abs(d, out=d)
    total = np.zeros((len(A), len(B)), dtype=A.dtype)
    for c in range(place.start, place.stop):
        total += (A[:, c, None] - B[:, c]) ** 2
    return np.asarray(np.sqrt(total))


def gram(D: Matrix, theta: Vector) -> tuple[Vector, Matrix]:
    """k and ∂k/∂θ_k for pairs of samples with distances D, variables × pairs: (pairs,) and (n + 1) × pairs."""
    n = len(D)
    w = 1 / (1 + np.exp(-theta[n]))
    r1 = D * (np.sqrt(5 * n) * np.exp(-theta[:n]))[:, None]
    s1 = r1 * r1
    r = np.sqrt(s1.sum(axis=0) / n)
    e = np.exp(-r)
    full = (1 + r + r * r / 3) * e
    e1 = np.exp(-r1)
    gradient = np.empty((n + 1, len(r)))
    slope = np.multiply(r1, e1, out=gradient[:n])
    slope += e1
    additive = slope.sum(axis=0)
    e1 *= s1
    additive += e1.sum(axis=0) / 3
    additive /= n
    slope *= w
    slope += (1 - w) * (1 + r) * e
    slope *= s1
    slope *= 1 / (3 * n)
    gradient[n] = w * (1 - w) * (additive - full)
    return (1 - w) * full + w * additive, gradient

"""The smooth kernel: a weighted product and additive Matérn-5/2 kernel.

| symbol | meaning | shape |
|---|---|---|
| θ | (log length scales, logit of the additive weight) | n + 1 |
| n | variables; a choice of m levels is one variable with m coordinates | |
| w | weight of the additive part | |

k(x, y) = (1 − w) m(√5 ‖(x − y)/l‖) + w/n Σ_k m(√(5n) |x_k − y_k|/l_k), m(r) = (1 + r + r²/3) e^−r. Distances grow with √n,
and so do the length scales l of the product kernel; the one-dimensional kernels use l_k/√n. k(x, x) = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prefero.space.arrays import Matrix, Vector

Groups = Sequence[slice]
"""The coordinates of each variable."""


def _matern(r: Matrix, square: Matrix) -> Matrix:
    """Return m(r), computed in place of r²; r is overwritten."""
    # In place: allocating arrays of this size costs more than filling them. The constants keep single precision.
    third, one = r.dtype.type(1 / 3), r.dtype.type(1)
    square *= third
    square += r
    square += one
    np.negative(r, out=r)
    np.exp(r, out=r)
    square *= r
    return square


def distances_by_variable(differences: Matrix, groups: Groups) -> Matrix:
    """Return the distance in each variable, n × pairs, from the differences of pairs of points, one pair per row."""
    if len(groups) == differences.shape[1]:
        return np.ascontiguousarray(np.abs(differences.T))
    squares = differences.T**2
    return np.sqrt([squares[place].sum(axis=0) for place in groups])


@dataclass(frozen=True)
class Kernel:
    """k for given θ, as a function of candidates."""

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
    def coordinate_scales(self) -> Vector:
        """The length scale of each coordinate."""
        return np.repeat(self.scales, self._widths)

    @property
    def additive_weight(self) -> float:
        """The weight w of the additive part."""
        return float(1 / (1 + np.exp(-self.theta[self.n])))

    def __call__(self, A: Matrix, B: Matrix) -> Matrix:
        """Return k(a, b) for every row of A and of B, in single precision if the arguments are."""
        w, number = self.additive_weight, A.dtype.type
        reach = (np.sqrt(5 * self.n) / self.coordinate_scales).astype(A.dtype)
        A, B = np.ascontiguousarray((A * reach).T), np.ascontiguousarray((B * reach).T)
        total, additive = np.zeros((2, A.shape[1], B.shape[1]), dtype=A.dtype)
        r, square = np.empty_like(total), np.empty_like(total)  # reused for every variable
        for place in self.groups:
            _distance(A[place], B[place], out=r)
            np.multiply(r, r, out=square)
            total += square
            additive += _matern(r, square)
        total *= number(1 / self.n)
        np.sqrt(total, out=r)
        K = _matern(r, total)
        K *= number(1 - w)
        additive *= number(w / self.n)
        K += additive
        return K

    def variance(self, Z: Matrix) -> Vector:
        """Return k(z, z)."""
        return np.ones(len(Z))

    def between(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return k(y, z), row by row."""
        w, r1 = (
            self.additive_weight,
            distances_by_variable(Y - Z, self.groups) * (np.sqrt(5 * self.n) / self.scales)[:, None],
        )
        r = np.sqrt((r1 * r1).sum(axis=0) / self.n)
        return np.asarray((1 - w) * _matern(r, r * r) + w * _matern(r1, r1 * r1).mean(axis=0))

    def near(self, Z: Matrix, X: Matrix) -> Near:
        """Return k(z, x) for a few candidates, with what its gradient needs."""
        reach = np.sqrt(5) / self.coordinate_scales
        offset = (Z[:, None, :] - X) * reach
        squares = offset * offset
        r = np.sqrt(squares.sum(axis=2))
        if self._plain:
            r1 = np.abs(offset)
        else:
            r1 = np.sqrt(np.stack([squares[:, :, place].sum(axis=2) for place in self.groups], axis=2))
        r1 *= np.sqrt(self.n)
        w, e, e1 = self.additive_weight, np.exp(-r), np.exp(-r1)
        # m(r) = (1 + r) e^−r + r² e^−r / 3, and (1 + r) e^−r is what the gradient needs, too.
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
    """k at a few candidates, and the gradients of linear combinations of it."""

    K: Matrix  # candidates × samples
    offset: Matrix  # √5 (z − x)/l: candidates × samples × coordinates
    slope: Matrix
    slopes: Matrix  # candidates × samples × coordinates
    reach: Vector

    def gradient(self, omega: Matrix) -> Matrix:
        """Return ∇_z Σ_i ω_i(z) k(z, x_i), candidates × coordinates; ω has one row per candidate."""
        # dm/d(r²/2) = −(1 + r) e^−r / 3, and the n of √(5n) cancels with the 1/n of the mean
        pull = omega[:, None, :] @ ((self.slope[:, :, None] + self.slopes) * self.offset)
        return np.asarray(pull[:, 0] * (-self.reach / 3))


def _distance(A: Matrix, B: Matrix, out: Matrix) -> None:
    """Compute ‖a − b‖ in one variable, whose coordinates are the rows of A and B, into `out`."""
    np.subtract(A[0][:, None], B[0], out=out)
    if len(A) == 1:
        np.abs(out, out=out)
        return
    out *= out
    for a, b in zip(A[1:], B[1:], strict=True):
        out += (a[:, None] - b) ** 2
    np.sqrt(out, out=out)

"""Array types and small numeric helpers shared by every room."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]

ROUNDING = 1e-9
"""Points of the box that differ by no more than this in every coordinate are the same point.

Converting to user units and back costs the last digits, about 1e-15; distinct candidates are much farther apart.
"""

Acquisition: TypeAlias = Callable[[Matrix], Vector]
"""A function of candidates in the box, one per row; the lower its value, the more a candidate is worth asking about."""


def squared_distances(X: Matrix, Y: Matrix) -> Matrix:
    """Return ‖x_i − y_j‖² for every row of X and of Y; exactly 0 for coinciding points."""
    # One coordinate at a time: no N × N × n array, and no cancellation as in ‖x‖² + ‖y‖² − 2x'y.
    D = np.zeros((len(X), len(Y)))
    for x, y in zip(X.T, Y.T, strict=True):
        difference = x[:, None] - y
        D += difference * difference
    return D


def quick_squared_distances(X: Matrix, Y: Matrix) -> Matrix:
    """Return the same by one matrix product, to an absolute error of about 1e-15: fast for many candidates."""
    D: Matrix = (X * X).sum(axis=1)[:, None] + (Y * Y).sum(axis=1) - 2 * (X @ Y.T)
    return np.maximum(D, 0.0, out=D)  # cancellation can leave a tiny negative number


def map_into(X: Matrix, low: Vector, high: Vector) -> Matrix:
    """Map points of the box [−1, 1]ⁿ linearly into the part of it between two corners."""
    low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    return np.asarray(low + (X + 1) / 2 * (high - low))


def same_points(X: Matrix, Y: Matrix) -> Mask:
    """Return which row of X is which row of Y, up to `ROUNDING`: rows of X × rows of Y."""
    return np.asarray(np.abs(X[:, None, :] - Y).max(axis=2, initial=0.0) <= ROUNDING)


def between(X: Matrix, low: Vector, high: Vector) -> Mask:
    """Return which rows of X lie between two corners, up to `ROUNDING`."""
    return np.asarray(((low - ROUNDING <= X) & (high + ROUNDING >= X)).all(axis=1))


def begins_with(X: Matrix, start: Matrix) -> bool:
    """Return whether the first rows of X are exactly those of `start`."""
    return np.array_equal(start, X[: len(start)])


def bordered(K: Matrix, rows: Matrix) -> Matrix:
    """Return a symmetric matrix grown by `rows`, its last rows and columns: only new entries have to be computed."""
    known, size = len(K), rows.shape[1]
    grown = np.empty((size, size))
    grown[:known, :known], grown[known:], grown[:, known:] = K, rows, rows.T
    return grown


def read_only(array: NDArray[np.generic]) -> None:
    """Make an array that a frozen value holds read-only."""
    array.flags.writeable = False

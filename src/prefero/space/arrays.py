"""The shapes that the mathematics speaks of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]

Acquisition: TypeAlias = Callable[[Matrix], Vector]
"""A function of candidates in the box, one a row, lower is more worth asking about."""


def squared_distances(X: Matrix, Y: Matrix) -> Matrix:
    """‖x_i − y_j‖² for every row of X and of Y, exact at coinciding points."""
    D = np.zeros((len(X), len(Y)))
    for x, y in zip(X.T, Y.T, strict=True):
        difference = x[:, None] - y
        D += difference * difference
    return D


def quick_squared_distances(X: Matrix, Y: Matrix) -> Matrix:
    """The same by one matrix product, good to some 1e-15 of the box: for many candidates at once."""
    D: Matrix = (X * X).sum(axis=1)[:, None] + (Y * Y).sum(axis=1) - 2 * (X @ Y.T)
    return np.maximum(D, 0.0, out=D)


def drawn_together(X: Matrix, low: Vector, high: Vector) -> Matrix:
    """Points spread over the box [−1, 1]ⁿ, as points spread over what two corners leave of it."""
    low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    return np.asarray(low + (X + 1) / 2 * (high - low))


def between(X: Matrix, low: Vector, high: Vector, slack: float = 1e-9) -> Matrix:
    """The rows between two corners, to the last digits."""
    return X[((low - slack <= X) & (high + slack >= X)).all(axis=1)]


def read_only(array: NDArray[np.generic]) -> None:
    """Let nobody write into an array that a frozen value holds."""
    array.flags.writeable = False

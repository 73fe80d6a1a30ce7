"""A classifier with different costs for different mistakes: section 7.4, with a trained net's outputs for 4,000 photographs.

| symbol | meaning | shape |
|---|---|---|
| p | the softmax outputs of the net: its confidence in each class, for each photograph | (4000, 4) |
| C | the cost of predicting class j for a photograph of class i | (4, 4) |
| x | nonnegative weights of the classes; the class with the largest x_i p_i is predicted, Eq. (predclass) | (4,) |
| r(x) | how many photographs of class i were predicted as class j | (4, 4) |

The outputs are part of the package (`data/cifar4.npz`; `data/cifar4.md` describes their origin), so the net and the photographs
are not needed. `python -m benchmarks.cifar train` computes them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prefero.errors import InputError
from prefero.space.arrays import Indices, Matrix, read_only

CLASSES = ("automobile", "deer", "frog", "ship")
COSTS = (
    (0, 10, 10, 3),
    (4, 0, 2, 4),
    (4, 2, 0, 4),
    (3, 10, 10, 0),
)  # a row per actual class, a column per predicted class
OUTPUTS = "cifar4.npz"

Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs p of the net for each photograph, and the index of the actual class."""

    p: Matrix
    actual: Indices


@cache
def outputs() -> Outputs:
    """Return the stored outputs of the net."""
    with files(__package__).joinpath("data", OUTPUTS).open("rb") as file, np.load(file, allow_pickle=False) as stored:
        p, actual = stored["p"].astype(float), stored["actual"].astype(np.intp)
    read_only(p)
    read_only(actual)
    return Outputs(p, actual)


def predicted(weights: ArrayLike) -> Indices:
    """Return the predicted class of each photograph, the one with the largest x_i p_i, Eq. (predclass)."""
    x = np.asarray(weights, dtype=float)
    if x.shape != (len(CLASSES),) or not np.isfinite(x).all() or (x < 0).any() or not x.any():
        raise InputError.of("weights", weights, f"{len(CLASSES)} nonnegative numbers, not all zero")
    return np.asarray((x * outputs().p).argmax(axis=1))


def confusion(weights: ArrayLike) -> Counts:
    """Return r, the confusion matrix: a row per actual class, a column per predicted class."""
    n = len(CLASSES)
    return np.bincount(outputs().actual * n + predicted(weights), minlength=n * n).reshape(n, n)


def mistakes(weights: ArrayLike) -> Counts:
    """Return the counts of all mistakes, row by row: r without its diagonal."""
    counts = confusion(weights)
    return np.asarray(counts[~np.eye(len(counts), dtype=bool)])


def cost(weights: ArrayLike) -> float:
    """Return f(x, 0), the total cost of all mistakes, Eq. (NN-latent-fcn) without noise."""
    return float((np.array(COSTS) * confusion(weights)).sum())


def accuracy(weights: ArrayLike) -> float:
    """Return the share of photographs that are classified correctly."""
    return float((predicted(weights) == outputs().actual).mean())

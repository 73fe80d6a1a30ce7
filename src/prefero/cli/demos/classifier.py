"""A classifier whose mistakes cost differently: the material of section 7.4, a trained net's answers on 4,000 real photographs.

| symbol | meaning | shape |
|---|---|---|
| p | the net's confidence that a photograph shows each class, its softmax outputs | (4000, 4) |
| C | what it costs to take class i for class j | (4, 4) |
| x | nonnegative weights of the classes; the class with the largest x_i p_i is predicted, Eq. (predclass) | (4,) |
| r(x) | how many photographs of class i were taken for class j | (4, 4) |

The outputs are part of the package (`data/cifar4.npz`; `data/cifar4.md` tells where they come from), so that neither the net
nor the photographs are needed. `python -m benchmarks.cifar train` makes them anew.
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
COSTS = ((0, 10, 10, 3), (4, 0, 2, 4), (4, 2, 0, 4), (3, 10, 10, 0))  # a row an actual class, a column a predicted one
OUTPUTS = "cifar4.npz"

Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Outputs:
    """What the net said about each photograph, and what it shows: the number of its class."""

    p: Matrix
    actual: Indices


@cache
def outputs() -> Outputs:
    """The stored outputs of the net."""
    with files(__package__).joinpath("data", OUTPUTS).open("rb") as file, np.load(file, allow_pickle=False) as stored:
        p, actual = stored["p"].astype(float), stored["actual"].astype(np.intp)
    read_only(p)
    read_only(actual)
    return Outputs(p, actual)


def predicted(weights: ArrayLike) -> Indices:
    """The class with the largest x_i p_i for each photograph, Eq. (predclass)."""
    x = np.asarray(weights, dtype=float)
    if x.shape != (len(CLASSES),) or not np.isfinite(x).all() or (x < 0).any() or not x.any():
        raise InputError.of("weights", weights, f"{len(CLASSES)} numbers of at least 0, not all of them 0")
    return np.asarray((x * outputs().p).argmax(axis=1))


def confusion(weights: ArrayLike) -> Counts:
    """r: how many photographs of each class (a row) were taken for each class (a column)."""
    n = len(CLASSES)
    return np.bincount(outputs().actual * n + predicted(weights), minlength=n * n).reshape(n, n)


def mistakes(weights: ArrayLike) -> Counts:
    """How often each class was taken for each other, row by row: r without its diagonal."""
    counts = confusion(weights)
    return np.asarray(counts[~np.eye(len(counts), dtype=bool)])


def cost(weights: ArrayLike) -> float:
    """f(x, 0): what all mistakes cost together, Eq. (NN-latent-fcn) without its noise."""
    return float((np.array(COSTS) * confusion(weights)).sum())


def accuracy(weights: ArrayLike) -> float:
    """The share of photographs whose class was found."""
    return float((predicted(weights) == outputs().actual).mean())

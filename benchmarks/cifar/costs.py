"""The latent function of the experiment: what a net's mistakes cost, as a function of the first three weights."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.functions import Array
from benchmarks.pareto import all_weights
from prefero.cli.demos import classifier

NETS = Path(__file__).parent / "nets"
LEAST = 2384.0  # the least cost found, with these weights: python -m benchmarks.cifar optimum
BEST = (0.16906170628926337, 0.1764228411566191, 0.2228463650817719, 0.43166908747234567)


@dataclass(frozen=True, eq=False)
class Net:
    """A net trained as the paper says: its confidences in each class for each photograph, and the actual classes."""

    p: Array
    actual: NDArray[np.intp]

    def predicted(self, weights: Array) -> NDArray[np.intp]:
        """The class of each photograph, Eq. (predclass); weights over the last axis."""
        return np.asarray((weights[..., None, :] * self.p).argmax(axis=-1))

    def cost(self, x: Array) -> Array:
        """The cost over the last axis of the first three weights."""
        rows = np.array(classifier.COSTS)[self.actual]
        weights = all_weights(np.asarray(x, dtype=float))
        found = [rows[np.arange(len(rows)), self.predicted(w)].sum() for w in weights.reshape(-1, 4)]
        return np.array(found, dtype=float).reshape(weights.shape[:-1])

    def accuracy(self, weights: Array) -> float:
        """The share of photographs that are classified correctly."""
        return float((self.predicted(np.asarray(weights, dtype=float)) == self.actual).mean())


def file_of(seed: int) -> Path:
    """The outputs of the net trained as the paper says, with this seed."""
    return NETS / f"seed-{seed}.npz"


@cache
def net_of(seed: int) -> Net:
    """The net trained as the paper says, with this seed."""
    with np.load(file_of(seed), allow_pickle=False) as stored:
        return Net(stored["p"].astype(float), stored["actual"].astype(np.intp))


def cost(x: Array) -> Array:
    """The cost of the package's net; a point outside the simplex counts as one on its border."""
    weights = all_weights(x)
    return np.array([classifier.cost(row) for row in weights.reshape(-1, 4)]).reshape(weights.shape[:-1])

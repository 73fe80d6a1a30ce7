"""The latent function of the experiment: what the net's mistakes cost, as a function of the first three weights."""

import numpy as np

from benchmarks.functions import Array
from benchmarks.pareto import all_weights
from prefero.cli.demos import classifier

LEAST = 2384.0  # the least cost found, with these weights: python -m benchmarks.cifar optimum
BEST = (0.16906170628926337, 0.1764228411566191, 0.2228463650817719, 0.43166908747234567)


def cost(x: Array) -> Array:
    """The cost over the last axis of the first three weights; a point outside the simplex counts as one on its border."""
    weights = all_weights(x)
    return np.array([classifier.cost(row) for row in weights.reshape(-1, 4)]).reshape(weights.shape[:-1])

"""Non-separable functions: known ones rotated and shifted, and smooth random surfaces.

Everything is drawn from `numpy.random.default_rng([SEED, key])`, so that a surface is the same on every machine.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from benchmarks.functions import Array, total

Function: TypeAlias = Callable[[Array], Array]

SEED = 20210


def rotation(dimension: int, key: int) -> Array:
    """A fixed random orthogonal matrix, uniformly distributed: the same for the same dimension and key."""
    draws = np.random.default_rng([SEED, key]).standard_normal((dimension, dimension))
    q, r = np.linalg.qr(draws)
    return np.asarray(q * np.sign(np.diag(r)))


def turned(function: Function, minimizer: Array, shift: Array, key: int) -> Function:
    """The function turned about its minimizer, which moves to `shift`: x -> f(minimizer + R(x - shift))."""
    matrix = rotation(len(shift), key)

    def value(x: Array) -> Array:
        return function(minimizer + (x - shift) @ matrix.T)

    return value


def bumps(dimension: int, key: int, count: int = 12) -> Function:
    """Minus a sum of Gaussian bumps on [-1, 1]^n, each with its own axes, widths and height."""
    rng = np.random.default_rng([SEED, key])
    centres = rng.uniform(-0.9, 0.9, (count, dimension))
    heights = rng.uniform(0.3, 1, count)
    widths = np.sqrt(dimension) * np.exp(rng.uniform(np.log(0.1), np.log(0.4), (count, dimension)))
    frames = np.stack([rotation(dimension, 1000 * key + i) / widths[i][:, None] for i in range(count)])

    def value(x: Array) -> Array:
        turned_offsets = np.einsum("kij,...kj->...ki", frames, x[..., None, :] - centres)
        return -total(heights * np.exp(-0.5 * total(turned_offsets**2)))

    return value


def waves(dimension: int, key: int, length: float, count: int = 60) -> Function:
    """A sum of random plane waves on [-1, 1]^n: nearly a Gaussian process of this length scale."""
    rng = np.random.default_rng([SEED, key])
    frequencies = rng.standard_normal((count, dimension)) / length
    phases = rng.uniform(0, 2 * np.pi, count)
    amplitude = np.sqrt(2 / count)

    def value(x: Array) -> Array:
        return np.asarray(amplitude * total(np.cos(x @ frequencies.T + phases)))

    return value

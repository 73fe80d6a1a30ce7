"""The paper's multi-objective problem, eq:multi-obj-ex: from weights to the balance of the objectives, solved globally.

| symbol | meaning | shape |
|---|---|---|
| z | a decision, each of its variables in [-1, 1]; F(-z) = F(z), so that z_1 >= 0 is enough | (..., 3) |
| F | the three objectives | (..., 3) |
| x | the first two weights; the third is what they leave of 1 | (..., 2) |

The inner problem min x'F(z) begins at the best point of a grid, and a pattern search of ever smaller steps in all 26
directions goes on from there, for many weights at once.
"""

from functools import cache

import numpy as np

from benchmarks.functions import Array, total

SIDE = 21  # of the grid along z_1, which has half the length of the others
FINEST = 1e-8
PATIENCE = 400
MANY = 256  # weights at once, so that the grid's values fit into memory


def objectives(z: Array) -> Array:
    """F(z) over the last axis."""
    a, b, c = np.moveaxis(np.asarray(z, dtype=float), -1, 0)
    first = (2 * a * np.sin(b) - 3 * np.cos(a * b)) ** 2
    return np.stack([first, c**2 * (a + b) ** 4, (a + b + c) ** 2], axis=-1)


def imbalance(F: Array) -> Array:
    """eq:mo-latent-fcn: how far the objectives are from each other, over the last axis."""
    return np.asarray(np.sqrt(total((F - np.roll(F, 1, axis=-1)) ** 2)))


def all_weights(x: Array) -> Array:
    """The weights with the eliminated one; a point outside the simplex counts as one on its border."""
    x = np.asarray(x, dtype=float)
    return np.concatenate([x, np.maximum(1 - x.sum(axis=-1, keepdims=True), 0)], axis=-1)


@cache
def _grid() -> tuple[Array, Array]:
    """The decisions of a grid that are best for one of many weights, and their objectives."""
    half, whole = np.linspace(0, 1, SIDE), np.linspace(-1, 1, 2 * SIDE - 1)
    Z = np.stack(np.meshgrid(half, whole, whole, indexing="ij"), axis=-1).reshape(-1, 3)
    F = objectives(Z)
    weights = np.random.default_rng(0).dirichlet(np.ones(3), 2000)
    best = np.unique(np.concatenate([(part @ F.T).argmin(axis=1) for part in np.array_split(weights, 50)]))
    return Z[best], F[best]


def minimizers(weights: Array) -> Array:
    """z*(x): the global minimiser of x'F(z) for each row of weights."""
    Z, F = _grid()
    z: Array = Z[(weights @ F.T).argmin(axis=1)]
    value = total(weights * objectives(z))
    directions = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)]) - 1.0
    step = np.full(len(z), 1.0 / (SIDE - 1))
    for _ in range(PATIENCE):
        tried = np.clip(z[:, None, :] + step[:, None, None] * directions, -1, 1)
        values = total(weights[:, None, :] * objectives(tried))
        k = values.argmin(axis=1)
        least = values[np.arange(len(z)), k]
        better = least < value
        z[better] = tried[np.arange(len(z)), k][better]
        value[better] = least[better]
        step[~better] /= 2
        if step.max() < FINEST:
            break
    return z


def outcome(x: Array) -> Array:
    """F*(x) for the first two weights, over the last axis."""
    weights = all_weights(x)
    rows = weights.reshape(-1, 3)
    parts = [objectives(minimizers(rows[k : k + MANY])) for k in range(0, len(rows), MANY)]
    return np.concatenate(parts).reshape(weights.shape)


def latent(x: Array) -> Array:
    """The latent function of the decision maker who likes balance, over the last axis of the first two weights."""
    return imbalance(outcome(x))

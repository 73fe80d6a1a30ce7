"""The paper's multi-objective problem, eq:multi-obj-ex: from weights to the balance of the objectives, solved globally.

| symbol | meaning | shape |
|---|---|---|
| z | a decision, each of its variables in [-1, 1]; F(-z) = F(z), so that z_1 >= 0 is enough | (..., 3) |
| F | the three objectives | (..., 3) |
| x | the first two weights; the third is what they leave of 1 | (..., 2) |

The inner problem min x'F(z) begins at the best point of a grid; a pattern search of ever smaller steps in all 26
directions goes on from there, and Newton's method finishes, for many weights at once.
"""

from functools import cache

import numpy as np

from benchmarks.functions import Array, total

SIDE = 21  # of the grid along z_1, which has half the length of the others
FINEST = 1e-4  # step of the pattern search
PATIENCE = 400
NEWTON_STEPS = 4
ROUNDING = 1e-12  # what a step may lose, in the weighted sum
RIDGE = 1e-12  # for weights that leave a direction flat
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
    z = _pattern_search(Z[(weights @ F.T).argmin(axis=1)], weights)
    for _ in range(NEWTON_STEPS):
        tried = _newton_step(z, weights)
        z = np.where((total(weights * (objectives(tried) - objectives(z))) <= ROUNDING)[:, None], tried, z)
    return z


def _pattern_search(z: Array, weights: Array) -> Array:
    """Better and better decisions among the neighbours at a distance that halves where none is better."""
    rows = np.arange(len(z))
    value = total(weights * objectives(z))
    directions = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)]) - 1.0
    step = np.full(len(z), 1.0 / (SIDE - 1))
    for _ in range(PATIENCE):
        tried = np.clip(z[:, None, :] + step[:, None, None] * directions, -1, 1)
        values = total(weights[:, None, :] * objectives(tried))
        k = values.argmin(axis=1)
        better = values[rows, k] < value
        z = np.where(better[:, None], tried[rows, k], z)
        value = np.where(better, values[rows, k], value)
        step = np.where(better, step, step / 2)
        if step.max() < FINEST:
            break
    return z


def _newton_step(z: Array, weights: Array) -> Array:
    """One step of Newton's method; a variable at its bound that is pulled outwards stays there."""
    gradient, hessian = _derivatives(z, weights)
    held = (np.abs(z) == 1) & (gradient * z <= 0)
    gradient = np.where(held, 0.0, gradient)
    hessian = np.where(held[:, :, None] | held[:, None, :], np.eye(3), hessian + RIDGE * np.eye(3))
    return np.asarray(np.clip(z - np.linalg.solve(hessian, gradient[..., None])[..., 0], -1, 1))


def _derivatives(z: Array, weights: Array) -> tuple[Array, Array]:
    """Gradient and Hessian of x'F(z), with F_1 = u^2, F_2 = c^2 s^4 and F_3 = t^2."""
    a, b, c = z.T
    sine, cosine, s, t = np.sin(a * b), np.cos(a * b), a + b, a + b + c
    u = 2 * a * np.sin(b) - 3 * cosine
    zero, one = np.zeros_like(a), np.ones_like(a)
    du = np.stack([2 * np.sin(b) + 3 * b * sine, 2 * a * np.cos(b) + 3 * a * sine, zero], axis=-1)
    mixed = 2 * np.cos(b) + 3 * sine + 3 * a * b * cosine
    ddu = _symmetric(3 * b**2 * cosine, mixed, zero, 3 * a**2 * cosine - 2 * a * np.sin(b), zero, zero)
    outer = 12 * c**2 * s**2
    gradients = [
        2 * u[:, None] * du,
        np.stack([4 * c**2 * s**3] * 2 + [2 * c * s**4], axis=-1),
        np.stack([2 * t] * 3, -1),
    ]
    hessians = [
        2 * (du[:, :, None] * du[:, None, :] + u[:, None, None] * ddu),
        _symmetric(outer, outer, 8 * c * s**3, outer, 8 * c * s**3, 2 * s**4),
        2 * _symmetric(one, one, one, one, one, one),
    ]
    return (
        np.asarray(sum(w[:, None] * g for w, g in zip(weights.T, gradients, strict=True))),
        np.asarray(sum(w[:, None, None] * h for w, h in zip(weights.T, hessians, strict=True))),
    )


def _symmetric(aa: Array, ab: Array, ac: Array, bb: Array, bc: Array, cc: Array) -> Array:
    """Symmetric matrices from their entries above the diagonal, one a row."""
    return np.stack([aa, ab, ac, ab, bb, bc, ac, bc, cc], axis=-1).reshape(-1, 3, 3)


def outcome(x: Array) -> Array:
    """F*(x) for the first two weights, over the last axis."""
    weights = all_weights(x)
    rows = weights.reshape(-1, 3)
    parts = [objectives(minimizers(rows[k : k + MANY])) for k in range(0, len(rows), MANY)]
    return np.concatenate(parts).reshape(weights.shape)


def latent(x: Array) -> Array:
    """The latent function of the decision maker who likes balance, over the last axis of the first two weights."""
    return imbalance(outcome(x))

"""Designs: the first candidates, by Latin hypercubes that respect the constraints."""

from __future__ import annotations

import numpy as np

from prefero.errors import InfeasibleError
from prefero.space.arrays import Indices, Matrix, squared_distances
from prefero.space.domain import Domain

MOST_DRAWS = 2**17
"""The most points of one hypercube. If they hold too few feasible ones, the design gives up."""

MANY = 16_384
"""How many candidates a random part of a finite space has, if all of them would take too long."""
WORK = 4_000_000
"""All are compared with all samples if that are at most so many pairs: about 0.1 s with ten features."""


def some(points: Matrix, rng: np.random.Generator) -> Matrix:
    """Return all points if they are not too many, otherwise a random part of them."""
    return points if len(points) <= MANY else points[rng.choice(len(points), MANY, replace=False)]


def latin_hypercube(n: int, dimension: int, rng: np.random.Generator) -> Matrix:
    """Return n points of [−1, 1]^dimension, one in each of n equal slices of every coordinate."""
    slices = rng.permuted(np.tile(np.arange(n), (dimension, 1)), axis=1).T
    X: Matrix = (slices + rng.random((n, dimension))) * (2 / max(n, 1)) - 1
    return X


def sample(space: Domain, n: int, rng: np.random.Generator) -> Matrix:
    """Return n candidates spread over the space, feasible or not."""
    points = space.points()
    if points is not None:
        points = some(points, rng) if n * len(points) > WORK else points
        return points[_spread(points, n, rng)]
    return space.snap(latin_hypercube(n, space.dimension, rng))


def initial(space: Domain, n: int, rng: np.random.Generator, infeasible: bool = False) -> Matrix:
    """Return n different candidates for the opening (fewer if a finite space has fewer), a feasible one first.

    Case ii of section 5: only feasible candidates can be compared, so hypercubes of growing size are drawn until n of their
    points are feasible. Case i, `infeasible=True`: infeasible candidates can be compared as well, and one hypercube suffices; only
    its first point has to be feasible, since it becomes the incumbent.
    """
    if space.points() is not None:
        return sample(space, n, rng)
    drawn = _feasible(space, n if not infeasible else 1, rng)
    if infeasible:
        plain = _distinct(sample(space, n, rng))
        first = space.feasible(plain)
        plain = np.vstack([plain[first], plain[~first]])
        return plain if first.any() else np.vstack([drawn, plain])[:n]
    return drawn


def _feasible(space: Domain, n: int, rng: np.random.Generator) -> Matrix:
    """Return n feasible candidates from the smallest hypercube that has as many."""
    draws = n
    while True:
        X = _distinct(space.snap(latin_hypercube(draws, space.dimension, rng)))
        kept = X[space.feasible(X)]
        if len(kept) >= n:
            return kept[:n]
        if draws >= MOST_DRAWS:
            share = len(kept) / draws
            # Without a success in n draws, 3/n is an upper bound with 95 % confidence: the rule of three.
            likely = f"about {share:.2g}" if len(kept) else f"below {3 / draws:.1g}"
            raise InfeasibleError(
                f"constraints: only {len(kept)} of {draws} candidates drawn satisfy them, {n} are needed; the probability that "
                f"a candidate is feasible is {likely}. Narrow the bounds, or pass feasible candidates with start="
            )
        wanted = 1.5 * n * draws / max(len(kept), 0.5)  # by the share so far, with a margin
        draws = int(min(max(2 * draws, wanted), MOST_DRAWS))


def _distinct(X: Matrix) -> Matrix:
    """Return the rows without repetitions, in their order: snapping may map several points to one candidate."""
    _, first = np.unique(X, axis=0, return_index=True)
    return X[np.sort(first)]


def _spread(points: Matrix, n: int, rng: np.random.Generator) -> Indices:
    """Return the numbers of n rows far from each other: a random one, then always the farthest from those taken."""
    if n >= len(points):
        return rng.permutation(len(points))
    taken = [int(rng.integers(len(points)))]
    nearest = squared_distances(points, points[taken])[:, 0]
    while len(taken) < n:
        taken.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, squared_distances(points, points[taken[-1:]])[:, 0])
    return np.array(taken)

"""The pair whose answer tells most: what to ask a person who cannot tell good candidates apart.

Against the best so far such a person's answer about a candidate nearby is a coin's. What helps is any pair whose answer, one way
or the other, moves the maximum of the posterior mean up: a knowledge gradient over pairs, by draws from the posterior.

| symbol | meaning | shape |
|---|---|---|
| U | joint draws of the utilities of candidates that are best in some draw | candidates × draws |
| p | chance that the first of a pair is preferred, Φ((u_i − u_j) / √2 ν) | pairs × draws |

After the answer the posterior mean of a candidate is that of its draws weighed by p, or by 1 − p, so that what a pair promises is
max_z Σ p u(z) + max_z Σ (1 − p) u(z).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from prefero.models.posterior import Utilities
from prefero.proposers import search
from prefero.proposers.search import Effort, Taken
from prefero.space.arrays import Matrix, Vector
from prefero.space.domain import Domain

POOL, DRAWS, MOST = 100, 8, 48
"""Candidates from all over the space, and as many near the best; draws for each chain; at most so many that are best in one."""
LEAST_NOISE = 1e-6
"""ν of a person who is told to have none."""
SPREAD = Effort(spread=8 * POOL, near=0)
NEAR = Effort(spread=0, near=4 * POOL, reach=(-1.5, -0.3))
"""More than are kept, since constraints may leave few. Near is far enough to see a difference."""


def telling_pair(
    utilities: Utilities,
    noise: float,
    around: Vector,
    space: Domain,
    taken: Taken,
    rng: np.random.Generator,
    seen: Matrix | None = None,
) -> tuple[Vector, Vector] | None:
    """The two of some hundred candidates whose comparison promises most, `around` first if it is one; None without a choice.

    With `seen`, samples, the first is one of those, and the second is new.
    """
    known = around[None] if seen is None else seen
    new = _candidates(space, around, taken, rng)
    if not len(new):
        return None
    Z = np.vstack([known, new])
    draws = utilities.draws(Z, rng, DRAWS)
    if seen is None:
        favourites = rng.permutation(np.setdiff1d(draws.argmax(axis=0), 0))[:MOST]
        chosen = np.append(0, favourites)
        i, j = np.triu_indices(len(chosen), 1)
    else:
        old = rng.permutation(len(seen))[:MOST]
        favourites = rng.permutation(np.unique(len(seen) + draws[len(seen) :].argmax(axis=0)))[:MOST]
        chosen = np.append(old, favourites)
        i, j = (places.ravel() for places in np.mgrid[: len(old), len(old) : len(chosen)])
    if not len(i):
        return None
    U = draws[chosen]
    p = ndtr((U[i] - U[j]) / (np.sqrt(2) * max(noise, LEAST_NOISE)))
    first_wins = p @ U.T
    promise = first_wins.max(axis=1) + (U.sum(axis=1) - first_wins).max(axis=1)
    k = int(promise.argmax())
    return Z[chosen[i[k]]], Z[chosen[j[k]]]


def _candidates(space: Domain, around: Vector, taken: Taken, rng: np.random.Generator) -> Matrix:
    """New candidates, half of them near; any of those left where they are few."""
    points = space.points()
    if points is not None:
        left = points[~taken.hidden(points)]
        return left[rng.permutation(len(left))[: 2 * POOL]]
    halves = [search.scattered(space, rng, around, effort)[:POOL] for effort in (SPREAD, NEAR)]
    Z = np.vstack(halves)
    return Z[~taken.hidden(Z)]

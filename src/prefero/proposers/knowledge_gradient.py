"""The most informative pair, for a person who cannot tell good candidates apart.

Such a person's answer about the incumbent and a candidate near it is a coin toss. A pair helps if either answer raises the
maximum of the posterior mean: a knowledge gradient over pairs, estimated from draws of the posterior.

| symbol | meaning | shape |
|---|---|---|
| U | joint draws of the utilities of candidates that are the best in some draw | candidates × draws |
| p | chance that the first of a pair is preferred, Φ((u_i − u_j) / √2 ν) | pairs × draws |

After the answer, the posterior mean of a candidate is the mean of its draws, weighted by p or by 1 − p. So the value of a
pair is max_z Σ p u(z) + max_z Σ (1 − p) u(z).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from prefero.models.posterior import Utilities
from prefero.proposers import search
from prefero.proposers.search import Effort, Taken
from prefero.space.arrays import Matrix, Vector
from prefero.space.domain import Domain

POOL, DRAWS_PER_CHAIN, MOST_FAVOURITES = 100, 8, 48
"""Candidates from all over the space, and as many near the best; draws per chain; the most favourites that form pairs.

The cost grows with the square of the favourites: 48 make about 1100 pairs.
"""
LEAST_NOISE = 1e-6
"""The least ν, for a person whose noise is given as 0: p needs a positive one."""
SPREAD = Effort(spread=8 * POOL, near=0)
"""Candidates from all over the space; more than are kept, since constraints may leave few."""
NEAR = Effort(spread=0, near=4 * POOL, reach=(-1.5, -0.3))
"""Candidates near the best, but far enough for a noisy person to see a difference."""


def telling_pair(
    utilities: Utilities,
    noise: float,
    around: Vector,
    space: Domain,
    taken: Taken,
    rng: np.random.Generator,
    seen: Matrix | None = None,
) -> tuple[Vector, Vector] | None:
    """Return the two candidates whose comparison promises most, or None if there is no choice.

    Parameters
    ----------
    utilities: the posterior of the answers.
    noise: ν.
    around: the incumbent; it is one of the candidates, and comes first if it is chosen.
    space, taken: where new candidates come from, and what they keep away from.
    rng: of the candidates and the draws.
    seen: samples; if given, the first of the pair is one of them and the second is new.
    """
    known = around[None] if seen is None else seen
    new = _candidates(space, around, taken, rng)
    if not len(new):
        return None
    Z = np.vstack([known, new])
    draws = utilities.draws(Z, rng, DRAWS_PER_CHAIN)
    # Only a candidate that is the best in some draw can become the maximum of the posterior mean.
    if seen is None:
        favourites = rng.permutation(np.setdiff1d(draws.argmax(axis=0), 0))[:MOST_FAVOURITES]
        chosen = np.append(0, favourites)
        i, j = np.triu_indices(len(chosen), 1)
    else:
        old = rng.permutation(len(seen))[:MOST_FAVOURITES]
        favourites = rng.permutation(np.unique(len(seen) + draws[len(seen) :].argmax(axis=0)))[:MOST_FAVOURITES]
        chosen = np.append(old, favourites)
        i, j = (places.ravel() for places in np.mgrid[: len(old), len(old) : len(chosen)])
    if not len(i):
        return None
    U = draws[chosen]
    p = ndtr((U[i] - U[j]) / (np.sqrt(2) * max(noise, LEAST_NOISE)))
    first_wins = p @ U.T
    value = first_wins.max(axis=1) + (U.sum(axis=1) - first_wins).max(axis=1)  # Σ (1 − p) u = Σ u − Σ p u
    k = int(value.argmax())
    return Z[chosen[i[k]]], Z[chosen[j[k]]]


def _candidates(space: Domain, around: Vector, taken: Taken, rng: np.random.Generator) -> Matrix:
    """Return new candidates, half of them near `around`; of a finite space, any that are left."""
    points = space.points()
    if points is not None:
        left = points[~taken.hidden(points)]
        return left[rng.permutation(len(left))[: 2 * POOL]]
    halves = [search.scattered(space, rng, around, effort)[:POOL] for effort in (SPREAD, NEAR)]
    Z = np.vstack(halves)
    return Z[~taken.hidden(Z)]

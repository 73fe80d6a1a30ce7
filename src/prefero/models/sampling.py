"""Exact draws of the utilities of the samples, by Gibbs sampling: a Gaussian does not know that who lost is not better.

| symbol | meaning | shape |
|---|---|---|
| v | what the answers are about, with noise, each in its interval | M |
| S | prior covariance of v, C + 2ν²I; P = S⁻¹ | M × M |
| V | chains: draws of v given that every answer holds | M × chains |

v is normal, truncated to a box: the conditional of v_j is N(v_j − P_j·v/P_jj, 1/P_jj), truncated. All chains run side by side, so
that visiting a coordinate is one vector operation. They start at draws of the Gaussian posterior, so that few sweeps are enough.
Given v, the utilities are Gaussian.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from prefero.models import cholesky
from prefero.models.expectation import JITTER
from prefero.models.posterior import Utilities, root
from prefero.space.arrays import Indices, Matrix, Vector

CHAINS, SWEEPS = 128, 20
MOST_ANSWERS = 300
"""With more answers than this the Gaussian's own draws have to do: the cost grows with the square."""
_TINY = 1e-300
"""The least tail probability: `ndtri(0)` would be infinite."""


def draws_of_samples(posterior: Utilities, among: Indices, rng: np.random.Generator, count: int) -> Matrix:
    """Return joint draws of the utilities of some samples: samples × count."""
    X, statements, prior = posterior.X[among], posterior.statements, posterior.prior
    if len(statements) > MOST_ANSWERS:
        return posterior.draws(X, rng, count)
    relative = statements.relative_to(prior.mean(posterior.X))
    others = posterior.others
    C = statements.covariance(posterior.K) if others is None else others.C
    noise = posterior.noise if others is None else others.noises
    loads = 1.0 if others is None else others.loads
    S = C.copy()
    S.flat[:: len(S) + 1] += 2 * noise**2 + statements.extra + JITTER
    P = cholesky.inverse(cholesky.factor(S))

    # Chains from the Gaussian posterior of what the answers are about, moved into their intervals
    sites = posterior.sites
    start = (C @ sites.alpha)[:, None] + root(C - C @ sites.W @ C) @ rng.standard_normal((len(C), CHAINS))
    spread = np.hypot(np.sqrt(2) * noise, np.sqrt(statements.extra))
    start += np.reshape(spread, (-1, 1)) * rng.standard_normal(start.shape)
    V = np.clip(start, relative.low[:, None], relative.high[:, None])
    sd = 1 / np.sqrt(P.diagonal())
    for _ in range(SWEEPS):
        U = rng.random(V.shape)
        for j in range(len(V)):
            mean = V[j] - (P[j] @ V) * sd[j] ** 2
            V[j] = truncated(mean, sd[j], relative.low[j], relative.high[j], U[j])

    # The utilities given v, the same number of draws from each chain
    k = statements.functionals(prior(X, posterior.X)) * loads
    covariance = prior(X, X) - k @ P @ k.T
    means = prior.mean(X)[:, None] + k @ (P @ V)
    means = means[:, np.arange(count) % CHAINS]
    return np.asarray(means + root(covariance) @ rng.standard_normal((len(X), count)))


def truncated(mean: Vector, sd: float, low: float, high: float, U: Vector) -> Vector:
    """Return draws of N(mean, sd²) truncated to (low, high), from uniforms U."""
    a, b = (low - mean) / sd, (high - mean) / sd
    flip = a + b > 0  # by symmetry into the left tail, where ndtr keeps its relative accuracy
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    p, q = ndtr(a), ndtr(b)
    z = ndtri(np.maximum(p + U * (q - p), _TINY))
    return np.asarray(np.clip(mean + sd * np.where(flip, -z, z), low, high))

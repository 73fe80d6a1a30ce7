"""The exact posterior of the utilities given the answers, by Gibbs sampling.

| symbol | meaning | shape |
|---|---|---|
| X | samples in the box | N × n |
| v | functionals of the utilities, observed with noise, one per answer, each in its interval | M |
| S | prior covariance of v, A K A' + 2ν²I; P = S⁻¹ | M × M |
| V | chains: draws of v given that every answer holds | M × chains |
| H, G | A'P V and A'P A: what the answers say about the utilities, as weights of k(z, X) | N × chains, N × N |

v is normal, truncated to a box. Gibbs sampling draws it exactly: the conditional of v_j is N(v_j − P_j·v/P_jj, 1/P_jj),
truncated. All chains run side by side, so that visiting a coordinate is one vector operation. If a statement may be a slip,
its conditional is reweighted instead of truncated, and a chain may cross to the other side. Given v, everything is Gaussian
in closed form, so that nothing else is sampled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from prefero.models import cholesky
from prefero.models.evidence import FIT_NOISE, mode
from prefero.models.kernels import AnyKernel, Near, NearLinear
from prefero.models.statements import Statements
from prefero.space.arrays import Indices, Matrix, Vector, begins_with, bordered

JITTER = 1e-8
"""Added to the diagonal of S: repeated answers without noise would make it singular."""
CHAINS = 32
"""Independent draws of the posterior: 32 resolve the probability of a slip to 3 %, and the cost is linear in their number."""
NEIGHBOURS, WHOLE = 24, 4
"""After news, a sweep visits this many coordinates, and all of them in every fourth sweep."""
BLOCK = 20_000
"""Candidates are evaluated in blocks of about this many covariances: larger arrays take longer to allocate than to fill."""
_SQRT_2PI = np.sqrt(2 * np.pi)
_TINY = 1e-300
"""The least tail probability: `ndtri(0)` would be infinite."""
_LEAST = 1e-14
"""The least distance of a uniform draw from 0 and 1 if there are slips: it keeps the tail of a draw inside (0, 1)."""


def gibbs(
    V: Matrix, P: Matrix, statements: Statements, sweeps: int, rng: np.random.Generator, about: int | None = None
) -> Matrix:
    """Return the chains after some sweeps over the coordinates, the newest coordinate first.

    Parameters
    ----------
    V: the chains, M × chains.
    P: the precision of v.
    statements: the intervals, and how doubtful each is.
    sweeps: how many.
    rng: of the draws.
    about: a coordinate that is news. Only every fourth sweep then visits all coordinates, the others those that depend most
        on it. The rest is near equilibrium already, and any order of visits keeps the distribution.

    Notes
    -----
    Coordinates are measured in standard deviations of their conditionals, N(m, 1), so that a visit takes a handful of
    operations. With U uniform and p the upper tail beyond `low`, the draw has the upper tail U p.

    With doubt d, the density is weighted by 1 − d above `low` and by d below, so that the tail at the draw is piecewise linear in
    U, with a kink at p. Let a = d + (1 − 2d) p. The tail is the larger of U a / (1 − d) and 1 − (1 − U) a / d, or the smaller
    if d > ½. Both are linear in p, with coefficients that are computed for a whole sweep at once.
    """
    # In these units every conditional has variance 1, and its mean is one matrix row times the chains.
    unit = np.sqrt(P.diagonal())[:, None]
    Y = V * unit
    pull = -P / (unit * unit.T)
    np.fill_diagonal(pull, 0.0)
    low, high = statements.low * unit[:, 0], statements.high * unit[:, 0]

    # Python lists and preallocated buffers: a visit costs microseconds, so that overhead matters.
    one_sided, bounded = np.isinf(high).tolist(), low.any()
    doubt = np.zeros(len(V)) if statements.doubt is None else statements.doubt
    doubtful, belief = (doubt > 0).tolist(), 1 - 2 * doubt
    extreme = [np.minimum if against else np.maximum for against in belief < 0]
    d = np.where(doubt > 0, doubt, 0.5)[:, None]  # without doubt the lines are not used; 0.5 avoids a division by 0
    m, tail, tiny = np.empty(V.shape[1]), np.empty(V.shape[1]), np.full(V.shape[1], _TINY)
    lines = np.empty((2, V.shape[1]))
    rows = list(zip(range(len(V)), pull, Y, strict=True))[::-1]  # views of the rows: faster than indexing in the loop
    nearest = range(len(V)) if about is None else np.argsort(-np.abs(pull[about]), kind="stable")[:NEIGHBOURS].tolist()
    some = [row for row in rows if row[0] == about or row[0] in nearest]
    for sweep in range(sweeps):
        U = rng.random(V.shape)
        if statements.doubt is not None:
            np.clip(U, _LEAST, 1 - _LEAST, out=U)
            # The two lines of the tail as slope · p + offset
            slopes = np.stack([U / (1 - d), (U - 1) / d], axis=1)
            offsets = slopes * doubt[:, None, None]
            offsets[:, 1] += 1
            slopes *= belief[:, None, None]
        for j, towards, y in some if sweep % WHOLE else rows:
            towards.dot(Y, m)  # the conditional mean
            if not one_sided[j]:
                y[:] = _between(m, low[j], high[j], U[j])
                continue
            ndtr(m - low[j] if bounded else m, tail)
            if doubtful[j]:  # the lower envelope of the two lines for d > ½, the upper one otherwise
                np.multiply(slopes[j], tail, lines)
                np.add(lines, offsets[j], lines)
                extreme[j](lines[0], lines[1], out=tail)
            else:
                np.multiply(tail, U[j], tail)
                np.maximum(tail, tiny, out=tail)
            np.subtract(m, ndtri(tail, tail), y)  # the upper tail's quantile: accurate even if p is tiny
    # Rounding must not put a draw outside of its interval, where it would count as a slip.
    least = np.where(doubt > 0, -np.inf, statements.low + 1e-12)
    return np.clip(Y / unit, least[:, None], statements.high[:, None])


def _between(m: Vector, low: float, high: float, U: Vector) -> Vector:
    """Return draws of N(m, 1) truncated to (low, high), from uniforms U."""
    a, b = low - m, high - m
    flip = a + b > 0  # by symmetry into the left tail, where ndtr keeps its relative accuracy
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    p, q = ndtr(a), ndtr(b)
    z = ndtri(np.maximum(p + U * (q - p), _TINY))
    return np.asarray(np.clip(m + np.where(flip, -z, z), low, high))


@dataclass(frozen=True)
class Utilities:
    """The utilities given the answers: a mixture of Gaussian processes, one per chain, with a common covariance."""

    kernel: AnyKernel
    X: Matrix
    statements: Statements
    K: Matrix
    P: Matrix
    V: Matrix

    @cached_property
    def _A(self) -> Matrix:  # noqa: N802
        return self.statements.matrix(len(self.X))

    @cached_property
    def H(self) -> Matrix:  # noqa: N802
        """A'P V: E[u(z) | v] is k(z, X) H, one column per chain."""
        return np.asarray(self._A.T @ (self.P @ self.V))

    @cached_property
    def G(self) -> Matrix:  # noqa: N802
        """A'P A: the answers reduce the covariance of u(y) and u(z) by k(y, X) G k(X, z)."""
        return np.asarray(self._A.T @ self.P @ self._A)

    @cached_property
    def sample_means(self) -> Matrix:
        """E[u(x_i) | v] of the samples in each chain, N × chains."""
        return np.asarray(self.K @ self.H)

    @cached_property
    def slips(self) -> Vector:
        """The probability that each statement is a slip: the share of chains that believe its opposite."""
        return np.asarray(np.less(self.V, self.statements.low[:, None]).mean(axis=1))

    @cached_property
    def disagreement(self) -> Vector:
        """How much the chains disagree about each statement being a slip: from 0 to ½."""
        return np.asarray(np.minimum(self.slips, 1 - self.slips))

    def utilities(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u at candidates."""
        k = self.kernel(Z, self.X)
        means = k @ self.H
        # The law of total variance: within a chain, and between the chains' means.
        within = np.maximum(self.kernel.variance(Z) - ((k @ self.G) * k).sum(axis=1), 0.0)
        return means.mean(axis=1), np.sqrt(within + means.var(axis=1))

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of u at a few candidates, `count` per chain: candidates × (chains · count)."""
        k = self.kernel(Z, self.X)
        covariance = self.kernel(Z, Z) - k @ self.G @ k.T
        root = _root((covariance + covariance.T) / 2)
        means = np.repeat(k @ self.H, count, axis=1)
        return np.asarray(means + root @ rng.standard_normal((len(Z), means.shape[1])))

    def differences(self, Y: Matrix, Z: Matrix) -> tuple[Matrix, Vector]:
        """Return u(y) − u(z) for rows of Y and Z (or a single z): its mean in each chain, and the common standard deviation."""
        q = self.kernel(Y, self.X) - self.kernel(Z, self.X)
        prior = self.kernel.variance(Y) + self.kernel.variance(Z) - 2 * self.kernel.between(Y, Z)
        variance = prior - ((q @ self.G) * q).sum(axis=1)
        return q @ self.H, np.sqrt(np.maximum(variance, 1e-12))

    def probabilities(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return the chance that u(y) > u(z), row by row."""
        means, sd = self.differences(Y, Z)
        return np.asarray(ndtr(means / sd[:, None]).mean(axis=1))


def sample_posterior(
    kernel: AnyKernel,
    X: Matrix,
    statements: Statements,
    noise: float,
    before: Utilities | None,
    sweeps: int,
    rng: np.random.Generator,
) -> Utilities:
    """Return the posterior with its chains, continued from `before` or started from scratch.

    Parameters
    ----------
    kernel: the prior covariance of the utilities.
    X: the samples.
    statements: the answers.
    noise: ν.
    before: the posterior before the last answers; its chains get a coordinate for each new statement.
    sweeps: Gibbs sweeps.
    rng: of the draws.
    """
    # With the same θ, and samples only added, the prior is the same: reuse its entries.
    same = before is not None and before.kernel.theta is kernel.theta and begins_with(X, before.X)
    known = before if same else None
    K = kernel(X, X) if known is None else bordered(known.K, kernel(X[len(known.X) :], X))

    # Precision of the functionals, P = (A K A' + 2ν²I)⁻¹
    C = statements.covariance(K)
    S = C.copy()
    S.flat[:: len(S) + 1] += 2 * noise**2 + JITTER
    P = cholesky.inverse(cholesky.factor(S))

    # Chains; after one more answer, most sweeps stay near it, or near the answer that the chains disagree about most.
    V = _initial_chains(C, statements, rng) if before is None else _continued_chains(before.V, statements)
    about = None
    if known is not None:
        about = len(statements) - 1 if len(known.V) < len(statements) else int(known.disagreement.argmax())
    return Utilities(kernel, X, statements, K, P, gibbs(V, P, statements, sweeps, rng, about))


def _inside(V: Matrix, statements: Statements) -> Matrix:
    """Return the chains with each coordinate reflected or clipped into its interval."""
    low, high = statements.low[:, None], statements.high[:, None]
    reflected = np.where(np.isinf(high), low + np.abs(V - low) + 1e-9, V)
    return np.clip(reflected, low, high)


def _continued_chains(V: Matrix, statements: Statements) -> Matrix:
    """Return the chains with a coordinate for each new statement; the first sweep redraws it before all others."""
    new = np.full((len(statements) - len(V), V.shape[1]), 0.1)
    grown = np.vstack([V, new])
    return grown if statements.doubt is not None else _inside(grown, statements)


def _initial_chains(C: Matrix, statements: Statements, rng: np.random.Generator) -> Matrix:
    """Return chains drawn from Laplace's approximation, each coordinate reflected into its interval."""
    fit = mode(C, statements, np.sqrt(2) * FIT_NOISE)
    T = np.linalg.solve(fit.L, fit.root_w[:, None] * C)
    covariance = C - T.T @ T + 1e-9 * np.eye(len(C))  # (C⁻¹ + W)⁻¹, without inverting C
    return _inside(fit.g[:, None] + _root(covariance) @ rng.standard_normal((len(C), CHAINS)), statements)


def _root(covariance: Matrix) -> Matrix:
    """Return R with RR' = covariance; by eigenvalues, since rounding may make some of them slightly negative."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def standard_improvement(t: Matrix) -> Matrix:
    """Return the expected improvement over 0 of a normal variable with mean t and standard deviation 1: φ(t) + t Φ(t)."""
    return np.asarray(np.exp(-0.5 * t * t) / _SQRT_2PI + t * ndtr(t))


@dataclass(frozen=True)
class _Challenge(ABC):
    """Base of acquisition functions of u(z) − u(best), for candidates z and a sample."""

    posterior: Utilities
    best: int

    def __call__(self, Z: Matrix) -> Vector:
        """Return the acquisition at candidates, one per row."""
        rows = max(64, BLOCK // len(self.posterior.X))
        return np.concatenate([self._values(Z[k : k + rows]) for k in range(0, max(len(Z), 1), rows)])

    @abstractmethod
    def _values(self, Z: Matrix) -> Vector:
        """Return the acquisition for one block of candidates."""

    @cached_property
    def _samples(self) -> Matrix:
        return self.posterior.X.astype(np.float32)

    def _covariances(self, Z: Matrix) -> Matrix:
        """Return k(z, X), one candidate per row; in single precision, which ranks candidates well enough."""
        return np.asarray(self.posterior.kernel(Z.astype(np.float32), self._samples), dtype=float)

    def _moments(self, Z: Matrix, kz: Matrix, H: Matrix) -> tuple[Matrix, Matrix, Vector]:
        """Return q G with q = k(z, X) − k(best, X), the means of the difference for weights H, and its standard deviation."""
        K = self.posterior.K
        q = kz - K[self.best]
        qG = q @ self.posterior.G
        prior = self.posterior.kernel.variance(Z) + K[self.best, self.best] - 2 * kz[:, self.best]
        variance = prior - (qG * q).sum(axis=1)
        return qG, q @ H, np.sqrt(np.maximum(variance, 1e-12))  # the floor: z may be `best` itself

    def _slope(self, near: Near | NearLinear, weights: Matrix, qG: Matrix, pull: Vector) -> Matrix:
        """Return a gradient by the chain rule.

        `weights` are the derivatives by k(z, X), `pull` the derivative by half the variance of the difference.
        """
        omega = weights - pull[:, None] * qG
        omega[:, self.best] -= pull
        return near.gradient(omega) + pull[:, None] * near.own


@dataclass(frozen=True)
class ExpectedImprovement(_Challenge):
    """−log of the expected improvement over sample `best`, averaged over the chains; with its gradient."""

    def _values(self, Z: Matrix) -> Vector:
        _, means, sd = self._moments(Z, self._covariances(Z), self.posterior.H)
        t = means / sd[:, None]
        return np.asarray(-np.log(sd * standard_improvement(t).mean(axis=1) + _TINY))

    def with_gradient(self, Z: Matrix) -> tuple[Vector, Matrix]:
        """Return the acquisition and its gradient, for a few candidates."""
        post = self.posterior
        near = post.kernel.near(Z, post.X)
        qG, means, sd = self._moments(Z, near.K, post.H)
        t = means / sd[:, None]
        density, chance = np.exp(-0.5 * t * t) / _SQRT_2PI, ndtr(t)
        improvement = sd * (density + t * chance).mean(axis=1) + _TINY
        # d EI = mean_s Φ(t_s) dm_s + mean_s φ(t_s) dσ, both weighted sums of kernel gradients
        slope = self._slope(near, chance @ post.H.T / chance.shape[1], qG, density.mean(axis=1) / sd)
        return -np.log(improvement), -slope / improvement[:, None]


@dataclass(frozen=True)
class HopefulMean(_Challenge):
    """−(m + κσ) of the difference to sample `best`, over all chains: the mean plus some standard deviations; with its gradient."""

    hope: float  # κ

    @cached_property
    def _weights(self) -> Matrix:
        """The weights of the mean over all chains."""
        return np.asarray(self.posterior.H.mean(axis=1, keepdims=True))

    def _values(self, Z: Matrix) -> Vector:
        _, mean, sd = self._moments(Z, self._covariances(Z), self._weights)
        return np.asarray(-mean[:, 0] - self.hope * sd)

    def with_gradient(self, Z: Matrix) -> tuple[Vector, Matrix]:
        """Return the acquisition and its gradient, for a few candidates."""
        near = self.posterior.kernel.near(Z, self.posterior.X)
        qG, mean, sd = self._moments(Z, near.K, self._weights)
        slope = self._slope(near, self._weights.T, qG, self.hope / sd)
        return -mean[:, 0] - self.hope * sd, -slope


def ranking(posterior: Utilities, among: Indices) -> Indices:
    """Return samples by their posterior mean, the best first."""
    means = posterior.sample_means[among].mean(axis=1)
    return np.asarray(among[np.argsort(-means, kind="stable")])

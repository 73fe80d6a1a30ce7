"""The posterior of the utilities given the answers: a Gaussian process, and what a search maximises under it.

| symbol | meaning | shape |
|---|---|---|
| X | samples in the box | N × n |
| K | prior covariance of their utilities | N × N |
| h | A'α: E[u(z)] is k(z, X) h | N |
| G | A'W A: the answers reduce the covariance of u(y) and u(z) by k(y, X) G k(X, z) | N × N |

α and W come from `expectation`. Only differences of utilities are known; u itself is relative to its prior mean, 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from benchmarks.successor.expectation import Sites, propagate
from benchmarks.successor.kernel import Mixed
from prefero.models.statements import Statements
from prefero.space.arrays import Indices, Matrix, Vector, begins_with, bordered

DRAWS = 32
"""Draws are counted in multiples of this many."""
BLOCK = 20_000
"""Candidates are evaluated in blocks of about this many covariances: larger arrays take longer to allocate than to fill."""
_LEAST_VARIANCE = 1e-12
"""The least variance of a difference: a candidate may be compared with itself."""


@dataclass(frozen=True)
class Utilities:
    """The utilities given the answers."""

    kernel: Mixed
    X: Matrix
    statements: Statements
    K: Matrix
    sites: Sites

    @cached_property
    def _A(self) -> Matrix:  # noqa: N802
        return self.statements.matrix(len(self.X))

    @cached_property
    def h(self) -> Vector:
        """A'α: the weights of the posterior mean."""
        return np.asarray(self._A.T @ self.sites.alpha)

    @cached_property
    def G(self) -> Matrix:  # noqa: N802
        """A'W A: what the answers take from the covariance."""
        return np.asarray(self._A.T @ self.sites.W @ self._A)

    @cached_property
    def sample_means(self) -> Vector:
        """E[u] of the samples."""
        return np.asarray(self.K @ self.h)

    def utilities(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u at candidates."""
        k = self.kernel(Z, self.X)
        variance = self.kernel.variance(Z) - ((k @ self.G) * k).sum(axis=1)
        return k @ self.h, np.sqrt(np.maximum(variance, 0.0))

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of u at a few candidates: candidates × (DRAWS · count)."""
        k = self.kernel(Z, self.X)
        covariance = self.kernel(Z, Z) - k @ self.G @ k.T
        root = _root((covariance + covariance.T) / 2)
        return np.asarray((k @ self.h)[:, None] + root @ rng.standard_normal((len(Z), DRAWS * count)))

    def differences(self, Y: Matrix, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u(y) − u(z) for rows of Y and Z (or a single z)."""
        q = self.kernel(Y, self.X) - self.kernel(Z, self.X)
        prior = self.kernel.variance(Y) + self.kernel.variance(Z) - 2 * self.kernel.between(Y, Z)
        variance = prior - ((q @ self.G) * q).sum(axis=1)
        return q @ self.h, np.sqrt(np.maximum(variance, _LEAST_VARIANCE))

    def probabilities(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return the chance that u(y) > u(z), row by row."""
        mean, sd = self.differences(Y, Z)
        return np.asarray(ndtr(mean / sd))


def posterior(
    kernel: Mixed,
    X: Matrix,
    statements: Statements,
    noise: float,
    lapse: float = 0.0,
    before: Utilities | None = None,
) -> Utilities:
    """Return the posterior of the utilities.

    Parameters
    ----------
    kernel: the prior covariance of the utilities.
    X: the samples.
    statements: the answers.
    noise, lapse: ν and ε, how reliable the answers are.
    before: the posterior before the last answers, to begin with.
    """
    # With the same kernel, and samples only added, the prior is the same: reuse its entries.
    same = before is not None and before.kernel is kernel and begins_with(X, before.X)
    K = bordered(before.K, kernel(X[len(before.X) :], X)) if same and before is not None else kernel(X, X)
    sites = propagate(statements.covariance(K), statements, noise, lapse, None if before is None else before.sites)
    return Utilities(kernel, X, statements, K, sites)


def _root(covariance: Matrix) -> Matrix:
    """Return R with RR' = covariance; by eigenvalues, since rounding may make some of them slightly negative."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True)
class HopefulMean:
    """−(m + βσ) of the difference to sample `best`: the mean plus some standard deviations, to be minimised."""

    posterior: Utilities
    best: int
    hope: float  # β

    def __call__(self, Z: Matrix) -> Vector:
        """Return the acquisition at candidates, one per row."""
        rows = max(64, BLOCK // len(self.posterior.X))
        return np.concatenate([self._values(Z[k : k + rows]) for k in range(0, max(len(Z), 1), rows)])

    @cached_property
    def _samples(self) -> Matrix:
        return self.posterior.X.astype(np.float32)

    def _values(self, Z: Matrix) -> Vector:
        # Single precision ranks candidates well enough.
        k = np.asarray(self.posterior.kernel(Z.astype(np.float32), self._samples), dtype=float)
        _, mean, sd = self._moments(Z, k)
        return np.asarray(-mean - self.hope * sd)

    def _moments(self, Z: Matrix, k: Matrix) -> tuple[Matrix, Vector, Vector]:
        """Return q G with q = k(z, X) − k(best, X), and mean and standard deviation of the difference."""
        post, best = self.posterior, self.best
        q = k - post.K[best]
        qG = q @ post.G
        prior = post.kernel.variance(Z) + post.K[best, best] - 2 * k[:, best]
        variance = prior - (qG * q).sum(axis=1)
        return qG, q @ post.h, np.sqrt(np.maximum(variance, _LEAST_VARIANCE))

    def with_gradient(self, Z: Matrix) -> tuple[Vector, Matrix]:
        """Return the acquisition and its gradient, for a few candidates."""
        near = self.posterior.kernel.near(Z, self.posterior.X)
        qG, mean, sd = self._moments(Z, near.K)
        # d(m + βσ) = h'dk + β/σ (½ dk(z, z) − dk(z, best) − qG dk)
        pull = self.hope / sd
        omega = self.posterior.h - pull[:, None] * qG
        omega[:, self.best] -= pull
        return -mean - self.hope * sd, -(near.gradient(omega) + pull[:, None] * near.own)


def ranking(posterior: Utilities, among: Indices) -> Indices:
    """Return samples by their posterior mean, the best first."""
    return np.asarray(among[np.argsort(-posterior.sample_means[among], kind="stable")])

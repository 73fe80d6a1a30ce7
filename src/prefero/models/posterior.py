"""The posterior of the utilities given the answers: a Gaussian process, and what a search maximises under it.

| symbol | meaning | shape |
|---|---|---|
| X | samples in the box, and the ends of leanings | N × d |
| K | prior covariance of their utilities | N × N |
| α, W | of the answers, by expectation propagation or by Laplace's approximation | M, M × M |
| h | A'α: E[u(z)] is the prior mean plus k(z, X) h | N |
| G | A'W A: the answers reduce the covariance of u(y) and u(z) by k(y, X) G k(X, z) | N × N |
| F | of differences that are supposed to be known: they add FF' to G | N × P |

Only differences of utilities are known: u has no origin of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtr

from prefero.models.expectation import Sites
from prefero.models.prior import Prior
from prefero.models.statements import Statements
from prefero.space.arrays import Indices, Matrix, Vector, begins_with, bordered

BLOCK = 20_000
"""Candidates are evaluated in blocks of about this many covariances: larger arrays take longer to allocate than to fill."""
_LEAST_VARIANCE = 1e-12
"""The least variance of a difference: a candidate may be compared with itself."""
_SQRT_2PI = np.sqrt(2 * np.pi)


@dataclass(frozen=True)
class Others:
    """How answers of several judges bear on the utility of one, or on a mean of theirs (`panel`).

    C: prior covariance of what the answers are about. noises: ν of each answer. loads: its covariance with the utility in question,
    relative to an answer about that utility itself.
    """

    C: Matrix
    noises: Vector
    loads: Vector


@dataclass(frozen=True)
class Utilities:
    """The utilities given the answers of a person of noise ν; `others` if not all answers are about these utilities."""

    prior: Prior
    X: Matrix
    statements: Statements
    noise: float
    K: Matrix
    sites: Sites
    others: Others | None = None
    foreseen: Matrix | None = None  # F

    @cached_property
    def _A(self) -> Matrix:  # noqa: N802
        A = self.statements.matrix(len(self.X))
        return A if self.others is None else self.others.loads[:, None] * A

    @cached_property
    def h(self) -> Vector:
        """A'α: the weights of the posterior mean."""
        return np.asarray(self._A.T @ self.sites.alpha)

    @cached_property
    def G(self) -> Matrix:  # noqa: N802
        """A'W A: what the answers take from the covariance, and what is foreseen."""
        G = np.asarray(self._A.T @ self.sites.W @ self._A)
        return G if self.foreseen is None else G + self.foreseen @ self.foreseen.T

    def as_foreseen(self, X: Matrix, pairs: Sequence[tuple[int, int]]) -> Utilities:
        """Return the posterior as if the difference of each pair of samples were found to be as expected: all means stay.

        X: the samples, which begin with those of this posterior. pairs: numbers of rows of X.
        """
        known = replace(self, X=X, K=covariances(self.prior, X, self))
        for i, j in pairs:
            a = np.zeros(len(X))
            a[[i, j]] = 1.0, -1.0
            w = a - known.G @ (known.K @ a)
            w /= np.sqrt(max(float(a @ known.K @ w), 0.0) + 2 * self.noise**2)
            known = replace(known, foreseen=np.column_stack([w] if known.foreseen is None else [known.foreseen, w]))
        return known

    @cached_property
    def sample_means(self) -> Vector:
        """E[u] of the samples."""
        return np.asarray(self.prior.mean(self.X) + self.K @ self.h)

    def utilities(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u at candidates."""
        k = self.prior(Z, self.X)
        variance = self.prior.variance(Z) - ((k @ self.G) * k).sum(axis=1)
        return self.prior.mean(Z) + k @ self.h, np.sqrt(np.maximum(variance, 0.0))

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of u at a few candidates: candidates × count."""
        k = self.prior(Z, self.X)
        covariance = self.prior(Z, Z) - k @ self.G @ k.T
        mean = self.prior.mean(Z) + k @ self.h
        return np.asarray(mean[:, None] + root(covariance) @ rng.standard_normal((len(Z), count)))

    def differences(self, Y: Matrix, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u(y) − u(z) for rows of Y and Z (or a single z)."""
        q = self.prior(Y, self.X) - self.prior(Z, self.X)
        before = self.prior.variance(Y) + self.prior.variance(Z) - 2 * self.prior.between(Y, Z)
        variance = before - ((q @ self.G) * q).sum(axis=1)
        mean = self.prior.mean(Y) - self.prior.mean(Z) + q @ self.h
        return mean, np.sqrt(np.maximum(variance, _LEAST_VARIANCE))

    def probabilities(self, Y: Matrix, Z: Matrix, said: bool = False) -> Vector:
        """Return the chance that u(y) > u(z), row by row; with `said`, that the person will say so."""
        mean, sd = self.differences(Y, Z)
        return np.asarray(ndtr(mean / np.hypot(sd, np.sqrt(2) * self.noise) if said else mean / sd))

    def improvements(self, Z: Matrix, best: int) -> Vector:
        """Return the expected improvement of each candidate over sample `best`."""
        mean, sd = self.differences(Z, self.X[best][None])
        return np.asarray(sd * standard_improvement(mean / sd))


def posterior(
    prior: Prior,
    X: Matrix,
    statements: Statements,
    noise: float,
    approximation: Callable[[Matrix, Statements, float], Sites],
    before: Utilities | None = None,
    half_life: float | None = None,
) -> Utilities:
    """Return the posterior of the utilities.

    Parameters
    ----------
    prior: of the utilities.
    X: what the statements are about: the samples, and the ends of leanings.
    statements: the answers.
    noise: ν.
    approximation: from the prior covariance of what the answers are about, the answers and ν to their sites.
    before: a posterior of the first of these samples; if it has the same prior, its covariances are used again.
    half_life: after so many answers, the correlation of the taste then and now is one half; None if tastes do not change.
    """
    K = covariances(prior, X, before)
    relative = statements.relative_to(prior.mean(X))
    if half_life is not None:
        between, now = fading(statements, half_life)
        C = statements.covariance(K) * between
        others = Others(C, np.full(len(statements), noise), now)
        return Utilities(prior, X, statements, noise, K, approximation(C, relative, noise), others)
    return Utilities(prior, X, statements, noise, K, approximation(statements.covariance(K), relative, noise))


def fading(statements: Statements, half_life: float) -> tuple[Matrix, Vector]:
    """Return the correlations of a taste between any two answers, and between each answer and the last one."""
    time = statements.answer
    return 0.5 ** (np.abs(time[:, None] - time) / half_life), 0.5 ** ((time.max(initial=0) - time) / half_life)


def covariances(prior: Prior, X: Matrix, before: Any = None) -> Matrix:
    """Return K; an earlier posterior of the first of these samples lends its own if it has the same prior."""
    if before is not None and before.prior is prior and begins_with(X, before.X):
        return bordered(before.K, prior(X[len(before.X) :], X))
    return prior(X, X)


def root(covariance: Matrix) -> Matrix:
    """Return R with RR' = covariance; by eigenvalues, since rounding may make some of them slightly negative."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def standard_improvement(t: Vector) -> Vector:
    """Return the expected improvement over 0 of a normal variable with mean t and standard deviation 1: φ(t) + t Φ(t)."""
    return np.asarray(np.exp(-0.5 * t * t) / _SQRT_2PI + t * ndtr(t))


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
        k = np.asarray(self.posterior.prior(Z.astype(np.float32), self._samples), dtype=float)
        _, mean, sd = self._moments(Z, k)
        return np.asarray(-mean - self.hope * sd)

    def _moments(self, Z: Matrix, k: Matrix) -> tuple[Matrix, Vector, Vector]:
        """Return q G with q = k(z, X) − k(best, X), and mean and standard deviation of the difference."""
        post, best, prior = self.posterior, self.best, self.posterior.prior
        q = k - post.K[best]
        qG = q @ post.G
        before = prior.variance(Z) + post.K[best, best] - 2 * k[:, best]
        variance = before - (qG * q).sum(axis=1)
        mean = prior.mean(Z) - prior.mean(post.X[best][None]) + q @ post.h
        return qG, mean, np.sqrt(np.maximum(variance, _LEAST_VARIANCE))

    def with_gradient(self, Z: Matrix) -> tuple[Vector, Matrix]:
        """Return the acquisition and its gradient, for a few candidates."""
        near = self.posterior.prior.near(Z, self.posterior.X)
        qG, mean, sd = self._moments(Z, near.K)
        # d(m + βσ) = dm₀ + h'dk + β/σ (½ dk(z, z) − dk(z, best) − qG dk), m₀ the prior mean
        pull = self.hope / sd
        omega = self.posterior.h - pull[:, None] * qG
        omega[:, self.best] -= pull
        slope = near.rise + near.gradient(omega) + pull[:, None] * near.own
        return -mean - self.hope * sd, -slope


def ranking(posterior: Utilities, among: Indices) -> Indices:
    """Return samples by their posterior mean, the best first."""
    return np.asarray(among[np.argsort(-posterior.sample_means[among], kind="stable")])

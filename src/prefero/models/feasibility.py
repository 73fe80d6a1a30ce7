"""The probability that a candidate works, learned from the candidates that worked and those that failed.

| symbol | meaning | shape |
|---|---|---|
| g | latent: a candidate works if g plus noise is positive | |
| μ | prior mean of g, above 0: most candidates work | |
| s | +1 for a sample that worked, −1 for one that failed | N |
| C | prior covariance of s g(X) | N × N |
| α, W | of the samples, by expectation propagation | N, N × N |
| t | mean of g over its standard deviation; the probability is Φ(t) | |

"Sample i worked" says that s_i g(x_i) lies in (0, ∞), and so does "sample i failed": a Gaussian process classifier, with the
sites of `expectation`. A linear part lets one failure warn of what lies beyond it, a smooth part bends the border.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from prefero.answers import History
from prefero.models.expectation import Sites, propagate
from prefero.models.kernels import Groups
from prefero.models.prior import Prior, prior
from prefero.models.statements import Statements
from prefero.space.arrays import Indices, Matrix, Vector

MEAN = 1.0
"""μ. With the variance 1 of g, 76 % of the candidates work before anything is known."""
NOISE = 0.05
"""ν, the standard deviation of the noise over √2: near its border, whether something works may depend on chance."""
LINEAR, SCALE, ADDITIVE = 0.3, 0.0, 0.3
"""Share of the linear part, log of the length scales relative to √n, weight of the additive part."""
MOST_SAMPLES = 300
"""Only the last samples count, half of them failures at most: the cost grows with the cube of their number."""


@dataclass(frozen=True)
class Feasibility:
    """The probability that a candidate works, as a function of candidates."""

    prior: Prior
    X: Matrix
    signs: Vector
    sites: Sites

    @cached_property
    def _h(self) -> Vector:
        return self.signs * self.sites.alpha

    @cached_property
    def _G(self) -> Matrix:  # noqa: N802
        return self.sites.W * np.outer(self.signs, self.signs)

    def margin(self, Z: Matrix) -> Vector:
        """Return t: how many standard deviations g is above 0."""
        k = self.prior(Z, self.X)
        variance = np.maximum(self.prior.variance(Z) - ((k @ self._G) * k).sum(axis=1), 0.0)
        return np.asarray((MEAN + k @ self._h) / np.sqrt(variance + 2 * NOISE**2))

    def __call__(self, Z: Matrix) -> Vector:
        """Return the probability that each candidate works."""
        return np.asarray(ndtr(self.margin(Z)))


def tried(history: History) -> tuple[Indices, Vector]:
    """Return the samples that were tried, and +1 or −1 for each.

    What failed after it had worked counts as failed. What was only skipped, or only shown beside a failure, was not tried.
    """
    signs = np.zeros(len(history.points))
    signs[history.pairs] = 1.0
    signs[history.rated] = 1.0
    signs[list(history.failed)] = -1.0
    worked, failed = (np.flatnonzero(signs == sign) for sign in (1.0, -1.0))
    failed, worked = failed[-MOST_SAMPLES // 2 :], worked[-MOST_SAMPLES // 2 :]
    known = np.sort(np.append(worked, failed))
    return known, signs[known]


def feasibility(history: History, groups: Groups) -> Feasibility:
    """Return what the samples of a history say about which candidates work."""
    known, signs = tried(history)
    X, p = history.points[known], prior(groups, LINEAR, SCALE, ADDITIVE)
    C = p(X, X) * np.outer(signs, signs)
    statements = Statements(known, known, -signs * MEAN, np.full(len(known), np.inf))
    return Feasibility(p, X, signs, propagate(C, statements, NOISE))

"""Expectation propagation: the posterior of what the answers are about, and the evidence of the answers.

| symbol | meaning | shape |
|---|---|---|
| g | functionals of the utilities, one per answer: differences of two utilities | M |
| C | prior covariance of g, A K A' | M × M |
| τ, η | each answer as a Gaussian factor of g_h, its site: precision, and precision times mean | M |
| W | (C + diag(τ)⁻¹)⁻¹ | M × M |
| α | weights of the posterior mean: E[g] = C α, and E[u(z)] = k(z, X) A'α | M |

An answer says that g_h plus noise lies in an interval. Its site is chosen so that the Gaussian posterior has the mean and the
variance of g_h that the answer itself would give it, all other sites being as they are (Rasmussen and Williams, section 3.6). All
sites are updated together, with damping; a few iterations are enough. The approximation is nearly exact: every
factor has one dimension, and its logarithm is concave. Nothing is drawn, so that the same answers always give the same posterior.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrs, dtrtrs

from prefero.models import cholesky
from prefero.models.statements import Statements, log_likelihood
from prefero.space.arrays import Matrix, Vector

JITTER = 1e-8
"""Variance added to the noise: repeated answers without noise would leave a cavity without variance."""
DAMPING = 0.8
"""The share of each update that is taken. Full steps may oscillate if many answers are about one sample."""
TOLERANCE = 1e-4
"""Iterations end when no mean moves by more than this share of the largest standard deviation."""
MOST_ITERATIONS = 60
_LEAST, _MOST = 1e-10, 1e10
"""Bounds of the precision of a site: an answer that says nothing, and one that says all."""


@dataclass(frozen=True)
class Sites:
    """The answers as Gaussian factors, and what follows from them."""

    tau: Vector
    eta: Vector
    W: Matrix
    alpha: Vector
    log_evidence: float

    def __len__(self) -> int:
        return len(self.tau)


def propagate(
    C: Matrix, statements: Statements, noise: float | Vector, start: Sites | None = None, slip: float = 0.0
) -> Sites:
    """Return the sites of the answers.

    Parameters
    ----------
    C: prior covariance of the functionals.
    statements: the answers.
    noise: ν, the standard deviation of the noise of one utility; one for all answers, or one for each.
    start: the sites of the first of these answers, to begin with.
    slip: the chance that an answer is the opposite of what the person meant, however clear the case is.
    """
    M = len(C)
    prior, s2 = C.diagonal(), 2 * noise**2 + statements.extra + JITTER
    tau, eta = np.full(M, _LEAST), np.zeros(M)
    if (
        start is not None and len(start) <= M
    ):  # the first "much" and the last one that is taken back change what all answers say
        tau[: len(start)], eta[: len(start)] = start.tau, start.eta

    def posterior() -> tuple[Matrix, Vector, Vector, Vector, Vector]:
        """Return the factor of B = I + √T C √T, √τ, α, and mean and variance of g."""
        root, L = cholesky.factor_of_sites(C, tau)
        alpha = eta - root * dpotrs(L, root * (C @ eta), lower=True)[0]
        V = dtrtrs(L, root[:, None] * C, lower=True)[0]  # C W C = V'V; LAPACK directly: SciPy's checks cost as much
        variance = prior - np.einsum("ij,ij->j", V, V)
        return L, root, alpha, C @ alpha, np.maximum(variance, _LEAST)

    L, root, alpha, mean, variance = posterior()
    for _ in range(MOST_ITERATIONS):
        # The cavity: the posterior without the site. Its moments times the answer's probability are those to be matched.
        cavity = 1 / np.maximum(1 / variance - tau, _LEAST)
        centre = cavity * (mean / variance - eta)
        _, d1, d2 = tilted(centre, cavity + s2, statements, slip)
        shrink = np.maximum(1 + cavity * d2, _LEAST)
        wanted = np.clip(-d2 / shrink, _LEAST, _MOST)
        tau = tau + DAMPING * (wanted - tau)
        eta = eta + DAMPING * ((d1 + wanted * shrink * centre) / shrink - eta)
        before = mean
        L, root, alpha, mean, variance = posterior()
        if np.abs(mean - before).max() <= TOLERANCE * np.sqrt(variance.max()):
            break

    # The evidence, Rasmussen and Williams, eq. (3.65), with the terms arranged so that no precision is inverted
    cavity = 1 / np.maximum(1 / variance - tau, _LEAST)
    centre = cavity * (mean / variance - eta)
    log_z, _, _ = tilted(centre, cavity + s2, statements, slip)
    t, b = 1 / cavity, centre / cavity
    log_evidence = (
        log_z.sum()
        - np.log(L.diagonal()).sum()
        + 0.5 * np.log1p(tau * cavity).sum()
        + 0.5 * eta @ mean
        - 0.5 * (eta**2 / (t + tau)).sum()
        + 0.5 * (b * (tau * b * cavity - 2 * eta) / (t + tau)).sum()
    )
    W = cholesky.inverse(L) * np.outer(root, root)
    return Sites(tau, eta, W, alpha, float(log_evidence))


def tilted(m: Vector, variance: Vector, statements: Statements, slip: float = 0.0) -> tuple[Vector, Vector, Vector]:
    """Return log P(answer) if g + noise is N(m, variance), and its first two derivatives by m."""
    # In units of each standard deviation, so that one scale serves all answers
    s = np.sqrt(variance)
    scaled = replace(statements, low=statements.low / s, high=statements.high / s)
    log_z, d1, d2, _ = log_likelihood(m / s, scaled, 1.0)
    if slip:
        # P = ε + (1 − 2ε) Z; w is the share of P that is no slip, and P'/P = w Z'/Z
        log_p = np.logaddexp(np.log(slip), np.log1p(-2 * slip) + log_z)
        w = np.exp(np.log1p(-2 * slip) + log_z - log_p)
        log_z, d1, d2 = log_p, w * d1, w * (d2 + d1**2) - (w * d1) ** 2
    return log_z, d1 / s, d2 / variance


def left_out(C: Matrix, statements: Statements, sites: Sites) -> tuple[Vector, Vector]:
    """Return mean and variance of each functional given all answers but its own, of which it may be one of two statements."""
    variance = np.maximum(C.diagonal() - ((C @ sites.W) * C).sum(axis=1), _LEAST)
    answer = statements.answer
    tau, eta = (np.bincount(answer, each)[answer] for each in (sites.tau, sites.eta))
    cavity = 1 / np.maximum(1 / variance - tau, _LEAST)
    return cavity * (C @ sites.alpha / variance - eta), cavity

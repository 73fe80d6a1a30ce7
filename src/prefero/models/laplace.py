"""Laplace's approximation to the posterior of what the answers are about, and the evidence of the answers.

| symbol | meaning | shape |
|---|---|---|
| C | prior covariance of the functionals, A K A' | M × M |
| g, α | mode of the functionals, g = Cα | M |
| W | −∂² log p / ∂g², diagonal | M |
| s | standard deviation of the noise of one statement, √2 ν | |

In the space of the functionals this is Gaussian process classification with a diagonal curvature: Rasmussen and Williams,
algorithm 3.1. It is less sure than expectation propagation: the mode of what few answers say is nearer to the prior than the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrs

from prefero.models import cholesky
from prefero.models.expectation import Sites
from prefero.models.statements import Statements, log_likelihood
from prefero.space.arrays import Matrix, Vector

SETTLED = 1e-6
"""Newton's method stops after a step that gains less. It converges quadratically: the next gain would be about the square."""


@dataclass(frozen=True)
class Mode:
    """The mode of the functionals given the answers, and the log evidence."""

    g: Vector
    alpha: Vector
    log_evidence: float
    root_w: Vector
    L: Matrix


def mode(C: Matrix, statements: Statements, scale: float | Vector) -> Mode:
    """Return Laplace's approximation, found by Newton's method with step halving.

    Parameters
    ----------
    C: prior covariance of the functionals.
    statements: the answers.
    scale: s, the standard deviation of the noise of one statement.
    """
    alpha = g = np.zeros(len(C))
    log_p, d1, d2, _ = log_likelihood(g, statements, scale)
    objective = float(-0.5 * alpha @ g + log_p.sum())
    for _ in range(60):
        # Newton's step, Rasmussen and Williams, algorithm 3.1, in terms of α = C⁻¹g: C itself need not be invertible.
        w = np.maximum(-d2, 1e-12)  # W = 0 far from a bound; the floor keeps √W usable
        root, L = cholesky.factor_of_sites(C, w)
        b = w * g + d1
        target = b - root * dpotrs(L, root * (C @ b), lower=True)[0]
        # The objective is concave, but a full step may overshoot: halve it until the objective does not fall.
        step, previous = 1.0, objective
        while True:
            trial = alpha + step * (target - alpha)
            g_trial = C @ trial
            log_p, d1, d2, _ = log_likelihood(g_trial, statements, scale)
            objective = float(-0.5 * trial @ g_trial + log_p.sum())
            if objective >= previous - 1e-9 or step < 1e-4:
                break
            step /= 2
        alpha, g = trial, g_trial
        if abs(objective - previous) < SETTLED:
            break
    root, L = cholesky.factor_of_sites(C, np.maximum(-d2, 1e-12))
    return Mode(g, alpha, objective - float(np.log(L.diagonal()).sum()), root, L)


def sites(C: Matrix, statements: Statements, noise: float | Vector) -> Sites:
    """Return the answers as Gaussian factors at the mode; the arguments are those of `expectation.propagate`."""
    fit = mode(C, statements, np.hypot(np.sqrt(2) * noise, np.sqrt(statements.extra)))
    tau = fit.root_w**2
    W = cholesky.inverse(fit.L) * np.outer(fit.root_w, fit.root_w)
    return Sites(tau, tau * fit.g + fit.alpha, W, fit.alpha, fit.log_evidence)

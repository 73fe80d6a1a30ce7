"""Laplace's evidence of the answers and its gradient, to fit length scales, the tie threshold and the noise.

| symbol | meaning | shape |
|---|---|---|
| C | prior covariance of the functionals, A K A' | M × M |
| g, α | mode of the functionals, g = Cα | M |
| W | −∂² log p / ∂g², diagonal | M |
| s | standard deviation of the noise of one statement, √2 ν | |

In the space of the functionals this is Gaussian process classification with a diagonal curvature: Rasmussen and Williams,
algorithms 3.1 and 5.1. Their ∂log q/∂ĝ is +½ diag(Σ) ∇³log p here, since W = −∇².
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrs
from scipy.optimize import minimize

from prefero.answers import History
from prefero.models import cholesky
from prefero.models.kernels import AnyKernel, Groups, distances_of_pairs, gram
from prefero.models.statements import Statements, log_likelihood
from prefero.space.arrays import Indices, Matrix, Vector

SCALE_MEAN, SCALE_SPREAD = -1.0, 0.7
"""Prior of a log length scale, relative to log √n, in the box [−1, 1]. Measured, see docs/method.md."""
ADDITIVE_MEAN, ADDITIVE_SPREAD = 0.0, 1.4
"""Prior of the logit of the additive weight: around ½, and wide."""
FIT_NOISE = 0.1
"""ν while length scales are fitted: more than a consistent person's, which makes the evidence smooth."""
TIES = (0.01, 0.03, 0.1, 0.3)
"""Values of τ that are compared by their evidence."""
NOISES = (0.01, 0.03, 0.1, 0.3)
"""Values of ν that are compared by their evidence; the least one stands for "no noise"."""
SETTLED = 1e-6
"""Newton's method stops after a step that gains less. It converges quadratically: the next gain would be about the square."""
MOST_STATEMENTS = 120
"""The evidence uses this many of the last answers: with more, the scales hardly move, and the cost grows with the cube."""


@dataclass(frozen=True)
class Mode:
    """The mode of the functionals given the answers, and the log evidence."""

    g: Vector
    alpha: Vector
    log_evidence: float
    root_w: Vector
    L: Matrix


def mode(C: Matrix, statements: Statements, scale: float, start: Vector | None = None) -> Mode:
    """Return Laplace's approximation, found by Newton's method with step halving.

    Parameters
    ----------
    C: prior covariance of the functionals.
    statements: the answers.
    scale: s, the standard deviation of the noise of one statement.
    start: α to begin with, zero by default.
    """
    M = len(C)
    alpha = np.zeros(M) if start is None else start
    g = C @ alpha
    log_p, d1, d2, _ = log_likelihood(g, statements, scale)
    objective = float(-0.5 * alpha @ g + log_p.sum())
    if start is not None and not np.isfinite(objective):  # a start for other hyperparameters may be far off
        return mode(C, statements, scale)
    for _ in range(60):
        # Newton's step, Rasmussen and Williams, algorithm 3.1, in terms of α = C⁻¹g: C itself need not be invertible.
        w = np.maximum(-d2, 1e-12)  # W = 0 far from a bound; the floor keeps √W usable
        root, L = _factor(C, w)
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
    root, L = _factor(C, np.maximum(-d2, 1e-12))
    return Mode(g, alpha, objective - float(np.log(L.diagonal()).sum()), root, L)


def _factor(C: Matrix, w: Vector) -> tuple[Vector, Matrix]:
    """Return √W and the Cholesky factor of I + √W C √W, which is well-conditioned: no eigenvalue is below 1."""
    root = np.sqrt(w)
    B = C * np.outer(root, root)
    B.flat[:: len(B) + 1] += 1.0
    return np.asarray(root), cholesky.factor(B)


def prior(n: int) -> tuple[Vector, Vector]:
    """Return mean and standard deviation of θ."""
    mean = np.append(np.full(n, SCALE_MEAN + 0.5 * np.log(n)), ADDITIVE_MEAN)
    return mean, np.append(np.full(n, SCALE_SPREAD), ADDITIVE_SPREAD)


@dataclass
class Evidence:
    """−log of Laplace's evidence times the prior, as a function of θ, with its gradient."""

    D: Matrix
    statements: Statements
    alpha: Vector | None = None  # the last mode, a start for the next

    @cached_property
    def _functionals(self) -> Matrix:
        """A as a dense matrix."""
        samples = 1 + int(max(self.statements.first.max(), self.statements.second.max()))
        return self.statements.matrix(samples)

    @cached_property
    def _pairs(self) -> tuple[Indices, Indices]:
        return np.triu_indices(self._functionals.shape[1], 1)

    def covariance(self, theta: Vector) -> tuple[Matrix, Matrix]:
        """Return C = A K A', and ∂k/∂θ for the pairs of samples."""
        k, dk = gram(self.D, theta)
        A, (i, j) = self._functionals, self._pairs
        K = np.eye(A.shape[1])
        K[i, j] = K[j, i] = k
        return A @ K @ A.T, dk

    def __call__(self, theta: Vector) -> tuple[float, Vector]:
        """Return the value and its gradient."""
        n, s = len(self.D), np.sqrt(2) * FIT_NOISE
        C, dk = self.covariance(theta)
        A, (i, j) = self._functionals, self._pairs
        fit = mode(C, self.statements, s, self.alpha)
        self.alpha = fit.alpha
        _, d1, _, d3 = log_likelihood(fit.g, self.statements, s)
        # Rasmussen and Williams, algorithm 5.1. The explicit part of the gradient is ½ (αα' − R) : dC; the mode moves too,
        # which adds s2'(I + CW)⁻¹ dC d1.
        R = np.outer(fit.root_w, fit.root_w) * cholesky.inverse(fit.L)
        s2 = 0.5 * (C.diagonal() - ((C @ R) * C).sum(axis=1)) * d3  # +, since W = −∇²
        H = 0.5 * (np.outer(fit.alpha, fit.alpha) - R) + np.outer(s2 - R @ (C @ s2), d1)
        Q = A.T @ H @ A  # Σ H_hl (A dK A')_hl = Σ Q_ij dK_ij
        mean, spread = prior(n)
        t = (theta - mean) / spread
        gradient = dk @ (Q[i, j] + Q[j, i])
        return -(fit.log_evidence - 0.5 * float(t @ t)), -(gradient - t / spread)


def fit_scales(D: Matrix, statements: Statements, iterations: int) -> Vector:
    """Return θ of largest evidence, found by L-BFGS-B from the prior mean."""
    n = len(D)
    evidence = Evidence(D, statements)
    bounds = [(np.log(0.05), np.log(30))] * n + [(-5, 5)]  # some prior standard deviations away
    solution = minimize(
        evidence, prior(n)[0], jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": iterations}
    )
    return np.asarray(solution.x)


def discernment(
    kernel: AnyKernel, history: History, tie: float | None = None, noise: float | None = None
) -> tuple[float, float]:
    """Return τ and ν of largest evidence for a kernel; values that are given are kept.

    Parameters
    ----------
    kernel: the prior covariance.
    history: the answers.
    tie: τ, None to choose it.
    noise: ν, None to choose it after τ.
    """
    X, statements = _last_answers(history, TIES[1])
    C = statements.covariance(kernel(X, X))  # the functionals do not depend on τ
    start: Vector | None = None

    def log_evidence(statements: Statements, noise: float) -> float:
        nonlocal start
        fit = mode(C, statements, np.sqrt(2) * noise, start)
        start = fit.alpha  # neighbouring values have similar modes
        return fit.log_evidence

    if tie is None:
        tie = TIES[int(np.argmax([log_evidence(_last_answers(history, value)[1], FIT_NOISE) for value in TIES]))]
    if noise is None:
        statements = _last_answers(history, tie)[1]
        noise = NOISES[int(np.argmax([log_evidence(statements, value) for value in NOISES]))]
    return tie, noise


def recent(history: History, groups: Groups, tie: float) -> tuple[Matrix, Statements]:
    """Return the distances of the samples in the last answers, and those answers as statements about them."""
    X, statements = _last_answers(history, tie)
    return distances_of_pairs(X, groups), statements


def _last_answers(history: History, tie: float) -> tuple[Matrix, Statements]:
    """Return the samples in the last answers, and those answers as statements about them."""
    statements = Statements.of(history, tie)
    kept = np.arange(max(len(statements) - MOST_STATEMENTS, 0), len(statements))
    statements = statements.rows(kept)
    samples, renumbered = np.unique(np.concatenate([statements.first, statements.second]), return_inverse=True)
    first, second = renumbered[: len(kept)], renumbered[len(kept) :]
    return history.points[samples], Statements(first, second, statements.low, statements.high)

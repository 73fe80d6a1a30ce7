"""The Bayesian baseline of the paper, section 7.2: preferential Bayesian optimisation with a Laplace approximation.

| symbol | meaning |
|---|---|
| σ_f, σ_l | scale and length scale of the kernel σ_f² exp(−‖x − y‖²/(2σ_l²)); the paper's lacks its minus sign |
| σ_e | noise of the latent function: P(x better than y) = Q((f(y) − f(x)) / (√2 σ_e)) |
| g, α, W | mode of the compared differences, g = Cα, and the curvature of the likelihood there |

The utility is u = −f. A tie is two opposite observations. The hyperparameters maximise the evidence, at the steps at which
the paper's own method calibrates ε. The next sample maximises the expected improvement over the best posterior mean.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from prefero import answers
from prefero.answers import History
from prefero.errors import check_whole
from prefero.models.calibration import calibration_steps
from prefero.models.laplace import Mode, mode
from prefero.models.posterior import standard_improvement
from prefero.models.statements import Statements
from prefero.proposers import search
from prefero.proposers.exclusions import taken
from prefero.proposers.fallback import best_without_model, rematch, start_over
from prefero.proposers.opening import missing_opening, opening_pair, opening_size
from prefero.proposers.protocol import Proposal, Task
from prefero.space.arrays import Acquisition, Matrix, Vector, quick_squared_distances, squared_distances

START = np.log([1.0, 0.5, 0.1])
"""log(σ_f, σ_l, σ_e) before the first calibration: near the middle of `BOUNDS`."""
BOUNDS = [(np.log(0.1), np.log(10.0)), (np.log(0.05), np.log(10.0)), (np.log(0.01), np.log(1.0))]
"""Bounds of log(σ_f, σ_l, σ_e). Without them, few answers let the noise σ_e drift to 0 or to infinity."""


@dataclass(frozen=True)
class Laplace:
    """The Gaussian approximation of the posterior of u."""

    X: Matrix
    statements: Statements
    log_scales: Vector
    fit: Mode

    def moments(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u at candidates."""
        k = _kernel(quick_squared_distances(Z, self.X), self.log_scales)
        c = self.statements.functionals(k)
        # Rasmussen and Williams, algorithm 3.2: the answers reduce the variance by c'√W B⁻¹ √W c.
        t = solve_triangular(self.fit.L, (c * self.fit.root_w).T, lower=True, check_finite=False)
        variance = np.exp(2 * self.log_scales[0]) - (t * t).sum(axis=0)
        return c @ self.fit.alpha, np.sqrt(np.maximum(variance, 1e-12))


@dataclass(frozen=True)
class Pbo:
    """Preferential Bayesian optimisation, the baseline of the paper's comparison.

    initial_samples: N_init; by default ⌈N_max/3⌉.
    """

    initial_samples: int | None = None

    def __post_init__(self) -> None:
        check_whole("initial_samples", self.initial_samples, least=2)

    @property
    def rebuild(self) -> int:
        """Always 0: the evidence draws nothing, so a state from scratch is the same."""
        return 0

    def propose(self, state: Vector, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return the incumbent against the candidate of largest expected improvement."""
        best = self.recommend(state, history, task)
        opening = opening_pair(missing_opening(task, self.first_samples(task), history), history, best)
        if opening is not None:
            return opening
        if best is None:
            return start_over(history, task, rng)
        laplace = approximate(history, state)
        at_samples, _ = laplace.moments(history.points)
        x = search.minimise(
            expected_improvement(laplace, at_samples), task.space, rng, taken(history), history.points[best]
        )
        return rematch(history, best, -at_samples, task.judge) if x is None else Proposal(history.points[best], x)

    def advance(self, state: Vector | None, history: History, task: Task, rng: np.random.Generator) -> Vector:
        """Return log(σ_f, σ_l, σ_e), fitted by their evidence at the steps of I_sc."""
        del rng
        first, samples = self.first_samples(task), len(history) + 1
        if state is None:
            state = START
            for step in calibration_steps(first, task.samples, samples):
                state = calibrated(history.prefix(step - 1), state)
        elif samples in calibration_steps(first, task.samples, samples):
            state = calibrated(history, state)
        return state

    def winner(self, history: History) -> int | None:
        """Return the winner of the comparisons, or None if they do not determine one."""
        return answers.incumbent(history)

    def recommend(self, state: Vector, history: History, task: Task) -> int | None:
        """Return the winner of the comparisons, or, if they do not determine one, the sample of best posterior mean."""
        del task
        best, seen = answers.incumbent(history), history.compared
        if best is not None or not seen.size:
            return best
        if not len(history):  # it learns from comparisons alone
            return best_without_model(history)
        means, _ = approximate(history, state).moments(history.points[seen])
        return int(seen[means.argmax()])

    def first_samples(self, task: Task) -> int:
        """Return N_init: how many samples the opening has."""
        return opening_size(self.initial_samples, task, 3)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return {"name": "pbo"} | asdict(self)


def observations(history: History) -> Statements:
    """Return the comparisons as strict preferences, a tie as two opposite ones."""
    whole = Statements.of(history.without_asides(), 0.0)
    tie = history.preferences == 0
    first, second = np.append(whole.first, whole.second[tie]), np.append(whole.second, whole.first[tie])
    return Statements(first, second, np.zeros(len(first)), np.full(len(first), np.inf))


def approximate(history: History, log_scales: Vector) -> Laplace:
    """Return Laplace's approximation for given hyperparameters."""
    statements = observations(history)
    C = statements.covariance(_kernel(squared_distances(history.points, history.points), log_scales))
    return Laplace(history.points, statements, log_scales, mode(C, statements, np.sqrt(2) * np.exp(log_scales[2])))


def calibrated(history: History, start: Vector) -> Vector:
    """Return the hyperparameters of largest evidence, found from `start`."""
    if not len(history):
        return start
    statements = observations(history)
    D2 = squared_distances(history.points, history.points)

    def negative(log_scales: Vector) -> float:
        C = statements.covariance(_kernel(D2, log_scales))
        return -mode(C, statements, np.sqrt(2) * np.exp(log_scales[2])).log_evidence

    # Three parameters: finite differences cost four modes per iteration, cheap enough to do without a gradient.
    solution = minimize(negative, start, method="L-BFGS-B", bounds=BOUNDS, options={"maxiter": 30})
    return np.asarray(solution.x)


def expected_improvement(laplace: Laplace, at_samples: Vector) -> Acquisition:
    """Return −log of the expected improvement over the best posterior mean of the samples, as a function of candidates."""
    top = float(at_samples.max())

    def a(Z: Matrix) -> Vector:
        mean, sd = laplace.moments(Z)
        # The logarithm keeps tiny improvements apart; 1e-300 avoids log 0 if even those underflow.
        return np.asarray(-np.log(sd * standard_improvement((mean - top) / sd) + 1e-300))

    return a


def _kernel(d2: Matrix, log_scales: Vector) -> Matrix:
    return np.asarray(np.exp(2 * log_scales[0] - d2 / (2 * np.exp(2 * log_scales[1]))))

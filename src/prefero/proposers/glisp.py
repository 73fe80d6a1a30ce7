"""Algorithm 1 of the paper: preference learning by radial basis functions and inverse distance weighting.

| symbol | meaning | here |
|---|---|---|
| N, N_max, N_init | samples so far, expected in all, initial ones | `len(history) + 1`, `task.samples`, `initial_samples` |
| i* | the incumbent | `best` |
| δ, σ, ε, λ, c̄ | exploration, margin, shape, regularisation, slack weights | `exploration`, `margin`, `shape`, … |
| I_sc, Θ | calibration steps and grid | `calibration_steps`, `calibration_grid` |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import ceil
from typing import Any, Literal

import numpy as np

from prefero import acquisition, answers, search
from prefero.answers import History
from prefero.arrays import Acquisition
from prefero.errors import InputError
from prefero.proposers.base import Proposal, Task, compared, opening_pair, rematch, space_filling, taken
from prefero.surrogates import calibration, rbf

FLAT = "the answers so far do not tell candidates apart: a space-filling candidate"


@dataclass(frozen=True)
class State:
    """What is kept between questions: ε and the distances of the samples."""

    shape: float
    distances: rbf.Distances


@dataclass(frozen=True)
class Glisp:
    """The paper's method, every knob under a readable name.

    initial_samples: N_init, samples of the first phase; by default ⌈N_max/3⌉.
    exploration: δ, weight of the exploration function; 0 trusts the surrogate alone.
    final_exploration: what δ falls to, linearly, at N_max; by default it stays.
    margin: σ, by which a better sample must be better; by default 1/N_max.
    shape: ε, of the radial basis function, before calibration.
    regularization: λ; 0 makes the quadratic program a linear one.
    weights: c̄₋₁, c̄₀, c̄₁, weights of the slacks by outcome.
    best_weight: factor of the weights of comparisons with the current best.
    basis: φ: inverse quadratic, gaussian, thin plate spline, multiquadric, inverse multiquadric, linear.
    normalize: f̂(x*) = 0 at the current best, Eq. (RBF-normalize).
    acquisition: "idw", Eq. (acquisition), or "improvement", Eq. (acquisition-improvement-prob).
    calibration_steps: I_sc, numbers N of samples; by default four, evenly spaced over the second phase, and later ones
        every ⌈N_max/6⌉; an empty list switches calibration off.
    calibration_grid: Θ, factors of ε.
    calibration_of: whether the factors multiply the "first" ε or the "current" one.
    calibration_folds: K; by default comparisons are left out one at a time.
    compare_infeasible: case i of section 5: initial samples that violate constraints can be compared.
    search: how the acquisition is minimised: "multistart", "swarm" (the paper's) or "direct".
    """

    initial_samples: int | None = None
    exploration: float = 2.0
    final_exploration: float | None = None
    margin: float | None = None
    shape: float = 1.0
    regularization: float = rbf.REGULARIZATION
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    best_weight: float = rbf.BEST_WEIGHT
    basis: str = "inverse quadratic"
    normalize: bool = False
    acquisition: Literal["idw", "improvement"] = "idw"
    calibration_steps: Sequence[int] | None = None
    calibration_grid: Sequence[float] = calibration.GRID
    calibration_of: Literal["first", "current"] = "first"
    calibration_folds: int | None = None
    compare_infeasible: bool = False
    search: search.Method = "multistart"

    def __post_init__(self) -> None:
        _check(self)

    # Algorithm 1, steps 5.1 to 5.5 -----------------------------------------------------------------------------------

    def propose(self, state: State, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """The incumbent against the next initial sample, then against the minimiser of the acquisition function."""
        opening = task.opening(self._initial(task), self.compare_infeasible)  # step 3
        best = self.recommend(state, history, task)
        first_phase = opening_pair(opening, history, best)
        if first_phase is not None:
            return first_phase
        if best is None:
            return _first_feasible(history, task, rng)
        distances = state.distances.grown(history.points)
        surrogate = rbf.fit_history(history, distances, best, self._settings(state.shape, task))  # step 5.1.2
        flat = not np.ptp(surrogate.values) > 0
        explore = acquisition.farthest_from_samples(history.points)
        a = explore if flat else self._acquisition(surrogate, best, history, task)  # step 5.1.3
        x_best = history.points[best]
        x = search.minimise(a, task.space, rng, taken(history), x_best, self.search)  # step 5.1.4, Eq. (xNp1)
        if x is None:
            return rematch(history, best, surrogate.values)
        return Proposal(x_best, x, FLAT if flat else "")  # step 5.2

    def advance(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> State:
        """Recalibrates ε after the answers that I_sc names, step 5.1.1."""
        del rng  # cross-validation draws nothing
        if state is None:
            state = State(self.shape, rbf.Distances.of(history.points))
            for step in self._steps_up_to(len(history), task):
                state = self._calibrated(state, history.prefix(step - 1), task)
        elif len(history) + 1 in self._steps_up_to(len(history) + 1, task):
            state = self._calibrated(state, history, task)
        return replace(state, distances=state.distances.grown(history.points))

    def recommend(self, state: State, history: History, task: Task) -> int | None:
        """x_{i*}: the winner of the comparisons; where they do not tell, the feasible sample of lowest f̂."""
        if not len(history):
            return None
        best = answers.incumbent(history)
        seen = compared(history)
        if best is not None or not seen.size:
            return best
        surrogate = rbf.fit_history(
            history, state.distances.grown(history.points), None, self._settings(state.shape, task)
        )
        return int(seen[surrogate.values[seen].argmin()])

    # The knobs -------------------------------------------------------------------------------------------------------

    def _initial(self, task: Task) -> int:
        default = ceil(task.samples / 3)
        return max(2, default if self.initial_samples is None else self.initial_samples)

    def _settings(self, shape: float, task: Task) -> rbf.Settings:
        margin = 1 / task.samples if self.margin is None else self.margin
        return rbf.Settings(
            self.basis, shape, margin, self.regularization, self.weights, self.best_weight, self.normalize
        )

    def _acquisition(self, surrogate: rbf.Surrogate, best: int, history: History, task: Task) -> Acquisition:
        delta = self._delta(len(history) + 1, task)
        if self.acquisition == "improvement":
            return acquisition.probability_of_improvement(surrogate, best, delta)
        return acquisition.surrogate_and_distance(surrogate, delta)

    def _delta(self, samples: int, task: Task) -> float:
        if self.final_exploration is None:
            return self.exploration
        first = self._initial(task)
        progress = min(max((samples - first) / max(task.samples - first, 1), 0.0), 1.0)
        return self.exploration + progress * (self.final_exploration - self.exploration)

    def _steps_up_to(self, samples: int, task: Task) -> list[int]:
        """I_sc up to a number of samples; beyond N_max every ⌈N_max/6⌉."""
        if self.calibration_steps is not None:
            return sorted({step for step in self.calibration_steps if step <= samples})
        first, last = self._initial(task), task.samples
        steps = [first + ceil(k * (last - first) / 4) for k in range(4)]
        later = range(last, samples + 1, ceil(last / 6))
        return sorted({step for step in (*steps, *later) if step <= samples})

    def _calibrated(self, state: State, history: History, task: Task) -> State:
        settings = self._settings(state.shape, task)
        distances = state.distances.grown(history.points)
        base = self.shape if self.calibration_of == "first" else state.shape
        shapes = [base * factor for factor in self.calibration_grid]
        best = answers.incumbent(history)
        shape = calibration.calibrate(history, distances.D2, best, settings, shapes, self.calibration_folds)
        return State(shape, distances)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {"name": "glisp"} | asdict(self)


def _first_feasible(history: History, task: Task, rng: np.random.Generator) -> Proposal:
    """Nothing feasible was compared yet: the last sample against a feasible one."""
    x = space_filling(history, task, rng)
    if x is None:
        raise InputError("the space has fewer than two candidates to compare")
    return Proposal(history.points[-1], x)


def _check(knobs: Glisp) -> None:
    """An error that names the first knob that is not allowed."""
    rbf.check_settings(
        rbf.Settings(
            knobs.basis,
            knobs.shape,
            1.0 if knobs.margin is None else knobs.margin,
            knobs.regularization,
            knobs.weights,
            knobs.best_weight,
        )
    )
    if knobs.initial_samples is not None and (not isinstance(knobs.initial_samples, int) or knobs.initial_samples < 2):
        raise InputError.of("initial_samples", knobs.initial_samples, "a whole number from 2 up")
    for name in ("exploration", "final_exploration"):
        value = getattr(knobs, name)
        if value is not None and not 0 <= value < np.inf:
            raise InputError.of(name, value, "a number from 0 up")
    if knobs.calibration_folds is not None and knobs.calibration_folds < 2:
        raise InputError.of("calibration_folds", knobs.calibration_folds, "a whole number from 2 up")
    if not knobs.calibration_grid or not all(0 < factor < np.inf for factor in knobs.calibration_grid):
        raise InputError.of("calibration_grid", knobs.calibration_grid, "one or more positive factors")
    for name, allowed in (
        ("acquisition", ("idw", "improvement")),
        ("calibration_of", ("first", "current")),
        ("search", search.METHODS),
    ):
        if getattr(knobs, name) not in allowed:
            raise InputError.of(name, getattr(knobs, name), " or ".join(allowed))
    if knobs.acquisition == "improvement" and knobs.regularization == 0:
        raise InputError.of("regularization", 0, "a positive number: the probability of improvement needs λ > 0")


def glisp_from_dict(data: dict[str, Any]) -> Glisp:
    """The settings that `to_dict` described."""
    known = {field.name for field in fields(Glisp)}
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in data.items() if key != "name"
    }
    if set(given) - known:
        raise InputError.of("proposer", sorted(set(given) - known), f"the knobs {sorted(known)}")
    return Glisp(**given)

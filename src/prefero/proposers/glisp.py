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
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from prefero import answers
from prefero.answers import History
from prefero.errors import InputError, check_whole, number
from prefero.models import calibration, rbf
from prefero.proposers import acquisition, search
from prefero.proposers.avoidance import avoiding_by_distance
from prefero.proposers.exclusions import taken
from prefero.proposers.fallback import rematch, start_over
from prefero.proposers.opening import missing_opening, opening_pair, opening_size
from prefero.proposers.protocol import Proposal, Task
from prefero.proposers.search import Smooth
from prefero.space.arrays import Vector

IDW_EXPLORATION = 2.0
"""δ of the acquisition "idw" by default, as in section 7.2."""
EXACT_CALIBRATION = 120, 200
"""Calibrate exactly up to 120 answers, or up to the expected number if that is between the two: the cost grows with the cube.

With more answers, calibrate by the quick approximation, which depends on the history alone.
"""
LP_FOLDS = 5
"""A linear program has no quick approximation: leave out this many folds of the last 120 answers."""
UNSURE = 0.1
"""ω if the owner lets answers that people were not sure of count less, and gives no other value."""
FLAT = "the answers so far do not tell candidates apart: a space-filling candidate"
"""The note of a question if the surrogate is constant."""


@dataclass(frozen=True)
class State:
    """What the proposer keeps between questions: ε and the distances of the samples."""

    shape: float
    distances: rbf.Distances


@dataclass(frozen=True)
class Glisp:
    """The paper's method, with a readable name for every parameter.

    initial_samples: N_init, samples of the opening; by default ⌈N_max/3⌉.
    exploration: δ, weight of the exploration function; 0 follows the surrogate alone. By default 2 with the acquisition
        "idw" and 0 with "improvement".
    final_exploration: the value that δ reaches at N_max, linearly; by default δ is constant.
    margin: σ, by which the better of two samples must be better; by default 1/N_max.
    much: κ, the factor of the margin if a sample is much better.
    unsure: ω, the factor of the weight of answers that the person was not sure of; with 1 they count as the others do.
    shape: ε, of the radial basis function, before calibration.
    regularization: λ; with 0 the quadratic program becomes a linear one.
    weights: c̄₋₁, c̄₀, c̄₁, weights of the slacks by outcome.
    best_weight: factor of the weights of comparisons with the current best.
    basis: φ: inverse quadratic, gaussian, thin plate spline, multiquadric, inverse multiquadric, linear.
    normalize: whether f̂(x*) = 0 at the current best, Eq. (RBF-normalize).
    acquisition: "idw", Eq. (acquisition), or "improvement", Eq. (acquisition-improvement-prob), whose theorem 1 holds exactly only
        with best_weight = 1.
    calibration_steps: I_sc, numbers N of samples; by default four, evenly spaced over the second phase, then one every
        ⌈N_max/6⌉. An empty list switches calibration off.
    calibration_grid: Θ, factors of ε.
    calibration_of: whether the factors multiply the "first" ε or the "current" one.
    calibration_folds: K; by default comparisons are left out one at a time.
    calibration_rule: when a left-out comparison counts as predicted: "margin", if f̂ differs by more than σ, or "sign", if it
        differs at all, the paper's π̂.
    compare_infeasible: case i of section 5: initial samples that violate constraints can be compared.
    search: how the acquisition is minimised: "multistart", "swarm" (the paper's) or "direct".
    """

    initial_samples: int | None = None
    exploration: float | None = None
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
    much: float = rbf.MUCH
    unsure: float = 1.0
    calibration_rule: calibration.Rule = "margin"

    def __post_init__(self) -> None:
        for name in ("weights", "calibration_steps", "calibration_grid"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _plain(name, getattr(self, name)))
        _check(self)

    @property
    def rebuild(self) -> int:
        """Always 0: calibration draws nothing, so a state from scratch is the same."""
        return 0

    # Algorithm 1, steps 5.1 to 5.5 -----------------------------------------------------------------------------------

    def propose(self, state: State, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return the incumbent against the next sample of the opening, later against the minimiser of the acquisition function."""
        opening = missing_opening(task, self.first_samples(task), history, self.compare_infeasible)  # step 3
        best = self.recommend(state, history, task)
        first_phase = opening_pair(opening, history, best)
        if first_phase is not None:
            return first_phase
        if best is None:
            return start_over(history, task, rng)
        surrogate = self.surrogate(state, history, best, task)  # step 5.1.2
        x = self.challenger(surrogate, history, best, task, rng)
        if x is None:
            return rematch(history, best, surrogate.values, task.judge)
        return Proposal(history.points[best], x, FLAT if surrogate.flat else "")  # step 5.2

    def challenger(
        self, surrogate: rbf.Surrogate, history: History, best: int, task: Task, rng: np.random.Generator
    ) -> Vector | None:
        """Return the minimiser of the acquisition function, or a candidate far from all samples if the surrogate is constant."""
        explore = acquisition.farthest_from_samples(history.points)
        a = explore if surrogate.flat else self._acquisition(surrogate, best, history, task)  # step 5.1.3
        a, x_best = avoiding_by_distance(a, history, self.exploration or IDW_EXPLORATION), history.points[best]
        return search.minimise(a, task.space, rng, taken(history), x_best, self.search)  # step 5.1.4, Eq. (xNp1)

    def surrogate(self, state: State, history: History, best: int, task: Task) -> rbf.Surrogate:
        """Return f̂ fitted to all answers, step 5.1.2."""
        return rbf.fit_history(history, state.distances.grown(history.points), best, self._settings(state.shape, task))

    def advance(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> State:
        """Return the state after the last answer; ε is calibrated at the steps of I_sc, step 5.1.1."""
        del rng  # calibration draws nothing
        steps = self._steps_up_to(len(history) + 1, task)
        if state is None:
            state = State(self.shape, rbf.Distances.of(history.points))
            # A quick calibration does not depend on earlier ones: only the last one counts.
            quick = [step for step in steps if self._calibrates_quickly(step - 1, task)]
            for step in quick[-1:] or steps:
                state = self._calibrated(state, history.prefix(step - 1), task)
        elif len(history) + 1 in steps:
            state = self._calibrated(state, history, task)
        return replace(state, distances=state.distances.grown(history.points))

    def recalibrated(self, history: History, task: Task) -> State:
        """Return the state with ε calibrated on this history alone, by the quick approximation."""
        return self._chosen(State(self.shape, rbf.Distances.of(history.points)), history, task, quick=True)

    def winner(self, history: History) -> int | None:
        """Return the winner of the comparisons, or None if they do not determine one."""
        return answers.incumbent(history)

    def recommend(self, state: State, history: History, task: Task) -> int | None:
        """Return x_{i*}: the winner of the comparisons, or, if they do not determine one, the feasible sample of lowest f̂."""
        if not history.spoken:
            return None
        best = answers.incumbent(history)
        seen = history.compared
        if best is not None or not seen.size:
            return best
        surrogate = rbf.fit_history(
            history, state.distances.grown(history.points), None, self._settings(state.shape, task)
        )
        return int(seen[surrogate.values[seen].argmin()])

    # The knobs -------------------------------------------------------------------------------------------------------

    def first_samples(self, task: Task) -> int:
        """Return N_init: how many samples the opening has."""
        return opening_size(self.initial_samples, task, 3)

    def _settings(self, shape: float, task: Task) -> rbf.Settings:
        margin = 1 / task.samples if self.margin is None else self.margin
        return rbf.Settings(
            self.basis,
            shape,
            margin,
            self.regularization,
            self.weights,
            self.best_weight,
            self.normalize,
            self.much,
            self.unsure,
        )

    def _acquisition(self, surrogate: rbf.Surrogate, best: int, history: History, task: Task) -> Smooth:
        delta = self._delta(history.answered + 1, task)
        if self.acquisition == "improvement":
            return acquisition.ProbabilityOfImprovement(surrogate, best, delta)
        return acquisition.SurrogateAndDistance(surrogate, delta)

    def _delta(self, samples: int, task: Task) -> float:
        """Return δ for a number of samples: constant, or falling linearly from the end of the opening to N_max."""
        start = self.exploration
        if start is None:
            start = IDW_EXPLORATION if self.acquisition == "idw" else 0.0
        if self.final_exploration is None:
            return start
        first = self.first_samples(task)
        progress = min(max((samples - first) / max(task.samples - first, 1), 0.0), 1.0)
        return start + progress * (self.final_exploration - start)

    def _steps_up_to(self, samples: int, task: Task) -> list[int]:
        """Return I_sc up to a number of samples."""
        if self.calibration_steps is not None:
            return sorted({step for step in self.calibration_steps if step <= samples})
        return calibration.calibration_steps(self.first_samples(task), task.samples, samples)

    def _calibrates_quickly(self, answered: int, task: Task) -> bool:
        """Return whether there are too many answers to calibrate exactly."""
        least, most = EXACT_CALIBRATION
        return answered > min(max(task.comparisons, least), most)

    def _calibrated(self, state: State, history: History, task: Task) -> State:
        """Return the state with ε calibrated, quickly if there are many answers."""
        if self._calibrates_quickly(len(history), task):
            return self._chosen(replace(state, shape=self.shape), history, task, quick=True)
        return self._chosen(state, history, task, quick=False)

    def _chosen(self, state: State, history: History, task: Task, quick: bool) -> State:
        """Return the state with the ε of εΘ that predicts left-out comparisons best."""
        settings = self._settings(state.shape, task)
        distances = state.distances.grown(history.points)
        base = (
            self.shape if self.calibration_of == "first" else state.shape
        )  # the current ε may drift, the first does not
        shapes = [base * factor for factor in self.calibration_grid]
        best, folds = answers.incumbent(history), self.calibration_folds
        if quick and not self.regularization:
            history, folds = history.last(EXACT_CALIBRATION[0]), folds or LP_FOLDS
        shape = calibration.calibrate(
            history, distances.D2, best, settings, shapes, folds, quick, self.calibration_rule
        )
        return State(shape, distances)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return {"name": "glisp"} | asdict(self)


def _plain(name: str, given: Any) -> tuple[Any, ...]:
    """Return a list of numbers as a tuple of Python numbers, so that settings compare equal and can be stored."""
    if isinstance(given, str) or not np.iterable(given):
        raise InputError.of(name, given, "a list of numbers")
    return tuple(value.item() if isinstance(value, np.generic) else value for value in given)


def _check(knobs: Glisp) -> None:
    """Raise InputError for the first setting that is not allowed."""
    rbf.check_settings(
        rbf.Settings(
            knobs.basis,
            knobs.shape,
            1.0 if knobs.margin is None else knobs.margin,
            knobs.regularization,
            knobs.weights,
            knobs.best_weight,
            much=knobs.much,
            unsure=knobs.unsure,
        )
    )
    for name in ("initial_samples", "calibration_folds"):
        check_whole(name, getattr(knobs, name), least=2)
    for name in ("exploration", "final_exploration"):
        value = getattr(knobs, name)
        if value is not None and not 0 <= number(name, value) < np.inf:
            raise InputError.of(name, value, "a number from 0 up")
    grid = [number("calibration_grid", factor) for factor in knobs.calibration_grid]
    if not grid or not all(0 < factor < np.inf for factor in grid):
        raise InputError.of("calibration_grid", knobs.calibration_grid, "one or more positive factors")
    if not all(isinstance(step, int) and step > 0 for step in knobs.calibration_steps or ()):
        raise InputError.of("calibration_steps", knobs.calibration_steps, "whole numbers of samples, from 1 up")
    for name, allowed in (
        ("acquisition", ("idw", "improvement")),
        ("calibration_of", ("first", "current")),
        ("calibration_rule", calibration.RULES),
        ("search", search.METHODS),
        ("normalize", (False, True)),
        ("compare_infeasible", (False, True)),
    ):
        if getattr(knobs, name) not in allowed:
            raise InputError.of(name, getattr(knobs, name), " or ".join(map(str, allowed)))
    if knobs.acquisition == "improvement" and knobs.regularization == 0:
        raise InputError.of("regularization", 0, "a positive number: the probability of improvement needs λ > 0")

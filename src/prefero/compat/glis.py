"""`GLISp` with the arguments and attributes of the package glis, for scripts that were written for it.

    from prefero.compat.glis import GLISp  # instead of: from glis.solvers import GLISp

| glis | here |
|---|---|
| `n_initial_random` | N_init, `Glisp.initial_samples` |
| `delta`, `scale_delta` | δ, `Glisp.exploration`; scaled, it falls to 0 at the last sample |
| `sepvalue` | σ, `Glisp.margin` |
| `rbf`, `rbf_epsil` | φ and ε, `Glisp.basis` and `Glisp.shape` |
| `RBFcalibrate`, `RBFcalibrationSteps`, `thetas` | I_sc and Θ, `Glisp.calibration_steps` and `Glisp.calibration_grid` |
| `acquisition_method` | "surrogate" is "idw", "prob_improvement" is "improvement" |
| `A`, `b`, `g` | constraints of the space |
| `expected_max_evals` | N_max, one more than the study's `comparisons` |
| `feasible=False` | the candidate failed |
| `satisfactory=False` | the candidate is not acceptable, unless it was preferred |

The rest of glis's arguments belong to its own solvers. They are accepted and have no effect.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint

from prefero.answers import Preference, as_preference
from prefero.errors import InputError
from prefero.exchange.tables import import_pairs
from prefero.proposers.glisp import Glisp
from prefero.space import Space
from prefero.space.arrays import Vector
from prefero.storage.events import Record
from prefero.study import Question, Study
from prefero.study.session import Session
from prefero.study.study import AnyProposer

NO_EFFECT = {
    "alpha", "svdtol", "obj_transform", "shrink_range", "constraint_penalty", "feasible_sampling", "epsDeltaF",
    "PSOiters", "PSOswarmsize", "PSOminfunc",
}  # fmt: skip
"""Arguments of glis that concern its own solvers."""

Test = Callable[[Vector], Any]


# glis.rbf --------------------------------------------------------------------------------------------------------------


def _distance(x1: Any, x2: Any) -> Any:
    return np.sum((np.asarray(x1) - np.asarray(x2)) ** 2, axis=-1)


def inverse_quadratic(x1: Any, x2: Any, epsil: float) -> Any:
    """Return 1 / (1 + (εd)²)."""
    return 1 / (1 + epsil**2 * _distance(x1, x2))


def gaussian(x1: Any, x2: Any, epsil: float) -> Any:
    """Return exp(−(εd)²)."""
    return np.exp(-(epsil**2) * _distance(x1, x2))


def multiquadric(x1: Any, x2: Any, epsil: float) -> Any:
    """Return √(1 + (εd)²)."""
    return np.sqrt(1 + epsil**2 * _distance(x1, x2))


def thin_plate_spline(x1: Any, x2: Any, epsil: float) -> Any:
    """Return (εd)² log(εd), which is 0 at d = 0."""
    squared = epsil**2 * _distance(x1, x2)
    return squared * np.log(np.where(squared > 0, squared, 1)) / 2


def linear(x1: Any, x2: Any, epsil: float) -> Any:
    """Return εd."""
    return epsil * np.sqrt(_distance(x1, x2))


def inverse_multi_quadric(x1: Any, x2: Any, epsil: float) -> Any:
    """Return 1 / √(1 + (εd)²)."""
    return 1 / np.sqrt(1 + epsil**2 * _distance(x1, x2))


_BASES = {
    "inverse_quadratic": "inverse quadratic",
    "gaussian": "gaussian",
    "multiquadric": "multiquadric",
    "thin_plate_spline": "thin plate spline",
    "linear": "linear",
    "inverse_multi_quadric": "inverse multiquadric",
}
"""The basis of a function of `glis.rbf`, by the function's name."""


# glis.solvers ----------------------------------------------------------------------------------------------------------


class GLISp:
    """Preference-based optimisation in glis's manner: `solve`, or `initialize` and `update`.

    bounds, n_initial_random, acquisition_method, RBFcalibrate, RBFcalibrationSteps, thetas, sepvalue, delta, scale_delta, rbf,
        rbf_epsil, A, b, g, expected_max_evals, has_unknown_constraints, has_satisfaction_fun: as of glis.
    display: 1 writes a line for each answer; 0 by default.
    seed: makes the run repeatable. glis takes NumPy's global random state instead.
    proposer: another method, such as "posterior", in place of the paper's; the arguments about the surrogate then have no effect.
    others: arguments of glis that have no effect here, `NO_EFFECT`.

    X, I, Ieq: the samples, and the answers as rows (winner, loser) and (equal, equal) of sample numbers.
    xbest, ibest, ibest_seq: the best sample, its number, and that number after each answer.
    xnext: the sample to compare with xbest. iter: the number of answers.
    isfeas_seq, UnknownFeasible, UnknownSatisfactory: whether each sample worked and was satisfactory, as far as it was said.
    theta: the current factor of ε. study: the study behind it, to be stored or looked at.
    """

    def __init__(
        self,
        bounds: tuple[Any, Any],
        acquisition_method: str = "surrogate",
        *,
        n_initial_random: int | None = None,
        RBFcalibrate: bool = True,
        RBFcalibrationSteps: Sequence[int] | None = None,
        thetas: Sequence[float] | None = None,
        sepvalue: float | None = None,
        delta: float = 0.5,
        scale_delta: bool = False,
        rbf: Callable[..., Any] | str | None = None,
        rbf_epsil: float = 1.0,
        A: Any = None,
        b: Any = None,
        g: Test | None = None,
        expected_max_evals: int = 100,
        has_unknown_constraints: bool = False,
        has_satisfaction_fun: bool = False,
        display: int = 0,
        seed: int | None = None,
        proposer: AnyProposer | None = None,
        **others: Any,
    ) -> None:
        unknown = sorted(set(others) - NO_EFFECT)
        if unknown:
            raise InputError(f"{unknown[0]} is not an argument of GLISp")
        methods = {"surrogate": "idw", "prob_improvement": "improvement"}
        if acquisition_method not in methods:
            raise InputError.of("acquisition_method", acquisition_method, " or ".join(map(repr, methods)))
        self.space = _space(bounds, A, b, g)
        self.nvars = len(self.space.names)
        self.n_initial_random = 2 * self.nvars if n_initial_random is None else n_initial_random
        settings: dict[str, Any] = {
            "initial_samples": self.n_initial_random,
            "exploration": None if acquisition_method == "prob_improvement" else delta,
            "final_exploration": 0.0 if scale_delta else None,
            "margin": sepvalue,
            "shape": rbf_epsil,
            "basis": _basis(rbf),
            "acquisition": methods[acquisition_method],
        }
        if not RBFcalibrate:
            settings["calibration_steps"] = ()
        elif RBFcalibrationSteps is not None:
            settings["calibration_steps"] = tuple(int(step) for step in RBFcalibrationSteps)
        if thetas is not None:
            settings["calibration_grid"] = tuple(float(theta) for theta in thetas)
        self.rbf_epsil, self.theta = rbf_epsil, 1.0
        self.proposer: AnyProposer = Glisp(**settings) if proposer is None else proposer
        self.expected_max_evals, self.display, self.seed = expected_max_evals, display, seed
        self.has_unknown_constraints, self.has_satisfaction_fun = has_unknown_constraints, has_satisfaction_fun
        self._forget()

    def _forget(self) -> None:
        self.study: Study | None = None
        self.X: list[Vector] = []
        self.I: list[list[int]] = []
        self.Ieq: list[list[int]] = []
        self.xbest: Vector | None = None
        self.xnext: Vector | None = None
        self.ibest: int | None = None
        self.ibest_seq: list[int] = []
        self.isfeas_seq: list[bool] = []
        self.UnknownFeasible: list[bool] = []
        self.UnknownSatisfactory: list[bool] = []
        self.iter = 0
        self.time_fun_eval: list[float] = []
        self.time_opt_acquisition: list[float] = []
        self.time_total = 0.0
        self._question: Question | None = None
        self._said: dict[bytes, tuple[bool, bool]] = {}  # whether a sample is feasible and satisfactory

    def initialize(self) -> tuple[Vector, Vector]:
        """Begin, and return the first two samples to compare: xbest and xnext."""
        self._forget()
        self.study = Study(
            self.space,
            comparisons=self.expected_max_evals - 1,
            seed=self.seed,
            proposer=self.proposer,
            sides="incumbent first",
        )
        self._ask(self.study)
        assert self.xbest is not None
        assert self.xnext is not None
        return self.xbest, self.xnext

    def update(self, pref_val: int, feasible: bool = True, satisfactory: bool = True) -> Vector:
        """Record π(xnext, xbest), −1 if xnext is better; return the next sample to compare with xbest.

        feasible: whether xnext satisfies the unknown constraints. satisfactory: whether it is good enough.
        """
        study, question = self.study, self._question
        if study is None or question is None or self.xnext is None or self.xbest is None:
            raise InputError("update: call initialize() first, which returns the first two samples")
        said = as_preference(pref_val)
        judged = self._said.get(_key(self.xnext), (True, True))
        works, pleases = bool(feasible) and judged[0], bool(satisfactory) and judged[1]
        new, best = self._number(self.xnext), self._number(self.xbest)
        if said:
            self.I.append([new, best] if said == -1 else [best, new])
        else:
            self.Ieq.append([new, best])
        self._note(self.xnext, works, pleases)
        self.isfeas_seq.append(works)
        self._tell(study, question, said, works, pleases)
        self.iter += 1
        self._ask(study)
        self._display(said == -1)
        assert self.xnext is not None
        return self.xnext

    def solve(
        self,
        pref_fun: Callable[[Vector, Vector], int],
        max_prefs: int,
        unknown_constraint_fun: Test | None = None,
        satisfactory_fun: Test | None = None,
    ) -> Vector:
        """Ask pref_fun(x, xbest) so many times, from the beginning; return the best sample."""
        began = time.perf_counter()
        self.expected_max_evals = max_prefs + 1
        best, x = self.initialize()
        works = unknown_constraint_fun if self.has_unknown_constraints else None
        pleases = satisfactory_fun if self.has_satisfaction_fun else None
        self.eval_feas_sat(best, works, pleases)
        for _ in range(max_prefs):
            asked = time.perf_counter()
            said = pref_fun(x, best)
            self.eval_feas_sat(x, works, pleases)
            self.time_fun_eval.append(time.perf_counter() - asked)
            x = self.update(said)
            assert self.xbest is not None
            best = self.xbest
        if self.X and self._key_is_new(x):
            self.X.pop()  # nobody has judged the last one
        self.time_total = time.perf_counter() - began
        return best

    def eval_feas_sat(
        self, x: Any, unknown_constraint_fun: Test | None = None, satisfactory_fun: Test | None = None
    ) -> tuple[bool, bool]:
        """Ask whether a sample is feasible and satisfactory, for the next `update`; return both."""
        point = np.asarray(x, dtype=float)
        works = unknown_constraint_fun is None or bool(unknown_constraint_fun(point))
        pleases = satisfactory_fun is None or bool(satisfactory_fun(point))
        self._note(point, works, pleases)
        return works, pleases

    def rbf_recalibrate(self) -> float:
        """Calibrate ε on all answers so far; return θ, its factor."""
        if self.study is None or not isinstance(self.study.proposer, Glisp) or not len(self.study.history):
            raise InputError("rbf_recalibrate: there are no answers yet, or the proposer has no radial basis functions")
        known, base = self.study.proposer, replace(self.study.proposer, shape=self.rbf_epsil)
        shape = base.recalibrated(self.study.history, Session.of(self.study.log.state).task).shape
        self.study.change_proposer(replace(known, shape=shape, calibration_steps=()))
        self.theta = shape / self.rbf_epsil
        return self.theta

    # One question ------------------------------------------------------------------------------------------------------

    def _tell(self, study: Study, question: Question, said: Preference, works: bool, pleases: bool) -> None:
        """Record an answer about (xbest, xnext), which are sides A and B."""
        if not self._said.get(_key(np.asarray(question.a)), (True, True))[0]:
            study.fail(question, "a")
        elif not works:
            study.fail(question, "b")
        elif not pleases and said == 1:
            study.tell(question, "b unacceptable")
        else:
            study.tell(question, as_preference(-said))

    def _ask(self, study: Study) -> None:
        """Ask the next question; one about a sample that is known to fail is answered at once."""
        began = time.perf_counter()
        question = study.ask()
        while not self._said.get(_key(np.asarray(question.b)), (True, True))[0]:
            study.fail(question, "b")
            question = study.ask()
        self.time_opt_acquisition.append(time.perf_counter() - began)
        self._question = question
        self.xbest, self.xnext = np.asarray(question.a, dtype=float), np.asarray(question.b, dtype=float)
        self.ibest = self._number(self.xbest)
        self._number(self.xnext)
        self.ibest_seq.append(self.ibest)

    def _number(self, x: Vector) -> int:
        """Return a sample's number in X, where it is put if it is new."""
        for k, known in enumerate(self.X):
            if np.array_equal(known, x):
                return k
        self.X.append(x)
        return len(self.X) - 1

    def _note(self, x: Vector, works: bool, pleases: bool) -> None:
        if _key(x) not in self._said:
            self.UnknownFeasible.append(works)
            self.UnknownSatisfactory.append(pleases)
        self._said[_key(x)] = works, pleases

    def _key_is_new(self, x: Vector) -> bool:
        return _key(x) not in self._said and np.array_equal(self.X[-1], x)

    def _display(self, improved: bool) -> None:
        if self.display:
            said = "improved" if improved else "no improvement"
            sys.stdout.write(f"query {self.iter:3}: {said}; best so far {self.xbest}\n")


def import_solver(study: Study, solver: Any, *, source: str = "glis", who: str = "") -> Record:
    """Import the answers of a glis solver, `X`, `I` and `Ieq`, into a study whose variables are its coordinates."""
    missing = [name for name in ("X", "I", "Ieq") if not hasattr(solver, name)]
    if missing:
        raise InputError.of("solver", solver, f"a GLISp of glis, with X, I and Ieq; it has no {missing[0]}")
    return import_pairs(study, np.asarray(solver.X), solver.I, ties=solver.Ieq, source=source, who=who)


def _key(x: Vector) -> bytes:
    return np.asarray(x, dtype=float).tobytes()


def _basis(rbf: Callable[..., Any] | str | None) -> str:
    """Return the name of a basis for one of glis's functions."""
    name = "inverse_quadratic" if rbf is None else getattr(rbf, "__name__", rbf)
    if name not in _BASES:
        raise InputError.of("rbf", rbf, f"one of the functions {', '.join(_BASES)}")
    return _BASES[str(name)]


def _space(bounds: Any, A: Any, b: Any, g: Test | None) -> Space:
    """Return the box, with A x ≤ b and g(x) ≤ 0."""
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        raise InputError.of("bounds", bounds, "a tuple (lb, ub) of two vectors")
    constraints: list[Any] = []
    if (A is None) != (b is None):
        raise InputError("A, b: give both, for A x ≤ b, or none")
    if A is not None:
        constraints.append(LinearConstraint(np.atleast_2d(A), -np.inf, np.ravel(b)))
    if g is not None:
        constraints.append(NonlinearConstraint(g, -np.inf, 0.0))
    return Space.box(np.ravel(bounds[0]), np.ravel(bounds[1]), constraints)

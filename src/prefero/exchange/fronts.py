"""Choose among Pareto optimal solutions by preferences, section 6.

| symbol | meaning |
|---|---|
| F(z) | the objectives, all to be minimised |
| x | nonnegative weights that sum to one; the last is eliminated, x_n = 1 − Σ x_i |
| z*(x) | a minimiser of Σ x_i F_i(z), Eq. (scal-multi-obj) |
| F*(x) | the vector F(z*(x)): what the person compares (the paper writes the scalar minimum, a slip) |

`choose_weights` searches the weights of a scalarisation and solves the inner problem for each choice of weights. `choose_from`
searches the rows of a front that was computed before. The person compares objectives in both, and both learn from objectives.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import LinearConstraint, minimize

from prefero.answers import as_preference
from prefero.errors import InputError
from prefero.exchange.catalogues import csv_columns, csv_text
from prefero.proposers.function import FunctionProposer
from prefero.proposers.outcomes import Outcomes
from prefero.space import Candidate, Real, Space
from prefero.space.arrays import Matrix, Vector
from prefero.space.catalogue import Catalogue
from prefero.space.design import latin_hypercube
from prefero.study.checks import DEFAULT_PROPOSER, as_proposer
from prefero.study.loop import Result, optimize
from prefero.study.study import AnyProposer

LearnFrom = Literal["objectives", "weights"]
_DRAWS, _POLISHED = 512, 8


@dataclass(frozen=True)
class InnerSolution:
    """The solution of the inner problem for one choice of weights: the objectives F* and the decision z*.

    If the inner problem is unbounded or fails, both are None and `message` says why. Such a solution loses every comparison.
    """

    weights: Vector
    objectives: Vector | None
    decision: Vector | None
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether the inner problem has no solution."""
        return self.objectives is None


@dataclass(frozen=True)
class WeightsResult:
    """The chosen weights with their objectives and decision.

    result: how the search went. message: why there are no objectives, if the inner problem failed.
    """

    weights: Vector
    objectives: Vector | None
    decision: Vector | None
    result: Result
    message: str = ""


def simplex(n: int) -> Space:
    """Return the space of n nonnegative weights that sum to one, with the last weight eliminated."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 2:
        raise InputError.of("n", n, "a whole number, 2 or more")
    if n == 2:
        return Space({"weight 1": Real(0, 1)})
    names = {f"weight {k + 1}": Real(0, 1) for k in range(n - 1)}
    return Space(names, constraints=LinearConstraint(np.ones((1, n - 1)), -np.inf, 1.0))


def all_weights(candidate: Candidate | Sequence[float]) -> Vector:
    """Return all weights of a candidate of `simplex`, including the eliminated one."""
    given = np.asarray(candidate, dtype=float)
    return np.append(given, max(1.0 - given.sum(), 0.0))


def choose_weights(
    prefer: Callable[[Vector, Vector], Any],
    objectives: Callable[[Vector], ArrayLike] | None,
    *,
    n_objectives: int,
    bounds: tuple[ArrayLike, ArrayLike] | None = None,
    solve: Callable[[Vector], Any] | None = None,
    comparisons: int = 30,
    seed: int | None = None,
    proposer: AnyProposer = DEFAULT_PROPOSER,
    learn_from: LearnFrom = "objectives",
    front: int | None = None,
    **options: Any,
) -> WeightsResult:
    """Find the scalarisation weights whose Pareto optimal solution `prefer` likes best.

    Parameters
    ----------
    prefer(F_a, F_b): compares two vectors of objectives and returns "a", "b" or "same", or -1, 1, 0.
    objectives(z): returns the vector F(z).
    n_objectives: the length of F.
    bounds: (lower, upper) of z. The inner problem is then solved here, globally.
    solve(weights): your own inner solver, instead of bounds. It returns the minimiser z, or the vector F* if objectives is None.
        The inner problem counts as failed if it raises an exception or returns a value that is not finite.
    learn_from: "objectives", which the person compares, or "weights", as in the paper. A proposer that is a function of the
        history always sees weights.
    front: how many inner problems to solve before the first question, to learn from objectives; by default 32 for each weight
        but the last. If an inner problem takes minutes, choose a smaller number or learn from the weights.
    comparisons, seed, proposer, options: as for `optimize`.
    """
    if learn_from not in get_args(LearnFrom):
        raise InputError.of("learn_from", learn_from, " or ".join(map(repr, get_args(LearnFrom))))
    inner = _inner_solver(objectives, n_objectives, bounds, solve, seed)
    known: dict[Candidate, InnerSolution] = {}

    def outcome_of(candidate: Candidate) -> InnerSolution:
        if candidate not in known:
            known[candidate] = inner(all_weights(candidate))
        return known[candidate]

    def compare(a: Candidate, b: Candidate) -> Any:
        first, second = outcome_of(a), outcome_of(b)
        if first.objectives is None or second.objectives is None:
            return int(first.failed) - int(second.failed)
        return as_preference(prefer(first.objectives, second.objectives))

    def objectives_of(candidate: Candidate) -> Vector:
        found = outcome_of(candidate)
        return np.full(n_objectives, np.nan) if found.objectives is None else found.objectives

    space = simplex(n_objectives)
    asks: Any = as_proposer(proposer)
    if learn_from == "objectives" and not isinstance(asks, FunctionProposer):
        asks = Outcomes(objectives_of, asks, front)
    result = optimize(compare, space, comparisons=comparisons, seed=seed, proposer=asks, **options)
    best = InnerSolution(np.full(n_objectives, np.nan), None, None) if result.best is None else outcome_of(result.best)
    return WeightsResult(best.weights, best.objectives, best.decision, result, best.message)


def _inner_solver(
    objectives: Callable[[Vector], ArrayLike] | None,
    n: int,
    bounds: tuple[ArrayLike, ArrayLike] | None,
    solve: Callable[[Vector], Any] | None,
    seed: int | None,
) -> Callable[[Vector], InnerSolution]:
    if (solve is None) == (bounds is None):
        raise InputError.of("solve, bounds", (solve, bounds), "exactly one of them")
    if bounds is not None:
        if objectives is None:
            raise InputError.of("objectives", None, "the function F(z), which bounds needs")
        box = Space.box(*bounds)
        rng = np.random.default_rng(0 if seed is None else seed)
        solve = Scalarised(objectives, box.scaling.low, box.scaling.high, rng).minimiser
    own = solve

    def inner(weights: Vector) -> InnerSolution:
        assert own is not None
        try:
            solved = np.asarray(own(weights), dtype=float)
            F = solved if objectives is None else np.asarray(objectives(solved), dtype=float)
        except Exception as error:  # noqa: BLE001 (whatever the user's solver raises, the inner problem failed)
            return InnerSolution(weights, None, None, f"{type(error).__name__}: {error}")
        if F.shape != (n,) or not np.isfinite(F).all():
            return InnerSolution(weights, None, None, f"the inner problem returned {F}, not {n} finite objectives")
        return InnerSolution(weights, F, None if objectives is None else solved)

    return inner


class Scalarised:
    """The function Σ x_i F_i over a box, for any weights x.

    F at many points is computed once, when it is first needed, and serves every choice of weights.
    """

    def __init__(
        self, objectives: Callable[[Vector], ArrayLike], low: Vector, high: Vector, rng: np.random.Generator
    ) -> None:
        self.objectives, self.bounds = objectives, list(zip(low, high, strict=True))
        self.Z = low + (high - low) * (latin_hypercube(_DRAWS, len(low), rng) + 1) / 2

    @cached_property
    def at_points(self) -> Matrix:
        """F at each of the points."""
        return np.array([np.asarray(self.objectives(z), dtype=float) for z in self.Z])

    def minimiser(self, weights: Vector) -> Vector:
        """Return z*(x), the global minimiser: the best of several local searches from the best points."""

        def scalarised(z: Vector) -> float:
            return float(weights @ np.asarray(self.objectives(z), dtype=float))

        value = self.at_points @ weights
        best, least = self.Z[value.argmin()], float(value.min())
        for k in np.argsort(value)[:_POLISHED]:
            solution = minimize(scalarised, self.Z[k], method="L-BFGS-B", bounds=self.bounds)
            if solution.fun < least:
                best, least = solution.x, float(solution.fun)
        return np.asarray(best)


@dataclass(frozen=True)
class FrontResult(Result):
    """What `choose_from` found: a `Result`, and where the best candidate comes from.

    row: the number of its row in the front, from 0. decision: its row of X, for a pymoo result. trial: its trial, for an Optuna
    study. All are None if nothing was answered.
    """

    decision: Any = None
    trial: Any = None


@dataclass(frozen=True)
class Front:
    """A catalogue of the different rows of a front, and where they come from.

    numbers: the row of the front that each row of the catalogue is. decisions: of a pymoo result, one per row of the front.
    trials: of an Optuna study, likewise.
    """

    catalogue: Catalogue
    numbers: Sequence[int]
    decisions: Any = None
    trials: Sequence[Any] | None = None


def choose_from(
    prefer: Callable[[Candidate, Candidate], Any],
    front: Any,
    *,
    names: Sequence[str] | None = None,
    comparisons: int | None = None,
    **options: Any,
) -> FrontResult:
    """Find the row of a front that `prefer` likes best.

    Parameters
    ----------
    prefer(a, b): compares two rows, mappings by column name, and returns "a", "b" or "same", or -1, 1, 0.
    front: an array with one solution per row, a list of mappings, a DataFrame, a CSV file with a header, a pymoo result, an
        Optuna study or a Catalogue. Of equal rows, the first counts.
    names: the names of the columns, if the front has none.
    comparisons: by default 30, or one less than the number of rows if that is smaller.
    options: as for `optimize`.
    """
    found = _front(front, names)
    count = min(30, len(found.catalogue.rows) - 1) if comparisons is None else comparisons
    result = optimize(prefer, found.catalogue, comparisons=count, **options)
    known = {each.name: getattr(result, each.name) for each in fields(Result)}
    if result.row is None:
        return FrontResult(**known)
    row = known["row"] = found.numbers[result.row]
    decision = None if found.decisions is None else found.decisions[row]
    return FrontResult(**known, decision=decision, trial=None if found.trials is None else found.trials[row])


def front_of(front: Any, names: Sequence[str] | None = None) -> Catalogue:
    """Return the different rows of a front as a catalogue; see `choose_from` for the accepted forms."""
    return _front(front, names).catalogue


def _front(front: Any, names: Sequence[str] | None) -> Front:
    if isinstance(front, Catalogue):
        return Front(front, range(len(front.rows)))
    if isinstance(front, str | os.PathLike):
        path = Path(front)
        columns = csv_columns(csv_text(path, "front"), "front", str(path))
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        kept = _first_of_equals([tuple(row.values()) for row in rows])
        return Front(Catalogue([rows[k] for k in kept]), kept)
    if hasattr(front, "best_trials"):  # an Optuna study
        trials = list(front.best_trials)
        values = np.array([trial.values for trial in trials])
        names = names or getattr(front, "metric_names", None) or _numbered(values)
        return _of_objectives(values, names, trials=trials)
    if hasattr(front, "F") and not isinstance(front, np.ndarray):  # a pymoo result
        X = getattr(front, "X", None)
        F = np.asarray(front.F)
        of_rows = X is not None and hasattr(X, "__len__") and len(X) == len(F) if F.ndim else False
        return _of_objectives(front.F, names or _numbered(F), decisions=X if of_rows else None)
    return _of_objectives(front, names)


def _of_objectives(rows: Any, names: Sequence[str] | None, **sources: Any) -> Front:
    """Return the front of a table; a solver may find the same objectives several times."""
    if isinstance(rows, list | np.ndarray) and len(rows) > 2:
        keys = [tuple(row.values()) if isinstance(row, Mapping) else row for row in rows]
        try:
            kept = _first_of_equals([tuple(np.asarray(key, dtype=object).tolist()) for key in keys])
        except TypeError:  # no table: the catalogue says what is wrong
            kept = list(range(len(rows)))
        if len(kept) < len(rows):
            return Front(Catalogue([rows[k] for k in kept], names), kept, **sources)
    catalogue = Catalogue(rows, names)
    return Front(catalogue, range(len(catalogue.rows)), **sources)


def _first_of_equals(rows: Sequence[tuple[Any, ...]]) -> list[int]:
    first: dict[tuple[Any, ...], int] = {}
    for k, row in enumerate(rows):
        first.setdefault(row, k)
    return list(first.values())


def _numbered(rows: np.ndarray) -> list[str]:
    return [f"objective {k + 1}" for k in range(rows.shape[1] if rows.ndim == 2 else 0)]

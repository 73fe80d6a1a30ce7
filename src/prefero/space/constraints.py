"""Known constraints in any form, as rows g(x) ≤ 0.

Constraints act in user units. `LinearConstraint` and `NonlinearConstraint` see the numeric variables as a vector in
declared order; a plain function sees the candidate. Each row has a scale, so that "violated" means the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint

from prefero.errors import ConstraintError, InputError, shorten
from prefero.space.arrays import Matrix, Vector
from prefero.space.variables import Candidate

TOLERANCE = 1e-8
"""A row is satisfied if it exceeds zero by no more than this share of its scale: solvers leave points on a bound this far off."""


@dataclass(frozen=True)
class Linear:
    """A u ≤ b for the numeric variables u in user units."""

    A: Matrix
    b: Vector

    def __call__(self, units: Matrix) -> Matrix:
        """Return the rows at many candidates."""
        return np.asarray(units @ self.A.T - self.b)


@dataclass(frozen=True)
class Function:
    """lower ≤ function ≤ upper, as one-sided rows.

    `wants_candidate` says whether the function takes a candidate or a vector, `vectorized` whether it takes many of them at once.
    """

    name: str
    function: Callable[[Any], Any]
    wants_candidate: bool
    lower: Vector
    upper: Vector
    vectorized: bool = False

    def __call__(self, given: Vector | Candidate) -> Vector:
        """Return the rows at one candidate, or at the vector of its numeric variables."""
        try:
            raw = self.function(given)
        except Exception as error:
            raise ConstraintError(f"{self.name} raised {type(error).__name__}: {error} at {given}") from error
        return self._rows(raw, given)

    def many(self, units: Matrix, candidates: Sequence[Candidate]) -> list[Vector]:
        """Return the rows at each of many candidates, by one call if the function is vectorised.

        A vectorised function gets a column for each variable by name, or SciPy's matrix with one candidate in each column, and
        returns one number for each candidate, or one row of these for each constraint.
        """
        if not self.vectorized:
            return [self(one) for one in (candidates if self.wants_candidate else units)]
        names = list(dict.fromkeys(name for candidate in candidates for name in candidate))
        columns = {name: np.array([candidate.get(name) for candidate in candidates]) for name in names}
        try:
            raw = np.atleast_2d(np.asarray(self.function(columns if self.wants_candidate else units.T)))
        except Exception as error:
            raise ConstraintError(
                f"{self.name} raised {type(error).__name__}: {error} at {len(units)} candidates"
            ) from error
        if raw.ndim != 2 or raw.shape[1] != len(units):
            raise ConstraintError(
                f"{self.name} returned an array of shape {raw.shape} for {len(units)} candidates; "
                "allowed: one number for each candidate, or a row of these for each constraint"
            )
        return [self._rows(row, k) for k, row in enumerate(raw.T)]

    def _rows(self, raw: object, given: object) -> Vector:
        """Return the one-sided rows from what the function returned for one candidate."""
        values = self._checked(raw, given)
        if self.lower.size == self.upper.size == 1 and self.lower[0] == -np.inf:
            return values - self.upper  # the usual case, without the cost of broadcasting
        upper, lower = np.broadcast_to(self.upper, values.shape), np.broadcast_to(self.lower, values.shape)
        return np.concatenate([(values - upper)[np.isfinite(upper)], (lower - values)[np.isfinite(lower)]])

    def _checked(self, raw: object, given: object) -> Vector:
        """Return the function's value as a vector of finite numbers; raise ConstraintError otherwise."""
        if np.asarray(raw).dtype == bool:  # False would count as 0, which is satisfied: the opposite of what is meant
            allowed = "a number, at most 0 if the candidate is allowed" if self.wants_candidate else "numbers"
            raise ConstraintError(f"{self.name} returned {raw} at {given}; allowed: {allowed}")
        try:
            values = np.atleast_1d(np.asarray(raw, dtype=float))
        except (TypeError, ValueError):
            values = np.array([np.nan])
        if values.ndim != 1 or values.size == 0 or max(self.upper.size, self.lower.size) not in (1, values.size):
            raise ConstraintError(
                f"{self.name} returned {shorten(raw)}; allowed: a number, or as many numbers as it has bounds"
            )
        if not np.isfinite(values).all():
            raise ConstraintError(f"{self.name} returned {raw!r} at {given}; allowed: finite numbers")
        return values


Constraint: TypeAlias = Linear | Function


def parse(constraints: object, numeric: int, vectorized: bool = False) -> tuple[Constraint, ...]:
    """Return the user's constraints as `Linear` and `Function`.

    Parameters
    ----------
    constraints: one, or a list.
    numeric: the number of numeric variables.
    vectorized: whether the functions take many candidates at once.
    """
    if not isinstance(vectorized, bool):
        raise InputError.of("vectorized", vectorized, "True or False")
    if isinstance(constraints, LinearConstraint | NonlinearConstraint) or callable(constraints):
        constraints = [constraints]
    if not isinstance(constraints, Sequence):
        raise InputError.of("constraints", constraints, "a list of constraints")
    return tuple(_parse_one(constraint, k, numeric, vectorized) for k, constraint in enumerate(constraints))


def _parse_one(constraint: Any, k: int, numeric: int, vectorized: bool) -> Constraint:
    if isinstance(constraint, Linear | Function):
        return constraint
    if isinstance(constraint, LinearConstraint):
        return _parse_linear(constraint, k, numeric)
    if isinstance(constraint, NonlinearConstraint):
        lower, upper = _interval(constraint.lb, constraint.ub, k)
        return Function(f"constraints[{k}]", constraint.fun, False, lower, upper, vectorized)
    if callable(constraint):
        minus_infinity, zero = np.array([-np.inf]), np.array([0.0])
        return Function(f"constraints[{k}]", constraint, True, minus_infinity, zero, vectorized)
    allowed = "scipy's LinearConstraint or NonlinearConstraint, or a function g with g(candidate) <= 0"
    raise InputError.of(f"constraints[{k}]", constraint, allowed)


def _parse_linear(constraint: LinearConstraint, k: int, numeric: int) -> Linear:
    A = np.atleast_2d(np.asarray(constraint.A.toarray() if hasattr(constraint.A, "toarray") else constraint.A, float))
    if A.shape[1] != numeric or not np.isfinite(A).all():
        allowed = f"finite numbers, one column for each of the {numeric} numeric variables"
        raise InputError.of(f"constraints[{k}].A", A.tolist(), allowed)
    lower, upper = (np.broadcast_to(bound, len(A)) for bound in _interval(constraint.lb, constraint.ub, k))
    above, below = np.isfinite(upper), np.isfinite(lower)
    return Linear(np.vstack([A[above], -A[below]]), np.concatenate([upper[above], -lower[below]]))


def _interval(lower: Any, upper: Any, k: int) -> tuple[Vector, Vector]:
    lower, upper = (np.atleast_1d(np.asarray(bound, dtype=float)) for bound in (lower, upper))
    if not (lower.size == 1 or upper.size == 1 or lower.shape == upper.shape):
        raise InputError.of(f"constraints[{k}]", (lower.tolist(), upper.tolist()), "as many lower bounds as upper ones")
    if np.isnan(lower).any() or np.isnan(upper).any() or (lower > upper).any():
        raise InputError.of(f"constraints[{k}]", (lower.tolist(), upper.tolist()), "a lower bound below the upper one")
    if (lower == upper).any():
        raise InputError(
            f"constraints[{k}] is an equality; allowed: inequalities. Eliminate one variable by it instead."
        )
    if not (np.isfinite(lower).any() or np.isfinite(upper).any()):
        raise InputError.of(f"constraints[{k}]", (lower.tolist(), upper.tolist()), "at least one finite bound")
    return lower, upper


def values(constraints: Sequence[Constraint], units: Matrix, candidates: Callable[[], list[Candidate]]) -> Matrix:
    """Return all rows at many candidates, one candidate per row; linear constraints cost one matrix product.

    Constraints are evaluated in user units, so that Eq. (Ab_bar) is never formed. In the box it would be Ā = A diag((u_s − ℓ_s)/2);
    the paper omits the half. On a logarithmic scale a linear constraint is not linear in the box at all.

    A user's function is called once per candidate, unless it is vectorised.

    Parameters
    ----------
    constraints: the constraints.
    units: the numeric variables in user units, one candidate per row.
    candidates: returns the same candidates by name; it is called only if a constraint needs them.
    """
    blocks: list[Matrix] = []
    made: list[Candidate] | None = None
    for constraint in constraints:
        if isinstance(constraint, Linear):
            blocks.append(constraint(units))
            continue
        if constraint.wants_candidate and made is None:
            made = candidates()
        rows = constraint.many(units, made or ())
        if len({row.size for row in rows}) > 1:
            lengths = sorted({row.size for row in rows})
            raise ConstraintError(f"{constraint.name} returned {lengths} numbers; allowed: always the same number")
        blocks.append(np.array(rows).reshape(len(units), -1))
    return np.hstack(blocks) if blocks else np.zeros((len(units), 0))

"""Space: the named variables with their bounds and known constraints.

Names and units exist only here; below, a candidate is a point of the box [−1, 1]ⁿ.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from prefero.errors import FormatError, InfeasibleError, InputError
from prefero.space.arrays import Mask, Matrix, Vector, between, map_into
from prefero.space.constraints import TOLERANCE, Constraint, Function, Linear, parse, values
from prefero.space.scaling import Scaling
from prefero.space.tightening import row_scales, tighten
from prefero.space.variables import Candidate, Choice, Integer, Real, Value, Variable

__all__ = ["Candidate", "Choice", "Integer", "Real", "Space", "Value"]

_SCALE_DRAWS = 256
"""Points at which the typical size of each constraint is measured."""
_ENUMERABLE = 4096
"""The most candidates of a space without real variables that are listed, so that nothing has to be searched."""


class Space:
    """The named variables, their finite bounds and the known constraints.

    >>> space = Space({"gain": Real(0.1, 10, log=True), "taps": Integer(1, 8), "window": Choice(["hann", "flat"])})

    `constraints` are SciPy's `LinearConstraint` and `NonlinearConstraint` over the numeric variables in declared order, or
    functions g with g(candidate) <= 0, all in user units. The bounds are tightened to the smallest box around the feasible set.
    """

    def __init__(
        self, variables: Mapping[str, Variable] | Iterable[tuple[str, Variable]], constraints: Any = ()
    ) -> None:
        self.variables = _checked(variables)
        declared = Scaling.declared(self.variables)
        self.constraints: tuple[Constraint, ...] = parse(constraints, len(declared.numeric))
        self.scaling = tighten(declared, self.constraints)
        self._part: tuple[Vector, Vector] | None = None
        self._scales = self._row_scales()
        if self.constraints:
            self._check_feasible()

    @classmethod
    def box(cls, lower: ArrayLike, upper: ArrayLike, constraints: Any = ()) -> Self:
        """Return a space of real variables x1, x2, … from two vectors of bounds."""
        try:
            given = [np.asarray(bound, dtype=float) for bound in (lower, upper)]
            low, high = map(np.atleast_1d, np.broadcast_arrays(*given))
        except (TypeError, ValueError, OverflowError):
            raise InputError.of("lower, upper", (lower, upper), "two vectors of the same length") from None
        if low.ndim != 1 or len({bound.shape for bound in given if bound.ndim}) > 1:
            raise InputError.of("lower, upper", (lower, upper), "two vectors of the same length")
        names = [f"x{k + 1}" for k in range(low.size)]
        reals = []
        for name, a, b in zip(names, low.tolist(), high.tolist(), strict=True):
            try:
                reals.append(Real(a, b))
            except InputError as error:
                raise InputError(f"{name}: {error}") from None
        return cls(dict(zip(names, reals, strict=True)), constraints)

    def __repr__(self) -> str:
        return f"Space({self.variables!r}, constraints={len(self.constraints)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in declared order."""
        return tuple(self.variables)

    @property
    def dimension(self) -> int:
        """The number of coordinates of the box."""
        return self.scaling.dimension

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the variables that take coordinates: all of them."""
        return self.names

    @property
    def groups(self) -> tuple[slice, ...]:
        """The coordinates of each variable."""
        return tuple(self.scaling.coordinates.values())

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The bounds of the numeric variables, tightened by the constraints, Eq. (BBox)."""
        ends = zip(self.scaling.low.tolist(), self.scaling.high.tolist(), strict=True)
        return dict(zip(self.scaling.numeric, ends, strict=True))

    # Candidates and points -------------------------------------------------------------------------------------------

    def candidate(self, given: object) -> Candidate:
        """Return what the user gave, a mapping or a sequence in declared order, as a checked candidate."""
        if isinstance(given, Mapping):
            if set(given) != set(self.variables):
                raise InputError.of(
                    "candidate", dict(given), f"a value for each of {list(self.variables)} and nothing else"
                )
            named = given
        else:
            named = _by_position(given, self.names)
        return Candidate({name: variable.check(name, named[name]) for name, variable in self.variables.items()})

    def encode(self, candidate: Mapping[str, Any]) -> Vector:
        """Return a candidate as a point of the box."""
        return self.scaling.encode(candidate)

    def decode(self, point: Vector) -> Candidate:
        """Return a point of the box as a candidate."""
        return self.scaling.candidates(point[None])[0]

    def snap(self, X: Matrix) -> Matrix:
        """Return the nearest points that are candidates: within the box, whole integers, one level per choice."""
        return self.scaling.snap(X if self._part is None else np.clip(X, *self._part))

    def reach(self, candidate: Mapping[str, Any], steps: Mapping[str, float]) -> tuple[Vector, Vector]:
        """Return the lowest and highest coordinates within `steps` user units of a candidate, for the variables named there."""
        return self.scaling.reach(candidate, steps)

    def within(self, low: Vector, high: Vector) -> Space:
        """Return the same space, limited to candidates between two corners."""
        part = copy.copy(self)
        part._part = (low, high)
        return part

    def map_into_part(self, X: Matrix) -> Matrix:
        """Map points of the whole box linearly into the part that the space is limited to."""
        return X if self._part is None else map_into(X, *self._part)

    # Constraints -----------------------------------------------------------------------------------------------------

    def violations(self, X: Matrix) -> Matrix:
        """Return max{g_i(x), 0} for every row of every constraint, each divided by its scale."""
        if not self.constraints:
            return np.zeros((len(X), 0))
        return np.maximum(self._rows(X) / self._scales, 0.0)

    def feasible(self, X: Matrix) -> Mask:
        """Return which points satisfy every known constraint."""
        return np.asarray((self.violations(X) <= TOLERANCE).all(axis=1))

    def admits(self, candidate: Candidate) -> bool:
        """Return whether a candidate lies within the bounds and satisfies the constraints, in user units."""
        for name, variable in self.variables.items():
            if isinstance(variable, Real | Integer) and not variable.low <= candidate[name] <= variable.high:
                return False
        if not self.constraints:
            return True
        units = np.array([[candidate[name] for name in self.scaling.numeric]], dtype=float)
        rows = values(self.constraints, units, lambda: [candidate])
        return bool((rows <= TOLERANCE * self._scales).all())

    def _rows(self, X: Matrix) -> Matrix:
        """Return the rows g(x) of all constraints at points of the box."""
        return values(self.constraints, self.scaling.units(X), lambda: self.scaling.candidates(X))

    def _row_scales(self) -> Vector:
        """Return a typical size of each constraint row."""
        if not self.constraints:
            return np.zeros(0)
        # A fixed seed: the scales are part of the space's definition, not of a study's randomness.
        drawn = np.random.default_rng(0).uniform(-1, 1, (_SCALE_DRAWS, self.dimension))
        return row_scales(self._rows(self.snap(drawn)))

    def _check_feasible(self) -> None:
        """Raise InfeasibleError if a finite space has fewer than two feasible candidates."""
        points = self.points()
        if points is not None and len(points) < 2:
            found = "no candidate satisfies" if not len(points) else f"only {self.decode(points[0])} satisfies"
            raise InfeasibleError(f"constraints: {found} them; allowed: constraints that leave two or more")

    # Finite spaces ---------------------------------------------------------------------------------------------------

    def points(self) -> Matrix | None:
        """Return every feasible candidate if there are few, otherwise None."""
        if self._points is None or self._part is None:
            return self._points
        return self._points[between(self._points, *self._part)]

    @cached_property
    def _points(self) -> Matrix | None:
        """Every feasible candidate of the whole space if there are few, otherwise None."""
        columns: list[Sequence[Value]] = []
        count = 1
        for name, variable in self.variables.items():
            if isinstance(variable, Real):
                return None
            if isinstance(variable, Choice):
                columns.append(variable.levels)
                count *= len(variable.levels)
            else:
                low, high = (int(end) for end in self.bounds[name])
                columns.append(range(low, high + 1))  # a range takes no memory, even if it proves too long
                count *= high - low + 1
            if count > _ENUMERABLE:
                return None
        X = np.array([self.encode(dict(zip(self.names, row, strict=True))) for row in itertools.product(*columns)])
        return X[self.feasible(X)]

    # The versioned form ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the space as plain data; of a constraint function only its name is kept."""
        return {
            "kind": "space",
            "variables": [{"name": name} | _variable_to_dict(v) for name, v in self.variables.items()],
            "constraints": [_constraint_to_dict(constraint) for constraint in self.constraints],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Space:
        """Return the space that `to_dict` wrote; raise FormatError if it has constraint functions, which cannot be stored."""
        constraints = []
        for k, row in enumerate(data["constraints"]):
            if row["type"] != "linear":
                raise FormatError(
                    f"constraints[{k}] is a function, which JSON cannot store: pass the space itself with space="
                )
            constraints.append(Linear(np.array(row["A"], float).reshape(len(row["b"]), -1), np.array(row["b"], float)))
        return cls([(row["name"], _variable_from_dict(row)) for row in data["variables"]], constraints)


def _checked(variables: object) -> dict[str, Variable]:
    """Return the variables by name; raise InputError for the first that is wrong."""
    pairs = list(variables.items()) if isinstance(variables, Mapping) else variables
    if not isinstance(pairs, Sequence) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise InputError.of("variables", variables, "a mapping from names to Real, Integer or Choice")
    if not pairs:
        raise InputError.of("variables", variables, "at least one variable")
    names = [name for name, _ in pairs]
    for name, variable in pairs:
        if not isinstance(name, str) or not name:
            raise InputError.of("variables", name, "non-empty text as the name of each variable")
        if not isinstance(variable, Real | Integer | Choice):
            raise InputError.of(
                f"variables[{name!r}]", variable, "Real(low, high), Integer(low, high) or Choice([...])"
            )
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InputError.of("variables", twice, "each name once")
    return dict(pairs)


def _by_position(given: object, names: Sequence[str]) -> dict[str, Any]:
    """Return a sequence of values in declared order as a mapping."""
    array = given.tolist() if isinstance(given, np.ndarray) else given
    if isinstance(array, str) or not isinstance(array, Sequence) or len(array) != len(names):
        raise InputError.of("candidate", given, f"a mapping, or {len(names)} values in the order {list(names)}")
    return dict(zip(names, array, strict=True))


def _variable_to_dict(variable: Variable) -> dict[str, Any]:
    match variable:
        case Real(low, high, log, unit):
            return {"type": "real", "low": low, "high": high, "log": bool(log)} | ({"unit": unit} if unit else {})
        case Integer(low, high, unit):
            return {"type": "integer", "low": low, "high": high} | ({"unit": unit} if unit else {})
        case Choice(levels=levels):
            return {"type": "choice", "levels": list(levels)}
    raise InputError.of("variable", variable, "a Real, an Integer or a Choice")


def _variable_from_dict(row: Mapping[str, Any]) -> Variable:
    match row["type"]:
        case "real":
            return Real(row["low"], row["high"], row["log"], row.get("unit", ""))
        case "integer":
            return Integer(row["low"], row["high"], row.get("unit", ""))
        case "choice":
            return Choice(row["levels"])
    raise FormatError.of("type", row["type"], "real, integer or choice")


def _constraint_to_dict(constraint: Constraint) -> dict[str, Any]:
    if isinstance(constraint, Function):
        return {"type": "function", "name": constraint.name}
    return {"type": "linear", "A": constraint.A.tolist(), "b": constraint.b.tolist()}

"""Space: the named variables with their bounds and known constraints.

Names and units exist only here; below, a candidate is a point of the box [−1, 1]ⁿ.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from prefero.errors import FormatError, InfeasibleError, InputError
from prefero.space.arrays import Mask, Matrix, Vector, between, map_into
from prefero.space.constraints import TOLERANCE, Constraint, Function, Linear, parse, values
from prefero.space.scaling import Scaling, ordered_conditions
from prefero.space.tightening import row_scales, tighten
from prefero.space.variables import Candidate, Choice, Integer, Ordinal, Real, Value, Variable, plain

__all__ = ["Candidate", "Choice", "Integer", "Ordinal", "Real", "Space", "Value"]

_SCALE_DRAWS = 256
"""Points at which the typical size of each constraint is measured."""
STEP_TOLERANCE = 1e-6
"""A value is on a step if it is at most this share of a step away from it: 0.1 + 0.2 is 0.3."""
_ENUMERABLE = 4096
"""The most candidates of a space without real variables that are listed, so that nothing has to be searched."""


class Space:
    """The named variables, their finite bounds and the known constraints.

    >>> space = Space({"gain": Real(0.1, 10, log=True), "taps": Integer(1, 8), "window": Choice(["hann", "flat"])})

    `constraints` are SciPy's `LinearConstraint` and `NonlinearConstraint` over the numeric variables in declared order, or
    functions g with g(candidate) <= 0, all in user units. The bounds are tightened to the smallest box around the feasible set.
    `fixed` gives variables that keep one value in every proposal, see `fix`. With `vectorized`, the functions among the
    constraints take many candidates at once.
    """

    def __init__(
        self,
        variables: Mapping[str, Variable] | Iterable[tuple[str, Variable]],
        constraints: Any = (),
        *,
        fixed: Mapping[str, Any] | None = None,
        vectorized: bool = False,
    ) -> None:
        self.variables = _checked(variables)
        check_conditions(self.variables)
        self.fixed = _checked_fixed(fixed or {}, self.variables)
        declared = Scaling.declared(self.variables)
        self.constraints: tuple[Constraint, ...] = parse(constraints, len(declared.numeric), vectorized)
        self.scaling = replace(tighten(declared, self.constraints), fixed=self.fixed)
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

    def fix(self, **values: Any) -> Space:
        """Return the same space with the values of some variables fixed in every proposal; None sets a variable free.

        Candidates with other values remain data: pass the result to `Study.change_space` to fix a value in a running study.
        """
        unknown = [name for name in values if name not in self.variables]
        if unknown:
            raise InputError.of("fix", unknown[0], f"one of the variables {list(self.variables)}")
        kept = {name: value for name, value in (self.fixed | values).items() if value is not None}
        return Space(self.variables, self.constraints, fixed=kept)

    def __repr__(self) -> str:
        fixed = f", fixed={self.fixed!r}" if self.fixed else ""
        return f"Space({self.variables!r}, constraints={len(self.constraints)}{fixed})"

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
        ends = list(zip(self.scaling.low.tolist(), self.scaling.high.tolist(), strict=True))
        return {name: ends[k] for name, k in zip(self.scaling.numeric, self.scaling.numeric_columns, strict=True)}

    # Candidates and points -------------------------------------------------------------------------------------------

    def candidate(self, given: object) -> Candidate:
        """Return what the user gave, a mapping or a sequence in declared order, as a checked candidate."""
        named = given if isinstance(given, Mapping) else _by_position(given, self.names)
        named = {name: value for name, value in named.items() if value is not None or not self._conditional(name)}
        needed = set(self.present(named))
        if set(named) != needed:
            raise InputError.of("candidate", dict(named), self._wanted(named))
        return Candidate({name: v.check(name, named[name]) for name, v in self.variables.items() if name in needed})

    def present(self, values: Mapping[str, Any]) -> list[str]:
        """Return the names of the variables whose conditions some values meet."""
        absent: set[str] = set()
        for name in self.scaling.conditional:
            for parent, levels in self.variables[name].when.items():
                if parent in absent or parent not in values or not _among(values[parent], levels):
                    absent.add(name)
        return [name for name in self.variables if name not in absent]

    def _conditional(self, name: str) -> bool:
        return name in self.variables and bool(self.variables[name].when)

    def _wanted(self, values: Mapping[str, Any]) -> str:
        """Return which values a candidate needs."""
        wanted = f"a value for each of {self.present(values)} and nothing else"
        extra = [name for name in values if name in self.variables and name not in self.present(values)]
        return wanted if not extra else f"{wanted}: {extra[0]} exists only if {condition(self.variables[extra[0]])}"

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

    def around(self, point: Vector, share: float) -> tuple[Vector, Vector]:
        """Return the corners of the part around a point that reaches so far, as a share of each range."""
        return self.scaling.around(point, share)

    def pinned(self, name: str, value: Value) -> tuple[Vector, Vector]:
        """Return the corners of the part in which a variable has a value."""
        return self.scaling.pinned(name, value)

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
        if not self.constraints or not len(X):
            return np.zeros((len(X), len(self._scales)))
        return np.maximum(self._rows(X) / self._scales, 0.0)

    def feasible(self, X: Matrix) -> Mask:
        """Return which points satisfy every known constraint."""
        return np.asarray((self.violations(X) <= TOLERANCE).all(axis=1))

    def admits(self, candidate: Candidate) -> bool:
        """Return whether a candidate lies within the bounds and satisfies the constraints, in user units."""
        if not all(self.allows(name, value) for name, value in candidate.items()):
            return False
        if not self.constraints:
            return True
        units = np.array([[candidate.get(name, 0.0) for name in self.scaling.numeric]], dtype=float)
        rows = values(self.constraints, units, lambda: [candidate])
        return bool((rows <= TOLERANCE * self._scales).all())

    def allows(self, name: str, value: Any) -> bool:
        """Return whether a value of a variable may be proposed: within the bounds, on the steps, and the fixed one."""
        variable = self.variables[name]
        if name in self.fixed and value != self.fixed[name]:
            return False
        if not isinstance(variable, Real | Integer) or not variable.step:
            return not isinstance(variable, Real | Integer) or variable.low <= value <= variable.high
        count = (value - variable.low) / variable.step
        return bool(variable.low <= value <= variable.high and abs(count - round(count)) <= STEP_TOLERANCE)

    def _rows(self, X: Matrix) -> Matrix:
        """Return the rows g(x) of all constraints at points of the box."""
        return values(self.constraints, self.scaling.numbers(X), lambda: self.scaling.candidates(X))

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
        for name in self.variables:
            values = self.scaling.discrete(name)
            count *= _ENUMERABLE + 1 if values is None else len(values)
            if values is None or count > _ENUMERABLE:
                return None
            columns.append(values)
        X = np.array([self.encode(dict(zip(self.names, row, strict=True))) for row in itertools.product(*columns)])
        if self.scaling.conditional:  # what is absent makes some of them the same
            X = np.unique(self.scaling.snap(X), axis=0)
        return X[self.feasible(X)]

    # The versioned form ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the space as plain data; of a constraint function only its name is kept."""
        return {
            "kind": "space",
            "variables": [{"name": name} | variable_to_dict(v) for name, v in self.variables.items()],
            "constraints": [_constraint_to_dict(constraint) for constraint in self.constraints],
        } | ({"fixed": dict(self.fixed)} if self.fixed else {})

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
        variables = [(row["name"], variable_from_dict(row)) for row in data["variables"]]
        return cls(variables, constraints, fixed=data.get("fixed"))


def _checked(variables: object) -> dict[str, Variable]:
    """Return the variables by name; raise InputError for the first that is wrong."""
    pairs = list(variables.items()) if isinstance(variables, Mapping) else variables
    if not isinstance(pairs, Sequence) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise InputError.of("variables", variables, "a mapping from names to Real, Integer, Ordinal or Choice")
    if not pairs:
        raise InputError.of("variables", variables, "at least one variable")
    names = [name for name, _ in pairs]
    for name, variable in pairs:
        if not isinstance(name, str) or not name:
            raise InputError.of("variables", name, "non-empty text as the name of each variable")
        if not isinstance(variable, Real | Integer | Ordinal | Choice):
            allowed = "Real(low, high), Integer(low, high), Ordinal([...]) or Choice([...])"
            raise InputError.of(f"variables[{name!r}]", variable, allowed)
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


def check_conditions(variables: Mapping[str, Variable]) -> None:
    """Raise InputError if a condition names an unknown variable or level, or if conditions depend on each other in a circle."""
    for name, variable in variables.items():
        for parent, levels in variable.when.items():
            other, argument = variables.get(parent), f"variables[{name!r}].when"
            if other is None or isinstance(other, Real):
                discrete = [each for each, kind in variables.items() if not isinstance(kind, Real) and each != name]
                raise InputError.of(argument, parent, f"a choice, an ordinal or an integer variable: {discrete}")
            for level in levels:
                checked = other.check(argument, level)
                if isinstance(other, Integer) and not other.low <= int(checked) <= other.high:
                    raise InputError.of(argument, level, f"a whole number from {other.low} to {other.high}")
    conditional = [name for name, variable in variables.items() if variable.when]
    circle = [name for name in conditional if name not in ordered_conditions(variables)]
    if circle:
        raise InputError.of("variables", circle, "conditions that do not depend on each other in a circle")


def condition(variable: Variable) -> str:
    """Return the condition of a variable in words: filter = on, and mode = fast or slow."""
    return ", and ".join(f"{name} = {' or '.join(map(str, levels))}" for name, levels in variable.when.items())


def _among(value: object, levels: Sequence[Value]) -> bool:
    """Return whether a value is one of some levels: 2.0 is 2, but 1 is not True."""
    given = plain(value)
    return any(given == level and isinstance(given, bool) == isinstance(level, bool) for level in levels)


def _checked_fixed(fixed: object, variables: Mapping[str, Variable]) -> dict[str, Value]:
    """Return the fixed values by name; raise InputError if one is not a value of its variable."""
    if not isinstance(fixed, Mapping):
        raise InputError.of("fixed", fixed, "a mapping from variables to values")
    found: dict[str, Value] = {}
    for name, given in fixed.items():
        if name not in variables:
            raise InputError.of("fixed", name, f"one of the variables {list(variables)}")
        value, variable = variables[name].check(f"fixed[{name!r}]", given), variables[name]
        if isinstance(variable, Real | Integer) and not variable.low <= float(value) <= variable.high:
            raise InputError.of(f"fixed[{name!r}]", value, f"a number from {variable.low:g} to {variable.high:g}")
        found[name] = value
    if set(found) == set(variables):
        raise InputError.of("fixed", found, "at least one variable that is not fixed")
    return found


def variable_to_dict(variable: Variable) -> dict[str, Any]:
    """Return a variable as plain data; what has its usual value is left out, as in studies of earlier versions."""
    data: dict[str, Any]
    match variable:
        case Real(low, high, log, unit, step):
            data = {"type": "real", "low": low, "high": high, "log": log}
            data |= _unusual(unit=(unit, ""), step=(step, None))
        case Integer(low, high, unit, step, log):
            data = {"type": "integer", "low": low, "high": high}
            data |= _unusual(unit=(unit, ""), step=(step, 1), log=(log, False))
        case Ordinal(levels=levels):
            data = {"type": "ordinal", "levels": list(levels)}
        case Choice(levels=levels):
            data = {"type": "choice", "levels": list(levels)}
        case _:
            raise InputError.of("variable", variable, "a Real, an Integer, an Ordinal or a Choice")
    return data | ({"when": {name: list(levels) for name, levels in variable.when.items()}} if variable.when else {})


def _unusual(**values: tuple[Any, Any]) -> dict[str, Any]:
    """Return the values that differ from the usual ones."""
    return {name: value for name, (value, usual) in values.items() if value != usual}


def variable_from_dict(row: Mapping[str, Any]) -> Variable:
    """Return the variable that `variable_to_dict` wrote."""
    more = {name: row[name] for name in ("unit", "step", "log", "when") if name in row}
    match row["type"]:
        case "real":
            return Real(row["low"], row["high"], **more)
        case "integer":
            return Integer(row["low"], row["high"], **more)
        case "ordinal":
            return Ordinal(row["levels"], **more)
        case "choice":
            return Choice(row["levels"], **more)
    raise FormatError.of("type", row["type"], "real, integer, ordinal or choice")


def _constraint_to_dict(constraint: Constraint) -> dict[str, Any]:
    if isinstance(constraint, Function):
        return {"type": "function", "name": constraint.name}
    return {"type": "linear", "A": constraint.A.tolist(), "b": constraint.b.tolist()}

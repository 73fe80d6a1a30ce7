"""Between user units and the box, Eq. (scaled-pref), for variables of every kind.

| symbol | meaning | shape |
|---|---|---|
| u | variables with one coordinate in user units, declared order; the number of its level for an ordinal | k × scalars |
| ℓ_s, u_s | tightened bounds in user units: `low`, `high` | scalars |
| X | candidates in the box, one per row | k × dimension |

A numeric or ordinal variable takes one coordinate in [−1, 1]: x(−1) = ℓ_s and x(1) = u_s (the paper prints x(−1) = −1 and
x(1) = 1, a slip). A choice of m levels takes m coordinates, ±1/√2 each, so that any two levels are 2 apart; one of many levels
takes fewer, and its levels are about 2 apart (`_chirps`). The coordinates of a variable whose condition is not met are 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from prefero.space.arrays import Indices, Mask, Matrix, Vector
from prefero.space.variables import Candidate, Choice, Integer, Ordinal, Real, Value, Variable, decimals

LEVEL = np.sqrt(0.5)
"""A level's own coordinate is +LEVEL, the others −LEVEL: any two levels are then 2 apart, like the ends of a numeric variable."""
MANY_LEVELS = 100
"""A choice of more levels takes fewer coordinates than levels: with as many, the time to ask grows with their square."""


@dataclass(frozen=True)
class Scaling:
    """The variables, the tightened bounds of those with one coordinate, and the maps between user units and the box."""

    variables: Mapping[str, Variable]
    low: Vector
    high: Vector
    fixed: Mapping[str, Value] = field(default_factory=dict)

    @classmethod
    def declared(cls, variables: Mapping[str, Variable]) -> Scaling:
        """Return the scaling to the bounds that the user gave."""
        ends = [_ends(variable) for variable in variables.values() if not isinstance(variable, Choice)]
        return cls(variables, np.array([low for low, _ in ends], float), np.array([high for _, high in ends], float))

    # Where the variables lie -----------------------------------------------------------------------------------------

    @cached_property
    def dimension(self) -> int:
        """The number of coordinates of the box."""
        return sum(_width(variable) for variable in self.variables.values())

    @cached_property
    def coordinates(self) -> dict[str, slice]:
        """Where each variable lies in the box."""
        places, start = {}, 0
        for name, variable in self.variables.items():
            places[name] = slice(start, start + _width(variable))
            start += _width(variable)
        return places

    @cached_property
    def scalars(self) -> list[str]:
        """The names of the variables with one coordinate: all but choices."""
        return [name for name, v in self.variables.items() if not isinstance(v, Choice)]

    @cached_property
    def scalar_coordinates(self) -> list[int]:
        """The coordinates of the variables with one coordinate."""
        return [self.coordinates[name].start for name in self.scalars]

    @cached_property
    def numeric(self) -> list[str]:
        """The names of the real and integer variables, which constraints are about."""
        return [name for name in self.scalars if not isinstance(self.variables[name], Ordinal)]

    @cached_property
    def numeric_columns(self) -> list[int]:
        """The places of the numeric variables among those with one coordinate."""
        return [k for k, name in enumerate(self.scalars) if not isinstance(self.variables[name], Ordinal)]

    @cached_property
    def levels(self) -> list[slice]:
        """The coordinates of each choice that has one coordinate for each level."""
        return [self.coordinates[name] for name, v in self._choices.items() if not _many(v)]

    @cached_property
    def codes(self) -> list[tuple[slice, Matrix]]:
        """The coordinates of each choice of many levels, and the points of its levels in them."""
        return [(self.coordinates[name], _chirps(len(v.levels))) for name, v in self._choices.items() if _many(v)]

    @cached_property
    def _choices(self) -> dict[str, Choice]:
        return {name: v for name, v in self.variables.items() if isinstance(v, Choice)}

    @cached_property
    def integer(self) -> Mask:
        """Which variables with one coordinate are integers, in the unit of `low` and `high`."""
        return np.array([isinstance(self.variables[name], Integer | Ordinal) for name in self.scalars], dtype=bool)

    @cached_property
    def stepped(self) -> Mask:
        """Which variables with one coordinate have steps: integers, ordinals, and reals with a step."""
        return np.asarray(self._step > 0)

    @cached_property
    def continuous(self) -> bool:
        """Whether every variable is real, without steps."""
        return not self._choices and not self.stepped.any()

    @cached_property
    def conditional(self) -> list[str]:
        """The names of the variables with a condition, each after those that it depends on."""
        return ordered_conditions(self.variables)

    # User units ------------------------------------------------------------------------------------------------------

    @cached_property
    def _log(self) -> Mask:
        """Which variables with one coordinate have a logarithmic scale."""
        return np.array([getattr(self.variables[name], "log", False) for name in self.scalars], dtype=bool)

    @cached_property
    def _step(self) -> Vector:
        """The step of each variable with one coordinate in user units, 0 without."""
        return np.array([_step_of(self.variables[name]) for name in self.scalars], dtype=float)

    @cached_property
    def _base(self) -> Vector:
        """A value from which the steps count: 0 for the whole numbers, otherwise the declared lower bound."""
        declared = [_ends(self.variables[name])[0] for name in self.scalars]
        return np.where(self.integer & (self._step == 1), 0.0, declared)

    @cached_property
    def _decimals(self) -> list[tuple[int, int]]:
        """The decimals of the values of each real variable with a step, so that 3 · 0.05 is 0.15."""
        stepped = np.flatnonzero(self.stepped & ~self.integer).tolist()
        return [(k, decimals(self._base[k], self._step[k])) for k in stepped]

    @cached_property
    def _center_half(self) -> tuple[Vector, Vector]:
        """Centre and half-width of the intervals, logarithms if the scale is logarithmic."""
        low, high = self._with_logs(self.low), self._with_logs(self.high)
        return (high + low) / 2, (high - low) / 2

    def _with_logs(self, u: Matrix) -> Matrix:
        """Return variables in user units, with logarithms of those that have a logarithmic scale."""
        logs = np.array(u, dtype=float)
        logs[..., self._log] = np.log(logs[..., self._log])
        return logs

    def steps(self, X: Matrix) -> Matrix:
        """Return the step upwards from points in box coordinates, for each variable with one coordinate; 0 without steps."""
        if not (self._log & self.stepped).any():
            return np.tile(self._step / self._center_half[1], (len(X), 1))
        u = self.units(X)
        return np.where(self.stepped, self.from_units(u + self._step) - self.from_units(u), 0.0)

    def nearest(self, u: Matrix) -> Matrix:
        """Return the nearest values on the steps, in user units."""
        on, found = self.stepped, np.array(u, dtype=float)
        base, step = self._base[on], self._step[on]
        found[:, on] = base + np.rint((found[:, on] - base) / step) * step
        for k, digits in self._decimals:
            found[:, k] = np.round(found[:, k], digits)
        return found

    def inside(self, low: Vector, high: Vector, slack: float) -> tuple[Vector, Vector]:
        """Return the outermost values on the steps within bounds in user units; `slack` is a share of a step."""
        on, low, high = self.stepped, low.copy(), high.copy()
        base, step = self._base[on], self._step[on]
        low[on] = base + np.ceil((low[on] - base) / step - slack) * step
        high[on] = base + np.floor((high[on] - base) / step + slack) * step
        return self.nearest(low[None])[0], self.nearest(high[None])[0]

    def units(self, X: Matrix) -> Matrix:
        """Return the variables with one coordinate in user units, on their steps and within the bounds."""
        center, half = self._center_half
        u = X[:, self.scalar_coordinates] * half + center  # Eq. (scaled-pref)
        u[:, self._log] = np.exp(u[:, self._log])
        if self.stepped.any():
            u = self.nearest(u)
        return np.clip(u, self.low, self.high, out=u)  # rounding, or exp(log(high)), may leave the bounds

    def numbers(self, X: Matrix) -> Matrix:
        """Return the numeric variables in user units, as constraints see them; 0 if a condition is not met."""
        u = self.units(X)
        if self.conditional:
            active = self._active(X)
            for k, name in enumerate(self.scalars):
                u[:, k] = np.where(active[name], u[:, k], 0.0)
        return u[:, self.numeric_columns]

    def from_units(self, u: Matrix) -> Matrix:
        """Return variables in user units as box coordinates."""
        center, half = self._center_half
        scaled: Matrix = (self._with_logs(u) - center) / half
        return scaled

    def discrete(self, name: str) -> Sequence[Value] | None:
        """Return the values that a variable can have, as a sequence that takes little memory; None if they have no steps."""
        variable = self.variables[name]
        if name in self.fixed:
            return [self.fixed[name]]
        if isinstance(variable, Choice):
            return variable.levels
        k = self.scalars.index(name)
        low, high = self.low[k], self.high[k]
        if isinstance(variable, Ordinal):
            return variable.levels[int(low) : int(high) + 1]
        if isinstance(variable, Integer):
            return range(int(low), int(high) + 1, variable.step)
        return None if not self.stepped[k] else _Steps(low, self._step[k], round((high - low) / self._step[k]) + 1)

    # Points ----------------------------------------------------------------------------------------------------------

    def snap(self, X: Matrix) -> Matrix:
        """Return the nearest points that are candidates: within the box, on the steps, one level per choice."""
        if self.continuous and not self.fixed:
            return np.clip(X, -1, 1)
        snapped = np.empty_like(X)
        scalar = np.clip(X[:, self.scalar_coordinates], -1, 1)
        on = self.stepped
        if on.any():
            scalar[:, on] = self.from_units(self.units(X))[:, on]
        snapped[:, self.scalar_coordinates] = scalar
        for place in self.levels:
            snapped[:, place] = _one_level(X[:, place].argmax(axis=1), place.stop - place.start)
        for place, code in self.codes:
            snapped[:, place] = code[(X[:, place] @ code.T).argmax(axis=1)]
        for name in self.fixed:
            snapped[:, self.coordinates[name]] = self._fixed_point[self.coordinates[name]]
        if self.conditional:
            active = self._active(snapped)
            for name in self.conditional:
                snapped[~active[name], self.coordinates[name]] = 0.0
        return snapped

    @cached_property
    def _fixed_point(self) -> Vector:
        """The coordinates of the fixed values; the others are 0."""
        point = np.zeros(self.dimension)
        for name, value in self.fixed.items():
            point[self.coordinates[name]] = self._place(name, value)
        return point

    def _active(self, X: Matrix) -> dict[str, Mask]:
        """Return at which points the conditions of each variable are met."""
        active: dict[str, Mask] = dict.fromkeys(self.variables, np.ones(len(X), dtype=bool))
        units = self.units(X)
        for name in self.conditional:
            met = np.ones(len(X), dtype=bool)
            for parent, levels in self.variables[name].when.items():
                met &= active[parent] & self._has(parent, levels, X, units)
            active[name] = met
        return active

    def _has(self, name: str, levels: tuple[Value, ...], X: Matrix, units: Matrix) -> Mask:
        """Return at which points a variable has one of some values."""
        variable = self.variables[name]
        if isinstance(variable, Choice):
            return np.isin(self._chosen(name, X), [variable.places[level] for level in levels])
        values = [variable.places[level] if isinstance(variable, Ordinal) else level for level in levels]
        return np.isin(units[:, self.scalars.index(name)], values)

    def _chosen(self, name: str, X: Matrix) -> Indices:
        """Return the numbers of a choice's levels at points."""
        variable, part = self._choices[name], X[:, self.coordinates[name]]
        return np.asarray((part @ _chirps(len(variable.levels)).T if _many(variable) else part).argmax(axis=1))

    def encode(self, candidate: Mapping[str, Any]) -> Vector:
        """Return a candidate as a point; a candidate outside of the bounds lies outside of the box."""
        point = np.zeros(self.dimension)
        if not self.conditional:
            u = np.array([[_internal(self.variables[name], candidate[name]) for name in self.scalars]], dtype=float)
            point[self.scalar_coordinates] = self.from_units(u)[0]
            left = list(self._choices)
        else:
            left = [name for name, v in self.variables.items() if not v.when or name in candidate]
        for name in left:
            point[self.coordinates[name]] = self._place(name, candidate[name])
        return point

    def _place(self, name: str, value: Any) -> Vector:
        """Return the coordinates of a variable's value."""
        variable = self.variables[name]
        if isinstance(variable, Choice):
            chosen, count = variable.places[value], len(variable.levels)
            return np.asarray(_chirps(count)[chosen] if _many(variable) else _one_level(np.array([chosen]), count)[0])
        u = self.low.copy()
        k = self.scalars.index(name)
        u[k] = _internal(variable, value)
        return self.from_units(u[None])[0, k : k + 1]

    def reach(self, candidate: Mapping[str, Any], steps: Mapping[str, float]) -> tuple[Vector, Vector]:
        """Return the lowest and highest coordinates within `steps` user units of a candidate, for the variables named there."""
        low, high = np.full(self.dimension, -np.inf), np.full(self.dimension, np.inf)
        limited = np.array([name in steps and name in candidate for name in self.scalars], dtype=bool)
        u = self.low.copy()
        for k in np.flatnonzero(limited):
            u[k] = _internal(self.variables[self.scalars[k]], candidate[self.scalars[k]])
        step = np.array([steps.get(name, 0.0) for name in self.scalars])
        on = self.stepped
        step[on] = np.floor(step[on] / self._step[on] + 1e-9) * self._step[on]
        at = np.array(self.scalar_coordinates, dtype=int)
        ends = [self.from_units(np.clip(u + sign * step, self.low, self.high)[None])[0] for sign in (-1, 1)]
        low[at[limited]], high[at[limited]] = ends[0][limited], ends[1][limited]
        return low, high

    def around(self, point: Vector, share: float) -> tuple[Vector, Vector]:
        """Return the corners of the part around a point that reaches so far, as a share of each range, and at least a step.

        Choices stay as they are.
        """
        low, high, at = point.copy(), point.copy(), self.scalar_coordinates
        reach = np.maximum(2 * share, self.steps(point[None])[0])  # the box is 2 wide
        low[at] -= reach
        high[at] += reach
        return low, high

    def pinned(self, name: str, value: Value) -> tuple[Vector, Vector]:
        """Return the corners of the part in which a variable has a value."""
        low, high, place = np.full(self.dimension, -np.inf), np.full(self.dimension, np.inf), self.coordinates[name]
        low[place] = high[place] = self._place(name, value)
        return low, high

    def candidates(self, X: Matrix) -> list[Candidate]:
        """Return points as candidates, in user units and by name."""
        columns: dict[str, list[object]] = {}
        units = iter(self.units(X).T)
        for name, variable in self.variables.items():
            if isinstance(variable, Choice):
                columns[name] = [variable.levels[k] for k in self._chosen(name, X)]
            else:
                columns[name] = _values(variable, next(units).tolist())
        for name, value in self.fixed.items():
            columns[name] = [value] * len(X)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if self.conditional:
            active = self._active(X)
            for name in self.conditional:
                for k in np.flatnonzero(~active[name]):
                    del rows[k][name]
        return [Candidate(row) for row in rows]


class _Steps(Sequence[float]):
    """The values low, low + step, …, computed one at a time."""

    def __init__(self, low: float, step: float, count: int) -> None:
        self._low, self._step, self._count = low, step, count
        self._decimals = decimals(low, step)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        return float(np.round(self._low + range(self._count)[k] * self._step, self._decimals))


def ordered_conditions(variables: Mapping[str, Variable]) -> list[str]:
    """Return the variables with a condition, each after those that it depends on; those of a cycle are left out."""
    left = [name for name, variable in variables.items() if variable.when]
    ordered: list[str] = []
    while True:
        free = [name for name in left if not set(variables[name].when) & set(left)]
        if not free:
            return ordered
        ordered += free
        left = [name for name in left if name not in free]


def _many(variable: Choice) -> bool:
    return len(variable.levels) > MANY_LEVELS


def _width(variable: Variable) -> int:
    """Return the number of coordinates of a variable."""
    if not isinstance(variable, Choice):
        return 1
    return _chirps(len(variable.levels)).shape[1] if _many(variable) else len(variable.levels)


def _ends(variable: Variable) -> tuple[float, float]:
    """Return the declared bounds of a variable with one coordinate; the first and last number of an ordinal's levels."""
    if isinstance(variable, Ordinal):
        return 0.0, len(variable.levels) - 1.0
    assert isinstance(variable, Real | Integer)
    return float(variable.low), float(variable.high)


def _step_of(variable: Variable) -> float:
    return 1.0 if isinstance(variable, Ordinal) else float(getattr(variable, "step", None) or 0.0)


def _internal(variable: Variable, value: Any) -> float:
    """Return a value as the scaling holds it: the number of an ordinal's level."""
    return float(variable.places[value] if isinstance(variable, Ordinal) else value)


def _values(variable: Variable, column: list[float]) -> list[object]:
    """Return values of a variable with one coordinate as the user knows them."""
    if isinstance(variable, Ordinal):
        return [variable.levels[int(k)] for k in column]
    return [int(value) for value in column] if isinstance(variable, Integer) else list(column)


def _one_level(chosen: np.ndarray, count: int) -> Matrix:
    """Return the coordinates of chosen levels, one choice per row."""
    coordinates = np.full((len(chosen), count), -LEVEL)
    coordinates[np.arange(len(chosen)), chosen] = LEVEL
    return coordinates


@lru_cache(16)
def _chirps(count: int) -> Matrix:
    """Return points for many levels, one per row, all about 2 apart, with far fewer coordinates than levels.

    Quadratic chirps v_ab(t) = exp(2πi (a t² + b t) / p) for a prime p, 0 ≤ a, b < p, are p² vectors of length √p. For
    different a their inner products have the size √p (Gauss sums), and 0 for equal a. As 2p real coordinates, scaled to length
    √2, their squared distances are 4 (1 ± 1/√p).
    """
    p = 3
    while p * p < count or any(p % q == 0 for q in range(2, int(p**0.5) + 1)):
        p += 1
    a, b = np.divmod(np.arange(count), p)
    t = np.arange(p)
    angle = 2 * np.pi / p * ((a[:, None] * t * t + b[:, None] * t) % p)
    code = np.sqrt(2 / p) * np.hstack([np.cos(angle), np.sin(angle)])
    code.flags.writeable = False
    return np.asarray(code)

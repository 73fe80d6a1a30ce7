"""Between user units and the box, Eq. (scaled-pref), for real, logarithmic, integer and categorical variables.

| symbol | meaning | shape |
|---|---|---|
| u | numeric variables in user units, declared order | k × numeric |
| ℓ_s, u_s | tightened bounds in user units: `low`, `high` | numeric |
| X | candidates in the box, one per row | k × dimension |

A numeric variable takes one coordinate in [−1, 1]: x(−1) = ℓ_s and x(1) = u_s (the paper prints x(−1) = −1 and
x(1) = 1, a slip). A choice of m levels takes m coordinates, ±1/√2 each, so that any two levels are 2 apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prefero.space.arrays import Mask, Matrix, Vector
from prefero.space.variables import Candidate, Choice, Integer, Real, Variable

LEVEL = np.sqrt(0.5)
"""A level's own coordinate is +LEVEL, the others −LEVEL: any two levels are then 2 apart, like the ends of a numeric variable."""


@dataclass(frozen=True)
class Scaling:
    """The variables, the tightened bounds of the numeric ones, and the maps between user units and the box."""

    variables: Mapping[str, Variable]
    low: Vector
    high: Vector

    @classmethod
    def declared(cls, variables: Mapping[str, Variable]) -> Scaling:
        """Return the scaling to the bounds that the user gave."""
        numeric = [v for v in variables.values() if isinstance(v, Real | Integer)]
        return cls(variables, np.array([v.low for v in numeric], float), np.array([v.high for v in numeric], float))

    @cached_property
    def dimension(self) -> int:
        """The number of coordinates of the box."""
        return sum(len(v.levels) if isinstance(v, Choice) else 1 for v in self.variables.values())

    @cached_property
    def coordinates(self) -> dict[str, slice]:
        """Where each variable lies in the box."""
        places, start = {}, 0
        for name, variable in self.variables.items():
            width = len(variable.levels) if isinstance(variable, Choice) else 1
            places[name] = slice(start, start + width)
            start += width
        return places

    @cached_property
    def numeric(self) -> list[str]:
        """The names of the numeric variables."""
        return [name for name, v in self.variables.items() if not isinstance(v, Choice)]

    @cached_property
    def numeric_coordinates(self) -> list[int]:
        """The coordinates of the numeric variables."""
        return [self.coordinates[name].start for name in self.numeric]

    @cached_property
    def levels(self) -> list[slice]:
        """The coordinates of each categorical variable."""
        return [self.coordinates[name] for name, v in self.variables.items() if isinstance(v, Choice)]

    @cached_property
    def integer(self) -> Mask:
        """Which numeric variables are integers."""
        return np.array([isinstance(self.variables[name], Integer) for name in self.numeric], dtype=bool)

    @cached_property
    def continuous(self) -> bool:
        """Whether every variable is real."""
        return not self.levels and not self.integer.any()

    @cached_property
    def _log(self) -> Mask:
        """Which numeric variables have a logarithmic scale."""
        kinds = (self.variables[name] for name in self.numeric)
        return np.array([isinstance(v, Real) and v.log for v in kinds], dtype=bool)

    @cached_property
    def _center_half(self) -> tuple[Vector, Vector]:
        """Centre and half-width of the numeric variables' intervals, logarithms if the scale is logarithmic."""
        low, high = self._with_logs(self.low), self._with_logs(self.high)
        return (high + low) / 2, (high - low) / 2

    def _with_logs(self, u: Matrix) -> Matrix:
        """Return numeric variables in user units, with logarithms of those that have a logarithmic scale."""
        logs = np.array(u, dtype=float)
        logs[..., self._log] = np.log(logs[..., self._log])
        return logs

    @property
    def steps(self) -> Vector:
        """One integer step in box coordinates for each numeric variable; 0 for real ones."""
        return np.where(self.integer, 1 / self._center_half[1], 0.0)

    def units(self, X: Matrix) -> Matrix:
        """Return the numeric variables in user units, integers rounded, everything within the bounds."""
        center, half = self._center_half
        u = X[:, self.numeric_coordinates] * half + center  # Eq. (scaled-pref)
        u[:, self._log] = np.exp(u[:, self._log])
        u[:, self.integer] = np.rint(u[:, self.integer])
        return np.clip(u, self.low, self.high, out=u)  # rounding, or exp(log(high)), may leave the bounds

    def from_units(self, u: Matrix) -> Matrix:
        """Return numeric variables in user units as box coordinates."""
        center, half = self._center_half
        scaled: Matrix = (self._with_logs(u) - center) / half
        return scaled

    def snap(self, X: Matrix) -> Matrix:
        """Return the nearest points that are candidates: within the box, whole integers, one level per choice."""
        if self.continuous:
            return np.clip(X, -1, 1)
        snapped = np.empty_like(X)
        center, half = self._center_half
        at, whole = self.numeric_coordinates, self.integer
        numeric = np.clip(X[:, at], -1, 1)
        numeric[:, whole] = (np.rint(numeric[:, whole] * half[whole] + center[whole]) - center[whole]) / half[whole]
        snapped[:, at] = numeric
        for place in self.levels:
            snapped[:, place] = _one_level(X[:, place].argmax(axis=1), place.stop - place.start)
        return snapped

    def encode(self, candidate: Mapping[str, object]) -> Vector:
        """Return a candidate as a point; a candidate outside of the bounds lies outside of the box."""
        point = np.empty(self.dimension)
        u = np.array([[candidate[name] for name in self.numeric]], dtype=float)
        point[self.numeric_coordinates] = self.from_units(u)[0]
        for name, variable in self.variables.items():
            if isinstance(variable, Choice):
                chosen = np.array([variable.levels.index(candidate[name])])
                point[self.coordinates[name]] = _one_level(chosen, len(variable.levels))[0]
        return point

    def reach(self, candidate: Mapping[str, object], steps: Mapping[str, float]) -> tuple[Vector, Vector]:
        """Return the lowest and highest coordinates within `steps` user units of a candidate, for the variables named there."""
        low, high = np.full(self.dimension, -np.inf), np.full(self.dimension, np.inf)
        u = np.array([[candidate[name] for name in self.numeric]], dtype=float)
        step = np.array([steps.get(name, np.inf) for name in self.numeric])
        step[self.integer] = np.floor(step[self.integer])
        at = np.array(self.numeric_coordinates, dtype=int)
        limited = np.isfinite(step)
        ends = [
            self.from_units(np.clip(u + sign * np.where(limited, step, 0), self.low, self.high))[0] for sign in (-1, 1)
        ]
        low[at[limited]], high[at[limited]] = ends[0][limited], ends[1][limited]
        return low, high

    def candidates(self, X: Matrix) -> list[Candidate]:
        """Return points as candidates, in user units and by name."""
        columns: dict[str, list[object]] = {}
        numeric = iter(self.units(X).T)
        for name, variable in self.variables.items():
            if isinstance(variable, Choice):
                columns[name] = [variable.levels[k] for k in X[:, self.coordinates[name]].argmax(axis=1)]
            else:
                column = next(numeric).tolist()
                columns[name] = [int(value) for value in column] if isinstance(variable, Integer) else column
        return [Candidate(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def _one_level(chosen: np.ndarray, count: int) -> Matrix:
    """Return the coordinates of chosen levels, one choice per row."""
    coordinates = np.full((len(chosen), count), -LEVEL)
    coordinates[np.arange(len(chosen)), chosen] = LEVEL
    return coordinates

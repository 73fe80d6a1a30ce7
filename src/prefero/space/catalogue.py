"""Catalogue: a finite space whose candidates are the rows of a table."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from prefero.errors import InputError
from prefero.space.arrays import Mask, Matrix, Vector, between, squared_distances
from prefero.space.scaling import Scaling
from prefero.space.variables import Candidate, Choice, Real, Variable


class Catalogue:
    """A finite space: every question is about, and every recommendation is, one of the rows.

    >>> Catalogue([{"cost": 3.0, "mass": 1.2}, {"cost": 2.0, "mass": 2.5}])
    Catalogue(2 rows of cost, mass)

    `rows` are mappings with the same names, or an array with one candidate per row (`names` then names its columns).
    Numeric columns are scaled to [−1, 1], other columns become choices. A column that never changes is shown but not learned from.
    """

    def __init__(self, rows: Any, names: Sequence[str] | None = None) -> None:
        self.rows = _distinct(_candidates(rows, names))
        if len(self.rows) < 2:
            raise InputError.of("rows", rows, "at least two different rows")
        self._scaling = Scaling.declared(_columns(self.rows))
        self._index = {row: k for k, row in enumerate(self.rows)}
        self._points = np.array([self._scaling.encode(row) for row in self.rows])
        self._part = self._points  # the rows that proposals come from

    @classmethod
    def scaled(cls, points: Matrix) -> Catalogue:
        """Return a catalogue of points of the box, whose columns are coordinates already."""
        catalogue = cls.__new__(cls)
        names = [f"x{k + 1}" for k in range(points.shape[1])]
        catalogue.rows = [Candidate(dict(zip(names, row, strict=True))) for row in points.tolist()]
        catalogue._scaling = Scaling.declared({name: Real(-1, 1) for name in names})
        catalogue._index = {row: k for k, row in enumerate(catalogue.rows)}
        catalogue._points = catalogue._part = points
        return catalogue

    def __repr__(self) -> str:
        return f"Catalogue({len(self.rows)} rows of {', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.rows[0])

    @property
    def dimension(self) -> int:
        """The number of coordinates of the box."""
        return self._scaling.dimension

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the columns that change."""
        return tuple(self._scaling.variables)

    @property
    def groups(self) -> tuple[slice, ...]:
        """The coordinates of each column that changes."""
        return tuple(self._scaling.coordinates.values())

    def candidate(self, given: object) -> Candidate:
        """Return a row, given as a mapping, as values in column order, or by its number."""
        if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(self.rows):
            return self.rows[given]
        if isinstance(given, Mapping):
            row = Candidate(given)
        elif isinstance(given, Iterable) and not isinstance(given, str):
            row = self._by_position(list(given))
        else:
            row = Candidate({})
        if not _hashable(row) or row not in self._index:
            raise InputError.of("candidate", given, f"one of the {len(self.rows)} rows of the catalogue")
        return self.rows[self._index[row]]

    def present(self, values: Mapping[str, Any]) -> list[str]:
        """Return every column: each row has a value for each."""
        del values
        return list(self.names)

    def _by_position(self, values: list[Any]) -> Candidate:
        """Return values in column order as a candidate; an empty one, which no row equals, if their number is wrong."""
        return Candidate(dict(zip(self.names, values, strict=True)) if len(values) == len(self.names) else {})

    def encode(self, candidate: Mapping[str, Any]) -> Vector:
        """Return a row as a point of the box."""
        return np.array(self._points[self._index[Candidate(candidate)]])

    def decode(self, point: Vector) -> Candidate:
        """Return the row at a point of the box."""
        return self.rows[int(squared_distances(point[None], self._points)[0].argmin())]

    def snap(self, X: Matrix) -> Matrix:
        """Return the nearest rows."""
        rows: Matrix = self._part[squared_distances(X, self._part).argmin(axis=1)]
        return rows

    def reach(self, candidate: Mapping[str, Any], steps: Mapping[str, float]) -> tuple[Vector, Vector]:
        """Return the lowest and highest coordinates within `steps` units of a row, for the columns named there."""
        return self._scaling.reach(candidate, steps)

    def within(self, low: Vector, high: Vector) -> Catalogue:
        """Return the same catalogue, limited to rows between two corners."""
        part = copy.copy(self)
        part._part = self._points[between(self._points, low, high)]
        return part

    def violations(self, X: Matrix) -> Matrix:
        """Return no columns: the rows of a catalogue have no constraints."""
        return np.zeros((len(X), 0))

    def feasible(self, X: Matrix) -> Mask:
        """Return True for every row."""
        return np.ones(len(X), dtype=bool)

    def admits(self, candidate: Candidate) -> bool:
        """Return whether the candidate is a row."""
        return candidate in self._index

    def points(self) -> Matrix:
        """Return every row as a point."""
        return self._part

    def to_dict(self) -> dict[str, Any]:
        """Return the catalogue as plain data."""
        return {"kind": "catalogue", "names": list(self.names), "rows": [list(row.values()) for row in self.rows]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Catalogue:
        """Return the catalogue that `to_dict` wrote."""
        return cls([dict(zip(data["names"], row, strict=True)) for row in data["rows"]])


def _candidates(rows: Any, names: Sequence[str] | None) -> list[Candidate]:
    """Return the rows of a table in any of the accepted forms as candidates."""
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # a DataFrame
        rows = rows.to_dict(orient="records")
    if isinstance(rows, Sequence) and rows and all(isinstance(row, Mapping) for row in rows):
        if any(list(row) != list(rows[0]) for row in rows) or not rows[0]:
            raise InputError.of("rows", rows, "mappings with the same names in the same order")
        table = [tuple(row.values()) for row in rows]
        names = [str(name) for name in rows[0]]
    else:
        try:
            array = np.asarray(rows, dtype=float)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.ndim != 2 or array.size == 0:
            raise InputError.of("rows", rows, "a list of mappings, or a table of numbers with one candidate per row")
        table = [tuple(row) for row in array.tolist()]
        names = [f"x{k + 1}" for k in range(array.shape[1])] if names is None else list(names)
        if len(names) != array.shape[1] or len(set(names)) != len(names):
            raise InputError.of("names", names, f"{array.shape[1]} different names, one per column")
    return [Candidate({name: _plain(name, value) for name, value in zip(names, row, strict=True)}) for row in table]


def _hashable(row: Candidate) -> bool:
    return all(isinstance(value, Hashable) for value in row.values())


def _plain(name: str, value: Any) -> Any:
    """Return a cell as a Python value; raise InputError if it cannot be stored."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not np.isfinite(value):
        raise InputError.of(f"rows, column {name!r}", value, "finite numbers")
    if not isinstance(value, str | bool | int | float):
        raise InputError.of(f"rows, column {name!r}", value, "numbers, text or booleans")
    return value


def _distinct(rows: list[Candidate]) -> list[Candidate]:
    return list(dict.fromkeys(rows))


def _columns(rows: list[Candidate]) -> dict[str, Variable]:
    """Return a variable for each column that changes."""
    variables: dict[str, Variable] = {}
    for name in rows[0]:
        distinct = list(dict.fromkeys(row[name] for row in rows))
        if len(distinct) < 2:
            continue
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in distinct):
            variables[name] = Real(min(distinct), max(distinct))
        else:
            variables[name] = Choice(distinct)
    return variables

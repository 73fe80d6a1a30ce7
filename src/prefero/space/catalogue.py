"""Catalogue: a finite space whose candidates are the rows of a table."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, overload

import numpy as np

from prefero.errors import InputError
from prefero.space.arrays import Mask, Matrix, Vector, between, quick_squared_distances, squared_distances
from prefero.space.columns import Column, Columns, columns_of, imputed, is_numeric
from prefero.space.roles import Roles, roles_of
from prefero.space.scaling import Scaling
from prefero.space.variables import Candidate, Choice, Real, Value, Variable

Missing = Literal["refuse", "median"]
Role = Literal["feature", "label", "file"]


class Catalogue:
    """A finite space: every question is about, and every recommendation is, one of the rows.

    >>> Catalogue([{"cost": 3.0, "mass": 1.2}, {"cost": 2.0, "mass": 2.5}])
    Catalogue(2 rows of cost, mass)

    A candidate is a whole row. What is learned depends on its features only: numeric columns are scaled to [−1, 1], other
    columns become choices. Labels and files are shown. `roles` says which column is what, `why` what was guessed.

    rows: mappings with the same names, a data frame, or an array with one candidate per row.
    names: the columns of an array; all of them are features.
    features: the columns that taste may depend on; all others are labels. By default guessed.
    labels: columns that are shown and never learned from, such as a number, a name, a link.
    file: the column with the name of a picture or a sound for each row.
    log: numeric features of which ratios matter rather than differences.
    missing: "refuse" rows in which a feature is missing, or take the "median" (of texts, the most frequent one) instead.
    """

    file: str | None
    folder: str = ""
    """Where the files are, if that is known; it is not stored."""

    def __init__(
        self,
        rows: Any,
        names: Sequence[str] | None = None,
        *,
        features: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        file: str | None = None,
        log: Sequence[str] = (),
        missing: Missing = "refuse",
    ) -> None:
        if missing not in ("refuse", "median"):
            raise InputError.of("missing", missing, '"refuse" or "median"')
        columns = columns_of(rows, names)
        _check_rows(rows, list(zip(*columns.values(), strict=True)))
        if isinstance(rows, np.ndarray) or names is not None or next(iter(columns)) == "x1":
            features = _others(columns, labels, file) if features is None else features
        if (
            features is not None and missing == "refuse"
        ):  # before it is said that a column of nothing else never changes
            _filled({name: column for name, column in columns.items() if name in features}, features, missing)
        roles = roles_of(columns, features, labels, file)
        self._begin(_filled(columns, roles.features, missing), roles, log)

    def _begin(self, columns: Columns, roles: Roles, log: Sequence[str]) -> None:
        self.file = roles.file
        self.rows = Rows(tuple(columns), list(zip(*columns.values(), strict=True)))
        self.why = MappingProxyType(dict(roles.why))
        self._scaling = Scaling.declared(_variables(columns, roles.features, log))
        self._limits: tuple[Vector, Vector] | None = None  # the corners of the part that proposals come from

    @classmethod
    def scaled(cls, points: Matrix) -> Catalogue:
        """Return a catalogue of points of the box, whose columns are coordinates already."""
        catalogue = cls.__new__(cls)
        names = tuple(f"x{k + 1}" for k in range(points.shape[1]))
        catalogue.file, catalogue._limits, catalogue.why = None, None, MappingProxyType({})
        catalogue.rows = Rows(names, list(map(tuple, points.tolist())))
        catalogue._scaling = Scaling.declared({name: Real(-1, 1) for name in names})
        catalogue.__dict__["_all_points"] = catalogue.__dict__["_distinct"] = points
        return catalogue

    def __repr__(self) -> str:
        shown = [name for name, role in self.roles.items() if role != "feature" and name in self._changing]
        only = f"; shown only: {', '.join(shown)}" if shown else ""
        return f"Catalogue({len(self.rows)} rows of {', '.join(n for n in self.names if n not in shown)}{only})"

    # Columns and their roles -----------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.rows.names

    @property
    def roles(self) -> dict[str, Role]:
        """What each column is: "feature", "label" or "file". A column that never changes is a label."""
        found: dict[str, Role] = {
            name: "feature" if name in self._scaling.variables else "label" for name in self.names
        }
        return found | ({} if self.file is None else {self.file: "file"})

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The features, as variables."""
        return self._scaling.variables

    @property
    def log(self) -> tuple[str, ...]:
        """The features with a logarithmic scale."""
        return tuple(name for name, v in self.variables.items() if isinstance(v, Real) and v.log)

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the features: columns that change and are learned from."""
        return tuple(self._scaling.variables)

    @property
    def dimension(self) -> int:
        """The number of coordinates of the box."""
        return self._scaling.dimension

    @property
    def groups(self) -> tuple[slice, ...]:
        """The coordinates of each feature."""
        return tuple(self._scaling.coordinates.values())

    @cached_property
    def _changing(self) -> frozenset[str]:
        return frozenset(name for name in self.names if len(set(self.column(name))) > 1)

    def column(self, name: str) -> list[Any]:
        """Return the values of a column, one per row."""
        k = self.names.index(name)
        return [row[k] for row in self.rows.values]

    # Rows ------------------------------------------------------------------------------------------------------------

    def row(self, candidate: object) -> int:
        """Return the number of a candidate's row, from 0."""
        found = self._number(candidate)
        if found is None:
            raise InputError.of("candidate", candidate, f"one of the {len(self.rows)} rows of the catalogue")
        return found

    def candidate(self, given: object) -> Candidate:
        """Return a row, given as a mapping, as values in column order, or by its number."""
        return self.rows[self.row(given)]

    def _number(self, given: object) -> int | None:
        """Return the number of a row; None if there is no such row."""
        if isinstance(given, int | np.integer) and not isinstance(given, bool):
            return int(given) if 0 <= given < len(self.rows) else None
        if isinstance(given, Mapping):
            values = tuple(given.get(name) for name in self.names) if len(given) == len(self.names) else ()
        else:
            values = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else ()
        try:
            return self._index.get(values)
        except TypeError:  # a value that cannot be looked up
            return None

    @cached_property
    def _index(self) -> dict[tuple[Any, ...], int]:
        """The number of each row; the first of equal ones."""
        index: dict[tuple[Any, ...], int] = {}
        for k, row in enumerate(self.rows.values):
            index.setdefault(row, k)
        return index

    def alike(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        """Return whether two rows have the same features: to the algorithms, they are one candidate."""
        return all(a[name] == b[name] for name in self.varying)

    def present(self, values: Mapping[str, Any]) -> list[str]:
        """Return every column: each row has a value for each."""
        del values
        return list(self.names)

    def encode(self, candidate: Mapping[str, Any]) -> Vector:
        """Return a row as a point of the box."""
        return np.array(self._all_points[self.row(candidate)])

    def decode(self, point: Vector) -> Candidate:
        """Return the row at a point of the box, the first of those that differ in labels only."""
        known = self._places.get((point + 0.0).tobytes())
        if known is None:
            known = int(squared_distances(point[None], self._all_points)[0].argmin())
        return self.rows[known]

    @cached_property
    def _all_points(self) -> Matrix:
        """Every row as a point, computed column by column."""
        scaling = self._scaling
        points = np.empty((len(self.rows), scaling.dimension))
        units = np.array([self.column(name) for name in scaling.scalars], dtype=float).reshape(-1, len(self.rows)).T
        points[:, scaling.scalar_coordinates] = scaling.from_units(units)
        sample = dict(self.rows[0])
        for name, variable in scaling.variables.items():
            if isinstance(variable, Choice):
                place = scaling.coordinates[name]
                levels = np.array([scaling.encode(sample | {name: level})[place] for level in variable.levels])
                number = {level: k for k, level in enumerate(variable.levels)}
                points[:, place] = levels[[number[value] for value in self.column(name)]]
        return points

    @cached_property
    def _places(self) -> dict[bytes, int]:
        """The first row at each point."""
        places: dict[bytes, int] = {}
        for k, point in enumerate(self._all_points + 0.0):  # + 0.0: minus zero is zero
            places.setdefault(point.tobytes(), k)
        return places

    # The domain ------------------------------------------------------------------------------------------------------

    def points(self) -> Matrix:
        """Return the different points of all rows."""
        if self._limits is None:
            return self._distinct
        return self._distinct[between(self._distinct, *self._limits)]

    @cached_property
    def _distinct(self) -> Matrix:
        """The points, each once: rows that differ in labels only are one candidate to the algorithms."""
        if len(self._places) == len(self.rows):
            return self._all_points
        return self._all_points[list(self._places.values())]

    def snap(self, X: Matrix) -> Matrix:
        """Return the nearest rows."""
        points = self.points()
        rows: Matrix = points[[int(quick_squared_distances(x[None], points)[0].argmin()) for x in X]]
        return rows

    def reach(self, candidate: Mapping[str, Any], steps: Mapping[str, float]) -> tuple[Vector, Vector]:
        """Return the lowest and highest coordinates within `steps` units of a row, for the columns named there."""
        return self._scaling.reach(candidate, steps)

    def around(self, point: Vector, share: float) -> tuple[Vector, Vector]:
        """Return the corners of the part around a point that reaches so far, as a share of each range."""
        return self._scaling.around(point, share)

    def pinned(self, name: str, value: Value) -> tuple[Vector, Vector]:
        """Return the corners of the part in which a feature has a value."""
        return self._scaling.pinned(name, value)

    def allows(self, name: str, value: Any) -> bool:
        """Return whether a row has that value in a column."""
        return value in self.column(name)

    def within(self, low: Vector, high: Vector) -> Catalogue:
        """Return the same catalogue, limited to rows between two corners."""
        self.points()  # computed once, for the copies as well
        part = copy.copy(self)
        part._limits = (low, high)
        return part

    def violations(self, X: Matrix) -> Matrix:
        """Return no columns: the rows of a catalogue have no constraints."""
        return np.zeros((len(X), 0))

    def feasible(self, X: Matrix) -> Mask:
        """Return True for every row."""
        return np.ones(len(X), dtype=bool)

    def admits(self, candidate: Candidate) -> bool:
        """Return whether the candidate is a row."""
        return isinstance(candidate, Mapping) and self._number(candidate) is not None

    # The stored form -------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the catalogue as plain data; roles are in it if not every column that changes is a linear feature."""
        data: dict[str, Any] = {
            "kind": "catalogue",
            "names": list(self.names),
            "rows": [list(row) for row in self.rows.values],
        }
        labels = [name for name in self.names if name in self._changing and name not in self._scaling.variables]
        more = {"labels": labels, "file": self.file, "log": list(self.log)}
        return data | {key: value for key, value in more.items() if value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Catalogue:
        """Return the catalogue that `to_dict` wrote; nothing is guessed, and one without roles learns from every column."""
        columns: Columns = {name: [row[k] for row in data["rows"]] for k, name in enumerate(data["names"])}
        labels = data.get("labels", ())
        features = [n for n, column in columns.items() if n not in labels and len(set(column)) > 1]
        catalogue = cls.__new__(cls)
        catalogue._begin(columns, Roles(tuple(features), data.get("file"), {}), data.get("log", ()))
        return catalogue


class Rows(Sequence[Candidate]):
    """The rows of a catalogue as candidates, each made when it is asked for: many candidates take much memory."""

    def __init__(self, names: tuple[str, ...], values: list[tuple[Any, ...]]) -> None:
        self.names, self.values = names, values

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, key: int) -> Candidate: ...

    @overload
    def __getitem__(self, key: slice) -> list[Candidate]: ...

    def __getitem__(self, key: int | slice) -> Candidate | list[Candidate]:
        if isinstance(key, slice):
            return [self._candidate(row) for row in self.values[key]]
        return self._candidate(self.values[key])

    def __iter__(self) -> Iterator[Candidate]:
        return map(self._candidate, self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Candidate.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Rows({len(self)} rows of {', '.join(self.names)})"

    def _candidate(self, values: tuple[Any, ...]) -> Candidate:
        return Candidate(dict(zip(self.names, values, strict=True)))


def _check_rows(given: Any, rows: list[tuple[Any, ...]]) -> None:
    """Raise InputError if there are fewer than two rows, or two are the same."""
    index: dict[tuple[Any, ...], int] = {}
    for k, row in enumerate(rows):
        first = index.setdefault(row, k)
        if first != k and len(rows) > 2:
            raise InputError.of(
                f"rows[{first}], rows[{k}]",
                row,
                "rows that differ: leave one of the two out, or add a column that tells them apart",
            )
    if len(index) < 2:
        raise InputError.of("rows", given, "at least two different rows")


def _others(columns: Columns, labels: Sequence[str] | None, file: str | None) -> list[str]:
    """Return the columns of an array that are features: all but those that are said to be something else."""
    return [name for name in columns if name not in (labels or ()) and name != file]


def _filled(columns: Columns, features: Sequence[str], missing: Missing) -> Columns:
    """Return columns in which nothing is missing: an empty text where a label was, for a feature as `missing` says."""
    filled: Columns = {}
    for name, column in columns.items():
        if None not in column:
            filled[name] = column
        elif name not in features:
            filled[name] = ["" if value is None else value for value in column]
        elif missing == "median":
            filled[name] = imputed(column)
        else:
            raise InputError(
                f"rows[{column.index(None)}], column {name!r}: the value is missing; give one, leave the row out, pass "
                f'missing="median", or make the column a label'
            )
    return filled


def _variables(columns: Columns, features: Sequence[str], log: Sequence[str]) -> dict[str, Variable]:
    """Return a variable for each feature."""
    if isinstance(log, str) or any(name not in features for name in log):
        raise InputError.of("log", log, f"a list of numeric features: {list(features)}")
    # A number that is missing in some rows and the same in all others is constant once it is filled in.
    changing = [name for name in features if len(set(columns[name])) > 1]
    if not changing:
        raise InputError.of("features", list(features), "at least one column that changes")
    return {name: _variable(name, columns[name], name in log) for name in changing}


def _variable(name: str, column: Column, log: bool) -> Variable:
    distinct: list[Any] = list(dict.fromkeys(column))
    if not is_numeric(distinct):
        if log:
            raise InputError.of("log", name, "numeric features")
        return Choice(distinct)
    low, high = min(distinct), max(distinct)
    if log and low <= 0:
        raise InputError.of(f"rows[{column.index(low)}], column {name!r}", low, "positive numbers, since it is in log=")
    return Real(low, high, log)

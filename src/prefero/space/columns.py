"""The columns of a table, whatever it came as: plain values by name, None if one is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from prefero.errors import InputError
from prefero.space.variables import Value

Column: TypeAlias = list[Value | None]
Columns: TypeAlias = dict[str, Column]


def columns_of(rows: Any, names: Sequence[str] | None = None) -> Columns:
    """Return the columns of a data frame, a list of mappings, or an array with one candidate per row."""
    if _is_frame(rows):
        given = _of_frame(rows)
    elif isinstance(rows, Sequence) and len(rows) and all(isinstance(row, Mapping) for row in rows):
        if any(list(row) != list(rows[0]) for row in rows) or not rows[0]:
            raise InputError.of("rows", rows, "mappings with the same names in the same order")
        given = [(name, [row[name] for row in rows]) for name in rows[0]]
    else:
        given = _of_array(rows, names)
    found = [str(name) for name, _ in given]
    twice = [name for k, name in enumerate(found) if name in found[:k]]
    if twice:
        raise InputError.of("rows, columns", found, f"each name once; {twice[0]!r} occurs twice")
    return {name: plain(name, values) for name, (_, values) in zip(found, given, strict=True)}


def _is_frame(rows: Any) -> bool:
    return not isinstance(rows, Mapping) and (
        hasattr(rows, "column_names") or (hasattr(rows, "columns") and hasattr(rows, "to_dict"))
    )


def _of_frame(frame: Any) -> list[tuple[Any, Iterable[Any]]]:
    """Return the columns of a frame of pandas, polars or Arrow, or of anything that has their methods."""
    if hasattr(frame, "column_names"):  # Arrow
        return [(name, frame.column(k).to_pylist()) for k, name in enumerate(frame.column_names)]
    if hasattr(frame, "to_dicts"):  # polars
        return [(name, frame[name].to_list()) for name in frame.columns]
    if hasattr(frame, "items"):  # pandas; by position, since names may occur twice
        return [(name, column.tolist()) for name, column in frame.items()]
    records = frame.to_dict(orient="records")
    return [(name, [record[name] for record in records]) for name in frame.columns]


def _of_array(rows: Any, names: Sequence[str] | None) -> list[tuple[Any, Iterable[Any]]]:
    try:
        array = np.asarray(rows, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or array.size == 0:
        raise InputError.of("rows", rows, "a list of mappings, or a table of numbers with one candidate per row")
    names = [f"x{k + 1}" for k in range(array.shape[1])] if names is None else list(names)
    if len(names) != array.shape[1] or len(set(names)) != len(names):
        raise InputError.of("names", names, f"{array.shape[1]} different names, one per column")
    return list(zip(names, array.T.tolist(), strict=True))


def plain(name: str, values: Iterable[Any]) -> Column:
    """Return cells as Python values; raise InputError for the first that cannot be stored."""
    return [_plain(name, k, value) for k, value in enumerate(values)]


def _plain(name: str, row: int, value: Any) -> Value | None:
    kind = type(value)
    if kind is float:
        if math.isfinite(value):
            return value  # type: ignore[no-any-return]
        if value != value:
            return None
        raise InputError.of(f"rows[{row}], column {name!r}", value, "finite numbers")
    if kind is str or kind is int or kind is bool:
        return value  # type: ignore[no-any-return]
    if value is None or kind.__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, np.generic):
        return _plain(name, row, value.item())
    if isinstance(value, str | int | float):
        return value
    if hasattr(value, "isoformat"):  # dates and times are text: there is no telling what about them matters
        return str(value.isoformat())
    raise InputError.of(f"rows[{row}], column {name!r}", value, "numbers, text or booleans")


def is_numeric(known: Iterable[Value]) -> bool:
    """Return whether all values are numbers; booleans are none."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


def imputed(column: Column) -> Column:
    """Return a column with its missing values replaced: by the median of numbers, by the most frequent of other values."""
    known = [value for value in column if value is not None]
    if is_numeric(known):
        usual: Value = float(np.median(np.array(known, dtype=float)))
    else:
        counts: dict[Value, int] = {}
        for value in known:
            counts[value] = counts.get(value, 0) + 1
        usual = max(counts, key=counts.__getitem__)  # the first of several
    return [usual if value is None else value for value in column]

"""The kinds of variable, Real, Integer and Choice, and the Candidate that gives each of them a value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from numbers import Real as RealNumber
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from prefero.errors import InputError, shorten

Value: TypeAlias = float | int | str | bool

LARGEST_BOUND = 1e300
"""The largest size of a bound: beyond it, the width of an interval overflows."""


class Candidate(Mapping[str, Any]):
    """One setting: a mapping by variable name, in declared order, which `np.asarray` converts to an array.

    `candidate["gain"]` and `candidate[0]` are the same value if gain was declared first.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, key: str | int) -> Any:
        if isinstance(key, str):
            return self._values[key]
        return tuple(self._values.values())[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        # A study with many answers compares candidates many times: two dictionaries compare faster than two mappings.
        return self._values == other._values if isinstance(other, Candidate) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))  # mappings are equal in any order, so their hashes have to be

    def __repr__(self) -> str:
        return "Candidate(" + ", ".join(f"{name}={value!r}" for name, value in self._values.items()) + ")"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        values = tuple(self._values.values())
        numeric = all(isinstance(value, RealNumber) for value in values)
        return np.array(values, dtype=dtype if dtype is not None else (float if numeric else object))


class Variable(ABC):
    """Base class of Real, Integer and Choice: what one variable of a space may be."""

    @abstractmethod
    def check(self, name: str, value: object) -> Value:
        """Return `value` as this variable holds it; raise an InputError if it is not allowed."""


@dataclass(frozen=True)
class Real(Variable):
    """A real variable in [low, high]; use `log=True` if ratios matter rather than differences. `unit` is shown with it."""

    low: float
    high: float
    log: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        _check_bounds(self.low, self.high)
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        if not isinstance(self.log, bool | np.bool_):
            raise InputError.of("log", self.log, "True or False")
        if self.log and self.low <= 0:
            raise InputError.of("low", self.low, "a positive number, since the scale is logarithmic")
        _check_unit(self.unit)

    def check(self, name: str, value: object) -> float:
        """Return `value` as a float; raise InputError if it is not a finite number."""
        if isinstance(value, bool) or not isinstance(value, RealNumber) or not _fits(value):
            raise InputError.of(name, value, f"a number from {self.low:g} to {self.high:g}")
        return float(value)


@dataclass(frozen=True)
class Integer(Variable):
    """An integer variable in {low, …, high}; `unit` is shown with it."""

    low: int
    high: int
    unit: str = ""

    def __post_init__(self) -> None:
        _check_bounds(self.low, self.high)
        if self.low != int(self.low) or self.high != int(self.high):
            raise InputError.of("low, high", (self.low, self.high), "whole numbers")
        object.__setattr__(self, "low", int(self.low))
        object.__setattr__(self, "high", int(self.high))
        _check_unit(self.unit)

    def check(self, name: str, value: object) -> int:
        """Return `value` as an int; raise InputError if it is not a whole number."""
        whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or not _fits(value):
            raise InputError.of(name, value, f"a whole number from {self.low} to {self.high}")
        return int(value)  # type: ignore[call-overload,no-any-return]


@dataclass(frozen=True)
class Choice(Variable):
    """One of a few named levels without an order."""

    levels: tuple[Value, ...]

    def __init__(self, levels: Sequence[Value]) -> None:
        if isinstance(levels, str) or not isinstance(levels, Sequence):
            raise InputError.of("levels", levels, "a list of two or more names")
        levels = [level.item() if isinstance(level, np.generic) else level for level in levels]
        if not all(isinstance(level, str) or _fits(level) for level in levels):
            raise InputError.of("levels", levels, "text, finite numbers or booleans")
        if len(levels) < 2 or len(set(levels)) != len(levels):
            raise InputError.of("levels", levels, "at least two different levels")
        object.__setattr__(self, "levels", tuple(levels))

    def check(self, name: str, value: object) -> Value:
        """Return the level that equals `value`; raise InputError if there is none."""
        for level in self.levels:  # by type as well: 1 == True, but 1 is not the level True
            if type(level) is type(value) and level == value:
                return level
        raise InputError.of(name, value, f"one of {shorten(list(self.levels))}")


def _fits(value: object) -> bool:
    """Return whether a value is a number that a float can hold; an int may be too large, and NaN is not."""
    return isinstance(value, int | float | RealNumber) and bool(abs(value) <= LARGEST_BOUND)  # type: ignore[operator]


def _check_unit(unit: object) -> None:
    if not isinstance(unit, str) or not unit.isprintable():
        raise InputError.of("unit", unit, "text on one line")


def _check_bounds(low: object, high: object) -> None:
    for argument, bound in (("low", low), ("high", high)):
        if isinstance(bound, bool) or not isinstance(bound, RealNumber) or not abs(bound) <= LARGEST_BOUND:  # type: ignore[operator]
            raise InputError.of(argument, bound, f"a finite number, at most {LARGEST_BOUND:g} in size")
    if not low < high:  # type: ignore[operator]
        raise InputError.of("low, high", (low, high), "low below high")

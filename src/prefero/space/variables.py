"""The kinds of variable, Real, Integer, Ordinal and Choice, and the Candidate that gives each of them a value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from numbers import Integral
from numbers import Real as RealNumber
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from prefero.errors import InputError, shorten
from prefero.space.html import table

Value: TypeAlias = float | int | str | bool

LARGEST_BOUND = 1e300
"""The largest size of a bound: beyond it, the width of an interval overflows."""
SMALLEST_WIDTH = 1e-300
"""The smallest width of an interval, and the smallest bound of a logarithmic scale: below it, floats lose their digits."""
MOST_STEPS = 2**53
"""The most steps of a range: beyond it, floats cannot tell two neighbours apart."""


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

    def _repr_html_(self) -> str:
        return table(self._values)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        values = tuple(self._values.values())
        numeric = all(isinstance(value, RealNumber) for value in values)
        return np.array(values, dtype=dtype if dtype is not None else (float if numeric else object))


class Variable(ABC):
    """Base class of Real, Integer, Ordinal and Choice: what one variable of a space may be."""

    when: Mapping[str, tuple[Value, ...]]

    @abstractmethod
    def check(self, name: str, value: object) -> Value:
        """Return `value` as this variable holds it; raise an InputError if it is not allowed."""


@dataclass(frozen=True)
class Real(Variable):
    """A real variable in [low, high]; use `log=True` if ratios matter rather than differences. `unit` is shown with it.

    With `step`, only low, low + step, … are proposed. With `when={"filter": "on"}`, the variable exists only if the variable
    `filter` has that level; several levels are a list.
    """

    low: float
    high: float
    log: bool = False
    unit: str = ""
    step: float | None = None
    when: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, kw_only=True, hash=False)

    def __post_init__(self) -> None:
        low, high = _checked_bounds(self.low, self.high)
        object.__setattr__(self, "low", float(low))
        object.__setattr__(self, "high", float(high))
        object.__setattr__(self, "log", _checked_log(self.log, self.low, SMALLEST_WIDTH))
        if self.step is not None:
            object.__setattr__(self, "step", float(_checked_step(self.step, self.low, self.high)))
        _check_unit(self.unit)
        object.__setattr__(self, "when", _checked_when(self.when))

    def check(self, name: str, value: object) -> float:
        """Return `value` as a float; raise InputError if it is not a finite number."""
        value = plain(value)
        if isinstance(value, bool) or not isinstance(value, RealNumber) or not _fits(value):
            raise InputError.of(name, value, f"a number from {self.low:g} to {self.high:g}")
        return float(value)


@dataclass(frozen=True)
class Integer(Variable):
    """An integer variable in {low, …, high}; `unit` is shown with it.

    With `step`, only low, low + step, … are proposed; use `log=True` if ratios matter. `when` as for Real.
    """

    low: int
    high: int
    unit: str = ""
    step: int = 1
    log: bool = False
    when: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, kw_only=True, hash=False)

    def __post_init__(self) -> None:
        low, high = _checked_bounds(self.low, self.high)
        if low != int(low) or high != int(high):
            raise InputError.of("low, high", (self.low, self.high), "whole numbers")
        object.__setattr__(self, "low", int(low))
        object.__setattr__(self, "high", int(high))
        step = _checked_step(self.step, self.low, self.high)
        if step != int(step):
            raise InputError.of("step", self.step, "a whole number")
        object.__setattr__(self, "step", int(step))
        object.__setattr__(self, "log", _checked_log(self.log, self.low, 1))
        _check_unit(self.unit)
        object.__setattr__(self, "when", _checked_when(self.when))

    def check(self, name: str, value: object) -> int:
        """Return `value` as an int; raise InputError if it is not a whole number."""
        value = plain(value)
        whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or not _fits(value):
            raise InputError.of(name, value, f"a whole number from {self.low} to {self.high}")
        return int(value)  # type: ignore[call-overload,no-any-return]


@dataclass(frozen=True)
class Ordinal(Variable):
    """One of a few named levels in an order, such as small < medium < large; neighbours are equally far apart."""

    levels: tuple[Value, ...]
    when: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, kw_only=True, hash=False)

    def __init__(self, levels: Sequence[Value], *, when: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "levels", _checked_levels(levels))
        object.__setattr__(self, "when", _checked_when(when or {}))

    @cached_property
    def places(self) -> dict[Value, int]:
        """The number of each level, from 0."""
        return {level: k for k, level in enumerate(self.levels)}

    def check(self, name: str, value: object) -> Value:
        """Return the level that equals `value`; raise InputError if there is none."""
        return _level(name, value, self.levels, self.places)


@dataclass(frozen=True)
class Choice(Variable):
    """One of two or more named levels without an order."""

    levels: tuple[Value, ...]
    when: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, kw_only=True, hash=False)

    def __init__(self, levels: Sequence[Value], *, when: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "levels", _checked_levels(levels))
        object.__setattr__(self, "when", _checked_when(when or {}))

    @cached_property
    def places(self) -> dict[Value, int]:
        """The number of each level, from 0."""
        return {level: k for k, level in enumerate(self.levels)}

    def check(self, name: str, value: object) -> Value:
        """Return the level that equals `value`; raise InputError if there is none."""
        return _level(name, value, self.levels, self.places)


def plain(value: object) -> Any:
    """Return a NumPy scalar, or an array of one value, as a Python value; anything else as it is."""
    single = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.size == 1)
    return value.item() if single else value  # type: ignore[attr-defined]


def decimals(*numbers: float) -> int:
    """Return how many decimals the numbers have, as they are written; at most 15, what a float holds."""
    exponents = [int(Decimal(repr(float(number))).normalize().as_tuple().exponent) for number in numbers]
    return min(max(0, *(-exponent for exponent in exponents)), 15)


def _level(name: str, value: object, levels: Sequence[Value], places: Mapping[Value, int]) -> Value:
    """Return the level that equals a value: 2.0 is 2, but 1 is not True."""
    value = plain(value)
    if isinstance(value, str | int | float) and value in places:
        level = levels[places[value]]
        if isinstance(level, bool) == isinstance(value, bool):
            return level
    raise InputError.of(name, value, f"one of {shorten(list(levels))}")


def _fits(value: object) -> bool:
    """Return whether a value is a number that a float can hold; an int may be too large, and NaN is not."""
    return isinstance(value, int | float | RealNumber) and bool(abs(value) <= LARGEST_BOUND)  # type: ignore[operator]


def _checked_levels(levels: object) -> tuple[Value, ...]:
    """Return levels as plain values; raise InputError unless they are two or more different ones."""
    given = levels.tolist() if getattr(levels, "ndim", None) == 1 else levels  # type: ignore[attr-defined]
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError.of("levels", levels, "a list of two or more names")
    found = [plain(level) for level in given]
    if not all(isinstance(level, str) or _fits(level) for level in found):
        raise InputError.of("levels", found, "text, finite numbers or booleans")
    if len(found) < 2 or len(set(found)) != len(found):
        raise InputError.of("levels", found, "at least two different levels")
    return tuple(found)


def _checked_when(when: object) -> dict[str, tuple[Value, ...]]:
    """Return a condition as levels by the name of a variable; the space checks the names and the levels."""
    if not isinstance(when, Mapping):
        raise InputError.of("when", when, 'a mapping from a variable to its level, such as {"filter": "on"}')
    found = {}
    for name, levels in when.items():
        several = levels.tolist() if isinstance(levels, np.ndarray) else levels
        listed = list(several) if isinstance(several, list | tuple | set | frozenset) else [several]
        values = tuple(plain(level) for level in listed)
        if not isinstance(name, str) or not values or not all(isinstance(v, str | int | float) for v in values):
            raise InputError.of("when", when, 'a mapping from a variable to its level, such as {"filter": "on"}')
        found[name] = values
    return found


def _check_unit(unit: object) -> None:
    if not isinstance(unit, str) or not unit.isprintable():
        raise InputError.of("unit", unit, "text on one line")


def _checked_log(log: object, low: float, least: float) -> bool:
    if not isinstance(log, bool | np.bool_):
        raise InputError.of("log", log, "True or False")
    if log and low < least:
        allowed = "a positive number" if low <= 0 else f"a number from {least:g} up"
        raise InputError.of("low", low, f"{allowed}, since the scale is logarithmic")
    return bool(log)


def _checked_bounds(low: Any, high: Any) -> tuple[Any, Any]:
    low, high = plain(low), plain(high)
    for argument, bound in (("low", low), ("high", high)):
        if isinstance(bound, bool) or not isinstance(bound, RealNumber) or not _fits(bound):
            raise InputError.of(argument, bound, f"a finite number, at most {LARGEST_BOUND:g} in size")
    if not low < high:
        raise InputError.of("low, high", (low, high), "low below high")
    if float(high) - float(low) < SMALLEST_WIDTH:
        raise InputError.of("low, high", (low, high), f"bounds at least {SMALLEST_WIDTH:g} apart")
    return low, high


def _checked_step(step: object, low: float, high: float) -> Any:
    """Return a step; raise InputError if it is not positive, or does not divide the range."""
    step = plain(step)
    if isinstance(step, bool) or not isinstance(step, RealNumber) or not 0 < float(step) <= LARGEST_BOUND:
        raise InputError.of("step", step, "a positive number")
    whole = all(isinstance(number, int) for number in (step, low, high))
    count = (high - low) / float(step)
    if count > MOST_STEPS and step != 1:
        raise InputError.of("step", step, f"at most 2**53 steps from {low:g} to {high:g}")
    # Rounding of the bounds and of the step: 1e-9, or a few units in the last place of a large count.
    divides = (high - low) % step == 0 if whole else abs(count - round(count)) <= 1e-9 + 4e-16 * count
    if not divides or count < 1 - 1e-9:
        last = low + max(1, int(count)) * float(step)
        raise InputError.of(
            "step", step, f"a step that divides the range from {low:g} to {high:g}; with this one, end it at {last:g}"
        )
    return step

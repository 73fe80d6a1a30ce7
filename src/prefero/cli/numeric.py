"""Numeric options and arguments; an invalid number is reported with the option, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import typer

from prefero.errors import PreferoError


def whole_option(*names: str, low: int | None = None, high: int | None = None, about: str) -> Any:
    """Return an option that takes a whole number within bounds."""
    return typer.Option(*names, metavar="N", help=about, parser=_parser(int, ", ".join(names), low, high))


def number_option(*names: str, low: float | None = None, about: str) -> Any:
    """Return an option that takes a number within bounds."""
    return typer.Option(*names, metavar="NUMBER", help=about, parser=_parser(float, ", ".join(names), low, None))


def step_argument(metavar: str, about: str) -> Any:
    """Return an argument that is the number of a question, or i1, i2, … for an imported comparison: −1, −2, … in the log."""

    return typer.Argument(metavar=metavar, help=about, parser=_step_parser(metavar))


def step_option(*names: str, about: str) -> Any:
    """Return an option that takes the number of a question as `step_argument` does."""
    return typer.Option(*names, metavar="STEP", help=about, parser=_step_parser(", ".join(names)))


def _step_parser(names: str) -> Callable[[Any], int]:
    def parsed(given: Any) -> int:
        text = str(given)
        imported = text[:1] == "i" and text[1:].isascii() and text[1:].isdigit() and int(text[1:]) > 0
        if imported:
            return -int(text[1:])
        if not (text.isascii() and text.isdigit()):
            raise PreferoError.of(names, given, "a whole number, or i1, i2, … for an imported comparison")
        return int(text)

    return parsed


def _parser(kind: type[int | float], names: str, low: float | None, high: float | None) -> Callable[[Any], Any]:
    """Return a function that converts the given text to a number of this kind."""
    allowed = "a whole number" if kind is int else "a number"
    if low is not None:
        allowed += f" of at least {low:g}" if high is None else f" from {low:g} to {high:d}"
    least, most = -math.inf if low is None else low, math.inf if high is None else high

    def parsed(given: Any) -> Any:
        try:
            number = kind(given)
        except ValueError:
            number = None
        if number is None or not least <= number <= most or abs(number) == math.inf:
            raise PreferoError.of(names, given, allowed)  # an InputError is a ValueError, which typer would reword
        return number

    return parsed

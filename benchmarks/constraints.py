"""Known constraints by name, g(x) <= 0: a proposer may look at them, it never sees the function."""

from collections.abc import Callable
from math import pi, sin
from typing import TypeAlias

Constraint: TypeAlias = Callable[[list[float]], float]


def sasena(x: list[float]) -> float:
    """The constraint of eq:sasena: -sin(x1 - x2 - pi/8) <= 0."""
    return -sin(x[0] - x[1] - pi / 8)


def simplex(x: list[float]) -> float:
    """Weights whose sum leaves something for the eliminated one: sum x_i - 1 <= 0."""
    return sum(x) - 1


CONSTRAINTS: dict[str, Constraint] = {"sasena": sasena, "simplex": simplex}
LINEAR: dict[str, tuple[float, float]] = {"simplex": (1.0, 1.0)}  # a (x_1 + ... + x_n) <= b, as (a, b)

"""Known constraints by name, g(x) <= 0: a proposer may look at them, it never sees the function."""

from collections.abc import Callable
from math import pi, sin
from typing import TypeAlias

Constraint: TypeAlias = Callable[[list[float]], float]


def sasena(x: list[float]) -> float:
    """The constraint of eq:sasena: -sin(x1 - x2 - pi/8) <= 0."""
    return -sin(x[0] - x[1] - pi / 8)


CONSTRAINTS: dict[str, Constraint] = {"sasena": sasena}

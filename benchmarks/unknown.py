"""Problems with constraints that nobody knows: a candidate that violates them fails when it is tried.

Standard library only, so that a peer's environment can read it. The functions are older than their use here. "square" is our own.
"sasena" is the function of Sasena, Papalambros and Goovaerts (2002), whose constraint A. Bemporad and D. Piga know and nobody knows
here. "bird", Mishra's function in a disc, and "camel-soft" and "camel-hard", the six-hump camel back in the intersection of a disc
and a polygon, have the constraints of the examples of glis, which belong to M. Zhu, D. Piga and A. Bemporad, *C-GLISp:
preference-based global optimization under unknown constraints* (2021). "camel-disc" is the disc of "camel-soft" alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, exp, pi, sin
from typing import TypeAlias

Function: TypeAlias = Callable[[Sequence[float]], float]


@dataclass(frozen=True)
class Unknown:
    """A function to minimise where `violation` is 0. `least`: its minimum there. `samples`: how many candidates may be tried."""

    name: str
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    value: Function
    violation: Function
    least: float
    samples: int
    initial: int
    delta: float

    def works(self, x: Sequence[float]) -> bool:
        """Whether a candidate can be tried."""
        return self.violation(x) <= 0


def _beyond(*sides: tuple[float, float, float]) -> Function:
    """By how much a x + b y ≤ c is violated, summed over sides (a, b, c)."""
    return lambda x: sum(max(a * x[0] + b * x[1] - c, 0.0) for a, b, c in sides)


def _outside(a: float, b: float, square: float) -> Function:
    """By how much a point lies outside of a disc around (a, b), whose radius is the root of `square`."""
    return lambda x: max((x[0] - a) ** 2 + (x[1] - b) ** 2 - square, 0.0)


def _sum(*violations: Function) -> Function:
    return lambda x: sum(violation(x) for violation in violations)


def camel(x: Sequence[float]) -> float:
    """The six-hump camel back."""
    a, b = x
    return (4 - 2.1 * a**2 + a**4 / 3) * a**2 + a * b + (4 * b**2 - 4) * b**2


def bird(x: Sequence[float]) -> float:
    """Mishra's bird."""
    a, b = x
    return sin(b) * exp((1 - cos(a)) ** 2) + cos(a) * exp((1 - sin(b)) ** 2) + (a - b) ** 2


def sasena(x: Sequence[float]) -> float:
    """The function of Sasena et al. (2002)."""
    a, b = x
    return 2 + 0.01 * (b - a**2) ** 2 + (1 - a) ** 2 + 2 * (2 - b) ** 2 + 7 * sin(0.5 * a) * sin(0.7 * a * b)


PROBLEMS = {
    problem.name: problem
    for problem in (
        Unknown(
            "square",
            (0.0, 0.0),
            (1.0, 1.0),
            lambda x: (x[0] - 0.8) ** 2 + (x[1] - 0.7) ** 2,
            lambda x: max(x[0] + x[1] - 1.2, 0.0),
            0.045,
            31,
            8,
            1.0,
        ),
        Unknown(
            "sasena",
            (0.0, 0.0),
            (5.0, 5.0),
            sasena,
            lambda x: max(-sin(x[0] - x[1] - pi / 8), 0.0),
            -1.1742743,
            40,
            10,
            1.0,
        ),
        Unknown("bird", (-10.0, -6.5), (-2.0, 0.0), bird, _outside(-9.0, -3.0, 9.0), -48.4060, 50, 13, 1.0),
        Unknown("camel-disc", (-2.0, -1.0), (2.0, 1.0), camel, _outside(0.0, -0.04, 0.8), -1.0316285, 40, 10, 1.0),
        Unknown(
            "camel-soft",
            (-2.0, -1.0),
            (2.0, 1.0),
            camel,
            _sum(
                _outside(0.0, -0.04, 0.8),
                _beyond((1.6295, 1, 3.0786), (0.5, 3.875, 3.324), (-4.3023, -4, -1.4909), (-2, 1, 0.5), (0.5, -1, 0.5)),
            ),
            -0.9050,
            50,
            13,
            1.0,
        ),
        Unknown(
            "camel-hard",
            (-2.0, -1.0),
            (2.0, 1.0),
            camel,
            _sum(
                _outside(0.0, -0.1, 0.5),
                _beyond(
                    (1.6295, 1, 3.0786),
                    (-1, 4.4553, 2.7417),
                    (-4.3023, -1, -1.4909),
                    (-5.6905, -12.1374, 1),
                    (17.6198, 1, 32.5198),
                ),
            ),
            -0.58445,
            100,
            30,
            2.0,
        ),
    )
}

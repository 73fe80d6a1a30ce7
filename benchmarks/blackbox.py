"""The 24 BBOB functions by ioh, which nobody here chose, as problems of the benchmark.

A function's range is the median of its values over the box minus its optimum, so that regrets are parts of the range: the optimum
is 0 and a typical point is 1. Instances turn and shift a function; those after 40 stay unseen until a final test.
"""

import re
from functools import cache

import ioh
import numpy as np
from scipy.stats import qmc

from benchmarks.functions import Array
from benchmarks.problems import Problem

FUNCTIONS = range(1, 25)
SAMPLES = {2: 30, 3: 40, 5: 60, 10: 80}
"""Samples by dimension; a run has one answer less."""
DEVELOPMENT, LAST_INSTANCE = range(1, 41), 999
RANGE_POINTS = 2048  # of a Sobol sequence, a power of two
CLASSES = {
    "separable": range(1, 6),
    "moderate conditioning": range(6, 10),
    "high conditioning": range(10, 15),
    "multimodal": range(15, 20),
    "weak structure": range(20, 25),
}
"""BBOB's own classes of functions."""
_NAME = re.compile(r"f(\d\d)-(\d+)d-i(\d+)")


@cache
def problem_of(function: int, dimension: int, instance: int) -> Problem:
    """A BBOB problem as parts of its range: the optimum is 0 and a typical point is 1."""
    problem = ioh.get_problem(function, instance, dimension, ioh.ProblemClass.BBOB)
    lower, upper = np.array(problem.bounds.lb), np.array(problem.bounds.ub)
    optimum = float(problem.optimum.y)
    points = lower + (upper - lower) * qmc.Sobol(dimension, seed=0).random(RANGE_POINTS)
    unit = float(np.median(problem(points.tolist()))) - optimum

    def regret(x: Array) -> Array:
        return np.asarray((np.asarray(problem(x.tolist())) - optimum) / unit)

    name = name_of(function, dimension, instance)
    return Problem(name, regret, lower, upper, 0.0, SAMPLES[dimension], "BBOB, by ioh", known_range=1.0)


def name_of(function: int, dimension: int, instance: int) -> str:
    """A problem's name, as f01-2d-i01."""
    return f"f{function:02d}-{dimension}d-i{instance:02d}"


def parts_of(name: str) -> tuple[int, int, int] | None:
    """The function, the dimension and the instance that a name tells; None if it is not one of BBOB's."""
    found = _NAME.fullmatch(name)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def seed_of(name: str) -> int:
    """The seed of a problem's runs: each function and instance has its own."""
    parts = parts_of(name)
    if parts is None:
        raise ValueError(f"{name}: not the name of a BBOB problem")
    function, _, instance = parts
    return 1000 * function + instance


def function_of(name: str) -> int:
    """The number of the function, from a problem's name."""
    return int(name.partition("-")[0][1:])

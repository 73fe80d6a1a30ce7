"""The weights of least cost: what the experiment's recommendations are measured against.

The cost is a step function of the weights, so that nothing has a gradient: differential evolution looks everywhere on the
simplex several times, and the best weights are polished by ever smaller random steps.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.optimize import LinearConstraint, differential_evolution

from benchmarks.cifar import costs
from benchmarks.functions import Array

Cost: TypeAlias = Callable[[Array], Array]

ROUNDS, POPULATION, GENERATIONS = 4, 24, 120
STEPS, WIDEST, NARROWEST = 4000, 0.05, 1e-5


def within(x: Array, cost: Cost = costs.cost) -> float:
    """The cost of the first three weights, the fourth eliminated; infinite outside the simplex."""
    if np.min(x) < 0 or float(np.sum(x)) > 1:
        return float("inf")
    return float(cost(x))


def optimum(progress: Callable[[str], None] = lambda _: None, cost: Cost = costs.cost) -> Array:
    """All four weights of the least cost found."""
    best, least = np.full(3, 0.25), float("inf")
    for number in range(ROUNDS):
        found = differential_evolution(
            partial(within, cost=cost),
            [(0, 1)] * 3,
            constraints=LinearConstraint(np.ones((1, 3)), -np.inf, 1),
            popsize=POPULATION,
            maxiter=GENERATIONS,
            tol=0,
            polish=False,
            seed=number,
        )
        x, value = polished(np.asarray(found.x), np.random.default_rng([number, 1]), cost)
        progress(f"round {number + 1} of {ROUNDS}: cost {value:.0f}")
        if value < least:
            best, least = x, value
    return np.append(best, 1 - best.sum())


def polished(x: Array, rng: np.random.Generator, cost: Cost = costs.cost) -> tuple[Array, float]:
    """Better weights near x, by random steps of many lengths."""
    best, least = x, within(x, cost)
    for width in np.geomspace(WIDEST, NARROWEST, STEPS):
        y = best + width * rng.standard_normal(3)
        value = within(y, cost)
        if value < least:
            best, least = y, value
    return best, least

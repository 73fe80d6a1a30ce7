"""Hyperparameters of largest evidence: how noisy a person is, what seems the same to them, and how linear their taste is.

| symbol | meaning |
|---|---|
| ν | standard deviation of the person's noise, relative to that of the utility |
| τ | difference below which two candidates seem the same |
| λ | share of the linear part of the utility |

Each is chosen from a few values, one after the other. One-bit answers do not tell them any better: neighbouring values have nearly
the same evidence, and length scales cannot be learned from such answers at all (docs/method.md, trials).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from benchmarks.successor.kernel import Mixed
from benchmarks.successor.utilities import Utilities, posterior
from prefero.answers import History
from prefero.models.statements import Statements

MOST_ANSWERS = 150
"""The evidence uses this many of the last answers: with more, the values hardly move, and the cost grows with the cube."""
KernelOf: TypeAlias = Callable[[float], Mixed]
"""The kernel for a value of λ."""


@dataclass(frozen=True)
class Fit:
    """ν, τ and λ, and after how many answers they were chosen."""

    noise: float
    tie: float
    linear: float
    answered: int = 0


@dataclass(frozen=True)
class Grids:
    """The values that are compared, and the log of the prior odds of each; one value is a value that is given."""

    noise: tuple[tuple[float, float], ...]
    tie: tuple[tuple[float, float], ...]
    linear: tuple[tuple[float, float], ...]


def choose(history: History, kernel_of: KernelOf, grids: Grids, lapse: float, start: Fit) -> Fit:
    """Return ν, τ and λ of largest evidence times prior, one after the other, beginning with those of `start`.

    Parameters
    ----------
    history: the answers.
    kernel_of: the kernel for a value of λ.
    grids: the values to compare.
    lapse: ε.
    start: the values to begin with.
    """
    recent = history.last(MOST_ANSWERS)
    fit = start
    names = ["noise", "linear"] if (history.preferences != 0).all() else ["tie", "noise", "linear"]
    for name in names:
        values = getattr(grids, name)
        if len(values) == 1:
            fit = replace(fit, **{name: values[0][0]})
            continue
        scores = []
        for value, odds in values:
            tried = replace(fit, **{name: value})
            scores.append(odds + fitted(recent, kernel_of, tried, lapse).sites.log_evidence)
        fit = replace(fit, **{name: values[int(np.argmax(scores))][0]})
    return replace(fit, answered=len(history))


def fitted(history: History, kernel_of: KernelOf, fit: Fit, lapse: float, before: Utilities | None = None) -> Utilities:
    """Return the posterior for given hyperparameters."""
    kernel = kernel_of(fit.linear)
    statements = Statements.of(history, fit.tie)
    return posterior(kernel, history.points, statements, fit.noise, lapse, before)

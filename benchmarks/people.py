"""Simulated people: functions prefer(a, b) that answer -1 (a is better), 1 (b is better) or 0 (about the same)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from benchmarks.functions import Array

Latent: TypeAlias = Callable[[Array], float]
Person: TypeAlias = Callable[[Array, Array], int]


def _answer(difference: float, tie: float) -> int:
    """The answer to f(a) - f(b): a negative difference means that a is better."""
    if abs(difference) <= tie:
        return 0
    return -1 if difference < 0 else 1


@dataclass
class Reader:
    """A person who reads a number off each candidate, and could say it; the same only where the numbers are equal."""

    read: Latent
    seen: tuple[float, float] | None = None  # what was read last

    def __call__(self, a: Array, b: Array) -> int:
        """The answer to a question."""
        self.seen = self.read(a), self.read(b)
        return _answer(self.seen[0] - self.seen[1], 0.0)


def exact(f: Latent) -> Reader:
    """A person who never errs and calls two candidates the same only where f is equal."""
    return Reader(f)


def flips(f: Latent, rate: float, rng: np.random.Generator) -> Person:
    """A person who says the opposite in this share of the answers, however clear the case is."""

    def prefer(a: Array, b: Array) -> int:
        sign = -1 if rng.random() < rate else 1
        return sign * _answer(f(a) - f(b), 0.0)

    return prefer


def logistic(f: Latent, scale: float, tie: float, rng: np.random.Generator) -> Person:
    """A person who sees f(a) - f(b) through logistic noise and calls what seems within `tie` the same.

    `scale` and `tie` are in the units of f; the benchmark gives them as parts of the problem's range.
    """

    def prefer(a: Array, b: Array) -> int:
        seen = f(a) - f(b) + (float(rng.logistic(0.0, scale)) if scale > 0 else 0.0)
        return _answer(seen, tie)

    return prefer


def inconsistent(f: Latent, spread: float, rng: np.random.Generator) -> Reader:
    """A person who sees (1 + d) f instead of f, eq:NN-latent-fcn: d is uniform within ±spread.

    It is drawn afresh for each candidate in each comparison; one that both have in common would change no answer.
    """
    return Reader(lambda x: (1 + rng.uniform(-spread, spread)) * f(x))

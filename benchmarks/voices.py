"""Simulated people who compare, rank and rate, for `benchmarks.kinds`: whose taste it is, and what they say of it.

The taste is a function in parts of its range. Values that a person feels differ from it:

| person | feels |
|---|---|
| consistent | the values |
| noise | with logistic noise of scale `NOISE`, drawn anew for each candidate of each question |
| ties | with differences below `SAME` the same; if a question takes no tie, one of them at random |
| tired | with logistic noise that grows from 0 to `TIRED` |
| drifting | the optimum moves by `MOVED` of each side of the box until the last question; regrets are of the last taste |
| two camps | two people, whose optima lie `APART` of each side of the box apart, answer in turn; regrets are of the mean |
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

import prefero as pf
from benchmarks.functions import Array
from benchmarks.problems import Problem

NOISE, SAME, TIRED, MOVED, APART = 0.03, 0.02, 0.1, 0.1, 0.2
MUCH = 0.3
"""Values that differ by more than this part of the range are much better."""
WRONG = 0.1
"""So many of the levels are wrong if some are."""
DOUBTFUL = 2 * NOISE
"""A person is not sure of smaller differences."""
LEVELED = 1000
"""Points of the box that a person's levels come from."""
PEOPLE = ("consistent", "noise", "ties", "tired", "drifting", "two camps")
Says = Callable[..., object]


@dataclass
class Voice:
    """A person who will answer so many questions about a problem: the values they feel, lower is better."""

    person: str
    problem: Problem
    questions: int
    rng: np.random.Generator
    asked: int = field(default=0, init=False)

    def __call__(self, *xs: Array) -> Array:
        """Return what is felt of the candidates of the next question."""
        part = min(1.0, self.asked / max(1, self.questions - 1))
        self.asked += 1
        shift = {"drifting": (1 - part) * MOVED, "two camps": APART * (self.asked % 2)}.get(self.person, 0.0)
        values = np.array([shifted(self.problem, x, shift) for x in xs])
        if self.person == "ties":
            return np.asarray(np.round(values / SAME) * SAME)
        scale = {"noise": NOISE, "tired": TIRED * part}.get(self.person, 0.0)
        return np.asarray(values + self.rng.logistic(0.0, scale, len(xs)) if scale else values)


def shifted(problem: Problem, x: Array, shift: float) -> float:
    """Return the value at a point moved by a part of each side of the box; outside, that of the nearest point inside."""
    return float(problem(np.clip(x + shift * (problem.upper - problem.lower), problem.lower, problem.upper)))


@cache
def target(person: str, problem: Problem) -> Problem:
    """Return the problem whose regrets count for a person."""
    if person != "two camps":
        return problem

    def mean(x: Array) -> float:
        return (shifted(problem, x, 0.0) + shifted(problem, x, APART)) / 2

    points = problem.lower + (problem.upper - problem.lower) * qmc.Sobol(problem.dimension, seed=0).random(2048)
    best = sorted(points, key=mean)[:3]
    box = list(zip(problem.lower, problem.upper, strict=True))
    least = min(float(minimize(mean, x, method="Nelder-Mead", bounds=box).fun) for x in best)

    def regret(x: Array) -> Array:
        return np.asarray(mean(x) - least)

    return replace(problem, name=f"{problem.name}, two camps", function=regret)


def order(voice: Voice) -> Says:
    """A person who says which is better, or ranks more than two."""

    def prefer(*xs: Array) -> object:
        values = voice(*xs)
        if len(xs) == 2:
            return int(np.sign(values[0] - values[1]))
        mixed = voice.rng.permutation(len(xs))  # of the same values, any may come first
        return ["abcdef"[k] for k in mixed[np.argsort(values[mixed], kind="stable")]]

    return prefer


def strengths(voice: Voice, wrong: float = 0.0) -> Says:
    """A person who also says whether it is much better; `wrong` of the strengths are, never which one is better."""

    def prefer(a: Array, b: Array) -> int:
        first, second = voice(a, b)
        much = (abs(first - second) > MUCH) ^ (voice.rng.random() < wrong)
        return int(np.sign(first - second)) * (2 if much else 1)

    return prefer


def ratings(voice: Voice, wrong: float = 0.0) -> Says:
    """A person who also rates each new candidate on five levels, fifths of the box; `wrong` of the levels are random."""
    problem, rng, seen = voice.problem, voice.rng, set[bytes]()
    box = np.random.default_rng(0).uniform(problem.lower, problem.upper, (LEVELED, problem.dimension))
    limits = np.quantile([problem(x) for x in box], [0.2, 0.4, 0.6, 0.8])

    def level(x: Array, value: float) -> int | None:
        if x.tobytes() in seen:
            return None
        seen.add(x.tobytes())
        return int(rng.integers(1, 6)) if rng.random() < wrong else 5 - int(np.searchsorted(limits, value))

    def prefer(a: Array, b: Array) -> object:
        values = voice(a, b)
        said = int(np.sign(values[0] - values[1]))
        return pf.rated(said, level(a, values[0]), level(b, values[1]))

    return prefer


def doubts(voice: Voice) -> Says:
    """A person who is not sure of small differences."""

    def prefer(a: Array, b: Array) -> object:
        first, second = voice(a, b)
        said = int(np.sign(first - second))
        return pf.unsure(said) if abs(first - second) < DOUBTFUL else said

    return prefer

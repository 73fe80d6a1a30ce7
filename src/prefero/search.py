"""Minimise an acquisition function over a space: a vectorised multi-start, a particle swarm, DIRECT.

All three look only at candidates: every point is snapped (integers whole, one level a choice) before the acquisition and
the constraints see it, so that nothing is rounded afterwards. Constraints enter by the penalty of Eq. (xNp1-penalty), and what
is returned satisfies them. (The paper multiplies the penalty by ΔF̂; a is already divided by it, so ρ stands alone.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from prefero import design
from prefero.arrays import Acquisition, Matrix, Vector
from prefero.constraints import TOLERANCE
from prefero.domain import Domain
from prefero.space import Space

Method = Literal["multistart", "swarm", "direct"]
METHODS: tuple[Method, ...] = ("multistart", "swarm", "direct")

PENALTY = 1e3
"""ρ, for constraints divided by their scale and an acquisition of order one."""
EXACT = 1e2
"""A second, linear penalty: with the square alone the least value lies a little outside the constraints."""
SAME = 1e-6
"""Two points nearer than this (in the largest coordinate) are one candidate."""


@dataclass(frozen=True)
class Taken:
    """Points that may not be proposed, each with the distance to keep (in the largest coordinate)."""

    points: Matrix
    radius: Vector

    def hides(self, x: Vector) -> bool:
        """Whether the point is too near to a taken one."""
        return bool((np.abs(self.points - x).max(axis=1, initial=0.0) <= self.radius).any())


@dataclass
class _Record:
    """The acquisition with penalty, remembering the best admissible candidate among all that were evaluated."""

    acquisition: Acquisition
    space: Domain
    taken: Taken
    best: Vector | None = None
    value: float = field(default=np.inf)

    def __call__(self, X: Matrix) -> Vector:
        value = self.acquisition(X)
        violations = self.space.violations(X)
        admissible = value
        if violations.shape[1]:
            value = value + (PENALTY * violations**2 + EXACT * violations).sum(axis=1)  # Eq. (xNp1-penalty)
            admissible = np.where((violations <= TOLERANCE).all(axis=1), value, np.inf)
        self._remember(X, admissible)
        return value

    def _remember(self, X: Matrix, admissible: Vector) -> None:
        """Keep the best of the new points if it is better than what is kept, and not taken."""
        k = int(admissible.argmin())
        while admissible[k] < self.value:
            if not self.taken.hides(X[k]):
                self.best, self.value = X[k].copy(), float(admissible[k])
                return
            admissible = admissible.copy()
            admissible[k] = np.inf
            k = int(admissible.argmin())


def minimise(
    acquisition: Acquisition,
    space: Domain,
    rng: np.random.Generator,
    taken: Taken,
    around: Vector | None = None,
    method: Method = "multistart",
) -> Vector | None:
    """The admissible candidate of least acquisition that was found; None where the space has no candidate left.

    `around` is where a good candidate is expected, usually the incumbent.
    """
    record = _Record(acquisition, space, taken)
    points = space.points()
    if points is not None:
        record(points)
        return record.best
    assert isinstance(space, Space)  # a space with infinitely many candidates
    strategies: dict[Method, Callable[[_Record, Space, np.random.Generator, Vector | None], None]] = {
        "multistart": _multistart,
        "swarm": _swarm,
        "direct": _direct,
    }
    strategies[method](record, space, rng, around)
    if record.best is None:
        record(design.initial(space, 64, rng))
    return record.best


# The vectorised multi-start ------------------------------------------------------------------------------------------

_SPREAD, _NEAR = 512, 256
_KEPT = 6
_ROUNDS = 24


def _multistart(record: _Record, space: Space, rng: np.random.Generator, around: Vector | None) -> None:
    """Spread points and points near `around`; then the best few improve together by a random pattern search."""
    n = space.dimension
    X = space.snap(design.latin_hypercube(_SPREAD, n, rng))
    if around is not None:
        X = np.vstack(
            [X, space.snap(_perturbed(space, np.tile(around, (_NEAR, 1)), 10 ** rng.uniform(-3, 0, _NEAR), rng))]
        )
    value = record(X)
    chosen = _apart(X, value, _KEPT)
    x, fx = X[chosen], value[chosen]
    step = np.full(len(x), 0.1)
    moves = 4 * n + 4
    for _ in range(_ROUNDS):
        Q = _moves(space, x, step, moves, rng)
        fq = record(Q.reshape(-1, n)).reshape(len(x), -1)
        k = fq.argmin(axis=1)
        lower = fq[np.arange(len(x)), k]
        better = lower < fx
        x = np.where(better[:, None], Q[np.arange(len(x)), k], x)
        fx = np.where(better, lower, fx)
        step = np.where(better, np.minimum(1.5 * step, 0.5), 0.5 * step)


def _apart(X: Matrix, value: Vector, count: int, distance: float = 0.1) -> list[int]:
    """The best points, none near to a better one."""
    chosen: list[int] = []
    for k in np.argsort(value, kind="stable"):
        if all(np.abs(X[k] - X[j]).max() > distance for j in chosen):
            chosen.append(int(k))
            if len(chosen) == count:
                break
    return chosen


def _moves(space: Space, x: Matrix, step: Vector, count: int, rng: np.random.Generator) -> Matrix:
    """Steps along each coordinate and at random from each point, as candidates; points × moves × dimension."""
    n = x.shape[1]
    directions = np.vstack([np.eye(n), -np.eye(n), rng.standard_normal((count - 2 * n, n)) / np.sqrt(n)])
    Q = x[:, None, :] + step[:, None, None] * directions
    numeric = np.array(space.scaling.numeric_coordinates, dtype=int)
    whole = space.scaling.steps
    if whole.any():  # an integer moves by one step at least
        moved = directions[:, numeric]
        reach = np.sign(moved) * np.maximum(
            np.abs(step[:, None, None] * moved), np.where(np.abs(moved) > 0.3, whole, 0.0)
        )
        Q[:, :, numeric] = x[:, None, numeric] + reach
    for place in space.scaling.levels:  # a move along a level's coordinate chooses that level, backwards: any level
        towards = directions[:, place]
        switch = np.abs(towards).max(axis=1) >= 0.5
        Q[:, switch, place] = np.where(towards[switch] == towards[switch].max(axis=1, keepdims=True), 1.0, -1.0)
        Q[:, ~switch, place] = x[:, None, place]
    return space.snap(Q.reshape(-1, n)).reshape(Q.shape)


def _perturbed(space: Space, X: Matrix, scale: Vector, rng: np.random.Generator) -> Matrix:
    """Points moved at random, half of them in a few coordinates only; a choice switches its level now and then."""
    n = X.shape[1]
    moved = rng.random(X.shape) < max(2 / n, 0.4)
    moved[rng.random(len(X)) < 0.5] = True
    Q = np.where(moved, X + scale[:, None] * rng.standard_normal(X.shape), X)
    numeric, whole = space.scaling.numeric_coordinates, space.scaling.steps
    if whole.any():
        jump = np.sign(rng.standard_normal((len(X), len(numeric)))) * (rng.random((len(X), len(numeric))) < 0.3)
        Q[:, numeric] += jump * whole
    for place in space.scaling.levels:
        switch = rng.random(len(X)) < 0.3
        Q[:, place] = np.where(switch[:, None], rng.random((len(X), place.stop - place.start)), X[:, place])
    return Q


# Particle swarm and DIRECT -------------------------------------------------------------------------------------------

_PARTICLES, _ITERATIONS = 40, 100
_INERTIA, _PULL = 0.7298, 1.49618  # Clerc and Kennedy's constriction


def _swarm(record: _Record, space: Space, rng: np.random.Generator, around: Vector | None) -> None:
    """Particle swarm optimisation, what the paper uses."""
    x = design.latin_hypercube(_PARTICLES, space.dimension, rng)
    if around is not None:
        x[0] = around
    v = np.zeros_like(x)
    own, own_value = x.copy(), record(space.snap(x))
    for _ in range(_ITERATIONS):
        leader = own[own_value.argmin()]
        v = _INERTIA * v + _PULL * (rng.random(x.shape) * (own - x) + rng.random(x.shape) * (leader - x))
        x = np.clip(x + v, -1, 1)
        value = record(space.snap(x))
        better = value < own_value
        own[better], own_value = x[better], np.minimum(value, own_value)


def _direct(record: _Record, space: Space, rng: np.random.Generator, around: Vector | None) -> None:
    """DIRECT (SciPy's), which draws nothing; it divides the box and evaluates one point at a time."""
    from scipy.optimize import direct

    del rng
    n = space.dimension
    if around is not None:
        record(around[None])
    direct(lambda x: record(space.snap(x[None]))[0], [(-1, 1)] * n, maxfun=200 * n, maxiter=1000, locally_biased=True)

"""Minimise an acquisition function over a space: a vectorised multi-start, a particle swarm, DIRECT.

All three look only at candidates: every point is snapped (integers whole, one level a choice) before the acquisition and
the constraints see it, so that nothing is rounded afterwards. Constraints enter by the penalty of Eq. (xNp1-penalty), and what
is returned satisfies them. (The paper multiplies the penalty by ΔF̂; a is already divided by it, so ρ stands alone.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from prefero.space import Space, design
from prefero.space.arrays import ROUNDING, Acquisition, Mask, Matrix, Vector
from prefero.space.constraints import TOLERANCE
from prefero.space.domain import Domain

Method = Literal["multistart", "swarm", "direct"]
METHODS: tuple[Method, ...] = ("multistart", "swarm", "direct")

PENALTY = 1e3
"""ρ, for constraints divided by their scale and an acquisition of order one."""
EXACT = 1e2
"""A second, linear penalty: with the square alone the least value lies a little outside the constraints."""
SAMPLE_RADIUS = 1e-4
"""Two points nearer than this (in the largest coordinate) are one candidate."""
NO_GAIN = 1e-8
"""A descent ends after two rounds in which nothing fell by more than this, for an acquisition of order one."""


@dataclass(frozen=True)
class Taken:
    """Points that may not be proposed, each with the distance to keep (in the largest coordinate).

    Where a finite space has nothing else left, the distance shrinks to `firm`; by default to next to nothing.
    """

    points: Matrix
    radius: Vector
    firm: Vector | None = None

    def shrunk(self) -> Taken:
        """With the room around a point that cannot be given up."""
        return Taken(self.points, np.full(len(self.points), ROUNDING) if self.firm is None else self.firm)

    def hidden(self, X: Matrix) -> Mask:
        """Which points are too near to a taken one."""
        return np.asarray((np.abs(X[:, None] - self.points).max(axis=2, initial=0.0) <= self.radius).any(axis=1))

    def hides(self, x: Vector) -> bool:
        """Whether the point is too near to a taken one."""
        return bool(self.hidden(x[None])[0])


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

    def replace(self, X: Matrix, value: Vector) -> None:
        """Take the best of points whose values are known better than before, if one of them is admissible."""
        best, self.value = self.best, np.inf
        self._remember(X, value)
        self.best = best if self.value == np.inf else self.best

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


@dataclass(frozen=True)
class Effort:
    """How much a multi-start may cost: points spread, near `around`, one variable away from it, kept; rounds of improvement.

    `reach` is how far near is: decimal logarithms of the nearest and the farthest.
    """

    spread: int = 384
    near: int = 128
    reach: tuple[float, float] = (-3.5, -0.3)
    jumps: int = 0
    kept: int = 4
    rounds: int = 16


@runtime_checkable
class Smooth(Protocol):
    """An acquisition function that knows its gradient."""

    def __call__(self, Z: Matrix) -> Vector:
        """The acquisition at candidates."""

    def with_gradient(self, Z: Matrix) -> tuple[Vector, Matrix]:
        """The acquisition and its gradient at candidates."""


def minimise(
    acquisition: Acquisition | Smooth,
    space: Domain,
    rng: np.random.Generator,
    taken: Taken,
    around: Vector | None = None,
    method: Method = "multistart",
    effort: Effort | None = None,
    scales: Vector | None = None,
) -> Vector | None:
    """The admissible candidate of least acquisition that was found; None where the space has no candidate left.

    `around` is where a good candidate is expected, usually the incumbent; `scales` tells how far
    the acquisition reaches in each coordinate. An acquisition that knows its gradient is improved along it.
    """
    record = _Record(acquisition, space, taken)
    effort = effort or Effort()
    points = space.points()
    if points is not None:
        record(points)
        if record.best is None:  # the room around skipped candidates may hide all others
            record = _Record(acquisition, space, taken.shrunk())
            record(points)
        return record.best
    assert isinstance(space, Space)  # a space with infinitely many candidates
    if method == "swarm":
        _swarm(record, space, rng, around)
    elif method == "direct":
        _direct(record, space, around)
    else:
        x, fx = _starts(record, space, rng, around, effort, scales)
        if isinstance(acquisition, Smooth) and space.scaling.continuous and not space.constraints:
            _descend(record, acquisition, space, x, effort, scales)
        else:
            _improve(record, space, x, fx, rng, effort)
    if record.best is None:
        record(design.initial(space, 64, rng))
    return record.best


# The vectorised multi-start ------------------------------------------------------------------------------------------


def _starts(
    record: _Record,
    space: Space,
    rng: np.random.Generator,
    around: Vector | None,
    effort: Effort,
    scales: Vector | None,
) -> tuple[Matrix, Vector]:
    """The best of points scattered over the box, none near to a better one."""
    X = _scattered(space, rng, around, effort, scales)
    value = record(X)
    chosen = _apart(X, value, effort.kept, 0.03)
    return X[chosen], value[chosen]


def _scattered(
    space: Space, rng: np.random.Generator, around: Vector | None, effort: Effort, scales: Vector | None
) -> Matrix:
    """Candidates spread over the box, near `around` and one variable away from it, feasible or not."""
    X = space.map_into_part(design.latin_hypercube(effort.spread, space.dimension, rng))
    if around is not None:
        reach = 10 ** rng.uniform(*effort.reach, effort.near)
        near = _perturbed(space, np.tile(around, (effort.near, 1)), reach, scales, rng)
        X = np.vstack([X, near, _jumps(space, around, effort.jumps, rng)])
    return space.snap(X)


def scattered(space: Domain, rng: np.random.Generator, around: Vector, effort: Effort) -> Matrix:
    """Feasible candidates spread over the space and near `around`; all of them where they are few."""
    points = space.points()
    if points is not None:
        return points
    assert isinstance(space, Space)  # a space with infinitely many candidates
    X = _scattered(space, rng, around, effort, None)
    return X[space.feasible(X)]


def _improve(record: _Record, space: Space, x: Matrix, fx: Vector, rng: np.random.Generator, effort: Effort) -> None:
    """A random pattern search of all points together."""
    n = x.shape[1]
    step = np.full(len(x), 0.1)
    for _ in range(effort.rounds):
        Q = space.snap(_moves(space, x, step, 4 * n + 4, rng).reshape(-1, n))
        fq = record(Q).reshape(len(x), -1)
        k = fq.argmin(axis=1)
        lower = fq[np.arange(len(x)), k]
        better = lower < fx
        x = np.where(better[:, None], Q.reshape(len(x), -1, n)[np.arange(len(x)), k], x)
        fx = np.where(better, lower, fx)
        step = np.where(better, np.minimum(1.5 * step, 0.5), 0.5 * step)


def _descend(
    record: _Record, acquisition: Smooth, space: Space, x: Matrix, effort: Effort, scales: Vector | None
) -> None:
    """Projected gradient steps of all points together, where every variable is real; each step that fails is shortened."""
    moving = np.ones(x.shape[1]) if scales is None else scales**2
    fx, gradient = acquisition.with_gradient(x)
    length = 0.05 / np.maximum(np.sqrt((gradient**2 * moving).sum(axis=1)), 1e-9)
    idle = 0
    for _ in range(effort.rounds):
        trial = space.snap(x - length[:, None] * gradient * moving)
        value, slope = acquisition.with_gradient(trial)
        better = value < fx
        x_step, slope_step = trial - x, slope - gradient
        curvature = (x_step * slope_step).sum(axis=1)
        squared = (x_step**2 / moving).sum(axis=1)
        bold = np.where(curvature > 1e-12, squared / np.maximum(curvature, 1e-12), 4 * length)  # Barzilai and Borwein
        idle = 0 if (fx - value > NO_GAIN).any() else idle + 1
        x = np.where(better[:, None], trial, x)
        gradient = np.where(better[:, None], slope, gradient)
        fx = np.where(better, value, fx)
        length = np.where(better, np.clip(bold, 0.2 * length, 5 * length), 0.25 * length)
        if idle == 2:
            break
    record.replace(x, fx)


def _apart(X: Matrix, value: Vector, count: int, distance: float) -> list[int]:
    """The best points, none near to a better one."""
    chosen: list[int] = []
    left = np.argsort(value, kind="stable")
    while left.size and len(chosen) < count:
        chosen.append(int(left[0]))
        left = left[np.abs(X[left] - X[left[0]]).max(axis=1) > distance]
    return chosen


def _moves(space: Space, x: Matrix, step: Vector, count: int, rng: np.random.Generator) -> Matrix:
    """Steps along each coordinate and at random from each point, points × moves × dimension."""
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
    return np.asarray(Q)


def _jumps(space: Space, x: Vector, count: int, rng: np.random.Generator) -> Matrix:
    """The point with one variable anywhere, each in turn: where variables act alone, the next valley is such a step away."""
    Q, drawn = np.tile(x, (count, 1)), space.map_into_part(rng.uniform(-1, 1, (count, len(x))))
    for k, place in enumerate(space.groups):
        Q[k :: len(space.groups), place] = drawn[k :: len(space.groups), place]
    return Q


def _perturbed(space: Space, X: Matrix, reach: Vector, scales: Vector | None, rng: np.random.Generator) -> Matrix:
    """Points moved at random, half of them in a few coordinates only; a choice switches its level now and then."""
    n = X.shape[1]
    moved = rng.random(X.shape) < max(2 / n, 0.4)
    moved[rng.random(len(X)) < 0.5] = True
    relative = 1.0 if scales is None else np.minimum(scales / np.exp(np.log(scales).mean()), 3.0)
    Q = np.where(moved, X + reach[:, None] * relative * rng.standard_normal(X.shape), X)
    numeric, whole = space.scaling.numeric_coordinates, space.scaling.steps
    if whole.any():
        jump = np.sign(rng.standard_normal((len(X), len(numeric)))) * (rng.random((len(X), len(numeric))) < 0.3)
        Q[:, numeric] += jump * whole
    for place in space.scaling.levels:
        switch = rng.random(len(X)) < 0.3
        Q[:, place] = np.where(switch[:, None], rng.random((len(X), place.stop - place.start)), X[:, place])
    return np.asarray(Q)


# Particle swarm and DIRECT -------------------------------------------------------------------------------------------

_PARTICLES, _ITERATIONS = 40, 100
_INERTIA, _PULL = 0.7298, 1.49618  # Clerc and Kennedy's constriction


def _swarm(record: _Record, space: Space, rng: np.random.Generator, around: Vector | None) -> None:
    """Particle swarm optimisation, what the paper uses."""
    x = space.map_into_part(design.latin_hypercube(_PARTICLES, space.dimension, rng))
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


def _direct(record: _Record, space: Space, around: Vector | None) -> None:
    """DIRECT (SciPy's), which draws nothing; it divides the box and evaluates one point at a time."""
    from scipy.optimize import direct

    n = space.dimension
    if around is not None:
        record(around[None])

    def value(x: Vector) -> float:
        return float(record(space.snap(space.map_into_part(x[None])))[0])

    direct(value, [(-1, 1)] * n, maxfun=200 * n, maxiter=1000, locally_biased=True)

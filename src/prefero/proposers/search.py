"""Minimise an acquisition function over a space: by a vectorised multi-start, a particle swarm, or DIRECT.

Every point is snapped to a candidate (whole integers, one level per choice) before the acquisition and the constraints see
it, so that nothing is rounded afterwards. Constraints enter by the penalty of Eq. (xNp1-penalty), and the result satisfies
them. The paper multiplies the penalty by ΔF̂; here a is already divided by ΔF̂, so ρ stands alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from prefero.space import Space, design
from prefero.space.arrays import ROUNDING, Acquisition, Mask, Matrix, Vector, quick_squared_distances
from prefero.space.constraints import TOLERANCE
from prefero.space.domain import Domain

Method = Literal["multistart", "swarm", "direct"]
METHODS: tuple[Method, ...] = ("multistart", "swarm", "direct")
"""The names of the search methods."""

PENALTY = 1e3
"""ρ of Eq. (xNp1-penalty), for constraints divided by their scale and an acquisition of order one."""
EXACT = 1e2
"""Weight of a second, linear penalty: with the square alone, the minimiser lies slightly outside of the constraints."""
SAMPLE_RADIUS = 1e-4
"""A proposal within this distance of a sample, in the largest coordinate, counts as that sample."""
DRAWN_LEVELS = 8
"""Directions of the pattern search that draw a level of a choice of many levels."""
CHUNK = 64
"""Points whose constraints are evaluated together, until enough good starts are known."""
NO_GAIN = 1e-8
"""The descent stops after two rounds in which no start gained more than this, for an acquisition of order one."""

NEIGHBOURS, CENTRES, HOPS = 256, 4, 3
"""In a finite space of many candidates: how many of the nearest are tried around how many of the best, how often."""


@dataclass(frozen=True)
class Taken:
    """Points that may not be proposed, each with a distance to keep, in the largest coordinate.

    Attributes
    ----------
    points: the points, one per row.
    radius: the distance to keep from each.
    firm: the distance to keep if a finite space has no other candidate left; by default none.
    """

    points: Matrix
    radius: Vector
    firm: Vector | None = None

    def shrunk(self) -> Taken:
        """Return the same points with their firm distances."""
        return Taken(self.points, np.full(len(self.points), ROUNDING) if self.firm is None else self.firm)

    def hidden(self, X: Matrix) -> Mask:
        """Return which rows of X are too near to one of the points."""
        return np.asarray((np.abs(X[:, None] - self.points).max(axis=2, initial=0.0) <= self.radius).any(axis=1))

    def hides(self, x: Vector) -> bool:
        """Return whether a point is too near to one of the points."""
        return bool(self.hidden(x[None])[0])


@dataclass
class _Record:
    """The acquisition with its penalty; it remembers the best admissible candidate of all that were evaluated."""

    acquisition: Acquisition
    space: Domain
    taken: Taken
    best: Vector | None = None
    value: float = field(default=np.inf)

    def __call__(self, X: Matrix) -> Vector:
        return self.penalised(X, self.acquisition(X))

    def penalised(self, X: Matrix, value: Vector) -> Vector:
        """Return acquisition values with the penalty of Eq. (xNp1-penalty), and remember the best admissible candidate."""
        violations = self.space.violations(X)
        admissible = value
        if violations.shape[1]:
            value = value + (PENALTY * violations**2 + EXACT * violations).sum(axis=1)  # Eq. (xNp1-penalty)
            admissible = np.where((violations <= TOLERANCE).all(axis=1), value, np.inf)
        self._remember(X, admissible)
        return value

    def where_below(self, X: Matrix, limit: Vector) -> Vector:
        """Return the values of candidates that may be below a limit, or may be the best; of others, a lower bound.

        The penalty is never negative: an acquisition above the limit need not be known with it. A constraint may be slow.
        """
        value = self.acquisition(X)
        needed = value < np.maximum(limit, self.value)
        if needed.any():
            value[needed] = self.penalised(X[needed], value[needed])
        return value

    def replace(self, X: Matrix, value: Vector) -> None:
        """Replace the best candidate by the best of X, whose values are more exact than before, if one is admissible."""
        best, self.value = self.best, np.inf
        self._remember(X, value)
        self.best = best if self.value == np.inf else self.best

    def _remember(self, X: Matrix, admissible: Vector) -> None:
        """Remember the best of X if it is better than the best so far and not taken."""
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
    """How much work a multi-start does.

    Attributes
    ----------
    spread: points of a Latin hypercube over the whole box.
    near: points near the expected optimum.
    reach: decimal logarithms of the smallest and largest distance of those.
    jumps: points that differ from the expected optimum in one variable only.
    kept: how many of all these points are improved.
    rounds: how many rounds of improvement they get.
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
    """Return the admissible candidate of least acquisition that was found, or None if the space has none left, Eq. (xNp1).

    Parameters
    ----------
    acquisition: the function to minimise; if it is `Smooth`, its gradient is used.
    space: where candidates come from.
    rng: of the search.
    taken: what may not be proposed.
    around: where the optimum is expected, usually the incumbent.
    method: "multistart", "swarm" or "direct".
    effort: how much work a multi-start does.
    scales: over what distance the acquisition varies, for each coordinate.
    """
    record = _Record(acquisition, space, taken)
    effort = effort or Effort()
    points = space.points()
    if points is not None:
        if len(points) > design.MANY and len(points) * len(taken.points) > design.WORK:
            _among_many(record, points, rng, around, scales)
        if record.best is None:
            record(points)
        if record.best is None:  # the room around skipped and tied candidates may hide all others
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


# Very many candidates ------------------------------------------------------------------------------------------------


def _among_many(
    record: _Record, points: Matrix, rng: np.random.Generator, around: Vector | None, scales: Vector | None
) -> None:
    """Evaluate some of very many candidates, then the neighbours of the best ones, and again their neighbours."""
    X = design.some(points, rng)
    if around is not None:
        X = np.vstack([X, _neighbours(points, around[None], scales)])
    value = record(X)
    for _ in range(HOPS):
        # 0.1 in the largest coordinate: nearer ones have the same neighbours.
        near = _neighbours(points, X[_apart(X, value, CENTRES, 0.1)], scales)
        X, value = np.vstack([X, near]), np.concatenate([value, record(near)])


def _neighbours(points: Matrix, centres: Matrix, scales: Vector | None) -> Matrix:
    """Return the nearest candidates of each centre, in units of the scales."""
    units = np.ones(points.shape[1]) if scales is None else scales
    distances = quick_squared_distances(centres / units, points / units)
    nearest = np.argpartition(distances, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    return points[np.unique(nearest)]


# The vectorised multi-start ------------------------------------------------------------------------------------------


def _starts(
    record: _Record,
    space: Space,
    rng: np.random.Generator,
    around: Vector | None,
    effort: Effort,
    scales: Vector | None,
) -> tuple[Matrix, Vector]:
    """Return the best of many points, apart from each other, and their values."""
    X = _scattered(space, rng, around, effort, scales)
    value = record.acquisition(X)
    order = np.argsort(value, kind="stable")
    # The penalty is never negative, so constraints, which may be slow, are evaluated in the order of the acquisition, until all
    # that follow are worse than those chosen.
    for known in range(0, len(X), CHUNK):
        chunk = order[known : known + CHUNK]
        value[chunk] = record.penalised(X[chunk], value[chunk])
        # 0.03 in the largest coordinate, 1.5 % of the box: two nearer starts would end in the same minimum.
        chosen = _apart(X, value, effort.kept, 0.03)
        if record.best is not None and value[chosen].max() <= value[order[known + CHUNK :]].min(initial=np.inf):
            break
    return X[chosen], value[chosen]


def _scattered(
    space: Space, rng: np.random.Generator, around: Vector | None, effort: Effort, scales: Vector | None
) -> Matrix:
    """Return candidates spread over the box, near `around`, and one variable away from it, feasible or not."""
    X = space.map_into_part(design.latin_hypercube(effort.spread, space.dimension, rng))
    if around is not None:
        reach = 10 ** rng.uniform(*effort.reach, effort.near)
        near = _perturbed(space, np.tile(around, (effort.near, 1)), reach, scales, rng)
        X = np.vstack([X, near, _jumps(space, around, effort.jumps, rng)])
    return space.snap(X)


def scattered(space: Domain, rng: np.random.Generator, around: Vector, effort: Effort) -> Matrix:
    """Return feasible candidates spread over the space and near `around`; all candidates if the space has few."""
    points = space.points()
    if points is not None and len(points) > design.MANY:
        near = np.vstack([_neighbours(points, around[None], None), design.some(points, rng)])
        return near[np.sort(np.unique(near, axis=0, return_index=True)[1])]
    if points is not None:
        return points
    assert isinstance(space, Space)  # a space with infinitely many candidates
    X = _scattered(space, rng, around, effort, None)
    return X[space.feasible(X)]


def _improve(record: _Record, space: Space, x: Matrix, fx: Vector, rng: np.random.Generator, effort: Effort) -> None:
    """Improve all points together by a random pattern search, for constraints and for variables without gradient."""
    n = x.shape[1]
    step = np.full(len(x), 0.1)  # 5 % of the box
    for _ in range(effort.rounds):
        Q = space.snap(_moves(space, x, step, rng).reshape(-1, n))
        fq = record.where_below(Q, np.repeat(fx, len(Q) // len(x))).reshape(len(x), -1)
        k = fq.argmin(axis=1)
        lower = fq[np.arange(len(x)), k]
        better = lower < fx
        x = np.where(better[:, None], Q.reshape(len(x), -1, n)[np.arange(len(x)), k], x)
        fx = np.where(better, lower, fx)
        step = np.where(better, np.minimum(1.5 * step, 0.5), 0.5 * step)  # grow after success, halve after failure


def _descend(
    record: _Record, acquisition: Smooth, space: Space, x: Matrix, effort: Effort, scales: Vector | None
) -> None:
    """Improve all points together by projected gradient steps, if every variable is real and there are no constraints."""
    # Precondition by the squared length scales: a step is then equally long in units of each coordinate's scale.
    moving = np.ones(x.shape[1]) if scales is None else scales**2
    fx, gradient = acquisition.with_gradient(x)
    # The first step moves each point by 0.05 scales.
    length = 0.05 / np.maximum(np.sqrt((gradient**2 * moving).sum(axis=1)), 1e-9)
    idle = 0
    for _ in range(effort.rounds):
        trial = space.snap(x - length[:, None] * gradient * moving)
        value, slope = acquisition.with_gradient(trial)
        better = value < fx
        x_step, slope_step = trial - x, slope - gradient
        curvature = (x_step * slope_step).sum(axis=1)
        squared = (x_step**2 / moving).sum(axis=1)
        # Barzilai and Borwein's step length; without positive curvature along the step, four times the last one
        bold = np.where(curvature > 1e-12, squared / np.maximum(curvature, 1e-12), 4 * length)
        idle = 0 if (fx - value > NO_GAIN).any() else idle + 1
        x = np.where(better[:, None], trial, x)
        gradient = np.where(better[:, None], slope, gradient)
        fx = np.where(better, value, fx)
        # A failed step is shortened; a successful one sets the next length, within a factor of five.
        length = np.where(better, np.clip(bold, 0.2 * length, 5 * length), 0.25 * length)
        if idle == 2:
            break
    record.replace(x, fx)  # with_gradient is in double precision, unlike the values that ranked the starts


def _apart(X: Matrix, value: Vector, count: int, distance: float) -> list[int]:
    """Return the numbers of the best points, each farther than `distance` from every better one."""
    chosen: list[int] = []
    left = np.argsort(value, kind="stable")
    while left.size and len(chosen) < count:
        chosen.append(int(left[0]))
        left = left[np.abs(X[left] - X[left[0]]).max(axis=1) > distance]
    return chosen


def _moves(space: Space, x: Matrix, step: Vector, rng: np.random.Generator) -> Matrix:
    """Return steps from each point, along each coordinate and at random: points × moves × dimension."""
    codes = space.scaling.codes
    coded = {c for place, _ in codes for c in range(place.start, place.stop)}
    free = [c for c in range(x.shape[1]) if c not in coded]
    n = len(free) + DRAWN_LEVELS * len(codes)
    moves = np.vstack([np.eye(n), -np.eye(n), rng.standard_normal((2 * n + 4, n)) / np.sqrt(n)])
    directions = np.zeros((len(moves), x.shape[1]))
    directions[:, free] = moves[:, : len(free)]
    Q = x[:, None, :] + step[:, None, None] * directions
    scalar = np.array(space.scaling.scalar_coordinates, dtype=int)
    if space.scaling.stepped.any():  # an integer moves by at least one step, or snapping would undo the move
        moved, whole = directions[:, scalar], space.scaling.steps(x)[:, None, :]
        reach = np.sign(moved) * np.maximum(
            np.abs(step[:, None, None] * moved), np.where(np.abs(moved) > 0.3, whole, 0.0)
        )
        Q[:, :, scalar] = x[:, None, scalar] + reach
    for place in space.scaling.levels:
        # A move along a level's coordinate selects that level; one against it selects the next best.
        towards = directions[:, place]
        switch = np.abs(towards).max(axis=1) >= 0.5
        Q[:, switch, place] = np.where(towards[switch] == towards[switch].max(axis=1, keepdims=True), 1.0, -1.0)
        Q[:, ~switch, place] = x[:, None, place]
    for k, (place, code) in enumerate(codes):
        # Many levels are not all tried: each move along one of a few directions draws a level.
        start = len(free) + k * DRAWN_LEVELS
        switch = np.abs(moves[:, start : start + DRAWN_LEVELS]).max(axis=1) >= 0.5
        Q[:, switch, place] = code[rng.integers(len(code), size=(len(x), int(switch.sum())))]
    return np.asarray(Q)


def _jumps(space: Space, x: Vector, count: int, rng: np.random.Generator) -> Matrix:
    """Return copies of a point with one variable replaced by a random value, each variable in turn.

    If variables act independently, the next valley is one such step away.
    """
    Q, drawn = np.tile(x, (count, 1)), space.map_into_part(rng.uniform(-1, 1, (count, len(x))))
    for k, place in enumerate(space.groups):
        Q[k :: len(space.groups), place] = drawn[k :: len(space.groups), place]
    return Q


def _perturbed(space: Space, X: Matrix, reach: Vector, scales: Vector | None, rng: np.random.Generator) -> Matrix:
    """Return points moved at random, half of them in a few coordinates only; a choice switches its level now and then."""
    n = X.shape[1]
    moved = rng.random(X.shape) < max(2 / n, 0.4)
    moved[rng.random(len(X)) < 0.5] = True
    # Longer moves along coordinates with long scales, at most three times the mean.
    relative = 1.0 if scales is None else np.minimum(scales / np.exp(np.log(scales).mean()), 3.0)
    Q = np.where(moved, X + reach[:, None] * relative * rng.standard_normal(X.shape), X)
    scalar = space.scaling.scalar_coordinates
    if space.scaling.stepped.any():
        jump = np.sign(rng.standard_normal((len(X), len(scalar)))) * (rng.random((len(X), len(scalar))) < 0.3)
        Q[:, scalar] += jump * space.scaling.steps(X)
    for place in space.scaling.levels:
        switch = rng.random(len(X)) < 0.3
        Q[:, place] = np.where(switch[:, None], rng.random((len(X), place.stop - place.start)), X[:, place])
    for place, code in space.scaling.codes:
        switch = rng.random(len(X)) < 0.3
        Q[:, place] = np.where(switch[:, None], code[rng.integers(len(code), size=len(X))], X[:, place])
    return np.asarray(Q)


# Particle swarm and DIRECT -------------------------------------------------------------------------------------------

_PARTICLES, _ITERATIONS = 40, 100
"""Size and length of a swarm's run: 4000 evaluations."""
_INERTIA, _PULL = 0.7298, 1.49618
"""Clerc and Kennedy's constriction coefficients, the usual choice."""


def _swarm(record: _Record, space: Space, rng: np.random.Generator, around: Vector | None) -> None:
    """Minimise by particle swarm optimisation, the paper's choice."""
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
    """Minimise by SciPy's DIRECT, which is deterministic: it divides the box and evaluates one point at a time."""
    from scipy.optimize import direct

    n = space.dimension
    if around is not None:
        record(around[None])

    def value(x: Vector) -> float:
        return float(record(space.snap(space.map_into_part(x[None])))[0])

    direct(value, [(-1, 1)] * n, maxfun=200 * n, maxiter=1000, locally_biased=True)

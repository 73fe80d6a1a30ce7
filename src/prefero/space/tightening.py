"""The bounding box of the feasible set, Eq. (BBox): 2n programs, each for the least or largest value of one variable.

With linear constraints each is a linear program (mixed-integer if a variable is an integer) and exact. With functions, local
solves run from many starts drawn over the box; with integers or categories, for each of their combinations if there are
few. If that is impossible, the declared bounds stay: a box that is too wide costs a little, one that is too narrow would cut
off candidates.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import LinearConstraint, linprog, milp, minimize

from prefero.errors import ConstraintError, InfeasibleError, InputError
from prefero.space.arrays import Matrix, Vector
from prefero.space.constraints import TOLERANCE, Constraint, Linear, values
from prefero.space.scaling import Scaling
from prefero.space.variables import Value

STARTS = 12
"""Local solves per bound, shared among the combinations of discrete variables; at least two for each."""
START_DRAWS = 4096
"""Points drawn to choose those starts from, in all."""
COMBINATIONS = 64
"""The most combinations of integers and levels for which local solves run."""


def tighten(scaling: Scaling, constraints: Sequence[Constraint]) -> Scaling:
    """Return the scaling with its numeric bounds tightened to the bounding box of the feasible set."""
    if scaling.conditional:
        return scaling  # a variable that is absent may leave the others more room than any of its values does
    linear = [constraint for constraint in constraints if isinstance(constraint, Linear)]
    if linear:
        scaling = _narrowed(scaling, *_linear_box(scaling, linear))
    if len(linear) < len(constraints):
        box = _general_box(scaling, constraints)
        scaling = scaling if box is None else _narrowed(scaling, *box)
    return scaling


def _narrowed(scaling: Scaling, low: Vector, high: Vector) -> Scaling:
    """Return the scaling with narrower bounds; raise InputError if a variable keeps a single value."""
    low, high = np.maximum(low, scaling.low), np.minimum(high, scaling.high)
    low, high = scaling.inside(low, high, slack=1e-6)  # solvers' tolerance: 2.9999999 is 3
    for name, a, b, width in zip(scaling.scalars, low, high, scaling.high - scaling.low, strict=True):
        if b - a <= 1e-9 * width:
            raise InputError(f"constraints leave the variable {name!r} a single value, {a:g}: take it out of the space")
    return replace(scaling, low=low, high=high)


def _linear_box(scaling: Scaling, linear: Sequence[Linear]) -> tuple[Vector, Vector]:
    """Return least and largest values under linear constraints, exact."""
    given, b = np.vstack([c.A for c in linear]), np.concatenate([c.b for c in linear])
    A = np.zeros((len(b), len(scaling.low)))
    A[:, scaling.numeric_columns] = given  # an ordinal variable has no part in constraints
    bounds = np.column_stack([scaling.low, scaling.high])
    ends = np.empty_like(bounds)
    for k, side in itertools.product(range(len(bounds)), (0, 1)):
        cost = np.zeros(len(bounds))
        cost[k] = 1.0 if side == 0 else -1.0
        if scaling.integer.any():
            solution = milp(
                cost,
                integrality=scaling.integer,
                bounds=(bounds[:, 0], bounds[:, 1]),
                constraints=LinearConstraint(A, ub=b),
            )
        else:
            solution = linprog(cost, A_ub=A, b_ub=b, bounds=bounds)
        if solution.x is None:
            raise InfeasibleError(
                f"constraints: no candidate satisfies the linear ones ({solution.message.split('.')[0]})"
            )
        ends[k, side] = solution.x[k]
    return ends[:, 0], ends[:, 1]


def _general_box(scaling: Scaling, constraints: Sequence[Constraint]) -> tuple[Vector, Vector] | None:
    """Return least and largest values over all combinations of the discrete variables, or None if there are too many."""
    combinations = _combinations(scaling)
    if combinations is None:
        return None
    rng = np.random.default_rng(0)  # fixed: the box is part of the space's definition, not of a study's randomness
    low, high = np.full(len(scaling.low), np.inf), np.full(len(scaling.low), -np.inf)
    free = [c for c, stepped in zip(scaling.scalar_coordinates, scaling.stepped, strict=True) if not stepped]
    least = np.inf
    for discrete in combinations:
        starts = np.tile(discrete, (max(START_DRAWS // len(combinations), 64), 1))
        starts[:, free] = rng.uniform(-1, 1, (len(starts), len(free)))
        found, violation = _extremes(scaling, constraints, starts, free, max(STARTS // len(combinations), 2))
        least = min(least, violation)
        if len(found):
            u = scaling.units(found)
            low, high = np.minimum(low, u.min(axis=0)), np.maximum(high, u.max(axis=0))
    if not np.isfinite(low).all() and len(scaling.low):
        drawn = max(START_DRAWS // len(combinations), 64) * len(combinations)
        raise InfeasibleError(
            f"constraints: no candidate found that satisfies them, neither among {drawn} points drawn over the box nor by "
            f"local searches from the nearest of them (smallest violation {least:.3g})"
        )
    return low, high


def _combinations(scaling: Scaling) -> Matrix | None:
    """Return every setting of the variables with steps or levels, the real ones at the middle; None if there are too many."""
    choices: list[Sequence[Value]] = []
    count = 1
    for name in scaling.variables:
        values = scaling.discrete(name)
        if values is None:
            values = [scaling.candidates(np.zeros((1, scaling.dimension)))[0][name]]
        count *= len(values)
        if count > COMBINATIONS:
            return None
        choices.append(values)
    return np.array(
        [scaling.encode(dict(zip(scaling.variables, row, strict=True))) for row in itertools.product(*choices)]
    )


def _extremes(
    scaling: Scaling, constraints: Sequence[Constraint], starts: Matrix, free: list[int], solves: int
) -> tuple[Matrix, float]:
    """Return feasible points with the least and largest value of each free coordinate, and the smallest violation seen.

    Parameters
    ----------
    scaling, constraints: what defines the feasible set.
    starts: points of the box, the discrete variables fixed.
    free: the coordinates of the real variables.
    solves: how many local solves per bound.
    """

    def rows(X: Matrix) -> Matrix:
        return values(constraints, scaling.numbers(X), lambda: scaling.candidates(X))

    g = rows(starts)
    scale = row_scales(g)
    violation = np.maximum(g / scale, 0).max(axis=1)
    nearest = np.argsort(violation, kind="stable")[: 4 * solves]
    found = [starts[violation <= TOLERANCE]]

    def solve(start: Vector, gradient: Vector) -> Vector | None:
        def whole(x: Vector) -> Matrix:
            point = start.copy()
            point[free] = np.clip(x, -1, 1)
            return point[None]

        try:
            solution = minimize(
                lambda x: gradient @ x, start[free], jac=lambda _: gradient, method="SLSQP", bounds=[(-1, 1)] * len(free),
                constraints={"type": "ineq", "fun": lambda x: -(rows(whole(x))[0] / scale)}, options={"maxiter": 60},
            )  # fmt: skip
        except ConstraintError:
            return None  # the local solver left the function's domain; other starts may succeed
        point = whole(solution.x)
        return point[0] if np.maximum(rows(point) / scale, 0).max() <= 100 * TOLERANCE else None

    for k, sign in itertools.product(range(len(free)), (1.0, -1.0)):
        gradient = np.zeros(len(free))
        gradient[k] = sign
        feasible = starts[violation <= TOLERANCE]
        # Half of the starts are feasible points near the bound, the rest spread over the least violated ones.
        ends = feasible[np.argsort(sign * feasible[:, free[k]])[: solves // 2]]
        spread = starts[nearest][:: max(1, len(nearest) // (solves - len(ends)))][: solves - len(ends)]
        for start in np.vstack([ends, spread]):
            point = solve(start, gradient)
            if point is not None:
                found.append(point[None])
                if sign * point[free[k]] <= -1 + 1e-12:  # the declared bound itself is feasible
                    break
        reached = np.vstack(found)
        if len(reached):
            farthest = reached[(sign * reached[:, free[k]]).argmin()]
            found.append(_pushed(farthest, free[k], -sign, lambda X: bool((rows(X) <= 0).all()))[None])
    return np.vstack(found), float(violation.min())


def _pushed(point: Vector, k: int, bound: float, feasible: Callable[[Matrix], bool]) -> Vector:
    """Return the point moved towards a bound of coordinate k as far as it stays feasible, by bisection: no gradient is needed."""
    inside, outside = point.copy(), point.copy()
    outside[k] = bound
    if feasible(outside[None]):
        return outside
    if not feasible(inside[None]):  # within tolerance only: there is nowhere to go
        return inside
    for _ in range(45):  # 2⁻⁴⁵ of the distance is rounding error
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if feasible(middle[None]) else (inside, middle)
    return inside


def row_scales(g: Matrix) -> Vector:
    """Return a typical size of each constraint row, the median of its values at many points."""
    scales = np.median(np.abs(g), axis=0)
    return np.where(scales > 0, scales, np.maximum(np.abs(g).max(axis=0, initial=0.0), 1e-300))

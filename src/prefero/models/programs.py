"""The linear and quadratic programs behind the surrogate, Eq. (QP-pref), solved and certified.

| symbol | meaning | shape |
|---|---|---|
| G | one row per preference condition: G β ≥ r − ε | R × N |
| r | right-hand sides, σ for "better" and −σ for each of the two rows of a tie | R |
| c | weights of the slacks ε | R |
| λ | regularisation | |
| α | multipliers of the conditions, 0 ≤ α ≤ c | R |

For λ > 0 the program is a ranking support vector machine without bias. Its dual has box constraints only,
min ½ α'(GG'/λ)α − r'α, and β = G'α/λ. A tie is two opposite rows: at most one of them can need its slack, so that two
slacks cost what the paper's single one costs. (Section 5.1 mentions two equality constraints; there are none, or one
with the normalisation of Eq. (RBF-normalize).)

A solution carries its residuals. One outside of the tolerance raises SolverError and is never used silently.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import piqp

from prefero.errors import SolverError
from prefero.space.arrays import Matrix, Vector

TOLERANCE = 1e-5
"""The largest residual of a solution: the conditions' error in units of σ, and the relative error of the multipliers."""
_LP_BOUNDS = 1e3, 1e5, 1e7
"""Boxes for β of the linear program, in units of σ / max|G|. Beyond the last, HiGHS fails or does not end on some programs."""
_LP_ITERATIONS = 5000
"""Simplex steps allowed for a box; programs of 60 conditions take about 100."""
_GROWTH = 24
"""How many conditions the working set starts with, and adds at a time."""


@dataclass(frozen=True)
class Program:
    """min c'ε + λ/2 ‖β‖² subject to G β ≥ r − ε, ε ≥ 0."""

    G: Matrix
    r: Vector
    c: Vector
    regularization: float


@dataclass(frozen=True)
class Solution:
    """β and α, and how accurately they solve the program.

    `primal_residual` is the largest error of a condition, in units of σ: a condition may use its slack only if α = c, and may
    hold strictly only if α = 0. `dual_residual` is the largest violation of stationarity, λβ = G'α, and of 0 ≤ α ≤ c, relative
    to the largest α. For λ = 0 the first is the difference between the slacks that the conditions need and those that the solver
    reports, in units of σ, and the second the gap between the cost of the slacks and the least cost that α proves, in units of σ
    at the largest c.
    """

    beta: Vector
    slack: Vector
    multipliers: Vector
    primal_residual: float
    dual_residual: float

    @property
    def certified(self) -> bool:
        """Whether both residuals are within the tolerance."""
        return max(self.primal_residual, self.dual_residual) <= TOLERANCE


def solve(program: Program) -> Solution:
    """Return the solution of the program; raise SolverError if it is outside of the tolerance."""
    if len(program.r) == 0:
        return Solution(np.zeros(program.G.shape[1]), np.zeros(0), np.zeros(0), 0.0, 0.0)
    solution = _solve_qp(program) if program.regularization > 0 else _solve_lp(program)
    check_residual(max(solution.primal_residual, solution.dual_residual), len(program.r))
    return solution


def check_residual(residual: float, conditions: int) -> None:
    """Raise SolverError if a residual is outside of the tolerance."""
    if not residual <= TOLERANCE:
        raise SolverError(
            f"the surrogate's program ({conditions} conditions) was solved to a residual of {residual:.1e}; "
            f"allowed: {TOLERANCE:.0e}"
        )


def _solve_qp(program: Program) -> Solution:
    """Solve for λ > 0 through the dual."""
    lam, G, r, c = program.regularization, program.G, program.r, program.c
    alpha, residual = dual(G @ G.T, r, c, lam)
    beta = G.T @ alpha / lam
    outside = np.maximum(alpha - c, -alpha).max(initial=0.0)
    stationarity = np.abs(lam * beta - G.T @ alpha).max(initial=0.0)
    dual_residual = float(max(outside, stationarity) / max(alpha.max(), 1e-300))
    return Solution(beta, np.maximum(r - G @ beta, 0.0), alpha, residual, dual_residual)


def dual(K: Matrix, r: Vector, c: Vector, regularization: float, start: Vector | None = None) -> tuple[Vector, float]:
    """Return α of the quadratic program with K = GG', and its residual: the conditions' largest error in units of σ.

    Parameters
    ----------
    K: GG'.
    r, c: right-hand sides and slack weights.
    regularization: λ.
    start: a guess of α, from which a few Newton steps usually suffice.

    Notes
    -----
    α is measured in units u = σλ/K_hh^½, row by row, so that the numbers are of order one for all settings and bases:
    min ½ a'Qa − t'a, 0 ≤ a ≤ c/u, with Q_hh = 1 and t = ±1 / K_hh^½.

    Few conditions bind. The program is solved on a working set, which takes in the most violated conditions until none is
    violated; small programs are also better conditioned.
    """
    sigma = float(np.abs(r).max())
    size = np.sqrt(np.maximum(K.diagonal(), 1e-300))
    unit = sigma * regularization / size
    Q, target, top = K / np.outer(size, size), r / (sigma * size), c / unit
    working = np.zeros(len(r), dtype=bool)
    if start is not None:
        a = np.clip(_polished(Q, target, top, start / unit, steps=3), 0.0, top)
        residual = float((_errors(Q, target, top, a) * size).max())
        if residual <= TOLERANCE:
            return unit * a, residual
        working = start > 0
    if not working.any():  # without a guess, begin with the conditions that are hardest to meet
        working[np.argsort(-target, kind="stable")[:_GROWTH]] = True
    while True:
        rows = np.flatnonzero(working)
        a = np.zeros(len(r))
        a[rows] = _solve_box(Q[np.ix_(rows, rows)], target[rows], top[rows], size[rows])
        errors = _errors(Q, target, top, a) * size
        outside = np.where(working, 0.0, errors)
        if outside.max() <= TOLERANCE:
            return unit * a, float(errors.max())
        violated = np.argsort(-outside)[:_GROWTH]
        working[violated[outside[violated] > TOLERANCE]] = True


def _solve_box(Q: Matrix, target: Vector, top: Vector, size: Vector) -> Vector:
    """Return a of min ½ a'Qa − target'a, 0 ≤ a ≤ top, by an interior point method, polished if it is not accurate enough."""
    a, residual = np.zeros(len(target)), np.inf
    for attempt in (_interior, _polished):
        candidate = np.clip(attempt(Q, target, top, a), 0.0, top)
        candidate_residual = float((_errors(Q, target, top, candidate) * size).max())
        if candidate_residual < residual:
            a, residual = candidate, candidate_residual
        if residual <= 0.5 * TOLERANCE:  # with some margin: the caller checks once more
            break
    return a


def _errors(Q: Matrix, target: Vector, top: Vector, a: Vector) -> Vector:
    """Return |a − P(a − gradient)| with the projection P onto the bounds: zero exactly at the optimum."""
    return np.abs(a - np.clip(a + target - Q @ a, 0.0, top))


def _interior(Q: Matrix, target: Vector, top: Vector, _: Vector) -> Vector:
    """Return PIQP's interior point solution, which needs no start."""
    solver = piqp.DenseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = 1e-12
    # a may reach 1e6 and its error counts in units of σ, so PIQP's default regularisation would be too coarse.
    settings.reg_lower_limit = settings.reg_finetune_lower_limit = 1e-13
    settings.max_iter = 60  # more do not help: `_polished` takes over
    solver.setup(Q, -target, x_l=np.zeros(len(target)), x_u=top)
    solver.solve()
    a: Vector = np.nan_to_num(np.asarray(solver.result.x, dtype=float))
    return a


def _polished(Q: Matrix, target: Vector, top: Vector, a: Vector, steps: int = 12) -> Vector:
    """Return the exact optimum for the bounds that seem to bind, repeated until they do not change: a semismooth Newton method."""
    bound = None
    for _ in range(steps):
        towards = a + target - Q @ a
        low, high = towards <= 0, towards >= top
        if bound is not None and np.array_equal(bound, (low, high)):
            break
        bound = (low, high)
        free = ~(low | high)
        a = np.where(high, top, 0.0)
        a[free] = _solved(Q[np.ix_(free, free)], target[free] - Q[free] @ a)
    return a


def _solved(Q: Matrix, target: Vector) -> Vector:
    """Return Q⁻¹ target; if Q is singular, a least-squares solution of least norm."""
    try:
        return np.asarray(np.linalg.solve(Q, target), dtype=float)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(Q, target, rcond=1e-15)[0])


def _solve_lp(program: Program) -> Solution:
    """Solve for λ = 0: the least slack of all β in the smallest box of `_LP_BOUNDS` that reaches it.

    A larger box is tried only while slack is left and the box binds. If its solution cannot be certified, the smaller box's
    stands: β stays bounded, and its slacks are what its conditions really miss.
    """
    best, box_binds = _solve_boxed_lp(program, _LP_BOUNDS[0])
    for bound in _LP_BOUNDS[1:]:
        if best.certified and not (box_binds and best.slack.any()):
            break
        try:
            wider, box_binds = _solve_boxed_lp(program, bound)
        except SolverError:
            break
        if wider.certified and (not best.certified or program.c @ wider.slack < program.c @ best.slack):
            best = wider
    return best


def _solve_boxed_lp(program: Program, bound: float) -> tuple[Solution, bool]:
    """Return HiGHS's vertex, one of possibly many solutions with |β_k| ≤ bound · σ / max|G|, and whether the box binds.

    The multipliers certify it: no β of the box has less slack than r'α − (size of the box) ‖G'α‖₁.
    """
    from scipy.optimize import linprog

    G, r, c = program.G, program.r, program.c
    rows, samples = G.shape
    sigma = float(np.abs(r).max())
    # Conditions and slacks count in units of σ, so HiGHS's tolerances do. β counts in units of its bound, because HiGHS drops
    # entries below 1e-9: with β unbounded, what is dropped can be anything. β is the difference of two nonnegative vectors, so
    # that a coefficient that no condition determines stays at 0 and not at an end of the box.
    box = bound * sigma / max(float(np.abs(G).max()), 1e-300)
    scaled = G * (box / sigma)
    result = linprog(
        np.concatenate([np.zeros(2 * samples), c]),
        A_ub=np.hstack([-scaled, scaled, -np.eye(rows)]),
        b_ub=-r / sigma,
        bounds=[(0, 1)] * (2 * samples) + [(0, None)] * rows,
        method="highs-ds",
        # Presolve may put an undetermined β at the end of its box.
        options={"maxiter": _LP_ITERATIONS, "presolve": False},
    )
    if result.x is None:
        raise SolverError(f"the surrogate's linear program was not solved: {result.message}")
    beta = box * (result.x[:samples] - result.x[samples : 2 * samples])
    slack = np.maximum(r - G @ beta, 0.0)
    slack[slack <= TOLERANCE * sigma] = 0.0
    alpha = np.clip(-result.ineqlin.marginals, 0.0, c)
    least = r @ alpha - box * np.abs(G.T @ alpha).sum()
    solution = Solution(
        beta,
        slack,
        alpha,
        primal_residual=float(np.abs(slack - sigma * result.x[2 * samples :]).max() / sigma),
        dual_residual=float(max(c @ slack - least, 0.0) / (sigma * c.max())),
    )
    return solution, bool(np.abs(beta).max() > 0.999 * box)

"""The linear and quadratic programs behind the surrogate, Eq. (QP-pref), solved and certified.

| symbol | meaning | shape |
|---|---|---|
| G | one row a preference condition: G β ≥ r − ε | R × N |
| r | right-hand sides, σ for "better" and −σ for each of the two rows of a tie | R |
| c | weights of the slacks ε | R |
| λ | regularisation | |
| α | multipliers of the conditions, 0 ≤ α ≤ c | R |

For λ > 0 the program is a ranking support vector machine without bias. Its dual has box constraints only,
min ½ α'(GG'/λ)α − r'α, and β = G'α/λ. A tie is two opposite rows: at most one of them can need its slack, so that two
slacks cost what the paper's single one costs. (Section 5.1 speaks of two equality constraints; there is none, or one
with the normalisation of Eq. (RBF-normalize).)

A solution carries its residuals; one outside tolerance is an error, never silently used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import piqp

from prefero.errors import SolverError
from prefero.space.arrays import Matrix, Vector

TOLERANCE = 1e-5
"""The largest residual that a solution may have."""
_GROWTH = 24
"""How many conditions the working set begins with, and takes in at once."""


@dataclass(frozen=True)
class Program:
    """min c'ε + λ/2 ‖β‖² subject to G β ≥ r − ε, ε ≥ 0."""

    G: Matrix
    r: Vector
    c: Vector
    regularization: float


@dataclass(frozen=True)
class Solution:
    """β and α, and how nearly they solve the program.

    `primal_residual` is the conditions' largest error in units of σ (a condition may use its slack only where α = c, and be
    passed only where α = 0); `dual_residual` the largest violation of stationarity, λβ = G'α, and of 0 ≤ α ≤ c, relative
    to the largest α.
    """

    beta: Vector
    slack: Vector
    multipliers: Vector
    primal_residual: float
    dual_residual: float


def solve(program: Program) -> Solution:
    """The solution of the program, or SolverError where it is outside its tolerance."""
    if len(program.r) == 0:
        return Solution(np.zeros(program.G.shape[1]), np.zeros(0), np.zeros(0), 0.0, 0.0)
    solution = _solve_qp(program) if program.regularization > 0 else _solve_lp(program)
    check_residual(max(solution.primal_residual, solution.dual_residual), len(program.r))
    return solution


def check_residual(residual: float, conditions: int) -> None:
    """SolverError where a solution is outside its tolerance."""
    if not residual <= TOLERANCE:
        raise SolverError(
            f"the surrogate's program ({conditions} conditions) was solved to a residual of {residual:.1e}; "
            f"allowed: {TOLERANCE:.0e}"
        )


def _solve_qp(program: Program) -> Solution:
    lam, G, r, c = program.regularization, program.G, program.r, program.c
    alpha, residual = dual(G @ G.T, r, c, lam)
    beta = G.T @ alpha / lam
    outside = np.maximum(alpha - c, -alpha).max(initial=0.0)
    stationarity = np.abs(lam * beta - G.T @ alpha).max(initial=0.0)
    dual_residual = float(max(outside, stationarity) / max(alpha.max(), 1e-300))
    return Solution(beta, np.maximum(r - G @ beta, 0.0), alpha, residual, dual_residual)


def dual(K: Matrix, r: Vector, c: Vector, regularization: float, start: Vector | None = None) -> tuple[Vector, float]:
    """α of the quadratic program with K = GG', and its residual: the conditions' largest error in units of σ.

    Row by row in units u = σλ/K_hh^½ of α the numbers are of order one whatever the settings and the basis:
    min ½ a'Qa − t'a, 0 ≤ a ≤ c/u, with Q_hh = 1 and t = ±1 / K_hh^½.

    From a good guess, `start`, a few Newton steps usually end it. Otherwise, since few conditions bind, the program is solved
    on a working set that takes in the conditions violated most until none is; small programs are also better conditioned.
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
    if not working.any():
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
    """a of min ½ a'Qa − target'a, 0 ≤ a ≤ top, by an interior point method, polished where it falls short."""
    a, residual = np.zeros(len(target)), np.inf
    for attempt in (_interior, _polished):
        candidate = np.clip(attempt(Q, target, top, a), 0.0, top)
        candidate_residual = float((_errors(Q, target, top, candidate) * size).max())
        if candidate_residual < residual:
            a, residual = candidate, candidate_residual
        if residual <= 0.5 * TOLERANCE:
            break
    return a


def _errors(Q: Matrix, target: Vector, top: Vector, a: Vector) -> Vector:
    """|a − P(a − gradient)|, P the projection onto the bounds: zero where a condition holds, or its slack or multiplier is due."""
    return np.abs(a - np.clip(a + target - Q @ a, 0.0, top))


def _interior(Q: Matrix, target: Vector, top: Vector, _: Vector) -> Vector:
    """PIQP's interior point solution, which needs no start."""
    solver = piqp.DenseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = 1e-12
    settings.reg_lower_limit = settings.reg_finetune_lower_limit = (
        1e-13  # a may reach 1e6, and its error counts in units of σ
    )
    settings.max_iter = 60  # what is not reached by then is reached by no more
    solver.setup(Q, -target, x_l=np.zeros(len(target)), x_u=top)
    solver.solve()
    a: Vector = np.nan_to_num(np.asarray(solver.result.x, dtype=float))
    return a


def _polished(Q: Matrix, target: Vector, top: Vector, a: Vector, steps: int = 12) -> Vector:
    """A semismooth Newton method: the exact optimum for the bounds that seem to bind, until they are the same again."""
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
    """Q⁻¹ target, and where Q is singular a solution of least size."""
    try:
        return np.asarray(np.linalg.solve(Q, target), dtype=float)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(Q, target, rcond=1e-15)[0])


def _solve_lp(program: Program) -> Solution:
    """λ = 0 with HiGHS; its vertex is one of possibly many."""
    from scipy.optimize import linprog

    G, r, c = program.G, program.r, program.c
    rows, samples = G.shape
    result = linprog(
        np.concatenate([np.zeros(samples), c]),
        A_ub=np.hstack([-G, -np.eye(rows)]),
        b_ub=-r,
        bounds=[(None, None)] * samples + [(0, None)] * rows,
        method="highs",
    )
    if result.x is None:
        raise SolverError(f"the surrogate's linear program was not solved: {result.message}")
    beta, slack = result.x[:samples], np.maximum(result.x[samples:], 0.0)
    alpha = np.clip(-result.ineqlin.marginals, 0.0, c)
    scale = max(float(np.abs(r).max()), float(np.abs(G * beta).sum(axis=1).max()))
    return Solution(
        beta,
        slack,
        alpha,
        primal_residual=float(np.maximum(r - slack - G @ beta, 0.0).max() / scale),
        dual_residual=float(np.abs(G.T @ alpha).max() / max(1.0, float((np.abs(G).T @ alpha).max()))),
    )

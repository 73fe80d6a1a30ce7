"""The quadratic program against other ways to its solution: closed forms, limits, NNLS, SLSQP and a dual ascent."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize, nnls

import prefero as pf
from prefero.errors import SolverError
from prefero.models import programs, rbf
from prefero.models.programs import Program, solve

BASES = list(rbf.BASES)


def program_of(seed: int, N=7, M=10, basis="inverse quadratic", lam=1e-2, consistent=False, ties=True) -> Program:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (N, 2))
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(M)])
    f = X @ [1.0, -0.5]
    outcomes = np.sign(f[pairs[:, 0]] - f[pairs[:, 1]]) if consistent else rng.integers(-1 + (not ties), 2, M)
    options = rbf.Settings(basis, 1.0, 0.3, lam)
    Psi = rbf.matrix(rbf.Distances.of(X).D2, options)
    return rbf.conditions(Psi, pairs, outcomes.astype(float), rng.uniform(0.5, 2, M), options)[0]


def primal(p: Program, beta) -> float:
    return float(p.c @ np.maximum(p.r - p.G @ beta, 0) + p.regularization / 2 * beta @ beta)


def dual(p: Program, alpha) -> float:
    return float(p.r @ alpha - ((p.G.T @ alpha) ** 2).sum() / (2 * p.regularization))


def dual_ascent(p: Program, sweeps: int = 3000) -> np.ndarray:
    """Exact coordinate ascent on the dual, started from nothing."""
    K = p.G @ p.G.T / p.regularization
    alpha, Ka = np.zeros(len(p.r)), np.zeros(len(p.r))
    for _ in range(sweeps):
        for h in range(len(p.r)):
            new = min(max(alpha[h] + (p.r[h] - Ka[h]) / K[h, h], 0.0), p.c[h])
            Ka += K[:, h] * (new - alpha[h])
            alpha[h] = new
    return alpha


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("consistent", [True, False])
def test_primal_and_dual_meet_and_a_dual_ascent_finds_no_better(basis, consistent):
    p = program_of(3, basis=basis, consistent=consistent, lam=0.1)
    solution = solve(p)
    value, scale = primal(p, solution.beta), p.c.sum() * 0.3
    assert value - dual(p, solution.multipliers) == pytest.approx(0, abs=1e-6 * scale)
    ascent = dual(p, dual_ascent(p))
    assert ascent <= value + 1e-6 * scale
    assert ascent == pytest.approx(value, abs=1e-3 * scale)


@pytest.mark.parametrize("seed", range(6))
def test_slsqp_on_the_paper_program_with_slacks_agrees(seed):
    """Eq. (QP-pref) as printed, over (β, ε), by a solver that knows nothing of its dual."""
    p = program_of(seed, N=5, M=6, lam=0.05)
    R, N = p.G.shape
    start = np.concatenate([np.zeros(N), np.maximum(p.r, 0) + 0.01])
    other = minimize(
        lambda v: p.c @ v[N:] + p.regularization / 2 * v[:N] @ v[:N],
        start,
        jac=lambda v: np.concatenate([p.regularization * v[:N], p.c]),
        method="SLSQP",
        bounds=[(None, None)] * N + [(0, None)] * R,
        constraints=LinearConstraint(np.hstack([p.G, np.eye(R)]), p.r, np.inf),
        options={"ftol": 1e-12, "maxiter": 500},
    )
    solution = solve(p)
    assert primal(p, solution.beta) == pytest.approx(other.fun, abs=1e-6)
    assert p.G @ solution.beta == pytest.approx(p.G @ other.x[:N], abs=1e-3)
    assert p.c @ solution.slack == pytest.approx(p.c @ other.x[N:], abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_without_slack_it_is_least_distance_programming_by_nnls(seed):
    """Lawson and Hanson: min ‖β‖ subject to Gβ ≥ r from nonnegative least squares."""
    p = program_of(seed, N=6, M=8, consistent=True)
    p = Program(p.G, p.r, np.full(len(p.r), 1e5), 1e-3)
    u, _ = nnls(np.vstack([p.G.T, p.r]), np.append(np.zeros(p.G.shape[1]), 1.0))
    residual = np.append(p.G.T @ u, p.r @ u) - np.append(np.zeros(p.G.shape[1]), 1.0)
    expected = -residual[:-1] / residual[-1]
    solution = solve(p)
    assert (p.G @ solution.beta >= p.r - 1e-5).all()
    assert np.linalg.norm(solution.beta) == pytest.approx(np.linalg.norm(expected), rel=1e-5)
    assert p.G @ solution.beta == pytest.approx(p.G @ expected, abs=1e-3 * np.abs(p.G @ expected).max())


@pytest.mark.parametrize(("lam", "slack"), [(1e-3, False), (0.9, False), (2.0, True), (50.0, True)])
def test_one_comparison_has_a_closed_form(lam, slack):
    """α = min{c, λσ/‖g‖²}, β = αg/λ."""
    X = np.array([[-0.4], [0.7]])
    phi = 1 / (1 + 1.1**2)
    g = np.array([1 - phi, phi - 1])
    surrogate = pf.fit(X, [(1, 0)], margin=0.5, regularization=lam)
    alpha = min(1.0, lam * 0.5 / (g @ g))
    assert bool(alpha == 1.0) is slack
    assert surrogate.beta == pytest.approx(alpha * g / lam, rel=1e-5)
    assert surrogate.solution.multipliers == pytest.approx([alpha], rel=1e-5)
    assert surrogate.solution.slack == pytest.approx([max(0.5 - alpha * (g @ g) / lam, 0)], abs=1e-5)


@pytest.mark.parametrize("basis", BASES)
def test_a_large_regularization_leaves_the_sum_of_all_wishes(basis):
    """λ → ∞: every multiplier is at its weight and β = G'c/λ; ties ask for nothing."""
    p = program_of(5, basis=basis, lam=1e4)
    c = np.where(p.r > 0, p.c, 0)
    solution = solve(p)
    assert solution.multipliers == pytest.approx(c, abs=1e-6)
    assert solution.beta == pytest.approx(p.G.T @ c / 1e4, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_vanishing_regularization_costs_what_the_linear_program_costs(seed):
    p = program_of(seed, N=6, M=14, ties=False)
    contradicted = Program(np.vstack([p.G, -p.G[:4]]), np.append(p.r, p.r[:4]), np.append(p.c, p.c[:4]), 0.0)
    least = contradicted.c @ solve(contradicted).slack
    assert least > 0.1
    gaps = []
    for lam in (1e-1, 1e-3, 1e-5):
        q = Program(contradicted.G, contradicted.r, contradicted.c, lam)
        gaps.append(primal(q, solve(q).beta) - least)
    assert gaps[0] > gaps[1] > gaps[2] >= -1e-6
    assert gaps[2] < 1e-2 * least


def test_a_tie_is_two_rows_of_which_one_binds_at_most():
    options = rbf.Settings(margin=0.1, regularization=1e-2)
    X = np.array([[-1.0], [0.0], [0.2], [1.0]])
    Psi = rbf.matrix(rbf.Distances.of(X).D2, options)
    pairs, outcomes = np.array([(1, 2), (0, 3), (1, 3), (0, 2)]), np.array([0.0, -1.0, -1.0, 0.0])
    program, of = rbf.conditions(Psi, pairs, outcomes, np.ones(4), options)
    assert of.tolist() == [0, 1, 2, 3, 0, 3]
    assert np.array_equal(program.G[4:], -program.G[[0, 3]])
    assert program.r.tolist() == [-0.1, 0.1, 0.1, -0.1, -0.1, -0.1]
    solution = solve(program)
    assert np.minimum(solution.multipliers[[0, 3]], solution.multipliers[4:]) == pytest.approx(0, abs=1e-7)
    assert np.minimum(solution.slack[[0, 3]], solution.slack[4:]) == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("lam", [0.0, 1e-3])
def test_residuals_are_carried_and_small(lam):
    solution = solve(program_of(2, lam=lam))
    assert 0 <= solution.primal_residual <= programs.TOLERANCE
    assert 0 <= solution.dual_residual <= programs.TOLERANCE
    assert ((solution.multipliers >= 0) & (solution.multipliers <= program_of(2).c + 1e-9)).all()


def test_a_solution_outside_tolerance_is_an_error(monkeypatch):
    for way in ("_interior", "_polished"):
        monkeypatch.setattr(programs, way, lambda Q, target, top, a: np.zeros(len(target)))
    with pytest.raises(SolverError, match=r"residual of .*allowed: 1e-05"):
        solve(program_of(0))
    assert solve(Program(np.eye(2), np.array([-1.0, -1.0]), np.ones(2), 1.0)).beta.tolist() == [0, 0]


def test_a_rough_solution_is_polished(monkeypatch):
    right, exact = solve(program_of(0)), programs._interior
    monkeypatch.setattr(programs, "_interior", lambda *given: exact(*given) + 1e-3)
    assert program_of(0).G @ solve(program_of(0)).beta == pytest.approx(program_of(0).G @ right.beta, abs=1e-5)


def test_nothing_asked_is_nothing_learned():
    solution = solve(Program(np.zeros((0, 3)), np.zeros(0), np.zeros(0), 1.0))
    assert solution.beta.tolist() == [0, 0, 0]


@pytest.mark.parametrize("lam", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("basis", BASES)
def test_the_normalisation_makes_the_surrogate_zero_at_the_best(lam, basis):
    X = np.random.default_rng(1).uniform(-1, 1, (6, 2))
    surrogate = pf.fit(X, [(2, k) for k in (0, 1, 3, 4, 5)], regularization=lam, basis=basis, zero_at=2, margin=0.2)
    assert surrogate.predict(X[2]) == pytest.approx([0], abs=1e-9 * max(1, np.abs(surrogate.values).max()))
    assert surrogate.values == pytest.approx(surrogate.predict(X))
    if lam <= 1e-3:
        assert (np.delete(surrogate.values, 2) >= 0.2 - 1e-5).all()

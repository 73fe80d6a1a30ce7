"""The linear program against HiGHS on the paper's own formulation, written here a second time."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

import prefero as pf
from prefero.errors import SolverError
from prefero.models import programs, rbf


def data(seed: int, N: int = 7):
    rng, M = np.random.default_rng(seed), 5 + seed
    X = rng.uniform(-1, 1, (N, 2))
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(M)])
    return X, pairs, rng.integers(-1, 2, M), rng.uniform(0.5, 2, M)


def paper_objective(X, pairs, outcomes, c, phi, sigma) -> float:
    """Eq. (QP-pref) with λ = 0 as it is printed: one slack a comparison, two rows a tie."""
    N, M = len(X), len(pairs)
    distance = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    rows, right = [], []
    for h, ((i, j), b) in enumerate(zip(pairs, outcomes, strict=True)):
        difference = phi(distance[i]) - phi(distance[j])
        slack = np.zeros(M)
        slack[h] = -1.0
        if b in (-1, 0):
            rows.append(np.concatenate([difference, slack]))
            right.append(-sigma if b == -1 else sigma)
        if b in (1, 0):
            rows.append(np.concatenate([-difference, slack]))
            right.append(-sigma if b == 1 else sigma)
    result = linprog(
        np.concatenate([np.zeros(N), c]), A_ub=rows, b_ub=right, bounds=[(None, None)] * N + [(0, None)] * M
    )
    return float(result.fun)


def paper_losses(values, pairs, outcomes, c, sigma) -> float:
    t = values[pairs[:, 0]] - values[pairs[:, 1]]
    slack = np.select([outcomes == -1, outcomes == 1], [t + sigma, sigma - t], np.abs(t) - sigma)
    return float(c @ np.maximum(slack, 0))


PHI = {
    "inverse quadratic": lambda d: 1 / (1 + d**2),
    "gaussian": lambda d: np.exp(-(d**2)),
    "linear": lambda d: d,
}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("basis", PHI)
def test_the_linear_program_reaches_the_least_slack(seed, basis):
    X, pairs, outcomes, c = data(seed)
    settings = rbf.Settings(basis, 1.0, 0.2, 0.0)
    Psi = rbf.matrix(rbf.Distances.of(X).D2, settings)
    program, _ = rbf.conditions(Psi, pairs, outcomes.astype(float), c, settings)
    solution = programs.solve(program)
    least = paper_objective(X, pairs, outcomes, c, PHI[basis], 0.2)
    assert paper_losses(Psi @ solution.beta, pairs, outcomes, c, 0.2) == pytest.approx(least, abs=1e-6)


def test_some_of_these_programs_need_slack_and_some_do_not():
    least = [paper_objective(*data(seed), PHI["inverse quadratic"], 0.2) for seed in range(8)]
    assert min(least) == pytest.approx(0, abs=1e-9)
    assert max(least) > 0.1


@pytest.mark.parametrize("seed", range(4))
def test_multipliers_prove_that_the_slack_is_least(seed):
    X, pairs, outcomes, c = data(seed)
    settings = rbf.Settings("inverse quadratic", 1.0, 0.2, 0.0)
    program, _ = rbf.conditions(
        rbf.matrix(rbf.Distances.of(X).D2, settings), pairs, outcomes.astype(float), c, settings
    )
    solution = programs.solve(program)
    assert program.r @ solution.multipliers == pytest.approx(program.c @ solution.slack, abs=1e-7)
    assert program.G.T @ solution.multipliers == pytest.approx(0, abs=1e-7)


def test_fit_with_no_regularization_is_the_linear_program():
    X, pairs, outcomes, _ = data(1)
    wins = np.where(outcomes[:, None] == 1, pairs[:, ::-1], pairs)[outcomes != 0]
    ties = pairs[outcomes == 0]
    surrogate = pf.fit(X, wins.tolist(), ties=ties.tolist(), margin=0.2, regularization=0, shape=1.0)
    ordered, said = np.concatenate([wins, ties]), np.array([-1] * len(wins) + [0] * len(ties))
    least = paper_objective(X, ordered, said, np.ones(len(said)), PHI["inverse quadratic"], 0.2)
    assert paper_losses(surrogate.values, ordered, said, np.ones(len(said)), 0.2) == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("fault", ["beta", "multipliers", "none"])
def test_a_linear_solution_outside_tolerance_is_an_error(monkeypatch, fault):
    import scipy.optimize

    right = scipy.optimize.linprog

    def wrong(*arguments, **options):
        result = right(*arguments, **options)
        if fault == "none":
            result.x, result.message = None, "it gave up"
        elif fault == "beta":
            result.x = np.zeros_like(result.x)
        else:
            result.ineqlin.marginals = -np.ones_like(result.ineqlin.marginals)
        return result

    monkeypatch.setattr(scipy.optimize, "linprog", wrong)
    X, pairs, _, _ = data(0)
    with pytest.raises(SolverError, match="gave up" if fault == "none" else "residual of"):
        pf.fit(X, pairs.tolist(), regularization=0)


def random_answers(seed: int):
    """Up to 30 samples, some in no comparison, with contradictory answers for every second seed."""
    rng = np.random.default_rng(seed)
    N, n = int(rng.integers(6, 30)), int(rng.integers(1, 5))
    X = rng.uniform(-1, 1, (N, n))
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(int(rng.integers(N // 2, 2 * N)))])
    f = (X**2).sum(axis=1) + np.sin(5 * X[:, 0])
    swapped = (f[pairs[:, 0]] > f[pairs[:, 1]]) & bool(seed % 2)
    return X, np.where(swapped[:, None], pairs[:, ::-1], pairs), float(rng.choice([2.5, 4.0, 6.3]))


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_reported_slack_is_what_the_fit_violates_for_a_large_shape(first):
    for seed in range(first, first + 50):
        X, pairs, shape = random_answers(seed)
        fitted = pf.fit(X, pairs.tolist(), basis="gaussian", shape=shape, regularization=0)
        sigma, values = 1 / len(X), fitted.predict(X)
        violated = np.maximum(sigma - values[pairs[:, 1]] + values[pairs[:, 0]], 0)
        assert np.abs(violated - fitted.solution.slack).max() < 1e-4 * sigma
        Psi = rbf.matrix(rbf.Distances.of(X).D2, fitted.settings)
        G = np.abs(Psi[pairs[:, 0]] - Psi[pairs[:, 1]]).max()
        assert np.abs(fitted.beta).max() <= 1.001 * programs._LP_BOUNDS[-1] * sigma / G


def test_a_sample_without_answers_gets_no_coefficient_in_the_linear_program():
    X = np.array([[-1.0], [-0.9], [1.0]])  # the third is so far away that its column of G is about 1e-60
    fitted = pf.fit(X, [(0, 1)], basis="gaussian", shape=6.3, regularization=0)
    assert fitted.beta[2] == 0
    assert np.abs(fitted.beta).max() < 10


def test_a_wider_box_that_cannot_be_solved_leaves_the_narrower_ones_solution(monkeypatch):
    solved = programs._solve_boxed_lp

    def narrow_only(program, bound):
        if bound > programs._LP_BOUNDS[0]:
            raise SolverError("it gave up")
        return solved(program, bound)

    X = np.array([[-0.01], [0.0], [0.01]])
    wide = pf.fit(X, [(1, 0), (2, 1)], basis="gaussian", shape=0.001, regularization=0)
    monkeypatch.setattr(programs, "_solve_boxed_lp", narrow_only)
    narrow = pf.fit(X, [(1, 0), (2, 1)], basis="gaussian", shape=0.001, regularization=0)
    assert narrow.solution.slack.sum() >= wide.solution.slack.sum()
    assert narrow.solution.certified


def test_answers_that_only_huge_coefficients_would_satisfy_are_reported_as_slack():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (40, 1))
    pairs = [(int(a), int(b)) for a, b in pairwise(rng.permutation(40))]  # free values satisfy them all
    fitted = pf.fit(X, pairs, basis="gaussian", shape=2.5, regularization=0)
    values = fitted.predict(X)
    missed = np.array([max(1 / 40 - values[b] + values[a], 0.0) for a, b in pairs])
    assert missed.sum() > 1 / 40
    assert np.abs(missed - fitted.solution.slack).max() < 1e-4 / 40
    assert fitted.solution.certified

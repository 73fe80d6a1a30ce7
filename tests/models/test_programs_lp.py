"""The linear program against HiGHS on the paper's own formulation, written here a second time."""

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

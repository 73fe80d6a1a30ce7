"""Theorem 1: the direction of β maximises the likelihood over the unit sphere; and the program without slacks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefero.models import rbf

rngs = st.integers(0, 10**6).map(np.random.default_rng)


def losses(t: np.ndarray, preferences: np.ndarray, margin: float) -> np.ndarray:
    """ℓ_b(t) of Eq. (solveP), t = Φ'β."""
    better, worse = np.maximum(0, t + margin), np.maximum(0, margin - t)
    tie = np.maximum(0, np.maximum(t - margin, -t - margin))
    return np.select([preferences == -1, preferences == 1], [better, worse], tie)


def problem(rng, N=6, M=9):
    X = rng.uniform(-1, 1, (N, 2))
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(M)])
    preferences = rng.integers(-1, 2, M).astype(float)
    options = rbf.Settings(margin=0.2, regularization=float(rng.choice([0.01, 0.1, 1.0])), weights=(1.0, 0.7, 1.3))
    c = rbf.slack_weights(pairs, preferences, None, options)
    Psi = rbf.matrix(rbf.Distances.of(X).D2, options)
    program, _ = rbf.conditions(Psi, pairs, preferences, c, options)
    return Psi[pairs[:, 0]] - Psi[pairs[:, 1]], preferences, c, options, rbf.solve(program).beta


@settings(max_examples=20)
@given(rngs)
def test_theorem_1_the_direction_of_beta_is_the_best_on_its_sphere(rng):
    Phi, preferences, c, options, beta = problem(rng)
    tau = np.linalg.norm(beta)
    if tau < 1e-6:
        assert (preferences == 0).all()
        return

    def of(u):
        return float(c @ losses(tau * Phi @ u, preferences, options.margin))

    best = of(beta / tau)
    far = rng.normal(size=(300, len(beta)))
    near = beta / tau + 10 ** rng.uniform(-4, 0, (300, 1)) * far
    sphere = np.vstack([far, near])
    sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    assert best <= min(of(u) for u in sphere) + 1e-6 * max(best, c.sum() * options.margin)


@settings(max_examples=20)
@given(rngs)
def test_beta_is_the_minimiser_of_the_losses_and_the_regularization(rng):
    Phi, preferences, c, options, beta = problem(rng)

    def of(b):
        return float(c @ losses(Phi @ b, preferences, options.margin) + options.regularization / 2 * b @ b)

    nearby = beta + 10 ** rng.uniform(-5, 1, (300, 1)) * rng.normal(size=(300, len(beta)))
    assert of(beta) <= min(of(b) for b in nearby) + 1e-7 * c.sum() * options.margin


@settings(max_examples=6)
@given(rngs)
def test_theorem_2_the_normalisation_does_not_depend_on_the_direction(rng):
    """I_t for κ = e^(−Φ'Φ) in the plane, by quadrature, for two directions."""
    grid = np.linspace(-6, 6, 241)
    plane = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    kappa = np.exp(-(plane**2).sum(axis=1)) * (grid[1] - grid[0]) ** 2
    tau, c = rng.uniform(0.2, 2), rng.uniform(0.2, 2)
    for preference in (-1, 0, 1):
        u, v = (np.array([np.cos(angle), np.sin(angle)]) for angle in rng.uniform(0, 2 * np.pi, 2))
        integrals = [kappa @ np.exp(-c * losses(tau * plane @ w, np.full(len(plane), preference), 0.3)) for w in (u, v)]
        assert integrals[0] == pytest.approx(integrals[1], rel=1e-3)

"""Self-calibration of the shape ε by cross-validation, section 3.1.

Each fold of comparisons is left out in turn and predicted from the others; the ε with the most right predictions wins.
Comparisons with the current best, on either side, only train (the paper excludes x_i(h) = x*; the side a sample happens
to be on cannot matter). A tie is predicted where |Δf̂| ≤ σ. Equal scores keep the ε nearest to the current one.

No more programs are solved than the multipliers demand: a fold whose multipliers are all zero can be dropped without
changing the solution. And a fold that matters is solved on the few conditions that come near to binding; the others are
checked, and enter only when they are violated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from prefero.answers import History
from prefero.arrays import Indices, Mask, Matrix, Vector
from prefero.surrogates import rbf
from prefero.surrogates.programs import Program, check_residual, dual, solve

GRID: tuple[float, ...] = tuple(float(10 ** (-1 + k / 5)) for k in range(10))
"""Θ of section 7.1: ten factors from 0.1 to 6.3."""
_NEAR = 8
"""Conditions beyond the binding ones that a fold's first program holds."""


def calibrate(
    history: History,
    D2: Matrix,
    best: int | None,
    settings: rbf.Settings,
    shapes: Sequence[float],
    folds: int | None = None,
) -> float:
    """The shape of those given that predicts left-out comparisons best; the current one where nothing can be tested.

    `folds` is K; None leaves one comparison out at a time.
    """
    tested = _folds(history, best, folds)
    if not tested:
        return settings.shape
    scores = np.array([score(history, D2, best, replace(settings, shape=shape), tested) for shape in shapes])
    winners = np.array(shapes)[scores == scores.max()]
    return float(winners[np.abs(np.log(winners / settings.shape)).argmin()])


def _folds(history: History, best: int | None, folds: int | None) -> list[Indices]:
    """The comparisons to leave out together, those with the current best left in."""
    pairs = history.pairs
    testable = np.flatnonzero((pairs != best).all(axis=1)) if best is not None else np.arange(len(pairs))
    count = len(testable) if folds is None else min(folds, len(testable))
    return [testable[k::count] for k in range(count)]


def score(history: History, D2: Matrix, best: int | None, settings: rbf.Settings, folds: Sequence[Indices]) -> int:
    """Σ C_i(ε): how many left-out comparisons are predicted right."""
    pairs, outcomes = history.pairs, history.outcomes
    Psi = rbf.matrix(D2, settings)
    c = rbf.slack_weights(pairs, outcomes, best, settings)
    program, of = rbf.conditions(Psi, pairs, outcomes, c, settings)
    if settings.normalize and best is not None:
        program = rbf.projected(program, Psi[best])
    predict = _leave_out_qp(program) if settings.regularization > 0 else _leave_out_lp(program)
    right = 0
    for fold in folds:
        left_out = np.zeros(len(pairs), dtype=bool)
        left_out[fold] = True
        out = left_out[of]
        # rows of G are signed by the outcome and a tie's first row is f̂(x_i) − f̂(x_j)
        difference = predict(out)[fold]
        right += int(np.count_nonzero(_predicted_right(difference, outcomes[fold], settings.margin)))
    return right


def _predicted_right(difference: Vector, outcomes: Vector, margin: float) -> Mask:
    """η_h: `difference` is G_h β, positive where the prediction agrees with a strict preference."""
    return np.where(outcomes == 0, np.abs(difference) <= margin, difference > margin)


def _leave_out_qp(program: Program) -> Callable[[Mask], Vector]:
    """G β of the program without some of its rows."""
    K, lam = program.G @ program.G.T, program.regularization
    alpha, residual = dual(K, program.r, program.c, lam)
    check_residual(residual, len(alpha))
    Gb = K @ alpha / lam
    binding = alpha > 1e-9 * float(alpha.max())
    guess = binding.copy()
    guess[np.argsort(Gb - program.r)[: int(binding.sum()) + _NEAR]] = True

    def predict(out: Mask) -> Vector:
        if not (binding & out).any():
            return Gb
        kept = np.flatnonzero(~out)
        if not kept.size:
            return np.zeros(len(out))
        a, residual = dual(K[np.ix_(kept, kept)], program.r[kept], program.c[kept], lam, guess[kept])
        check_residual(residual, len(kept))
        left: Vector = K[:, kept] @ a / lam
        return left

    return predict


def _leave_out_lp(program: Program) -> Callable[[Mask], Vector]:
    """G β of the linear program without some of its rows; a zero multiplier leaves the vertex optimal."""
    whole = solve(program)
    Gb = program.G @ whole.beta

    def predict(out: Mask) -> Vector:
        if not (whole.multipliers[out] > 0).any():
            return Gb
        kept = solve(Program(program.G[~out], program.r[~out], program.c[~out], program.regularization))
        left: Vector = program.G @ kept.beta
        return left

    return predict

"""Self-calibration of the shape ε by cross-validation, section 3.1.

Each fold of comparisons is left out in turn and predicted from the others; the ε with the most correct predictions wins.
Comparisons with the current best, on either side, are only used for training (the paper excludes x_i(h) = x*, but the side
cannot matter). By the rule "margin", the default, a tie is predicted if |Δf̂| ≤ σ, as Eq. (RBF-pref) says of the fit; by the rule
"sign", the paper's π̂, only if Δf̂ = 0, Eq. (pref_fun-f). Among equal scores, the ε nearest to the current one wins.

Few programs have to be solved. A fold whose multipliers are all zero can be dropped without changing the solution. If
leaving a comparison out moves the other multipliers without bringing any to a bound, its effect has a closed form. The rest is
solved from the multipliers of the whole program, which are a good start; with `quick`, the closed form serves as an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import Literal, TypeAlias

import numpy as np

from prefero.answers import History
from prefero.errors import SolverError
from prefero.models import rbf
from prefero.models.programs import TOLERANCE, Program, check_residual, dual, solve
from prefero.space.arrays import Indices, Mask, Matrix, Vector

GRID: tuple[float, ...] = tuple(float(10 ** (-1 + k / 5)) for k in range(10))
"""Θ of section 7.1: ten factors from 0.1 to 6.3."""

Rule: TypeAlias = Literal["margin", "sign"]
RULES: tuple[Rule, ...] = ("margin", "sign")
"""How a left-out comparison is predicted: with the margin σ, or by the sign of the difference as the paper's π̂ is."""

_RIDGE = 1e-10
"""Added to the diagonal, relative to its largest entry, so that linearly dependent rows can be inverted."""


def calibration_steps(first: int, last: int, samples: int) -> list[int]:
    """Return I_sc of section 7.2 up to a number of samples: four steps from N_init to N_max, then one every ⌈N_max/6⌉.

    Parameters
    ----------
    first: N_init, samples of the opening.
    last: N_max, samples expected in all.
    samples: the samples so far.
    """
    steps = [first + ceil(k * (last - first) / 4) for k in range(4)]
    later = range(last, samples + 1, ceil(last / 6))
    return sorted({step for step in (*steps, *later) if step <= samples})


def calibrate(
    history: History,
    D2: Matrix,
    best: int | None,
    settings: rbf.Settings,
    shapes: Sequence[float],
    folds: int | None = None,
    quick: bool = False,
    rule: Rule = "margin",
) -> float:
    """Return the shape that predicts left-out comparisons best; the current one if nothing can be tested.

    Parameters
    ----------
    history: the answers.
    D2: squared distances of the samples.
    best: the incumbent, None without one.
    settings: of the surrogate, with the current shape.
    shapes: the shapes to compare.
    folds: K; None leaves one comparison out at a time.
    quick: whether to solve only one program per shape and estimate the effect of each comparison.
    rule: how a left-out comparison is predicted, see `RULES`.
    """
    tested = _folds(history, best, folds)
    if not tested:
        return settings.shape
    scores = np.array(
        [_score_or_none(history, D2, best, replace(settings, shape=shape), tested, quick, rule) for shape in shapes]
    )
    if scores.max() < 0:
        return settings.shape
    winners = np.array(shapes)[scores == scores.max()]
    return float(winners[np.abs(np.log(winners / settings.shape)).argmin()])


def _score_or_none(
    history: History,
    D2: Matrix,
    best: int | None,
    settings: rbf.Settings,
    folds: Sequence[Indices],
    quick: bool,
    rule: Rule,
) -> int:
    """Return the score, or −1 for a shape whose programs cannot be solved to tolerance, so that it is not chosen."""
    try:
        return score(history, D2, best, settings, folds, quick, rule)
    except SolverError:
        return -1


def _folds(history: History, best: int | None, folds: int | None) -> list[Indices]:
    """Return the comparisons to leave out together; those with the current best are never left out."""
    pairs = history.pairs
    testable = np.flatnonzero((pairs != best).all(axis=1)) if best is not None else np.arange(len(pairs))
    count = len(testable) if folds is None else min(folds, len(testable))
    return [testable[k::count] for k in range(count)]


def score(
    history: History,
    D2: Matrix,
    best: int | None,
    settings: rbf.Settings,
    folds: Sequence[Indices],
    quick: bool = False,
    rule: Rule = "margin",
) -> int:
    """Return Σ C_i(ε): how many left-out comparisons are predicted correctly.

    Parameters
    ----------
    history: the answers.
    D2: squared distances of the samples.
    best: the incumbent, None without one.
    settings: of the surrogate, with the shape to be scored.
    folds: the comparisons to leave out together.
    quick, rule: see `calibrate`.
    """
    pairs, preferences = history.pairs, history.preferences
    Psi = rbf.matrix(D2, settings)
    c = rbf.slack_weights(pairs, preferences, best, settings, history.unsure)
    program, of = rbf.conditions(Psi, pairs, preferences, c, settings, rbf.margins(history, settings))
    program = rbf.banded(program, Psi, history.ratings, settings)
    program = rbf.leaning(program, history.points, history.leanings, settings)
    if settings.normalize and best is not None:
        program = rbf.projected(program, Psi[best])
    predict = _leave_out_qp(program, quick) if settings.regularization > 0 else _leave_out_lp(program)
    # A tie has two rows in the program, which are left out together.
    second = {int(h): len(pairs) + k for k, h in enumerate(of[len(pairs) :])}
    # Rows of G are signed by the preference; the first row of a tie is f̂(x_i) − f̂(x_j).
    difference = [predict([*fold, *(second[h] for h in fold if h in second)])[fold] for fold in map(list, folds)]
    tested = np.concatenate(folds)
    least = settings.margin if rule == "margin" else 0.0
    return int(np.count_nonzero(_predicted_right(np.concatenate(difference), preferences[tested], least)))


def _predicted_right(difference: Vector, preferences: Vector, margin: float) -> Mask:
    """Return η_h. `difference` is G_h β, which is positive if the prediction agrees with a strict preference.

    `margin` is σ by the rule "margin" and 0 by the rule "sign".
    """
    return np.where(preferences == 0, np.abs(difference) <= margin, difference > margin)


def _leave_out_qp(program: Program, quick: bool) -> Callable[[Sequence[int]], Vector]:
    """Return a function that gives G β of the quadratic program without some rows."""
    K, lam = program.G @ program.G.T, program.regularization
    alpha, residual = dual(K, program.r, program.c, lam)
    check_residual(residual, len(alpha))
    Gb = K @ alpha / lam
    binding = alpha > 1e-9 * float(alpha.max())  # below that a multiplier is the solver's rounding error
    closed = _without_one(K / lam, program, np.where(binding, alpha, 0.0), quick)
    binds = binding.tolist()

    def predict(out: Sequence[int]) -> Vector:
        gone = [h for h in out if binds[h]]
        if not gone:  # rows with zero multipliers do not shape the solution
            return Gb
        if len(gone) == 1 and gone[0] in closed:
            return closed[gone[0]]
        stays = np.ones(len(alpha), dtype=bool)
        stays[out] = False
        kept = np.flatnonzero(stays)
        if not kept.size:
            return np.zeros(len(alpha))
        a, residual = dual(K[np.ix_(kept, kept)], program.r[kept], program.c[kept], lam, alpha[kept])
        check_residual(residual, len(kept))
        left: Vector = K[:, kept] @ a / lam
        return left

    return predict


def _without_one(Q: Matrix, program: Program, alpha: Vector, quick: bool) -> dict[int, Vector]:
    """Return G β without row h, by h, for the binding rows whose removal leaves the others free, at their bound, or at zero.

    Then only the free multipliers move, and linearly. With R = Q_FF⁻¹ they lose R_·h α_h / R_hh if row h is free itself, and
    gain R Q_Fh α_h if its multiplier is at the bound. All rows are tried at once. A result that violates the assumption is left
    to the solver; with `quick` it is kept as an estimate, the span rule of Chapelle and Vapnik.
    """
    r, c = program.r, program.c
    sigma = float(np.abs(r).max())
    binding, bound = np.flatnonzero(alpha > 0), alpha >= (1 - 1e-9) * c
    free = np.flatnonzero((alpha > 0) & ~bound)
    moved = np.repeat(alpha[:, None], binding.size, axis=1)
    if free.size:
        ridge = _RIDGE * float(Q.diagonal().max()) if quick else 0.0
        try:
            R = np.linalg.inv(Q[np.ix_(free, free)] + ridge * np.eye(free.size))
        except np.linalg.LinAlgError:
            return {}
        if not (R.diagonal() > 0).all() or not np.isfinite(R).all():  # the free rows depend on each other
            return {}
        change = np.empty((free.size, binding.size))
        change[:, ~bound[binding]] = -R / R.diagonal()
        change[:, bound[binding]] = R @ Q[np.ix_(free, binding[bound[binding]])]
        moved[free] += change * alpha[binding]
    moved[binding, np.arange(binding.size)] = 0.0
    Gb = Q @ moved
    if quick:
        return {int(h): Gb[:, column] for column, h in enumerate(binding)}
    # The optimality conditions of the rows that stay: at the bound a condition may be violated, at zero it may be exceeded, and
    # a free one must hold with equality.
    missing = (r[:, None] - Gb) / sigma
    wrong = np.where(bound[:, None], -missing, np.where((alpha > 0)[:, None], np.abs(missing), missing))
    wrong[binding, np.arange(binding.size)] = 0.0
    inside = ((moved >= 0) & (moved <= c[:, None])).all(axis=0)
    fits = inside & (wrong.max(axis=0) <= TOLERANCE)
    return {int(h): Gb[:, column] for column, h in enumerate(binding) if fits[column]}


def _leave_out_lp(program: Program) -> Callable[[Sequence[int]], Vector]:
    """Return a function that gives G β of the linear program without some rows.

    Every fold is solved. A zero multiplier tells that the same vertex stays optimal, but without the row the solver might have
    found another optimal vertex: this one may have been chosen to satisfy the row.
    """

    def predict(out: Sequence[int]) -> Vector:
        G, r, c = (np.delete(part, out, axis=0) for part in (program.G, program.r, program.c))
        kept = solve(Program(G, r, c, program.regularization))
        left: Vector = program.G @ kept.beta
        return left

    return predict

"""The paper's surrogate: a sum of radial basis functions that satisfies the preferences.

| symbol | meaning | shape |
|---|---|---|
| X | samples, one per row | N × n |
| φ, ε | radial basis function and its shape: f̂(x) = Σ β_i φ(ε d(x, x_i)) | |
| D² | squared distances of the samples | N × N |
| Ψ | φ(ε d(x_i, x_j)) | N × N |
| σ | the margin by which a better sample must be better | |
| b_h | −1, 0, 1: the preference of comparison h of samples i(h), j(h) | M |
| κ | "much better" (b_h = ±2, section 8) asks for a margin of κσ | |
| θ | thresholds between the levels of a judge's ratings, the highest first | levels − 1 |
| ω | factor of the slack weight of answers that the person was not sure of | |
| β | coefficients | N |

The paper's Eq. (distance) prints d as the square of the norm; φ = 1/(1 + ε²‖·‖²) and the weights 1/‖·‖² of the
exploration function show that d is the norm itself, as it is here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from prefero.answers import History, Leaning, Rating
from prefero.errors import InputError, number
from prefero.models.programs import TOLERANCE, Program, Solution, solve
from prefero.models.threads import one_thread
from prefero.space.arrays import Indices, Mask, Matrix, Vector, begins_with, bordered, squared_distances

BEST_WEIGHT = 10.0
"""Factor of the slack weight of a comparison with the current best. The paper has 1; 10 measured better."""
FREE = 10.0
"""Unit of the thresholds of ratings: the larger, the less the regularisation keeps them near 0."""
MUCH = 3.0
"""κ. Section 8 asks for "a much larger separation than σ" and leaves it open."""
REGULARIZATION = 1e-3
"""λ: the best of 1e-6 … 1e-1 in benchmarks. The paper leaves it open; 0 makes the program linear."""


def _thin_plate(s: Matrix) -> Matrix:
    """Return s log √s, and its limit 0 at 0."""
    return np.where(s > 0, 0.5 * s * np.log(np.where(s > 0, s, 1.0)), 0.0)


BASES: dict[str, Callable[[Matrix], Matrix]] = {
    "inverse quadratic": lambda s: 1 / (1 + s),
    "gaussian": lambda s: np.exp(-s),
    "thin plate spline": _thin_plate,
    "multiquadric": lambda s: np.sqrt(1 + s),
    "inverse multiquadric": lambda s: 1 / np.sqrt(1 + s),
    "linear": lambda s: np.sqrt(s),
}
"""φ(ε d) as functions of s = (ε d)²."""


def _thin_plate_slope(s: Matrix) -> Matrix:
    return np.where(s > 0, 0.5 * (np.log(np.where(s > 0, s, 1.0)) + 1), 0.0)


def _linear_slope(s: Matrix) -> Matrix:
    """Return dφ/ds of the linear basis; 0 at s = 0, where φ is not differentiable."""
    return np.where(s > 0, 0.5 / np.sqrt(np.where(s > 0, s, 1.0)), 0.0)


SLOPES: dict[str, Callable[[Matrix], Matrix]] = {
    "inverse quadratic": lambda s: -1 / (1 + s) ** 2,
    "gaussian": lambda s: -np.exp(-s),
    "thin plate spline": _thin_plate_slope,
    "multiquadric": lambda s: 0.5 / np.sqrt(1 + s),
    "inverse multiquadric": lambda s: -0.5 / (1 + s) ** 1.5,
    "linear": _linear_slope,
}
"""dφ/ds."""


@dataclass(frozen=True)
class Settings:
    """The settings of a surrogate: φ, ε, σ, λ, the slack weights c̄ by preference, whether f̂(x*) = 0, κ and ω."""

    basis: str = "inverse quadratic"
    shape: float = 1.0
    margin: float = 1.0
    regularization: float = REGULARIZATION
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    best_weight: float = BEST_WEIGHT
    normalize: bool = False
    much: float = MUCH
    unsure: float = 1.0


@dataclass(frozen=True)
class Distances:
    """Samples and their squared distances; adding a sample costs one row and one column."""

    X: Matrix
    D2: Matrix

    @classmethod
    def of(cls, X: Matrix) -> Distances:
        """Return the distances of all samples, computed from scratch."""
        return cls(X, squared_distances(X, X))

    def grown(self, X: Matrix) -> Distances:
        """Return the distances of X: only new ones are computed if X begins with these samples, otherwise all."""
        if not begins_with(X, self.X):
            return Distances.of(X)
        return Distances(X, bordered(self.D2, squared_distances(X[len(self.X) :], X)))


def matrix(D2: Matrix, settings: Settings) -> Matrix:
    """Return Ψ, Eq. (RBF-matrix)."""
    return np.asarray(BASES[settings.basis](settings.shape**2 * D2))


def slack_weights(
    pairs: Indices, preferences: Vector, best: int | None, settings: Settings, unsure: Mask | None = None
) -> Vector:
    """Return c_h for each comparison: by preference, larger with the current best, smaller if the person was not sure."""
    c = np.asarray(settings.weights)[preferences.astype(int) + 1]
    if best is not None:
        c = np.where((pairs == best).any(axis=1), settings.best_weight * c, c)
    if unsure is not None:
        c = np.where(unsure, settings.unsure * c, c)
    return np.asarray(c, dtype=float)


def conditions(
    Psi: Matrix, pairs: Indices, preferences: Vector, c: Vector, settings: Settings, margins: Vector | None = None
) -> tuple[Program, Indices]:
    """Return Eq. (RBF-pref) as rows G β ≥ r − ε, and the comparison that each row belongs to.

    Parameters
    ----------
    Psi: φ between all samples.
    pairs, preferences: the comparisons.
    c: their slack weights.
    settings: λ and σ.
    margins: by how much each better sample must be better; of a tie, by how much at most. By default σ.
    """
    # One row per strict answer, two opposite rows per tie: |f̂(x_i) − f̂(x_j)| ≤ σ + ε
    tie = np.flatnonzero(preferences == 0)
    of = np.concatenate([np.arange(len(pairs)), tie])
    difference = Psi[pairs[:, 0]] - Psi[pairs[:, 1]]  # Φ_h' of Eq. (solveP): f̂(x_i) − f̂(x_j) = Φ_h'β
    sign = np.where(preferences == 0, 1.0, preferences)
    G = np.concatenate([sign[:, None] * difference, -difference[tie]])
    asked = np.full(len(preferences), settings.margin) if margins is None else margins
    r = np.where(preferences == 0, -asked, asked)[of]
    return Program(G, r, c[of], settings.regularization), of


def banded(program: Program, Psi: Matrix, ratings: Sequence[Rating], settings: Settings) -> Program:
    """Return the program with the bands of section 8: f̂ of a rated sample lies between the thresholds of its level.

    The paper fixes the bands. Here the thresholds of each judge are further unknowns, σ or more apart, because the values of f̂
    have no scale of their own: θ_l ≤ f̂ − σ/2 for samples of level l or worse, f̂ ≤ θ_l − σ/2 for better ones, so that samples d
    levels apart differ by dσ or more. θ = `FREE` γ, and the γ are regularised with β, but hardly.
    """
    if not ratings:
        return program
    N, half = program.G.shape[1], settings.margin / 2
    levels = {rating.judge: rating.levels for rating in ratings}
    ends = N + np.cumsum([0, *(each - 1 for each in levels.values())])
    first, unit = dict(zip(levels, ends[:-1].tolist(), strict=True)), FREE * np.eye(ends[-1])
    rows: list[tuple[Vector, float, float]] = []  # G, r and c of each condition
    for rating in ratings:
        value, weight = np.pad(Psi[rating.sample], (0, ends[-1] - N)), 1.0 if rating.sure else settings.unsure
        threshold = first[rating.judge] + rating.level - 1  # to the next better level
        if rating.level < rating.levels:
            rows.append((value - unit[threshold], half, weight))
        if rating.level > 1:
            rows.append((unit[threshold - 1] - value, half, weight))
    for judge, count in levels.items():
        places = range(first[judge], first[judge] + count - 2)
        rows += [(unit[k] - unit[k + 1], settings.margin, settings.best_weight) for k in places]
    more, r, c = zip(*rows, strict=True)
    G = np.vstack([np.pad(program.G, ((0, 0), (0, ends[-1] - N))), *more])
    return Program(G, np.append(program.r, r), np.append(program.c, c), program.regularization)


def leaning(program: Program, X: Matrix, leanings: Sequence[Leaning], settings: Settings) -> Program:
    """Return the program with a row for each leaning: f̂ falls by σ or more per unit of the box, along it."""
    if not leanings:
        return program
    better, worse = (np.array(ends) for ends in zip(*(one.ends for one in leanings), strict=True))
    rows = matrix(squared_distances(worse, X), settings) - matrix(squared_distances(better, X), settings)
    rows /= np.abs(better - worse).sum(axis=1)[:, None]
    rows = np.pad(rows, ((0, 0), (0, program.G.shape[1] - len(X))))  # thresholds of ratings play no part
    r = np.append(program.r, np.full(len(rows), settings.margin))
    c = np.append(program.c, np.ones(len(rows)))
    return Program(np.vstack([program.G, rows]), r, c, program.regularization)


def projected(program: Program, psi: Vector) -> Program:
    """Return the program whose β satisfies ψ'β = 0, Eq. (RBF-normalize)."""
    psi = np.pad(psi, (0, program.G.shape[1] - len(psi)))  # thresholds of ratings are free
    G = program.G - np.outer(program.G @ psi, psi) / (psi @ psi)  # G (I − ψψ'/ψ'ψ): builds the equality in
    return Program(G, program.r, program.c, program.regularization)


def _without(beta: Vector, psi: Vector) -> Vector:
    """Return β without its component along ψ, which a linear program leaves undetermined."""
    return np.asarray(beta - psi * (psi @ beta) / (psi @ psi))


@dataclass(frozen=True)
class Surrogate:
    """f̂, Eq. (rbf), with the solution that gave β; lower is better."""

    X: Matrix
    beta: Vector
    settings: Settings
    solution: Solution
    values: Vector
    scale: Callable[[Matrix], Matrix] = field(default=lambda X: X, repr=False)

    def predict(self, X: ArrayLike) -> Vector:
        """Return f̂ at each row of X."""
        given, width = np.atleast_2d(_floats(X)), self.X.shape[1]
        if given.ndim != 2 or given.shape[1] != width or not np.isfinite(given).all():
            raise InputError.of("X", X, f"a matrix of finite numbers with {width} columns, as the samples have")
        return self.at_distances(squared_distances(self.scale(given), self.X))

    def at_distances(self, d2: Matrix) -> Vector:
        """Return f̂ of candidates from their squared distances to the samples."""
        predicted: Vector = BASES[self.settings.basis](self.settings.shape**2 * d2) @ self.beta  # Eq. (rbf)
        return predicted

    def slopes(self, d2: Matrix) -> Matrix:
        """Return ∂f̂/∂d² for each candidate and sample."""
        squared_shape = self.settings.shape**2
        return np.asarray(squared_shape * SLOPES[self.settings.basis](squared_shape * d2) * self.beta)

    @property
    def flat(self) -> bool:
        """Whether nothing was learned: β = 0 up to the solver's tolerance."""
        return float(np.ptp(self.values)) <= TOLERANCE * self.settings.margin

    @property
    def spread(self) -> float:
        """ΔF̂, Eq. (Delta F): the range of f̂ on the samples.

        The paper prints y = Mβ for y = Ψβ. It also states ΔF̂ ≥ σ, which fails if slacks were needed or every answer was a tie; the
        floor keeps the division by ΔF̂ finite.
        """
        return max(float(np.ptp(self.values)), 1e-6 * self.settings.margin)


def fit_history(history: History, distances: Distances, best: int | None, settings: Settings) -> Surrogate:
    """Return the surrogate of all answers.

    Parameters
    ----------
    history: the answers.
    distances: of the samples.
    best: the incumbent, None without one.
    settings: of the surrogate.
    """
    c = slack_weights(history.pairs, history.preferences, best, settings, history.unsure)
    zero_at = best if settings.normalize else None
    said = (history.pairs, history.preferences, margins(history, settings), c)
    return _fit(distances, *said, zero_at, settings, history.ratings, history.leanings)


def margins(history: History, settings: Settings) -> Vector:
    """Return σ for each comparison, and κσ where the better one is much better."""
    return np.where(history.strengths > 1, settings.much, 1.0) * settings.margin


def _fit(
    distances: Distances,
    pairs: Indices,
    preferences: Vector,
    margins: Vector,
    c: Vector,
    zero_at: int | None,
    settings: Settings,
    ratings: Sequence[Rating] = (),
    leanings: Sequence[Leaning] = (),
) -> Surrogate:
    """Return the surrogate of comparisons with slack weights c, of ratings and leanings; with `zero_at`, f̂ is 0 at that sample."""
    Psi = matrix(distances.D2, settings)
    program, _ = conditions(Psi, pairs, preferences, c, settings, margins)
    program = leaning(banded(program, Psi, ratings, settings), distances.X, leanings, settings)
    if zero_at is None:
        solution = solve(program)
        beta = solution.beta[: len(Psi)]
    else:
        solution = solve(projected(program, Psi[zero_at]))
        beta = _without(solution.beta[: len(Psi)], Psi[zero_at])
    return Surrogate(distances.X, beta, settings, solution, Psi @ beta)


@one_thread
def fit(
    X: ArrayLike,
    pairs: ArrayLike,
    *,
    ties: ArrayLike = (),
    bounds: tuple[ArrayLike, ArrayLike] | None = None,
    basis: str = "inverse quadratic",
    shape: float = 1.0,
    margin: float | None = None,
    regularization: float = REGULARIZATION,
    weights: ArrayLike = 1.0,
    zero_at: int | None = None,
    margins: ArrayLike = 1.0,
) -> Surrogate:
    """Return the paper's surrogate, without a study: `fit(X, pairs).predict(Z)`, lower is better.

    Parameters
    ----------
    X: samples, one per row.
    pairs: (winner, loser) row numbers, one pair per comparison.
    ties: pairs of row numbers that are about the same.
    bounds: (lower, upper) to scale X to [−1, 1]; without them X is used as it is.
    basis: φ, one of inverse quadratic, gaussian, thin plate spline, multiquadric, inverse multiquadric, linear.
    shape: ε.
    margin: σ, by default 1/N.
    regularization: λ, 0 for the linear program.
    weights: c, one for all or one per comparison, the ties last.
    zero_at: the row number of a sample at which f̂ is 0.
    margins: by how much the better sample must be better, in units of σ; one for all or one per pair. A tie's margin is σ.
    """
    samples, better, even, c = checked_data(X, pairs, ties, weights)
    settings = Settings(
        basis, shape, 1 / len(samples) if margin is None else margin, regularization, normalize=zero_at is not None
    )
    check_settings(settings)
    if zero_at is not None and (not isinstance(zero_at, int | np.integer) or not 0 <= zero_at < len(samples)):
        raise InputError.of("zero_at", zero_at, f"the number of a row of X, 0 to {len(samples) - 1}")
    scale = _scaler(bounds, samples.shape[1])
    preferences = np.concatenate([np.full(len(better), -1.0), np.zeros(len(even))])
    separations = settings.margin * np.concatenate([_checked_margins(margins, len(better)), np.ones(len(even))])
    compared = np.concatenate([better, even])
    fitted = _fit(Distances.of(scale(samples)), compared, preferences, separations, c, zero_at, settings)
    return replace(fitted, scale=scale)


def check_settings(settings: Settings) -> None:
    """Raise InputError for the first setting that is not allowed."""
    if not isinstance(settings.basis, str) or settings.basis not in BASES:
        raise InputError.of("basis", settings.basis, ", ".join(BASES))
    if not 1 <= number("much", settings.much) < np.inf:
        raise InputError.of("much", settings.much, "a number from 1 up")
    if not 0 < number("unsure", settings.unsure) <= 1:
        raise InputError.of("unsure", settings.unsure, "a number above 0, at most 1")
    for name in ("shape", "margin", "best_weight"):
        if not 0 < number(name, getattr(settings, name)) < np.inf:
            raise InputError.of(name, getattr(settings, name), "a positive number")
    if not 0 <= number("regularization", settings.regularization) < np.inf:
        raise InputError.of("regularization", settings.regularization, "a number from 0 up")
    if len(settings.weights) != 3 or not all(0 < number("weights", w) < np.inf for w in settings.weights):
        raise InputError.of("weights", settings.weights, "three positive numbers, for the preferences -1, 0 and 1")


def checked_data(
    X: ArrayLike, pairs: ArrayLike, ties: ArrayLike, weights: ArrayLike
) -> tuple[Matrix, Indices, Indices, Vector]:
    """Return samples, pairs, ties and weights as arrays; raise InputError for the first that is wrong."""
    samples = np.array(_floats(X))
    if samples.ndim != 2 or len(samples) < 2 or not np.isfinite(samples).all():
        raise InputError.of("X", X, "a matrix of finite numbers, one row per sample, at least two rows")
    better, even = (_checked_pairs(name, p, len(samples)) for name, p in (("pairs", pairs), ("ties", ties)))
    c, comparisons = _floats(weights), len(better) + len(even)
    if c.shape not in ((), (1,), (comparisons,)) or not ((c > 0) & np.isfinite(c)).all():
        raise InputError.of(
            "weights", weights, f"positive numbers, one for all or one for each of the {comparisons} comparisons"
        )
    return samples, better, even, np.array(np.broadcast_to(c, comparisons))


def _checked_margins(given: ArrayLike, pairs: int) -> Vector:
    """Return a margin for each pair, in units of σ."""
    each = _floats(given)
    if each.shape not in ((), (1,), (pairs,)) or not ((each > 0) & np.isfinite(each)).all():
        raise InputError.of("margins", given, f"positive numbers, one for all or one for each of the {pairs} pairs")
    return np.array(np.broadcast_to(each, pairs))


def _floats(given: ArrayLike) -> Matrix:
    """Return an array of numbers, or NaN if the argument is not numeric, for the caller to refuse."""
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.array(np.nan)


def _checked_pairs(name: str, pairs: ArrayLike, samples: int) -> Indices:
    """Return pairs of row numbers as an array; raise InputError if they are not."""
    try:
        array = np.asarray(pairs)
    except ValueError:
        array = np.array(np.nan)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.intp)
    whole = array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] == 2
    if not whole or array.min() < 0 or array.max() >= samples or (array[:, 0] == array[:, 1]).any():
        raise InputError.of(name, pairs, f"pairs of different row numbers, 0 to {samples - 1}")
    return array.astype(np.intp)


def _scaler(bounds: tuple[ArrayLike, ArrayLike] | None, n: int) -> Callable[[Matrix], Matrix]:
    """Return the map from user units to [−1, 1], Eq. (scaled-pref); without bounds, the identity."""
    if bounds is None:
        return lambda X: X
    try:
        low, high = (np.broadcast_to(np.asarray(bound, dtype=float), n) for bound in bounds)
    except (TypeError, ValueError):
        low = high = np.array(np.nan)
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        raise InputError.of("bounds", bounds, f"(lower, upper), {n} finite numbers each, lower below upper")
    return lambda X: (2 * X - low - high) / (high - low)

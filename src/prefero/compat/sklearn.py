"""A scikit-learn estimator of what a person prefers, learned from comparisons: `PreferenceModel().fit(X, pairs)`.

It needs scikit-learn: pip install 'prefero[sklearn]'.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from prefero.errors import InputError, PreferoError
from prefero.models.threads import one_thread
from prefero.proposers.learning import learn
from prefero.proposers.posterior import Posterior
from prefero.space import Space
from prefero.space.arrays import Indices, Matrix, Vector

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError:  # pragma: no cover
    raise PreferoError("prefero.compat.sklearn needs scikit-learn: pip install 'prefero[sklearn]'") from None


class PreferenceModel(BaseEstimator):  # type: ignore[misc]
    """The posterior of a person's utility, given comparisons; the model of prefero's default method.

    Parameters
    ----------
    bounds: (lower, upper) of the columns; by default the smallest box around X. `predict` moves rows outside it to its edge.
    noise: how noisy the answers are, as of `pf.Posterior`; learned if None.
    half_life: after how many answers an answer counts half, for a taste that changes; None if it does not.
    random_state: a whole number that makes the model repeatable.

    Attributes
    ----------
    learned_: what was learned, as `pf.learn` returns it: probabilities, importance, advice.
    best_: the number of the row of X that is recommended.
    n_features_in_, feature_names_in_: as of every estimator.
    """

    def __init__(
        self,
        bounds: Any = None,
        noise: float | None = None,
        half_life: float | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.bounds = bounds
        self.noise = noise
        self.half_life = half_life
        self.random_state = random_state

    def fit(self, X: Any, y: Any, ties: Any = ()) -> Self:
        """Learn from comparisons of rows of X.

        Parameters
        ----------
        X: what was compared, one row each.
        y: pairs (winner, loser) of row numbers, one per comparison. Or one number for each row, higher is better: only their
            order counts, and each row is compared with those that are 1, 2, 4, 8… places better.
        ties: pairs of row numbers that are about the same.
        """
        samples = validate_data(self, X, dtype=float, ensure_min_samples=2)
        better, even = _pairs(y, len(samples))
        equal = np.asarray(ties, dtype=float).reshape(-1, 2)
        space = Space.box(*_box(samples) if self.bounds is None else self.bounds)
        self.space_ = space
        self.learned_ = learn(
            samples,
            better,
            ties=np.vstack([equal, even]).astype(int),
            space=space,
            model=Posterior(noise=self.noise, half_life=self.half_life),
            seed=0 if self.random_state is None else self.random_state,
        )
        self.best_ = self.learned_.best
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the utility of each row, higher is better; with `return_std`, its standard deviation, too."""
        means, deviations = self.learned_of(X).utilities(list(self._points(X)))
        return (means, deviations) if return_std else means

    def predict_proba(self, X: Any, pairs: Any = None) -> Matrix:
        """Return for each pair of rows the probabilities that the person says the first, or the second, is better.

        Without pairs, each row is compared with the recommended one.
        """
        learned, points = self.learned_of(X), self._points(X)
        if pairs is None:
            best = learned.history.points[learned.best]
            others = np.tile(learned.space.decode(best), (len(points), 1)).astype(float)
            first = _predictions(learned, points, others)
        else:
            rows = _indices("pairs", pairs, len(points))
            first = _predictions(learned, points[rows[:, 0]], points[rows[:, 1]])
        return np.column_stack([first, 1 - first])

    def score(self, X: Any, y: Any) -> float:
        """Return the share of comparisons that the model predicts right; y as of `fit`."""
        utilities = self.predict(X)
        better, _ = _pairs(y, len(utilities))
        return float(np.mean(utilities[better[:, 0]] > utilities[better[:, 1]])) if len(better) else float("nan")

    def learned_of(self, X: Any) -> Any:
        """Return what was learned, once X is known to have the columns of the fitted one."""
        check_is_fitted(self)
        validate_data(self, X, dtype=float, reset=False)
        return self.learned_

    def _points(self, X: Any) -> Matrix:
        """Return rows within the box."""
        low, high = _bounds(self.space_)
        rows: Matrix = np.asarray(validate_data(self, X, dtype=float, reset=False))
        return np.clip(rows, low, high)


@one_thread
def _predictions(learned: Any, first: Matrix, second: Matrix) -> Vector:
    """Return the probability of each pair at once."""
    space = learned.space
    a, b = (np.array([space.encode(space.candidate(row)) for row in rows]) for rows in (first, second))
    return np.asarray(learned.utility.predictions(a, b))


def _box(samples: Matrix) -> tuple[Vector, Vector]:
    low, high = samples.min(axis=0), samples.max(axis=0)
    return low, np.where(high > low, high, low + 1.0)  # a constant column needs some width


def _bounds(space: Space) -> tuple[Vector, Vector]:
    reals = space.variables.values()
    return np.array([v.low for v in reals]), np.array([v.high for v in reals])  # type: ignore[attr-defined]


def _indices(argument: str, given: Any, count: int) -> Indices:
    """Return pairs of row numbers."""
    rows = np.asarray(given)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise InputError.of(argument, given, "rows of two row numbers")
    if rows.size and not (rows.min() >= 0 and rows.max() < count):
        raise InputError.of(argument, given, f"row numbers from 0 to {count - 1}")
    return rows.astype(np.intp)


def _pairs(given: Any, count: int) -> tuple[Indices, Indices]:
    """Return (winner, loser) pairs and pairs of equals, from pairs or from one number for each row."""
    if given is None:
        raise InputError("pairs: requires y to be passed, pairs (winner, loser) of row numbers; got None")
    values = np.asarray(given)
    if values.ndim == 2 and values.shape[1] == 2:
        return _indices("pairs", given, count), np.empty((0, 2), dtype=np.intp)
    if values.dtype.kind not in "fiub":
        raise InputError(
            f"pairs: Unknown label type: {values.dtype}; give row numbers, or one number for each row of X"
        )
    if values.shape not in ((count,), (count, 1)):
        raise InputError.of("pairs", given, f"rows (winner, loser), or one number for each of the {count} rows of X")
    scores = values.ravel().astype(float)
    if not np.isfinite(scores).all():
        raise InputError("pairs: Input y contains NaN or infinity")
    order = np.argsort(scores, kind="stable")
    strides = [2**k for k in range(count.bit_length()) if 2**k < count]
    steps = np.vstack([np.column_stack([order[stride:], order[:-stride]]) for stride in strides])
    same = scores[steps[:, 0]] == scores[steps[:, 1]]
    return steps[~same], steps[same & (np.arange(len(steps)) < count - 1)]

"""Answers as intervals of linear functionals of the utilities, the common form of every kind of answer.

The utility is u = −f, higher is better. Answer h is a statement about v_h = a_h'u(X) + e_h, e_h ~ N(0, 2ν²): v_h lies
between `low` and `high`.

| answer | a_h | interval |
|---|---|---|
| A better | e_A − e_B | (τ, ∞); τ = 0 until somebody says "about the same" |
| about the same | e_A − e_B | (−τ, τ) |
| A is not much better | e_A − e_B | (−∞, τ₂), τ₂ > τ, besides "A better", once somebody says "much" |
| A is much better | e_A − e_B | (τ₂, ∞), besides "A better" |
| more of a variable | (e_P − e_Q)/2h, P and Q on either side of A, 2h apart | (0, ∞) |
| A has level l of L | e_A, and −c | (s(l − 1 − L/2), s(l − L/2)); from −∞ for the worst level, to ∞ for the best |

A rating is an ordinal probit: the judge's thresholds are evenly spaced, s apart, around a centre c ~ N(0, CENTRE²). c is the
judge's own and is integrated out with the utilities: two ratings of one judge have CENTRE² as additional covariance. The levels
are noisier than comparisons; e_h has the additional variance (BLUR s)².

How much better is a statement of its own, which follows that of which is better: it is noisier, too, by the variance (BLUR τ₂)².

An answer that the person was not sure of has more noise: its e_h has the variance 2(ν² + ω²), ω given by the owner.

Without "not much better", the answers would always speak for the smallest τ₂, and it could not be learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr

from prefero.answers import History
from prefero.space.arrays import Indices, Mask, Matrix, Vector

CENTRE = 1.0
"""Standard deviation of the centre of a judge's scale, relative to that of the utility."""
BLUR = 1.5
"""Standard deviation of the noise of a rating besides that of a comparison, relative to the distance of two thresholds; of how
much better one is, relative to τ₂.

People's thresholds are not evenly spaced, and their levels are not always right. With 0.3, ratings did harm, docs/ratings.md; with
0, strengths did, docs/answers.md.
"""
VAGUE = 1.0
"""Standard deviation of the noise of a direction besides that of a comparison, relative to the utility, per half of a range.

A slope is often about 2. With 0.3, directions did harm: a derivative tells little about the distances that matter; docs/hints.md.
"""
SPACING = 0.6
"""s, until it is learned."""
_LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Statements:
    """low < w (u(first) − u(second)) + noise < high, one row per statement; `extra`: variance of its noise besides 2ν².

    judge: of a rating, a number for the judge; the statement is then about u(first) minus the centre of the judge's scale. −1 of
    a comparison. None if there are only comparisons. weight: w, not 1 of a leaning; None if there is none. amount: which of them
    say how much better the one is that the statement before calls better; None if none does.
    """

    first: Indices
    second: Indices
    low: Vector
    high: Vector
    extra: float | Vector = 0.0
    judge: Indices | None = None
    weight: Vector | None = None
    amount: Mask | None = None

    @classmethod
    def of(
        cls,
        history: History,
        tie: float,
        much: float = 0.0,
        unsure: float = 0.0,
        spacing: float | Mapping[str, float] = SPACING,
    ) -> Statements:
        """Return what the comparisons, ratings and leanings of a history say, in the order they were given.

        They are about the points of `History.spoken_of`.

        tie: τ, the difference below which two candidates seem the same. much: τ₂ − τ; with 0, "much better" is "better".
        unsure: ω, the additional noise of answers that the person was not sure of.
        spacing: s, of all judges or of each.
        """
        even = history.preferences == 0
        threshold = tie if even.any() else 0.0
        low, high = np.where(even, -threshold, threshold), np.where(even, threshold, np.inf)
        extra = np.where(history.unsure, 2 * unsure**2, 0.0) if unsure else 0.0
        said = cls(history.winners, history.losers, low, high, extra)
        if history.asides:
            said = said._with_asides(history, unsure, spacing)
        return said._with_amounts(history, threshold + much) if much and (history.strengths > 1).any() else said

    def _with_amounts(self, history: History, limit: float) -> Statements:
        """Return these statements and, after each comparison that is no tie, whether it is more or less than the limit τ₂."""
        better = np.flatnonzero(history.preferences)
        place = np.argsort(history.order)[better]
        strong = history.strengths[better] > 1
        rows = np.concatenate([np.arange(len(self)), place])
        order = np.argsort(rows, kind="stable")
        rows, amount = rows[order], order >= len(self)
        low, high = self.low[rows], self.high[rows]
        low[amount] = np.where(strong, limit, -np.inf)
        high[amount] = np.where(strong, np.inf, limit)
        return Statements(
            self.first[rows],
            self.second[rows],
            low,
            high,
            np.broadcast_to(self.extra, len(self))[rows] + (BLUR * limit) ** 2 * amount,
            None if self.judge is None else self.judge[rows],
            None if self.weight is None else self.weight[rows],
            amount,
        )

    def _with_asides(self, history: History, unsure: float, spacing: float | Mapping[str, float]) -> Statements:
        """Return these comparisons with the ratings and leanings of the history among them, in the order they were given."""
        rated, count, N = self._ratings(history, unsure, spacing), len(history.leanings), len(history.points)
        better = np.arange(N, N + count)  # the ends of the leanings follow the samples: `History.spoken_of`
        none, judged, weight = np.full(count, -1), None, None
        if rated.judge is not None:
            judged = np.concatenate([np.full(len(self), -1), rated.judge, none])[history.order]
        if count:
            # The derivative, per unit of the box, from two points that are near to each other
            apart = np.array([np.abs(np.subtract(*leaning.ends)).sum() for leaning in history.leanings])
            weight = np.concatenate([np.ones(len(self) + len(rated)), 1 / apart])[history.order]
        extra = [np.broadcast_to(part.extra, len(part)) for part in (self, rated)]
        return Statements(
            np.concatenate([self.first, rated.first, better])[history.order],
            np.concatenate([self.second, rated.second, better + count])[history.order],
            np.concatenate([self.low, rated.low, np.zeros(count)])[history.order],
            np.concatenate([self.high, rated.high, np.full(count, np.inf)])[history.order],
            np.concatenate([*extra, np.full(count, VAGUE**2)])[history.order],
            judged,
            weight,
        )

    @classmethod
    def _ratings(cls, history: History, unsure: float, spacing: float | Mapping[str, float]) -> Statements:
        """Return the ratings of a history."""
        if not history.ratings:
            return cls(history.rated, history.rated, np.zeros(0), np.zeros(0))
        names = {name: k for k, name in enumerate(history.judges)}
        judge = np.array([names[r.judge] for r in history.ratings])
        s = np.array([spacing[r.judge] if isinstance(spacing, Mapping) else spacing for r in history.ratings])
        level, levels = np.array([(r.level, r.levels) for r in history.ratings], dtype=float).T
        low = np.where(level == 1, -np.inf, s * (level - 1 - levels / 2))
        high = np.where(level == levels, np.inf, s * (level - levels / 2))
        doubt = np.array([0.0 if r.sure else 2 * unsure**2 for r in history.ratings])
        return cls(history.rated, history.rated, low, high, (BLUR * s) ** 2 + doubt, judge)

    @property
    def pairs(self) -> Mask:
        """Which statements are about two samples."""
        return np.ones(len(self), dtype=bool) if self.judge is None else self.judge < 0

    @property
    def answer(self) -> Indices:
        """The number of the answer that each statement belongs to."""
        return np.arange(len(self)) if self.amount is None else np.cumsum(~self.amount) - 1

    def __len__(self) -> int:
        return len(self.first)

    def relative_to(self, means: Vector) -> Statements:
        """Return the same statements about what the utilities exceed these prior means of the samples by."""
        offset = self._weights * (means[self.first] - self.pairs * means[self.second])
        return replace(self, low=self.low - offset, high=self.high - offset)

    def functionals(self, K: Matrix) -> Matrix:
        """Return K A': covariances of the functionals with whatever the rows of K stand for."""
        if self.judge is None and self.weight is None:
            return np.asarray(K[:, self.first] - K[:, self.second])
        return np.asarray(self._weights * (K[:, self.first] - self.pairs * K[:, self.second]))

    def covariance(self, K: Matrix) -> Matrix:
        """Return A K A', for ratings with the variance of the centre of each judge's scale."""
        KA = self.functionals(K)
        if self.judge is None and self.weight is None:
            return np.asarray(KA[self.first] - KA[self.second])
        C = np.reshape(self._weights, (-1, 1)) * (KA[self.first] - self.pairs[:, None] * KA[self.second])
        if self.judge is not None:
            C += CENTRE**2 * ((self.judge[:, None] == self.judge) & ~self.pairs)
        return np.asarray(C)

    def matrix(self, samples: int) -> Matrix:
        """Return A as a dense matrix, statements × samples."""
        A, rows = np.zeros((len(self), samples)), np.arange(len(self))
        A[rows, self.first] = 1.0
        A[rows[self.pairs], self.second[self.pairs]] = -1.0
        return A if self.weight is None else self.weight[:, None] * A

    @property
    def _weights(self) -> float | Vector:
        return 1.0 if self.weight is None else self.weight


def log_likelihood(g: Vector, statements: Statements, scale: float | Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Return log P(low < g + e < high), e ~ N(0, scale²), and its first three derivatives by g."""
    if np.isinf(statements.high).all():
        return _log_likelihood_above((g - statements.low) / scale, scale)
    a, b = (statements.low - g) / scale, (statements.high - g) / scale
    flip = a + b < 0  # by symmetry into the right tail, where the difference of two tail probabilities is accurate
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    log_a, log_b = log_ndtr(-a), log_ndtr(-b)  # of the upper tails
    # Z = Q(a) − Q(b) in logarithms, since both may underflow; the bound keeps rounding from making Z negative.
    log_z = log_a + np.log1p(-np.exp(np.minimum(log_b - log_a, -1e-300)))
    phi_a, phi_b = (np.exp(-0.5 * x * x - _LOG_SQRT_2PI - log_z) for x in (a, b))  # densities over Z
    far_a, far_b = (np.where(np.isfinite(x), x, 0.0) for x in (a, b))  # x φ(x) → 0 at infinity, not NaN
    rho = phi_a - phi_b
    m2 = far_a * phi_a - far_b * phi_b
    m3 = (far_a**2 - 1) * phi_a - (far_b**2 - 1) * phi_b
    sign = np.where(flip, -1.0, 1.0)
    d1 = sign * rho / scale
    d2 = (m2 - rho**2) / scale**2
    d3 = sign * (m3 - 3 * rho * m2 + 2 * rho**3) / scale**3
    return log_z, d1, d2, d3


def _log_likelihood_above(z: Vector, scale: float | Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the same if there is no upper bound, at z = (g − low)/scale."""
    log_z = log_ndtr(z)
    rho = np.exp(-0.5 * z * z - _LOG_SQRT_2PI - log_z)
    d2 = -rho * (z + rho)
    return log_z, rho / scale, d2 / scale**2, rho * (z * z - 1 + z * rho - 2 * d2) / scale**3

"""A utility for very many answers: the default's prior on a few hundred features, and Laplace's approximation of the posterior.

| symbol | meaning | shape |
|---|---|---|
| X, U | samples; a part of them, spread out and often compared: the inducing points | N × n, D × n |
| φ(z) | features of a point, K_UU^(−½) k(U, z), so that φ(y)'φ(z) is nearly k(y, z) | D |
| w | weights, N(0, I) a priori; the utility is u(z) = φ(z)'w | D |
| i, j | pairs that were asked about, each once | M |
| m, a | how often each pair was answered, and how often i won; a tie is half a win for each | M |
| θ | log length scales and the logit of the additive weight of the kernel, as in kernels.py | variables + 1 |
| s | how undecided people are: P(i wins) = σ((u_i − u_j)/s) | |
| r, c | slope and curvature of the log likelihood by u_i − u_j | M |
| ŵ, H | mode of the posterior, and the precision there, I + Φ'LΦ; L: Laplacian of the pairs' graph with weights c | D, D × D |

Repeated answers are counted, so that the cost is linear in the number of answers and of samples. No array has a row for each
answer and a column for each feature: Φ'LΦ goes through the samples. Up to D samples, the features lose nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.sparse import coo_array
from scipy.special import expit, log_expit, ndtr

from prefero.answers import History
from prefero.models import cholesky
from prefero.models.kernels import Groups, Kernel
from prefero.models.posterior import standard_improvement
from prefero.space.arrays import Indices, Matrix, Vector, squared_distances

FEATURES, TRIAL_FEATURES = 256, 128
"""D, and D while θ and s are chosen. Twice as many hardly rank candidates better; see docs/method.md."""
TRIAL_PAIRS, MOST_TRIALS = 1000, 150
"""Pairs that θ and s are chosen by, evenly taken, and the most values of them that are tried: this bounds the cost."""
FIRST_SCALE, SCALE_BOUNDS = 0.3, (0.01, 10.0)
"""The first value of s that is tried, and the range of the others."""
SCALE, ADDITIVE = (-1.0, 0.7), (0.0, 1.4)
"""Prior mean and spread of a log length scale, relative to log √n in the box [−1, 1], and of the logit of the additive weight."""
LOGISTIC = 1.7
"""σ(t/s) is about Φ(t / 1.7 s)."""
SETTLED = 1.0
"""The search for θ and s ends after a round that gains less log evidence."""
BLOCK = 2000
"""Points whose features are computed at once: the kernel needs several arrays of this many rows."""


@dataclass(frozen=True)
class Votes:
    """Answers counted by pair, i < j."""

    i: Indices
    j: Indices
    asked: Vector  # m
    won: Vector  # a

    @classmethod
    def of(cls, history: History) -> Votes:
        """Return the answers of a history, in time linear in their number."""
        samples = max(len(history.points), 1)
        first, second = history.pairs.T
        pair, which = np.unique(np.minimum(first, second) * samples + np.maximum(first, second), return_inverse=True)
        # π is −1 if the first one is better; the share of a win that goes to the smaller number of the two
        share = np.where(first < second, 1 - history.preferences, 1 + history.preferences) / 2
        asked, won = (np.bincount(which, weights).astype(float) for weights in (np.ones(len(which)), share))
        return cls(pair // samples, pair % samples, asked, won)

    def some(self, most: int) -> tuple[Indices, Votes]:
        """Return the samples of at most so many of the pairs, evenly taken, and those pairs with their numbers among them."""
        kept = np.arange(0, len(self.i), max(1, -(-len(self.i) // most)))
        samples, which = np.unique(np.concatenate([self.i[kept], self.j[kept]]), return_inverse=True)
        return samples, Votes(which[: len(kept)], which[len(kept) :], self.asked[kept], self.won[kept])

    def compared(self, samples: int) -> Vector:
        """Return how often each sample was compared."""
        return np.asarray(np.bincount(self.i, self.asked, samples) + np.bincount(self.j, self.asked, samples))


@dataclass(frozen=True)
class Features:
    """φ, as a function of points."""

    kernel: Kernel
    U: Matrix
    root: Matrix  # K_UU^(−½)

    @classmethod
    def of(cls, kernel: Kernel, U: Matrix) -> Features:
        """Return the features made of inducing points."""
        values, vectors = np.linalg.eigh(kernel(U, U))
        kept = values > 1e-9 * values[-1]
        return cls(kernel, U, vectors[:, kept] / np.sqrt(values[kept]))

    def __call__(self, Z: Matrix) -> Matrix:
        """Return φ(z), one row per point."""
        blocks = [self.kernel(Z[k : k + BLOCK], self.U) @ self.root for k in range(0, max(len(Z), 1), BLOCK)]
        return np.concatenate(blocks)


def inducing(X: Matrix, compared: Vector, count: int) -> Matrix:
    """Return the inducing points: all samples if there are few, or half those compared most often and half far from others.

    The second half covers the space. The first one is dense where the answers are, usually around the best samples.
    """
    if len(X) <= count:
        return X
    chosen = np.argsort(-compared, kind="stable")[: count // 2].tolist()
    nearest = squared_distances(X, X[chosen]).min(axis=1)
    while len(chosen) < count:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, squared_distances(X, X[chosen[-1:]])[:, 0])
    return np.asarray(X[chosen])


@dataclass(frozen=True)
class _Mode:
    """ŵ, the Cholesky factor of H, and the log evidence."""

    weights: Vector
    L: Matrix
    log_evidence: float


def _mode(Phi: Matrix, votes: Votes, s: float) -> _Mode:
    """Return Laplace's approximation, found by Newton's method with step halving."""
    N, D = Phi.shape
    i, j = votes.i, votes.j
    lost = votes.asked - votes.won

    def objective(w: Vector) -> tuple[float, Vector]:
        u = Phi @ w
        g = (u[i] - u[j]) / s
        return float(votes.won @ log_expit(g) + lost @ log_expit(-g) - 0.5 * w @ w), g

    w = np.zeros(D)
    value, g = objective(w)
    while True:
        p = expit(g)
        r, c = (votes.won - votes.asked * p) / s, votes.asked * p * (1 - p) / s**2
        degree = np.bincount(i, c, N) + np.bincount(j, c, N)
        everyone = np.arange(N)
        rows, columns = np.concatenate([everyone, i, j]), np.concatenate([everyone, j, i])
        laplacian = coo_array((np.concatenate([degree, -c, -c]), (rows, columns)), shape=(N, N)).tocsr()
        H = Phi.T @ (laplacian @ Phi)
        H.flat[:: D + 1] += 1.0
        L = cholesky.factor((H + H.T) / 2)
        step = cho_solve((L, True), Phi.T @ (np.bincount(i, r, N) - np.bincount(j, r, N)) - w)
        previous, length = value, 1.0
        while True:  # the objective is concave, but a full step may overshoot
            value, g = objective(w + length * step)
            if value >= previous - 1e-9 or length < 1e-4:
                break
            length /= 2
        w = w + length * step
        if value - previous < 1e-6 * (1 + abs(previous)):
            return _Mode(w, L, value - float(np.log(L.diagonal()).sum()))


def _fitted(X: Matrix, votes: Votes, groups: Groups) -> tuple[Vector, float]:
    """Return θ and s of largest evidence, found by a search along one of them after the other."""
    samples, votes = votes.some(TRIAL_PAIRS)
    X = X[samples]
    U = inducing(X, votes.compared(len(X)), TRIAL_FEATURES)
    n = len(groups)
    mean = np.append(np.full(n, SCALE[0] + 0.5 * np.log(n)), ADDITIVE[0])
    spread = np.append(np.full(n, SCALE[1]), ADDITIVE[1])
    low, high = np.append(np.full(n, np.log(0.05)), [-5, np.log(SCALE_BOUNDS[0])]), np.full(n + 2, np.log(30))
    high[n:] = 5, np.log(SCALE_BOUNDS[1])
    trials = 0

    def value(at: Vector) -> float:
        nonlocal trials
        trials += 1
        if trials > MOST_TRIALS or (at < low).any() or (at > high).any():
            return -np.inf
        t = (at[:-1] - mean) / spread
        Phi = Features.of(Kernel(at[:-1], groups), U)(X)
        return _mode(Phi, votes, float(np.exp(at[-1]))).log_evidence - 0.5 * float(t @ t)

    at = np.append(mean, np.log(FIRST_SCALE))
    best, before = value(at), -np.inf
    steps = np.diag(np.append(np.full(n, np.log(2)), [1.5, np.log(2)]))  # twice or half as long
    while best - before > SETTLED:
        before = best
        for step in (steps[-1], *steps[:-1]):  # s first: without it the evidence of the others means little
            for direction in (step, -step):
                while (found := value(at + direction)) > best:
                    best, at = found, at + direction
    return at[:-1], float(np.exp(at[-1]))


@dataclass(frozen=True)
class SparseUtilities:
    """The utilities given very many answers: a Gaussian in weight space."""

    X: Matrix
    features: Features
    weights: Vector  # ŵ
    L: Matrix  # LL' = H
    means: Vector  # of the samples
    scale: float  # s

    @classmethod
    def of(cls, history: History, groups: Groups) -> SparseUtilities:
        """Return the posterior of all answers of a history."""
        X, votes = history.points, Votes.of(history)
        theta, scale = _fitted(X, votes, groups)
        features = Features.of(Kernel(theta, groups), inducing(X, votes.compared(len(X)), FEATURES))
        Phi = features(X)
        mode = _mode(Phi, votes, scale)
        return cls(X, features, mode.weights, mode.L, Phi @ mode.weights, scale)

    def _spread(self, Phi: Matrix) -> Vector:
        """Return the standard deviation of φ'w for rows φ."""
        return np.asarray(np.sqrt((solve_triangular(self.L, Phi.T, lower=True) ** 2).sum(axis=0)))

    def utilities(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u at candidates."""
        Phi = self.features(Z)
        return Phi @ self.weights, self._spread(Phi)

    def weight_draws(self, rng: np.random.Generator, count: int) -> Matrix:
        """Return draws of w, one per column; the first ones do not depend on how many are drawn."""
        z = rng.standard_normal((count, len(self.weights))).T
        return np.asarray(self.weights[:, None] + solve_triangular(self.L, z, lower=True, trans="T"))

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of u at candidates: candidates × count."""
        return np.asarray(self.features(Z) @ self.weight_draws(rng, count))

    def draws_of_samples(self, among: Indices, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of u at some samples: samples × count."""
        return self.draws(self.X[among], rng, count)

    def differences(self, Y: Matrix, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of u(y) − u(z) for rows of Y and Z (or a single z)."""
        Phi = self.features(Y) - self.features(Z)
        return Phi @ self.weights, np.maximum(self._spread(Phi), 1e-6)

    def probabilities(self, Y: Matrix, Z: Matrix, said: bool = False) -> Vector:
        """Return the chance that u(y) > u(z), row by row; with `said`, that a judge will say so."""
        mean, sd = self.differences(Y, Z)
        return np.asarray(ndtr(mean / (np.hypot(sd, LOGISTIC * self.scale) if said else sd)))

    def improvements(self, Z: Matrix, best: int) -> Vector:
        """Return the expected improvement of each candidate over sample `best`."""
        mean, sd = self.differences(Z, self.X[best][None])
        return np.asarray(sd * standard_improvement(mean / sd))

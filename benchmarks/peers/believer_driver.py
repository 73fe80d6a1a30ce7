"""The hallucination believer of Takeno, Nomura and Karasuyama (2023): one draw of the answers' utilities is taken for the truth.

The skew Gaussian posterior of preferences is sampled by Gibbs. Given the draw, the utility is an ordinary Gaussian process, and the
next sample has the largest expected improvement over the best sample under it. The opponent is the sample of largest posterior
mean. Their kernel is squared exponential with hyperparameters that are fitted; here its length scale, the same for all variables,
has the largest marginal likelihood of the draw among a few.

With the option "thompson", the utility itself is drawn, as in Benavoli, Azzimonti and Piga (2021), and the next sample has the
largest drawn value among many candidates. The rest is the same.

| symbol | meaning | shape |
|---|---|---|
| A | one row an answer: u(winner) − u(loser) | M × N |
| v | A u plus noise, positive | M |
| S | covariance of v | M × M |
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtri_exp
from scipy.stats import norm, qmc

from benchmarks.functions import Array
from benchmarks.peers.wire import Judge, Start, serve

NOISE = 1e-2  # standard deviation of an answer's noise, for a utility of variance 1
SCALES = (0.1, 0.2, 0.4, 0.8)  # length scales in the unit cube, times √n
SWEEPS, KEPT = 60, 30  # of the Gibbs sampler; the mean is over the last ones
SPREAD, POLISHED = 1024, 3
NEAR = 0.1, 0.02, 0.005  # widths of the clouds around the opponent in which a drawn utility is looked at


def kernel(X: Array, Z: Array, scale: float) -> Array:
    """The squared exponential kernel."""
    d2 = ((X[:, None] - Z[None]) ** 2).sum(axis=2)
    return np.asarray(np.exp(-0.5 * d2 / scale**2))


def gibbs(S: Array, rng: np.random.Generator) -> Array:
    """Draws of v ~ N(0, S) with v > 0, one a row; the first half of the sweeps is dropped."""
    P = np.linalg.inv(S)
    v, draws = np.sqrt(np.diag(S)), []
    for sweep in range(SWEEPS):
        for j in range(len(v)):
            sd = 1 / np.sqrt(P[j, j])
            mean = v[j] - P[j] @ v / P[j, j]
            v[j] = max(mean - sd * ndtri_exp(np.log(rng.uniform()) + log_ndtr(mean / sd)), 1e-12)
        if sweep >= SWEEPS - KEPT:
            draws.append(v.copy())
    return np.array(draws)


class Model:
    """The answers so far."""

    def __init__(self, n: int) -> None:
        self.X = np.empty((0, n))
        self.answers: list[tuple[int, int]] = []  # winner, loser
        self._scale = SCALES[1] * np.sqrt(n)

    def _prior(self, scale: float) -> tuple[Array, Array]:
        A = np.zeros((len(self.answers), len(self.X)))
        for row, (winner, loser) in enumerate(self.answers):
            A[row, winner], A[row, loser] = 1.0, -1.0
        S = A @ kernel(self.X, self.X, scale) @ A.T + 2 * NOISE**2 * np.eye(len(A))
        return A, S

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array, Array, float]:
        """A, S⁻¹, draws of v and the length scale, which the last draw chooses for the next time."""
        A, S = self._prior(self._scale)
        draws = gibbs(S, rng)
        used, best = self._scale, -np.inf
        for factor in SCALES:
            scale = factor * np.sqrt(self.X.shape[1])
            _, T = self._prior(scale)
            evidence = -0.5 * float(np.linalg.slogdet(T)[1] + draws[-1] @ np.linalg.solve(T, draws[-1]))
            if evidence > best:
                best, self._scale = evidence, scale
        return A, np.asarray(np.linalg.inv(S), dtype=float), draws, used


class Hallucination:
    """The Gaussian process that is left of the utility once a draw of the answers' utilities is taken for the truth."""

    def __init__(self, model: Model, rng: np.random.Generator) -> None:
        A, G, draws, self._scale = model.draw(rng)
        self._X = model.X
        K = kernel(model.X, model.X, self._scale)
        self.opponent = int((K @ A.T @ G @ draws.mean(axis=0)).argmax())
        self._h, self._W = A.T @ G @ draws[-1], A.T @ G @ A
        self._best = float((K @ self._h).max())

    def lost(self, Z: Array) -> Array:
        """Minus the logarithm of the expected improvement over the best sample."""
        k = kernel(np.atleast_2d(Z), self._X, self._scale)
        sd = np.sqrt(np.maximum(1 - ((k @ self._W) * k).sum(axis=1), 1e-12))
        t = (k @ self._h - self._best) / sd
        return np.asarray(-np.log(np.maximum(sd * (norm.pdf(t) + t * norm.cdf(t)), 1e-300)))

    def drawn(self, Z: Array, rng: np.random.Generator) -> Array:
        """A draw of the utility at all candidates together."""
        k = kernel(Z, self._X, self._scale)
        C = kernel(Z, Z, self._scale) - k @ self._W @ k.T
        values, vectors = np.linalg.eigh(C)
        return np.asarray(k @ self._h + vectors @ (np.sqrt(np.maximum(values, 0)) * rng.standard_normal(len(Z))))


def propose(model: Model, rng: np.random.Generator, thompson: bool = False) -> tuple[int, Array]:
    """The sample of largest posterior mean, and its challenger."""
    given = Hallucination(model, rng)
    n, best = model.X.shape[1], model.X[given.opponent]
    if thompson:
        clouds = [best + width * rng.standard_normal((SPREAD // 16, n)) for width in NEAR]
        Z = np.vstack([qmc.Sobol(n, seed=rng).random(SPREAD // 2), *(np.clip(cloud, 0, 1) for cloud in clouds)])
        return given.opponent, Z[given.drawn(Z, rng).argmax()]
    near = best + 0.05 * rng.standard_normal((SPREAD // 4, n))
    Z = np.vstack([qmc.Sobol(n, seed=rng).random(SPREAD), np.clip(near, 0, 1)])
    starts = Z[np.argsort(given.lost(Z))[:POLISHED]]
    found = [minimize(lambda z: float(given.lost(z)[0]), z, method="L-BFGS-B", bounds=[(0, 1)] * n) for z in starts]
    return given.opponent, np.clip(np.asarray(min(found, key=lambda result: float(result.fun)).x), 0, 1)


def solve(start: Start, judge: Judge) -> int:
    """A Latin hypercube of 2n + 2 samples, never more than the paper's third, then the hallucination believer."""
    rng = np.random.default_rng(start.seed)
    lower, width = np.array(start.lower), np.array(start.upper) - np.array(start.lower)
    n = len(lower)
    count = max(2, min(2 * n + 2, start.initial))
    judge.start_clock()
    design = qmc.LatinHypercube(n, seed=rng).random(count)
    model, best = Model(n), 0
    thompson = bool(start.options.get("thompson"))
    model.X = design[:1]
    for asked in range(start.comparisons):
        first, new = (best, design[asked + 1]) if asked + 1 < count else propose(model, rng, thompson)
        model.X = np.vstack([model.X, new])
        last = len(model.X) - 1
        answer = judge.prefer(lower + width * new, lower + width * model.X[first])
        wins = answer == -1 or (answer == 0 and bool(rng.integers(2)))
        model.answers.append((last, first) if wins else (first, last))
        best = last if wins else first
        judge.recommend(lower + width * model.X[best])
    return count


if __name__ == "__main__":
    serve(solve, ["numpy", "scipy"])

"""Logit models of choices: one person's weights with a normal prior, and the population that people come from.

Utility is u(x) = w·x plus Gumbel noise of scale 1, so weights are in units of the noise. A choice among alternatives then has
the multinomial logit's likelihood, and an answer about two has logistic noise of scale 1.

| symbol | meaning | shape |
|---|---|---|
| D | chosen minus other alternatives | (choices, others, n) |
| w | a person's weights | n |
| m, S | mean and covariance of the weights in the population | n, (n, n) |
| q | probabilities of the alternatives that were not chosen | (choices, others) |
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

from benchmarks.functions import Array

NEWTON_STEPS, NEWTON_TOLERANCE = 50, 1e-9
EM_STEPS, EM_DRAWS = 25, 200
LEAST_VARIANCE = 1e-6  # keeps the covariance of a uniform population invertible
FOLDS, LEAST_PROBABILITY = 3, 1e-12
RIDGES = tuple(4.0**k for k in range(-3, 5))
"""Prior variances of a weight that are compared for the ridge logit."""


@dataclass(frozen=True, eq=False)
class Population:
    """Normal weights: people differ as m and S say."""

    mean: Array
    covariance: Array

    def draw(self, rng: np.random.Generator, people: int) -> Array:
        """Weights of new people, one person a row."""
        return rng.multivariate_normal(self.mean, self.covariance, people, method="cholesky")


@dataclass(frozen=True, eq=False)
class Weights:
    """Laplace's approximation to the posterior of one person's weights."""

    mode: Array
    covariance: Array
    evidence: float  # log

    def probabilities(self, differences: Array) -> Array:
        """That the first of two alternatives is chosen, given first minus second; averaged over the weights."""
        # MacKay's approximation of the mean of a logistic function under a normal distribution.
        variance = np.einsum("ki,ij,kj->k", differences, self.covariance, differences)
        return np.asarray(expit(differences @ self.mode / np.sqrt(1 + np.pi / 8 * variance)))


def log_likelihood(D: Array, w: Array) -> Array:
    """Of choices, for weights w (n,) or several (draws, n)."""
    u = np.einsum("ckn,...n->...ck", D, w)
    return np.asarray(-np.logaddexp(0.0, logsumexp(-u, axis=-1)).sum(axis=-1))


def fit(D: Array, prior: Population, start: Array | None = None) -> Weights:
    """The posterior of weights by Newton's method with halved steps."""
    precision = np.linalg.inv(prior.covariance)

    def objective(w: Array) -> float:
        return float(log_likelihood(D, w)) - 0.5 * float((w - prior.mean) @ precision @ (w - prior.mean))

    w = prior.mean if start is None else start
    value, H = objective(w), precision
    for _ in range(NEWTON_STEPS):
        q = _not_chosen(D, w)
        pull = np.einsum("ck,ckn->cn", q, D)
        H = precision + np.einsum("ck,ckn,ckm->nm", q, D, D) - pull.T @ pull
        step = np.linalg.solve(H, pull.sum(axis=0) - precision @ (w - prior.mean))
        while (new := objective(w + step)) < value - NEWTON_TOLERANCE:
            step = step / 2
        w, gain, value = w + step, new - value, new
        if gain < NEWTON_TOLERANCE:
            break
    _, log_det = np.linalg.slogdet(H @ prior.covariance)
    return Weights(w, np.linalg.inv(H), value - 0.5 * float(log_det))


def _not_chosen(D: Array, w: Array) -> Array:
    u = D @ w
    return np.asarray(np.exp(-u - np.logaddexp(0.0, logsumexp(-u, axis=1))[:, None]))


def ridge(people: Sequence[Array]) -> Population:
    """The prior of a ridge logit: mean 0, and the one variance of largest evidence over all people."""
    return max(_ridges(people), key=lambda prior: sum(fit(D, prior).evidence for D in people))


def ridge_by_prediction(people: Sequence[Array]) -> Population:
    """The prior whose variance best predicts each third of people's choices from the rest.

    The weights of real people have means other than 0 and differ in size. The evidence then chooses a variance that is too small.
    """

    def log_score(D: Array, prior: Population) -> float:
        parts = np.arange(len(D)) % FOLDS
        held = [D[parts == part] for part in range(FOLDS)]
        fits = [fit(D[parts != part], prior) for part in range(FOLDS)]
        scores = (
            np.log(np.maximum(weights.probabilities(some.reshape(-1, D.shape[-1])), LEAST_PROBABILITY)).sum()
            for weights, some in zip(fits, held, strict=True)
        )
        return float(sum(scores))

    return max(_ridges(people), key=lambda prior: sum(log_score(D, prior) for D in people))


def _ridges(people: Sequence[Array]) -> list[Population]:
    n = people[0].shape[-1]
    return [Population(np.zeros(n), variance * np.eye(n)) for variance in RIDGES]


@dataclass(frozen=True, eq=False)
class Moments:
    """First and second moments of each person's weights, given the person's choices."""

    first: Array  # (people, n)
    second: Array  # (people, n, n)

    def population(self, without: int | None = None) -> Population:
        """Mean and covariance over people, or over all but one."""
        others = np.arange(len(self.first)) != without
        mean = self.first[others].mean(axis=0)
        covariance = self.second[others].mean(axis=0) - np.outer(mean, mean)
        return Population(mean, covariance + LEAST_VARIANCE * np.eye(len(mean)))


def mixed(people: Sequence[Array], seed: int = 0) -> Moments:
    """The mixed logit with normal weights, by Monte Carlo EM: `.population()` is the fitted one.

    The expectations are by importance sampling around each person's mode. The same standard normal draws serve every step,
    so that the steps converge.
    """
    n = people[0].shape[-1]
    draws = np.random.default_rng(seed).standard_normal((len(people), EM_DRAWS, n))
    prior, modes = ridge(people), [np.zeros(n) for _ in people]
    for _ in range(EM_STEPS):
        fits = [fit(D, prior, mode) for D, mode in zip(people, modes, strict=True)]
        modes = [weights.mode for weights in fits]
        each = [_moments(D, prior, weights, z) for D, weights, z in zip(people, fits, draws, strict=True)]
        moments = Moments(np.array([first for first, _ in each]), np.array([second for _, second in each]))
        prior = moments.population()
    return moments


def _moments(D: Array, prior: Population, weights: Weights, z: Array) -> tuple[Array, Array]:
    """The moments of one person's weights from draws of Laplace's approximation, weighted by the posterior."""
    w = weights.mode + z @ np.linalg.cholesky(weights.covariance).T
    off = w - prior.mean
    log_prior = -0.5 * np.einsum("dn,dn->d", off, np.linalg.solve(prior.covariance, off.T).T)
    log_weight = log_likelihood(D, w) + log_prior + 0.5 * (z * z).sum(axis=1)
    p = np.exp(log_weight - logsumexp(log_weight))
    return p @ w, np.einsum("d,dn,dm->nm", p, w, w)

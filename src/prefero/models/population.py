"""The prior that other people's answers, or earlier studies, give: how tastes differ from person to person.

| symbol | meaning | shape |
|---|---|---|
| ψ | functions whose weighted sum is a utility: the coordinates, and smooth functions (`prior.Basis`) | D |
| w_s, V_s | mean and covariance of the weights of source s, given its answers | D, D × D |
| a_s | how much source s counts for a new person | |
| κ | people that nobody knows, counted with the sources | |
| m, S | mean and covariance of the weights of a new person | D, D × D |

A source is one person's answers, or one earlier study. Every utility is taken as w'ψ(x). The weights of a new person have the mean
and covariance of the weights of the sources, and of κ people that nobody knows: few sources say less than many. The sources' own
weights are estimated with that prior in turn, a few times over (expectation maximisation). A source counts by how well its utility
explains what the new person has answered, so that a misleading one counts for nothing after a few answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, log_ndtr

from prefero.answers import History
from prefero.models import laplace
from prefero.models.kernels import Groups
from prefero.models.posterior import posterior
from prefero.models.prior import Basis, Prior, prior
from prefero.models.statements import Statements
from prefero.space.arrays import Matrix, Vector

UNKNOWN = 1.0
"""κ."""
ROUNDS = 3
"""Rounds of expectation maximisation: more make the population too uniform."""
MOST_SOURCES, MOST_ANSWERS, MOST_POINTS = 300, 150, 128
"""The last sources, the last answers of each, and points of the basis: they bound time and memory."""
_TIE = 0.1
"""τ of the sources."""
_SPREAD = 0.05
"""Variance of a difference of utilities that a source leaves open: it keeps a few answers from deciding about a source."""
_JITTER = 1e-6
"""Added to s(P, P), which is nearly singular if points are near each other."""


@dataclass(frozen=True)
class Settings:
    """What the sources are fitted with.

    scale, additive: of the smooth kernel, see `prior.prior`.
    linears: values of λ to choose from, for all sources together.
    noise: ν of the sources.
    """

    scale: float
    additive: float
    linears: tuple[float, ...]
    noise: float


@dataclass(frozen=True, eq=False)
class Others:
    """The answers of other people or earlier studies, one history each, and points of the space besides theirs."""

    histories: tuple[History, ...]
    points: Matrix
    _fitted: dict[tuple[tuple[int, ...], Settings], Population] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.histories)

    def population(self, groups: Groups, settings: Settings) -> Population:
        """Return the population that the sources come from; computed once."""
        key = (tuple(place.stop for place in groups), settings)
        if key not in self._fitted:
            self._fitted[key] = _fit(self, groups, settings)
        return self._fitted[key]

    @property
    def shown(self) -> Matrix:
        """The samples of all sources and the other points."""
        return np.vstack([*(history.points for history in self.histories), self.points])


@dataclass(frozen=True, eq=False)
class Population:
    """The weights of the sources, and of people that nobody knows."""

    basis: Basis
    means: Matrix  # w_s: sources × D
    seconds: Matrix  # V_s + w_s w_s': sources × D × D
    unknown: Matrix  # covariance of the weights of a person that nobody knows: D × D
    noise: float

    def prior(self, history: History | None = None) -> Prior:
        """Return the prior of a person with these answers, if there are any."""
        a = np.ones(len(self.means)) if history is None or not len(history) else self.counts(history)
        people = a.sum() + UNKNOWN
        m = a @ self.means / people
        S = (np.tensordot(a, self.seconds, 1) + UNKNOWN * self.unknown) / people - np.outer(m, m)
        return Prior(self.basis.smooth, 0.0, m, (S + S.T) / 2, self.basis)

    def promising(self, Z: Matrix, hope: float) -> Matrix:
        """Return two of some candidates: of largest mean, and of largest mean plus `hope` standard deviations of its lead."""
        known = self.prior()
        mean = known.mean(Z)
        best = int(mean.argmax())
        lead = known.variance(Z) + known.variance(Z[best][None]) - 2 * known(Z, Z[best][None])[:, 0]
        hopeful = mean + hope * np.sqrt(np.maximum(lead, 0.0))
        hopeful[best] = -np.inf
        return Z[[best, int(hopeful.argmax())]]

    def counts(self, history: History) -> Vector:
        """Return how much each source counts: the chance that it explains a person's answers better than a coin does."""
        F = self.basis(history.points)
        said = history.preferences != 0  # a tie speaks neither for nor against a source
        leads = self.means @ (F[history.winners] - F[history.losers])[said].T
        return np.asarray(expit((log_ndtr(leads / np.sqrt(2 * self.noise**2 + _SPREAD)) + np.log(2)).sum(axis=1)))


def _fit(others: Others, groups: Groups, settings: Settings) -> Population:
    """Return the population, by expectation maximisation."""
    histories = [history.last(MOST_ANSWERS) for history in others.histories[-MOST_SOURCES:]]
    basis = _basis(others, groups, settings)
    d, p = groups[-1].stop, basis.R.shape[1]
    # λ is chosen for all sources together: one person's answers hardly tell it.
    unknowns = [np.diag(np.r_[np.full(d, linear * 3 / d), np.full(p, 1 - linear)]) for linear in settings.linears]
    starts = [[_weights(basis, each, np.zeros(d + p), S, settings.noise) for each in histories] for S in unknowns]
    best = int(np.argmax([sum(evidence for _, _, evidence in fits) for fits in starts]))
    found = Population(basis, *_moments(starts[best]), unknowns[best], settings.noise)
    for _ in range(ROUNDS - 1):
        shared = found.prior()
        fits = [_weights(basis, each, shared.m, shared.S, settings.noise) for each in histories]
        found = Population(basis, *_moments(fits), unknowns[best], settings.noise)
    return found


def _basis(others: Others, groups: Groups, settings: Settings) -> Basis:
    """Return functions that can follow the sources' utilities: where the sources have samples, and elsewhere."""
    own = np.unique(others.shown[: -len(others.points) or None], axis=0)
    if len(own) > MOST_POINTS:  # every so many, in an order without meaning: spread over all sources
        order = np.random.default_rng(0).permutation(len(own))
        own = own[np.sort(order[:MOST_POINTS])]
    P = np.unique(np.vstack([own, others.points[: MOST_POINTS - len(own)]]), axis=0)
    smooth = prior(groups, 0.0, settings.scale, settings.additive).smooth
    L = np.linalg.cholesky(smooth(P, P) + _JITTER * np.eye(len(P)))
    return Basis(smooth, P, np.linalg.inv(L).T)


def _weights(basis: Basis, history: History, m: Vector, S: Matrix, noise: float) -> tuple[Vector, Matrix, float]:
    """Return mean and covariance of one source's weights, and the log evidence of its answers."""
    fit = posterior(
        Prior(basis.smooth, 0.0, m, S, basis), history.points, Statements.of(history, _TIE), noise, laplace.sites
    )
    SF = S @ basis(history.points).T
    return m + SF @ fit.h, S - SF @ fit.G @ SF.T, fit.sites.log_evidence


def _moments(fits: Sequence[tuple[Vector, Matrix, float]]) -> tuple[Matrix, Matrix]:
    """Return first and second moments of the weights of each source."""
    means = np.array([w for w, _, _ in fits])
    return means, np.array([V for _, V, _ in fits]) + means[:, :, None] * means[:, None, :]

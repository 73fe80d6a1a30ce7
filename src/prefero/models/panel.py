"""The utilities of several judges: one part that they share, and one of each judge's own.

| symbol | meaning | shape |
|---|---|---|
| J | judges | |
| ρ | how alike they are: the share of the common part in the variance of a utility | |
| R | ρ + (1 − ρ) I: correlation of the judges' utilities | J × J |
| j_h | the judge of answer h | M |
| ν_j | standard deviation of the noise of judge j | J |
| w | weights of the judges, which sum to one | J |

u_j(x) = c(x) + o_j(x) with covariance k(x, x') R_jj'. Answer h is about u_j(A) − u_j(B), j = j_h, so that the functionals of the
answers have the covariance of one person's, each entry times R. Expectation propagation does the rest, with a noise per answer.

The mean utility Σ_j w_j u_j has the prior covariance s k, s = w'Rw, and its covariance with answer h is that of one person's
utility times (Rw)_{j_h}. One judge's utility is the mean with all weight on that judge. Each is a `Utilities` as a single person's
is, with answers that bear on it more or less.

ρ, λ and the length scales are chosen by evidence. ν_j is chosen by how well the judge's answers are predicted from all others,
each left out in turn: expectation propagation has these predictions (its cavities), so that many judges cost no more than few. A
judge who is predicted no better than a coin's tosses gets the coin's ν, whatever the reason: the answers are random, or always
about the left side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy.special import logsumexp

from prefero.answers import History
from prefero.models.expectation import JITTER, Sites, left_out, propagate, tilted
from prefero.models.person import LEAST_WEIGHT, MOST_ANSWERS, Averaged, Grid, Person
from prefero.models.posterior import Others, Utilities, covariances
from prefero.models.prior import Prior
from prefero.models.statements import SPACING, Statements
from prefero.space.arrays import Indices, Mask, Matrix, Vector

PriorOf: TypeAlias = Callable[[float, float], Prior]
"""The prior for a value of λ and the log of the length scales."""
Approximation: TypeAlias = Callable[..., Sites]
"""`expectation.propagate` or `laplace.sites`."""
ALIKE = (0.0, 0.3, 0.6, 0.8, 0.95)
"""Values of ρ to choose from. The largest is not 1: then any disagreement would be noise."""
SMOOTH_ODDS = 4.0
"""The log of the prior odds of the largest length scales. Answers hardly tell, and the mean of several tastes depends on it."""
FEW, CLEARED, ACCUSED = 8, 1.0, -2.0
"""From so many answers on, a judge may toss a coin: if the answers are predicted better than that by less than `CLEARED`, in nats,
with the judge's own noise, and worse than that by more than −`ACCUSED` with the usual noise of the panel."""
SPACING_OF = "spacing of "
"""How the choice of a judge's s is called, before the judge's name."""
ROUNDS = 3
"""How often ρ, λ and the noises are chosen again given each other."""


@dataclass(frozen=True)
class Panel:
    """Who answered, what is known of each, and after how many answers that was chosen.

    noises: ν of each judge. scale: log of the length scales, as in `prior`. coin: the ν of somebody who tosses a coin.
    unsure: as of `Person`. spacings: s of each judge who rated. rated: after how many ratings.
    """

    names: tuple[str, ...]
    noises: tuple[float, ...]
    alike: float
    tie: float
    linear: float
    scale: float
    coin: float
    answered: int = 0
    much: float = 0.0
    unsure: float = 0.0
    spacings: tuple[tuple[str, float], ...] = ()
    rated: int = 0

    @property
    def found_out(self) -> tuple[bool, ...]:
        """Whose answers are no better than a coin's."""
        return tuple(noise >= self.coin for noise in self.noises)

    @property
    def reliabilities(self) -> Vector:
        """How often each judge tells the better of two candidates drawn at random: 1 always, 0.5 by chance."""
        # Differences of two utilities and of two noises have standard deviations √2 and √2 ν.
        return np.asarray(0.5 + np.arctan2(1.0, self.noises) / np.pi)

    def weights(self, given: Sequence[float] | None = None) -> Vector:
        """Return w from weights of any sum; who was found out has none, unless everybody was."""
        weights = np.ones(len(self.names)) if given is None else np.array(given, dtype=float)
        counted = np.where(self.found_out, 0.0, weights)
        counted = counted if counted.any() else weights if weights.any() else np.ones(len(weights))
        return np.asarray(counted / counted.sum())

    def extended(self, names: tuple[str, ...], noise: float) -> Panel:
        """Return the panel with new judges of that noise."""
        known = dict(zip(self.names, self.noises, strict=True))
        return replace(self, names=names, noises=tuple(known.get(name, noise) for name in names))


@dataclass(frozen=True)
class PanelUtilities:
    """The posterior of all judges' utilities."""

    panel: Panel
    prior: Prior
    X: Matrix
    statements: Statements
    judge: Indices
    K: Matrix
    C: Matrix
    sites: Sites

    @property
    def R(self) -> Matrix:  # noqa: N802
        """Correlations of the judges' utilities."""
        return _correlations(self.panel)

    @cached_property
    def noises(self) -> Vector:
        """ν of each answer."""
        return np.array(self.panel.noises)[self.judge]

    def mean(self, weights: Vector) -> Utilities:
        """Return the posterior of the weighted mean of the judges' utilities."""
        R = self.R
        scale = float(weights @ R @ weights)
        others = Others(self.C, self.noises, (R @ weights)[self.judge] / scale)
        noise = float(weights @ np.array(self.panel.noises))
        return Utilities(self.prior.scaled(scale), self.X, self.statements, noise, scale * self.K, self.sites, others)

    def of(self, judge: str) -> Utilities:
        """Return the posterior of one judge's utilities; of an unknown one's, what the others say about anybody's."""
        names = self.panel.names
        if judge in names:
            return self.mean(np.eye(len(names))[names.index(judge)])
        loads = np.full(len(self.judge), self.panel.alike)
        noise = float(np.median(self.panel.noises))
        return Utilities(
            self.prior, self.X, self.statements, noise, self.K, self.sites, Others(self.C, self.noises, loads)
        )

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of all judges' utilities at a few candidates: judges × candidates × count."""
        k = self.statements.functionals(self.prior(Z, self.X))  # candidates × answers
        loads = self.R[:, self.judge]  # judges × answers
        q = (loads[:, None, :] * k).reshape(-1, len(self.judge))
        covariance = np.kron(self.R, self.prior(Z, Z)) - q @ self.sites.W @ q.T
        mean = np.tile(self.prior.mean(Z), len(loads)) + q @ self.sites.alpha
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        drawn = vectors * np.sqrt(np.maximum(values, 0.0)) @ rng.standard_normal((len(mean), count))
        return np.asarray(mean[:, None] + drawn).reshape(len(loads), len(Z), count)

    @property
    def asked(self) -> Vector:
        """1 of each answer's first statement, 0 of how much better something is."""
        return np.diff(self.statements.answer, prepend=-1).astype(float)

    def predicted(self, noises: Sequence[float]) -> Matrix:
        """Return the log probability of each judge's answers, each answer predicted from all others: judges × values of ν.

        Of how much better something is, it is not asked; but what an answer says of that is left out, too.
        """
        centre, cavity = left_out(self.C, self.statements, self.sites)
        relative = self.statements.relative_to(self.prior.mean(self.X))
        count = len(self.panel.names)
        logs = [tilted(centre, cavity + 2 * noise**2 + relative.extra + JITTER, relative)[0] for noise in noises]
        return np.column_stack([np.bincount(self.judge, each * self.asked, minlength=count) for each in logs])


def _correlations(panel: Panel) -> Matrix:
    return np.asarray(panel.alike + (1 - panel.alike) * np.eye(len(panel.names)))


def believed(
    history: History,
    prior_of: PriorOf,
    panel: Panel,
    before: PanelUtilities | None = None,
    approximation: Approximation = propagate,
) -> PanelUtilities:
    """Return the posterior of the judges' utilities; expectation propagation continues from `before`."""
    prior, X = prior_of(panel.linear, panel.scale), history.spoken_of
    spacing = dict.fromkeys(panel.names, SPACING) | dict(panel.spacings)
    statements = Statements.of(history, panel.tie, panel.much, panel.unsure, spacing)
    place = {name: k for k, name in enumerate(panel.names)}
    judge = np.array([place[each.judge] for each in history.in_order], dtype=np.intp)[statements.answer]
    K = covariances(prior, X, before)
    C = statements.covariance(K) * _correlations(panel)[np.ix_(judge, judge)]
    noises = np.array(panel.noises)[judge]
    more = {} if before is None else {"start": before.sites}
    sites = approximation(C, statements.relative_to(prior.mean(X)), noises, **more)
    return PanelUtilities(panel, prior, X, statements, judge, K, C, sites)


def first_panel(history: History, person: Person, coin: float, scale: float) -> Panel:
    """Return a panel before anything is known about it: all as noisy as that person."""
    names = history.judges
    noises = (person.noise,) * len(names)
    return Panel(
        names, noises, ALIKE[2], person.tie, person.linear, scale, coin, much=person.much, unsure=person.unsure
    )


def chosen(history: History, prior_of: PriorOf, grid: Grid, scales: Sequence[float], start: Panel) -> Panel:
    """Return the panel that the answers speak for.

    Parameters
    ----------
    history: the answers.
    prior_of: the prior for a value of λ and of the length scales.
    grid: values of ν, τ and λ to choose from.
    scales: logs of the length scales to choose from; the last is the likeliest, by `SMOOTH_ODDS`.
    start: what to begin with. Nobody is thought to toss a coin until the end: a taste of their own might explain the answers.
    """
    recent, usual = history.last(MOST_ANSWERS), grid.noise[len(grid.noise) // 2]
    panel = replace(start, noises=tuple(min(noise, max(usual, grid.noise[0])) for noise in start.noises))
    ties = grid.tie if (history.preferences == 0).any() else (start.tie,)
    muches = grid.much if (history.strengths > 1).any() else (start.much,)
    raters = {f"{SPACING_OF}{rating.judge}": grid.spacing for rating in recent.ratings}
    choices = {"tie": ties, "much": muches, **raters, "alike": ALIKE, "scale": scales, "linear": grid.linear}

    def best(panel: Panel, names: Sequence[str], before: PanelUtilities | None) -> PanelUtilities:
        """Return the posterior with ρ, λ, … of largest evidence, one after the other."""
        for name in names:
            tried = []
            for value in choices[name]:
                before = believed(recent, prior_of, _with(panel, name, value), before)
                odds = grid.log_odds(before.panel.linear) + SMOOTH_ODDS * (before.panel.scale == scales[-1])
                tried.append((before.sites.log_evidence + odds, before))
            before = max(tried, key=lambda each: each[0])[1]
            panel = before.panel
        assert before is not None
        return before

    believing = None
    for _ in range(ROUNDS):
        believing = best(panel, list(choices), believing)
        picked = believing.predicted(grid.noise).argmax(axis=1)
        panel = replace(believing.panel, noises=tuple(grid.noise[k] for k in picked))
        if panel == believing.panel:
            break
    if len(grid.noise) > 1:
        tosses = _tosses_a_coin(believed(recent, prior_of, panel, believing))
        if tosses.any():
            noises = tuple(panel.coin if coin else noise for noise, coin in zip(panel.noises, tosses, strict=True))
            panel = best(replace(panel, noises=noises), ["alike"], believing).panel
    return replace(panel, answered=len(history), rated=len(history.ratings))


def _tosses_a_coin(believing: PanelUtilities) -> Mask:
    """Return whose answers, if there are some, are a coin's tosses rather than those of somebody as noisy as the others.

    Who is predicted clearly better than a coin with a noise of their own is cleared, however noisy.
    """
    noises = believing.panel.noises
    answers = np.bincount(believing.judge, believing.asked, minlength=len(noises))
    gains = believing.predicted((*noises, float(np.median(noises)))) - answers[:, None] * np.log(0.5)
    return np.asarray((answers >= FEW) & (gains[:, :-1].diagonal() < CLEARED) & (gains[:, -1] < ACCUSED))


def _with(panel: Panel, name: str, value: float) -> Panel:
    changed: Any = {name: value}
    if name.startswith(SPACING_OF):
        changed = {"spacings": tuple((dict(panel.spacings) | {name.removeprefix(SPACING_OF): value}).items())}
    return replace(panel, **changed)


@dataclass(frozen=True)
class AveragedPanel:
    """A mixture of posteriors of the judges' utilities, for several values of ρ and λ."""

    parts: tuple[PanelUtilities, ...]
    shares: Vector

    def mean(self, weights: Vector) -> Averaged:
        """Return the weighted mean of the judges' utilities."""
        return Averaged(tuple(part.mean(weights) for part in self.parts), self.shares)

    def of(self, judge: str) -> Averaged:
        """Return one judge's utilities."""
        return Averaged(tuple(part.of(judge) for part in self.parts), self.shares)

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of all judges' utilities at a few candidates: judges × candidates × about count."""
        counts = np.maximum(np.rint(self.shares * count).astype(int), 1)
        return np.concatenate([part.draws(Z, rng, int(n)) for part, n in zip(self.parts, counts, strict=True)], axis=2)

    @property
    def alike(self) -> float:
        """ρ: how alike the judges are, on average."""
        return float(self.shares @ np.array([part.panel.alike for part in self.parts]))


def averaged(
    history: History, prior_of: PriorOf, grid: Grid, panel: Panel, approximation: Approximation = propagate
) -> AveragedPanel:
    """Return the posterior of the judges' utilities averaged over ρ and λ; their noises are those of the panel."""
    tried = [replace(panel, alike=alike, linear=linear) for linear in grid.linear for alike in ALIKE]
    recent = history.last(MOST_ANSWERS)
    parts = [believed(recent, prior_of, each, None, approximation) for each in tried]
    scores = [part.sites.log_evidence + grid.log_odds(part.panel.linear) for part in parts]
    shares = np.exp(np.array(scores) - logsumexp(scores))
    kept = np.flatnonzero(shares >= LEAST_WEIGHT)
    if recent is not history:
        parts = [
            believed(history, prior_of, part.panel, None, approximation) if k in kept else part
            for k, part in enumerate(parts)
        ]
    return AveragedPanel(tuple(parts[k] for k in kept), shares[kept] / shares[kept].sum())

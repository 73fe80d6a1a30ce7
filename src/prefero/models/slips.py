"""Slips: which answers a person probably did not mean, and whether the person's taste has changed.

| symbol | meaning |
|---|---|
| ε | how often a person says the opposite of what they mean, however clear the case is |
| p_h | probability of answer h, predicted from all other answers |
| H | half-life: after so many answers the correlation of the taste then and now is one half |

An answer is h = "the better one" with probability ε + (1 − 2ε) p_h, and a slip given all answers with probability
ε (1 − p_h) / (ε + (1 − 2ε) p_h). Since slips are allowed for, the model needs little other noise, and one slip does not make the
answers around it look like slips. The results are averaged over ε, ν and the priors, with the weights of their evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.special import expit, logsumexp

from prefero.answers import History
from prefero.models.expectation import JITTER, left_out, propagate, tilted
from prefero.models.posterior import fading
from prefero.models.prior import Prior
from prefero.models.statements import Statements
from prefero.space.arrays import Matrix, Vector

RATES = (0.01, 0.1)
"""Values of ε: of a consistent person, whose answers are not to be doubted without reason, and of one who slips."""
NOISES = (0.003, 0.01)
"""Values of ν: smaller than to predict answers, because slips explain what is left."""
MOST_ANSWERS = 200
"""Only so many of the last answers are looked at: the cost grows with the cube, and old slips matter least."""
HALF_LIVES = (0.25, 0.5, 1.0)
"""Values of H relative to the number of answers, to find a drift with."""
DRIFT_RATE = 0.05
"""ε to find a drift with."""
DRIFT_NOISES = (0.003, 0.03, 0.1, 0.3)
"""Values of ν to find a drift with: a person who wavers must not seem to drift."""


def slips(priors: Sequence[Prior], X: Matrix, history: History, tie: float) -> Vector:
    """Return the probability that each answer is a slip; 0 for ties, and for answers that are too old to be looked at.

    A tie is no slip: it says that the person saw no difference.

    Parameters
    ----------
    priors: of the utilities, to be averaged.
    X: what the samples are judged as: the samples themselves, or their outcomes.
    history: the answers of one judge.
    tie: τ.
    """
    recent = history.last(MOST_ANSWERS)
    statements, scores, found = Statements.of(recent.without_asides(), tie), [], []
    for prior in priors:
        C, relative = statements.covariance(prior(X, X)), statements.relative_to(prior.mean(X))
        for noise, rate in product(NOISES, RATES):
            sites = propagate(C, relative, noise, slip=rate)
            mean, variance = left_out(C, statements, sites)
            p = np.exp(tilted(mean, variance + 2 * noise**2 + JITTER, relative)[0])
            scores.append(sites.log_evidence)
            found.append(rate * (1 - p) / (rate + (1 - 2 * rate) * p))
    weights = np.exp(np.array(scores) - logsumexp(scores))
    likely = np.where(recent.preferences == 0, 0.0, weights @ np.array(found))
    return np.concatenate([np.zeros(len(history) - len(recent)), likely])


def drift(priors: Sequence[Prior], X: Matrix, history: History, tie: float) -> tuple[float, float]:
    """Return the probability that the taste changed while the person answered, and the likeliest half-life, in answers.

    Both possibilities are equally likely before the answers. The arguments are those of `slips`.
    """
    recent = history.last(MOST_ANSWERS)
    statements = Statements.of(recent.without_asides(), tie)
    lives = [share * len(recent) for share in HALF_LIVES]
    steady: list[float] = []
    drifting: list[list[float]] = [[] for _ in lives]
    for prior in priors:
        C, relative = statements.covariance(prior(X, X)), statements.relative_to(prior.mean(X))
        for noise in DRIFT_NOISES:
            steady.append(propagate(C, relative, noise, slip=DRIFT_RATE).log_evidence)
            for life, scores in zip(lives, drifting, strict=True):
                faded = C * fading(statements, life)[0]
                scores.append(propagate(faded, relative, noise, slip=DRIFT_RATE).log_evidence)
    by_life = [float(logsumexp(scores)) for scores in drifting]
    odds = logsumexp(by_life) - np.log(len(lives)) - logsumexp(steady)
    return float(expit(odds)), float(lives[int(np.argmax(by_life))])

"""From answers to what was learned, with or without a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from prefero.answers import Comparison, History
from prefero.errors import InputError
from prefero.models.learned import Learned
from prefero.models.population import MOST_POINTS, Others
from prefero.models.rbf import checked_data
from prefero.models.threads import one_thread
from prefero.proposers.outcomes import utility_model
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Proposer, Task
from prefero.proposers.thompson import for_size
from prefero.space import Catalogue, Space, design
from prefero.space.arrays import Indices, Matrix

POSTERIOR_STREAM = 4
"""The last number of the seed of the posterior's draws: each kind of draw has its own, so that they are independent."""


@one_thread
def learned_from(history: History, task: Task, proposer: Proposer, best: int | None, sided: float = 0.0) -> Learned:
    """Return what a study's answers say.

    A proposer without a model of utilities is replaced by the default model.

    Parameters
    ----------
    history: the answers.
    task: the space, the expected number of answers and the seed.
    proposer: the one that asked the questions.
    best: the recommended sample, None if there is none.
    sided: the chance that the answers only tell which key was pressed.
    """
    if not history.spoken:
        raise InputError("No answers yet.")
    rng = np.random.default_rng([task.seed, len(history), POSTERIOR_STREAM])
    model = for_size(utility_model(proposer), history)
    utility = model.learned(history.prefix(len(history)), task, rng)
    return Learned(task.space, history, utility, best, task.seed, sided)


@one_thread
def learn(
    X: ArrayLike,
    pairs: ArrayLike,
    *,
    ties: ArrayLike = (),
    space: Any = None,
    model: Posterior | None = None,
    others: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    seed: int = 0,
) -> Learned:
    """Return what comparisons say, without a study: `learn(X, pairs).probability(X[0], X[1])`.

    Parameters
    ----------
    X: samples, one per row, in the units of the space.
    pairs: (winner, loser) row numbers, one pair per comparison.
    ties: pairs of row numbers that are about the same.
    space: a Space, or (lower, upper); by default the smallest box around X.
    model: the settings of the posterior.
    others: what other people said, (samples, pairs) each: a prior for this person.
    seed: makes the draws repeatable.
    """
    samples, better, even, _ = checked_data(X, pairs, ties, 1.0)
    domain = _space(space, samples)
    history = _history(domain, samples, better, even)
    if not len(history):
        raise InputError("pairs: there is no comparison to learn from")
    task = Task(domain, len(history), seed, history.points[:0], others=_others(domain, others))
    learned = learned_from(history, task, Posterior() if model is None else model, None)
    means, _ = learned.utility.utilities(history.points)
    seen = history.compared
    return replace(learned, best=int(seen[means[seen].argmax()]) if seen.size else None)


def _history(domain: Space, samples: Matrix, better: Indices, even: Indices) -> History:
    """Return comparisons of samples, which are in the units of the space."""
    candidates = [domain.candidate(row) for row in samples]
    points = np.array([domain.encode(candidate) for candidate in candidates])
    comparisons = [Comparison(int(i), int(j), -1, step) for step, (i, j) in enumerate(better)]
    comparisons += [Comparison(int(i), int(j), 0, len(better) + step) for step, (i, j) in enumerate(even)]
    return History(points, np.array([domain.admits(each) for each in candidates]), tuple(comparisons))


def _others(domain: Space, given: Sequence[tuple[ArrayLike, ArrayLike]]) -> Others | None:
    """Return what other people said; None if nothing is given."""
    histories = []
    for k, item in enumerate(given):
        try:
            X, pairs = item
            samples, better, even, _ = checked_data(X, pairs, (), 1.0)
        except (TypeError, ValueError) as error:
            raise InputError(f"others[{k}]: expected (samples, pairs): {error}") from None
        if samples.shape[1] != len(domain.names):
            raise InputError(f"others[{k}]: {samples.shape[1]} columns for {len(domain.names)} variables")
        histories.append(_history(domain, samples, better, even))
    points = design.initial(domain, MOST_POINTS, np.random.default_rng(0))
    return Others(tuple(histories), points) if histories else None


def _space(given: Any, samples: np.ndarray[Any, np.dtype[np.float64]]) -> Space:
    """Return the space that was given, or the smallest box around the samples."""
    if isinstance(given, Space):
        return given
    if isinstance(given, Catalogue):
        raise InputError.of("space", given, "a Space or (lower, upper)")
    if given is None:
        low, high = samples.min(axis=0), samples.max(axis=0)
        return Space.box(low, np.where(high > low, high, low + 1.0))  # a constant column needs some width
    try:
        lower, upper = given
    except (TypeError, ValueError):
        raise InputError.of("space", given, "a Space or (lower, upper)") from None
    return Space.box(lower, upper)

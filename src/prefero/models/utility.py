"""Utilities of points of the box, learned from the points themselves or from their outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from prefero.models.panel import AveragedPanel, Panel
from prefero.models.person import Averaged
from prefero.models.sparse import SparseUtilities
from prefero.space.arrays import Indices, Matrix, Vector


def _itself(Z: Matrix) -> Matrix:
    return Z


@dataclass(frozen=True)
class LearnedPanel:
    """What is known of several judges.

    weights: how much each counts in the mean; they sum to one, and who was found out to answer at random has none.
    posterior, answers: as in `LearnedUtility`, of all judges.
    """

    panel: Panel
    weights: Vector
    posterior: AveragedPanel
    answers: AveragedPanel

    def utility(self) -> LearnedUtility:
        """Return the mean utility, with those of each judge."""
        X, weights = self.posterior.parts[0].X, self.weights
        return LearnedUtility(X, self.posterior.mean(weights), self.answers.mean(weights), judges=self)


@dataclass(frozen=True)
class LearnedUtility:
    """Utilities of points, by those of what the points are judged as."""

    X: Matrix  # the samples
    posterior: Averaged | SparseUtilities  # of what the samples are judged as
    answers: Averaged | SparseUtilities  # the same, to predict answers
    judged_as: Callable[[Matrix], Matrix] = _itself  # from points to their outcomes, or to themselves
    judges: LearnedPanel | None = None  # of whose utilities this is the mean, None if there is only one judge

    def of_judge(self, judge: str) -> LearnedUtility:
        """Return the utilities of one judge of several."""
        assert self.judges is not None
        return replace(
            self, posterior=self.judges.posterior.of(judge), answers=self.judges.answers.of(judge), judges=None
        )

    def draws_by_judge(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws of all judges' utilities at a few points: judges × points × count."""
        assert self.judges is not None
        return self.judges.posterior.draws(self.judged_as(Z), rng, count)

    def utilities(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Return mean and standard deviation at points."""
        return self.posterior.utilities(self.judged_as(Z))

    def probabilities(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return the chance that y is better than z, row by row."""
        return self.posterior.probabilities(self.judged_as(Y), self.judged_as(Z))

    def predictions(self, Y: Matrix, Z: Matrix) -> Vector:
        """Return the chance that the person would say that y is better than z, row by row."""
        return self.answers.probabilities(self.judged_as(Y), self.judged_as(Z), said=True)

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws at a few points: points × count."""
        return self.posterior.draws(self.judged_as(Z), rng, count)

    def draws_of_samples(self, among: Indices, rng: np.random.Generator, count: int) -> Matrix:
        """Return joint draws at some samples: samples × count."""
        return self.posterior.draws_of_samples(among, rng, count)

    def improvements(self, Z: Matrix, best: int) -> Vector:
        """Return the expected improvement of each point over sample `best`."""
        return self.posterior.improvements(self.judged_as(Z), best)

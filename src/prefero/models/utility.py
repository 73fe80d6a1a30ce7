"""What the answers say of points of the box, wherever it was learned: of the points themselves, or of what they lead to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prefero.models.posterior import Utilities, standard_improvement
from prefero.space.arrays import Indices, Matrix, Vector


def _itself(Z: Matrix) -> Matrix:
    return Z


@dataclass(frozen=True)
class LearnedUtility:
    """Utilities of points, by those of what they are judged as."""

    X: Matrix  # the samples
    posterior: Utilities  # of what the samples are judged as
    judged_as: Callable[[Matrix], Matrix] = _itself

    def utilities(self, Z: Matrix) -> tuple[Vector, Vector]:
        """Mean and standard deviation at points."""
        return self.posterior.utilities(self.judged_as(Z))

    def probabilities(self, Y: Matrix, Z: Matrix) -> Vector:
        """The chance that y is better than z, row by row."""
        return self.posterior.probabilities(self.judged_as(Y), self.judged_as(Z))

    def draws(self, Z: Matrix, rng: np.random.Generator, count: int) -> Matrix:
        """Joint draws at a few points, `count` for each chain."""
        return self.posterior.draws(self.judged_as(Z), rng, count)

    def draws_of_samples(self, among: Indices, rng: np.random.Generator, count: int) -> Matrix:
        """The same at some samples."""
        return self.posterior.draws(self.posterior.X[among], rng, count)

    def improvements(self, Z: Matrix, best: int) -> Vector:
        """What each point is expected to be above a sample, where it is."""
        means, sd = self.posterior.differences(self.judged_as(Z), self.posterior.X[best][None])
        return np.asarray(sd * standard_improvement(means / sd[:, None]).mean(axis=1))

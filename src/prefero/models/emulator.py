"""Predicting outcomes of candidates from known ones: interpolation with a Matérn-5/2 kernel.

| symbol | meaning | shape |
|---|---|---|
| X | points whose outcomes are known | N × n |
| Y | their outcomes | N × m |
| L | Cholesky factor of the kernel matrix, one length scale for all variables | N × N |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from prefero.models import cholesky
from prefero.models.kernels import Groups, Kernel
from prefero.space.arrays import Matrix, Vector

SCALES = np.geomspace(0.2, 10.0, 9)
"""Length scales that are compared by their likelihood: from a tenth of the box to five times its width."""
JITTER = 1e-8
"""Added to the diagonal and to variances: keeps the Cholesky factor of nearly coinciding points well-defined."""
_PRODUCT_ONLY = -40.0
"""Logit of the additive weight: a weight of e⁻⁴⁰ switches the additive part off."""


@dataclass(frozen=True, eq=False)
class Emulator:
    """A smooth function through the known outcomes."""

    kernel: Kernel
    X: Matrix
    centre: Vector
    weights: Matrix

    @classmethod
    def of(cls, X: Matrix, Y: Matrix, groups: Groups) -> Emulator:
        """Return the emulator whose length scale explains the known outcomes best; each outcome has a variance of its own."""
        centre, spread = Y.mean(axis=0), np.maximum(Y.std(axis=0), JITTER)
        R = (Y - centre) / spread
        fits = []
        for scale in SCALES:
            kernel = Kernel(np.append(np.full(len(groups), np.log(scale)), _PRODUCT_ONLY), groups)
            L = cholesky.factor(kernel(X, X) + JITTER * np.eye(len(X)))
            variances = (solve_triangular(L, R, lower=True) ** 2).mean(axis=0) + JITTER
            # −log of the likelihood, with each outcome's variance at its maximum
            misfit = len(X) * np.log(variances).sum() / 2 + Y.shape[1] * np.log(np.diag(L)).sum()
            fits.append((misfit, kernel, L))
        _, kernel, L = min(fits, key=lambda fit: fit[0])
        return cls(kernel, X, centre, cho_solve((L, True), R) * spread)

    def __call__(self, Z: Matrix) -> Matrix:
        """Return the outcomes predicted at points."""
        return np.asarray(self.centre + self.kernel(Z, self.X) @ self.weights)

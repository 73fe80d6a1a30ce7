"""Cholesky factors by LAPACK directly: the matrices are small and many, and SciPy's checks would cost as much as the work."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from prefero.space.arrays import Matrix, Vector


def factor(S: Matrix) -> Matrix:
    """Return L with LL' = S; S is overwritten."""
    # S is symmetric: its transpose is the same matrix in LAPACK's column order, so that nothing is copied.
    L, failed = dpotrf(S.T, lower=True, clean=True, overwrite_a=True)
    if failed:
        raise np.linalg.LinAlgError("a covariance is not positive definite")
    return np.asarray(L)


def factor_of_sites(C: Matrix, tau: Vector) -> tuple[Vector, Matrix]:
    """Return √τ and the factor of I + √T C √T, T = diag(τ): well-conditioned, since no eigenvalue is below 1."""
    root = np.sqrt(tau)
    B = C * np.outer(root, root)
    B.flat[:: len(B) + 1] += 1.0
    return np.asarray(root), factor(B)


def inverse(L: Matrix) -> Matrix:
    """Return (LL')⁻¹, exactly symmetric."""
    lower = np.tril(dpotri(L, lower=True)[0])  # LAPACK fills the lower triangle only
    whole = lower + lower.T
    whole.flat[:: len(L) + 1] /= 2  # the diagonal was added to itself
    return np.asarray(whole)

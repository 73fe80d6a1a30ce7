"""Symmetric positive definite matrices by LAPACK itself: they are small and many, and checks would cost as much as the work."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from prefero.space.arrays import Matrix


def factor(S: Matrix) -> Matrix:
    """L with LL' = S; S is used up."""
    L, failed = dpotrf(S.T, lower=True, clean=True, overwrite_a=True)
    if failed:
        raise np.linalg.LinAlgError("a covariance is not positive definite")
    return np.asarray(L)


def inverse(L: Matrix) -> Matrix:
    """(LL')⁻¹, symmetric to the last digit."""
    lower = np.tril(dpotri(L, lower=True)[0])
    whole = lower + lower.T
    whole.flat[:: len(L) + 1] /= 2
    return np.asarray(whole)

"""What the answer to a question would tell: its mutual information with the utilities, in bits.

The answer is a function of what the person feels, the utilities with noise. Both are drawn; the information is the entropy of the
answers less their entropy if the utilities were known. `History` and models play no part: draws of a posterior come in.
"""

from __future__ import annotations

import numpy as np

from prefero.answers import Kind
from prefero.space.arrays import Indices, Matrix, Vector

DRAWS, REPEATS = 128, 32
"""Draws of the utilities, and of the noise for each of them."""


def information(utilities: Matrix, noise: float, kind: Kind, rng: np.random.Generator) -> float:
    """Return how many bits an answer tells.

    Parameters
    ----------
    utilities: joint draws of the candidates' utilities, candidates × draws, in the order of the sides.
    noise: the standard deviation of the noise of a utility.
    kind: of the question.
    rng: of the noise.
    """
    felt = utilities[:, :, None] + noise * rng.standard_normal((*utilities.shape, REPEATS))
    said = _answers(felt, kind)
    each = float(np.mean([_entropy(answers) for answers in said]))
    return max(0.0, _entropy(said.ravel()) - each)


def _answers(felt: np.ndarray, kind: Kind) -> Indices:
    """Return a number for the answer to each draw: the same number for the same answer."""
    order = np.argsort(-felt, axis=0)
    k = len(felt)
    match kind.name:
        case "worst":
            return np.asarray(order[-1])
        case "best and worst":
            return np.asarray(order[0] * k + order[-1])
        case "rank":
            return np.asarray(np.tensordot(k ** np.arange(k), order, axes=1))
        case "insert":
            return np.asarray((order == k - 1).argmax(axis=0))
    return np.asarray(order[0])


def _entropy(answers: Indices) -> float:
    """Return the entropy of a sample of answers, in bits."""
    shares: Vector = np.unique(answers, return_counts=True)[1] / len(answers)
    return float(-(shares * np.log2(shares)).sum())

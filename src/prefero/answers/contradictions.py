"""Contradictions: answers that form a cycle of "better than"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from prefero.answers.comparison import Comparison


def contradictions(comparisons: Sequence[Comparison]) -> int:
    """Return how many answers contradict others; a tie never does. An answer about more than two candidates counts once."""
    odd, counted = 0, False
    for c, contradicts in zip(comparisons, contradicting(comparisons), strict=True):
        counted = counted and c.part > 0
        odd += contradicts and not counted
        counted = counted or contradicts
    return odd


def contradicting(comparisons: Sequence[Comparison]) -> list[bool]:
    """Return, for each answer, whether it contradicts others.

    An edge winner → loser lies on a cycle exactly if both its ends belong to the same strongly connected component.
    """
    strict = [c for c in comparisons if c.preference]
    if not strict:
        return [False] * len(comparisons)
    n = 1 + max(max(c.i, c.j) for c in strict)
    edges = ([c.winner for c in strict], [c.loser for c in strict])
    graph = coo_array((np.ones(len(strict)), edges), shape=(n, n))
    _, component = connected_components(graph, directed=True, connection="strong")
    return [bool(c.preference) and bool(component[c.i] == component[c.j]) for c in comparisons]

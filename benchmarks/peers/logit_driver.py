"""A linear utility learned from random pairs: what a simple analysis of the answers gives, without choosing the questions.

A ridge logit whose prior variance has the largest evidence. It recommends the best candidate shown or, with the option
"anywhere", the best corner of the box, where a linear utility is largest.
"""

import numpy as np

from benchmarks import logit
from benchmarks.peers.wire import Judge, Start, serve


def solve(start: Start, judge: Judge) -> int:
    """Ask about random pairs; fit and recommend after each answer."""
    rng = np.random.default_rng(start.seed)
    lower, upper = np.array(start.lower), np.array(start.upper)
    n = len(lower)
    corners = bool(start.options.get("anywhere"))
    judge.start_clock()
    shown, differences = np.empty((0, n)), np.empty((0, 1, n))
    for _ in range(start.comparisons):
        pair = rng.uniform(-1, 1, (2, n))
        answer = judge.prefer(*((lower + (upper - lower) * (x + 1) / 2) for x in pair))
        shown = np.vstack([shown, pair])
        if answer != 0:  # a tie says nothing about the weights' direction
            differences = np.concatenate([differences, -answer * (pair[0] - pair[1]).reshape(1, 1, n)])
        w = logit.fit(differences, logit.ridge([differences])).mode
        best = np.where(w < 0, -1.0, 1.0) if corners else shown[int((shown @ w).argmax())]
        judge.recommend(lower + (upper - lower) * (best + 1) / 2)
    return 2


if __name__ == "__main__":
    serve(solve, ["numpy", "scipy"])

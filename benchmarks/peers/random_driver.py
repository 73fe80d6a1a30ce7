"""Random search: every sample uniform, each against the incumbent; what any method has to beat."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.constraints import CONSTRAINTS
from benchmarks.peers.wire import Judge, Start, serve


def draw(start: Start, rng: np.random.Generator) -> NDArray[np.float64]:
    """A uniform sample that satisfies the constraint."""
    while True:
        x = rng.uniform(start.lower, start.upper)
        if start.constraint is None or CONSTRAINTS[start.constraint](x.tolist()) <= 0:
            return x


def solve(start: Start, judge: Judge) -> None:
    """Keep the winner, draw another."""
    rng = np.random.default_rng(start.seed)
    best = draw(start, rng)
    for _ in range(start.comparisons):
        new = draw(start, rng)
        best = new if judge.prefer(new, best) == -1 else best
        judge.recommend(best)


if __name__ == "__main__":
    serve(solve, ["numpy"])

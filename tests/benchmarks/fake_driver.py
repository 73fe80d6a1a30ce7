"""A driver for the tests: random search, or one of several ways to misbehave, as its options say."""

import os
import random
import time

from benchmarks.peers.wire import Judge, Rehearsal, Start, serve


def solve(start: Start, judge: Judge) -> int:
    rng = random.Random(start.seed)
    misbehave, after = start.options.get("misbehave"), start.options.get("after", 2)
    print("a line that a chatty library prints")

    def draw() -> list[float]:
        return [rng.uniform(low, high) for low, high in zip(start.lower, start.upper, strict=True)]

    best = draw()
    for k in range(start.comparisons):
        if misbehave == "raise" and k == after:
            raise RuntimeError("the matrix is singular")
        if misbehave == "die" and k == after and not isinstance(judge, Rehearsal):
            os._exit(3)
        if misbehave == "dawdle" and k == after and not isinstance(judge, Rehearsal):
            while True:  # the limit is one of CPU time
                time.process_time()
        new = draw()
        best = new if judge.prefer(new, best) == -1 else best
        if misbehave != "mute":
            judge.recommend([0.0] * len(best) if misbehave == "lie" else best)
    if misbehave == "greedy":
        judge.prefer(draw(), best)
    return 3


if __name__ == "__main__":
    serve(solve, ["numpy", "no-such-package"])

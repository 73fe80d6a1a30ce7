"""Our own proposers, run like a peer: same conversation, same clock, one thread."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import NonlinearConstraint

import prefero as pf
from benchmarks.constraints import CONSTRAINTS
from benchmarks.peers.wire import Judge, Start, serve


def space_of(start: Start) -> pf.Space:
    """The box and its constraint as prefero's space."""
    constraints = []
    if start.constraint is not None:
        g = CONSTRAINTS[start.constraint]
        constraints = [NonlinearConstraint(lambda x: g(np.asarray(x).tolist()), -np.inf, 0.0)]
    return pf.Space.box(start.lower, start.upper, constraints=constraints)


def proposer_of(start: Start) -> str | pf.Glisp:
    """A proposer by name, or glisp with some settings, or glisp with all that the paper chose for this problem."""
    if start.options.get("paper"):
        return pf.Glisp(initial_samples=start.initial, exploration=start.delta, margin=start.sigma, search="swarm")
    settings = start.options.get("settings")
    return pf.Glisp(**settings) if settings else str(start.options["proposer"])


def solve(start: Start, judge: Judge) -> int:
    """Run `prefero.optimize` and report its incumbents."""

    def prefer(a: ArrayLike, b: ArrayLike) -> int:
        return judge.prefer(np.asarray(a), np.asarray(b))

    space = space_of(start)
    proposer = proposer_of(start)
    judge.start_clock()
    result = pf.optimize(prefer, space, comparisons=start.comparisons, proposer=proposer, seed=start.seed)
    for incumbent in result.incumbents:
        judge.recommend(np.asarray(incumbent))
    first_samples = getattr(result.study.proposer, "first_samples", None)
    return int(first_samples(result.study.task)) if first_samples else start.initial


if __name__ == "__main__":
    serve(solve, ["prefero", "numpy", "scipy"])

"""C-GLISp as glis 2.0.2 has it, on problems with unknown constraints: `python -m benchmarks.peers.glis_failures_driver NAME SEED`.

glis needs `solve()` for these (step by step it fails), so the problem is here and not at the other end of a pipe. The person is the
one of its own example: of two candidates that fail, the one that violates the constraints less is better, which our study is not
told. Prints a line of JSON: failed experiments, and the value of the best candidate that works, null if none does.
"""

import json
import sys
from typing import Any

import numpy as np
from glis.solvers import GLISp

from benchmarks.unknown import PROBLEMS

TIE = 1e-4
"""Values as near as this are called the same, as in the example."""


def run(name: str, seed: int) -> dict[str, Any]:
    """One run with the settings of glis's example."""
    problem = PROBLEMS[name]
    np.random.seed(seed)  # noqa: NPY002  glis draws from the global random state

    def merit(x: list[float]) -> tuple[bool, float]:
        works = problem.works(x)
        return (not works, problem.value(x) if works else problem.violation(x))

    def prefer(a: Any, b: Any) -> int:
        (fails_a, value_a), (fails_b, value_b) = merit(a), merit(b)
        if fails_a != fails_b:
            return 1 if fails_a else -1
        if abs(value_a - value_b) <= TIE:
            return 0
        return -1 if value_a < value_b else 1

    solver = GLISp(
        bounds=(np.array(problem.lower), np.array(problem.upper)),
        n_initial_random=problem.initial,
        has_unknown_constraints=True,
        scale_delta=problem.samples > 30,
        expected_max_evals=problem.samples,
        RBFcalibrate=True,
        delta=problem.delta,
        display=0,
    )
    best = solver.solve(prefer, problem.samples - 1, unknown_constraint_fun=problem.works)
    tried = np.unique(np.array(solver.X), axis=0)
    return {
        "tried": len(tried),
        "failed": sum(not problem.works(x) for x in tried),
        "value": problem.value(best) if problem.works(best) else None,
    }


if __name__ == "__main__":
    stdout, sys.stdout = sys.stdout, sys.stderr  # what glis prints is not the result
    result = run(sys.argv[1], int(sys.argv[2]))
    print(json.dumps(result), file=stdout)

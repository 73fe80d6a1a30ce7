"""glis, by the authors of the paper, with the paper's settings: inverse quadratic RBF, epsilon = 1, particle swarm."""

import numpy as np
from glis.rbf import inverse_quadratic
from glis.solvers import GLISp
from numpy.typing import NDArray

from benchmarks.constraints import CONSTRAINTS
from benchmarks.peers.wire import Judge, Start, serve


def solver(start: Start) -> GLISp:
    """A GLISp object with the paper's settings."""
    constraint = None if start.constraint is None else CONSTRAINTS[start.constraint]

    def g(x: NDArray[np.float64]) -> NDArray[np.float64]:
        assert constraint is not None
        return np.array([constraint(x.tolist())])

    return GLISp(
        bounds=(np.array(start.lower), np.array(start.upper)),
        acquisition_method=start.options.get("acquisition", "surrogate"),
        n_initial_random=start.initial,
        rbf=inverse_quadratic,
        rbf_epsil=1.0,
        delta=start.delta,
        sepvalue=start.sigma,
        expected_max_evals=start.samples,
        g=None if constraint is None else g,
        shrink_range=start.options.get("shrink_range", True),
        display=0,
    )


def solve(start: Start, judge: Judge) -> None:
    """Ask for the new sample against the incumbent, as glis does; its answers have ties, so nothing is translated."""
    np.random.seed(start.seed)  # noqa: NPY002  glis draws from the global random state
    judge.start_clock()
    problem = solver(start)
    best, new = problem.initialize()
    for comparison in range(1, start.samples):
        answer = judge.prefer(new, best)
        if comparison == start.comparisons:  # update() would compute a sample that nobody sees
            judge.recommend(new if answer == -1 else best)
            return
        new = problem.update(answer)
        best = problem.xbest
        judge.recommend(best)


if __name__ == "__main__":
    serve(solve, ["glis", "numpy", "scipy", "numba", "pyswarm", "pydoe"])

"""Our own proposers, run like a peer: same conversation, same clock, one thread."""

import time
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import LinearConstraint, NonlinearConstraint

import prefero as pf
from benchmarks import pareto
from benchmarks.constraints import CONSTRAINTS, LINEAR
from benchmarks.peers.wire import Judge, Start, serve
from prefero.cli.demos import classifier
from prefero.models import calibration
from prefero.proposers import pbo, posterior
from prefero.study.checks import PROPOSERS


class Stopwatch:
    """CPU seconds spent in some functions, together; one called from another counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = 0

    def times(self, module: ModuleType, name: str) -> None:
        """Count what the module's function of this name takes from now on."""
        setattr(module, name, self._timed(getattr(module, name)))

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def timed(*arguments: Any, **more: Any) -> Any:
            began, self._inside = time.process_time(), self._inside + 1
            try:
                return function(*arguments, **more)
            finally:
                self._inside -= 1
                self.seconds += time.process_time() - began if not self._inside else 0.0

        return timed


CALIBRATING = Stopwatch()


def space_of(start: Start) -> pf.Space:
    """The box and its constraint as prefero's space."""
    constraints: list[LinearConstraint | NonlinearConstraint] = []
    if start.constraint in LINEAR:
        a, b = LINEAR[start.constraint]
        constraints = [LinearConstraint(np.full((1, len(start.lower)), a), -np.inf, b)]
    elif start.constraint is not None:
        g = CONSTRAINTS[start.constraint]
        constraints = [NonlinearConstraint(lambda x: g(np.asarray(x).tolist()), -np.inf, 0.0)]
    return pf.Space.box(start.lower, start.upper, constraints=constraints)


def objectives(weights: pf.Candidate) -> ArrayLike:
    """What weights of the paper's three objectives lead to, not what the person makes of it."""
    return pareto.outcome(np.asarray(weights))


def mistakes(weights: pf.Candidate) -> ArrayLike:
    """How often the classifier with these weights takes each class for each other, not what that costs."""
    return classifier.mistakes(pareto.all_weights(np.asarray(weights)))


def proposer_of(start: Start) -> pf.Glisp | pf.Pbo | pf.Posterior | pf.Outcomes:
    """A proposer by name, one of outcomes, one with some settings, or glisp with all that the paper chose for this problem."""
    if start.options.get("objectives"):
        if (start.lower, start.upper) != ([0, 0], [1, 1]):
            raise ValueError("only two weights, with a third that they leave, lead to objectives")
        return pf.Outcomes(objectives, PROPOSERS[start.options["proposer"]]())
    if start.options.get("mistakes"):
        if (start.lower, start.upper) != ([0, 0, 0], [1, 1, 1]):
            raise ValueError("only three weights, with a fourth that they leave, lead to a classifier's mistakes")
        return pf.Outcomes(mistakes, pf.Posterior(linear=True), guess=False)
    if "posterior" in start.options:
        return pf.Posterior(**start.options["posterior"])
    if start.options.get("paper"):
        return pf.Glisp(initial_samples=start.initial, exploration=start.delta, margin=start.sigma, search="swarm")
    settings = start.options.get("settings")
    return pf.Glisp(**settings) if settings else PROPOSERS[start.options["proposer"]]()


def solve(start: Start, judge: Judge) -> int:
    """Run `prefero.optimize` and report its incumbents."""

    def prefer(a: ArrayLike, b: ArrayLike) -> int:
        return judge.prefer(np.asarray(a), np.asarray(b))

    space = space_of(start)
    proposer = proposer_of(start)
    judge.start_clock()
    before = CALIBRATING.seconds
    result = pf.optimize(prefer, space, comparisons=start.comparisons, proposer=proposer, seed=start.seed)
    judge.calibrating = CALIBRATING.seconds - before
    for incumbent in result.incumbents:
        judge.recommend(np.asarray(incumbent))
    first_samples = getattr(result.study.proposer, "first_samples", None)
    return int(first_samples(result.study._session_of(result.study.log.state).task)) if first_samples else start.initial


def watch_calibration() -> None:
    """Time what finds ε for the paper's surrogate, and scales, noise and the like for the Gaussian processes."""
    for module, name in ((calibration, "calibrate"), (pbo, "calibrated"), (posterior, "chosen")):
        CALIBRATING.times(module, name)


if __name__ == "__main__":
    watch_calibration()
    serve(solve, ["prefero", "numpy", "scipy"])

"""Time per proposal: `python -m benchmarks.proposals posterior optuna`, CPU milliseconds on one core, everything included.

What counts is what lies between an answer and the next question late in a study, when most is known: the fits of the
length scales, the chains, the search, and the recommendation that is asked for after each answer.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks import functions
from benchmarks.compare import Drivers, Job, UsageError, check_names, open_driver, parse_noise
from benchmarks.methods import METHODS
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.progress import Progress


@dataclass(frozen=True)
class Case:
    """A problem, and which of its questions count."""

    problem: Problem
    first: int
    last: int  # of a run of problem.samples − 1 questions, counted from 0

    @property
    def what(self) -> str:
        """In words."""
        return f"answers {self.first} to {self.last}, {self.problem.dimension} variables"

    def of(self, runs: Sequence[Sequence[float]]) -> list[float]:
        """The times of the questions that count, in milliseconds."""
        return [1000 * seconds for run in runs for seconds in run[self.first : self.last + 1]]


_EIGHT = replace(PROBLEMS["rosenbrock8"], samples=82)
_TEN = replace(
    _EIGHT,
    name="rosenbrock10",
    function=functions.rosenbrock,
    lower=np.full(10, -30.0),
    upper=np.full(10, 30.0),
    minimizer=np.ones(10),
    samples=302,
)
USUAL, WHOLE, LONG = Case(_EIGHT, 60, 79), Case(_EIGHT, 41, 80), Case(_TEN, 281, 300)
"""The default proposer rebuilds its state at every fortieth answer: the second case includes that, the others do not."""


def measured(method: str, problem: Problem, seeds: int, drivers: Drivers, progress: Progress) -> list[list[float]]:
    """The CPU seconds before each question, of all seeds."""
    runs = []
    for seed in range(seeds):
        runs.append(drivers.run(Job(method, problem, seed, parse_noise("none"))).seconds)
        progress.advance(f"{method}, {problem.dimension} variables, seed {seed}")
    return runs


def line(method: str, case: Case, times: Sequence[float]) -> str:
    """One line of the report."""
    return f"{method}, {case.what}: mean {np.mean(times):.1f} ms, p95 {np.quantile(times, 0.95):.1f} ms"


def report(methods: Sequence[str], seeds: int, long: bool) -> list[str]:
    """Measure, one method after the other on the same problem and seeds; ratios are to the first."""
    blocks = [(USUAL, WHOLE), (LONG,)] if long else [(USUAL, WHOLE)]
    progress = Progress(seeds * len(methods) * len(blocks))
    lines = []
    with Drivers(open_driver) as drivers:
        for cases in blocks:
            runs = {method: measured(method, cases[0].problem, seeds, drivers, progress) for method in methods}
            lines += [_compared(method, case, runs, methods[0]) for case in cases for method in methods]
    progress.close()
    return lines


def _compared(method: str, case: Case, runs: dict[str, list[list[float]]], first: str) -> str:
    """A line, with the ratio to the first method."""
    times = case.of(runs[method])
    ratio = np.mean(times) / np.mean(case.of(runs[first]))
    return line(method, case, times) + (f", {ratio:.3g} times {first}" if method != first else "")


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0, or 2 for an invalid command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.proposals", description=(__doc__ or "").splitlines()[0])
    p.add_argument("methods", nargs="*", default=["posterior"], metavar="METHOD", help=", ".join(METHODS))
    p.add_argument("--seeds", type=int, default=3, help="runs of each (3)")
    p.add_argument("--long", action="store_true", help=f"also {LONG.what}")
    arguments = p.parse_args(argv)
    try:
        check_names("method", arguments.methods, list(METHODS))
        if arguments.seeds < 1:
            raise UsageError("--seeds must be at least 1")
        print("\n".join(report(arguments.methods, arguments.seeds, arguments.long)))
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

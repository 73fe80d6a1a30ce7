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


_EIGHT = PROBLEMS["rosenbrock8"]
_TEN = replace(
    _EIGHT,
    name="rosenbrock10",
    function=functions.rosenbrock,
    lower=np.full(10, -30.0),
    upper=np.full(10, 30.0),
    minimizer=np.ones(10),
    samples=302,
)
USUAL, LONG = Case(_EIGHT, 60, 79), Case(_TEN, 281, 300)


def milliseconds(method: str, case: Case, seeds: int, drivers: Drivers, progress: Progress) -> list[float]:
    """The CPU time before each question that counts, of all seeds."""
    times: list[float] = []
    for seed in range(seeds):
        run = drivers.run(Job(method, case.problem, seed, parse_noise("none")))
        times += [1000 * seconds for seconds in run.seconds[case.first : case.last + 1]]
        progress.advance(f"{method}, {case.what}, seed {seed}")
    return times


def line(method: str, case: Case, times: Sequence[float]) -> str:
    """One line of the report."""
    return f"{method}, {case.what}: mean {np.mean(times):.1f} ms, p95 {np.quantile(times, 0.95):.1f} ms"


def report(methods: Sequence[str], seeds: int, long: bool) -> list[str]:
    """Measure, one method after the other on the same problem and seeds; ratios are to the first."""
    plan = [(method, USUAL) for method in methods] + [(method, LONG) for method in methods if long]
    progress = Progress(seeds * len(plan))
    means: dict[tuple[str, str], float] = {}
    lines = []
    with Drivers(open_driver) as drivers:
        for method, case in plan:
            times = milliseconds(method, case, seeds, drivers, progress)
            means[method, case.what] = float(np.mean(times))
            ratio = means[method, case.what] / means[methods[0], case.what]
            lines.append(
                line(method, case, times) + (f", {ratio:.3g} times {methods[0]}" if method != methods[0] else "")
            )
    progress.close()
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0, or 2 for a command line that cannot be."""
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

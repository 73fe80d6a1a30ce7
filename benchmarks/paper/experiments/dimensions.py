"""From one variable to twenty."""

from collections.abc import Sequence

import numpy as np

from benchmarks.paper import figures, tables
from benchmarks.paper.document import Block, Figure, Section
from benchmarks.paper.plan import Experiment, Part
from benchmarks.problems import PROBLEMS, SETS, range_of
from benchmarks.results import Run
from benchmarks.summary import geometric_mean

TITLE = "One to twenty variables"
NAMES = tuple(problem.name for problem in SETS["dimensions"])
PARTS = (Part(NAMES, {"glisp": 5, "glisp-pi": 5, "pbo": 5, "posterior": 5, "random": 5, "glis": 1}),)
ABOUT = (
    "Levy's function and that of Styblinski and Tang, rotated and shifted, in 1, 2, 5, 10 and 20 variables, with 20 + 6n "
    "samples for n variables."
)


def write(runs: Sequence[Run]) -> Section:
    """The typical regret and the CPU time of a question against the number of variables."""
    blocks: list[Block] = [ABOUT]
    if runs:
        sizes = sorted({PROBLEMS[run.problem].dimension for run in runs})

        def regret(method: str, n: float) -> float:
            return _over_problems(runs, method, n, _relative_regret)

        def seconds(method: str, n: float) -> float:
            return _over_problems(runs, method, n, _milliseconds)

        xlabel = "variables"
        blocks += [
            Figure(
                "dimensions-regret",
                figures.lines(runs, sizes, regret, xlabel, "median regret / range"),
                "Median regret as a part of the range, geometric mean of both functions, against the number of variables.",
            ),
            Figure(
                "dimensions-cpu",
                figures.lines(runs, sizes, seconds, xlabel, "CPU ms a question"),
                "CPU milliseconds a question, the mean over a run, against the number of variables.",
            ),
            tables.medians_table(
                runs, "Median regret after the last question; the best of at least three seeds is bold"
            ),
            tables.spread_table(runs, "Median, quartiles and worst of every method, 1 to 20 variables"),
        ]
    return Section(TITLE, tuple(blocks))


def _relative_regret(runs: Sequence[Run]) -> float:
    return float(np.median(figures.trajectories(runs)[:, -1])) / range_of(PROBLEMS[runs[0].problem])


def _milliseconds(runs: Sequence[Run]) -> float:
    return 1000 * float(np.mean([np.mean(run.seconds) for run in runs]))


def _over_problems(runs: Sequence[Run], method: str, n: float, value: figures.Measure) -> float:
    by_problem: dict[str, list[Run]] = {}
    for run in runs:
        if run.method == method and PROBLEMS[run.problem].dimension == n:
            by_problem.setdefault(run.problem, []).append(run)
    return geometric_mean([value(group) for group in by_problem.values()]) if by_problem else float("nan")


EXPERIMENT = Experiment("dimensions", TITLE, PARTS, write)

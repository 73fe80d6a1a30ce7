"""Long studies: what two hundred samples bring."""

from collections.abc import Sequence

import numpy as np

from benchmarks.paper import figures
from benchmarks.paper.document import Block, Figure, Section, Table
from benchmarks.paper.plan import Experiment, Part
from benchmarks.paper.tables import in_order, label
from benchmarks.problems import SETS
from benchmarks.results import OK, Run
from benchmarks.summary import number

TITLE = "Budgets up to 200 samples"
PROBLEMS = tuple(problem.name for problem in SETS["budgets"])
PARTS = (
    Part(PROBLEMS, {"glisp": 5, "glisp-pi": 5, "pbo": 5, "posterior": 5, "random": 5, "glis": 1}),
    Part(("rosenbrock8@200",), {"optuna": 1, "botorch-lognei": 1}),
)
PLACES = (49, 99, 149, 199)
ABOUT = (
    "The median regret on three of the functions after 49, 99, 149 and 199 questions. All methods knew the budget of 200 "
    "samples from the start. A run is stopped after twenty minutes and counts with its last recommendation."
)


def write(runs: Sequence[Run]) -> Section:
    """Regrets along the way, and the curves."""
    blocks: list[Block] = [ABOUT]
    if runs:
        drawing = figures.bands(runs, in_order(run.method for run in runs), ("posterior", "glisp"))
        blocks += [
            _table(runs),
            Figure("budgets", drawing, "Medians up to 199 questions, with best and worst for two."),
        ]
    return Section(TITLE, tuple(blocks))


def _table(runs: Sequence[Run]) -> Table:
    rows = []
    for problem in dict.fromkeys(run.problem for run in runs):
        for method in in_order(run.method for run in runs):
            mine = [run for run in runs if (run.problem, run.method) == (problem, method)]
            if mine:
                R = np.median(figures.trajectories(mine), axis=0)
                stopped = sum(run.status != OK for run in mine)
                values = [number(R[place - 1]) for place in PLACES]
                rows.append([problem, label(method), str(len(mine)), *values, str(stopped) if stopped else ""])
    header = ["problem", "method", "seeds", *[f"after {place}" for place in PLACES], "failed"]
    return Table(header, rows, "Median regret along the way")


EXPERIMENT = Experiment("budgets", TITLE, PARTS, write)

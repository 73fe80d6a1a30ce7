"""CPU times beside the paper's table, and the share of them that goes into calibrating."""

from collections.abc import Sequence

import numpy as np

from benchmarks.paper.document import Block, Section, Table
from benchmarks.paper.experiments import ten
from benchmarks.paper.plan import Experiment
from benchmarks.paper.tables import by_method, label
from benchmarks.paper.verdicts import cpu
from benchmarks.report import Results
from benchmarks.results import Run
from benchmarks.summary import number

TITLE = "CPU time"
PAPER_METHODS = ("glisp", "glisp-pi", "pbo")
PAPER_SECONDS = {  # the paper's table of CPU times, in seconds: RBF+IDW, RBF+PI, PBO
    "brochu-2d": (5.9, 6.0, 18.5),
    "adjiman": (1.2, 1.2, 13.3),
    "brochu-4d": (21.1, 21.4, 30.7),
    "ackley": (30.8, 30.9, 51.2),
    "brochu-6d": (20.3, 22.5, 32.3),
    "hartman3": (19.7, 20.4, 27.2),
    "hartman6": (57.6, 61.5, 60.6),
    "rosenbrock8": (68.1, 70.1, 306.4),
    "stepfunction2": (4.2, 4.3, 45.2),
    "camelsixhumps": (1.2, 1.2, 14.6),
}
ABOUT = (
    "CPU seconds of a whole run on one core, the mean over finished runs. They include the initial design, calibration, "
    "search, and the recommendation after every answer. The paper's times are for MATLAB R2019a on an Intel i7-8550 at "
    "1.8 GHz, so compare ratios, not seconds. A busy machine, whose caches and cores are shared, takes more CPU time for the same "
    "work than a quiet one."
)
SHARE = (
    "The share of the CPU time spent on calibration. For RBF+IDW and RBF+PI it is the cross-validation of ε; the paper "
    "reports around 40 to 80 %. For PBO and posterior it is the hyperparameters of the Gaussian process."
)


def write(runs: Sequence[Run]) -> Section:
    """Both tables."""
    blocks: list[Block] = [ABOUT]
    if runs:
        blocks += [_beside_the_paper(runs), by_method(runs, _seconds, "CPU seconds of a run, all methods")]
        known = [run for run in runs if run.calibrating is not None]
        blocks += [SHARE, by_method(known, share, "Share of the CPU time spent calibrating")] if known else []
    return Section(TITLE, tuple(blocks))


def _beside_the_paper(runs: Sequence[Run]) -> Table:
    results = Results(runs)
    rows = []
    for problem in results.problems:
        ours = [cpu(cell.runs) if (cell := results.cell(problem, m)) else float("nan") for m in PAPER_METHODS]
        theirs = PAPER_SECONDS.get(problem, ())
        ratios = [ours[0] / ours[2], theirs[0] / theirs[2]] if theirs else [ours[0] / ours[2], float("nan")]
        rows.append([problem, *map(number, (*ours, *theirs, *ratios))])
    header = ["problem", *[f"{label(m)}, ours" for m in PAPER_METHODS], *[f"{label(m)}, paper" for m in PAPER_METHODS]]
    return Table([*header, "IDW/PBO, ours", "IDW/PBO, paper"], rows, "CPU seconds of a run, beside the paper's")


def _seconds(runs: Sequence[Run]) -> str:
    return number(cpu(runs))


def share(runs: Sequence[Run]) -> str:
    """The part of all CPU seconds that went into calibrating, in per cent."""
    calibrating = sum(run.calibrating or 0.0 for run in runs)
    total = float(np.sum([sum(run.seconds) for run in runs]))
    return f"{100 * calibrating / total:.0f} %" if total > 0 else "–"


EXPERIMENT = Experiment("cpu", TITLE, ten.PARTS, write)

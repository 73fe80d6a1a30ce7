"""The CPU time of a question against the number of answers."""

from collections.abc import Sequence

import numpy as np

from benchmarks.paper import figures
from benchmarks.paper.document import Block, Figure, Section, Table
from benchmarks.paper.plan import Experiment, Part
from benchmarks.paper.tables import in_order, label
from benchmarks.results import Run
from benchmarks.summary import number

TITLE = "Cost against the number of answers"
PARTS = (
    Part(("rosenbrock8@501",), {"glisp": 1, "glisp-pi": 1, "pbo": 1, "posterior": 1}),
    Part(("rosenbrock8@200",), {"glis": 1, "optuna": 1, "botorch-lognei": 1}),
)
PLACES = (10, 20, 50, 100, 150, 200, 300, 400, 500)
WINDOW = 0.1
"""The CPU time at k answers is the mean over the questions within so large a part of k, which evens out calibrations."""
ABOUT = (
    "CPU time before the next question, on one core, with eight variables, against the number of answers so far: the mean "
    "over the questions within 10 % of that number. Our methods run up to 500 answers, the peers up to 199 or for twenty "
    "minutes. The exponent is the slope of log time against log answers from 50 answers on: the cost grows with that power."
)


def write(runs: Sequence[Run]) -> Section:
    """A figure with two logarithmic scales, and the numbers."""
    blocks: list[Block] = [ABOUT]
    if runs:

        def value(method: str, place: float) -> float:
            return milliseconds_at([run for run in runs if run.method == method], place)

        drawing = figures.lines(runs, PLACES, value, "answers", "CPU ms before the next question")
        drawing.axes[0].set_xscale("log")
        caption = "CPU milliseconds before the next question against the number of answers, both scales logarithmic."
        rows = []
        for method in in_order(run.method for run in runs):
            times = [value(method, place) for place in PLACES]
            rows.append([label(method), *map(number, times), number(exponent(times))])
        header = ["method", *map(str, PLACES), "exponent"]
        table = Table(header, rows, "CPU milliseconds before the next question after so many answers")
        blocks += [Figure("answers-cost", drawing, caption), table]
    return Section(TITLE, tuple(blocks))


def milliseconds_at(runs: Sequence[Run], place: float) -> float:
    """The mean CPU time of the questions around this number of answers; NaN if no run was near it or had proposals."""
    low, high = (1 - WINDOW) * place, (1 + WINDOW) * place
    times = [
        seconds
        for run in runs
        if len(run.seconds) > (1 - WINDOW / 2) * place
        for answers, seconds in enumerate(run.seconds)
        if low <= answers <= high and answers >= run.initial
    ]
    return 1000 * float(np.mean(times)) if times else float("nan")


def exponent(times: Sequence[float]) -> float:
    """The slope of log time against log answers from 50 answers on; NaN with fewer than three points."""
    known = [(np.log(k), np.log(t)) for k, t in zip(PLACES, times, strict=True) if k >= 50 and np.isfinite(t)]
    if len(known) < 3:
        return float("nan")
    x, y = np.array(known).T
    return float(np.polyfit(x, y, 1)[0])


EXPERIMENT = Experiment("answers", TITLE, PARTS, write)

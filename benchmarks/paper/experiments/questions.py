"""How many questions until the recommendation is good, and performance profiles, over the runs on the ten functions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks import headline
from benchmarks.paper import figures
from benchmarks.paper.document import Block, Figure, Section, Table
from benchmarks.paper.experiments import ten
from benchmarks.paper.plan import Experiment
from benchmarks.paper.tables import by_method, in_order
from benchmarks.report import Results
from benchmarks.results import Run
from benchmarks.summary import Vector
from prefero.insight import plots

TITLE = "Questions needed, and performance profiles"
NEAR = headline.NEARER
"""Within 1 %: the regret is at most this part of the problem's range."""
ABOUT = (
    "The number of questions until the recommended sample is within 1 % of the optimum and stays there. Within 1 % means a "
    "regret of at most a hundredth of the problem's range; a part of the minimum would mean nothing if the minimum is 0. A run "
    "that does not get there within its budget counts as infinite. A median is shown if at least half of the runs got there."
)


def needed(run: Run) -> float:
    """The number of the question after which the regret is small for good; infinite if never."""
    return headline.needed(run, NEAR)


def write(runs: Sequence[Run]) -> Section:
    """A table and two profiles."""
    blocks: list[Block] = [ABOUT]
    if runs:
        blocks += [_table(runs), _data_profile(runs), _performance_profile(runs)]
    return Section(TITLE, tuple(blocks))


def _table(runs: Sequence[Run]) -> Table:
    caption = "Median number of questions to come within 1 % of the optimum; never: fewer than half of the runs did"
    table = by_method(runs, lambda mine: _typical([needed(run) for run in mine]), caption)
    methods = in_order(run.method for run in runs)
    reached = [np.mean([np.isfinite(needed(run)) for run in runs if run.method == method]) for method in methods]
    return replace(table, rows=[*table.rows, ["**runs that got there**", *[f"{100 * part:.0f} %" for part in reached]]])


def _typical(counts: Sequence[float]) -> str:
    middle = float(np.quantile(counts, 0.5, method="lower"))
    return f"{middle:.0f}" if np.isfinite(middle) else f"never ({sum(map(np.isfinite, counts))}/{len(counts)})"


def _data_profile(runs: Sequence[Run]) -> Figure:
    figure, (axes,) = figures.new(1, 1, figures.SINGLE)
    methods = in_order(run.method for run in runs)
    figures.staircases(axes, {m: np.array([needed(run) for run in runs if run.method == m]) for m in methods})
    plots.labelled(axes, "questions", "share of runs within 1 %")
    figures.shared_legend(figure, [axes])
    caption = "The share of all runs on the ten functions that are within 1 % of the optimum after so many questions."
    return Figure("questions-profile", figure, caption)


def _performance_profile(runs: Sequence[Run]) -> Figure:
    figure, (axes,) = figures.new(1, 1, figures.SINGLE)
    figures.staircases(axes, profile(runs))
    axes.set_xscale("log")
    plots.labelled(axes, "median regret, as a multiple of the best method's", "share of the functions")
    figures.shared_legend(figure, [axes])
    caption = (
        "Performance profile (Dolan and Moré): the share of the functions on which a method's median regret is at most so "
        "many times that of the best method."
    )
    return Figure("performance-profile", figure, caption)


def profile(runs: Sequence[Run]) -> dict[str, Vector]:
    """For each method, on every problem its median regret over the lowest; infinite where it was not run."""
    results = Results(runs)
    ratios: dict[str, list[float]] = {method: [] for method in in_order(results.methods)}
    for problem in results.problems:
        medians = results.medians(problem, ratios)
        best = min(medians.values())
        for method, values in ratios.items():
            values.append(medians.get(method, float("inf")) / best)
    return {method: np.array(values) for method, values in ratios.items()}


EXPERIMENT = Experiment("questions", TITLE, ten.PARTS, write)

"""The drawings that several sections share, in the look of `prefero.insight.plots`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.named import problem_named
from benchmarks.paper.tables import in_order, label
from benchmarks.problems import DIGITS, floor_of
from benchmarks.results import Run
from benchmarks.summary import Vector, floored
from prefero.insight import plots

Measure: TypeAlias = Callable[[Sequence[Run]], float]

PANEL, SMALL, SINGLE = (4.4, 2.9), (3.0, 2.5), (8.4, 4.2)  # inches
ENTRY = 1.9  # inches of a legend's entry
STYLES: dict[str, tuple[str, str]] = {
    "posterior": (plots.BLUE, "-"),
    "posterior-objectives": (plots.BLUE, "-."),
    "posterior-mistakes": (plots.BLUE, "-."),
    "glisp-objectives": (plots.GREEN, "-."),
    "glisp": (plots.GREEN, "-"),
    "glisp-pi": (plots.SKY, "-"),
    "glisp-paper": (plots.GREEN, "--"),
    "pbo": (plots.ORANGE, "-"),
    "glis": (plots.VERMILLION, "-"),
    "glis-pi": (plots.VERMILLION, "--"),
    "botorch-lognei": (plots.PURPLE, "-"),
    "botorch-eubo": (plots.PURPLE, "--"),
    "optuna": (plots.INK, "-"),
    "botorch-eubo-pairs": (plots.PURPLE, "-."),
    "believer": (plots.ORANGE, "--"),
    "thompson": (plots.ORANGE, ":"),
    "glis-unshrunk": (plots.VERMILLION, "-."),
    "glis-pi-unshrunk": (plots.VERMILLION, ":"),
    "optuna-gp": (plots.INK, "--"),
    "botorch-logei": (plots.PURPLE, ":"),
    "posterior-noise": (plots.BLUE, "--"),
    "numbers": (plots.QUIET, "-."),
    "random": (plots.QUIET, ":"),
}


def new(rows: int, columns: int, panel: tuple[float, float] = PANEL) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels."""
    figure = Figure(figsize=(panel[0] * columns, panel[1] * rows), layout="constrained")
    return figure, [figure.add_subplot(rows, columns, place + 1) for place in range(rows * columns)]


def style(method: str) -> dict[str, Any]:
    """The colour and the kind of line that a method has in every figure."""
    colour, line = STYLES.get(method, (plots.INK, "-."))
    return {"color": colour, "linestyle": line}


def trajectories(runs: Sequence[Run]) -> Vector:
    """Regrets of runs on one problem, floored, a row for each run and a column for each comparison."""
    floor = floor_of(problem_named(runs[0].problem), DIGITS)
    return np.stack([floored(run.regrets, floor) for run in runs])


def band(axes: Axes, runs: Sequence[Run], shaded: bool = True, name: str | None = None) -> None:
    """The median of one method on one problem against the number of preferences; shaded from best to worst."""
    R = trajectories(runs)
    asked = np.arange(1, R.shape[1] + 1)
    look = style(runs[0].method)
    axes.plot(asked, np.median(R, axis=0), linewidth=1.8, label=name or label(runs[0].method), **look)
    if shaded:
        axes.fill_between(asked, R.min(axis=0), R.max(axis=0), color=look["color"], alpha=0.16, linewidth=0)


def start_line(axes: Axes, initial: int, method: str | None = None) -> None:
    """The line where active learning begins: the last question about the initial samples."""
    colour = style(method)["color"] if method else plots.QUIET
    axes.axvline(max(initial - 1, 1), color=colour, linewidth=0.9, linestyle=":")


def bands(runs: Sequence[Run], methods: Sequence[str], shaded: Sequence[str], columns: int = 5) -> Figure:
    """A panel for each problem: medians against the number of preferences, the band of best and worst for some."""
    problems = list(dict.fromkeys(run.problem for run in runs if run.method in methods))
    columns = max(min(columns, len(problems)), 1)
    size = SINGLE if columns == 1 else PANEL if columns <= 3 else SMALL
    figure, panels = new(-(-max(len(problems), 1) // columns), columns, size)
    for place, (axes, problem) in enumerate(zip(panels, problems, strict=False)):
        for method in methods:
            mine = [run for run in runs if run.problem == problem and run.method == method]
            if mine:
                band(axes, mine, method in shaded)
                if method in shaded:
                    start_line(axes, mine[0].initial, method)
        axes.set_title(problem, fontsize=10.5, color=plots.INK)
        last_row = place + columns >= len(problems)
        plots.labelled(axes, "preferences" if last_row else "", "" if place % columns else "regret")
        logarithmic(axes)
    for axes in panels[len(problems) :]:
        axes.set_axis_off()
    shared_legend(figure, panels)
    return figure


def logarithmic(axes: Axes) -> None:
    """A logarithmic scale upwards, with the small ticks only where there is room for them."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    if high > 30 * low:
        axes.minorticks_off()


def shared_legend(figure: Figure, panels: Iterable[Axes]) -> None:
    """One legend above all panels."""
    entries: dict[str, Any] = {}
    for axes in panels:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    if entries:
        figure.legend(
            list(entries.values()),
            list(entries),
            loc="outside upper center",
            ncols=max(min(len(entries), int(figure.get_figwidth() / ENTRY)), 1),
            frameon=False,
            fontsize=10,
            labelcolor=plots.INK,
        )


def staircases(axes: Axes, values: Mapping[str, Vector]) -> None:
    """For each method the share of its values that are at most so much; infinite ones are never reached."""
    finite = {method: np.sort(v[np.isfinite(v)]) for method, v in values.items()}
    end = max((float(v[-1]) for v in finite.values() if len(v)), default=1.0)
    for method, known in finite.items():
        if len(known):
            shares = np.arange(len(known) + 1) / len(values[method])
            x, y = [known[0], *known, end], [*shares, shares[-1]]
            axes.step(x, y, where="post", linewidth=1.8, label=label(method), **style(method))
    axes.set_ylim(0, 1.02)


def lines(
    runs: Sequence[Run], places: Sequence[float], value: Callable[[str, float], float], xlabel: str, ylabel: str
) -> Figure:
    """A line for each method through the places on a logarithmic scale upwards; `value` is NaN where nothing is known."""
    figure, (axes,) = new(1, 1, SINGLE)
    for method in in_order(run.method for run in runs):
        heights = [value(method, place) for place in places]
        known = np.flatnonzero(np.isfinite(heights))
        if len(known):
            x, y = np.array(places)[known], np.array(heights)[known]
            axes.plot(x, y, marker="o", markersize=4, linewidth=1.6, label=label(method), **style(method))
    plots.labelled(axes, xlabel, ylabel)
    logarithmic(axes)
    shared_legend(figure, [axes])
    return figure

"""Figures of a run, question by question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter
from numpy.typing import ArrayLike

from prefero.insight.plots.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    LABEL,
    ORANGE,
    QUIET,
    TICK,
    axes,
    figure_of,
    labelled,
    legend,
)
from prefero.space import Choice, Integer, Ordinal, Real, Space, Variable
from prefero.space.arrays import Vector
from prefero.study import Study


def progress(
    values: ArrayLike,
    *,
    first_active: int | None = None,
    optimum: float | None = None,
    label: str = "best latent value",
    ax: Axes | None = None,
) -> Figure:
    """Draw how good the recommendation was after each answer.

    values: the latent value of the recommendation after 1, 2, … answers.
    first_active: the last query of the initial design, N_init − 1, after which active learning begins.
    optimum: the smallest latent value, if it is known.
    """
    best = np.asarray(values, dtype=float)
    ax = axes(ax, (6.4, 3.6))
    queries = np.arange(1, len(best) + 1)
    if optimum is not None:
        ax.axhline(optimum, color=GREEN, linewidth=1.2, linestyle=(0, (5, 3)), label="optimum")
    if first_active is not None:
        ax.axvline(first_active, color=QUIET, linewidth=1.2, linestyle=(0, (1, 1.5)), label="active learning begins")
    ax.plot(queries, best, drawstyle="steps-post", color=BLUE, linewidth=2)
    ax.plot(queries, best, linestyle="none", marker="o", markersize=4, color=BLUE)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    labelled(ax, "queried preferences", label)
    if optimum is not None or first_active is not None:
        legend(ax)
    return figure_of(ax)


def questions(study: Study) -> Figure:
    """Draw each variable of a study, question by question: both candidates, with the preferred one filled."""
    comparisons = study.history.comparisons
    shown = [study.space.decode(point) for point in study.history.points]
    variables = study.space.variables if isinstance(study.space, Space) else {}
    names = study.space.names
    figure = Figure(figsize=(7.2, 0.7 + 1.35 * len(names)), layout="constrained")
    rows = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    asked = np.arange(1, len(comparisons) + 1)
    won = np.array([c.j if c.preference == 1 else c.i for c in comparisons], dtype=int)
    lost = np.array([c.i if c.preference == 1 else c.j for c in comparisons], dtype=int)
    even = np.array([c.preference == 0 for c in comparisons], dtype=bool)
    for ax, name in zip(rows, names, strict=True):
        height = _heights(ax, variables.get(name), [candidate.get(name) for candidate in shown])
        ax.vlines(asked, height[won], height[lost], color=FAINT, linewidth=2.5, zorder=1)
        ax.scatter(asked, height[lost], s=30, facecolor="white", edgecolor=np.where(even, ORANGE, QUIET), zorder=2)
        ax.scatter(asked, height[won], s=34, color=np.where(even, ORANGE, BLUE), zorder=3)
        labelled(ax, "", name)
    rows[-1].set_xlabel("answered question", fontsize=LABEL, color=INK)
    rows[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    _key(figure, bool(even.any()))
    figure.align_ylabels(list(rows))
    return figure


def _heights(ax: Axes, variable: Variable | None, values: Sequence[Any]) -> Vector:
    """Set up the axis of a variable for its kind, and return the positions of its values."""
    given = [value for value in values if value is not None]  # None: the variable is absent
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in given)
    if isinstance(variable, Choice | Ordinal) or not numeric:
        levels = list(variable.levels if isinstance(variable, Choice | Ordinal) else dict.fromkeys(given))
        ax.set_yticks(range(len(levels)), [str(level) for level in levels])
        ax.set_ylim(-0.6, len(levels) - 0.4)
        return np.array([np.nan if value is None else levels.index(value) for value in values], dtype=float)
    if isinstance(variable, Real | Integer) and variable.log:
        ax.set_yscale("log")
        few = np.log10(variable.high / variable.low) <= 3
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 3) if few else (1,), numticks=8))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_locator(NullLocator())
    if isinstance(variable, Integer) and not variable.log:
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _key(figure: Figure, ties: bool) -> None:
    """Add the legend of `questions` above the panels."""
    ax = figure.axes[0]
    marks = [
        ax.scatter([], [], s=34, color=BLUE, label="preferred"),
        ax.scatter([], [], s=30, facecolor="white", edgecolor=QUIET, label="the other"),
    ]
    if ties:
        marks.append(ax.scatter([], [], s=34, color=ORANGE, label="about the same"))
    figure.legend(handles=marks, loc="outside upper right", ncols=3, frameon=False, fontsize=TICK)

"""Figures of functions of one and of two variables.

A field is a vectorised function, like `Surrogate.predict`: a matrix of points in, one value per row out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from prefero.insight.plots.style import (
    CYCLE,
    GREEN,
    INK,
    LABEL,
    ORANGE,
    QUIET,
    TICK,
    TITLE,
    VERMILLION,
    axes,
    figure_of,
    labelled,
    legend,
)
from prefero.space.arrays import Matrix, Vector

Field: TypeAlias = Callable[[Matrix], ArrayLike]
Bounds: TypeAlias = tuple[Sequence[float], Sequence[float]]

_GRID = 200
"""Grid points along each side of a contour plot."""
_AGES = LinearSegmentedColormap.from_list("ages", ["#fde3b8", ORANGE, VERMILLION, "#5c2400"])
_DEPTHS = LinearSegmentedColormap.from_list("depths", ["#0d3357", "#4f86b5", "#a9c8df", "#e8f0f6"])
_LEVELS = LinearSegmentedColormap.from_list("levels", ["#4f7ba3", "#c7d6e4", "#f1f4f7"])


# Functions of two variables ------------------------------------------------------------------------------------------


def samples_on_contours(
    f: Field,
    bounds: Bounds,
    samples: ArrayLike,
    *,
    initial: int = 0,
    best: ArrayLike | None = None,
    optimum: ArrayLike | None = None,
    constraint: Field | None = None,
    names: tuple[str, str] = ("$x_1$", "$x_2$"),
    levels: ArrayLike | int = 14,
    ax: Axes | None = None,
) -> Figure:
    """Draw samples over the contours of f; later samples are darker.

    bounds: (lower, upper). initial: how many of the samples are the initial design. best, optimum: points to mark.
    constraint: a field g; the region with g > 0 is pale.
    """
    ax = axes(ax, (6.6, 5.2))
    _contours(ax, f, bounds, constraint, levels)
    _by_age(ax, np.asarray(samples, dtype=float).reshape(-1, 2), initial)
    if best is not None:
        x, y = np.asarray(best, dtype=float)
        ax.scatter([x], [y], s=190, facecolor="none", edgecolor=INK, linewidth=1.6, zorder=5, label="recommended")
    if optimum is not None:
        x, y = np.asarray(optimum, dtype=float)
        ax.scatter([x], [y], marker="+", s=130, color="#00644a", linewidth=1.8, zorder=6, label="optimum")
    ax.set(xlim=(bounds[0][0], bounds[1][0]), ylim=(bounds[0][1], bounds[1][1]))
    labelled(ax, *names)
    ax.grid(visible=False)
    if ax.get_legend_handles_labels()[0]:
        legend(ax, framed=True)
    return figure_of(ax)


def _contours(ax: Axes, f: Field, bounds: Bounds, constraint: Field | None, levels: ArrayLike | int) -> None:
    U, V, points = _grid(bounds, _GRID)
    value = np.asarray(f(points), dtype=float).reshape(U.shape)
    ax.contourf(U, V, value, levels=levels, cmap=_LEVELS)
    ax.contour(U, V, value, levels=levels, colors="white", linewidths=0.6)
    if constraint is not None:
        g = np.asarray(constraint(points), dtype=float).reshape(U.shape)
        ax.contourf(U, V, g > 0, levels=[0.5, 1.5], colors=["#f6f6f6"], alpha=0.82)
        ax.contour(U, V, g, levels=[0], colors=INK, linewidths=1.2)
        ax.scatter([], [], marker="s", s=90, color="#e2e2e2", label="infeasible")


def _by_age(ax: Axes, X: Matrix, initial: int) -> None:
    """Draw the initial design as squares, and later samples as discs that get darker."""
    x, y = X.T
    if initial:
        ax.scatter(
            x[:initial], y[:initial], marker="s", s=34, color="white", edgecolor=INK, zorder=3, label="initial design"
        )
    later = np.arange(initial + 1, len(X) + 1)
    if not len(later):
        return
    ages = ax.scatter(x[initial:], y[initial:], c=later, cmap=_AGES, s=40, edgecolor="white", linewidth=0.7, zorder=4)
    bar = figure_of(ax).colorbar(ages, ax=ax, shrink=0.8, pad=0.02)
    bar.set_label("active sample, in the order asked", fontsize=LABEL, color=INK)
    bar.ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    bar.ax.tick_params(labelsize=TICK, color=QUIET, labelcolor=INK)
    bar.outline.set_visible(False)


def surfaces(
    fields: Mapping[str, Field],
    bounds: Bounds,
    *,
    samples: ArrayLike | None = None,
    names: tuple[str, str] = ("$x_1$", "$x_2$"),
    side: int = 70,
) -> Figure:
    """Draw functions of two variables, given by title, side by side in perspective, with samples on each surface.

    side: grid points of each surface along a variable. A surface has a hole where the function is not a number.
    """
    figure = Figure(figsize=(5.2 * len(fields), 4.4), layout="constrained")
    U, V, points = _grid(bounds, side)
    X = None if samples is None else np.asarray(samples, dtype=float).reshape(-1, 2)
    for k, (title, f) in enumerate(fields.items()):
        ax: Any = figure.add_subplot(1, len(fields), k + 1, projection="3d", computed_zorder=False)
        value = np.asarray(f(points), dtype=float).reshape(U.shape)
        ax.plot_surface(U, V, value, cmap=_DEPTHS, rcount=side, ccount=side, linewidth=0, antialiased=False, zorder=1)
        if X is not None:
            on_surface = np.asarray(f(X), dtype=float)
            ax.scatter(
                *X.T, on_surface, s=26, color=VERMILLION, edgecolor="white", linewidth=0.7, depthshade=False, zorder=2
            )
        ax.set_title(title, fontsize=TITLE, color=INK, y=1.04)
        ax.set_xlabel(names[0], fontsize=LABEL)
        ax.set_ylabel(names[1], fontsize=LABEL)
        ax.tick_params(labelsize=TICK - 1, colors=INK)
        ax.view_init(elev=42, azim=-115)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color((1, 1, 1, 0))
            axis.set_major_locator(MaxNLocator(5))
    return figure


def _grid(bounds: Bounds, side: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return a grid over a rectangle: its coordinates as matrices, and its points one per row."""
    (u_low, v_low), (u_high, v_high) = bounds
    U, V = np.meshgrid(np.linspace(u_low, u_high, side), np.linspace(v_low, v_high, side))
    return U, V, np.column_stack([U.ravel(), V.ravel()])


# Functions of one variable -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """One panel of `panels`: curves by label, with samples.

    points: (x, y) of samples. pairs: indices of the points that were compared; a line joins each pair.
    minima: whether to mark the minimum of each curve with a diamond.
    """

    label: str
    curves: Mapping[str, ArrayLike]
    points: tuple[ArrayLike, ArrayLike] | None = None
    pairs: Sequence[tuple[int, int]] = ()
    minima: bool = False


def panels(x: ArrayLike, parts: Sequence[Panel], *, xlabel: str = "$x$") -> Figure:
    """Draw functions of one variable over the same axis, one panel above another."""
    abscissa = np.asarray(x, dtype=float)
    figure = Figure(figsize=(6.8, 0.6 + 2.15 * len(parts)), layout="constrained")
    rows = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    for ax, part in zip(rows, parts, strict=True):
        _panel(ax, abscissa, part)
    rows[-1].set_xlabel(xlabel, fontsize=LABEL, color=INK)
    rows[-1].set_xlim(abscissa[0], abscissa[-1])
    figure.align_ylabels(list(rows))
    if any(part.points is not None for part in parts):
        marks: list[Any] = [rows[0].scatter([], [], s=42, color=VERMILLION, label="samples")]
        if any(part.pairs for part in parts):
            marks += rows[0].plot([], [], color=GREEN, linewidth=1.2, label="compared with each other")
        figure.legend(handles=marks, loc="outside upper right", ncols=2, frameon=False, fontsize=TICK)
    return figure


def _panel(ax: Axes, x: Vector, part: Panel) -> None:
    for k, (label, values) in enumerate(part.curves.items()):
        y, colour = np.asarray(values, dtype=float), CYCLE[k % len(CYCLE)]
        ax.plot(x, y, color=colour, linewidth=1.8, label=label)
        if part.minima:
            least, size = (
                int(y.argmin()),
                46 + 60 * (len(part.curves) - 1 - k),
            )  # a marker below another one stays visible
            ax.scatter(x[least], y[least], marker="D", s=size, color=colour, edgecolor="white", zorder=4, clip_on=False)
    if part.points is not None:
        px, py = (np.asarray(values, dtype=float) for values in part.points)
        for i, j in part.pairs:
            ax.plot(px[[i, j]], py[[i, j]], color=GREEN, linewidth=1.2, zorder=2)
        ax.scatter(px, py, s=42, color=VERMILLION, edgecolor="white", zorder=3, clip_on=False)
    labelled(ax, "", part.label)
    if len(part.curves) > 1:
        legend(ax)

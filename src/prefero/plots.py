"""Figures of studies and of what they learned; each function returns a matplotlib Figure, ready for `savefig`.

| function | shows |
|---|---|
| `progress` | how good the recommendation was after each answer, where the latent function is known |
| `questions` | each variable of a study, question by question, and which side won |
| `samples_on_contours` | samples over the level sets of a function of two variables |
| `surfaces` | functions of two variables side by side, in perspective |
| `panels` | functions of one variable, one panel above the other |
| `front` | the rows of a Pareto front as lines across its objectives |
| `labelled` | axes of your own in the look of these |

A field is a function of many points at once, a value for each row, as `Surrogate.predict` is. Nothing here touches pyplot or
any other global state. Needs the extra: pip install "prefero[plot]".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prefero.arrays import Matrix, Vector
from prefero.space import Choice, Integer, Real, Space
from prefero.study import Study

try:
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter
except ImportError as error:
    raise ImportError('prefero.plots needs matplotlib: pip install "prefero[plot]"', name="matplotlib") from error

Field: TypeAlias = Callable[[Matrix], ArrayLike]
Bounds: TypeAlias = tuple[Sequence[float], Sequence[float]]

# Okabe and Ito's palette, which stays apart for every kind of colour vision
BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7"
CYCLE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
INK, QUIET, FAINT = "#333333", "#808080", "#e4e4e4"

_TITLE, _LABEL, _TICK = 11.5, 10.5, 9.5
_GRID = 200
"""Points along each side of a contour plot."""
_AGES = LinearSegmentedColormap.from_list("ages", ["#fde3b8", ORANGE, VERMILLION, "#5c2400"])
_DEPTHS = LinearSegmentedColormap.from_list("depths", ["#0d3357", "#4f86b5", "#a9c8df", "#e8f0f6"])
_LEVELS = LinearSegmentedColormap.from_list("levels", ["#4f7ba3", "#c7d6e4", "#f1f4f7"])


# Runs ----------------------------------------------------------------------------------------------------------------


def progress(
    values: ArrayLike,
    *,
    first_active: int | None = None,
    optimum: float | None = None,
    label: str = "best latent value",
    ax: Axes | None = None,
) -> Figure:
    """How good the recommendation was after each answer.

    values: the latent value of the recommendation after 1, 2, … queried preferences.
    first_active: the last query of the initial design, N_init − 1, after which active learning begins.
    optimum: the least value there is, where it is known.
    """
    best = np.asarray(values, dtype=float)
    ax = _axes(ax, (6.4, 3.6))
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
        _legend(ax)
    return _figure(ax)


def questions(study: Study) -> Figure:
    """Each variable of a study, question by question: both candidates, the preferred one filled."""
    comparisons = study.history.comparisons
    shown = [study.space.decode(point) for point in study.history.points]
    variables = study.space.variables if isinstance(study.space, Space) else {}
    names = study.space.names
    figure = Figure(figsize=(7.2, 0.7 + 1.35 * len(names)), layout="constrained")
    rows = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    asked = np.arange(1, len(comparisons) + 1)
    won = np.array([c.j if c.outcome == 1 else c.i for c in comparisons], dtype=int)
    lost = np.array([c.i if c.outcome == 1 else c.j for c in comparisons], dtype=int)
    even = np.array([c.outcome == 0 for c in comparisons], dtype=bool)
    for ax, name in zip(rows, names, strict=True):
        height = _heights(ax, variables.get(name), [candidate[name] for candidate in shown])
        ax.vlines(asked, height[won], height[lost], color=FAINT, linewidth=2.5, zorder=1)
        ax.scatter(asked, height[lost], s=30, facecolor="white", edgecolor=np.where(even, ORANGE, QUIET), zorder=2)
        ax.scatter(asked, height[won], s=34, color=np.where(even, ORANGE, BLUE), zorder=3)
        labelled(ax, "", name)
    rows[-1].set_xlabel("answered question", fontsize=_LABEL, color=INK)
    rows[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    _key(figure, bool(even.any()))
    figure.align_ylabels(list(rows))
    return figure


def _heights(ax: Axes, variable: Real | Integer | Choice | None, values: Sequence[Any]) -> Vector:
    """Where the values of one variable lie on its axis, which is set up for its kind."""
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if isinstance(variable, Choice) or not numeric:
        levels = list(variable.levels) if isinstance(variable, Choice) else list(dict.fromkeys(values))
        ax.set_yticks(range(len(levels)), [str(level) for level in levels])
        ax.set_ylim(-0.6, len(levels) - 0.4)
        return np.array([levels.index(value) for value in values], dtype=float)
    if isinstance(variable, Real) and variable.log:
        ax.set_yscale("log")
        few = np.log10(variable.high / variable.low) <= 3
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 3) if few else (1,), numticks=8))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_locator(NullLocator())
    if isinstance(variable, Integer):
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    return np.array(values, dtype=float)


def _key(figure: Figure, ties: bool) -> None:
    """What the marks of `questions` mean, above the panels."""
    ax = figure.axes[0]
    marks = [
        ax.scatter([], [], s=34, color=BLUE, label="preferred"),
        ax.scatter([], [], s=30, facecolor="white", edgecolor=QUIET, label="the other"),
    ]
    if ties:
        marks.append(ax.scatter([], [], s=34, color=ORANGE, label="about the same"))
    figure.legend(handles=marks, loc="outside upper right", ncols=3, frameon=False, fontsize=_TICK)


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
    """Samples in the order they were asked about, over the level sets of f; darker ones came later.

    bounds: (lower, upper). initial: how many of the samples are the initial design. best, optimum: points to mark.
    constraint: a field g; where g > 0 the plane is pale.
    """
    ax = _axes(ax, (6.6, 5.2))
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
        _legend(ax, framed=True)
    return _figure(ax)


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
    """The initial design as squares, the samples after it as discs that get darker."""
    x, y = X.T
    if initial:
        ax.scatter(
            x[:initial], y[:initial], marker="s", s=34, color="white", edgecolor=INK, zorder=3, label="initial design"
        )
    later = np.arange(initial + 1, len(X) + 1)
    if not len(later):
        return
    ages = ax.scatter(x[initial:], y[initial:], c=later, cmap=_AGES, s=40, edgecolor="white", linewidth=0.7, zorder=4)
    bar = _figure(ax).colorbar(ages, ax=ax, shrink=0.8, pad=0.02)
    bar.set_label("active sample, in the order asked", fontsize=_LABEL, color=INK)
    bar.ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    bar.ax.tick_params(labelsize=_TICK, color=QUIET, labelcolor=INK)
    bar.outline.set_visible(False)


def surfaces(
    fields: Mapping[str, Field],
    bounds: Bounds,
    *,
    samples: ArrayLike | None = None,
    names: tuple[str, str] = ("$x_1$", "$x_2$"),
) -> Figure:
    """Functions of two variables side by side in perspective, by title; samples lie on each surface."""
    figure = Figure(figsize=(5.2 * len(fields), 4.4), layout="constrained")
    U, V, points = _grid(bounds, 70)
    X = None if samples is None else np.asarray(samples, dtype=float).reshape(-1, 2)
    for k, (title, f) in enumerate(fields.items()):
        ax: Any = figure.add_subplot(1, len(fields), k + 1, projection="3d", computed_zorder=False)
        value = np.asarray(f(points), dtype=float).reshape(U.shape)
        ax.plot_surface(U, V, value, cmap=_DEPTHS, rcount=70, ccount=70, linewidth=0, antialiased=False, zorder=1)
        if X is not None:
            on_surface = np.asarray(f(X), dtype=float)
            ax.scatter(
                *X.T, on_surface, s=26, color=VERMILLION, edgecolor="white", linewidth=0.7, depthshade=False, zorder=2
            )
        ax.set_title(title, fontsize=_TITLE, color=INK, y=1.04)
        ax.set_xlabel(names[0], fontsize=_LABEL)
        ax.set_ylabel(names[1], fontsize=_LABEL)
        ax.tick_params(labelsize=_TICK - 1, colors=INK)
        ax.view_init(elev=42, azim=-115)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color((1, 1, 1, 0))
            axis.set_major_locator(MaxNLocator(5))
    return figure


def _grid(bounds: Bounds, side: int) -> tuple[Matrix, Matrix, Matrix]:
    """A grid over a rectangle: its coordinates as matrices, and its points one a row."""
    (u_low, v_low), (u_high, v_high) = bounds
    U, V = np.meshgrid(np.linspace(u_low, u_high, side), np.linspace(v_low, v_high, side))
    return U, V, np.column_stack([U.ravel(), V.ravel()])


# Functions of one variable -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """One panel of `panels`: curves by label, and what is marked on the first of them.

    points: (x, y) of samples. pairs: row numbers of the points that were compared, each pair joined by a line.
    minima: whether to mark the least value of each curve with a diamond.
    """

    label: str
    curves: Mapping[str, ArrayLike]
    points: tuple[ArrayLike, ArrayLike] | None = None
    pairs: Sequence[tuple[int, int]] = ()
    minima: bool = False


def panels(x: ArrayLike, parts: Sequence[Panel], *, xlabel: str = "$x$") -> Figure:
    """Functions of one variable over the same axis, one panel above the other."""
    abscissa = np.asarray(x, dtype=float)
    figure = Figure(figsize=(6.8, 0.6 + 2.15 * len(parts)), layout="constrained")
    rows = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    for ax, part in zip(rows, parts, strict=True):
        _panel(ax, abscissa, part)
    rows[-1].set_xlabel(xlabel, fontsize=_LABEL, color=INK)
    rows[-1].set_xlim(abscissa[0], abscissa[-1])
    figure.align_ylabels(list(rows))
    if any(part.points is not None for part in parts):
        marks: list[Any] = [rows[0].scatter([], [], s=42, color=VERMILLION, label="samples")]
        if any(part.pairs for part in parts):
            marks += rows[0].plot([], [], color=GREEN, linewidth=1.2, label="compared with each other")
        figure.legend(handles=marks, loc="outside upper right", ncols=2, frameon=False, fontsize=_TICK)
    return figure


def _panel(ax: Axes, x: Vector, part: Panel) -> None:
    for k, (label, values) in enumerate(part.curves.items()):
        y, colour = np.asarray(values, dtype=float), CYCLE[k % len(CYCLE)]
        ax.plot(x, y, color=colour, linewidth=1.8, label=label)
        if part.minima:
            least, size = int(y.argmin()), 46 + 60 * (len(part.curves) - 1 - k)  # one below another stays visible
            ax.scatter(x[least], y[least], marker="D", s=size, color=colour, edgecolor="white", zorder=4, clip_on=False)
    if part.points is not None:
        px, py = (np.asarray(values, dtype=float) for values in part.points)
        for i, j in part.pairs:
            ax.plot(px[[i, j]], py[[i, j]], color=GREEN, linewidth=1.2, zorder=2)
        ax.scatter(px, py, s=42, color=VERMILLION, edgecolor="white", zorder=3, clip_on=False)
    labelled(ax, "", part.label)
    if len(part.curves) > 1:
        _legend(ax)


# Fronts --------------------------------------------------------------------------------------------------------------


def front(
    rows: ArrayLike,
    names: Sequence[str],
    *,
    shown: Sequence[int] = (),
    chosen: int | None = None,
    ax: Axes | None = None,
) -> Figure:
    """The rows of a front as lines across its objectives; those shown to the person and the chosen one stand out."""
    F = np.asarray(rows, dtype=float)
    ax = _axes(ax, (6.4, 3.8))
    across = np.arange(F.shape[1])
    ax.plot(across, F.T, color="#d3d3d3", linewidth=0.8, zorder=1)
    if len(shown):
        ax.plot(across, F[list(shown)].T, color=SKY, linewidth=1.3, zorder=2)
        ax.plot([], [], color=SKY, label="shown to the person")
    ax.plot([], [], color="#c9c9c9", label="on the front")
    if chosen is not None:
        ax.plot(across, F[chosen], color=VERMILLION, linewidth=2.6, marker="o", zorder=3, label="chosen")
    ax.set_xticks(across, list(names))
    labelled(ax, "", "value, lower is better")
    ax.grid(visible=False, axis="y")
    ax.grid(visible=True, axis="x", color=QUIET, linewidth=0.8)
    ax.legend(fontsize=_TICK, labelcolor=INK, frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))
    return _figure(ax)


# The common look -----------------------------------------------------------------------------------------------------


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    return Figure(figsize=size, layout="constrained").add_subplot() if ax is None else ax


def _figure(ax: Axes) -> Figure:
    figure = ax.figure
    return figure if isinstance(figure, Figure) else figure.figure


def labelled(ax: Axes, xlabel: str, ylabel: str) -> None:
    """Give axes of your own the labels, and the quiet frame, that all axes here have."""
    ax.set_xlabel(xlabel, fontsize=_LABEL, color=INK)
    ax.set_ylabel(ylabel, fontsize=_LABEL, color=INK)
    ax.tick_params(labelsize=_TICK, color=QUIET, labelcolor=INK)
    ax.grid(visible=True, color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(QUIET)


def _legend(ax: Axes, framed: bool = False) -> None:
    ax.legend(fontsize=_TICK, labelcolor=INK, frameon=framed, framealpha=0.9, edgecolor="none")

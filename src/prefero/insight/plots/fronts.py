"""Figures of Pareto fronts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from prefero.insight.plots.style import INK, QUIET, SKY, TICK, VERMILLION, axes, figure_of, labelled


def front(
    rows: ArrayLike,
    names: Sequence[str],
    *,
    shown: Sequence[int] = (),
    chosen: int | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the rows of a front as lines across its objectives, and highlight the rows shown and the chosen one."""
    F = np.asarray(rows, dtype=float)
    ax = axes(ax, (6.4, 3.8))
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
    ax.legend(fontsize=TICK, labelcolor=INK, frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))
    return figure_of(ax)

"""The look that all figures share: a palette, quiet axes, small legends."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette, which stays apart for every kind of colour vision
BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7"
CYCLE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
INK, QUIET, FAINT = "#333333", "#808080", "#e4e4e4"
TITLE, LABEL, TICK = 11.5, 10.5, 9.5
"""Sizes of letters, in points."""


def axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes that were given, or new ones in a figure of that size, in inches."""
    return Figure(figsize=size, layout="constrained").add_subplot() if ax is None else ax


def figure_of(ax: Axes) -> Figure:
    """The whole figure that axes belong to."""
    part = ax.figure
    return part if isinstance(part, Figure) else part.figure


def labelled(ax: Axes, xlabel: str, ylabel: str) -> None:
    """Give axes of your own the labels, and the quiet frame, that all axes here have."""
    ax.set_xlabel(xlabel, fontsize=LABEL, color=INK)
    ax.set_ylabel(ylabel, fontsize=LABEL, color=INK)
    ax.tick_params(labelsize=TICK, color=QUIET, labelcolor=INK)
    ax.grid(visible=True, color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(QUIET)


def legend(ax: Axes, framed: bool = False) -> None:
    """What the marks mean, in the corner that has room."""
    ax.legend(fontsize=TICK, labelcolor=INK, frameon=framed, framealpha=0.9, edgecolor="none")

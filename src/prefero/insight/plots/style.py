"""The look that all figures share: a palette, quiet axes, small legends."""

from __future__ import annotations

import unicodedata
from textwrap import fill

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


def plain(text: str, most: int = 200) -> str:
    """A text of somebody else's for a figure: never taken for mathematics, in one line, cut where it is too long.

    Wide characters count twice.
    """
    shown, width = "", 0
    for character in " ".join(text.split()):
        category = unicodedata.category(character)
        width += 0 if category == "Mn" else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > most:
            shown = shown.rstrip() + "…"
            break
        shown += "\N{REPLACEMENT CHARACTER}" if category in ("Cc", "Cs") else character
    return shown.replace("$", r"\$")


def empty(words: str, size: tuple[float, float]) -> Figure:
    """A figure of which there is nothing to draw yet, and that says so."""
    figure = Figure(figsize=size, layout="constrained")
    figure.text(0.5, 0.5, fill(plain(words), 48), ha="center", va="center", fontsize=LABEL, color=INK)
    return figure

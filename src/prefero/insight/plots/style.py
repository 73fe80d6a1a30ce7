"""The style that all figures share: palette, axes, legends."""

from __future__ import annotations

import unicodedata
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette: the colours can be told apart with every kind of colour vision
BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7"
CYCLE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
INK, QUIET, FAINT = "#333333", "#808080", "#e4e4e4"
TITLE, LABEL, TICK = 11.5, 10.5, 9.5
"""Font sizes in points."""


def axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or new ones in a figure of that size in inches."""
    return Figure(figsize=size, layout="constrained").add_subplot() if ax is None else ax


def figure_of(ax: Axes) -> Figure:
    """Return the figure that axes belong to."""
    part = ax.figure
    return part if isinstance(part, Figure) else part.figure


def labelled(ax: Axes, xlabel: str, ylabel: str) -> None:
    """Label axes and give them the style of all figures here."""
    ax.set_xlabel(xlabel, fontsize=LABEL, color=INK)
    ax.set_ylabel(ylabel, fontsize=LABEL, color=INK)
    ax.tick_params(labelsize=TICK, color=QUIET, labelcolor=INK)
    ax.grid(visible=True, color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(QUIET)


def legend(ax: Axes, framed: bool = False) -> None:
    """Add a legend in the corner with the most room."""
    ax.legend(fontsize=TICK, labelcolor=INK, frameon=framed, framealpha=0.9, edgecolor="none")


def plain(text: str, most: int = 200) -> str:
    """Return a user's text for a figure: on one line, cut after `most` columns, and never read as mathematics.

    Wide characters count as two columns.
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
    """Return a figure that shows only these words, because there is nothing to draw yet."""
    figure = Figure(figsize=size, layout="constrained")
    figure.text(0.5, 0.5, fill(plain(words), 48), ha="center", va="center", fontsize=LABEL, color=INK)
    return figure

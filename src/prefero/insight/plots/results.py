"""Figures of a study's results: each function takes a study, or the result that `prefero.insight` returned.

Utilities, bands and probabilities come from the posterior of the answers. Before the first answer a figure says so.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from math import ceil, log10
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator, PercentFormatter, StrMethodFormatter

from prefero import insight as findings
from prefero.insight import Consistency, Development, Importance, Person, Ranked, Ranking, Slice
from prefero.insight.plots.style import (
    BLUE,
    CYCLE,
    GREEN,
    INK,
    QUIET,
    TICK,
    VERMILLION,
    axes,
    empty,
    figure_of,
    labelled,
    plain,
)
from prefero.insight.tables import Column, chance, share
from prefero.study import Study

WIDTH = 6.4
BAND = 0.2
"""The opacity of a band."""
LONGEST = 30
"""The longest label beside an axis, in characters."""
MARKERS = "osD^vP"
_NOTHING = "No answers yet."


# Progress ------------------------------------------------------------------------------------------------------------


def development(of: Study | Development) -> Figure:
    """Draw the utility of the best candidate after each answer, as known today, with a band of one standard deviation."""
    found = of if isinstance(of, Development) else findings.development(of)
    if not found.moments:
        return empty(_NOTHING, (WIDTH, 1.2))
    ax = axes(None, (WIDTH, 2.9))
    answers = np.array([moment.answers for moment in found.moments])
    mean, spread = _moments([m.utility for m in found.moments], [m.spread for m in found.moments])
    new = [k for k, m in enumerate(found.moments) if not k or m.best != found.moments[k - 1].best]
    if len(answers) == 1:
        ax.errorbar(answers, mean, spread, color=BLUE, alpha=0.5, linewidth=2)
    ax.fill_between(answers, mean - spread, mean + spread, step="post", color=BLUE, alpha=BAND, linewidth=0)
    ax.plot(answers, mean, drawstyle="steps-post", color=BLUE, linewidth=2)
    ax.plot(answers[new], mean[new], linestyle="none", marker="o", markersize=5.5, color=BLUE, label="a new best")
    ax.plot(answers[-1:], mean[-1:], linestyle="none", marker="D", markersize=7, color=VERMILLION, label="recommended")
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.margins(x=0.03)
    labelled(ax, "answers", "utility of the best candidate")
    _key(ax)
    return figure_of(ax)


def _moments(means: Sequence[float], spreads: Sequence[float]) -> tuple[Any, Any]:
    return np.array(means, dtype=float), np.array(spreads, dtype=float)


def _key(ax: Axes, columns: int = 4) -> None:
    """Add a legend above the axes."""
    ax.legend(
        fontsize=TICK, labelcolor=INK, frameon=False, ncols=columns, loc="lower right", bbox_to_anchor=(1, 1),
        borderaxespad=0.2, handletextpad=0.4, columnspacing=1.2,
    )  # fmt: skip


# Slices --------------------------------------------------------------------------------------------------------------


def slices(of: Study | Sequence[Slice], columns: int = 3) -> Figure:
    """Draw the utility along each variable through the recommendation, with a band of one standard deviation."""
    found = findings.slices(of) if isinstance(of, Study) else tuple(of)
    if not found:
        return empty(_NOTHING, (WIDTH, 1.2))
    columns = min(columns, len(found))
    rows = ceil(len(found) / columns)
    figure = Figure(figsize=(3.2 * columns, 2.25 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    heights = _heights(found)
    for ax, part in zip(grid, found, strict=False):
        _draw(ax, part, heights)
    for ax in grid[len(found) :]:
        ax.remove()
    return figure


def slice_along(of: Study | Sequence[Slice], variable: str) -> Figure:
    """Draw the slice of one variable, on the scale that all slices share."""
    found = findings.slices(of) if isinstance(of, Study) else tuple(of)
    part = next((part for part in found if part.name == variable), None)
    if part is None:
        return empty(_NOTHING, (3.2, 2.25))
    ax = axes(None, (3.2, 2.25))
    _draw(ax, part, _heights(found))
    return figure_of(ax)


def _heights(found: Sequence[Slice]) -> tuple[float, float]:
    """Return limits of the utility that contain every slice."""
    low = min(min(np.subtract(part.utility, part.spread)) for part in found)
    high = max(max(np.add(part.utility, part.spread)) for part in found)
    room = 0.06 * (high - low) or 0.1
    return float(low - room), float(high + room)


def _draw(ax: Axes, part: Slice, heights: tuple[float, float]) -> None:
    labelled(ax, plain(part.label, LONGEST), "utility")
    ax.set_ylim(heights)
    ax.yaxis.set_major_locator(MaxNLocator(4))
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in part.values)
    if part.kind == "choice" or not numeric:
        _draw_levels(ax, part)
    elif part.kind == "row":
        _draw_points(ax, part, np.array(part.values, dtype=float))
        ax.xaxis.set_major_locator(MaxNLocator(4))
    else:
        _draw_curve(ax, part)


def _draw_curve(ax: Axes, part: Slice) -> None:
    x = np.array(part.values, dtype=float)
    mean, spread = _moments(part.utility, part.spread)
    allowed = np.array(part.allowed)
    if part.kind == "log":
        _logarithmic(ax, float(x[0]), float(x[-1]))
    else:
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=part.kind == "integer"))
    ax.fill_between(x, mean - spread, mean + spread, color=BLUE, alpha=BAND, linewidth=0)
    ax.plot(x, np.where(allowed, np.nan, mean), color=QUIET, linewidth=1.2, linestyle=(0, (2, 2)))
    few = part.kind == "integer" and len(x) <= 25
    ax.plot(x, np.where(allowed, mean, np.nan), color=BLUE, linewidth=1.8, marker="o" if few else "", markersize=3)
    seen = np.array(part.seen, dtype=float)
    ax.plot(seen, np.zeros(len(seen)), "|", color=INK, markersize=7, transform=ax.get_xaxis_transform(), clip_on=False)
    ax.plot(x[part.at], mean[part.at], "D", color=VERMILLION, markersize=6.5, zorder=4, clip_on=False)
    ax.set_xlim(x[0], x[-1])


def _logarithmic(ax: Axes, low: float, high: float) -> None:
    ax.set_xscale("log")
    decades = log10(high / low)
    if decades < 1:
        ax.xaxis.set_major_locator(FixedLocator(np.geomspace(low, high, 3).tolist()))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.3g}"))
    else:
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 3) if decades <= 2 else (1,), numticks=5))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_locator(NullLocator())


def _draw_levels(ax: Axes, part: Slice) -> None:
    """Draw levels without an order; if there are many, only the recommended one is labelled."""
    levels = list(dict.fromkeys(part.values))
    x = np.array([levels.index(value) for value in part.values], dtype=float)
    names = [plain(Column("").text(level), 14) for level in levels]
    crowded = sum(map(len, names)) + len(names) > 20
    at = levels.index(part.best)
    if len(levels) > 8:
        ax.set_xticks([at], [names[at]])
        ax.set_xlabel(f"{ax.get_xlabel()}, {len(levels)} levels")
    else:
        turned: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        ax.set_xticks(range(len(levels)), names, **turned)
    _draw_points(ax, part, x)
    ax.set_xlim(-0.6, len(levels) - 0.4)


def _draw_points(ax: Axes, part: Slice, x: Any) -> None:
    mean, spread = _moments(part.utility, part.spread)
    allowed = np.array(part.allowed)
    ax.vlines(x, mean - spread, mean + spread, color=BLUE, alpha=2 * BAND, linewidth=5 if len(x) <= 25 else 2)
    ax.plot(x[allowed], mean[allowed], "o", color=BLUE, markersize=5 if len(x) <= 25 else 3)
    ax.plot(x[~allowed], mean[~allowed], "x", color=QUIET, markersize=5)
    ax.plot(x[part.at], mean[part.at], "D", color=VERMILLION, markersize=6.5, zorder=4, clip_on=False)


# The ranking ---------------------------------------------------------------------------------------------------------


def ranking(of: Study | Ranking) -> Figure:
    """Draw the best candidates seen, with bands of one standard deviation and the probability that each beats the next."""
    found = of if isinstance(of, Ranking) else findings.ranking(of)
    if not found.ranked:
        return empty(_NOTHING, (WIDTH, 1.2))
    ranked = found.ranked
    ax = axes(None, (WIDTH, 0.95 + 0.34 * len(ranked)))
    mean, spread = _moments([r.utility for r in ranked], [r.spread for r in ranked])
    rows = np.arange(len(ranked))
    ax.hlines(rows, mean - spread, mean + spread, color=BLUE, alpha=2 * BAND, linewidth=5)
    best = np.array([r.recommended for r in ranked])
    ax.plot(mean[~best], rows[~best], "o", color=BLUE, markersize=6)
    ax.plot(mean[best], rows[best], "D", color=VERMILLION, markersize=7.5, label="recommended")
    for row, ranking_row in enumerate(ranked):
        if ranking_row.chance is not None:
            _beside(ax, row + 0.5, chance(ranking_row.chance))
    if len(ranked) > 1:
        ax.annotate("beats the next", xy=(1, 1), xycoords="axes fraction", xytext=(8, 5), textcoords="offset points",
                    fontsize=TICK, color=INK, annotation_clip=False)  # fmt: skip
    ax.set_yticks(rows, _places(ranked))
    ax.set_ylim(len(ranked) - 0.5, -0.5)
    ax.xaxis.set_major_locator(MaxNLocator(6))
    labelled(ax, "utility", "")
    ax.grid(visible=False, axis="y")
    _key(ax)
    return figure_of(ax)


def _beside(ax: Axes, row: float, text: str) -> None:
    """Write a text at the right of the axes, beside a row."""
    where: Any = ax.get_yaxis_transform()
    ax.annotate(
        text,
        xy=(1, row),
        xycoords=where,
        xytext=(10, 0),
        textcoords="offset points",
        va="center",
        fontsize=TICK,
        color=INK,
    )


def _places(ranked: Sequence[Ranked]) -> list[str]:
    """Return each candidate's place; with its values if all candidates are short and written from left to right."""
    settings = [
        " · ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.candidate.values())
        for row in ranked
    ]
    other_way = any(unicodedata.bidirectional(character) in ("R", "AL") for character in "".join(settings))
    if other_way or max(map(len, settings), default=0) > LONGEST:
        return [str(row.place) for row in ranked]
    return [f"{plain(setting)}\N{EM SPACE}{row.place}" for setting, row in zip(settings, ranked, strict=True)]


# Importance ----------------------------------------------------------------------------------------------------------


def importance(of: Study | Importance) -> Figure:
    """Draw how much each variable matters, the most important first."""
    found = of if isinstance(of, Importance) else findings.importance(of)
    if not found.shares:
        return empty(_NOTHING, (WIDTH, 1.2))
    shares = np.array(list(found.shares.values()))
    rows = np.arange(len(shares))
    ax = axes(None, (WIDTH, 0.55 + 0.29 * len(rows)))
    ax.barh(rows, shares, height=0.62, color=BLUE)
    for row, size in zip(rows, shares, strict=True):
        ax.annotate(
            share(size), (size, row), xytext=(5, 0), textcoords="offset points", va="center", color=INK, fontsize=TICK
        )
    ax.set_yticks(rows, [plain(name, LONGEST) for name in found.shares])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1.12 * shares.max())
    labelled(ax, "", "")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    return figure_of(ax)


# Consistency ---------------------------------------------------------------------------------------------------------


def consistency(of: Study | Consistency) -> Figure:
    """Draw how consistent each judge was, as shares with 95 % intervals, and the response times."""
    found = of if isinstance(of, Consistency) else findings.consistency(of)
    if not found.people:
        return empty(_NOTHING, (WIDTH, 1.2))
    lines = [(person, *line) for person in found.people for line in _lines(person)]
    timed = [person for person in found.people if person.times]
    tall = 0.75 + 0.32 * len(lines)
    figure = Figure(figsize=(WIDTH, tall + 2.1 * bool(timed)), layout="constrained")
    parts = figure.subplots(1 + bool(timed), 1, height_ratios=[tall, 2.1][: 1 + bool(timed)], squeeze=False)[:, 0]
    _draw_shares(parts[0], lines, len(found.people) > 1)
    if timed:
        _draw_times(parts[1], timed, found.people)
    return figure


def _lines(person: Person) -> list[tuple[str, findings.Share, bool]]:
    """Return the rows of a judge: label, share, and whether to draw its interval."""
    rows = [("no contradiction", person.consistent, False), ("same answer again", person.repeated, True)]
    if person.left is not None:
        rows.append(("left candidate won", person.left, True))
    return [row for row in rows if row[1].of]


def _draw_shares(ax: Axes, lines: Sequence[tuple[Person, str, findings.Share, bool]], several: bool) -> None:
    labels = []
    for row, (person, label, part, uncertain) in enumerate(lines):
        labels.append(f"{plain(person.name, 14)}: {label}" if several else label)
        if label.startswith("left"):
            ax.plot([0.5, 0.5], [row - 0.32, row + 0.32], color=GREEN, linewidth=2.5, solid_capstyle="butt",
                    label=None if ax.get_legend_handles_labels()[1] else "no side bias")  # fmt: skip
        if uncertain:
            ax.hlines(row, *part.interval, color=BLUE, alpha=2 * BAND, linewidth=5)
        ax.plot([part.hits / part.of], [row], "o", color=BLUE, markersize=6.5, clip_on=False, zorder=3)
        _beside(ax, row, f"{part.hits} of {part.of}")
    ax.set_yticks(range(len(lines)), labels)
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    labelled(ax, "share of the answers", "")
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    if ax.get_legend_handles_labels()[1]:
        _key(ax)


def _draw_times(ax: Axes, timed: Sequence[Person], people: Sequence[Person]) -> None:
    for person in timed:
        k = people.index(person)
        colour = CYCLE[k % len(CYCLE)]
        numbers, times = np.array(person.times).T
        ax.plot(numbers, times, marker=MARKERS[k % len(MARKERS)], linestyle="none", markersize=5, color=colour,
                label=plain(person.name, 20) if len(people) > 1 else "one answer")  # fmt: skip
        ax.axhline(person.median or 0.0, color=colour, linewidth=1.2, linestyle=(0, (5, 3)),
                   label=None if len(people) > 1 else "median")  # fmt: skip
    every = [time for person in timed for _, time in person.times]
    if min(every) > 0 and max(every) > 20 * min(every):
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        ax.set_ylim(0, 1.1 * max(*every, 0.1))
        ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    labelled(ax, "answer", "response time [s]")
    _key(ax)

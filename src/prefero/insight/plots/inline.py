"""Figures as SVG inside a page, without style attributes, which a strict content policy forbids.

Each colour of the palette has classes such as `pf-fill-ink` and `pf-line-blue`. The figure needs no stylesheet; with the rules of
`stylesheet` it follows the reader's light or dark mode. Text stays text: the reader's fonts draw it in any script and direction,
and it can be searched and read aloud.
"""

from __future__ import annotations

import io
import re
import unicodedata
import warnings
from html import escape
from threading import Lock
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from prefero.insight.plots.style import BLUE, FAINT, GREEN, INK, ORANGE, PURPLE, QUIET, SKY, VERMILLION

COLOURS = {
    "ink": (INK, "#e9e9ea"),
    "quiet": (QUIET, "#9b9ca0"),
    "faint": (FAINT, "#3c3e43"),
    "paper": ("#ffffff", "#1b1d20"),
    "blue": (BLUE, "#6fb6ea"),
    "vermillion": (VERMILLION, "#ff9a5c"),
    "green": (GREEN, "#46c99d"),
    "orange": (ORANGE, "#f2bd45"),
    "sky": (SKY, "#8fd0f5"),
    "purple": (PURPLE, "#e6a3c6"),
}
"""The palette by name: (light, dark)."""
_NAMES = {light.lower(): name for name, (light, _) in COLOURS.items()}
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_STYLE = re.compile(r'\sstyle="([^"]*)"')
_SIZE = re.compile(r"[\d.]+px")
_HEAD = re.compile(r"^.*?<svg\b[^>]*?(?=\swidth=)", re.DOTALL)
_REPLACED = "\N{REPLACEMENT CHARACTER}"
_LOCK = Lock()
"""matplotlib's settings are global, so only one thread draws at a time."""


def svg(figure: Figure, key: str, label: str) -> str:
    """Return a figure as an SVG element for a page.

    key: a word that is unique among the figures of the page. label: what the figure shows, for screen readers.
    """
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": key}
    file = io.StringIO()
    with _LOCK, warnings.catch_warnings(), mpl.rc_context(settings):
        warnings.filterwarnings("ignore", message="Glyph")  # the reader's fonts have the glyph
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")  # but browsers do
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    drawn = re.sub(r"\s*<style[^>]*>.*?</style>", "", file.getvalue(), count=1, flags=re.DOTALL)
    head = f'<svg class="prefero-figure" role="img" aria-label="{text(label)}"'
    drawn = head + _HEAD.sub("", drawn, count=1)
    drawn = drawn.replace(' version="1.1">', ' font-family="system-ui, sans-serif" stroke-linejoin="round">', 1)
    return _TAG.sub(_tag, drawn).strip()


def stylesheet() -> str:
    """Return the CSS rules for the colours of figures in light and dark mode; a page may set the variables itself."""

    def variables(column: int) -> str:
        return "".join(f"--pf-{name}:{colours[column]};" for name, colours in COLOURS.items())

    rules = [
        f":root{{{variables(0)}}}",
        f"@media (prefers-color-scheme:dark){{:root{{{variables(1)}}}}}",
        ".prefero-figure{max-width:100%;height:auto;font-family:inherit}",
    ]
    for name in COLOURS:
        rules.append(f".pf-fill-{name}{{fill:var(--pf-{name})}}")
        rules.append(f".pf-line-{name}{{stroke:var(--pf-{name})}}")
    return "\n".join(rules) + "\n"


def text(given: object) -> str:
    """Return a text escaped for HTML, with control characters replaced, which HTML forbids."""
    kept = (_REPLACED if c not in "\t\n" and unicodedata.category(c) in ("Cc", "Cs") else c for c in str(given))
    return escape("".join(kept))


def _tag(found: re.Match[str]) -> str:
    """Return a tag with its style as attributes and classes, and without unused attributes."""
    tag = re.sub(r'\stransform="rotate\(-?0 [^"]*"', "", found[0])
    if tag.startswith("<g"):
        tag = re.sub(r'\sid="[^"]*"', "", tag)
    return _STYLE.sub(lambda style: _attributes(style[1]), tag.replace("xlink:href", "href"))


def _attributes(style: str) -> str:
    said, classes = "", []
    for declaration in style.split("; "):
        name, _, value = declaration.partition(": ")
        if name == "font":
            size = _SIZE.search(value)
            said += f' font-size="{size[0]}"' if size else ""
        elif name != "font-family":
            said += f' {name}="{value}"'
        if name in ("fill", "stroke") and value.lower() in _NAMES:
            classes.append(f"pf-{'fill' if name == 'fill' else 'line'}-{_NAMES[value.lower()]}")
    return said + (f' class="{" ".join(classes)}"' if classes else "")

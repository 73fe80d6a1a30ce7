"""Figures as SVG to stand in a page: no style attributes, which a strict content policy forbids, and colours by class.

Each colour of the palette is a class as well, `pf-fill-ink`, `pf-line-blue`; the figure is right without a stylesheet, and with the
one that `stylesheet` writes it follows the reader's light or dark. Letters stay letters: the reader's fonts draw them, shaped and
in their own direction, and they can be searched and read aloud.
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
"""The palette by name, in light and in dark."""
_NAMES = {light.lower(): name for name, (light, _) in COLOURS.items()}
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_STYLE = re.compile(r'\sstyle="([^"]*)"')
_SIZE = re.compile(r"[\d.]+px")
_HEAD = re.compile(r"^.*?<svg\b[^>]*?(?=\swidth=)", re.DOTALL)
_REPLACED = "\N{REPLACEMENT CHARACTER}"
_LOCK = Lock()
"""matplotlib's settings are everybody's: one figure at a time."""


def svg(figure: Figure, key: str, label: str) -> str:
    """A figure as an SVG element for a page.

    key: a word that no other figure of the page has. label: what the figure shows, for those who do not see it.
    """
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": key}
    file = io.StringIO()
    with _LOCK, warnings.catch_warnings(), mpl.rc_context(settings):
        warnings.filterwarnings("ignore", message="Glyph")  # the reader's fonts have it
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")  # but the reader does
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    drawn = re.sub(r"\s*<style[^>]*>.*?</style>", "", file.getvalue(), count=1, flags=re.DOTALL)
    head = f'<svg class="prefero-figure" role="img" aria-label="{text(label)}"'
    drawn = head + _HEAD.sub("", drawn, count=1)
    drawn = drawn.replace(' version="1.1">', ' font-family="system-ui, sans-serif" stroke-linejoin="round">', 1)
    return _TAG.sub(_tag, drawn).strip()


def stylesheet() -> str:
    """The rules that give figures their colours in light and dark; a page may set the variables itself."""

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
    """A text for a page, escaped; control characters, which no page may hold, replaced."""
    kept = (_REPLACED if c not in "\t\n" and unicodedata.category(c) in ("Cc", "Cs") else c for c in str(given))
    return escape("".join(kept))


def _tag(found: re.Match[str]) -> str:
    """A tag with its style as attributes and classes, and without what nobody refers to."""
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

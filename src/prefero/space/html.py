"""Small HTML tables for notebooks. They take colours and font from the notebook, so that they are readable in a dark one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_CELL = "text-align:left;padding:0.15em 0.8em 0.15em 0"


def shown(value: object) -> str:
    """Return a value as text, floats with six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def table(rows: Mapping[str, object | Sequence[object]], head: Sequence[str] = (), caption: str = "") -> str:
    """Return a table with a name and one or more values in each row.

    Parameters
    ----------
    rows: a value, or a tuple of values, by name.
    head: the names of the columns, the first one's included; none by default.
    caption: a line above.
    """
    lines = [f'<caption style="text-align:left;opacity:0.8">{escape(caption)}</caption>'] if caption else []
    if head:
        lines.append("<tr>" + "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in head) + "</tr>")
    for name, value in rows.items():
        cells = value if isinstance(value, tuple) else (value,)
        columns = "".join(f'<td style="{_CELL}">{escape(shown(cell))}</td>' for cell in cells)
        lines.append(f'<tr><th scope="row" style="{_CELL}">{escape(name)}</th>{columns}</tr>')
    return '<table style="border-collapse:collapse">' + "".join(lines) + "</table>"

"""What is shown of the best candidate in a report: its picture, film, sound, curve or text, inside the file.

A report is made where the files may not be, in a helper process. `slot` leaves a place for the file there, and `filled` fills it.
"""

from __future__ import annotations

import base64
import csv
import math
import re
from collections.abc import Callable
from html import escape

from prefero.storage.events import Artifact
from prefero.study import Study
from prefero.study.log import Log

MOST_BYTES = 16 << 20
"""A larger file would make the report too large to be sent to anybody."""
POLICY = "; img-src data:; media-src data:"
"""What a report with such a file allows beside its styles."""
KINDS = ("image/", "video/", "audio/", "text/csv", "text/markdown", "text/plain")
"""In the order of preference, as on the page."""
COLOURS = ("green", "blue", "vermillion", "purple")
WIDTH, HEIGHT, EDGE = 640, 360, 24
_SLOT = re.compile(r"<!-- file ([0-9a-f]{64}) -->")
_TAGS = {
    "image": '<img alt="Best so far" {}>',
    "video": '<video controls muted loop aria-label="Best so far" {}></video>',
    "audio": '<audio controls aria-label="Best so far" {}></audio>',
}


def slot(study: Study) -> str:
    """Return a place for the file that stands for the best candidate; empty if there is none, or it is too large."""
    if study.best is None:
        return ""
    files = study.log.measured(study.best).files.values()
    ranked = [(_rank(file["media_type"]), file["digest"]) for file in files if file["size"] <= MOST_BYTES]
    rank, digest = min(ranked, default=(len(KINDS), ""))
    return f"<!-- file {digest} -->" if rank < len(KINDS) else ""


def _rank(media_type: str) -> int:
    return next((k for k, start in enumerate(KINDS) if media_type.startswith(start)), len(KINDS))


def filled(page: str, log: Log) -> str:
    """Return a page with its file in the place; the page as it is if the log does not have the file."""
    found = _SLOT.search(page)
    artifact = log.artifact(found[1]) if found else None
    return page if found is None or artifact is None else page[: found.start()] + drawn(artifact) + page[found.end() :]


def drawn(artifact: Artifact) -> str:
    """Return a file as HTML."""
    kind, words = artifact.media_type, ""
    if (tag := _TAGS.get(kind.split("/")[0])) is not None:
        inside = tag.format(f'src="data:{escape(kind)};base64,{base64.b64encode(artifact.content).decode()}"')
    else:
        words = artifact.content.decode("utf-8", "replace")
        inside = _curves(words) if kind.startswith("text/csv") else ""
    return f'<figure class="winner">{inside}</figure>' if inside else f'<pre dir="auto">{escape(words)}</pre>'


# Curves ---------------------------------------------------------------------------------------------------------------


def _curves(table: str) -> str:
    """Return the columns of a table of numbers as curves over the first one; empty if it is none."""
    names, *rows = [row for row in csv.reader(table.splitlines()) if row] or [[]]
    try:
        xs, *columns = zip(*(map(float, row) for row in rows), strict=True)
    except ValueError:
        return ""
    columns = columns[: len(COLOURS)]
    if not columns or len(xs) < 2 or not all(math.isfinite(value) for each in (xs, *columns) for value in each):
        return ""
    across = _scale(min(xs), max(xs), EDGE, WIDTH - EDGE)
    up = _scale(min(map(min, columns)), max(map(max, columns)), HEIGHT - EDGE, EDGE)
    paths = [
        f'<path class="pf-line-{colour}" fill="none" stroke-width="2.5" d="M'
        + "L".join(f"{across(x):.1f} {up(y):.1f}" for x, y in zip(xs, column, strict=True))
        + '"></path>'
        for colour, column in zip(COLOURS, columns, strict=False)
    ]
    spans = [f"{name} from {min(of):.4g} to {max(of):.4g}" for name, of in zip(names[1:], columns, strict=False)]
    label = escape(f"Best so far: {', '.join(spans)}, over {names[0]} from {min(xs):.4g} to {max(xs):.4g}.")
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(paths)}</svg>'
        f'<figcaption class="soft" dir="auto">{label}</figcaption>'
    )


def _scale(low: float, high: float, start: float, stop: float) -> Callable[[float], float]:
    return lambda value: start + (stop - start) * (0.5 if high == low else (value - low) / (high - low))

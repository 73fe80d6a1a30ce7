"""A report is a list of sections; a section is paragraphs, tables and figures. Here they become Markdown.

Paragraphs are Markdown. The HTML page is the same Markdown, rendered by markdown-it-py, with the figures inside.
"""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import TypeAlias

from markdown_it import MarkdownIt
from matplotlib.figure import Figure as Drawing

from prefero.insight import plots

LARGEST_SVG = 200_000
"""Bytes of an SVG file. A figure of more, such as a filled contour plot, is kept as a PNG."""
DOTS = 100
"""Dots an inch of a PNG."""


@dataclass(frozen=True)
class Table:
    """Columns of text under a caption; `folded` tables are opened by whoever wants the details."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    folded: bool = False


@dataclass(frozen=True)
class Figure:
    """A drawing; `name` is that of its file, `caption` is also what a reader hears who does not see it."""

    name: str
    drawing: Drawing
    caption: str

    @cached_property
    def svg(self) -> str:
        """The drawing as an SVG element, drawn once: a second time, matplotlib would lay it out a little differently.

        Coordinates go to a hundredth of a point and idle space goes, which halves it.
        """
        drawn = re.sub(r"\s*\n\s*", "\n", plots.svg(self.drawing, self.name, self.caption))
        return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), drawn)

    @cached_property
    def file(self) -> tuple[str, bytes]:
        """The name and the content of the figure's file, on white: an SVG, or a PNG if the SVG would be too large."""
        end = self.svg.index(">") + 1
        svg = f'{self.svg[:end]}<rect width="100%" height="100%" fill="#ffffff"/>{self.svg[end:]}\n'.encode()
        return (f"{self.name}.svg", svg) if len(svg) <= LARGEST_SVG else (f"{self.name}.png", self._png())

    def _png(self) -> bytes:
        file = io.BytesIO()
        self.drawing.savefig(file, format="png", dpi=DOTS, facecolor="white", metadata={"Software": None})
        return file.getvalue()


Block: TypeAlias = str | Table | Figure


@dataclass(frozen=True)
class Section:
    """One experiment's part of the report."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def figures(self) -> list[Figure]:
        """Its figures."""
        return [block for block in self.blocks if isinstance(block, Figure)]


def anchor(title: str) -> str:
    """How a heading is linked to, as code hosts do it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def markdown(title: str, sections: Sequence[Section], drawn: Callable[[Figure], str]) -> str:
    """The report as Markdown; `drawn` says how a figure is shown."""
    contents = "\n".join(f"- [{section.title}](#{anchor(section.title)})" for section in sections[1:])
    parts = [f"# {title}"]
    for number, section in enumerate(sections):
        parts.append(f"## {section.title}")
        parts += [_block(block, drawn) for block in section.blocks]
        parts += ["The sections:", contents] if number == 0 and contents else []
    return "\n\n".join(parts) + "\n"


def linked(images: str) -> Callable[[Figure], str]:
    """How a Markdown file shows figures: as files in a folder, seen from the file."""
    return lambda figure: f"![{figure.caption}]({images}/{figure.file[0]})"


def _block(block: Block, drawn: Callable[[Figure], str]) -> str:
    if isinstance(block, Table):
        return _table(block)
    return f"{drawn(block)}\n\n*{block.caption}*" if isinstance(block, Figure) else block


def _table(table: Table) -> str:
    lines = [list(table.header), ["---", *["--:"] * (len(table.header) - 1)], *table.rows]
    text = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    if table.folded:
        return f"<details><summary>{escape(table.caption)}</summary>\n\n{text}\n\n</details>"
    return f"**{table.caption}**\n\n{text}"


STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.55 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1.2rem;
 color:var(--pf-ink);background:var(--pf-paper)}
h1{line-height:1.2}h2{margin-top:3rem;border-bottom:1px solid var(--pf-faint);padding-bottom:.3rem}
p,li{max-width:46rem}a{color:var(--pf-blue)}
code{font-size:.9em;background:var(--pf-faint);padding:.05em .3em;border-radius:3px}
table{display:block;overflow-x:auto;border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
summary{font-weight:600;cursor:pointer}
th,td{padding:.25rem .7rem;border-bottom:1px solid var(--pf-faint);max-width:30rem}th{vertical-align:bottom}
figure{margin:1.5rem 0}figure svg{max-width:100%;height:auto}
@media print{body{max-width:none}details{display:block}}
"""


def html(title: str, sections: Sequence[Section]) -> str:
    """The report as one self-contained page, its figures inside, in the reader's light or dark."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(markdown(title, sections, lambda figure: f"<figure>{figure.svg}</figure>"))
    for heading, words in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", anchor(words.content))
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{plots.stylesheet()}{STYLE}</style>"
    )
    text = parser.renderer.render(tokens, parser.options, {})
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{text}</body>\n</html>\n'

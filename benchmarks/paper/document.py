"""A report is a list of sections; a section is paragraphs, tables and figures. Here they become Markdown and HTML.

Paragraphs are Markdown of a few marks only: **bold**, `code`, [links](address), and lists of lines that begin with "- ".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TypeAlias

from matplotlib.figure import Figure as Drawing

from prefero.insight import plots


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


# Markdown ------------------------------------------------------------------------------------------------------------


def markdown(title: str, sections: Sequence[Section], images: str) -> str:
    """The report as Markdown; `images` is the folder of the figures, seen from the file."""
    contents = "\n".join(f"- [{section.title}](#{anchor(section.title)})" for section in sections[1:])
    parts = [f"# {title}"]
    for number, section in enumerate(sections):
        parts.append(f"## {section.title}")
        parts += [_markdown_block(block, images) for block in section.blocks]
        parts += ["The sections:", contents] if number == 0 and contents else []
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: Block, images: str) -> str:
    if isinstance(block, Table):
        return _markdown_table(block)
    if isinstance(block, Figure):
        return f"![{block.caption}]({images}/{block.name}.svg)\n\n*{block.caption}*"
    return block


def _markdown_table(table: Table) -> str:
    lines = [list(table.header), ["---", *["--:"] * (len(table.header) - 1)], *table.rows]
    text = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    if table.folded:
        return f"<details><summary>{escape(table.caption)}</summary>\n\n{text}\n\n</details>"
    return f"**{table.caption}**\n\n{text}"


# HTML ----------------------------------------------------------------------------------------------------------------

WORDS = 40  # a cell of more letters than this is read as a sentence
STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.55 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1.2rem;
 color:var(--pf-ink);background:var(--pf-paper)}
h1{line-height:1.2}h2{margin-top:3rem;border-bottom:1px solid var(--pf-faint);padding-bottom:.3rem}
p,li{max-width:46rem}nav ul{columns:2;padding-left:1.2rem}
a{color:var(--pf-blue)}code{font-size:.9em;background:var(--pf-faint);padding:.05em .3em;border-radius:3px}
.wide{overflow-x:auto;margin:1.2rem 0}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
summary,.caption{font-weight:600}.caption{margin:1.4rem 0 -.6rem}summary{cursor:pointer}
th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid var(--pf-faint)}td{white-space:nowrap}th{vertical-align:bottom}
td.words{white-space:normal;text-align:left;max-width:30rem}
th:first-child,td:first-child{text-align:left}
figure{margin:1.5rem 0}figure svg{max-width:100%;height:auto}figcaption{font-size:.9rem;color:var(--pf-quiet);max-width:46rem}
@media print{body{max-width:none}details{display:block}}
"""


def html(title: str, sections: Sequence[Section]) -> str:
    """The report as one self-contained page, its figures inside, in the reader's light or dark."""
    body = [f"<h1>{escape(title)}</h1>"]
    items = "".join(f'<li><a href="#{anchor(s.title)}">{escape(s.title)}</a></li>' for s in sections[1:])
    for number, section in enumerate(sections):
        body.append(f'<h2 id="{anchor(section.title)}">{escape(section.title)}</h2>')
        body += [_html_block(block) for block in section.blocks]
        body += [f"<nav><ul>{items}</ul></nav>"] if number == 0 and items else []
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{plots.stylesheet()}{STYLE}</style>"
    )
    text = "\n".join(body)
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{text}\n</body>\n</html>\n'


def svg_file(figure: Figure) -> str:
    """A figure as a file of its own, on white."""
    drawn = figure.svg
    end = drawn.index(">") + 1
    return f'{drawn[:end]}<rect width="100%" height="100%" fill="#ffffff"/>{drawn[end:]}\n'


def _html_block(block: Block) -> str:
    if isinstance(block, Table):
        return _html_table(block)
    if isinstance(block, Figure):
        return f"<figure>{block.svg}<figcaption>{_inline(block.caption)}</figcaption></figure>"
    return _paragraphs(block)


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{_inline(cell)}</th>" for cell in table.header)
    rows = "\n".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in table.rows)
    grid = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>"
    if table.folded:
        summary = f"<summary>{escape(table.caption)}</summary>"
        return f'<details class="wide">{summary}<table>{grid}</table></details>'
    return f'<p class="caption">{_inline(table.caption)}</p><div class="wide"><table>{grid}</table></div>'


def _html_cell(text: str) -> str:
    words = ' class="words"' if len(text) > WORDS else ""
    return f"<td{words}>{_inline(text)}</td>"


def _paragraphs(text: str) -> str:
    made = []
    for paragraph in re.split(r"\n{2,}", text.strip()):
        lines = paragraph.splitlines()
        if all(line.startswith("    ") for line in lines):
            made.append(f"<pre><code>{escape(chr(10).join(line[4:] for line in lines))}</code></pre>")
        elif lines[0].startswith("- "):
            items = re.split(r"(?:^|\n)- ", paragraph)[1:]
            made.append("<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>")
        else:
            made.append(f"<p>{_inline(paragraph)}</p>")
    return "\n".join(made)


def _inline(text: str) -> str:
    marked = escape(text, quote=False)
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", marked)
    marked = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", marked)
    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>', marked)

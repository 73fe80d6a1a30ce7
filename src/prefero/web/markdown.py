"""Markdown as a page for a sandbox: headings, paragraphs, lists, quotes, code, tables, emphasis.

Every text is escaped, so that HTML in Markdown is the text that it is. A link is its words and its address; of images only
those inside the file are shown, since nothing is loaded from anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>{title}</title><style>
body{{font:16px/1.5 system-ui,sans-serif;margin:14px 16px;max-width:70ch;overflow-wrap:break-word}}
pre{{overflow:auto;padding:10px;border:1px solid #8886;border-radius:6px}}
blockquote{{margin-inline:0;padding-inline-start:14px;border-inline-start:3px solid #8886}}
table{{border-collapse:collapse}}td,th{{border:1px solid #8886;padding:3px 8px;text-align:start}}
img{{max-width:100%}}h1,h2,h3{{line-height:1.25}}:is(h1,h2,h3,p):first-child{{margin-top:0}}
</style></head><body>
{body}
</body></html>
"""
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*$")
_QUOTE = re.compile(r"\s{0,3}>\s?")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$")
_TABLE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?$")
_CODE = re.compile(r"(`+)(.+?)\1")
_IMAGE = re.compile(r"!\[([^\]]*)\]\((data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+)\)")
_LINK = re.compile(r"!?\[([^\]]*)\]\(([^()\s]*)\)")
_MARKS = (
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__"), "strong"),
    (re.compile(r"\*(?=\S)(.+?)(?<=\S)\*|(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)"), "em"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~()"), "del"),
)
_OPEN = '<p dir="auto">'
NEWLINE = "\n"
LARGEST, LONGEST = 1 << 20, 5_000
"""Characters of a text, and of a line, that are read as Markdown; what is larger is shown as it is."""
DEEPEST = 20
"""Quotes and lists within each other; what is deeper is text."""


def page(text: str, title: str = "Markdown") -> str:
    """A whole page of a Markdown text."""
    lines = text.replace("\r\n", NEWLINE).split(NEWLINE)
    readable = len(text) <= LARGEST and max(map(len, lines)) <= LONGEST
    return _PAGE.format(title=escape(title), body=_blocks(lines, 0) if readable else f"<pre>{escape(text)}</pre>")


# Blocks ---------------------------------------------------------------------------------------------------------------


def _blocks(lines: list[str], depth: int) -> str:
    made, at = [], 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        block = next((block for begins, block in _BLOCKS if begins(lines, at, depth)), _paragraph)
        html, at = block(lines, at, depth)
        made.append(html)
    return "\n".join(made)


def _paragraph(lines: list[str], at: int, depth: int) -> tuple[str, int]:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not any(begins(lines, end, depth) for begins, _ in _BLOCKS):
        end += 1
    rows = [
        _inline(line.strip()) + ("<br>" if line.endswith("  ") and k < end - at - 1 else "")
        for k, line in enumerate(lines[at:end])
    ]
    return f"{_OPEN}{NEWLINE.join(rows)}</p>", end


def _code(lines: list[str], at: int, _: int) -> tuple[str, int]:
    fence = lines[at].strip()[:3]
    end = next((k for k in range(at + 1, len(lines)) if lines[k].strip().startswith(fence)), len(lines))
    return f"<pre>{escape(NEWLINE.join(lines[at + 1 : end]))}</pre>", end + 1


def _heading(lines: list[str], at: int, _: int) -> tuple[str, int]:
    found = _HEADING.match(lines[at])
    assert found is not None
    level = len(found[1])
    return f'<h{level} dir="auto">{_inline(found[2])}</h{level}>', at + 1


def _rule(_: list[str], at: int, __: int) -> tuple[str, int]:
    return "<hr>", at + 1


def _quote(lines: list[str], at: int, depth: int) -> tuple[str, int]:
    end = at
    while end < len(lines) and _QUOTE.match(lines[end]):
        end += 1
    inner = [_QUOTE.sub("", line, count=1) for line in lines[at:end]]
    return f"<blockquote>{_blocks(inner, depth + 1)}</blockquote>", end


def _list(lines: list[str], at: int, depth: int) -> tuple[str, int]:
    """Items of one list; what is indented below an item belongs to it."""
    first = _ITEM.match(lines[at])
    assert first is not None
    indent, ordered = len(first[1]), first[2][0].isdigit()
    items: list[list[str]] = []
    while at < len(lines):
        found = _ITEM.match(lines[at])
        if found is not None and len(found[1]) <= indent and found[2][0].isdigit() == ordered:
            items.append([found[3]])
        elif lines[at].strip() and len(lines[at]) - len(lines[at].lstrip()) > indent:
            items[-1].append(lines[at][indent + 2 :] if not lines[at][: indent + 2].strip() else lines[at].lstrip())
        else:
            break
        at += 1
    tag = "ol" if ordered else "ul"
    return f"<{tag}>{''.join(_item(item, depth) for item in items)}</{tag}>", at


def _item(lines: list[str], depth: int) -> str:
    html = _blocks(lines, depth + 1)
    if html.startswith(_OPEN) and html.count("<p") == 1:  # an item of one paragraph is no paragraph
        html = html.removeprefix(_OPEN).replace("</p>", "", 1)
    return f'<li dir="auto">{html}</li>'


def _table(lines: list[str], at: int, _: int) -> tuple[str, int]:
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    head = "".join(f'<th dir="auto">{_inline(cell)}</th>' for cell in _cells(lines[at]))
    rows = "".join(
        "<tr>" + "".join(f'<td dir="auto">{_inline(cell)}</td>' for cell in _cells(line)) + "</tr>"
        for line in lines[at + 2 : end]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>", end


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _starts(pattern: re.Pattern[str], nests: bool = False) -> Callable[[list[str], int, int], bool]:
    return lambda lines, at, depth: bool(pattern.match(lines[at])) and not (nests and depth >= DEEPEST)


_BLOCKS: tuple[tuple[Callable[[list[str], int, int], bool], Callable[[list[str], int, int], tuple[str, int]]], ...] = (
    (_starts(_FENCE), _code),
    (_starts(_HEADING), _heading),
    (_starts(_RULE), _rule),
    (_starts(_QUOTE, nests=True), _quote),
    (_starts(_ITEM, nests=True), _list),
    (lambda lines, at, _: "|" in lines[at] and at + 1 < len(lines) and bool(_TABLE.match(lines[at + 1])), _table),
)


# Within a line --------------------------------------------------------------------------------------------------------


def _inline(text: str) -> str:
    """A line's text, with what is marked in it; code is left as it is."""
    parts, at = [], 0
    for found in _CODE.finditer(text):
        parts += [_marked(text[at : found.start()]), f"<code>{escape(found[2].strip())}</code>"]
        at = found.end()
    return "".join([*parts, _marked(text[at:])])


def _marked(text: str) -> str:
    html = _IMAGE.sub(lambda found: f'<img alt="{escape(found[1])}" src="{found[2]}">', "".join(_plain(text)))
    for pattern, tag in _MARKS:
        html = pattern.sub(lambda found, tag=tag: f"<{tag}>{found[1] or found[2]}</{tag}>", html)  # type: ignore[misc]
    return html


def _plain(text: str) -> list[str]:
    """Escaped text; links as their words with their address, images that are inside the file left for later."""
    parts, at = [], 0
    for found in _LINK.finditer(text):
        parts.append(escape(text[at : found.start()]))
        inside = _IMAGE.fullmatch(found[0])
        words = escape(found[1])
        parts.append(found[0] if inside else f"{words} ({escape(found[2])})" if found[2] else words)
        at = found.end()
    return [*parts, escape(text[at:])]

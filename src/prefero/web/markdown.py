"""Markdown as an HTML page for a sandboxed frame.

markdown-it-py parses CommonMark with tables and strikethrough. HTML in the text is shown as text. The page loads nothing: a link
becomes its words and its address, and only images embedded as `data:` URLs are shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

LARGEST = 1 << 20
"""Longest text that is parsed, in characters, embedded images included. A longer text is shown unformatted."""
MOST_MARKUP = 100_000
"""Longest text that is parsed, in characters, without its embedded images: the slowest known one takes about four seconds."""
DEEPEST = 40
"""Deepest nesting that is parsed; a list counts twice. The parser drops what is deeper, so such a text is shown unformatted."""
_EMBEDDED = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+")
_READ_ALONE = {"paragraph_open", "heading_open", "list_item_open", "th_open", "td_open"}
"""Elements whose text may run in a direction of its own."""
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


def page(text: str, title: str = "Markdown") -> str:
    """Return a whole HTML page that shows a Markdown text."""
    body = _formatted(text)
    return _PAGE.format(title=escape(title), body=f"<pre>{escape(text)}</pre>" if body is None else body)


def _formatted(text: str) -> str | None:
    """Return the text as HTML; None if it is too long or too deeply nested to be parsed."""
    if len(text) > LARGEST or len(_EMBEDDED.sub("", text)) > MOST_MARKUP:
        return None
    tokens = _PARSER.parse(text)
    if any(token.nesting == 1 and token.level >= DEEPEST - 1 for token in tokens):
        return None
    return str(_PARSER.renderer.render(tokens, _PARSER.options, {})).rstrip()


class _Renderer(RendererHTML):
    """Writes HTML that loads nothing and links to nothing."""

    def link_open(self, *_: Any) -> str:
        """Write nothing: the link's words follow."""
        return ""

    def link_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """Write the link's address behind its words, unless they are the same."""
        opened = next(k for k in range(idx - 1, -1, -1) if tokens[k].type == "link_open")  # links do not nest
        address = str(tokens[opened].attrGet("href") or "")
        words = "".join(token.content for token in tokens[opened + 1 : idx])
        return f" ({escape(address)})" if address not in ("", words) else ""

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Write an embedded image, or the words and the address of any other."""
        source = str(tokens[idx].attrGet("src") or "")
        words = escape(self.renderInlineAsText(tokens[idx].children, options, env))
        if _EMBEDDED.fullmatch(source):
            return f'<img alt="{words}" src="{source}">'
        return f"{words} ({escape(source)})" if source else words


def _adjust(state: StateCore) -> None:
    """Let each text choose its direction, and drop the language of code, which nothing here uses."""
    for token in state.tokens:
        if token.type in _READ_ALONE:
            token.attrSet("dir", "auto")
        elif token.type == "fence":
            token.info = ""


def _parser() -> MarkdownIt:
    options = {"html": False, "xhtmlOut": False, "maxNesting": DEEPEST}
    parser = MarkdownIt("commonmark", options, renderer_cls=_Renderer).enable(["table", "strikethrough"])
    parser.disable("reference")  # one long address, referred to in many places, would make a page of gigabytes
    parser.core.ruler.push("adjust", _adjust)
    # Rules are compiled when they are first used, which two threads must not do at once.
    parser.render("# a\n\n- **b** ~~c~~ `d` [e](f)\n\n|g|\n|-|\n|h|\n\n> i\n\n```\nj\n```\n")
    return parser


_PARSER = _parser()

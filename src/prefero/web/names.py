"""Short names in the page's scripts, as they are sent: of what a module declares and keeps to itself.

A name is shortened wherever it stands in its module, or nowhere. It keeps its form if it is exported, or if it stands anywhere as a
property, in braces or before a colon: there it may be what others know it by.
"""

from __future__ import annotations

import itertools
import string
from collections import Counter
from typing import NamedTuple

from prefero.web.scripts import next_token

GLOBALS = (
    "console",
    "crypto",
    "document",
    "fetch",
    "history",
    "location",
    "navigator",
    "performance",
    "screen",
    "status",
    "window",
)
"""A browser's own names: a module may declare one in one place, and mean the browser's in another."""
WORDS = frozenset(("as", "do", "if", "in", "is", "of"))
"""Words of the language that are as short as a new name."""
LEAST = 4
"""Letters of a name that is worth shortening."""
SHORT = (*string.ascii_letters, *map("".join, itertools.product(string.ascii_lowercase, repeat=2)))


class Token(NamedTuple):
    """A piece of a script. inside: the bracket that it stands in."""

    kind: str
    text: str
    inside: str


def renamed(script: str) -> str:
    """Return a script that does the same with shorter names; it has no comments."""
    tokens = tokens_of(script)
    code = [token for token in tokens if token.kind not in ("blank", "said") and token.text != "\n"]
    kept, declared = set(GLOBALS), set()
    for k, (_, text, inside) in enumerate(code):
        before, after = code[k - 1].text if k else "", code[k + 1].text if k + 1 < len(code) else ""
        if before in ("const", "let", "function"):
            declared.add(text)
            if any(each.text == "export" for each in code[max(0, k - 3) : k]):
                kept.add(text)
        property_of = inside == "{" and before in ("{", "}", ",", ";", "get", "set") and after in (",", "}", "=", "(")
        if before == "." or after == ":" or (property_of and not (before in ("}", ";") and after != "(")):
            kept.add(text)
    known = {token.text for token in tokens if token.kind == "word"} | WORDS
    counts = Counter(token.text for token in tokens if token.kind == "word")
    wanted = [name for name, _ in counts.most_common() if name in declared - kept and len(name) >= LEAST]
    short = dict(zip(wanted, (name for name in SHORT if name not in known), strict=False))
    return "".join(short.get(token.text, token.text) if token.kind == "word" else token.text for token in tokens)


def tokens_of(script: str) -> list[Token]:
    """Return the pieces of a script in their order; the texts of a template are pieces of the kind "said"."""
    found: list[Token] = []
    open_brackets, at, last = [""], 0, "\n"
    while at < len(script):
        if open_brackets[-1] == "`":
            end = at
            while script[end] != "`" and not script.startswith("${", end):
                end += 2 if script[end] == "\\" else 1
            over = script[end] == "`"
            found.append(Token("said", script[at : end + (1 if over else 2)], "`"))
            at, last = end + (1 if over else 2), "`" if over else "("
            if over:
                open_brackets.pop()
            else:
                open_brackets.append("$")
            continue
        kind, text = next_token(script, at, last)
        if text in ("}", ")", "]"):
            open_brackets.pop()
            if open_brackets[-1] == "`":
                kind = "said"
        found.append(Token(kind, text, open_brackets[-1]))
        if text in ("{", "(", "[", "`"):
            open_brackets.append(text)
        at += len(text)
        last = last if kind == "blank" else text
    return found

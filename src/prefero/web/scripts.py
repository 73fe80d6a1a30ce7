"""The page's scripts as they are sent: without comments, and without blanks, line breaks and marks that mean nothing.

A quarter of a module is for those who read its source. Names and statements stay as they are but for `const`, so that a browser's
error messages can be understood. Nothing is built: the server does this once, when it starts.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+|//[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<word>[\w$]+)
    |(?P<template>`)
    |(?P<pattern>/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*)
    |(?P<mark>[\s\S])""",
    re.VERBOSE,
)
_OPERATORS = ("return", "typeof", "case", "in", "of")
"""Words after which a slash begins a pattern, as after a mark; after all other words it divides."""

_STATEMENTS = ("const", "let", "for", "if", "function", "export", "import", "async", "return", "class", "await")
"""Words that begin a statement after a block. Where there is no block, the script no longer parses, and a test fails."""
_NEEDLESS = (";}", ",}", ",)", ",]")
"""A mark that its closing bracket makes needless; only a list may have gaps between two commas."""


def shortened(script: str) -> str:
    """Return a script that does the same."""
    return _code(script, 0, within=False)[0]


def _code(script: str, at: int, within: bool) -> tuple[str, int]:
    """Return the code from a place on, and where it ends: `within` a template, at the brace that closes its value."""
    parts: list[str] = []
    depth, last, gap = 0, "\n", False
    while at < len(script):
        kind, piece = _next(script, at, last)
        if within and piece == "}" and not depth:
            break
        depth += (piece == "{") - (piece == "}")
        at += len(piece)
        if kind == "blank":
            gap = True
            continue
        if piece == "\n" and last[-1] in "\n{([,;":  # no statement can end here
            continue
        if kind == "template":
            piece, at = _template(script, at)
        if kind == "word" and parts[-2:] == ["}", "\n"] and piece in _STATEMENTS:
            parts.pop()
        if last + piece in _NEEDLESS and parts[-2:-1] not in ([","], ["["]):
            parts.pop()
        if piece == "const":
            piece = "let"  # a test sees that nothing is assigned twice
        if gap and _apart(last[-1], piece[0]):
            parts.append(" ")
        parts.append(piece)
        last, gap = piece, False
    return "".join(parts), at


def _next(script: str, at: int, last: str) -> tuple[str, str]:
    """Return the kind and the text of the next token; `last` is the one before it."""
    found = _TOKEN.match(script, at)
    assert found is not None  # the last alternative is any character
    kind, token = str(found.lastgroup), found[0]
    divides = re.match(r"[\w$)\]}\"'`]", last[-1]) and last not in _OPERATORS
    return ("mark", "/") if kind == "pattern" and divides else (kind, token)


def _template(script: str, at: int) -> tuple[str, int]:
    """Return a template whose text begins at a place, and where it ends; its texts stay, the values in it are code."""
    parts = ["`"]
    while script[at] != "`":
        if script.startswith("${", at):
            code, at = _code(script, at + 2, within=True)
            parts.append("${" + code + "}")
            at += 1
        else:
            size = 2 if script[at] == "\\" else 1
            parts.append(script[at : at + size])
            at += size
    return "".join([*parts, "`"]), at + 1


def _apart(before: str, after: str) -> bool:
    """Return whether two tokens would be read as one without a blank between them."""
    word = re.compile(r"[\w$]")
    return bool(word.match(before) and word.match(after)) or (before in "+-/" and after in "+-/")

"""Roles of a catalogue's columns: features, which taste may depend on, labels, which are only shown, and a file for each row.

Roles that nobody gives are guessed, and `Roles.why` says what each guess is based on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from prefero.errors import InputError
from prefero.space.columns import Column, Columns, is_numeric
from prefero.space.variables import Value

MOST_LEVELS = 100
"""A column of more different texts is guessed to be a label."""
MOST_ITEMS = 300
"""The most rows of a catalogue without features, in which every row stands for itself."""
FEW = 6
"""In fewer rows, texts that all differ may be levels."""
COUNTED = 10
"""So many rows that are numbered in order are no coincidence."""
LONG = 40
"""Texts of more characters on average are descriptions."""
_IDENTIFIES = re.compile(
    r"(?:^|[^a-z])(?:id|ids|uid|uuid|guid|sku|ean|gtin|isbn|asin|code|key|index|idx|no|nr|number|row|name|title|label)s?$"
)
"""How names of columns end that tell rows apart, in lower case; "unnamed: 0" is what pandas calls an index without a name."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LINK = re.compile(r"(?:https?|ftp|file)://|www\.|mailto:", re.IGNORECASE)
_FILE = re.compile(
    r"[^\n]+\.(?:png|jpe?g|gif|webp|avif|svg|bmp|tiff?|mp3|wav|ogg|flac|m4a|mp4|webm|mov)$", re.IGNORECASE
)


@dataclass(frozen=True)
class Roles:
    """The roles of the columns.

    features: the columns that are learned from. file: the column that names a file, which is shown. All others are labels.
    why: what was guessed, and why, by column; columns whose role was given, and features that look like ones, are not in it.
    """

    features: tuple[str, ...]
    file: str | None
    why: Mapping[str, str]


def roles_of(columns: Columns, features: Sequence[str] | None, labels: Sequence[str] | None, file: str | None) -> Roles:
    """Return the roles of columns: those that are given, and guesses for the others.

    If features are given, every other column is a label.
    """
    _check_names(columns, features, labels, file)
    constant = [name for name, column in columns.items() if _is_constant(column)]
    why = dict.fromkeys(constant, "it never changes")
    open_ = [name for name in columns if name not in {*constant, *(features or ()), *(labels or ()), file}]
    if file is None:
        file = next((name for name in open_ if _holds_files(columns[name])), None)
        if file is not None:
            why[file] = "it holds the names of files"
            open_.remove(file)
    if features is not None:
        chosen = [name for name in columns if name in features and name not in constant]
        if not chosen:
            raise InputError.of("features", list(features), "at least one column that changes")
        return Roles(tuple(chosen), file, why)
    why |= {name: said for name in open_ if (said := _label(name, columns[name]))}
    left = [name for name in open_ if name not in why]
    numbered = [name for name in left if _counts_rows(columns[name])]
    if len(left) > len(numbered):  # otherwise the number is what there is to learn from
        why |= dict.fromkeys(numbered, "it numbers the rows")
        left = [name for name in left if name not in numbered]
    if not left:
        left = [_identity(columns, labels)]
        why[left[0]] = (
            "no other column tells rows apart: every row stands for itself, and tells nothing about the others"
        )
    return Roles(tuple(left), file, why)


def _is_constant(column: Column) -> bool:
    """Return whether a column never changes; a single number, missing in some rows, is no constant but incomplete."""
    known = set(column) - {None}
    return len(known) < 2 and not (known and None in column and is_numeric(known))  # type: ignore[arg-type]


def _check_names(
    columns: Columns, features: Sequence[str] | None, labels: Sequence[str] | None, file: str | None
) -> None:
    for argument, given in (("features", features), ("labels", labels), ("file", None if file is None else [file])):
        if given is None:
            continue
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError.of(argument, given, f"a list of columns: {list(columns)}")
        unknown = [name for name in given if name not in columns]
        if unknown:
            raise InputError.of(argument, unknown[0], f"columns of the catalogue: {list(columns)}")
    both = [name for name in (features or ()) if name in (labels or ())]
    if both:
        raise InputError.of("features, labels", both, "each column in one of them")
    if file is not None and not all(value is None or isinstance(value, str) for value in columns[file]):
        raise InputError.of("file", file, "a column of file names")


def _label(name: str, column: Column) -> str:
    """Return why a column is guessed to be a label; "" if it is not."""
    known: list[Value] = [value for value in column if value is not None]
    distinct, rows = len(set(known)), len(column)
    different = distinct == rows
    if is_numeric(known):
        whole = all(value == int(value) for value in known)
        return "a different number in every row" if different and whole and identifies(name) else ""
    if _all_match(column, _LINK):
        return "it holds links"
    if _holds_files(column):
        return "it holds the names of files"
    if different and (rows >= FEW or identifies(name)):
        return "a different value in every row"
    texts = [value for value in known if isinstance(value, str)]
    if distinct > rows / 2 and texts and sum(map(len, texts)) > LONG * len(known):
        return "it holds long texts"
    if distinct > MOST_LEVELS:
        return f"more than {MOST_LEVELS} different values"
    return "nearly as many values as rows" if rows >= 2 * FEW and distinct > 0.8 * rows else ""


def identifies(name: str) -> bool:
    """Return whether a column is called like one that tells rows apart: id, productId, SKU, name, Unnamed: 0."""
    words = _CAMEL.sub("_", name.strip()).lower()
    return words in ("", "#", "unnamed: 0") or _IDENTIFIES.search(words) is not None


def _counts_rows(column: Column) -> bool:
    """Return whether a column counts the rows from 0 or 1."""
    return len(column) >= COUNTED and column[0] in (0, 1) and column == [k + column[0] for k in range(len(column))]  # type: ignore[operator]


def _identity(columns: Columns, labels: Collection[str] | None) -> str:
    """Return the text column whose values stand for the rows, if no column is a feature."""
    rows = len(next(iter(columns.values())))
    for name, column in columns.items():
        texts = all(isinstance(value, str) for value in column)
        if texts and len(set(column)) == rows <= MOST_ITEMS and name not in (labels or ()):
            return name
    raise InputError.of(
        "features",
        None,
        f"the columns that taste may depend on: none of {list(columns)} looks like one"
        + (f", and {rows} rows are too many to learn about each by itself" if rows > MOST_ITEMS else ""),
    )


def _holds_files(column: Column) -> bool:
    return _all_match(column, _FILE) and not _all_match(column, _LINK)


def _all_match(column: Column, pattern: re.Pattern[str]) -> bool:
    """Return whether a column holds nothing but texts that match."""
    known = [value for value in column if value is not None]
    return bool(known) and all(isinstance(value, str) and pattern.match(value) for value in known)

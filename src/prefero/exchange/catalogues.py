"""Catalogues from files: CSV, Parquet, or a folder of pictures or sounds; and their files, kept with a study."""

from __future__ import annotations

import csv
import io
import mimetypes
import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from prefero.errors import InputError, PreferoError
from prefero.space.catalogue import Catalogue
from prefero.space.columns import Column, Columns
from prefero.space.roles import MOST_ITEMS
from prefero.study import Study

MOST_FILES = 1000
"""The most files that are kept with a study."""
KINDS = ("image/", "audio/", "video/")
_MISSING = ("na", "n/a", "nan", "null", "none", "-")
"""Words for a missing number, besides an empty cell."""
_PIXELS = 32
"""Pictures are reduced to so many pixels a side before their colours are averaged."""


def read_catalogue(source: str | os.PathLike[str], **roles: Any) -> Catalogue:
    """Return the catalogue in a CSV or Parquet file, in a text with CSV, or of a folder with a picture or sound for each row.

    Names of files in a table are relative to the folder that the table is in. Pictures of a folder have features that Pillow
    computes: brightness, contrast, colourfulness, warmth and shape. Sounds and films have none: up to 300 of them are learned
    about one by one. To learn from features of your own, put a CSV file with a column of file names beside them.

    roles: as of `Catalogue`: features, labels, file, log, missing.
    """
    if isinstance(source, str) and "\n" in source:
        return Catalogue(_rows(csv_columns(source, "source")), **roles)
    if not isinstance(source, str | os.PathLike):
        raise InputError.of("source", source, "the path of a CSV or Parquet file or of a folder, or a text with CSV")
    path = Path(source)
    if path.is_dir():
        catalogue = Catalogue(_rows(_folder_columns(path)), **({"file": "file"} | roles))
        catalogue.folder = str(path)
        return catalogue
    if path.suffix.lower() in (".parquet", ".pq"):
        catalogue = Catalogue(_parquet(path), **roles)
    else:
        catalogue = Catalogue(_rows(csv_columns(csv_text(path, "source"), "source", str(path))), **roles)
    catalogue.folder = str(path.parent)
    return catalogue


def attach_files(study: Study, folder: str | os.PathLike[str] | None = None, who: str = "") -> int:
    """Keep the file of every row of a study's catalogue with the study, so that pages show it; return how many there are.

    folder: what the names of files are relative to; by default where `read_catalogue` found the table.
    """
    catalogue = study.space
    if not isinstance(catalogue, Catalogue) or catalogue.file is None:
        raise InputError("study: its space is not a catalogue with a column of files")
    named = [(row, str(row[catalogue.file])) for row in catalogue.rows if row[catalogue.file]]
    if len(named) > MOST_FILES:
        raise InputError.of("study", len(named), f"a catalogue of at most {MOST_FILES} files; serve more with render()")
    base = Path(catalogue.folder if folder is None else folder)
    contents = [(row, _content(catalogue, base / name), _media_type(name)) for row, name in named]
    for row, content, kind in contents:  # all of them can be read by now
        study.measure(row, files={str(catalogue.file): (content, kind)}, who=who)
    return len(contents)


def _content(catalogue: Catalogue, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"column {catalogue.file!r}: cannot read {path}: {error.strerror}") from None


def _media_type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _rows(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# CSV and Parquet -----------------------------------------------------------------------------------------------------


def csv_text(path: Path, argument: str) -> str:
    """Return the text of a file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{argument}: cannot read {path} as CSV: {error}") from None


def csv_columns(text: str, argument: str, called: str = "the text") -> Columns:
    """Return the columns of a text with CSV: numbers if all cells are, None if a cell is empty."""
    try:
        table = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True) if row]
    except csv.Error as error:
        raise InputError(f"{argument}: cannot read {called} as CSV: {error}") from None
    if len(table) < 2:
        raise InputError.of(argument, called, "CSV with a header and at least one row below it")
    header = table[0]
    if len(set(header)) != len(header):
        raise InputError.of(argument, header, "a header in which each name occurs once")
    for k, row in enumerate(table[1:]):
        if len(row) != len(header):
            raise InputError.of(f"{argument}, rows[{k}]", row, f"one value per column, {len(header)} in all")
    return {name: _parsed([row[k] for row in table[1:]]) for k, name in enumerate(header)}


def _parsed(cells: Sequence[str]) -> Column:
    """Return a column of text as numbers if it holds nothing else; 007 is the name of something, not a number."""
    words = [cell.strip() for cell in cells]
    known = [word for word in words if word and word.lower() not in _MISSING]
    if not known or any(not _is_number(word) for word in known):
        return [cell if cell.strip() else None for cell in cells]
    of = int if all(word.lstrip("+-").isdecimal() for word in known) else float
    return [of(word) if word and word.lower() not in _MISSING else None for word in words]


def _is_number(word: str) -> bool:
    digits = word.lstrip("+-")
    if (len(digits) > 1 and digits[0] == "0" and digits.isdecimal()) or "_" in word:
        return False
    try:
        float(word)
    except ValueError:
        return False
    return True


def _parquet(path: Path) -> Any:
    """Return a Parquet file as a table of Arrow, or as a frame of pandas."""
    try:
        try:
            return import_module("pyarrow.parquet").read_table(path)
        except ImportError:
            return import_module("pandas").read_parquet(path)
    except ImportError:
        raise PreferoError("reading a Parquet file needs pyarrow: pip install pyarrow") from None
    except (OSError, ValueError) as error:  # Arrow's errors are ValueErrors
        raise InputError(f"source: cannot read {path} as Parquet: {error}") from None


# Folders -------------------------------------------------------------------------------------------------------------


def _folder_columns(folder: Path) -> Columns:
    """Return a row for each picture, sound or film of a folder, by name."""
    paths = sorted(p for p in folder.iterdir() if p.is_file() and _media_type(p.name).startswith(KINDS))
    if len(paths) < 2:
        raise InputError.of("source", str(folder), "a folder with at least two pictures, sounds or films")
    stems = [path.stem for path in paths]
    columns: Columns = {
        "name": list(stems if len(set(stems)) == len(stems) else [path.name for path in paths]),
        "file": [path.name for path in paths],
    }
    if all(_media_type(path.name).startswith("image/") and path.suffix.lower() != ".svg" for path in paths):
        return columns | _picture_columns(paths)
    if len(paths) > MOST_ITEMS:
        raise InputError.of(
            "source",
            str(folder),
            f"at most {MOST_ITEMS} files without features; for its {len(paths)}, put features into a CSV file beside them",
        )
    return columns


def _picture_columns(paths: Sequence[Path]) -> Columns:
    """Return simple features of pictures; none if Pillow is not installed and there are few."""
    try:
        from PIL import Image
    except ImportError:
        if len(paths) <= MOST_ITEMS:
            return {}
        raise PreferoError("features of pictures need Pillow: pip install pillow") from None
    rows = []
    for path in paths:
        try:
            with Image.open(path) as picture:
                shape = picture.width / picture.height
                pixels = np.asarray(picture.convert("RGB").resize((_PIXELS, _PIXELS)), dtype=float) / 255
        except (OSError, ValueError) as error:
            raise InputError(f"source: cannot read the picture {path}: {error}") from None
        red, green, blue = pixels.reshape(-1, 3).T
        grey = (red + green + blue) / 3
        colour = pixels.max(axis=2) - pixels.min(axis=2)
        rows.append((grey.mean(), grey.std(), colour.mean(), (red - blue).mean(), shape))
    names = ("brightness", "contrast", "colourfulness", "warmth", "shape")
    return {
        name: [round(float(x), 4) for x in column] for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }

"""From what `render` returned to what a browser shows: files with a media type, and numbers.

A value is recognised by what it can do, so matplotlib and pandas are not imported here and need not be installed.
"""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from prefero.errors import InputError
from prefero.web.rendering import encoding

File = tuple[bytes, str]
"""A file's content and media type."""
MOST_BYTES = 64 << 20
"""The largest file, in bytes: about six minutes of stereo sound."""
MOST_FILES = 20
FIGURE_DPI = 144
ALLOWED = (
    "a matplotlib figure, a Pillow image, an array of pixels, (rate, samples), curves as {name: 1-D array} or (x, y), "
    "rows of a table, text, HTML, the path of a file, its bytes, a number, or several of them by name"
)
SUFFIXES = {
    **dict.fromkeys((".jpg", ".jpeg"), "image/jpeg"),
    **dict.fromkeys((".html", ".htm"), "text/html"),
    **{f".{kind}": f"image/{kind}" for kind in ("png", "gif", "webp", "avif")},
    **{f".{kind}": f"audio/{kind}" for kind in ("wav", "ogg", "flac")},
    **{f".{kind}": f"video/{kind}" for kind in ("mp4", "webm")},
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".txt": "text/plain",
}
_BEGINS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"<svg", "image/svg+xml"),
)
_NAMES = {"image": "picture", "audio": "sound", "video": "film", "text/csv": "curves", "text/html": "page"}
"""The name of a file that render did not name, by the beginning of its media type; any other is "text"."""


@dataclass(frozen=True)
class Shown:
    """What is shown of a candidate: files and numbers."""

    files: Mapping[str, File] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The size of all files, in bytes."""
        return sum(len(content) for content, _ in self.files.values())


def shown_of(returned: Any) -> Shown:
    """Return what render returned as files and numbers; an InputError that says what is allowed if it is something else."""
    if returned is None:
        return Shown()
    if isinstance(returned, Mapping) and not _are_columns(returned):
        return _several(returned)
    file = _file(returned)
    if file is None:
        raise InputError(f"render returned {_described(returned)}; allowed: {ALLOWED}")
    return Shown({_name(file): _checked("render", file)})


def _several(things: Mapping[Any, Any]) -> Shown:
    files: dict[str, File] = {}
    numbers: dict[str, float] = {}
    for name, thing in things.items():
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"render returned the name {name!r}; allowed: text")
        if not isinstance(thing, bool) and isinstance(thing, Real | np.number):
            if not math.isfinite(float(thing)):
                raise InputError(f"render: {name!r} is {thing}; allowed: a finite number")
            numbers[name] = float(thing)
            continue
        file = _file(thing)
        if file is None:
            raise InputError(f"render: {name!r} is {_described(thing)}; allowed: {ALLOWED}")
        files[name] = _checked(f"render: {name!r}", file)
    if len(files) > MOST_FILES:
        raise InputError(f"render returned {len(files)} things to show; allowed: at most {MOST_FILES}")
    return Shown(files, numbers)


def _checked(where: str, file: File) -> File:
    size = len(file[0])
    if not size:
        raise InputError(f"{where}: the file is empty")
    if size > MOST_BYTES:
        raise InputError(f"{where}: the file has {size / 1e6:.0f} MB; allowed: at most {MOST_BYTES / 1e6:.0f} MB")
    return file


def _name(file: File) -> str:
    kind = file[1]
    return next((name for begins, name in _NAMES.items() if kind.startswith(begins)), "text")


def _described(thing: Any) -> str:
    kind = type(thing)
    named = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    shape = getattr(thing, "shape", None)
    return f"{named} of shape {shape}" if shape is not None else f"{'an' if named[0] in 'aeiou' else 'a'} {named}"


# Which kind of thing --------------------------------------------------------------------------------------------------


def _file(thing: Any) -> File | None:
    for recognise in _RECOGNISERS:
        file = recognise(thing)
        if file is not None:
            return file
    return None


def _figure(thing: Any) -> File | None:
    """A matplotlib figure, or its axes."""
    figure: Any = thing if hasattr(thing, "savefig") else getattr(thing, "figure", None)
    if not hasattr(figure, "savefig"):
        return None
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=FIGURE_DPI)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and figure is not pyplot:
        pyplot.close(figure)  # pyplot keeps every figure until it is closed
    return written.getvalue(), "image/png"


def _pillow(thing: Any) -> File | None:
    if not (hasattr(thing, "mode") and hasattr(thing, "save") and hasattr(thing, "getbands")):
        return None
    written = io.BytesIO()
    (thing if thing.mode in ("L", "RGB", "RGBA", "P", "1") else thing.convert("RGB")).save(written, format="PNG")
    return written.getvalue(), "image/png"


def _frame(thing: Any) -> File | None:
    """A pandas table, or anything with columns, an index and itertuples."""
    if not (hasattr(thing, "columns") and hasattr(thing, "itertuples") and hasattr(thing, "index")):
        return None
    rows = [list(row) for row in thing.itertuples(index=False, name=None)]
    counted = list(thing.index) == list(range(len(rows)))
    return encoding.html_table(rows, list(thing.columns), () if counted else list(thing.index)), "text/html"


def _pixels(thing: Any) -> File | None:
    if not isinstance(thing, np.ndarray) or thing.dtype.kind not in "buif" or not thing.size:
        return None
    if thing.ndim == 2 or (thing.ndim == 3 and thing.shape[2] in (1, 3, 4)):
        return encoding.png(thing), "image/png"
    return None


def _sound(thing: Any) -> File | None:
    if not (isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], int | np.integer)):
        return None
    samples = np.asarray(thing[1])
    channels = 1 if samples.ndim == 1 else samples.shape[-1]
    if samples.dtype.kind not in "if" or samples.ndim not in (1, 2) or not samples.size or channels > 2:
        return None
    if not 1_000 <= thing[0] <= 384_000:
        raise InputError(f"render: a sound of {thing[0]} samples a second; allowed: 1000 to 384000")
    return encoding.wav(int(thing[0]), samples), "audio/wav"


def _curves(thing: Any) -> File | None:
    if isinstance(thing, tuple) and len(thing) == 2 and _is_column(thing[0]) and _is_column(thing[1]):
        thing = {"x": thing[0], "y": thing[1]}
    elif isinstance(thing, np.ndarray) and _is_column(thing):
        thing = {"sample": np.arange(thing.size), "y": thing}
    if not isinstance(thing, Mapping) or not _are_columns(thing):
        return None
    lengths = {str(name): len(column) for name, column in thing.items()}
    if len(set(lengths.values())) != 1 or len(lengths) < 2:
        raise InputError(f"render: curves of the lengths {lengths}; allowed: two or more columns of one length")
    return encoding.csv(thing), "text/csv"


def _is_column(thing: Any) -> bool:
    if not isinstance(thing, np.ndarray | list | tuple) or len(thing) < 2:
        return False
    array = thing if isinstance(thing, np.ndarray) else _array(thing)
    return array is not None and array.ndim == 1 and array.dtype.kind in "buif"


def _array(thing: Any) -> np.ndarray[Any, Any] | None:
    try:
        return np.asarray(thing)
    except ValueError:
        return None


def _are_columns(things: Mapping[Any, Any]) -> bool:
    return bool(things) and all(_is_column(thing) for thing in things.values())


def _rows(thing: Any) -> File | None:
    """A list of rows: mappings, or lists of one length."""
    if not isinstance(thing, list | tuple) or not thing:
        return None
    if all(isinstance(row, Mapping) for row in thing):
        names = list(dict.fromkeys(name for row in thing for name in row))
        return encoding.html_table([[row.get(name, "") for name in names] for row in thing], names), "text/html"
    lists = all(isinstance(row, Sequence) and not isinstance(row, str | bytes) for row in thing)
    if not lists or len({len(row) for row in thing}) != 1:
        return None
    return encoding.html_table(thing), "text/html"


def _text(thing: Any) -> File | None:
    if not isinstance(thing, str):
        return None
    start = thing.lstrip()[:200].lower()
    if start.startswith("<svg"):
        return thing.encode(), "image/svg+xml"
    return thing.encode(), "text/html" if start.startswith("<") else "text/markdown"


def _path(thing: Any) -> File | None:
    if not isinstance(thing, Path):
        return None
    kind = SUFFIXES.get(thing.suffix.lower())
    if kind is None:
        raise InputError(f"render: the file {thing} ends in {thing.suffix!r}; allowed: {', '.join(SUFFIXES)}")
    try:
        return thing.read_bytes(), kind
    except OSError as error:
        raise InputError(f"render: the file {thing} cannot be read: {error.strerror}") from None


def _bytes(thing: Any) -> File | None:
    if not isinstance(thing, bytes | bytearray | memoryview):
        return None
    content = bytes(thing)
    kind = next((kind for begins, kind in _BEGINS if content.startswith(begins)), None)
    if content[:4] == b"RIFF":
        kind = {b"WAVE": "audio/wav", b"WEBP": "image/webp"}.get(content[8:12], kind)
    if content[4:8] == b"ftyp":
        kind = "image/avif" if content[8:12] in (b"avif", b"avis") else "video/mp4"
    if kind is None:
        raise InputError("render: bytes of an unknown kind; allowed: PNG, JPEG, GIF, WebP, AVIF, SVG, WAV, MP3, OGG, "
                         "FLAC, MP4 or WebM; give other files by their path")  # fmt: skip
    return content, kind


_RECOGNISERS: tuple[Callable[[Any], File | None], ...] = (
    _figure,
    _pillow,
    _frame,
    _pixels,
    _sound,
    _curves,
    _rows,
    _text,
    _path,
    _bytes,
)
"""In this order; a thing is what the first of them takes it for."""

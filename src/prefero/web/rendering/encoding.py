"""PNG, WAV, CSV and HTML of arrays and tables, with nothing but NumPy and the standard library."""

from __future__ import annotations

import html
import io
import struct
import wave
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

LARGEST_SAMPLE = 32767
_PNG_KINDS = {1: 0, 3: 2, 4: 6}
"""PNG's colour type by the number of channels: grey, RGB, RGBA."""
_COMPRESSION = 4
"""zlib's level: a 4000 × 3000 picture takes a second, not five."""
_STYLE = (
    "html,body{height:100%;margin:0}body{font:16px system-ui,sans-serif;display:grid;place-content:safe center}"
    "table{border-collapse:collapse;margin:12px}"
    "td,th{padding:4px 10px;border:1px solid #8886;text-align:right;font-variant-numeric:tabular-nums}"
    "th{font-weight:600}th[scope=row]{text-align:left}"
)


def png(pixels: Any) -> bytes:
    """A picture: height × width, with 1, 3 or 4 channels; whole numbers up to 255, or other numbers from 0 to 1."""
    array = np.asarray(pixels)
    if array.dtype == bool or not np.issubdtype(array.dtype, np.integer):
        array = np.rint(255 * np.clip(np.nan_to_num(array.astype(float)), 0, 1))
    rows = np.clip(array, 0, 255).astype(np.uint8).reshape(*array.shape[:2], -1)
    height, width, channels = rows.shape
    flat = rows.reshape(height, width * channels)
    filtered = np.empty((height, width * channels + 1), np.uint8)
    filtered[:, 0] = 2  # each row as its difference from the one above
    filtered[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, _PNG_KINDS[channels], 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), _COMPRESSION)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def wav(rate: int, samples: Any) -> bytes:
    """A sound: samples, or samples × channels; 16-bit whole numbers as they are, other numbers from -1 to 1."""
    array = np.asarray(samples)
    if array.dtype != np.int16:
        array = np.rint(LARGEST_SAMPLE * np.clip(np.nan_to_num(array.astype(float)), -1, 1))
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1 if array.ndim == 1 else array.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(rate))
        file.writeframes(array.astype("<i2").tobytes())
    return written.getvalue()


def csv(columns: Mapping[str, Any]) -> bytes:
    """Curves: columns of numbers by name, the first of them the horizontal axis; what is not finite is left empty."""
    arrays = [np.asarray(column, dtype=float) for column in columns.values()]
    names = ",".join(str(name).translate(str.maketrans(",;\t\n\r", "     ")) for name in columns)
    lines = (",".join(f"{x:.7g}" if np.isfinite(x) else "" for x in row) for row in zip(*arrays, strict=True))
    return "\n".join([names, *lines, ""]).encode()


def html_table(rows: Sequence[Sequence[Any]], header: Sequence[Any] = (), labels: Sequence[Any] = ()) -> bytes:
    """A table as a page of its own: a header, a label before each row, both as far as they are given."""
    top = ["", *header] if labels else header
    head = f"<tr>{_cells(top, 'th scope=col', 'th')}</tr>" if header else ""
    lines = []
    for k, row in enumerate(rows):
        label = _cells(labels[k : k + 1], "th scope=row", "th") if labels else ""
        lines.append(f"<tr>{label}{_cells(row, 'td', 'td')}</tr>")
    meta = '<meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    body = f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"
    return f"<!doctype html>{meta}<title>table</title><style>{_STYLE}</style>{body}\n".encode()


def _cells(values: Iterable[Any], opened: str, closed: str) -> str:
    return "".join(f"<{opened}>{html.escape(_said(value))}</{closed}>" for value in values)


def _said(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)

"""Uploaded files: which types are allowed, and how they are served so that none can act as part of our pages.

Only the listed types are allowed, and a file must begin with its type's signature, if there is one. A Content-Security-Policy keeps
every file from loading or running anything. An SVG is shown as an image only; opened by itself it is a download. An HTML page is
shown in a sandbox, without scripts and without an origin.
"""

from __future__ import annotations

import re

from prefero.errors import shorten
from prefero.web.refusals import Refusal

ALLOWED: dict[str, tuple[bytes, ...]] = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
    "image/avif": (),
    "image/svg+xml": (),
    "audio/mpeg": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"),
    "audio/wav": (b"RIFF",),
    "audio/ogg": (b"OggS",),
    "audio/flac": (b"fLaC",),
    "video/mp4": (),
    "video/webm": (b"\x1a\x45\xdf\xa3",),
    "text/plain": (),
    "text/csv": (),
    "text/markdown": (),
    "text/html": (),
    "application/json": (),
    "application/octet-stream": (),
}
"""The allowed media types, with the signatures that their files begin with."""
SHOWN = ("image/", "audio/", "video/", "text/")
DOWNLOADED = ("image/svg+xml",)
"""Types that are shown in <img> only: opened by themselves they are downloads, because an SVG may hold scripts."""
POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; frame-ancestors 'self'"
)


def checked_type(content_type: str) -> str:
    """Return the media type of an upload without its parameters; a Refusal if it is not allowed."""
    kind = content_type.split(";")[0].strip().lower()
    if kind not in ALLOWED:
        raise Refusal(415, f"Content-Type: got {shorten(content_type)}; allowed: {', '.join(ALLOWED)}")
    return kind


def checked_content(kind: str, content: bytes) -> bytes:
    """Return the content; a Refusal if it is empty or does not match its type."""
    if not content:
        raise Refusal(422, "the file is empty")
    if ALLOWED[kind] and not content.startswith(ALLOWED[kind]):
        raise Refusal(422, f"the file does not begin as {kind} does")
    if kind.startswith("text/") or kind in ("application/json", "image/svg+xml"):
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            raise Refusal(422, f"the file is not text in UTF-8, as {kind} must be") from None
    return content


def headers(kind: str) -> dict[str, str]:
    """Return the headers that a file is served with."""
    shown = kind.startswith(SHOWN) and kind not in DOWNLOADED
    return {
        "Content-Security-Policy": POLICY,
        "X-Frame-Options": "SAMEORIGIN",
        "Content-Disposition": "inline" if shown else "attachment",
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, max-age=31536000, immutable",  # found by its digest: it never changes
    }


def asked_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Return the range of bytes that a Range header asks for, as first and end; None for the whole file.

    Players need it to seek. A header with several ranges, or one that cannot be read, gets the whole file, as RFC 9110 allows.
    """
    match = re.fullmatch(r"bytes=(\d{0,15})-(\d{0,15})", (header or "").strip())
    if match is None or not any(match.groups()):
        return None
    first, last = match.groups()
    if not first:
        return max(0, size - int(last)), size
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise Refusal(416, f"the file has {size} bytes", {"Content-Range": f"bytes */{size}"})
    return int(first), min(int(last) + 1, size) if last else size


def served_type(kind: str) -> str:
    """Return the media type to serve a stored file with; a type that is not allowed is served as a download."""
    kind = kind.split(";")[0].strip().lower()
    if kind not in ALLOWED:
        return "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

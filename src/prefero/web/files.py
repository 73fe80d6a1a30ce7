"""Files that may be uploaded, and how they are served so that none of them runs as a part of our pages.

Only types of this list are taken, and a file of a type that has a signature must begin with it. Nothing that is served here
may load or run anything: each file has a Content-Security-Policy of its own. An SVG is an image: opened by itself it is a
download; an HTML page is shown in a sandbox, without scripts and without an origin.
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
"""The types that are taken, with what their files begin with."""
SHOWN = ("image/", "audio/", "video/", "text/")
DOWNLOADED = ("image/svg+xml",)
"""Only ever an image: a browser that is sent there by itself gets a download."""
POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; frame-ancestors 'self'"
)


def checked_type(content_type: str) -> str:
    """The media type of an upload, without its parameters, if it is one that is taken."""
    kind = content_type.split(";")[0].strip().lower()
    if kind not in ALLOWED:
        raise Refusal(415, f"Content-Type: got {shorten(content_type)}; allowed: {', '.join(ALLOWED)}")
    return kind


def checked_content(kind: str, content: bytes) -> bytes:
    """The content, if it is not empty and looks like what it says it is."""
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
    """What a file is served with."""
    shown = kind.startswith(SHOWN) and kind not in DOWNLOADED
    return {
        "Content-Security-Policy": POLICY,
        "X-Frame-Options": "SAMEORIGIN",
        "Content-Disposition": "inline" if shown else "attachment",
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, max-age=31536000, immutable",  # found by its digest: it never changes
    }


def asked_range(header: str | None, size: int) -> tuple[int, int] | None:
    """The first byte of a file that is asked for, and the one after the last; None for all of it.

    A player seeks with it. Several ranges at once, and what is no range of bytes, get the whole file, as the standard allows.
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
    """The media type to serve a stored file with; what is not on the list is only ever downloaded."""
    kind = kind.split(";")[0].strip().lower()
    if kind not in ALLOWED:
        return "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

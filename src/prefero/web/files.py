"""Files: which types may be uploaded, and how they are served so that none can act as part of our pages.

Only the listed types are allowed, and a file must begin with its type's signature, if there is one. A Content-Security-Policy keeps
every file from loading or running anything. An SVG is shown as an image only; opened by itself it is a download. An HTML page is
shown in a sandbox, without scripts and without an origin.

Large replies are sent in pieces. A piece is read when the client has taken the one before, so a slow reader costs little memory.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from prefero.errors import shorten
from prefero.web.logs import CutOff
from prefero.web.refusals import Refusal

PIECE = 256 << 10
"""The size of a piece, in bytes. One waits for the client while the next is ready, so a reply holds two."""
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


class Pieces(StreamingResponse):
    """A reply from byte `first` to byte `end` of some content, in pieces; `held` is left when it was sent or cut off.

    read: returns up to so many bytes of the content from a place on; none, or a failure, cuts the reply off.
    """

    def __init__(
        self,
        read: Callable[[int, int], Awaitable[bytes]],
        first: int,
        end: int,
        status: int,
        headers: Mapping[str, str],
        media_type: str,
        held: AbstractContextManager[object],
    ) -> None:
        self._read, self._first, self._end, self._held = read, first, end, held
        super().__init__(self._pieces(), status, {**headers, "Content-Length": str(end - first)}, media_type)

    async def _pieces(self) -> AsyncIterator[bytes]:
        place = self._first
        while place < self._end:
            piece = await self._read(place, min(PIECE, self._end - place))
            if not piece:
                raise CutOff
            place += len(piece)
            yield piece

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the reply."""
        if scope["method"] == "HEAD":
            self._end = self._first
        with self._held:
            await super().__call__(scope, receive, send)

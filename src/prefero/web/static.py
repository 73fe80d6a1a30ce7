"""The compare page's own files: kept in memory, served compressed, revalidated on each load, the same for everybody.

They hold nothing about any study: the page asks the service for that, as any program does.

Only what cannot hold a secret is compressed: these files, and results. The size of a compressed reply that holds a token beside
text from a request would tell the token, guess by guess (the BREACH attack).
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import brotli
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from prefero.web import languages
from prefero.web.scripts import shortened

FOLDER = languages.FOLDER
SCREENS = ("", "/compare", "/history", "/result", "/people")
"""The page's screens, as they follow a study's address."""
NO_CACHE = {"Cache-Control": "no-cache"}
"""Keep the file, but ask before each use whether it has changed: after an update no browser mixes old and new files."""
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
"""Media types by suffix: a machine's own table may name others, and a browser runs no script of a wrong type."""


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "br": cache(lambda plain: bytes(brotli.compress(plain, quality=5))),
    "gzip": cache(lambda plain: gzip.compress(plain, mtime=0)),
}
"""Ways to compress a file, the smallest first; browsers take Brotli over HTTPS and from this machine. Each file is
compressed once, in a few milliseconds: a higher quality takes forty times as long for 7 % less."""


@dataclass(frozen=True)
class _File:
    plain: bytes
    etag: str
    media_type: str


def sent(path: Path, words: languages.Words = languages.ENGLISH) -> bytes:
    """Return a file as it is sent before it is compressed: scripts without comments, templates in a language."""
    if path.suffix == ".js":
        return shortened(path.read_text(encoding="utf-8")).encode()
    if path.suffix == ".html":
        return words.template(path.read_text(encoding="utf-8")).encode()
    return path.read_bytes()


def _read(path: Path, words: languages.Words = languages.ENGLISH) -> _File:
    plain, kind = sent(path, words), _TYPES[path.suffix]
    etag = f'W/"{hashlib.sha256(plain).hexdigest()[:32]}"'  # weak: it is the same however the file is compressed
    return _File(plain, etag, kind if path.suffix == ".jpg" else f"{kind}; charset=utf-8")


def page_files() -> Any:
    """Return the handler for the page's scripts, styles, icon and templates; a template's query names its language."""
    files = {path.name: _read(path) for path in FOLDER.iterdir() if path.suffix in _TYPES}
    files |= {f"{p.name}?{w.language}": _read(p, w) for p in FOLDER.glob("*.html") for w in languages.WORDS.values()}

    async def get_file(request: Request) -> Response:
        name, query = request.path_params["name"], request.url.query
        file = files.get(f"{name}?{query}") or files.get(name)
        if file is None:
            raise HTTPException(404)
        headers = {**NO_CACHE, "ETag": file.etag, "Vary": "Accept-Encoding"}
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        named = request.headers.get("accept-encoding", "").replace(" ", "").split(",")
        accepted = {part.partition(";")[0] for part in named if not part.endswith((";q=0", ";q=0.0"))}
        coding = next((name for name in PACKERS if name in accepted), None)
        if coding is None:
            return Response(file.plain, headers=headers, media_type=file.media_type)
        packed = PACKERS[coding](file.plain)
        return Response(packed, headers={**headers, "Content-Encoding": coding}, media_type=file.media_type)

    return get_file


def shell(prefix: str) -> Any:
    """Return the handler for the one HTML page, which every screen shares; `prefix` is the path that a proxy adds."""
    html = (FOLDER / "index.html").read_text(encoding="utf-8").replace('="/page/', f'="{prefix}/page/')

    async def get_shell(_: Request) -> Response:
        return Response(html, headers=NO_CACHE, media_type="text/html")

    return get_shell

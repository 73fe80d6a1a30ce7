"""The compare page's files: written by hand, read once, sent compressed, and nothing from anywhere else.

The page itself holds nothing of any study: it is the same for everybody, and asks the service as any program does.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from prefero.web.refusals import Refusal

SCREENS = ("", "/compare", "/history", "/result")
"""What follows a study's address."""
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True)
class File:
    """One file, as it is and compressed."""

    plain: bytes
    packed: bytes
    media_type: str

    @property
    def tag(self) -> str:
        """What tells this version from another."""
        return f'"{hashlib.sha256(self.plain).hexdigest()[:32]}"'


def page_files() -> dict[str, File]:
    """The files of the page by name."""
    found = {}
    for entry in files("prefero.web").joinpath("page").iterdir():
        kind = _TYPES.get(entry.name.rpartition(".")[2])
        if kind is not None:
            plain = entry.read_bytes()
            found[entry.name] = File(plain, gzip.compress(plain, 9, mtime=0), kind)
    return found


class Pages:
    """Hands the files out: to anybody, since there is nothing in them."""

    def __init__(self, prefix: str = "") -> None:
        self._files = page_files()
        if prefix:
            shell = self._files["index.html"]
            plain = shell.plain.replace(b'="/page/', f'="{prefix}/page/'.encode())
            self._files["index.html"] = File(plain, gzip.compress(plain, 9, mtime=0), shell.media_type)

    async def shell(self, request: Request) -> Response:
        """The one HTML page, whatever its screen."""
        return self._sent(request, "index.html")

    async def file(self, request: Request) -> Response:
        """A script, a style, the icon."""
        return self._sent(request, request.path_params["file"])

    def _sent(self, request: Request, name: str) -> Response:
        file = self._files.get(name)
        if file is None:
            raise Refusal(404, "there is nothing at this address")
        headers = {"Cache-Control": "no-cache", "ETag": file.tag, "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(file.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=file.media_type)
        return Response(file.plain, headers=headers, media_type=file.media_type)

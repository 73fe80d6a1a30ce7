"""The compare page's own files: served compressed, revalidated on each load, the same for everybody.

They hold nothing about any study: the page asks the service for that, as any program does.

Only what cannot hold a secret is compressed: these files, and results. The size of a compressed reply that holds a token beside
text from a request would tell the token, guess by guess (the BREACH attack).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

FOLDER = Path(__file__).parent / "page"
SCREENS = ("", "/compare", "/history", "/result")
"""The page's screens, as they follow a study's address."""
NO_CACHE = {"Cache-Control": "no-cache"}
"""Keep the file, but ask before each use whether it has changed: after an update no browser mixes old and new files."""
_TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Media types by suffix: a machine's own table may name others, and a browser runs no script of a wrong type."""


class PageFiles(StaticFiles):
    """The files of the page folder, revalidated by their ETag."""

    def file_response(self, full_path: Any, *args: Any, **more: Any) -> Response:
        """Return the file, or 304 if the client has it."""
        response = super().file_response(full_path, *args, **more)
        response.headers.update(NO_CACHE)
        if "content-type" in response.headers:
            response.headers["Content-Type"] = f"{_TYPES[Path(full_path).suffix]}; charset=utf-8"
        return response


def page_files() -> ASGIApp:
    """Return the application that serves the page's scripts, styles and icon."""
    return GZipMiddleware(PageFiles(directory=FOLDER))


def shell(prefix: str) -> Any:
    """Return the handler for the one HTML page, which every screen shares; `prefix` is the path that a proxy adds."""
    html = (FOLDER / "index.html").read_text(encoding="utf-8").replace('="/page/', f'="{prefix}/page/')

    async def get_shell(_: Request) -> Response:
        return Response(html, headers=NO_CACHE, media_type="text/html")

    return get_shell

"""Host and origin checks, security headers, and one log line for each request.

A page of another site cannot make a browser use our cookie: the cookie is SameSite=Strict, and a request that carries it must come
from our own origin. To a browser, another port of this machine is the same site; we refuse it. The list of allowed hosts keeps out
a foreign name that was pointed at this machine (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import json
import logging
import re
import time
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prefero.web.refusals import Refusal
from prefero.web.settings import Settings

log = logging.getLogger("prefero.web")

SAFE = ("GET", "HEAD")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""The headers of every reply, unless a route sets its own."""


class Guard:
    """Middleware that checks the host of every request, and adds the security headers to every reply."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self._settings.embedders:
                    _let_embed(headers, self._settings.embedders)
            await send(message)

        host = Headers(scope=scope).get("host", "")
        if allowed_host(host, self._settings):
            await self._app(scope, receive, guarded)
        else:
            await _send_error(guarded, 421, "the service does not answer to this host name: see allow_hosts")
        path = scope.get("raw_path", b"").decode("ascii", "replace")  # without the query, which may hold a token
        log.info("%s %s %d %.0f ms", scope["method"], path, status, 1000 * (time.perf_counter() - began))


def _let_embed(headers: MutableHeaders, embedders: tuple[str, ...]) -> None:
    """Let only these origins show the reply in a frame."""
    allowed = " ".join(("frame-ancestors 'self'", *embedders))
    policy = re.sub(r"frame-ancestors '\w+'", allowed, headers["Content-Security-Policy"])
    headers["Content-Security-Policy"] = policy
    del headers["X-Frame-Options"]  # it cannot name origins, and the policy takes precedence


async def _send_error(send: Send, status: int, message: str) -> None:
    start = {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]}
    await send(start)
    await send({"type": "http.response.body", "body": json.dumps({"error": message}).encode()})


def hostname(host: str) -> str | None:
    """Return the name in a Host header without its port; None if it cannot be read."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname if parts.port is None or parts.port > 0 else None
    except ValueError:
        return None


def allowed_host(host: str, settings: Settings) -> bool:
    """Return whether the service answers to the name in a Host header."""
    name = hostname(host)
    if name is None or any(c in host for c in "@/?#\\ "):
        return False
    return name in settings.hosts or (settings.any_address and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def check_site(request: Request, https: bool) -> None:
    """Raise a Refusal if another site caused a request that carries our cookie.

    https: whether a proxy in front speaks HTTPS: the browser's Origin then has that scheme, while the proxy speaks HTTP to us.
    A form of ours sends Origin: null, since our pages send no referrer; then Sec-Fetch-Site has to confirm it.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if origin == "null" and site == "same-origin":
        origin = None
    own = f"{'https' if https else request.url.scheme}://{request.headers.get('host', '')}"
    safe = request.method in SAFE
    if site not in (None, "same-origin", *(("none",) if safe else ())):
        raise Refusal(403, "the request came from another site")
    if origin is not None and origin != own:
        raise Refusal(403, "the request came from another origin")
    if not safe and origin is None and site is None:
        raise Refusal(403, "the Origin header is missing: a browser's request must have one")

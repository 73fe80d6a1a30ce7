"""Host and origin checks, security headers, bodies that nobody reads, and one log line for each request.

A page of another site cannot make a browser use our cookie: the cookie is SameSite=Strict, and a request that carries it must come
from our own origin. To a browser, another port of this machine is the same site; we refuse it. The list of allowed hosts keeps out
a foreign name that was pointed at this machine (DNS rebinding).
"""

from __future__ import annotations

import hashlib
import ipaddress
import itertools
import json
import re
import secrets
import sys
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prefero.web.logs import log_request
from prefero.web.proxies import Proxies
from prefero.web.refusals import Refusal
from prefero.web.settings import Settings

TOKEN = "prefero.token"  # noqa: S105 (a key)
"""The key of a request's scope under which the digest of its token is kept, for the log."""
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


DISCARDED = 64 << 10
"""A body up to this size is read and dropped if the request is refused. A larger one is not read: the connection is closed."""
DISCARD_SECONDS = 1.0
CUT_OFF = 499
"""The status in the log of a request that got no reply, because the client went away or the server stopped."""
_KEY, _NUMBERS = secrets.token_bytes(16), itertools.count(1)
"""What a request's identifier is made of. The number itself would tell anybody how many requests others make."""
_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """Middleware that checks the host of every request, and adds the security headers to every reply.

    It also finds the address that the request comes from, closes the connection if a body was not read, and logs the request.
    """

    def __init__(self, app: ASGIApp, settings: Settings, done: Callable[[Scope, int, float], None]) -> None:
        """Pass requests on to an app; `done` is told the status and the seconds of each."""
        self._app, self._settings, self._done = app, settings, done
        self._proxies = Proxies(settings.proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, exchange = time.perf_counter(), _Exchange(scope, receive, send, self._settings.embedders)
        peer = scope["client"][0] if scope.get("client") else ""
        address = self._proxies.client(peer, scope["headers"])
        scope["client"] = (address, 0)
        try:
            if allowed_host(_header(scope, b"host"), self._settings):
                await self._app(scope, exchange.receive, exchange.send)
            else:
                said = "the service does not answer to this host name: see allow_hosts"
                await _send_error(exchange.send, 421, said)
        finally:
            seconds, status = time.perf_counter() - began, exchange.status or CUT_OFF
            self._done(scope, status, seconds)
            token, path = scope.get(TOKEN), scope.get("raw_path", b"")  # without the query, which may hold a token
            log_request(address, scope["method"], path, status, seconds, exchange.sent, token, exchange.request_id)


class _Exchange:
    """One request and its reply."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, embedders: tuple[str, ...]) -> None:
        self._receive, self._send, self._embedders = receive, send, embedders
        self._expected = _declared(scope)
        self._waits = bool(_header(scope, b"expect"))
        self.request_id = hashlib.blake2b(next(_NUMBERS).to_bytes(8), digest_size=6, key=_KEY).hexdigest()
        self.status = self.sent = 0

    async def receive(self) -> Message:
        """Return the next part of the body."""
        message = await self._receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            self._expected = 0
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the reply; its headers get ours, and Connection: close if the body was not read."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = list(message.get("headers", ()))
            given = {name for name, _ in headers}
            headers += [header for header in _RAW_HEADERS if header[0] not in given]
            headers.append((b"x-request-id", self.request_id.encode()))
            if self._expected and b"connection" not in given and not await self._discarded():
                headers.append((b"connection", b"close"))
            message = {**message, "headers": headers}
            if self._embedders:
                _let_embed(MutableHeaders(scope=message), self._embedders)
        else:
            self.sent += len(message.get("body", b""))
        await self._send(message)

    async def _discarded(self) -> bool:
        """Read and drop the rest of a small body, so that the connection can be kept; return whether it is at its end.

        A client that waits for "100 Continue" has not sent it, and need not.
        """
        if self._expected > DISCARDED or self._waits:
            return False
        with anyio.move_on_after(DISCARD_SECONDS):
            while self._expected:
                await self.receive()
        return not self._expected


def _header(scope: Scope, wanted: bytes) -> str:
    """Return the first header of a name; "" if there is none."""
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")


def _declared(scope: Scope) -> int:
    """Return how many bytes the body of a request has, as its headers say; more than any limit if they do not."""
    if _header(scope, b"transfer-encoding"):
        return sys.maxsize
    length = _header(scope, b"content-length") or "0"
    return int(length) if length.isascii() and length.isdigit() and len(length) < 19 else sys.maxsize


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


def cookie(request: Request, name: str) -> str | None:
    """Return the cookie of a name as it was sent; None if there is none.

    Not `request.cookies`: Python's reader of quoted values takes quadratic time, six seconds for one header of 32 KiB. Our values
    have nothing to quote.
    """
    for header in request.headers.getlist("cookie"):
        for part in header.split(";"):
            key, _, value = part.partition("=")
            if key.strip() == name:
                return value.strip()
    return None


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

"""uvicorn's HTTP protocol with limits, so that no connection can be held, or fill memory, at little cost.

Connections are counted, in all and for each address. A request's headers have a limit of size and of time, and only a few requests
may wait on one connection. A client that does not read its reply is cut off. Malformed requests are answered with 400 and one line
in the access log.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from prefero.web import logs
from prefero.web.live import STREAM
from prefero.web.proxies import Proxies
from prefero.web.settings import Settings

HEADER_BYTES = 32 << 10
"""The largest head of a request: its first line and its headers."""
PIPELINED = 8
"""How many requests may wait on one connection for the reply to an earlier one; browsers send none ahead."""
SEND_BUFFER = 256 << 10
"""The most that the system may hold of a reply, in bytes. By default it grows to megabytes for a client that does not read."""
_REASONS = {400: "Bad Request", 431: "Request Header Fields Too Large"}


class Connections:
    """Counts the open connections of a server, in all and by address; a trusted proxy's connections are many people's."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._proxies = settings, Proxies(settings.proxies)
        self._counts: Counter[str] = Counter()
        self.total = 0

    def admit(self, address: str) -> bool:
        """Count a new connection; return whether it may stay open."""
        most = self._settings.connections
        each = most if address in self._proxies else self._settings.client_connections
        if self.total >= most or self._counts[address] >= each:
            return False
        self._counts[address] += 1
        self.total += 1
        return True

    def release(self, address: str) -> None:
        """Count a connection that was admitted and is now closed."""
        self.total -= 1
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]


class LimitedProtocol(HttpToolsProtocol):
    """One connection; `limited` makes the class for a server."""

    settings: Settings
    open_connections: Connections
    _admitted = False
    _header_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None
    _begun = _in_body = _ended = False
    """Whether the head of a request has begun, its body has, and whether a request ended in the data just received."""
    _head_bytes = 0

    # The connection ----------------------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Count the connection, start the clock, and switch Nagle's algorithm off.

        asyncio does the latter only for sockets that name their protocol, which ours do not. A reply in two pieces would wait 40 ms
        for the client's delayed acknowledgement.
        """
        super().connection_made(transport)
        self._admitted = self.open_connections.admit(self._address)
        if not self._admitted:
            transport.abort()
            return
        connection = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._start_header_timer()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        if self._admitted:
            self._admitted = False
            self.open_connections.release(self._address)
        self._stop_header_timer()
        self._stop_write_timer()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    # Requests ------------------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Stop the header clock when the headers are complete; the next request's first byte starts it again."""
        self._unset_keepalive_if_required()
        self._ended = False
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # there is nothing to upgrade to: it is answered as a plain request
        except httptools.HttpParserError:
            self._refuse(431 if self._head_bytes > HEADER_BYTES else 400)
            return
        if self._begun:
            self._head_bytes += len(data)
            if self._head_bytes > HEADER_BYTES:
                self._refuse(431)
                return
        if self._begun or not (self._in_body or self._ended):  # within a head, or empty lines before one
            self._start_header_timer()
        else:
            self._stop_header_timer()

    def on_message_begin(self) -> None:
        """Note that a request begins."""
        self._begun, self._head_bytes = True, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header, unless there are too many; those after a body (trailers) are dropped: a proxy may not check them."""
        if not self._begun:
            return
        self._head_bytes += len(name) + len(value)
        if self._head_bytes > HEADER_BYTES:
            raise ValueError("the headers are too large")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request, unless too many wait before it."""
        self._begun, self._in_body, self._head_bytes = False, True, 0
        if len(self.pipeline) >= PIPELINED:
            raise ValueError("too many requests were sent ahead")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note that a request has ended."""
        self._in_body, self._ended = False, True
        super().on_message_complete()

    def _refuse(self, status: int) -> None:
        """Answer what is no request of HTTP, and close; a reply that has begun to an earlier request is cut short."""
        self._stop_header_timer()
        logs.log_malformed(self._address, status)
        if self.cycle is None or self.cycle.response_complete:
            body = b'{"error":"the request is not valid HTTP, or its headers are too large"}'
            head = f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: application/json\r\nConnection: close\r\n"
            self.transport.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self._close()

    # Replies -----------------------------------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        """Start the clock of a reply that the client does not read."""
        super().pause_writing()
        self._start_write_timer()

    def resume_writing(self) -> None:
        """Stop that clock."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop_write_timer()

    def on_response_complete(self) -> None:
        """Go on with the next request; a connection that closes may not wait for ever for the client to read."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._start_write_timer()

    def shutdown(self) -> None:
        """Let a reply finish before the server stops, unless it is a stream, which has no end."""
        super().shutdown()
        if self.cycle is not None and self.cycle.scope.get(STREAM):
            self._close()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection."""
        self._close()

    def _close(self) -> None:
        self.transport.close()
        self._start_write_timer()

    # Clocks ------------------------------------------------------------------------------------------------------------

    def _start_header_timer(self) -> None:
        if self._header_timer is None:
            self._header_timer = self.loop.call_later(self.settings.header_seconds, self.transport.abort)

    def _stop_header_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _start_write_timer(self) -> None:
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.settings.write_seconds, self.transport.abort)

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None


def limited(settings: Settings) -> type[LimitedProtocol]:
    """Return the protocol of a server with these settings."""
    return type("ServerProtocol", (LimitedProtocol,), {"settings": settings, "open_connections": Connections(settings)})

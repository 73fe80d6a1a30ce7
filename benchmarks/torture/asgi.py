"""An application called in this process, without a socket: what a request costs is what the application does."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Message


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The value that the body holds."""
        return json.loads(self.body)


class Client:
    """Sends one request after the other to an application."""

    def __init__(self, app: ASGIApp, token: str | None = None, host: str = "127.0.0.1:8477") -> None:
        self.app, self.token, self.host = app, token, host
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        """One task for all requests, so that the application's threads go on from one to the next."""
        self._loop.run_until_complete(self._over.wait())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the thread of the requests end."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join()

    def get(self, path: str, **more: Any) -> Reply:
        """GET."""
        return self.request("GET", path, **more)

    def post(self, path: str, value: Any = None, **more: Any) -> Reply:
        """POST a value as JSON."""
        return self.request("POST", path, value, **more)

    def request(
        self,
        method: str,
        path: str,
        value: Any = None,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        token: str | None = "",
    ) -> Reply:
        """Send a request: a value as JSON, or a body as it is; token: None for none, "" for the client's own."""
        sent = {"host": self.host} | {name.lower(): text for name, text in (headers or {}).items()}
        secret = self.token if token == "" else token
        if secret is not None:
            sent.setdefault("authorization", f"Bearer {secret}")
        if body is None:
            body = b"" if value is None else json.dumps(value).encode()
            if value is not None:
                sent.setdefault("content-type", "application/json")
        sent.setdefault("content-length", str(len(body)))
        return asyncio.run_coroutine_threadsafe(self._sent(method, path, sent, body), self._loop).result()

    async def _sent(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        parts = urlsplit(f"//x{path}")
        raw = parts.path.encode("latin-1", "replace")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": _unquoted(raw),
            "raw_path": raw,
            "query_string": parts.query.encode("latin-1", "replace"),
            "headers": [(k.encode("latin-1"), v.encode("latin-1", "replace")) for k, v in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8477),
        }
        messages: list[Message] = []
        requests = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> Message:
            for message in requests:
                return message
            return await asyncio.Future()  # the client stays until it has its reply

        async def send(message: Message) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        head = {k.decode("latin-1"): v.decode("latin-1") for k, v in messages[0]["headers"]}
        return Reply(messages[0]["status"], head, b"".join(message.get("body", b"") for message in messages[1:]))


def _unquoted(raw: bytes) -> str:
    """A path as uvicorn decodes it."""
    return unquote(raw.decode("ascii", "replace"))

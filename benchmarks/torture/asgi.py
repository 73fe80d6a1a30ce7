"""An application called in this process, without a socket: what a request costs is what the application does."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Message

T = TypeVar("T")


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The value that the body holds."""
        return json.loads(self.body)


def run_apart(what: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own: this one may have a loop already, that of a browser's driver."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, what).result()


class _Loop:
    """The event loop of an application, in a thread: its clients share it, as they do in a server."""

    _of: ClassVar[dict[int, _Loop]] = {}
    _lock = threading.Lock()

    def __init__(self) -> None:
        self.clients = 0
        self.loop, self._over = asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @classmethod
    def enter(cls, app: ASGIApp) -> _Loop:
        """Return the loop of an application, for one client more."""
        with cls._lock:
            found = cls._of.get(id(app)) or cls._of.setdefault(id(app), cls())
            found.clients += 1
            return found

    def leave(self, app: ASGIApp) -> None:
        """End the loop when its last client has left."""
        with self._lock:
            self.clients -= 1
            if self.clients:
                return
            del self._of[id(app)]
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        """One task for all requests, so that the application's threads go on from one to the next."""
        self.loop.run_until_complete(self._over.wait())
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


class Client:
    """Sends one request after the other to an application."""

    def __init__(self, app: ASGIApp, token: str | None = None, host: str = "127.0.0.1:8477") -> None:
        self.app, self.token, self.host = app, token, host
        self._entered: _Loop | None = _Loop.enter(app)
        self._loop = self._entered.loop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Send nothing more."""
        if self._entered is not None:
            self._entered.leave(self.app)
            self._entered = None

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
        served, head = asyncio.Event(), {}

        async def receive() -> Message:
            for message in requests:
                return message
            await served.wait()  # the client stays until it has its reply, or the first piece of one that never ends
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            messages.append(message)
            head.update({k.decode("latin-1"): v.decode("latin-1") for k, v in message.get("headers", ())})
            if message.get("body") and head.get("content-type", "").startswith("text/event-stream"):
                served.set()

        await self.app(scope, receive, send)
        return Reply(messages[0]["status"], head, b"".join(message.get("body", b"") for message in messages[1:]))


def _unquoted(raw: bytes) -> str:
    """A path as uvicorn decodes it."""
    return unquote(raw.decode("ascii", "replace"))

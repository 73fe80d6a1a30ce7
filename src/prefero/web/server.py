"""From a storage and an address to a running server: `run(storage_url)`.

It binds a loopback address; any other address must be allowed explicitly. The link with the token is shown once, just before the
server starts. After SIGINT or SIGTERM, running requests may finish.
"""

from __future__ import annotations

import ipaddress
import multiprocessing.process
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn

from prefero.errors import InputError
from prefero.storage import open_storage
from prefero.web import access
from prefero.web.app import build
from prefero.web.protocol import HeaderTimeoutProtocol
from prefero.web.settings import LOOPBACK, Settings
from prefero.web.studies import Served

PORT = 8477
"""The default port; no well-known service uses it."""
GRACE_SECONDS = 10
"""How long running requests may take when the server stops."""
SWITCH_SECONDS = 0.001
"""Python's thread switch interval: a computing thread delays one that answers by at most about this long."""
PAUSE_SECONDS = 0.5
"""The pause between two checks that all server processes are alive."""


def run(
    storage_url: Any,
    host: str = "127.0.0.1",
    port: int = PORT,
    *,
    allow_other_addresses: bool = False,
    allow_hosts: Sequence[str] = (),
    https: bool = False,
    processes: int = 1,
    settings: Settings | None = None,
    served: Served | None = None,
    announce: Callable[[str], object] = print,
) -> None:
    """Serve a storage until a signal stops the server.

    storage_url: the database's URL or path. port: 0 for any free port.
    allow_other_addresses: whether `host` may be an address that other machines reach.
    allow_hosts: further host names that the service answers to. https: whether a proxy in front of it speaks HTTPS.
    processes: how many processes share the address; more than one is useful with PostgreSQL only.
    served: the study of a served file; the link is then for that study only.
    announce: is called once, with the link that holds the token.
    """
    if isinstance(processes, bool) or not isinstance(processes, int) or not 1 <= processes <= 64:
        raise InputError.of("processes", processes, "a whole number from 1 to 64")
    if served is not None and processes > 1:
        raise InputError.of("processes", processes, "1, for a study whose candidates this server renders")
    _check_address(host, allow_other_addresses)
    with listening(host, port) as listener:
        settings = settings_for(host, listener, allow_hosts, https, settings or Settings())
        announce(_link(storage_url, host, listener, served))
        if processes == 1:
            _serve(storage_url, settings, listener, served)
        else:
            _serve_in_several(storage_url, settings, listener, processes)


@contextmanager
def background(
    storage_url: Any, settings: Settings | None = None, served: Served | None = None, port: int = 0
) -> Iterator[str]:
    """Serve a storage on this machine while a block runs, for a notebook or a test; yield the link with the token."""
    host = LOOPBACK[0]
    with listening(host, port) as listener:
        link = _link(storage_url, host, listener, served)
        server = _server(storage_url, settings_for(host, listener, (), False, settings or Settings()), served)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield link
        finally:
            server.should_exit = True
            thread.join()


def _link(storage_url: Any, host: str, listener: socket.socket, served: Served | None) -> str:
    """Return the link with a new owner's token, which is stored nowhere."""
    storage, opened_here = open_storage(storage_url)
    try:
        secret, _ = access.make_token(storage, "owner", study=None if served is None else served.name, label="owner")
    finally:
        if opened_here:
            storage.close()
    return f"{address(host, listener.getsockname()[1])}/enter?token={secret}"


def settings_for(
    host: str, listener: socket.socket, allow_hosts: Sequence[str], https: bool, settings: Settings
) -> Settings:
    """Return the settings of a server at an address."""
    port = listener.getsockname()[1]
    own = () if _is_any(host) else (host.strip("[]").lower(),)
    names = tuple(dict.fromkeys((*settings.hosts, *own, *(name.lower() for name in allow_hosts))))
    return replace(
        settings,
        hosts=names,
        any_address=not _is_loopback(host),
        cookie=f"prefero-{port}",
        prefix=settings.prefix.replace("{port}", str(port)),
        https=https or settings.https,
    )


def address(host: str, port: int) -> str:
    """Return the URL of the server for a browser on this machine."""
    shown = "127.0.0.1" if _is_any(host) else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a listening socket; an InputError if the address cannot be used."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise InputError.of("port", port, "a whole number from 0 (any free port) to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=256)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"host, port: cannot listen on {host!r}, port {port}: {why}; try another port") from None
    with listener:
        yield listener


def _check_address(host: str, allowed: bool) -> None:
    if not isinstance(host, str) or not host:
        raise InputError.of("host", host, "an address of this machine, such as 127.0.0.1")
    if not _is_loopback(host) and not allowed:
        raise InputError.of(
            "host",
            host,
            f"{', '.join(LOOPBACK)}; an address that other machines reach must be allowed explicitly",
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_any(host: str) -> bool:
    return host in ("0.0.0.0", "::")  # noqa: S104 (compared, not bound)


def _server(storage_url: Any, settings: Settings, served: Served | None = None) -> uvicorn.Server:
    config = uvicorn.Config(
        partial(build, storage_url, settings, served),
        factory=True,
        http=HeaderTimeoutProtocol,
        ws="none",
        lifespan="on",
        access_log=False,  # it would show query strings, which may hold tokens; our own log line does not
        log_config=None,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=32 << 10,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def _serve(storage_url: Any, settings: Settings, listener: socket.socket, served: Served | None = None) -> None:
    """Serve until a signal stops the server."""
    sys.setswitchinterval(SWITCH_SECONDS)
    with _signals(lambda *_: None):  # uvicorn stops, and then raises the signal again for the previous handler
        _server(storage_url, settings, served).run(sockets=[listener])


def _serve_in_several(storage_url: Any, settings: Settings, listener: socket.socket, processes: int) -> None:
    """Serve in several processes on one socket; one that dies is replaced, a signal stops them all."""
    spawn = multiprocessing.get_context("spawn")
    stop = threading.Event()

    def started() -> multiprocessing.process.BaseProcess:
        process = spawn.Process(target=_serve, args=(storage_url, settings, listener))
        process.start()
        return process

    with _signals(lambda *_: stop.set()):
        workers = [started() for _ in range(processes)]
        while not stop.wait(PAUSE_SECONDS):
            workers = [worker if worker.is_alive() else started() for worker in workers]
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join(GRACE_SECONDS + 5)
            worker.kill()


@contextmanager
def _signals(handler: Callable[..., object]) -> Iterator[None]:
    """Let SIGINT and SIGTERM call the handler during a block; does nothing outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)

"""From a storage and an address to a running server: `run(storage_url)`.

It binds a loopback address; any other address must be allowed explicitly. The link with the token is shown once, just before the
server starts; the token is revoked when it stops. After SIGINT or SIGTERM, running requests may finish, but not for long.
"""

from __future__ import annotations

import ipaddress
import logging
import multiprocessing.process
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import Any

import uvicorn

from prefero.errors import InputError, PreferoError
from prefero.storage import Storage, open_storage
from prefero.web import access, logs
from prefero.web.app import build
from prefero.web.protocol import limited
from prefero.web.proxies import Proxies
from prefero.web.settings import LOOPBACK, Settings
from prefero.web.studies import Served

if sys.platform != "win32":
    import resource

log = logging.getLogger("prefero.web")

PORT = 8477
"""The default port; no well-known service uses it."""
GRACE_SECONDS = 5
"""How long running requests may take when the server stops."""
STOP_SECONDS = 8.0
"""How long stopping may take in all. Then the process ends, whatever it does: what was acknowledged is in the database."""
MOST_FORGOTTEN = 1_000
"""How many expired tokens are deleted when a server starts."""
MOST_FILES, RESERVED_FILES = 65_536, 256
"""The number of open files that a server asks the system for, and how many of them are not for connections."""
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
    proxies: Sequence[str] = (),
    log: str = "",
    log_format: str = "text",
    processes: int = 1,
    settings: Settings | None = None,
    served: Served | None = None,
    announce: Callable[[str], object] = print,
) -> None:
    """Serve a storage until a signal stops the server.

    storage_url: the database's URL or path. port: 0 for any free port.
    allow_other_addresses: whether `host` may be an address that other machines reach.
    allow_hosts: further host names that the service answers to. https: whether a proxy in front of it speaks HTTPS.
    proxies: the addresses of trusted proxies, whose X-Forwarded-For is believed.
    log, log_format: a file for the access log, or "-" for standard error; "text" or "json".
    processes: how many processes share the address; more than one is useful with PostgreSQL only.
    served: the study of a served file; the link is then for that study only.
    announce: is called once, with the link that holds the token.
    """
    if isinstance(processes, bool) or not isinstance(processes, int) or not 1 <= processes <= 64:
        raise InputError.of("processes", processes, "a whole number from 1 to 64")
    if served is not None and processes > 1:
        raise InputError.of("processes", processes, "1, for a study whose candidates this server renders")
    _check_address(host, allow_other_addresses)
    settings = settings or Settings()
    settings = replace(settings, proxies=(*settings.proxies, *proxies))
    settings = replace(settings, log=log or settings.log, log_format=log_format if log else settings.log_format)
    Proxies(settings.proxies)  # complain before anything starts
    with listening(host, port) as listener, logs.logging_to(settings):
        settings = settings_for(host, listener, allow_hosts, https, settings)
        with _owner_token(storage_url, served) as (secret, revoke):
            announce(f"{address(host, listener.getsockname()[1])}/enter?token={secret}")
            if processes == 1:
                _serve(storage_url, settings, listener, served, revoke)
            else:
                _serve_in_several(storage_url, settings, listener, processes)


@contextmanager
def background(
    storage_url: Any, settings: Settings | None = None, served: Served | None = None, port: int = 0
) -> Iterator[str]:
    """Serve a storage on this machine while a block runs, for a notebook or a test; yield the link with the token."""
    host = LOOPBACK[0]
    with listening(host, port) as listener, _owner_token(storage_url, served) as (secret, _):
        server = _server(storage_url, settings_for(host, listener, (), False, settings or Settings()), served)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"{address(host, listener.getsockname()[1])}/enter?token={secret}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _owner_token(storage_url: Any, served: Served | None) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield a new owner's token, which is stored nowhere, and a function that revokes it; it is revoked after the block."""
    with _opened(storage_url) as storage:
        storage.forget_expired(access.now(), MOST_FORGOTTEN)
        storage.forget_deleted(access.now(-access.KEPT_HOURS))
        study = None if served is None else served.name
        secret, token = access.make_token(storage, "owner", study=study, label="owner")

    def revoke() -> None:
        try:
            with _opened(storage_url) as storage:
                storage.revoke_token(token.digest, access.now())
        except PreferoError as error:
            log.warning("the owner's token could not be revoked, it is valid until %s: %s", token.expires, error)

    try:
        yield secret, revoke
    finally:
        revoke()


@contextmanager
def _opened(storage_url: Any) -> Iterator[Storage]:
    storage, opened_here = open_storage(storage_url)
    try:
        yield storage
    finally:
        if opened_here:
            storage.close()


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


class _Server(uvicorn.Server):
    """uvicorn's server, which may end its process if stopping takes too long.

    before_end: what to do before the process is ended; None if it may not be ended.
    """

    before_end: Callable[[], object] | None = None
    _ending: threading.Timer | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop because of a signal."""
        super().handle_exit(sig, frame)
        self.stop()

    def stop(self) -> None:
        """Stop soon."""
        self.should_exit = True
        if self.before_end is not None and self._ending is None:
            self._ending = threading.Timer(STOP_SECONDS, _end_process, (self.before_end,))
            self._ending.daemon = True
            self._ending.start()

    def wait_for_threads(self) -> None:
        """Wait for the threads that still work for a request; then the process need not be ended any more."""
        for thread in threading.enumerate():
            if thread.name == "AnyIO worker thread":
                thread.join()
        if self._ending is not None:
            self._ending.cancel()


def _end_process(before: Callable[[], object]) -> None:
    """End this process at once, after a last deed that may take a second."""
    deed = threading.Thread(target=before, daemon=True)
    deed.start()
    deed.join(1.0)
    os._exit(0)


def _server(storage_url: Any, settings: Settings, served: Served | None = None) -> _Server:
    config = uvicorn.Config(
        partial(build, storage_url, settings, served),
        factory=True,
        http=limited(settings),
        ws="none",
        lifespan="on",
        access_log=False,  # it would show query strings, which may hold tokens; our own log line does not
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    logging.getLogger("uvicorn.error").addFilter(logs.EXPECTED)
    return _Server(config)


def _serve(
    storage_url: Any,
    settings: Settings,
    listener: socket.socket,
    served: Served | None = None,
    before_end: Callable[[], object] = lambda: None,
    parent: Any = None,
) -> None:
    """Serve until a signal stops the server, or the parent process ends."""
    sys.setswitchinterval(SWITCH_SECONDS)
    server = _server(storage_url, _with_files(settings), served)
    server.before_end = before_end
    if parent is not None:
        threading.Thread(target=_stop_with, args=(parent, server), daemon=True).start()
    with _signals(lambda *_: None):  # uvicorn stops, and then raises the signal again for the previous handler
        server.run(sockets=[listener])
        server.wait_for_threads()


def _stop_with(parent: Any, server: _Server) -> None:
    """Stop the server when its parent ends, even if it is killed: a pipe closes that only the parent holds."""
    parent.join()
    server.stop()


def _with_files(settings: Settings) -> Settings:
    """Raise the limit of open files, and return settings whose connections leave enough of them for everything else."""
    if sys.platform == "win32":  # it has no such limit
        return settings
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    most = settings.connections if soft == resource.RLIM_INFINITY else max(1, soft - RESERVED_FILES)
    return replace(settings, connections=min(settings.connections, most))


def _serve_as_worker(storage_url: Any, settings: Settings, listener: socket.socket) -> None:
    """Serve in one of several processes."""
    with logs.logging_to(settings):
        _serve(storage_url, settings, listener, parent=multiprocessing.parent_process())


def _serve_in_several(storage_url: Any, settings: Settings, listener: socket.socket, processes: int) -> None:
    """Serve in several processes on one socket; one that dies is replaced, a signal stops them all."""
    spawn = multiprocessing.get_context("spawn")
    stop = threading.Event()

    def started() -> multiprocessing.process.BaseProcess:
        process = spawn.Process(target=_serve_as_worker, args=(storage_url, settings, listener))
        process.start()
        return process

    with _signals(lambda *_: stop.set()):
        workers = [started() for _ in range(processes)]
        while not stop.wait(PAUSE_SECONDS):
            workers = [worker if worker.is_alive() else started() for worker in workers]
        for worker in workers:
            worker.terminate()
        until = time.monotonic() + STOP_SECONDS + 1.0
        for worker in workers:
            worker.join(max(0.0, until - time.monotonic()))
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

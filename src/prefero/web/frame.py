"""The page in a notebook: a server in a thread of this process, shown in a frame.

The notebook has another origin than the server, so its browser sends no cookie. Only this kind of server lets the notebook's origin
frame it. It takes its token as a header; the token stands after the # of the frame's address, which no request contains. Pictures
and downloads, which a browser fetches by itself, carry a second, read-only token in the query string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from html import escape
from importlib import import_module
from typing import Any
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

from prefero.errors import InputError
from prefero.storage.database import Database
from prefero.study import Study
from prefero.web import access
from prefero.web.render_queue import RenderQueue
from prefero.web.rendering.renderers import ThreadRenderer
from prefero.web.server import background
from prefero.web.settings import LOOPBACK, Settings
from prefero.web.studies import Served

HEIGHT = 720
"""The default height, in pixels."""
HOURS = 24.0
"""How long the read-only token of a frame is valid."""
USUAL = ("http://localhost:8888", "http://127.0.0.1:8888")
"""The origins that are allowed if no running notebook server is found."""
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*:(//[^\s/;,'\"*]+)?")
_OPEN: WeakKeyDictionary[Study, Frame] = WeakKeyDictionary()


class Frame:
    """A study's page; a notebook shows it as the value of a cell."""

    def __init__(self, src: str, height: int, running: ExitStack) -> None:
        self.src, self.height, self._running = src, height, running

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid #8884;border-radius:6px"
        return f'<iframe src="{escape(self.src)}" style="{style}" title="prefero"></iframe>'

    def __repr__(self) -> str:
        return f"Frame({self.src.partition('#')[0]})"

    def close(self) -> None:
        """Stop the server and revoke its tokens."""
        self._running.close()


def frame(
    study: Study,
    *,
    origin: str | Sequence[str] | None = None,
    address: str | None = None,
    height: int = HEIGHT,
    render: Any = None,
) -> Frame:
    """Return the compare page of a stored study, for a notebook to show.

    origin: the notebook's origin, such as "http://localhost:8888", or several; detected if not given.
    address: how the browser reaches a port of this machine, if it runs on another one; behind jupyter-server-proxy, for example,
    "https://hub.example/user/ann/proxy/{port}".
    height: in pixels. render: a function from a candidate to what is shown, as in a served file; it is called in a thread.
    """
    storage = study.log.storage
    if not isinstance(storage, Database):
        raise InputError(
            'frame: the study is in memory only: use pf.widget, or create it with a name and a storage, such as "sqlite:///x.db"'
        )
    if address is not None and (urlsplit(address).scheme not in ("http", "https") or "{port}" not in address):
        raise InputError.of("address", address, 'such as "https://hub.example/user/ann/proxy/{port}"')
    embedders = tuple(dict.fromkeys(_checked(origin) if origin is not None else _found(address)))
    if study in _OPEN:
        _OPEN.pop(study).close()
    url = storage.engine.url.render_as_string(hide_password=False)
    with ExitStack() as opening:
        renders = None if render is None else RenderQueue(study.settings.name, ThreadRenderer(render))
        served = Served(study.settings.name, study.space, study.proposer, renders)
        link = opening.enter_context(background(url, _settings(embedders, address), served))
        server, _, token = link.partition("/enter?token=")
        with Database(url) as tokens:
            secret, _ = access.make_token(tokens, "viewer", study=study.settings.name, label="frame", hours=HOURS)
        opening.callback(_revoke, url, [token, secret])
        seen = server if address is None else address.replace("{port}", str(urlsplit(server).port)).rstrip("/")
        src = f"{seen}/studies/{quote(study.settings.name, safe='')}/compare#token={token}&pass={secret}"
        _OPEN[study] = made = Frame(src, height, opening.pop_all())
    return made


def _settings(embedders: tuple[str, ...], address: str | None) -> Settings:
    if address is None:
        return Settings(embedders=embedders)
    parts = urlsplit(address)
    hosts = (*LOOPBACK, (parts.hostname or "").lower())
    return Settings(hosts=hosts, embedders=embedders, prefix=parts.path.rstrip("/"), https=parts.scheme == "https")


def _revoke(url: str, secrets: Iterable[str]) -> None:
    with Database(url) as tokens:
        for secret in secrets:
            tokens.revoke_token(access.digest(secret), access.now())


def _checked(origin: str | Sequence[str]) -> list[str]:
    origins = [origin] if isinstance(origin, str) else list(origin)
    for each in origins:
        if not isinstance(each, str) or not _ORIGIN.fullmatch(each):
            raise InputError.of("origin", each, 'an origin such as "http://localhost:8888", without a path')
    if not origins:
        raise InputError.of("origin", origin, "at least one origin")
    return origins


def _found(address: str | None) -> list[str]:
    """Return the proxy's origin, or those of the notebook servers on this machine."""
    if address is not None:
        parts = urlsplit(address)
        return [f"{parts.scheme}://{parts.netloc}"]
    try:
        servers = list(import_module("jupyter_server.serverapp").list_running_servers())
    except ImportError:
        servers = []
    found = [urlsplit(server["url"]) for server in servers]
    ports = [
        f"{parts.scheme}://{host}:{parts.port}" for parts in found if parts.port for host in ("localhost", "127.0.0.1")
    ]
    return ports or list(USUAL)

"""Settings: what the service allows, in one place."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    """Limits and names of a service.

    hosts: the names that the service answers to; others are refused, so that no foreign name can be pointed at it.
    any_address: answer to every numeric address as well, since a server for other machines has several.
    embedders: the origins whose pages may show ours in a frame, as a notebook's; without a cookie there, a token may come as a
    header, and one that can only look in the query, for what a browser fetches by itself.
    prefix: the path under which a proxy shows the service, "" for none; {port} in it is the server's.
    cookie: the name of the browser's cookie; cookies do not tell ports apart, names do.
    https: whether a proxy speaks HTTPS for us: cookies are then for HTTPS alone.
    json_bytes, file_bytes: the largest body of a request, and of an uploaded file.
    body_seconds: how long a body may take to arrive, for each megabyte begun.
    rate, burst: requests a second for each token, and how many at once.
    failures: unknown tokens a minute that an address may try.
    open_studies: how many studies are kept open.
    savers, thinkers: threads that read and save, and that compute; together no more than the database has connections for.
    drawers: how many may wait for a result at once.
    """

    hosts: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    embedders: tuple[str, ...] = ()
    prefix: str = ""
    cookie: str = "prefero"
    https: bool = False
    json_bytes: int = 1 << 20
    file_bytes: int = 32 << 20
    body_seconds: float = 20.0
    rate: float = 100.0
    burst: int = 300
    failures: int = 30
    open_studies: int = 200
    savers: int = 10
    thinkers: int = 4
    drawers: int = 12

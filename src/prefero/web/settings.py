"""Settings: the limits and names of a service, in one place."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    """Limits and names of a service.

    hosts: the host names that the service answers to. Others are refused, so that no foreign name can be pointed at it.
    any_address: answer to every numeric address as well: a server for other machines has several.
    embedders: origins whose pages may show ours in a frame, such as a notebook's. A frame has no cookie, so it sends its token as a
    header; for what a browser fetches by itself, a read-only token is allowed in the query string.
    prefix: the path under which a proxy shows the service, "" for none; {port} in it stands for the server's port.
    cookie: the name of the browser's cookie. Browsers share cookies between ports, so each port has a name of its own.
    https: whether a proxy in front of the service speaks HTTPS: the cookie is then sent over HTTPS only.
    json_bytes, file_bytes: the largest JSON body, and the largest uploaded file.
    body_seconds: how long a body may take to arrive, for each megabyte begun.
    rate, burst: requests a second for each token, and how many at once.
    failures: how many unknown tokens an address may try in a minute.
    open_studies: how many studies are kept open.
    save_threads, propose_threads: threads that read and save, and threads that wait for a proposer. Together they need no more
    connections than the database has.
    result_threads: how many requests may wait for a result at once.
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
    save_threads: int = 10
    propose_threads: int = 4
    result_threads: int = 12

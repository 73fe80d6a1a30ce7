"""Settings: the limits and names of a service, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from prefero.study.reasons import Reasons

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    """Limits and names of a service.

    hosts: the host names that the service answers to. Others are refused, so that no foreign name can be pointed at it.
    any_address: answer to every numeric address as well: a server for other machines has several.
    proxies: the addresses of trusted proxies. Only they may say, in X-Forwarded-For, for which address a request is made.
    embedders: origins whose pages may show ours in a frame, such as a notebook's. A frame has no cookie, so it sends its token as a
    header; for what a browser fetches by itself, a read-only token is allowed in the query string.
    prefix: the path under which a proxy shows the service, "" for none; {port} in it stands for the server's port.
    cookie: the name of the browser's cookie. Browsers share cookies between ports, so each port has a name of its own.
    https: whether a proxy in front of the service speaks HTTPS: the cookie is then sent over HTTPS only.
    json_bytes, file_bytes: the largest JSON body, and the largest uploaded file.
    body_seconds: how long a body may take to arrive, for each megabyte begun.
    header_seconds: how long a request's headers may take, from the connection or their first byte.
    write_seconds: how long a client may take to read a piece of a reply (see `files.PIECE`).
    connections, client_connections: the most open connections, in all and of one address that is not a proxy.
    bytes_in_flight, client_bytes: the most bytes held for bodies and large replies, in all and for one token or address.
    rate, burst: requests a second for each token, and how many at once.
    failures: how many unknown tokens or invitations an address may try in a minute before it has to wait.
    open_studies: how many studies are kept open.
    judge_events: how many events one judge may cause in a study: questions, answers and amendments.
    save_threads, propose_threads: threads that read and save, and threads that wait for a proposer. While they wait they need no
    connection to the database.
    proposal_helpers: how many helper processes compute proposals. With two or more, slow studies leave one to all others.
    proposal_seconds: how long a proposal may take; after that, a space-filling candidate is asked about.
    result_threads: how many requests may wait for a result at once.
    export_threads, file_threads: how many exports are made at once, and pieces of files read.
    reasons: suggests hints from reasons; None if the service suggests none. suggest_threads: how many at once.
    log, log_format: a file for the access log, "-" for standard error, "" for none; its lines are "text" or "json".
    """

    hosts: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    proxies: tuple[str, ...] = ()
    embedders: tuple[str, ...] = ()
    prefix: str = ""
    cookie: str = "prefero"
    https: bool = False
    json_bytes: int = 1 << 20
    file_bytes: int = 32 << 20
    body_seconds: float = 20.0
    header_seconds: float = 10.0
    write_seconds: float = 30.0
    connections: int = 4_000
    client_connections: int = 1_000
    bytes_in_flight: int = 64 << 20
    client_bytes: int = 40 << 20
    rate: float = 100.0
    burst: int = 300
    failures: int = 30
    open_studies: int = 200
    judge_events: int = 20_000
    save_threads: int = 10
    propose_threads: int = 40
    proposal_helpers: int = 2
    proposal_seconds: float = 30.0
    result_threads: int = 12
    export_threads: int = 2
    file_threads: int = 2
    reasons: Reasons | None = None
    suggest_threads: int = 2
    log: str = ""
    log_format: str = "text"

"""`prefero serve`: the HTTP service, which needs the extra `ui`."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from prefero.cli import show
from prefero.cli.app import STORAGE, JsonOption, StorageOption, command


@command(
    "serve",
    "More",
    "prefero serve",
    "prefero serve --port 8000 --storage postgresql://plant@db/tuning --processes 4",
    "prefero serve --host 192.168.1.5 --allow-other-addresses --allow-host tuning.plant",
)
def serve(
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 for any that is free.")] = 8477,
    allow_other_addresses: Annotated[
        bool, typer.Option("--allow-other-addresses", help="Let --host be an address that other machines reach.")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", metavar="NAME", help="A further name to answer to.")
    ] = None,
    https: Annotated[bool, typer.Option("--https", help="A proxy in front speaks HTTPS.")] = False,
    processes: Annotated[int, typer.Option("--processes", help="How many serve; several need PostgreSQL.")] = 1,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Serve the studies over HTTP, until Ctrl-C.

    Prints a link with the owner's token, once.
    """
    from prefero.errors import PreferoError

    try:
        server = importlib.import_module("prefero.web.server")
    except ModuleNotFoundError as error:
        needed = error.name or "a module"
        if needed.startswith("prefero"):
            raise PreferoError("this prefero has no service in it") from None
        raise PreferoError(f"the service needs {needed}: pip install 'prefero[ui]'") from None

    def announce(link: str) -> None:
        if json:
            show.as_json({"link": link}, compact=True)
        else:
            show.line(f"Serving; Ctrl-C stops. The owner's link, keep it secret:\n{link}")

    server.run(
        storage,
        host,
        port,
        allow_other_addresses=allow_other_addresses,
        allow_hosts=tuple(allow_host or ()),
        https=https,
        processes=processes,
        announce=announce,
    )

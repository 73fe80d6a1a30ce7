"""`prefero serve`: the HTTP service, which needs the extra `ui`."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.app import STORAGE, JsonOption, StorageOption, command
from prefero.cli.numeric import whole_option

HIGHEST_PORT = 65535


@command(
    "serve",
    "More",
    "prefero serve",
    "prefero serve tuning.py",
    "prefero serve --port 8000 --storage postgresql://plant@db/tuning --processes 4",
    "prefero serve --host 192.168.1.5 --allow-other-addresses --allow-host tuning.plant",
)
def serve(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|URL",
            help="A Python file with a space and render(candidate), or where the studies are kept.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, whole_option("--port", low=0, high=HIGHEST_PORT, about="The port; 0 for any that is free.")
    ] = 8477,
    allow_other_addresses: Annotated[
        bool, typer.Option("--allow-other-addresses", help="Let --host be an address that other machines reach.")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", metavar="NAME", help="A further name to answer to.")
    ] = None,
    https: Annotated[bool, typer.Option("--https", help="A proxy in front speaks HTTPS.")] = False,
    processes: Annotated[int, whole_option("--processes", low=1, about="How many serve; several need PostgreSQL.")] = 1,
    simulate: Annotated[
        int | None,
        whole_option("--simulate", low=1, about="Let the file's prefer(a, b) answer so many, and end."),
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option("--executor", metavar="tcp://…", help="A Dask scheduler that renders; needs the extra dask."),
    ] = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Serve studies over HTTP, until Ctrl-C.

    Given a Python file, its study is made and served, and render(candidate) shows its candidates: docs/serving.md.
    Otherwise the studies of a database are. Prints a link with the owner's token, once.
    """
    from prefero.errors import InputError

    server = service("server")
    listens = {
        "allow_other_addresses": allow_other_addresses,
        "allow_hosts": tuple(allow_host or ()),
        "https": https,
        "processes": processes,
    }
    if what is not None and what.endswith(".py"):
        serve_file(Path(what), storage, executor, json, simulate, {"host": host, "port": port} | listens)
        return
    for option, given in (("executor", executor), ("simulate", simulate)):
        if given is not None:
            raise InputError.of(option, given, "nothing, where no file with render(candidate) is served")
    server.run(what or storage, host, port, announce=partial(announce, json, ""), **listens)


def service(module: str) -> Any:
    """A module of the service, which needs its extra."""
    from prefero.errors import PreferoError

    try:
        return importlib.import_module(f"prefero.web.{module}")
    except ModuleNotFoundError as error:
        needed = error.name or "a module"
        if needed.startswith("prefero"):
            raise PreferoError("this prefero has no service in it") from None
        raise PreferoError(f"the service needs {needed}: pip install 'prefero[ui]'") from None


def announce(json: bool, what: str, link: str) -> None:
    """Say where the page is."""
    if json:
        printing.as_json({"link": link}, compact=True)
    else:
        printing.line(f"{what}Serving; Ctrl-C stops. The owner's link, keep it secret:\n{link}")


def serve_file(
    path: Path,
    storage: str,
    executor: str | None,
    json: bool,
    simulate: int | None,
    listens: dict[str, Any],
    seed: int | None = None,
) -> None:
    """Serve the study of a file until Ctrl-C, or until a simulated person has answered so many questions.

    listens: how and where to listen; seed: in place of a file's own.
    """
    from prefero.cli.simulate import simulate as answered
    from prefero.errors import InputError
    from prefero.web.rendering.tuning import read

    server, tunings = service("server"), service("served_file")
    tuning = read(path)
    if seed is not None:
        tuning = replace(tuning, settings={**tuning.settings, "seed": seed})
    if simulate is not None and not tuning.prefer:
        raise InputError(f"{path}: prefer is missing: who is to answer? allowed: a function of two candidates")
    with _warnings(), tunings.served(tuning, storage, executor) as (known, study):
        about = f"{tuning.name!r} of {path.name}: {', '.join(printing.labels(study.space).values())}; "
        about += f"{printing.progress(len(study.history), study.settings.comparisons)}, kept in {storage}.\n"
        if simulate is None or tuning.prefer is None:
            server.run(storage, served=known, announce=partial(announce, json, about), **listens)
            return
        if not json:
            printing.line(f"{about}A simulated person answers on the page: {study.settings.question}\n")
        with server.background(storage, served=known) as link:
            answered(link, tuning.name, tuning.prefer, simulate, json)


@contextmanager
def _warnings() -> Iterator[None]:
    """Let the terminal see what the service warns of: a candidate that could not be rendered."""
    log, handler = logging.getLogger("prefero.web"), logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("prefero: %(message)s"))
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)

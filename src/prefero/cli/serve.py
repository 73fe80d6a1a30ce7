"""`prefero serve`: run the HTTP service; it needs the extra `ui`."""

from __future__ import annotations

import importlib
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
    "prefero serve --reasons './hints --brief'",
    "prefero serve --https --proxy 127.0.0.1 --allow-host tuning.plant --log access.log",
)
def serve(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|URL",
            help="A Python file with a space and render(candidate), which is run; or the URL of a database.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, whole_option("--port", low=0, high=HIGHEST_PORT, about="The port; 0 for any free port.")
    ] = 8477,
    allow_other_addresses: Annotated[
        bool, typer.Option("--allow-other-addresses", help="Allow a --host that other machines can reach.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another host name under which the service may be reached."),
    ] = None,
    https: Annotated[bool, typer.Option("--https", help="A proxy in front of the service uses HTTPS.")] = False,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy", metavar="ADDRESS", help="The address or network of a trusted proxy: believe its X-Forwarded-For."
        ),
    ] = None,
    log: Annotated[
        str,
        typer.Option(
            "--log", metavar="FILE|-", help="Log every request to a file, or to standard error (-).", show_default=False
        ),
    ] = "",
    log_format: Annotated[
        str, typer.Option("--log-format", metavar="text|json", help="The format of the log.")
    ] = "text",
    processes: Annotated[
        int, whole_option("--processes", low=1, about="The number of server processes; more than one needs PostgreSQL.")
    ] = 1,
    simulate: Annotated[
        int | None,
        whole_option("--simulate", low=1, about="Let the file's prefer(a, b) answer N questions, then exit."),
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor", metavar="tcp://…", help="A Dask scheduler that renders candidates; needs the extra dask."
        ),
    ] = None,
    reasons: Annotated[
        str | None,
        typer.Option(
            "--reasons",
            metavar="PROGRAM",
            help="A program that suggests hints from reasons, for people to confirm; everybody who may answer can start it.",
        ),
    ] = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Serve studies over HTTP until Ctrl-C.

    With a Python file, the file is run: serve only files that you trust. Its study is created and served, and its
    render(candidate) shows the candidates (docs/serving.md).

    Otherwise all studies of the database are served. A link with the owner's token is printed once. It works until the
    server stops.
    """
    from prefero.errors import InputError

    server = service("server")
    listens: dict[str, Any] = {
        "allow_other_addresses": allow_other_addresses,
        "allow_hosts": tuple(allow_host or ()),
        "https": https,
        "proxies": tuple(proxy or ()),
        "log": log,
        "log_format": log_format,
        "processes": processes,
    }
    if reasons is not None:
        listens["settings"] = _suggesting(reasons)
    if what is not None and what.endswith(".py"):
        if not json:
            printing.line(f"Running {what} as a Python program.")
        serve_file(Path(what), storage, executor, json, simulate, {"host": host, "port": port} | listens)
        return
    for option, given in (("executor", executor), ("simulate", simulate)):
        if given is not None:
            raise InputError.of(option, given, "nothing unless you serve a Python file with render(candidate)")
    server.run(what or storage, host, port, announce=partial(announce, json, ""), **listens)


def _suggesting(program: str) -> Any:
    """Return the settings of a service whose hints a program suggests."""
    from prefero.cli.judges import REASONS_SECONDS, reasons_of

    return service("settings").Settings(reasons=reasons_of(program, REASONS_SECONDS))


def service(module: str) -> Any:
    """Return a module of the service; raise a PreferoError if the extra is not installed."""
    from prefero.errors import PreferoError

    try:
        return importlib.import_module(f"prefero.web.{module}")
    except ModuleNotFoundError as error:
        needed = error.name or "a module"
        if needed.startswith("prefero"):
            raise PreferoError("this installation of prefero has no service") from None
        raise PreferoError(f"the service needs {needed}: pip install 'prefero[ui]'") from None


def announce(json: bool, what: str, link: str) -> None:
    """Print the link to the page."""
    if json:
        printing.print_json({"link": link}, compact=True)
    else:
        printing.line(
            f"{what}Serving; press Ctrl-C to stop. Open this link and keep it secret, it belongs to the owner:\n{link}"
        )


def serve_file(
    path: Path,
    storage: str,
    executor: str | None,
    json: bool,
    simulate: int | None,
    listens: dict[str, Any],
    seed: int | None = None,
) -> None:
    """Serve the study of a file until Ctrl-C, or until a simulated person has answered `simulate` questions.

    listens: the host, port and other options of the server. seed: replaces the file's own seed.
    """
    from prefero.cli.simulate import simulate as answered
    from prefero.errors import InputError
    from prefero.web.rendering.tuning import read

    server, tunings = service("server"), service("served_file")
    tuning = read(path)
    if seed is not None:
        tuning = replace(tuning, settings={**tuning.settings, "seed": seed})
    if simulate is not None and not tuning.prefer:
        raise InputError(f"{path}: prefer is missing; define prefer(a, b) to answer the questions")
    quiet = service("settings").Settings()  # warnings only, for example about a candidate that could not be rendered
    with service("logs").logging_to(quiet), tunings.served(tuning, storage, executor) as (known, study):
        about = f"{tuning.name!r} of {path.name}: {', '.join(printing.labels(study.space).values())}; "
        about += f"{printing.progress(study.history.answered, study.settings.comparisons)}, stored in {storage}.\n"
        if simulate is None or tuning.prefer is None:
            server.run(storage, served=known, announce=partial(announce, json, about), **listens)
            return
        if not json:
            printing.line(f"{about}A simulated person answers on the page: {study.settings.question}\n")
        with server.background(storage, served=known) as link:
            answered(link, tuning.name, tuning.prefer, simulate, json)

"""`prefero worker`: propose questions ahead for studies with many judges, and render candidates, for servers on other machines."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.app import STORAGE, StorageOption, command
from prefero.cli.serve import service

LOOK_SECONDS = 0.3
"""The pause between two looks for candidates to render."""


@command(
    "worker",
    "More",
    "prefero worker postgresql://plant@db/tuning",
    "prefero worker tuning.py --storage postgresql://plant@db/tuning",
)
def worker(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|URL",
            help="A Python file with a space and render(candidate), or the URL of a database. A file is run.",
            show_default=False,
        ),
    ] = None,
    storage: StorageOption = STORAGE,
) -> None:
    """Work for the servers of a database until Ctrl-C.

    When many judges answer at once, their questions are proposed ahead. A server starts a worker of its own for that; further ones,
    here or on other machines, share the studies with it.

    With a Python file, the candidates of its study's waiting questions are rendered as well, and stored for the servers to show.
    """
    from prefero.storage import open_storage
    from prefero.study.worker import work

    path = Path(what) if what is not None and what.endswith(".py") else None
    address = storage if path is not None or what is None else what
    tuning = None if path is None else _read(path)
    opened, _ = open_storage(address, create=path is not None)
    printing.line(f"Working for {opened.address}; press Ctrl-C to stop.")
    opened.close()
    with _stopped_by_signals() as stop:
        rendering = None if tuning is None else threading.Thread(target=_render, args=(tuning, address, stop))
        if rendering is not None:
            rendering.start()
        try:
            work(address, stop)
        finally:
            stop.set()
            if rendering is not None:
                rendering.join()


def _read(path: Path) -> Any:
    """Return what a Python file says, after running it; it must render."""
    from prefero.errors import InputError

    tuning = service("rendering.tuning").read(path)
    if tuning.render is None:
        raise InputError(f"{path}: there is nothing to render; define render(candidate)")
    return tuning


def _render(tuning: Any, address: str, stop: threading.Event) -> None:
    """Render the candidates of the questions that wait in the file's study."""
    from prefero.errors import PreferoError

    try:
        with service("served_file").served(tuning, address) as (known, study):
            known.renders.attach(lambda: study)
            while not stop.wait(LOOK_SECONDS):
                study.refresh()
                for question in study.waiting.values():
                    known.renders.ask(study, question)
    except PreferoError as error:
        printing.line(f"prefero: rendering ended: {error}")
        stop.set()


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGINT and SIGTERM set."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

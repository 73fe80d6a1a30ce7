"""Keep studies safe: `backup` and `check`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prefero.cli import printing
from prefero.cli.app import STORAGE, ForceOption, JsonOption, StorageOption, command, opened_storage

if TYPE_CHECKING:
    from prefero.study.inspection import Report

BAR_SECONDS = 2.0
"""What takes longer shows a progress bar."""


@command(
    "backup", "Keep", "prefero backup monday.db", "prefero backup /mnt/tuning.db --storage postgresql://plant@db/tuning"
)
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new SQLite file.")],
    force: ForceOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Copy the whole database into one file, also while a server uses it."""
    from prefero.errors import InputError
    from prefero.storage.backup import backup as copy
    from prefero.storage.database import Database

    with opened_storage(storage) as kept, _bar("copying") as progress:
        if not isinstance(kept, Database):
            raise InputError.of("--storage", storage, "a database")
        copy(kept, file, overwrite=force, progress=progress)
        data = {"from": kept.address, "file": str(file), "studies": len(kept.studies()), "bytes": file.stat().st_size}
    if json:
        printing.print_json(data)
    else:
        studies = "1 study" if data["studies"] == 1 else f"{data['studies']} studies"
        printing.line(f"Copied {studies} from {data['from']} to {file}, and checked the copy.")


@command("check", "Keep", "prefero check", "prefero check --storage monday.db --json")
def check(storage: StorageOption = STORAGE, json: JsonOption = False) -> None:
    """Check that the database holds what was written to it: every event, file and study."""
    from dataclasses import asdict

    from prefero.study import inspection

    with opened_storage(storage) as kept, _bar("checking") as progress:
        report = inspection.check(kept, progress)
    if json:
        printing.print_json(asdict(report))
    else:
        _print(report)
    if report.count:
        found = printing.count(report.count, "fault")
        sys.stderr.write(f"prefero: {report.address} is damaged: {found}; use a backup, and find out why\n")
        raise typer.Exit(1)


def _print(report: Report) -> None:
    table = printing.table("study", "events", "files", "result", right=("events", "files"))
    for study in report.studies:
        result = printing.count(len(study.faults), "fault") if study.faults else "fine"
        if not study.replayed and not study.faults:
            result = "fine, but not opened: it has functions of its own"
        table.add_row(printing.clean(study.name), str(study.events), str(study.files), result)
    printing.console().print(table)
    for fault in report.faults:
        printing.line(f"The file: {fault}.")
    for study in report.studies:
        for fault in study.faults:
            printing.line(f"{study.name}: {fault}.")
    unprotected, missing = (sum(getattr(s, name) for s in report.studies) for name in ("unprotected", "missing"))
    if unprotected:
        printing.line(
            f"{printing.count(unprotected, 'event')} of an older version of prefero had no digest to compare with."
        )
    if missing:
        verb = "is not here: it was" if missing == 1 else "are not here: they were"
        printing.line(f"{printing.count(missing, 'file')} that the studies mention {verb} not imported.")
    if not report.count:
        printing.line(f"{report.address} holds what was written to it.")


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error, if that is a terminal and it takes longer than two seconds."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    begun, bar = time.monotonic(), Progress(*columns, console=printing.console(stderr=True), transient=True)
    task = bar.add_task(what)

    def progress(done: int, total: int) -> None:
        if time.monotonic() - begun > BAR_SECONDS:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield progress
    finally:
        bar.stop()

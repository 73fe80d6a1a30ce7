"""The app, and what its commands share: options, examples in the help, and how a study is chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from prefero.cli import printing
from prefero.cli.numeric import step_argument, whole_option

if TYPE_CHECKING:
    from prefero.storage import Storage
    from prefero.study import Study

STORAGE = "sqlite:///prefero.db"
"""The default database: a file in the current directory."""
STUDY_VARIABLE = "PREFERO_STUDY"
NO_STUDY = "there is no study yet; `prefero new` creates one"

app = typer.Typer(
    help="Find the setting a person likes best, by asking only which of two is better.",
    epilog="Give a study's name to a command, or set PREFERO_STUDY. If there is only one study, you need neither. "
    "Documentation: docs/command-line.md.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Function = TypeVar("Function", bound=Callable[..., Any])


def command(name: str, panel: str, *examples: str) -> Callable[[Function], Function]:
    """Register a function as a command, in a panel of the help; the help of the command ends with the examples."""
    return app.command(name, rich_help_panel=panel, epilog="\n\n".join(["Examples:", *examples]))


def _version(wanted: bool) -> None:
    if wanted:
        from prefero import __version__

        typer.echo(f"prefero {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def prefero(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Find the setting a person likes best, by asking only which of two is better."""
    if context.invoked_subcommand is None and not version:
        typer.echo(context.get_help())


# What the commands share ---------------------------------------------------------------------------------------------


def study_names(context: typer.Context, incomplete: str) -> list[str]:
    """Return the studies that complete what was typed in the shell."""
    address = context.params.get("storage") or os.environ.get("PREFERO_STORAGE") or STORAGE
    return [name for name in stored_names(address) if name.startswith(incomplete)]


def stored_names(address: str) -> list[str]:
    """Return the names of the stored studies; none if there is no database."""
    from prefero.errors import PreferoError
    from prefero.study import studies

    try:
        return [kept.name for kept in studies(address)]
    except PreferoError:
        return []


StorageOption = Annotated[
    str,
    typer.Option(
        "--storage",
        envvar="PREFERO_STORAGE",
        metavar="URL",
        help="The database: a URL, or the path of a SQLite file.",
    ),
]
StudyArgument = Annotated[
    str | None,
    typer.Argument(metavar="STUDY", help="The study's name.", autocompletion=study_names, show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
JudgeOption = Annotated[
    str, typer.Option("--as", envvar="PREFERO_JUDGE", metavar="NAME", help="The judge who answers.")
]
StepOption = Annotated[
    int | None, whole_option("--step", about="The number of the question; refused if that question does not wait.")
]
NoteOption = Annotated[
    str, typer.Option("--note", metavar="TEXT", help="The reason, or any other note that is stored with it.")
]
StepArgument = Annotated[int, step_argument("STEP", about="The number of the question, as in prefero history.")]


def check_overwrite(path: Path, force: bool) -> None:
    """Raise an InputError if the file exists and --force was not given."""
    from prefero.errors import InputError

    if path.exists() and not force:
        raise InputError(f"{path} exists already; --force overwrites it")


@contextmanager
def opened_storage(address: str, create: bool = False) -> Iterator[Storage]:
    """Open a storage, and close it afterwards."""
    from prefero.errors import StorageError
    from prefero.storage import open_storage

    try:
        storage, _ = open_storage(address, create=create)
    except StorageError as error:
        if address == STORAGE and error.__cause__ is None:
            raise StorageError(
                f"{error}; create a study with `prefero new`, or name another database with --storage"
            ) from None
        raise
    with closing(storage):
        yield storage


@contextmanager
def opened_study(name: str | None, address: str) -> Iterator[Study]:
    """Open the study of that name, or the default one if the name is None, and close it afterwards."""
    from prefero.study import Study

    with opened_storage(address) as storage:
        with listing_studies(storage):
            opened = Study.open(name or _default_study(storage), storage)
        with opened as study:
            yield study


@contextmanager
def listing_studies(storage: Storage) -> Iterator[None]:
    """Let the error about an unknown study list those that exist."""
    from prefero.errors import UnknownStudyError

    try:
        yield
    except UnknownStudyError as error:
        names = [kept.name for kept in storage.studies()]
        known = f"the database has {printing.first_names(names)}" if names else NO_STUDY
        raise UnknownStudyError(f"{error}; {known}") from None


def _default_study(storage: Storage) -> str:
    from prefero.errors import InputError

    named = os.environ.get(STUDY_VARIABLE)
    if named:
        return named
    names = [kept.name for kept in storage.studies()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise InputError(NO_STUDY)
    raise InputError(
        f"which study? there are {len(names)}: {printing.first_names(names)}; give a name, or set {STUDY_VARIABLE}"
    )

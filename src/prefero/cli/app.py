"""The application that the commands join, and what they share: options, examples, and how a study is chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from prefero.cli import printing
from prefero.cli.numeric import whole_argument, whole_option

if TYPE_CHECKING:
    from prefero.storage import Storage
    from prefero.study import Study

STORAGE = "sqlite:///prefero.db"
"""Where studies are kept unless somebody says otherwise: a file in the current directory."""
STUDY_VARIABLE = "PREFERO_STUDY"
NO_STUDY = "there is no study yet: `prefero new` makes one"

app = typer.Typer(
    help="Find the setting a person likes best, by asking only which of two is better.",
    epilog="A study is chosen by its name, by PREFERO_STUDY, or is the only one there is. "
    "Documentation: docs/command-line.md.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Function = TypeVar("Function", bound=Callable[..., Any])


def command(name: str, panel: str, *examples: str) -> Callable[[Function], Function]:
    """A command of that name, listed on that panel of the help, whose own help ends with examples."""
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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Find the setting a person likes best, by asking only which of two is better."""
    if context.invoked_subcommand is None and not version:
        typer.echo(context.get_help())


# What the commands share -------------------------------------------------------------------------------------------------


def study_names(context: typer.Context, incomplete: str) -> list[str]:
    """The studies that a shell may complete to."""
    address = context.params.get("storage") or os.environ.get("PREFERO_STORAGE") or STORAGE
    return [name for name in names_in(address) if name.startswith(incomplete)]


def names_in(address: str) -> list[str]:
    """The studies' names; none where there is no database."""
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
        help="Where studies are kept: a URL, or the path of a file.",
    ),
]
StudyArgument = Annotated[
    str | None,
    typer.Argument(metavar="STUDY", help="The study's name.", autocompletion=study_names, show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]
JudgeOption = Annotated[str, typer.Option("--as", envvar="PREFERO_JUDGE", metavar="NAME", help="Who answers.")]
StepOption = Annotated[
    int | None, whole_option("--step", about="The question that is meant: refused if it does not wait.")
]
NoteOption = Annotated[str, typer.Option("--note", metavar="TEXT", help="Whatever there is to add.")]
StepArgument = Annotated[int, whole_argument("STEP", about="The question's number, as history shows it.")]


def not_there(path: Path, force: bool) -> None:
    """Nobody's file is written over unasked."""
    from prefero.errors import InputError

    if path.exists() and not force:
        raise InputError(f"{path} is there already: --force writes over it")


@contextmanager
def kept_in(address: str, create: bool = False) -> Iterator[Storage]:
    """A storage, closed afterwards."""
    from prefero.errors import StorageError
    from prefero.storage import open_storage

    try:
        storage, _ = open_storage(address, create=create)
    except StorageError as error:
        if address == STORAGE and error.__cause__ is None:
            raise StorageError(f"{error}; begin with `prefero new`, or name another with --storage") from None
        raise
    with closing(storage):
        yield storage


@contextmanager
def chosen(name: str | None, address: str) -> Iterator[Study]:
    """The study that was named, or that is meant where none was."""
    from prefero.study import Study

    with kept_in(address) as storage:
        with naming_others(storage):
            opened = Study.open(name or _meant(storage), storage)
        with opened as study:
            yield study


@contextmanager
def naming_others(storage: Storage) -> Iterator[None]:
    """Let the complaint that there is no such study say which there are."""
    from prefero.errors import UnknownStudyError

    try:
        yield
    except UnknownStudyError as error:
        names = [kept.name for kept in storage.studies()]
        known = f"there {'is' if len(names) == 1 else 'are'} {printing.some(names)}" if names else NO_STUDY
        raise UnknownStudyError(f"{error}; {known}") from None


def _meant(storage: Storage) -> str:
    from prefero.errors import InputError

    named = os.environ.get(STUDY_VARIABLE)
    if named:
        return named
    names = [kept.name for kept in storage.studies()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise InputError(NO_STUDY)
    raise InputError(f"which study? there are {len(names)}: {printing.some(names)}; name one, or set {STUDY_VARIABLE}")

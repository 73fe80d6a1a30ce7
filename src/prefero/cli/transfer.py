"""Move studies: `export`, `import` and `delete`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.app import (
    STORAGE,
    ForceOption,
    JsonOption,
    JudgeOption,
    StorageOption,
    StudyArgument,
    check_overwrite,
    command,
    listing_studies,
    opened_storage,
    opened_study,
    study_names,
)

if TYPE_CHECKING:
    from prefero.study import Study

FORMATS = ("json", "zip", "answers", "candidates", "pairs")
LARGEST_CSV = 64_000_000
"""Most bytes of comparisons; of JSON there may be more, see prefero.exchange.archive."""


def _formats(incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


@command(
    "export",
    "Move",
    "prefero export > line3.json",
    "prefero export 'line 3' -o line3.json",
    "prefero export 'line 3' -o line3.zip",
    "prefero export --format answers -o answers.csv",
)
def export(
    study: StudyArgument = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="json (the whole study), zip (with its files), answers or candidates (CSV), or pairs (JSON, winner first).",
            autocompletion=_formats,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write; by default standard output."),
    ] = None,
    force: ForceOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Export a study for prefero import or for other programs."""
    from prefero.exchange.archive import write_archive
    from prefero.storage.atomic import write

    form = _format(form, output, json)
    if output is not None:
        check_overwrite(output, force)
    with opened_study(study, storage) as opened:
        name = opened.settings.name
        if form == "zip" and output is not None:
            write_archive(opened, output)
        else:
            text = _exported(opened, form)
            if output is None:
                sys.stdout.write(text if text.endswith("\n") else text + "\n")
                return
            write(output, text)
    if json:
        printing.print_json({"study": name, "format": form, "file": str(output)})
    else:
        printing.line(f"Exported {name!r} to {output}.")


def _format(given: str | None, output: Path | None, json: bool) -> str:
    from prefero.errors import InputError

    if given is None:
        by_suffix = {".csv": "answers", ".zip": "zip"}
        return by_suffix.get("" if output is None else output.suffix.lower(), "json")
    if given not in FORMATS:
        raise InputError.of("format", given, ", ".join(FORMATS))
    if given == "zip" and output is None:
        raise InputError("--format zip: name the file to write with --output")
    if json and output is None and given in ("answers", "candidates"):
        raise InputError(f"--json: {given} are CSV; prefero history --json prints the answers as JSON")
    return given


def _exported(study: Study, form: str) -> str:
    import json as json_module

    from prefero import exchange

    if form == "json":
        return study.to_json()
    if form == "pairs":
        points, won = exchange.pairs(study)
        data = {"variables": list(study.space.names), "points": points.tolist(), "pairs": won.tolist()}
        return json_module.dumps(data, ensure_ascii=False, indent=1)
    return exchange.answers_csv(study) if form == "answers" else exchange.candidates_csv(study)


@command(
    "import",
    "Move",
    "prefero import line3.json",
    "prefero import line3.zip",
    "prefero import line3.json 'line 3, copy'",
    "prefero import answers.csv 'line 3'",
)
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A JSON, zip or CSV file; - reads JSON from standard input.")
    ],
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY",
            help="For JSON and zip, a new name of the study. For CSV, the study to add the comparisons to.",
            show_default=False,
        ),
    ] = None,
    judge: JudgeOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Import a study from JSON or zip, or comparisons from CSV.

    Comparisons are added to an existing study. If anything in the file is invalid, nothing is imported.
    """
    from prefero.cli.recipe import read_text
    from prefero.exchange.archive import LARGEST_JSON, read_archive

    match file.suffix.lower():
        case ".csv":
            _import_comparisons(read_text(file, LARGEST_CSV), file.name, study, judge, storage, json)
        case ".zip":
            with read_archive(file, name=study, storage=storage) as imported:
                _print_imported(imported, json)
        case _:
            _import_study(read_text(file, LARGEST_JSON), study, storage, json)


def _import_comparisons(text: str, source: str, name: str | None, who: str, storage: str, json: bool) -> None:
    from prefero import exchange

    with opened_study(name, storage) as study:
        before = len(study.history)
        exchange.import_csv(study, text, source=source, who=who)
        data: dict[str, Any] = {"study": study.settings.name, "imported": len(study.history) - before}
        data |= {"answers": study.history.answered, "expected": study.settings.comparisons}
    if json:
        printing.print_json(data)
    else:
        printing.line(f"Imported {printing.count(data['imported'], 'comparison')} into {data['study']!r}.")


def _import_study(text: str, name: str | None, storage: str, json: bool) -> None:
    from prefero.study import Study

    Study.from_json(text, name=name)  # check the file before a database is created
    with opened_storage(storage, create=True) as kept, Study.from_json(text, name=name, storage=kept) as study:
        _print_imported(study, json)


def _print_imported(study: Study, json: bool) -> None:
    answers, expected = study.history.answered, study.settings.comparisons
    if json:
        printing.print_json({"study": study.settings.name, "answers": answers, "expected": expected})
    else:
        printing.line(f"Imported {study.settings.name!r}: {printing.progress(answers, expected)}.")


@command("delete", "Move", "prefero delete 'line 3'", "prefero delete 'line 3' --yes")
def delete(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="The study's name.", autocompletion=study_names)],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Delete a study with all its answers, after asking."""
    with opened_storage(storage) as kept:
        with listing_studies(kept):
            kept.find(study)
        if not yes and not _confirmed(study, next(s.answers for s in kept.studies() if s.name == study)):
            printing.console(stderr=True).print("Not deleted.")
            raise typer.Exit(1)
        kept.delete(study)
    if json:
        printing.print_json({"deleted": study})
    else:
        printing.line(f"Deleted {study!r}.")


def _confirmed(name: str, answers: int) -> bool:
    from prefero.errors import InputError

    sys.stderr.write(
        f"Delete the study {name!r} with its {printing.count(answers, 'answer')}? This cannot be undone. [y/N] "
    )
    sys.stderr.flush()
    said = sys.stdin.readline()
    if not said:
        sys.stderr.write("\n")
        raise InputError("not deleted, because there is no input to confirm it; --yes deletes without asking")
    return said.strip().lower() in ("y", "yes")

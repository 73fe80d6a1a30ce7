"""Out and in: `export`, `import`, and away for good: `delete`."""

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
    chosen,
    command,
    kept_in,
    naming_others,
    not_there,
    study_names,
)

if TYPE_CHECKING:
    from prefero.study import Study

FORMATS = ("json", "answers", "candidates", "pairs")


def _formats(incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


@command(
    "export",
    "Move",
    "prefero export > line3.json",
    "prefero export 'line 3' -o line3.json",
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
            help="json (the whole study), answers or candidates (CSV), pairs (JSON, the winner first).",
            autocompletion=_formats,
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="A file to write to.")] = None,
    force: ForceOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Write a study out, for import or for other programs."""
    from prefero.storage.atomic import write

    form = _format(form, output, json)
    if output is not None:
        not_there(output, force)
    with chosen(study, storage) as opened:
        text = _exported(opened, form)
        name = opened.settings.name
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    write(output, text)
    if json:
        printing.as_json({"study": name, "format": form, "file": str(output)})
    else:
        printing.line(f"{name!r} is in {output}.")


def _format(given: str | None, output: Path | None, json: bool) -> str:
    from prefero.errors import InputError

    if given is None:
        return "answers" if output is not None and output.suffix == ".csv" else "json"
    if given not in FORMATS:
        raise InputError.of("format", given, ", ".join(FORMATS))
    if json and output is None and given in ("answers", "candidates"):
        raise InputError(f"--json: {given} are CSV; prefero history --json has the answers as JSON")
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
    "prefero import line3.json 'line 3, copy'",
    "prefero import answers.csv 'line 3'",
)
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON or CSV; - for JSON from standard input.")],
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY",
            help="JSON: what to call the study, its own name otherwise. CSV: the study that takes the comparisons.",
            show_default=False,
        ),
    ] = None,
    judge: JudgeOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Read a study that was exported, or comparisons from CSV.

    Comparisons are a warm start of a study that there is. All of a file is taken, or nothing.
    """
    from prefero.cli.recipe import read_text

    text = sys.stdin.read() if str(file) == "-" else read_text(file)
    if file.suffix.lower() == ".csv":
        _take_comparisons(text, file.name, study, judge, storage, json)
    else:
        _take_study(text, study, storage, json)


def _take_comparisons(text: str, source: str, name: str | None, who: str, storage: str, json: bool) -> None:
    from prefero import exchange

    with chosen(name, storage) as study:
        before = len(study.history)
        exchange.import_csv(study, text, source=source, who=who)
        data: dict[str, Any] = {"study": study.settings.name, "imported": len(study.history) - before}
        data |= {"answers": len(study.history), "expected": study.settings.comparisons}
    if json:
        printing.as_json(data)
    else:
        printing.line(f"{data['study']!r} has {printing.count(data['imported'], 'comparison')} more.")


def _take_study(text: str, name: str | None, storage: str, json: bool) -> None:
    from prefero.study import Study

    Study.from_json(text, name=name)  # it is one, before a database is made for it
    with kept_in(storage, create=True) as kept, Study.from_json(text, name=name, storage=kept) as study:
        data = {"study": study.settings.name, "answers": len(study.history), "expected": study.settings.comparisons}
    if json:
        printing.as_json(data)
    else:
        printing.line(
            f"{data['study']!r} is here: {printing.progress(len(study.history), study.settings.comparisons)}."
        )


@command("delete", "Move", "prefero delete 'line 3'", "prefero delete 'line 3' --yes")
def delete(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="The study's name; it has to be given.", autocompletion=study_names)
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Delete a study with all its answers, for good; asks first."""
    with kept_in(storage) as kept:
        with naming_others(kept):
            kept.find(study)
        if not yes and not _confirmed(study, next(s.answers for s in kept.studies() if s.name == study)):
            printing.console(stderr=True).print("Not deleted.")
            raise typer.Exit(1)
        kept.delete(study)
    if json:
        printing.as_json({"deleted": study})
    else:
        printing.line(f"{study!r} is gone.")


def _confirmed(name: str, answers: int) -> bool:
    from prefero.errors import InputError

    sys.stderr.write(f"Delete the study {name!r} with its {printing.count(answers, 'answer')}, for good? [y/N] ")
    sys.stderr.flush()
    said = sys.stdin.readline()
    if not said:
        sys.stderr.write("\n")
        raise InputError("not deleted: nobody is there to be asked; --yes deletes without asking")
    return said.strip().lower() in ("y", "yes")

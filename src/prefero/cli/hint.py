"""Say where to look: `hint`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.answer import IdOption
from prefero.cli.app import (
    STORAGE,
    JsonOption,
    JudgeOption,
    NoteOption,
    StorageOption,
    StudyArgument,
    command,
    opened_study,
)
from prefero.cli.numeric import number_option, whole_option
from prefero.cli.rate import OfStepOption, SetOption, SideOption, named_candidate

if TYPE_CHECKING:
    from prefero.study import Study


def _kinds(incomplete: str) -> list[str]:
    from prefero.answers.hint import HINTS  # the help must not wait for numpy

    return [kind for kind in HINTS if kind.startswith(incomplete)]


@command(
    "hint",
    "Answer",
    "prefero hint more dose",
    "prefero hint less dose 'line 3' --as Ada",
    "prefero hint near --questions 3",
    "prefero hint fix dose=18",
    "prefero hint free dose",
    "prefero hint try --set dose=18",
)
def hint(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="more or less of a variable, near, fix, free or try.", autocompletion=_kinds
        ),
    ],
    variable: Annotated[
        str | None,
        typer.Argument(metavar="VARIABLE", help="Of more, less, fix and free. fix also takes VARIABLE=VALUE."),
    ] = None,
    study: StudyArgument = None,
    side: SideOption = None,
    step: OfStepOption = None,
    values: SetOption = None,
    questions: Annotated[
        int | None, whole_option("--questions", low=1, about="How many questions near applies to; by default 5.")
    ] = None,
    within: Annotated[
        float | None,
        number_option("--within", low=0, about="How far near reaches, a share of each range; by default 0.1."),
    ] = None,
    judge: JudgeOption = "",
    answer_id: IdOption = None,
    note: NoteOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Say where to look next: a direction, a neighbourhood, a variable to keep, a candidate to try.

    Without a candidate, a hint is about the best one so far. The question, if one waits, still waits.
    """
    if kind in ("near", "try") and study is None:
        variable, study = None, variable  # the only word is the study's name
    with opened_study(study, storage) as opened:
        at: Any = None
        if side is not None or values or step is not None:
            at = named_candidate("hint", opened, judge, side, step, values or [])
        if kind == "fix" and variable is not None and "=" in variable:
            variable, at = _assigned(opened, variable, at)
        more: dict[str, Any] = {"n": questions, "within": within, "answer_id": answer_id, "note": note}
        record = opened.hint(kind, _about(kind, variable, at), at=at, judge=judge, **more)  # type: ignore[arg-type]
        said = getattr(record.event, "said", "try")
        if json:
            data = {"study": opened.settings.name, "kind": kind, "hint": said, "answers": opened.history.answered}
            printing.print_json(data | {"event": record.fields()})
            return
        candidate = getattr(record.event, "candidate", None) or getattr(record.event, "second", None)
        about = f" ({'at ' * (kind in ('more', 'less'))}{printing.setting(candidate)})" if candidate else ""
        printing.line(f"Saved: {printing.clean(said)}{about}.")


def _about(kind: str, variable: str | None, at: Any) -> Any:
    """Return the variable; InputError if the hint is about a candidate."""
    from prefero.errors import InputError

    if kind in ("near", "try") and variable is not None:
        raise InputError.of("VARIABLE", variable, f"nothing: {kind} is about a candidate; name it with --set or --side")
    if kind == "try" and at is None:
        raise InputError("hint: name the candidate to try, with --set NAME=VALUE or --side")
    return variable


def _assigned(study: Study, text: str, at: Any) -> tuple[str, dict[str, Any]]:
    """Return a variable and its value that were typed as NAME=VALUE."""
    from prefero.cli.settings import assignments
    from prefero.errors import InputError

    if at is not None:
        raise InputError("hint: give the value once, as fix NAME=VALUE or with a candidate")
    value = assignments("variable", [text], study.space)
    return next(iter(value)), value

"""Rate one candidate: `rate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.answer import IdOption, UnsureOption, current_question
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
from prefero.cli.numeric import whole_option

if TYPE_CHECKING:
    from prefero.study import Study

SideOption = Annotated[
    str | None, typer.Option("--side", metavar="SIDE", help="a, b, …: a candidate of the current question.")
]
OfStepOption = Annotated[
    int | None,
    whole_option("--step", about="The number of the question that --side belongs to; by default the current one."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A value of a candidate of your own; the others are those of the best."
    ),
]


@command(
    "rate",
    "Answer",
    "prefero rate 4 --side b",
    "prefero rate good 'line 3' --side a --step 7 --as Ada",
    "prefero rate 'very bad' --set dose=18 --set milk=oat",
)
def rate(
    level: Annotated[
        str, typer.Argument(metavar="LEVEL", help="A level of the scale: its number, 1 is worst, or its word.")
    ],
    study: StudyArgument = None,
    side: SideOption = None,
    step: OfStepOption = None,
    values: SetOption = None,
    judge: JudgeOption = "",
    answer_id: IdOption = None,
    unsure: UnsureOption = False,
    note: NoteOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Say how good one candidate is, from very bad (1) to very good (5).

    The question, if one waits, still waits. A new rating of a candidate replaces your old one.
    """
    with opened_study(study, storage) as opened:
        candidate = named_candidate("rate", opened, judge, side, step, values or [])
        more: dict[str, Any] = {"judge": judge, "answer_id": answer_id, "note": note, "sure": not unsure}
        event = opened.rate(candidate, level, **more).event
        said, scale = event.level, opened.settings.scale  # type: ignore[union-attr]
        if json:
            data = {"study": opened.settings.name, "candidate": event.candidate, "level": said}  # type: ignore[union-attr]
            printing.print_json(data | {"word": scale[said - 1], "answers": opened.history.answered})
            return
        printing.line(f"Saved: {printing.setting(candidate)} is {scale[said - 1]} ({said} of {len(scale)}).")


def named_candidate(what: str, study: Study, judge: str, side: str | None, step: int | None, values: list[str]) -> Any:
    """Return the candidate that the options name; InputError if they name none or two."""
    from prefero.cli.settings import assignments
    from prefero.errors import InputError, QuestionError

    if (side is None) == (not values) or (side is None and step is not None):
        raise InputError(f"{what}: name the candidate with --side, such as --side b, or with --set NAME=VALUE")
    if side is None:
        return study.space.candidate({**(study.best or {}), **assignments("set", values, study.space)})
    question = current_question(study, judge) if step is None else study.log.question(step)
    if question is None:
        raise QuestionError("no question is waiting; give the number of one with --step")
    candidate = question.sides.get(side.lower())
    if not candidate:  # a rating has no B
        shown = ", ".join(name for name, each in question.sides.items() if each)
        raise InputError.of("--side", side, f"a candidate of question {question.step}: {shown or 'it shows none'}")
    return candidate

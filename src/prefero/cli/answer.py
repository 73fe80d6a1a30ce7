"""One question, one answer, one command each: `ask`, `answer`, `skip`, `fail`, `undo`."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import printing
from prefero.cli.app import (
    STORAGE,
    JsonOption,
    JudgeOption,
    NoteOption,
    StepOption,
    StorageOption,
    StudyArgument,
    chosen,
    command,
)
from prefero.cli.numeric import number_option

if TYPE_CHECKING:
    from prefero.answers import Answer
    from prefero.study import Study
    from prefero.study.questions import Question

WORDS: tuple[Answer, ...] = ("a", "b", "same")
IdOption = Annotated[
    str | None, typer.Option("--id", metavar="TEXT", help="Your name for this answer: said twice, it counts once.")
]
ToOption = Annotated[
    Path | None,
    typer.Option("--to", metavar="FILE", help="The question as ask --json printed it, - for standard input."),
]
SecondsOption = Annotated[float | None, number_option("--seconds", low=0, about="How long the person looked.")]
NextOption = Annotated[bool, typer.Option("--next", help="Ask the next question at once.")]


def _answers(incomplete: str) -> list[str]:
    return [word for word in WORDS if word.startswith(incomplete)]


AnswerArgument = Annotated[str, typer.Argument(metavar="ANSWER", help="a, b or same.", autocompletion=_answers)]


@command("ask", "Answer", "prefero ask", "prefero ask 'line 3' --as Ada --json")
def ask(
    study: StudyArgument = None, judge: JudgeOption = "", storage: StorageOption = STORAGE, json: JsonOption = False
) -> None:
    """Show the question that waits, or choose the next one.

    It is the same one until it is answered or skipped.
    """
    with chosen(study, storage) as opened:
        _print_question(opened, opened.ask(judge), json)


def _print_question(study: Study, question: Question, json: bool) -> None:
    if json:
        printing.as_json(printing.question_data(study, question))
        return
    printing.print_question(study, question)
    printing.line("\nAnswer with: prefero answer a | b | same, or prefero skip.")


@command(
    "answer",
    "Answer",
    "prefero answer a",
    "prefero answer same 'line 3' --as Ada --note 'both too slow'",
    "prefero ask --json > q.json; prefero answer b --to q.json --id run-17",
)
def answer(
    answer: AnswerArgument,
    study: StudyArgument = None,
    judge: JudgeOption = "",
    step: StepOption = None,
    to: ToOption = None,
    answer_id: IdOption = None,
    seconds: SecondsOption = None,
    note: NoteOption = "",
    then: NextOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Answer the question that waits: a, b or same."""
    said = parse_answer(answer)
    with chosen(study, storage) as opened:
        more: dict[str, Any] = {"answer_id": answer_id, "seconds": seconds, "note": note}
        _say(opened, judge, step, to, answer_id, json, then, lambda question: opened.tell(question, said, **more))


@command("skip", "Answer", "prefero skip", "prefero skip --note 'no difference to be seen'")
def skip(
    study: StudyArgument = None,
    judge: JudgeOption = "",
    step: StepOption = None,
    to: ToOption = None,
    answer_id: IdOption = None,
    note: NoteOption = "",
    then: NextOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Say that you can't judge.

    That is not a tie, and the next question is another one.
    """
    with chosen(study, storage) as opened:
        more: dict[str, Any] = {"answer_id": answer_id, "note": note}
        _say(opened, judge, step, to, answer_id, json, then, lambda question: opened.skip(question, **more))


@command("fail", "Answer", "prefero fail b", "prefero fail a 'line 3' --note 'tripped the breaker'")
def fail(
    side: Annotated[str, typer.Argument(metavar="SIDE", help="a or b: the candidate that could not be tried.")],
    study: StudyArgument = None,
    judge: JudgeOption = "",
    step: StepOption = None,
    to: ToOption = None,
    answer_id: IdOption = None,
    note: NoteOption = "",
    then: NextOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Say that one candidate failed.

    It is never recommended, and nothing within 5 % of the box around it is proposed again.
    """
    with chosen(study, storage) as opened:
        more: dict[str, Any] = {"side": side.lower(), "answer_id": answer_id, "note": note}
        _say(opened, judge, step, to, answer_id, json, then, lambda question: opened.fail(question, **more))


@command("undo", "Answer", "prefero undo", "prefero undo 'line 3' --as Ada")
def undo(
    study: StudyArgument = None,
    judge: Annotated[
        str | None, typer.Option("--as", envvar="PREFERO_JUDGE", metavar="NAME", help="Whose last answer; anybody's.")
    ] = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Take the last answer back.

    Its question waits again, the same pair on the same sides.
    """
    with chosen(study, storage) as opened:
        question = opened.undo(judge)
        if json:
            waiting = None if question is None else printing.question_data(opened, question)
            printing.as_json({"study": opened.settings.name, "answers": len(opened.history), "waiting": waiting})
        elif question is None:
            printing.line("Taken back. That pair may not be shown any more: prefero ask chooses another one.")
        else:
            printing.line("Taken back. This question waits again:\n")
            printing.print_question(opened, question)


# What an answer is about -----------------------------------------------------------------------------------------------------


def parse_answer(typed: str) -> Answer:
    """Return the answer that somebody typed, in any case."""
    from prefero.errors import AnswerError

    for answer in WORDS:
        if typed.strip().lower() == answer:
            return answer
    raise AnswerError.of("answer", typed, "a, b or same")


def _say(
    study: Study,
    judge: str,
    step: int | None,
    to: Path | None,
    answer_id: str | None,
    json: bool,
    then: bool,
    tell: Callable[[Question | int], Any],
) -> None:
    """Tell about the question that is meant, and print what is known then."""
    question = _meant(study, judge, step, to, answer_id)
    record = tell(question)
    entry = next(e for e in study.answers if e.step == record.event.step)
    following = study.ask(judge) if then else None
    if json:
        data = {
            "study": study.settings.name,
            "step": entry.step,
            "answer": entry.answer,
            "answers": len(study.history),
            "expected": study.settings.comparisons,
        }
        printing.as_json(data | ({} if following is None else {"next": printing.question_data(study, following)}))
        return
    printing.line(
        f"Saved: {printing.ANSWER_LABELS[entry.answer]}. {printing.progress(len(study.history), study.settings.comparisons)}."
    )
    if following is not None:
        printing.line("")
        printing.print_question(study, following)


def _meant(study: Study, judge: str, step: int | None, to: Path | None, answer_id: str | None) -> Question | int:
    from prefero.errors import QuestionError

    if to is not None:
        return _from_json(study, to)
    if step is not None:
        return step
    question = study.waiting.get(judge)
    if question is None and answer_id is not None:
        for record in study.log.records:
            if record.answer_id == answer_id:  # it was said already, and what was said then is told
                return record.event.step  # type: ignore[union-attr]
    if question is None:
        whom = f" for {judge!r}" if judge else ""
        raise QuestionError(f"no question waits{whom}: prefero ask chooses one")
    return question


def _from_json(study: Study, path: Path) -> Question:
    """The question that `ask --json` printed, of this study and no other."""
    from prefero.cli.recipe import read_text
    from prefero.errors import InputError, QuestionError
    from prefero.study.questions import Question

    text = sys.stdin.read() if str(path) == "-" else read_text(path)
    try:
        data = json_module.loads(text)
        asked = Question(
            data["step"],
            study.space.candidate(data["a"]),
            study.space.candidate(data["b"]),
            data["note"],
            data["judge"],
        )
        owner = data["study"]
    except InputError as error:
        raise QuestionError(f"{path}: the question is not one of {study.settings.name!r}: {error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} does not hold a question as `prefero ask --json` prints it: {error!r}") from None
    if owner != study.settings.name:
        raise QuestionError(f"{path}: the question is one of the study {owner!r}, not of {study.settings.name!r}")
    return asked

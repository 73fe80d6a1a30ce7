"""Ask and answer one question at a time: `ask`, `answer`, `skip`, `fail`, `undo`."""

from __future__ import annotations

import json as json_module
import shlex
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
    command,
    opened_study,
)
from prefero.cli.numeric import number_option, whole_option
from prefero.cli.several import ORDER, how_to_answer, said_with_options

if TYPE_CHECKING:
    from prefero.storage.events import Record
    from prefero.study import Study
    from prefero.study.questions import Question
    from prefero.study.reasons import Suggestion
    from prefero.study.study import Word

WORDS: tuple[Word, ...] = ("a", "b", "same", "much a", "much b", "a unacceptable", "b unacceptable", "neither")
IdOption = Annotated[
    str | None,
    typer.Option("--id", metavar="TEXT", help="Your own id of this answer: if it is sent twice, it counts once."),
]
ToOption = Annotated[
    Path | None,
    typer.Option("--to", metavar="FILE", help="A file with the question from ask --json; - for standard input."),
]
SecondsOption = Annotated[float | None, number_option("--seconds", low=0, about="The response time in seconds.")]
RankOption = Annotated[
    str | None, typer.Option("--rank", metavar="b,a,…", help="Of more than two: all of them, best first.")
]
BestOption = Annotated[str | None, typer.Option("--best", metavar="SIDE", help="Of more than two: the best.")]
WorstOption = Annotated[str | None, typer.Option("--worst", metavar="SIDE", help="Of more than two: the worst.")]
PlaceOption = Annotated[
    int | None,
    whole_option("--place", low=1, about="Where the last one belongs among the others; 1 if it is the best."),
]
MuchOption = Annotated[bool, typer.Option("--much", help="It is much better.")]
UnsureOption = Annotated[bool, typer.Option("--unsure", help="You are not sure.")]
ReasonsOption = Annotated[
    str | None,
    typer.Option(
        "--reasons",
        envvar="PREFERO_REASONS",
        metavar="PROGRAM",
        help="A program that suggests hints from the note; nothing counts until you give them with prefero hint.",
    ),
]
NextOption = Annotated[bool, typer.Option("--next", help="Also ask the next question.")]


def _answers(incomplete: str) -> list[str]:
    return [word for word in WORDS if word.startswith(incomplete)]


ANSWER = typer.Argument(
    metavar="ANSWER",
    help="a, b or same; 'much a'; neither, if nobody would take either.",
    autocompletion=_answers,
    show_default=False,
)
AnswerArgument = Annotated[str, ANSWER]


@command("ask", "Answer", "prefero ask", "prefero ask 'line 3' --as Ada --json")
def ask(
    study: StudyArgument = None, judge: JudgeOption = "", storage: StorageOption = STORAGE, json: JsonOption = False
) -> None:
    """Show the current question.

    It stays the same until it is answered or skipped.
    """
    with opened_study(study, storage) as opened:
        _print_question(opened, opened.ask(judge), json)


def _print_question(study: Study, question: Question, json: bool) -> None:
    if json:
        printing.print_json(printing.question_data(study, question))
        return
    printing.print_question(study, question)
    printing.line(f"\nAnswer with: {how_to_answer(question)}, or prefero skip.")


@command(
    "answer",
    "Answer",
    "prefero answer a",
    "prefero answer b --much",
    "prefero answer a --unsure --note 'less noise, I think'",
    "prefero answer neither",
    "prefero answer --rank b,a,d,c",
    "prefero answer same 'line 3' --as Ada --note 'both too slow'",
    "prefero ask --json > q.json; prefero answer b --to q.json --id run-17",
)
def answer(
    answer: Annotated[str | None, ANSWER] = None,
    study: StudyArgument = None,
    much: MuchOption = False,
    rank: RankOption = None,
    best: BestOption = None,
    worst: WorstOption = None,
    place: PlaceOption = None,
    unsure: UnsureOption = False,
    judge: JudgeOption = "",
    step: StepOption = None,
    to: ToOption = None,
    answer_id: IdOption = None,
    seconds: SecondsOption = None,
    note: NoteOption = "",
    then: NextOption = False,
    reasons: ReasonsOption = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Answer the current question: a, b or same.

    A question about more than two candidates takes --best, --worst, both, --rank or --place; prefero ask says which.
    """
    if study is None and [rank, best, worst, place] != [None] * 4:
        answer, study = None, answer  # the only argument names the study
    if much and answer is None:
        from prefero.errors import InputError

        raise InputError.of("--much", much, "with the answer a or b to a question about two candidates")
    said = parse_answer(said_with_options(f"much {answer}" if much and answer else answer, rank, best, worst, place))
    with opened_study(study, storage) as opened:
        more: dict[str, Any] = {"answer_id": answer_id, "seconds": seconds, "note": note, "sure": not unsure}
        _record(
            opened,
            judge,
            step,
            to,
            answer_id,
            json,
            then,
            lambda question: opened.tell(question, said, **more),
            reasons,
        )


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
    """Skip the current question, because you can't judge.

    A skip is not a tie. The next question is about another pair.
    """
    with opened_study(study, storage) as opened:
        more: dict[str, Any] = {"answer_id": answer_id, "note": note}
        _record(opened, judge, step, to, answer_id, json, then, lambda question: opened.skip(question, **more))


@command("fail", "Answer", "prefero fail b", "prefero fail a 'line 3' --note 'tripped the breaker'")
def fail(
    side: Annotated[str, typer.Argument(metavar="SIDE", help="a, b, …: the candidate that failed.")],
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
    """Record that one candidate failed, so that the question cannot be answered.

    It is never recommended. Nothing within 1 % of the range around it is proposed again.
    """
    with opened_study(study, storage) as opened:
        more: dict[str, Any] = {"side": side.lower(), "answer_id": answer_id, "note": note}
        _record(opened, judge, step, to, answer_id, json, then, lambda question: opened.fail(question, **more))


@command("undo", "Answer", "prefero undo", "prefero undo 'line 3' --as Ada")
def undo(
    study: StudyArgument = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--as",
            envvar="PREFERO_JUDGE",
            metavar="NAME",
            help="The judge whose last answer to take back; by default anybody.",
        ),
    ] = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Take the last answer back.

    Its question is asked again, with the same pair on the same sides.
    """
    with opened_study(study, storage) as opened:
        question = opened.undo(judge)
        event = opened.log.events[-1]
        if json:
            waiting = None if question is None else printing.question_data(opened, question)
            printing.print_json({"study": opened.settings.name, "answers": opened.history.answered, "waiting": waiting})
        elif question is None and event.step < 0:  # type: ignore[union-attr]
            printing.line("Taken back.")
        elif question is None:
            printing.line("Taken back. That pair can no longer be shown; prefero ask chooses another one.")
        else:
            printing.line("Taken back. Please answer again:\n")
            printing.print_question(opened, question)


# Which question is answered ------------------------------------------------------------------------------------------


def parse_answer(typed: str) -> Any:
    """Return the answer that somebody typed, in any case."""
    from prefero.errors import AnswerError

    for answer in WORDS:
        if " ".join(typed.lower().split()) == answer:
            return answer
    if ORDER.fullmatch(" ".join(typed.lower().split())):
        return typed  # about more than two candidates: the question knows whether it takes it
    allowed = "a, b or same; much a or much b; a unacceptable, b unacceptable or neither"
    raise AnswerError.of("answer", typed, f"{allowed}; of more than two best c, worst d, b,a,d,c or place 2")


def _record(
    study: Study,
    judge: str,
    step: int | None,
    to: Path | None,
    answer_id: str | None,
    json: bool,
    then: bool,
    tell: Callable[[Question | int], Any],
    reasons: str | None = None,
) -> None:
    """Record a response to the chosen question with `tell`, and print the progress; `reasons` is a program that suggests hints."""
    suggesting = None if reasons is None else _suggesting(reasons)  # before anything is saved: it may not exist
    question = _find_question(study, judge, step, to, answer_id)
    record = tell(question)
    suggested = () if suggesting is None else suggesting(study, record)
    entry = next(e for e in study.answers if e.step == record.event.step)
    following = study.ask(judge) if then else None
    if json:
        data = {
            "study": study.settings.name,
            "step": entry.step,
            "answer": entry.answer,
            "answers": study.history.answered,
            "expected": study.settings.comparisons,
        }
        more = {} if suggesting is None else {"suggested": [vars(each) for each in suggested]}
        printing.print_json(
            data | more | ({} if following is None else {"next": printing.question_data(study, following)})
        )
        return
    printing.line(
        f"Saved: {printing.answer_label(entry.answer)}. {printing.progress(study.history.answered, study.settings.comparisons)}."
    )
    for each in suggested:
        why = f" ({printing.clean(each.why)})" if each.why else ""
        printing.line(
            f"Suggested: {printing.clean(each.words)}{why}. If you agree: {printing.clean(_confirming(each))}"
        )
    if following is not None:
        printing.line("")
        printing.print_question(study, following)


def _suggesting(program: str) -> Callable[[Study, Record], tuple[Suggestion, ...]]:
    """Return a function from an answer to the hints that a program suggests; none, and a warning, if it fails."""
    from prefero.cli.judges import REASONS_SECONDS, reasons_of
    from prefero.errors import JudgeError
    from prefero.study.reasons import suggestions

    reasons = reasons_of(program, REASONS_SECONDS)

    def suggesting(study: Study, record: Record) -> tuple[Suggestion, ...]:
        try:
            return suggestions(study, record, reasons)
        except JudgeError as error:  # the answer is saved already
            typer.echo(f"prefero: no hints were suggested: {printing.clean(str(error))}", err=True)
            return ()

    return suggesting


def _confirming(suggestion: Suggestion) -> str:
    """Return the command that gives a suggested hint."""
    words = ["prefero", "hint", suggestion.kind, *filter(None, [suggestion.variable])]
    for name, value in (suggestion.candidate or {}).items():
        words += ["--set", f"{name}={value}"]
    for option, number in (("--questions", suggestion.questions), ("--within", suggestion.within)):
        words += [] if number is None else [option, str(number)]
    return shlex.join(words)


def _find_question(
    study: Study, judge: str, step: int | None, to: Path | None, answer_id: str | None
) -> Question | int:
    from prefero.errors import QuestionError

    if to is not None:
        return _from_json(study, to)
    if step is not None:
        return step
    question = current_question(study, judge)
    if question is None and answer_id is not None:
        for record in study.log.records:
            if record.answer_id == answer_id:  # a repeated answer: `tell` returns the first record
                return record.event.step  # type: ignore[union-attr]
    if question is None:
        whom = f" for {judge!r}" if judge else ""
        raise QuestionError(f"no question is waiting{whom}; prefero ask asks one")
    return question


def current_question(study: Study, judge: str) -> Question | None:
    """Return the question that `ask` shows, the oldest one that waits for a judge; None if none does."""
    return next((question for question in study.waiting.values() if question.judge == judge), None)


def _from_json(study: Study, path: Path) -> Question:
    """Return the question that `ask --json` printed; it must belong to this study."""
    from prefero.answers import SIDES
    from prefero.cli.recipe import read_text
    from prefero.errors import InputError, QuestionError
    from prefero.study.questions import Question

    text = read_text(path)
    try:
        data = json_module.loads(text)
        a, b, *more = (study.space.candidate(data[side]) for side in SIDES if side in data or side in "ab")
        asked = Question(data["step"], a, b, data["note"], data["judge"], tuple(more), data.get("kind", "pair"))
        owner = data["study"]
    except InputError as error:
        raise QuestionError(f"{path}: the question does not belong to {study.settings.name!r}: {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} does not hold a question as `prefero ask --json` prints it: {error!r}") from None
    if owner != study.settings.name:
        raise QuestionError(f"{path}: the question belongs to the study {owner!r}, not to {study.settings.name!r}")
    return asked

"""`prefero solve`: let a function or a program answer instead of a person."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from prefero.cli import printing
from prefero.cli.app import STORAGE, JsonOption, JudgeOption, StorageOption, StudyArgument, command, opened_study
from prefero.cli.numeric import number_option, whole_option

if TYPE_CHECKING:
    from prefero.cli.judges import Judge
    from prefero.study import Study

MOST_UNDECIDED = 10
"""Stop after this many questions in a row without an answer."""


@dataclass
class Tally:
    """How many questions a judge answered, skipped and reported as failed."""

    answers: int = 0
    skipped: int = 0
    failed: int = 0


@command(
    "solve",
    "Answer",
    "prefero solve --judge near:gain=2,taps=4",
    "prefero solve --judge taste:prefer --answers 10",
    "prefero solve 'line 3' --judge './judge.sh --fast' --swap --timeout 30",
)
def solve(
    study: StudyArgument = None,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="JUDGE",
            help="near:NAME=VALUE,…, least:NAME, most:NAME; module:function; or a program that reads the question as "
            "JSON and prints a, b or same.",
        ),
    ] = "",
    answers: Annotated[
        int | None,
        whole_option("--answers", "-n", low=1, about="How many answers to give; by default as many as planned."),
    ] = None,
    swap: Annotated[
        bool, typer.Option("--swap", help="Ask in both orders; skip the question if the answers differ.")
    ] = False,
    timeout: Annotated[
        float, number_option("--timeout", low=0.001, about="The longest time in seconds that a program may take.")
    ] = 600.0,
    who: JudgeOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Let a function or a program answer.

    The program is started once for each question, without a shell. It reads the question as JSON and prints a, b, same, skip,
    a failed or b failed as its last line. You can stop at any time and continue later.
    """
    from prefero.cli.judges import ask_both_ways, judge_of
    from prefero.errors import InputError

    if not judge:
        raise InputError("solve: name the judge with --judge")
    with opened_study(study, storage) as opened:
        asked = judge_of(judge, opened, timeout)
        wanted = answers if answers is not None else max(0, opened.settings.comparisons - opened.history.answered)
        tally = Tally()
        try:
            with progress_bar(wanted) as advance:
                answer_all(opened, ask_both_ways(asked) if swap else asked, wanted, tally, who, advance)
        finally:
            _report(opened, tally, json)


def answer_all(
    study: Study, judge: Judge, wanted: int, tally: Tally, who: str = "", advance: Callable[[], None] = lambda: None
) -> None:
    """Let a judge give the wanted number of answers, or fewer if nothing is left to ask."""
    from prefero.answers import ANSWERS, is_order
    from prefero.cli.judges import DISAGREED
    from prefero.errors import ExhaustedError, JudgeError

    undecided = 0
    while tally.answers < wanted:
        try:
            question = study.ask(who)
        except ExhaustedError:
            return
        said = judge(printing.question_data(study, question))
        if said.endswith(" failed"):
            study.fail(question, said[0])  # type: ignore[arg-type]
            tally.failed += 1
        elif said in ("skip", DISAGREED):
            study.skip(question, note=said.removeprefix("skip"))
            tally.skipped += 1
        else:
            study.tell(question, said)  # type: ignore[arg-type]
            tally.answers += 1
            advance()
        undecided = 0 if said in ANSWERS or is_order(said) else undecided + 1
        if undecided == MOST_UNDECIDED:
            raise JudgeError(f"the judge left {MOST_UNDECIDED} questions in a row undecided")


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=printing.console(stderr=True), transient=True) as progress:
        task = progress.add_task("answers", total=total)
        yield lambda: progress.advance(task)


def _report(study: Study, tally: Tally, json: bool) -> None:
    best = study.best
    if json:
        data = {"study": study.settings.name, "given": tally.answers, "skipped": tally.skipped, "failed": tally.failed}
        data |= {"answers": study.history.answered, "expected": study.settings.comparisons}
        printing.print_json(data | {"best": None if best is None else dict(best)})
        return
    others = [f"{count} {what}" for count, what in ((tally.skipped, "skipped"), (tally.failed, "failed")) if count]
    printing.line(
        f"{', '.join([printing.count(tally.answers, 'answer') + ' given', *others])}; "
        f"{printing.progress(study.history.answered, study.settings.comparisons)} in all."
    )
    if best is not None:
        printing.line("Best so far:\n")
        printing.console().print(printing.candidate_table(study.space, best))

"""Questions of one's own choice: `review` lists answers to look at again, `probe` asks again, `enqueue` asks about a candidate."""

from __future__ import annotations

from typing import Annotated

import typer

from prefero.cli import printing
from prefero.cli.app import STORAGE, JsonOption, JudgeOption, StorageOption, StudyArgument, command, opened_study
from prefero.cli.numeric import step_option, whole_option
from prefero.cli.several import how_to_answer, what_to_answer

MostOption = Annotated[int, whole_option("--most", low=1, about="How many answers to list.")]
StepChoice = Annotated[
    int | None, step_option("--step", about="The question to ask again; without it, one candidate twice.")
]
WhomOption = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="The judge to ask; by default who was asked before.")
]


@command("review", "Look", "prefero review", "prefero review 'line 3' --most 5 --json")
def review(
    study: StudyArgument = None, most: MostOption = 3, storage: StorageOption = STORAGE, json: JsonOption = False
) -> None:
    """List the answers that deserve a second look, and whether a judge's taste has changed."""
    from prefero.insight import second_thoughts

    with opened_study(study, storage) as opened:
        found = second_thoughts(opened, most)
        if json:
            printing.print_json({"study": opened.settings.name} | found.to_dict())
            return
        printing.line(found.words)
        if found.looks:
            printing.line("")
            printing.console().print(printing.result_table(found.table))
            first = found.looks[0].entry.step
            step, answers = printing.step(first), what_to_answer(opened.log.question(first))
            printing.line(
                f"\nAsk again with: prefero probe --step {step}. Change it with: prefero correct {step} {answers}."
            )


@command("probe", "Answer", "prefero probe --step 7", "prefero probe 'line 3' --as Ada")
def probe(
    study: StudyArgument = None,
    step: StepChoice = None,
    judge: WhomOption = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Ask about an old pair again, with its sides swapped.

    Both answers count. If they differ, remove the one that was not meant: prefero remove STEP.
    Without --step, the best candidate is shown on both sides, to see whether the judge favours one.
    """
    with opened_study(study, storage) as opened:
        question = opened.probe(step, judge)
        if json:
            printing.print_json(printing.question_data(opened, question))
            return
        printing.print_question(opened, question)
        printing.line(f"\nAnswer with: {how_to_answer(question)} --step {question.step}, or prefero compare.")


@command("enqueue", "Answer", "prefero enqueue --set dose=18 --set milk=oat", "prefero enqueue --set dose=18 --as Ada")
def enqueue(
    study: StudyArgument = None,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A value of the candidate; the others are those of the best."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against", metavar="NAME=VALUE", help="A value of the other candidate, instead of the best one."
        ),
    ] = None,
    judge: JudgeOption = "",
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Ask about a candidate of your own next, against the best one so far or another one."""
    from prefero.cli.settings import assignments
    from prefero.errors import InputError

    with opened_study(study, storage) as opened:
        chosen = assignments("set", values or [], opened.space)
        if not chosen:
            raise InputError("enqueue: give the candidate's values with --set NAME=VALUE")
        best = dict(opened.best or {})
        other = {**best, **assignments("against", against, opened.space)} if against else None
        question = opened.enqueue({**best, **chosen}, judge, against=other)
        if json:
            printing.print_json(printing.question_data(opened, question))
            return
        printing.print_question(opened, question)
        printing.line(f"\nAnswer with: {how_to_answer(question)} --step {question.step}, or prefero compare.")

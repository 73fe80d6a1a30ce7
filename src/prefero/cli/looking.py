"""What is known: `studies`, `status`, `result`, `history`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import show
from prefero.cli.app import (
    STORAGE,
    ForceOption,
    JsonOption,
    StorageOption,
    StudyArgument,
    chosen,
    command,
    kept_in,
    not_there,
)

if TYPE_CHECKING:
    from prefero.study import Study


@command("studies", "Look", "prefero studies", "prefero studies --storage postgresql://plant@db/tuning --json")
def studies(storage: StorageOption = STORAGE, json: JsonOption = False) -> None:
    """List the studies, in the order they were made."""
    with kept_in(storage) as kept:
        found = kept.studies()
    if json:
        show.as_json([vars(summary) for summary in found])
    elif not found:
        show.line("There is no study yet: prefero new makes one.")
    else:
        table = show.table("study", "answers", "proposer", "made", "last")
        for s in found:
            table.add_row(
                show.clean(s.name), f"{s.answers} of {s.expected}", s.proposer, show.when(s.created), show.when(s.last)
            )
        show.console().print(table)


@command("status", "Look", "prefero status", "prefero status 'line 3' --json")
def status(study: StudyArgument = None, storage: StorageOption = STORAGE, json: JsonOption = False) -> None:
    """Show how far a study is, and what waits."""
    with chosen(study, storage) as opened:
        data = _status(opened)
        if json:
            show.as_json(data)
            return
        table = show.table("", "")
        table.show_header = False
        table.add_row("study", show.clean(opened.name))
        table.add_row("question", show.clean(opened.question))
        table.add_row("answers", f"{opened.n_comparisons} of about {opened.comparisons}")
        if opened.contradictions:
            table.add_row("contradictions", str(opened.contradictions))
        if any(opened.judges):
            table.add_row("judges", show.clean(", ".join(judge or show.NOT_NAMED for judge in opened.judges)))
        table.add_row("waiting", _waiting(data["waiting"]))
        table.add_row("proposer", str(data["proposer"]["name"]))
        table.add_row("best so far", show.setting(opened.best) if opened.best else "nothing was answered yet")
        show.console().print(table)


def _status(study: Study) -> dict[str, Any]:
    judges = dict.fromkeys(["", *study.judges, *(getattr(event, "judge", "") for event in study.events)])
    waiting = [question for judge in judges if (question := study.waiting_for(judge))]
    return {
        "study": study.name,
        "question": study.question,
        "answers": study.n_comparisons,
        "expected": study.comparisons,
        "contradictions": study.contradictions,
        "judges": list(study.judges),
        "waiting": [show.question_data(study, question) for question in waiting],
        "proposer": study.proposer.to_dict(),
        "seed": study.seed,
        "best": None if study.best is None else dict(study.best),
        "created": study.records[0].time,
        "last": study.records[-1].time,
    }


def _waiting(questions: list[dict[str, Any]]) -> str:
    if not questions:
        return "no question: prefero ask chooses one"
    return show.clean(
        ", ".join(f"question {q['step']}" + (f" for {q['judge']}" if q["judge"] else "") for q in questions)
    )


@command(
    "result",
    "Look",
    "prefero result",
    "prefero result 'line 3' --by Ada",
    "prefero result --details --json",
    "prefero result --save report.html",
)
def result(
    study: StudyArgument = None,
    judge: Annotated[str | None, typer.Option("--by", metavar="NAME", help="By one judge's answers alone.")] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also whether to stop, and which variables matter.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FILE", help="Save it with its figures: report.html for people, .json for programs."
        ),
    ] = None,
    force: ForceOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Show the recommended setting.

    With several judges, also each one's and where they disagree.
    """
    from prefero.errors import InputError

    if file is not None:
        _save(study, storage, file, force, judge, json)
        return
    with chosen(study, storage) as opened:
        if not opened.n_comparisons:
            raise InputError(f"{opened.name!r} has no answer yet: there is nothing to recommend")
        _answered(opened, judge)
        standing = opened.result(judge)
        several = judge is None and len(opened.judges) > 1
        standings = [opened.result(name) for name in opened.judges] if several else []
        disagreements = opened.disagreements() if several else ()
        more = _details(opened) if details else {}
        if json:
            data = {"study": opened.name} | vars(standing) | more
            if several:
                data |= {"judges": [vars(s) for s in standings], "disagreements": [vars(d) for d in disagreements]}
            show.as_json(data)
            return
        whose = f"{judge or 'nobody named'}'s " if judge is not None else ""
        show.line(f"Best by {whose}{show.count(standing.answers, 'answer')}:\n")
        assert standing.best is not None  # there are answers
        show.console().print(show.single(opened.space, standing.best))
        if standing.contradictions:
            show.line(f"\n{show.count(standing.contradictions, 'answer')} in contradiction with others.")
        _print_judges(standings, disagreements)
        _print_details(more)


def _answered(study: Study, judge: str | None) -> None:
    """Refuse a judge who said nothing, and name those who did."""
    from prefero.errors import InputError

    if judge is None or judge in study.judges:
        return
    named = [name for name in study.judges if name]
    if not named:
        raise InputError.of("--by", judge, "nothing, where nobody who answered gave a name")
    raise InputError.of("--by", judge, f"somebody who answered: {show.some(named)}")


def _save(name: str | None, storage: str, file: Path, force: bool, judge: str | None, json: bool) -> None:
    from prefero.errors import InputError

    if judge is not None:
        raise InputError("--save: the report is by everybody's answers and shows each judge's; leave out --by")
    try:
        from prefero import report
    except ImportError as error:
        raise InputError(f"--save: {error}") from None
    not_there(file, force)
    with chosen(name, storage) as opened:
        report.save(opened, file)
        if json:
            show.as_json({"study": opened.name, "answers": opened.n_comparisons, "file": str(file)})
        else:
            show.line(f"The result of {opened.name!r} by {show.count(opened.n_comparisons, 'answer')} is in {file}.")


def _print_judges(standings: Any, disagreements: Any) -> None:
    out = show.console()
    if standings:
        table = show.table("judge", "answers", "best by these alone")
        for s in standings:
            table.add_row(show.clean(s.judge or show.NOT_NAMED), str(s.answers), show.setting(s.best) if s.best else "")
        out.print()
        out.print(table)
    if disagreements:
        table = show.table("they disagree about A", "and B", "said")
        for d in disagreements:
            said = "; ".join(f"{judge or show.NOT_NAMED}: {show.SAID[answer]}" for judge, answer in d.said.items())
            table.add_row(show.setting(d.a), show.setting(d.b), show.clean(said))
        out.print()
        out.print(table)


def _details(study: Study) -> dict[str, Any]:
    advice = study.advice()
    return {"advice": vars(advice), "importance": study.importance()}


def _print_details(more: dict[str, Any]) -> None:
    if not more:
        return
    show.line(f"\n{more['advice']['reason']}")
    table = show.table("variable", "importance", right=("importance",))
    for name, share in more["importance"].items():
        table.add_row(show.clean(name), f"{share:.0%}")
    show.line("")
    show.console().print(table)


@command("history", "Look", "prefero history", "prefero history 'line 3' --all", "prefero history --events --json")
def history(
    study: StudyArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what was undone or removed.")] = False,
    events: Annotated[bool, typer.Option("--events", help="The log itself: every event, as it was stored.")] = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Show what was said, question by question."""
    with chosen(study, storage) as opened:
        if events:
            _print_events(opened, json)
            return
        entries = [e for e in opened.answers if everything or e.status == "effective"]
        if json:
            show.as_json([vars(entry) for entry in entries])
            return
        imported = _imported(opened)
        if not entries:
            show.line(f"{imported}; nothing was answered here yet." if imported else "Nothing was answered yet.")
            return
        table = show.table("step", "A", "B", "said", "who", "when", "", right=("step",))
        for e in entries:
            marks = [e.status] * (e.status != "effective") + ["corrected"] * e.corrected
            marks += ["contradicts others"] * e.contradicts + [f"“{e.note}”"] * bool(e.note)
            cells = (show.setting(e.a), show.setting(e.b), show.SAID[e.answer], show.clean(e.who), show.when(e.time))
            table.add_row(str(e.step), *cells, show.clean(", ".join(marks)))
        show.console().print(table)
        if imported:
            show.line(f"Besides, {imported}.")


def _imported(study: Study) -> str:
    """How many comparisons came from a file, in words; "" for none."""
    answered = sum(e.status == "effective" and e.answer in ("a", "same", "b") for e in study.answers)
    count = study.n_comparisons - answered
    return f"{show.count(count, 'comparison')} {'was' if count == 1 else 'were'} imported" if count > 0 else ""


def _print_events(study: Study, json: bool) -> None:
    if json:
        rows = [
            {"sequence": r.sequence, "time": r.time, "who": r.who, "prefero": r.prefero, "event": r.kind} | r.fields()
            for r in study.records
        ]
        show.as_json(rows)
        return
    table = show.table("event", "when", "who", "what", right=("event",))
    for r in study.records:
        step = getattr(r.event, "step", None)
        what = r.kind if step is None else f"{r.kind}: question {step}"
        said = getattr(r.event, "answer", "")
        cells = (show.when(r.time), show.clean(r.who), what + (f", {said}" if said else ""))
        table.add_row(str(r.sequence), *cells)
    show.console().print(table)

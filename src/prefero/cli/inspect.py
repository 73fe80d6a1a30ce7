"""What is known: `studies`, `status`, `result`, `history`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefero.cli import printing
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
        printing.as_json([vars(summary) for summary in found])
    elif not found:
        printing.line("There is no study yet: prefero new makes one.")
    else:
        table = printing.table("study", "answers", "proposer", "made", "last")
        for s in found:
            table.add_row(
                printing.clean(s.name),
                f"{s.answers} of {s.expected}",
                s.proposer,
                printing.when(s.created),
                printing.when(s.last),
            )
        printing.console().print(table)


@command("status", "Look", "prefero status", "prefero status 'line 3' --json")
def status(study: StudyArgument = None, storage: StorageOption = STORAGE, json: JsonOption = False) -> None:
    """Show how far a study is, and what waits."""
    with chosen(study, storage) as opened:
        data = _status(opened)
        if json:
            printing.as_json(data)
            return
        table = printing.table("", "")
        table.show_header = False
        table.add_row("study", printing.clean(opened.settings.name))
        table.add_row("question", printing.clean(opened.settings.question))
        table.add_row("answers", f"{len(opened.history)} of about {opened.settings.comparisons}")
        if data["contradictions"]:
            table.add_row("contradictions", str(data["contradictions"]))
        if any(data["judges"]):
            table.add_row("judges", printing.clean(", ".join(judge or printing.NOT_NAMED for judge in data["judges"])))
        table.add_row("waiting", _waiting(data["waiting"]))
        table.add_row("proposer", str(data["proposer"]["name"]))
        table.add_row("best so far", printing.setting(opened.best) if opened.best else "nothing was answered yet")
        printing.console().print(table)


def _status(study: Study) -> dict[str, Any]:
    from prefero.answers import contradictions
    from prefero.insight.agreement import judge_names

    return {
        "study": study.settings.name,
        "question": study.settings.question,
        "answers": len(study.history),
        "expected": study.settings.comparisons,
        "contradictions": contradictions(study.history.comparisons),
        "judges": list(judge_names(study)),
        "waiting": [printing.question_data(study, question) for question in study.waiting.values()],
        "proposer": study.proposer.to_dict(),
        "seed": study.settings.seed,
        "best": None if study.best is None else dict(study.best),
        "created": study.log.records[0].time,
        "last": study.log.records[-1].time,
    }


def _waiting(questions: list[dict[str, Any]]) -> str:
    if not questions:
        return "no question: prefero ask chooses one"
    return printing.clean(
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
    from prefero.insight import agreement

    if file is not None:
        _save(study, storage, file, force, judge, json)
        return
    with chosen(study, storage) as opened:
        if not len(opened.history):
            raise InputError(f"{opened.settings.name!r} has no answer yet: there is nothing to recommend")
        _answered(opened, judge)
        standing = agreement.standing(opened, judge)
        names = agreement.judge_names(opened)
        several = judge is None and len(names) > 1
        standings = [agreement.standing(opened, name) for name in names] if several else []
        disagreements = agreement.disagreements(opened) if several else ()
        more = _details(opened) if details else {}
        if json:
            data = {"study": opened.settings.name} | vars(standing) | more
            if several:
                data |= {"judges": [vars(s) for s in standings], "disagreements": [vars(d) for d in disagreements]}
            printing.as_json(data)
            return
        whose = f"{judge or 'nobody named'}'s " if judge is not None else ""
        printing.line(f"Best by {whose}{printing.count(standing.answers, 'answer')}:\n")
        assert standing.best is not None  # there are answers
        printing.console().print(printing.single(opened.space, standing.best))
        if standing.contradictions:
            printing.line(f"\n{printing.count(standing.contradictions, 'answer')} in contradiction with others.")
        _print_judges(standings, disagreements)
        _print_details(more)


def _answered(study: Study, judge: str | None) -> None:
    """Refuse a judge who said nothing, and name those who did."""
    from prefero.errors import InputError
    from prefero.insight.agreement import judge_names

    names = judge_names(study)
    if judge is None or judge in names:
        return
    named = [name for name in names if name]
    if not named:
        raise InputError.of("--by", judge, "nothing, where nobody who answered gave a name")
    raise InputError.of("--by", judge, f"somebody who answered: {printing.some(named)}")


def _save(name: str | None, storage: str, file: Path, force: bool, judge: str | None, json: bool) -> None:
    from prefero.errors import InputError

    if judge is not None:
        raise InputError("--save: the report is by everybody's answers and shows each judge's; leave out --by")
    try:
        from prefero.insight import report
    except ImportError as error:
        raise InputError(f"--save: {error}") from None
    not_there(file, force)
    with chosen(name, storage) as opened:
        report.save(opened, file)
        if json:
            printing.as_json({"study": opened.settings.name, "answers": len(opened.history), "file": str(file)})
        else:
            printing.line(
                f"The result of {opened.settings.name!r} by {printing.count(len(opened.history), 'answer')} is in {file}."
            )


def _print_judges(standings: Any, disagreements: Any) -> None:
    out = printing.console()
    if standings:
        table = printing.table("judge", "answers", "best by these alone")
        for s in standings:
            table.add_row(
                printing.clean(s.judge or printing.NOT_NAMED),
                str(s.answers),
                printing.setting(s.best) if s.best else "",
            )
        out.print()
        out.print(table)
    if disagreements:
        table = printing.table("they disagree about A", "and B", "said")
        for d in disagreements:
            said = "; ".join(
                f"{judge or printing.NOT_NAMED}: {printing.ANSWER_LABELS[answer]}" for judge, answer in d.said.items()
            )
            table.add_row(printing.setting(d.a), printing.setting(d.b), printing.clean(said))
        out.print()
        out.print(table)


def _details(study: Study) -> dict[str, Any]:
    advice = study.learned.advice()
    return {"advice": vars(advice), "importance": study.learned.importance()}


def _print_details(more: dict[str, Any]) -> None:
    if not more:
        return
    printing.line(f"\n{more['advice']['reason']}")
    table = printing.table("variable", "importance", right=("importance",))
    for name, share in more["importance"].items():
        table.add_row(printing.clean(name), f"{share:.0%}")
    printing.line("")
    printing.console().print(table)


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
            printing.as_json([vars(entry) for entry in entries])
            return
        imported = _imported(opened)
        if not entries:
            printing.line(f"{imported}; nothing was answered here yet." if imported else "Nothing was answered yet.")
            return
        table = printing.table("step", "A", "B", "said", "who", "when", "", right=("step",))
        for e in entries:
            marks = [e.status] * (e.status != "effective") + ["corrected"] * e.corrected
            marks += ["contradicts others"] * e.contradicts + [f"“{e.note}”"] * bool(e.note)
            cells = (
                printing.setting(e.a),
                printing.setting(e.b),
                printing.ANSWER_LABELS[e.answer],
                printing.clean(e.who),
                printing.when(e.time),
            )
            table.add_row(str(e.step), *cells, printing.clean(", ".join(marks)))
        printing.console().print(table)
        if imported:
            printing.line(f"Besides, {imported}.")


def _imported(study: Study) -> str:
    """How many comparisons came from a file, in words; "" for none."""
    answered = sum(e.status == "effective" and e.answer in ("a", "same", "b") for e in study.answers)
    count = len(study.history) - answered
    return f"{printing.count(count, 'comparison')} {'was' if count == 1 else 'were'} imported" if count > 0 else ""


def _print_events(study: Study, json: bool) -> None:
    if json:
        rows = [
            {"sequence": r.sequence, "time": r.time, "who": r.who, "prefero": r.prefero, "event": r.kind} | r.fields()
            for r in study.log.records
        ]
        printing.as_json(rows)
        return
    table = printing.table("event", "when", "who", "what", right=("event",))
    for r in study.log.records:
        step = getattr(r.event, "step", None)
        what = r.kind if step is None else f"{r.kind}: question {step}"
        said = getattr(r.event, "answer", "")
        cells = (printing.when(r.time), printing.clean(r.who), what + (f", {said}" if said else ""))
        table.add_row(str(r.sequence), *cells)
    printing.console().print(table)

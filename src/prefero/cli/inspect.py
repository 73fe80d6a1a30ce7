"""Look at studies: `studies`, `status`, `result`, `history`."""

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
    check_overwrite,
    command,
    opened_storage,
    opened_study,
)

if TYPE_CHECKING:
    from prefero.insight import Judges, PanelFound
    from prefero.study import Study


@command("studies", "Look", "prefero studies", "prefero studies --storage postgresql://plant@db/tuning --json")
def studies(storage: StorageOption = STORAGE, json: JsonOption = False) -> None:
    """List the studies, oldest first."""
    with opened_storage(storage) as kept:
        found = kept.studies()
    if json:
        printing.print_json([vars(summary) for summary in found])
    elif not found:
        printing.line("There is no study yet; prefero new creates one.")
    else:
        table = printing.table("study", "answers", "proposer", "created", "last change")
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
    """Show the progress of a study and the questions that wait."""
    with opened_study(study, storage) as opened:
        data = _status(opened)
        if json:
            printing.print_json(data)
            return
        table = printing.table("", "")
        table.show_header = False
        table.add_row("study", printing.clean(opened.settings.name))
        table.add_row("question", printing.clean(opened.settings.question))
        table.add_row("answers", _answers(opened))
        if data["contradictions"]:
            table.add_row("contradictions", str(data["contradictions"]))
        if any(data["judges"]):
            table.add_row("judges", printing.clean(", ".join(judge or printing.NOT_NAMED for judge in data["judges"])))
        table.add_row("waiting", _waiting(data["waiting"]))
        table.add_row("proposer", str(data["proposer"]["name"]))
        table.add_row("best so far", _best(opened))
        printing.console().print(table)


def _answers(study: Study) -> str:
    imported = _imported(study)
    return f"{study.history.answered} of about {study.settings.comparisons}" + (f"; {imported}" if imported else "")


def _best(study: Study) -> str:
    if study.best is not None:
        return printing.setting(study.best)
    return "none within the current bounds" if len(study.history) else "no answers yet"


def _status(study: Study) -> dict[str, Any]:
    from prefero.answers import contradictions
    from prefero.insight.agreement import judge_names

    return {
        "study": study.settings.name,
        "question": study.settings.question,
        "answers": study.history.answered,
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
        return "no question; prefero ask asks one"
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
    judge: Annotated[
        str | None, typer.Option("--by", metavar="NAME", help="Use only the answers of this judge.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also show whether to stop, and which variables matter.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FILE", help="Save a report with figures: .html for people, .json for programs."
        ),
    ] = None,
    force: ForceOption = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Show the recommended setting.

    With several judges, also show each judge's recommendation and the pairs they disagree about.
    """
    from prefero.errors import InputError
    from prefero.insight import Judges, PanelFound, agreement, judges, panel

    if file is not None:
        _save(study, storage, file, force, judge, json)
        return
    with opened_study(study, storage) as opened:
        if not len(opened.history):
            raise InputError(f"{opened.settings.name!r} has no answers yet; give some with prefero compare")
        _check_judge(opened, judge)
        standing = agreement.standing(opened, judge)
        if standing.best is None:
            raise InputError(
                "no candidate that was compared lies within the current bounds and constraints: answer more"
            )
        found = judges(opened) if judge is None else Judges((), ())
        together = panel(opened) if judge is None else PanelFound()
        more = _details(opened) if details else {}
        if json:
            data = {"study": opened.settings.name} | vars(standing) | more
            if found.standings:
                data["judges"] = [vars(standing) for standing in found.standings]
                data["disagreements"] = [vars(disagreement) for disagreement in found.disagreements]
            if together.members:
                data["panel"] = together.to_dict()
            printing.print_json(data)
            return
        whose = f"{judge or 'unnamed'}'s " if judge is not None else ""
        printing.line(f"Recommended after {whose}{printing.count(standing.answers, 'answer')}:\n")
        printing.console().print(printing.candidate_table(opened.space, standing.best))
        if standing.contradictions:
            verb = "contradicts" if standing.contradictions == 1 else "contradict"
            printing.line(f"\n{printing.count(standing.contradictions, 'answer')} {verb} other answers.")
        _print_judges(found)
        _print_panel(together)
        _print_details(more)


def _check_judge(study: Study, judge: str | None) -> None:
    """Raise an InputError if the judge gave no answers."""
    from prefero.errors import InputError
    from prefero.insight.agreement import judge_names

    names = judge_names(study)
    if judge is None or judge in names:
        return
    named = [name for name in names if name]
    if not named:
        raise InputError.of("--by", judge, "no name, because none of the judges has one; leave out --by")
    raise InputError.of("--by", judge, f"one of the judges who answered: {printing.first_names(named)}")


def _save(name: str | None, storage: str, file: Path, force: bool, judge: str | None, json: bool) -> None:
    from prefero.errors import InputError

    if judge is not None:
        raise InputError("--save: the report always uses everybody's answers; leave out --by")
    try:
        from prefero.insight import report
    except ImportError as error:
        raise InputError(f"--save: {error}") from None
    check_overwrite(file, force)
    with opened_study(name, storage) as opened:
        report.save(opened, file)
        if json:
            printing.print_json({"study": opened.settings.name, "answers": opened.history.answers, "file": str(file)})
        else:
            printing.line(
                f"Saved the result of {opened.settings.name!r} after {printing.count(opened.history.answers, 'answer')} to {file}."
            )


def _print_judges(found: Judges) -> None:
    if not found.standings:
        return
    printing.line(f"\n{found.words}\n")
    printing.console().print(printing.result_table(found.table))
    if found.disagreements:
        printing.line("")
        printing.console().print(printing.result_table(found.pairs))


def _print_panel(found: PanelFound) -> None:
    if not found.members:
        return
    printing.line(f"\n{found.words}\n")
    for table in (found.table, found.recommended):
        printing.console().print(printing.result_table(table))


def _details(study: Study) -> dict[str, Any]:
    advice = study.learned.advice()
    return {"advice": vars(advice), "importance": study.learned.importance()}


def _print_details(more: dict[str, Any]) -> None:
    from prefero.insight import tables

    if not more:
        return
    printing.line(f"\n{more['advice']['reason']}")
    table = printing.table("variable", "importance", right=("importance",))
    for name, size in more["importance"].items():
        table.add_row(printing.clean(name), tables.share(size))
    printing.line("")
    printing.console().print(table)


@command("history", "Look", "prefero history", "prefero history 'line 3' --all", "prefero history --events --json")
def history(
    study: StudyArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="Include answers that were undone or removed.")] = False,
    events: Annotated[bool, typer.Option("--events", help="Show the log: every event as it was stored.")] = False,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Show all answers, question by question; imported ones are numbered i1, i2, …"""
    with opened_study(study, storage) as opened:
        if events:
            _print_events(opened, json)
            return
        entries = [e for e in opened.answers if everything or e.status == "effective"]
        if json:
            printing.print_json([vars(entry) for entry in entries])
            return
        if not entries:
            printing.line("No answers yet.")
            return
        table = printing.table("step", "A", "B", "answer", "who", "when", "", right=("step",))
        for e in entries:
            marks = [e.status] * (e.status != "effective") + ["corrected"] * e.corrected + ["not sure"] * (not e.sure)
            marks += (
                [f"from {e.source}"] * bool(e.source)
                + ["contradicts others"] * e.contradicts
                + [f"“{e.note}”"] * bool(e.note)
            )
            cells = (
                printing.setting(e.a),
                "; ".join(
                    [
                        printing.setting(e.b),
                        *(f"{s}: {printing.setting(c)}" for s, c in zip("CDEF", e.more, strict=False)),
                    ]
                ),
                printing.answer_label(e.answer),
                printing.clean(e.who),
                printing.when(e.time),
            )
            table.add_row(printing.step(e.step), *cells, printing.clean(", ".join(marks)))
        printing.console().print(table)


def _imported(study: Study) -> str:
    """Return how many comparisons were imported, in words; "" if none were."""
    count = study.history.answers - study.history.answered
    return f"{printing.count(count, 'comparison')} {'was' if count == 1 else 'were'} imported" if count > 0 else ""


def _print_events(study: Study, json: bool) -> None:
    if json:
        rows = [
            {"sequence": r.sequence, "time": r.time, "who": r.who, "prefero": r.prefero, "event": r.kind} | r.fields()
            for r in study.log.records
        ]
        printing.print_json(rows)
        return
    table = printing.table("event", "when", "who", "what", right=("event",))
    for r in study.log.records:
        step = getattr(r.event, "step", None)
        what = r.kind if step is None else f"{r.kind}: {printing.about(step)}"
        said = getattr(r.event, "answer", "")
        cells = (printing.when(r.time), printing.clean(r.who), what + (f", {said}" if said else ""))
        table.add_row(str(r.sequence), *cells)
    printing.console().print(table)

"""Results as plain data: numbers, figures and the report. `python -P -m prefero.web.results` computes them in a helper process.

Figures take seconds: drawn by the server itself, they would keep everybody's next pair waiting. All results come from the
posterior, whichever proposer asked: the paper's own surrogate is not meant as a utility.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from prefero.answers import contradictions
from prefero.errors import FormatError, InputError
from prefero.models.advice import SIDED
from prefero.study import Study
from prefero.web.worker_process import serve

if TYPE_CHECKING:
    from prefero.insight import Table, Verdict
    from prefero.insight.report import Exhibit

MOST_RANKED = 20
"""The most candidates in a ranking."""
POINTS = 25
"""The values of a slice in `insight`: as many as a small curve needs."""
NOTHING: dict[str, Any] = {"advice": None, "runner_up": None, "ranking": [], "importance": {}, "slices": []}


# Numbers --------------------------------------------------------------------------------------------------------------


def insight(study: Study) -> dict[str, Any]:
    """Return stopping advice, ranking, importance of the variables, and how consistent the answers are."""
    from prefero.insight import panel  # only here: importing it is slow

    found = panel(study)
    more = {"person": _person(study), "panel": found.to_dict() if found.members else None}
    return (_learned(study) if len(study.history) else NOTHING) | more


def _learned(study: Study) -> dict[str, Any]:
    means, spreads = study.learned.utilities(study.candidates)
    best = study.best
    seen = [k for k, candidate in enumerate(study.candidates) if candidate != best]
    order = sorted(seen, key=lambda k: -means[k])
    first = [k for k, candidate in enumerate(study.candidates) if candidate == best]
    ranking = [
        {"candidate": dict(study.candidates[k]), "utility": float(means[k]), "spread": float(spreads[k])}
        for k in (first + order)[:MOST_RANKED]
    ]
    return {
        "advice": advice(study),
        "runner_up": _runner_up(study, order[0]) if first and order else None,
        "ranking": ranking,
        "importance": study.learned.importance(),
        "slices": _slices(study),
    }


def _slices(study: Study) -> list[dict[str, Any]]:
    """Return the utility along each variable of a space; the rows of a catalogue have no order to draw them in."""
    from prefero.insight import slices

    shown = ("name", "unit", "kind", "values", "utility", "spread", "at")
    return [{key: getattr(part, key) for key in shown} for part in slices(study, POINTS) if part.kind != "row"]


def second_thoughts(study: Study) -> dict[str, Any]:
    """Return the answers that deserve a second look, and whether a judge's taste has changed."""
    from prefero import insight  # only here: importing it is slow

    return insight.second_thoughts(study).to_dict()


def advice(study: Study) -> Any:
    """Return whether to stop, with the reason; None before two feasible candidates were compared."""
    try:
        found = study.learned.advice()
    except InputError:  # nothing to compare yet
        return None
    return vars(found) | {"one_sided": SIDED in found.reason}


def _runner_up(study: Study, index: int) -> Any:
    candidate = study.candidates[index]
    return {"candidate": dict(candidate), "probability": study.learned.probability(study.best, candidate)}


def _person(study: Study) -> dict[str, int]:
    said = Counter(entry.answer for entry in study.answers if entry.status == "effective" and not entry.imported)
    counts = {word: said[word] + said[f"much {word}"] for word in ("a", "same", "b", "skipped")}
    return counts | {"contradictions": contradictions(study.history.comparisons)}


# Figures --------------------------------------------------------------------------------------------------------------


def figures(study: Study) -> dict[str, Any]:
    """Return the sections of the result with figures, texts and tables, and the figures' stylesheet."""
    from prefero import insight as findings  # only here: importing matplotlib is slow
    from prefero.insight import plots, report

    parts = [
        {
            "key": part.key,
            "title": part.title,
            "words": part.words,
            "exhibits": [_exhibit(exhibit) for exhibit in part.exhibits],
        }
        for part in report.sections(study)
    ]
    return {"verdict": _verdict(findings.verdict(study)), "sections": parts, "stylesheet": plots.stylesheet()}


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    from prefero.insight.report import thinned

    return {
        "key": exhibit.key,
        "caption": exhibit.caption,
        "words": exhibit.words,
        "figure": exhibit.figure,
        "table": _table(thinned(exhibit.table) if exhibit.key.startswith("slice") else exhibit.table),
    }


def _table(table: Table) -> dict[str, Any]:
    """Return a table with its cells as text."""
    columns = [
        {"name": column.heading, "number": number} for column, number in zip(table.columns, table.numeric, strict=True)
    ]
    return {"columns": columns, "rows": [list(row) for row in table.texts()]}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "stop": verdict.stop,
        "reason": verdict.reason,
        "words": verdict.words if verdict.chance is not None else "",
        "table": _table(verdict.table),
    }


def page(study: Study) -> str:
    """Return the report, one HTML file."""
    from prefero.insight import report

    return report.page(study)


JOBS: dict[str, Callable[[Study], Any]] = {
    "insight": insight,
    "advice": advice,
    "second thoughts": second_thoughts,
    "figures": figures,
    "page": page,
}


# The process ----------------------------------------------------------------------------------------------------------


def done(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a request asks for; `incomplete` if the study has functions, which JSON cannot hold."""
    try:
        study = Study.from_json(request["study"])
    except FormatError:
        return {"incomplete": True}
    return {"made": JOBS[request["job"]](study)}


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(2)  # people who wait for their next pair come first
    serve(lambda: lambda request, _: (done(request), ()))

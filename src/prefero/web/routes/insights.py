"""Results beyond the recommendation: numbers, figures and the report.

A helper process computes them, so that nobody's next question waits for them.
"""

from __future__ import annotations

from typing import Any

from prefero.insight.agreement import judge_names
from prefero.study import Study
from prefero.web import payloads, schema
from prefero.web.access import Caller
from prefero.web.operation import Call, Download, Operation
from prefero.web.refusals import Refusal


def get_insight(call: Call) -> Any:
    """Stopping advice, ranking, importance of the variables, and consistency of the answers."""
    made = _made(call, "insight")
    study = call.opened()
    ranking = [row | {"files": dict(study.log.measured(row["candidate"]).files)} for row in made["ranking"]]
    return made | {"ranking": ranking}


def get_advice(call: Call) -> Any:
    """Whether to stop, and why; null before two feasible candidates were compared."""
    return {"advice": _made(call, "advice")}


def get_second_thoughts(call: Call) -> Any:
    """The answers that deserve a second look, the likeliest slips first, and whether a judge's taste has changed."""
    return _made(call, "second thoughts")


def get_figures(call: Call) -> Any:
    """The result's sections: texts, figures as SVG, and tables."""
    return _made(call, "figures")


def get_report(call: Call) -> Any:
    """The result as one HTML file."""
    from prefero.insight import shown  # only here: importing it is slow

    page = shown.filled(_made(call, "page"), call.fresh().log)  # the helper process has no files
    disposition = {"Content-Disposition": 'attachment; filename="report.html"'}
    return Download(page.encode(), "text/html; charset=utf-8", disposition)


def _made(call: Call, job: str) -> Any:
    study = call.fresh()
    _check_alone(study, call.caller)
    return call.services.results.make(job, study, study.to_json())


def _check_alone(study: Study, caller: Caller) -> None:
    if not caller.sees_all(judge_names(study)):
        raise Refusal(403, "several people judge this study: only its owner sees the results of all answers")


_SHARE = {"type": "number"}
_ADVICE = schema.thing(
    {"stop": schema.flag(), "reason": payloads.TEXT, "probability_best": _SHARE, "expected_gain": _SHARE}
    | {"one_sided": schema.flag(description="whether nearly all answers chose the same side")}
)
_NULL = {"type": "null"}
_MAYBE_ADVICE = {"anyOf": [_ADVICE, _NULL]}
INSIGHT = schema.thing(
    {
        "advice": _MAYBE_ADVICE,
        "runner_up": {"anyOf": [schema.thing({"candidate": payloads.CANDIDATE, "probability": _SHARE}), _NULL]},
        "ranking": payloads.several(
            schema.thing(
                {"candidate": payloads.CANDIDATE, "utility": _SHARE, "spread": _SHARE, "files": payloads.FILES}
            )
        ),
        "importance": payloads.free(description="the share of each variable"),
        "slices": payloads.several(payloads.free(description="the utility along one variable, with its spread")),
        "panel": {"anyOf": [payloads.free(description="several judges: how alike, each one, who disagrees"), _NULL]},
        "person": schema.thing(dict.fromkeys(("a", "same", "b", "skipped", "contradictions"), payloads.COUNT)),
    }
)
_COLUMN = schema.thing({"name": payloads.TEXT, "number": schema.flag()})
_TABLE = schema.thing({"columns": payloads.several(_COLUMN), "rows": payloads.several(payloads.several(payloads.TEXT))})
_EXHIBIT = schema.thing(
    {
        "key": payloads.TEXT,
        "caption": payloads.TEXT,
        "words": payloads.TEXT,
        "figure": {"type": "string", "description": "an SVG element, or empty"},
        "table": _TABLE,
    }
)
FIGURES = schema.thing(
    {
        "verdict": schema.thing(
            {"stop": schema.flag(), "reason": payloads.TEXT, "words": payloads.TEXT, "table": _TABLE}
        ),
        "sections": payloads.several(
            schema.thing(
                dict.fromkeys(("key", "title", "words"), payloads.TEXT) | {"exhibits": payloads.several(_EXHIBIT)}
            )
        ),
        "stylesheet": {"type": "string", "description": "the figures' colours, in light and dark"},
    }
)
SECOND_THOUGHTS = schema.thing(
    {
        "looks": payloads.several(
            schema.thing(
                {"step": {"type": "integer"}, "answer": payloads.TEXT, "judge": payloads.TEXT, "probability": _SHARE}
            )
        ),
        "more": payloads.COUNT,
        "drifts": payloads.several(
            schema.thing({"judge": payloads.TEXT, "probability": _SHARE, "half_life": _SHARE, "found": schema.flag()})
        ),
        "words": payloads.TEXT,
    }
)

OPERATIONS = (
    Operation("GET", "/studies/{study}/insight", get_insight, gives=INSIGHT, pool="result"),
    Operation(
        "GET", "/studies/{study}/advice", get_advice, gives=schema.thing({"advice": _MAYBE_ADVICE}), pool="result"
    ),
    Operation("GET", "/studies/{study}/second-thoughts", get_second_thoughts, gives=SECOND_THOUGHTS, pool="result"),
    Operation("GET", "/studies/{study}/figures", get_figures, gives=FIGURES, pool="result"),
    Operation("GET", "/studies/{study}/report.html", get_report, gives="text/html", pool="result"),
)

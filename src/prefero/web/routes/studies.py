"""Studies: create, list, show, export and delete them; the recommendation, and disagreements between judges."""

from __future__ import annotations

from typing import Any

from scipy.optimize import LinearConstraint

from prefero import exchange
from prefero.answers import PAIR, rating
from prefero.answers.efforts import LONGEST, as_efforts
from prefero.answers.orders import KINDS
from prefero.errors import InputError
from prefero.insight.agreement import disagreements, judge_names, standing_of
from prefero.proposers import glisp, posterior
from prefero.proposers.glisp import Glisp
from prefero.proposers.posterior import Posterior
from prefero.space import Space
from prefero.space.catalogue import Catalogue
from prefero.space.space import variable_from_dict
from prefero.space.variables import Integer, Real, Variable
from prefero.storage.events import QUESTION, SCALE
from prefero.study import Study
from prefero.study.checks import DEFAULT_PROPOSER, LANGUAGE, MOST_COMPARISONS, PROPOSERS
from prefero.web import payloads, schema
from prefero.web.access import OWNER, READERS
from prefero.web.operation import Call, Download, Operation, Watched
from prefero.web.refusals import Refusal

MOST_VARIABLES, MOST_LEVELS, MOST_ROWS, MOST_CONSTRAINTS = 50, 100, 5_000, 100
"""Limits of a new study."""
MOST_EVENTS = 1_000
"""The most events in one reply."""

_NAMED = {"name": schema.name()}
_LEVELS = {"levels": schema.listing(schema.name(), MOST_LEVELS, 2)}
_UNIT = {"unit": schema.text(40, description="shown with the values")}
_LOG = {"log": schema.flag(description="whether the scale is logarithmic")}
_WHEN = {
    "when": schema.table(
        schema.listing(schema.scalar(), MOST_LEVELS, 1),
        MOST_VARIABLES,
        1,
        description="the variable exists only if each of these variables has one of these levels",
    )
}
VARIABLE = schema.either(
    schema.thing(
        _NAMED | {"type": schema.words("real"), "low": schema.number(), "high": schema.number()},
        {"step": schema.number(description="only low, low + step, … are proposed")} | _LOG | _UNIT | _WHEN,
    ),
    schema.thing(
        _NAMED
        | {"type": schema.words("integer"), "low": schema.integer(-(10**9), 10**9)}
        | {"high": schema.integer(-(10**9), 10**9)},
        {"step": schema.integer(1, 10**9)} | _LOG | _UNIT | _WHEN,
    ),
    schema.thing(_NAMED | {"type": schema.words("ordinal")} | _LEVELS, _WHEN),
    schema.thing(_NAMED | {"type": schema.words("choice")} | _LEVELS, _WHEN),
)
CONSTRAINT = schema.thing(
    {"weights": schema.table(schema.number(), MOST_VARIABLES, 1), "at_most": schema.number()},
    description="the weighted sum of numeric variables is at most this",
)
ROLES = ("features", "labels", "log")
"""Fields of a new study that say what the columns of its catalogue are."""
NEW_STUDY = schema.thing(
    {"name": schema.name(description="one line, without / and blanks around it")},
    {
        "variables": schema.listing(VARIABLE, MOST_VARIABLES, 1),
        "constraints": schema.listing(CONSTRAINT, MOST_CONSTRAINTS),
        "fixed": schema.table(
            schema.scalar(), MOST_VARIABLES, description="the value of each variable that is not to be varied"
        ),
        "catalogue": schema.listing(
            schema.table(schema.scalar(), MOST_VARIABLES, 1),
            MOST_ROWS,
            2,
            description="the only candidates, instead of variables",
        ),
        "features": schema.listing(
            schema.name(),
            MOST_VARIABLES,
            1,
            description="columns of the catalogue to learn from; the others are labels",
        ),
        "labels": schema.listing(
            schema.name(), MOST_VARIABLES, description="columns of the catalogue that are shown and never learned from"
        ),
        "log": schema.listing(schema.name(), MOST_VARIABLES, description="features with a logarithmic scale"),
        "question": schema.text(1_000, 1),
        "comparisons": schema.integer(1, MOST_COMPARISONS, description="about how many answers"),
        "seed": schema.maybe(schema.integer()),
        "proposer": schema.words(*PROPOSERS),
        "half_life": schema.number(1e-3, 1e9, description="of posterior: after so many answers an old one counts half"),
        "unsure": schema.flag(description="let answers that people are not sure of count less; not with pbo"),
        "sides": schema.words("random", "incumbent first"),
        "start": schema.listing(
            schema.table(schema.scalar(), MOST_VARIABLES, 1), 1_000, description="candidates to ask about first"
        ),
        "max_step": schema.table(
            schema.number(), MOST_VARIABLES, description="the largest change from the best so far, by variable"
        ),
        "kind": schema.words(*KINDS, description="what a question asks for; by default pair"),
        "kinds": schema.listing(
            schema.words(*KINDS), len(KINDS), 1, description="instead of kind: each question is of one of these kinds"
        ),
        "efforts": schema.table(
            schema.number(0, LONGEST), len(KINDS), description="seconds that a question takes, by its kind"
        ),
        "scale": schema.listing(
            schema.name(), rating.MOST_LEVELS, 2, description="words for the levels of ratings, the worst first"
        ),
        "hide_parameters": schema.flag(
            description="whether the page shows only the candidates' files, not their parameters"
        ),
        "strengths": schema.flag(description='whether the page offers "much better"'),
        "ratings": schema.flag(description="whether the page offers to rate each candidate"),
        "language": schema.text(
            35, pattern=f"^{LANGUAGE}$", description='of the page, such as "de"; empty: the browser\'s'
        ),
    },
)


def create_study(call: Call) -> Any:
    """Create a study."""
    body = call.body
    if body["name"] in (".", ".."):
        raise Refusal(422, f"name: got {body['name']!r}; allowed: a name that can be a part of an address")
    study = Study.create(
        _space(body),
        name=body["name"],
        storage=call.storage,
        question=body.get("question", QUESTION),
        comparisons=body.get("comparisons", 30),
        seed=body.get("seed"),
        proposer=_proposer(body),
        start=body.get("start", ()),
        sides=body.get("sides", "random"),
        max_step=body.get("max_step"),
        hide_parameters=body.get("hide_parameters", False),
        kind=_kinds(body),
        strengths=body.get("strengths", False),
        scale=body.get("scale", SCALE),
        ratings=body.get("ratings", False),
        language=body.get("language", ""),
    )
    return payloads.of_study(study, [])


def _kinds(body: dict[str, Any]) -> dict[str, float | None]:
    """Return the kinds of question, with the seconds that each takes if they are given."""
    if "kind" in body and "kinds" in body:
        raise Refusal(422, "kinds: give either kind or kinds, not both")
    kinds, efforts = body.get("kinds", [body.get("kind", str(PAIR))]), body.get("efforts", {})
    if len(set(kinds)) < len(kinds):
        raise Refusal(422, f"kinds: got {kinds}; allowed: different kinds of question")
    if not set(efforts) <= set(kinds):
        raise Refusal(422, f"efforts: got {sorted(efforts)}; allowed: the kinds that the study offers, {kinds}")
    as_efforts(efforts, "efforts")
    return {kind: efforts.get(kind) for kind in kinds}


def _proposer(body: dict[str, Any]) -> Any:
    name = body.get("proposer", DEFAULT_PROPOSER)
    unsure = body.get("unsure", False)
    if "half_life" in body and name != "posterior":
        raise Refusal(422, f"half_life: only with the proposer posterior, not with {name}")
    if unsure and name == "pbo":
        raise Refusal(422, "unsure: only with the proposers posterior and glisp, not with pbo")
    if name == "posterior":
        return Posterior(half_life=body.get("half_life"), unsure=posterior.UNSURE if unsure else 0.0)
    return Glisp(unsure=glisp.UNSURE) if name == "glisp" and unsure else name


def _space(body: dict[str, Any]) -> Space | Catalogue:
    if ("variables" in body) == ("catalogue" in body):
        raise Refusal(422, "body: give either variables or a catalogue, not both")
    if "catalogue" in body:
        if "fixed" in body:
            raise Refusal(422, "fixed: not possible with a catalogue; leave out the rows with other values")
        if "constraints" in body:
            raise Refusal(422, "constraints: not possible with a catalogue; leave out the rows that violate them")
        return Catalogue(body["catalogue"], **{key: body[key] for key in ROLES if key in body})
    if any(key in body for key in ROLES):
        raise Refusal(422, f"{', '.join(ROLES)}: only possible with a catalogue")
    variables = [(row["name"], _variable(k, row)) for k, row in enumerate(body["variables"])]
    numeric = [name for name, variable in variables if isinstance(variable, Real | Integer)]
    constraints = []
    for k, row in enumerate(body.get("constraints", ())):
        unknown = [name for name in row["weights"] if name not in numeric]
        if unknown:
            raise InputError.of(f"constraints[{k}].weights", unknown[0], f"numeric variables: {numeric}")
        weights = [row["weights"].get(name, 0.0) for name in numeric]
        constraints.append(LinearConstraint([weights], ub=[row["at_most"]]))
    return Space(variables, constraints, fixed=body.get("fixed"))


def _variable(k: int, row: dict[str, Any]) -> Variable:
    try:
        return variable_from_dict(row)
    except InputError as error:
        raise Refusal(422, f"variables[{k}].{error}") from None


def list_studies(call: Call) -> Any:
    """The studies that the token is valid for, oldest first; deleted ones only for an owner."""
    summaries = [s for s in call.storage.studies() if call.caller.study in (None, s.name)]
    if call.caller.role != "owner":
        summaries = [summary for summary in summaries if summary.deleted is None]
    return {"studies": [payloads.of_summary(summary) for summary in summaries]}


def get_study(call: Call) -> Any:
    """A study's description and progress."""
    arranged = call.services.arrangements.of(call.study)
    study = call.fresh()
    judges = judge_names(study)
    seen = [judge for judge in judges if call.caller.role != "judge" or judge == call.caller.name]
    blind = call.caller.role == "judge"
    return payloads.of_study(study, seen, call.renders, arranged, insight=call.caller.sees_all(judges), blind=blind)


def delete_study(call: Call) -> Any:
    """Delete a study with all its answers and files; this cannot be undone."""
    call.storage.delete(call.study)
    call.services.arrangements.forget(call.study)
    return {"deleted": call.study}


def get_result(call: Call) -> Any:
    """The recommendation by all answers, or by one judge's; a judge sees their own."""
    judge = call.caller.judge(call.query.get("judge")) if call.caller.role == "judge" else call.query.get("judge")
    study = call.fresh()
    if judge is not None and judge not in judge_names(study):
        if call.caller.role != "judge":
            raise Refusal(404, f"no answers by {judge!r}")
        return {"judge": judge, "best": None, "answers": 0, "contradictions": 0, "files": {}}
    state = study.log.state
    return payloads.of_standing(study, standing_of(state, judge, call.services.proposals.best(state, judge)))


def list_disagreements(call: Call) -> Any:
    """Pairs of candidates about which judges disagree."""
    return {"disagreements": [payloads.of_disagreement(each) for each in disagreements(call.fresh())]}


def list_events(call: Call) -> Any:
    """The study's events, from a sequence number on."""
    after, most = call.query.get("from", 0), call.query.get("limit", MOST_EVENTS)
    records = call.fresh().log.records
    return {"events": [payloads.of_record(r) for r in records[after : after + most]], "length": len(records)}


def watch_study(call: Call) -> Any:
    """How far the study is, now and at every change, as server-sent events."""
    call.storage.find(call.study)
    return Watched(call.study)


def export_study(call: Call) -> Any:
    """The whole study as JSON, which prefero can import."""
    return _download(call.fresh().to_json(), "application/json", "json")


def export_answers(call: Call) -> Any:
    """The answers as CSV."""
    return _download(exchange.answers_csv(call.fresh()), "text/csv; charset=utf-8", "answers.csv")


def export_candidates(call: Call) -> Any:
    """The candidates as CSV."""
    return _download(exchange.candidates_csv(call.fresh()), "text/csv; charset=utf-8", "candidates.csv")


def _download(text: str, media_type: str, ending: str) -> Download:
    return Download(text.encode(), media_type, {"Content-Disposition": f'attachment; filename="study.{ending}"'})


_LISTED = schema.thing({"studies": payloads.several(payloads.SUMMARY)})
_JUDGE = {"judge": schema.name(0, description="only this judge")}
_FROM = {"from": schema.integer(0), "limit": schema.integer(1, MOST_EVENTS)}

OPERATIONS = (
    Operation("GET", "/studies", list_studies, gives=_LISTED),
    Operation(
        "POST",
        "/studies",
        create_study,
        OWNER,
        payloads.STUDY,
        takes=NEW_STUDY,
        status=201,
        unbound=True,
        pool="propose",
        refuses=(409,),
    ),
    Operation("GET", "/studies/{study}", get_study, gives=payloads.STUDY),
    Operation("DELETE", "/studies/{study}", delete_study, OWNER, schema.thing({"deleted": payloads.TEXT})),
    Operation("GET", "/studies/{study}/result", get_result, gives=payloads.STANDING, query=_JUDGE, pool="propose"),
    Operation(
        "GET",
        "/studies/{study}/disagreements",
        list_disagreements,
        READERS,
        schema.thing({"disagreements": payloads.several(payloads.DISAGREEMENT)}),
        pool="propose",
    ),
    Operation(
        "GET",
        "/studies/{study}/events",
        list_events,
        READERS,
        schema.thing({"events": payloads.several(payloads.RECORD), "length": payloads.COUNT}),
        query=_FROM,
    ),
    Operation("GET", "/studies/{study}/live", watch_study, READERS, "text/event-stream"),
    Operation("GET", "/studies/{study}/export.json", export_study, READERS, payloads.free(), pool="export"),
    Operation("GET", "/studies/{study}/answers.csv", export_answers, READERS, "text/csv", pool="export"),
    Operation("GET", "/studies/{study}/candidates.csv", export_candidates, READERS, "text/csv", pool="export"),
)

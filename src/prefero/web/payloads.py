"""Replies: a study's values as plain data, and the schemas that describe them."""

from __future__ import annotations

from typing import Any

from prefero.insight.agreement import Disagreement, Standing
from prefero.storage import Stored, Summary, Token
from prefero.storage.events import Asked, Created, Record
from prefero.study import Study
from prefero.study.questions import Entry, Question
from prefero.web import schema
from prefero.web.render_queue import RenderQueue
from prefero.web.schema import Schema


def free(**more: Any) -> Schema:
    """Return the schema of an object whose members depend on the study."""
    return {"type": "object"} | more


def several(of: Schema) -> Schema:
    """Return the schema of a list of any length."""
    return {"type": "array", "items": of}


TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
CANDIDATE = free(description="a value for each variable")
FILES = free(description="digest, media_type and size by the file's name")
MEASURED = schema.thing({"numbers": free(), "files": FILES})
_PREPARING = schema.thing(
    {"failed": {"type": ["string", "null"]}, "progress": {"type": ["number", "null"]}},
    description="why the candidate cannot be shown yet: the reason it failed, or its progress from 0 to 1",
)
_PREPARED = {"anyOf": [_PREPARING, {"type": "null"}]}
QUESTION = schema.thing(
    {
        "step": COUNT,
        "a": CANDIDATE,
        "b": CANDIDATE,
        "note": TEXT,
        "judge": TEXT,
        "measured": schema.thing({"a": MEASURED, "b": MEASURED}),
        "preparing": schema.thing({"a": _PREPARED, "b": _PREPARED}),
    }
)
NO_QUESTION = {"type": "null"}
CURRENT = schema.thing(
    {
        "question": {"anyOf": [QUESTION, NO_QUESTION]},
        "finished": {"type": ["string", "null"], "description": "why there is no question; null if there is one"},
        "answers": COUNT,
        "expected": COUNT,
    }
)
SUMMARY = schema.thing(
    {
        "name": TEXT,
        "question": TEXT,
        "answers": COUNT,
        "expected": COUNT,
        "created": TEXT,
        "last": TEXT,
        "proposer": TEXT,
    }
)
STUDY = schema.thing(
    SUMMARY["properties"]
    | {
        "space": free(),
        "max_step": free(),
        "hide_parameters": schema.flag(),
        "sides": TEXT,
        "seed": {
            "type": ["integer", "null"],
            "description": "not told to a judge, who could compute which side is which",
        },
        "judges": several(TEXT),
        "insight": schema.flag(
            description="whether the caller may see the results of all answers: figures, advice, the report"
        ),
        "files": free(description="media_type of each file that any candidate has, by its name"),
        "renders": schema.flag(description="whether this server renders the candidates"),
    }
)
RECORD = schema.thing(
    {"sequence": COUNT, "time": TEXT, "who": TEXT, "prefero": TEXT, "event": TEXT, "data": free()},
)
SAVED = schema.thing({"saved": RECORD, "answers": COUNT, "expected": COUNT})
ENTRY = schema.thing(
    {
        "step": {"type": "integer", "description": "the question's number; negative if the comparison was imported"},
        "a": CANDIDATE,
        "b": CANDIDATE,
        "answer": TEXT,
        "who": TEXT,
        "time": TEXT,
        "source": {"type": "string", "description": "where it was imported from"},
        "seconds": {"type": ["number", "null"]},
        "note": TEXT,
        "status": schema.words("effective", "undone", "removed"),
        "corrected": {"type": "boolean"},
        "contradicts": {"type": "boolean"},
        "files": schema.thing({"a": FILES, "b": FILES}),
    }
)
STANDING = schema.thing(
    {
        "judge": {"type": ["string", "null"]},
        "best": {"type": ["object", "null"]},
        "answers": COUNT,
        "contradictions": COUNT,
        "files": FILES,
    }
)
DISAGREEMENT = schema.thing({"a": CANDIDATE, "b": CANDIDATE, "said": free(description="each judge's answer")})
TOKEN = schema.thing(
    {
        "id": TEXT,
        "role": TEXT,
        "study": {"type": ["string", "null"]},
        "label": TEXT,
        "created": TEXT,
        "expires": {"type": ["string", "null"]},
        "revoked": {"type": ["string", "null"]},
    }
)


def of_measured(study: Study, candidate: Any) -> dict[str, Any]:
    """Return what was measured about a candidate."""
    measured = study.log.measured(candidate)
    return {"numbers": dict(measured.numbers), "files": dict(measured.files)}


def of_question(study: Study, question: Question, renders: RenderQueue | None = None) -> dict[str, Any]:
    """Return a question with what was measured about its candidates, and what is still being rendered."""
    sides = {"a": question.a, "b": question.b}
    return {
        "step": question.step,
        **{side: dict(candidate) for side, candidate in sides.items()},
        "note": question.note,
        "judge": question.judge,
        "measured": {side: of_measured(study, candidate) for side, candidate in sides.items()},
        "preparing": {side: renders and renders.state(candidate) for side, candidate in sides.items()},
    }


def of_current(
    study: Study, question: Question | None, finished: str | None = None, renders: RenderQueue | None = None
) -> dict[str, Any]:
    """Return the question that waits, and the study's progress."""
    shown = None if question is None else of_question(study, question, renders)
    return {"question": shown, "finished": finished} | progress(study)


def of_pooled(stored: Stored) -> dict[str, Any]:
    """Return a question of the pool, of a study in which nothing was measured, and the study's progress."""
    asked = stored.record.event
    assert isinstance(asked, Asked)
    first, second = (asked.second, asked.first) if asked.swapped else (asked.first, asked.second)
    question = {
        "step": asked.step,
        "a": first,
        "b": second,
        "note": asked.note,
        "judge": asked.judge,
        "measured": {side: {"numbers": {}, "files": {}} for side in ("a", "b")},
        "preparing": {"a": None, "b": None},
    }
    return {"question": question, "finished": None, "answers": stored.answers, "expected": stored.expected}


def progress(study: Study) -> dict[str, int]:
    """Return how many answers a study has, and how many are planned."""
    return {"answers": study.history.answered, "expected": study.settings.comparisons}


def of_record(record: Record) -> dict[str, Any]:
    """Return a record of the log."""
    return {
        "sequence": record.sequence,
        "time": record.time,
        "who": record.who,
        "prefero": record.prefero,
        "event": record.kind,
        "data": record.fields(),
    }


def of_saved(study: Study, record: Record) -> dict[str, Any]:
    """Return what was saved, and the study's progress."""
    return {"saved": of_record(record)} | progress(study)


def of_summary(summary: Summary) -> dict[str, Any]:
    """Return a study as a line of a list."""
    return dict(vars(summary))


def of_study(
    study: Study, judges: list[str], renders: RenderQueue | None = None, *, insight: bool = True, blind: bool = False
) -> dict[str, Any]:
    """Return what a study is about and how far it is; `blind` leaves out what tells which side is the incumbent."""
    records = study.log.records
    created = records[0].event
    assert isinstance(created, Created)
    return {
        "name": study.settings.name,
        "question": study.settings.question,
        "created": records[0].time,
        "last": records[-1].time,
        "proposer": str(study.proposer.to_dict()["name"]),
        "space": study.space.to_dict(),
        "max_step": dict(created.max_step),
        "hide_parameters": created.hide_parameters,
        "sides": study.settings.sides,
        "seed": None if blind else study.settings.seed,
        "judges": judges,
        "insight": insight,
        "renders": renders is not None,
        "files": {name: {"media_type": kind} for name, kind in ({} if renders is None else renders.files).items()}
        | {
            name: {"media_type": file["media_type"]}
            for measured in study.log.state.measured
            for name, file in measured.files.items()
        },
    } | progress(study)


def of_entry(study: Study, entry: Entry) -> dict[str, Any]:
    """Return a line of the history, with the files of its candidates."""
    sides = {"a": entry.a, "b": entry.b}
    files = {side: dict(study.log.measured(candidate).files) for side, candidate in sides.items()}
    return vars(entry) | {side: dict(candidate) for side, candidate in sides.items()} | {"files": files}


def of_standing(study: Study, standing: Standing) -> dict[str, Any]:
    """Return what is recommended, with its files."""
    best = standing.best
    files = {} if best is None else dict(study.log.measured(best).files)
    return vars(standing) | {"best": None if best is None else dict(best), "files": files}


def of_disagreement(disagreement: Disagreement) -> dict[str, Any]:
    """Return a pair about which judges disagree."""
    return {"a": dict(disagreement.a), "b": dict(disagreement.b), "said": dict(disagreement.said)}


def of_token(token: Token) -> dict[str, Any]:
    """Return a token without its secret."""
    return {"id": token.digest} | {k: v for k, v in vars(token).items() if k != "digest"}

"""Replies: a study's values as plain data, and the schemas that describe them."""

from __future__ import annotations

from typing import Any

from prefero.answers import EFFORTS, HINTS, SIDES, as_kind
from prefero.answers.orders import KINDS
from prefero.insight.agreement import Disagreement, Standing
from prefero.storage import Stored, Summary, Token
from prefero.storage.events import Asked, Created, Record
from prefero.study import Study
from prefero.study.hints import offered
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


def _by_side(of: Schema) -> Schema:
    """Return the schema of an object with a member for each side; those of more than two candidates may be missing."""
    return schema.thing(dict.fromkeys("ab", of), dict.fromkeys(SIDES[2:], of))


KIND: Schema = schema.words(*KINDS, description="what the question asks for")
QUESTION = schema.thing(
    {
        "step": COUNT,
        "kind": KIND,
        "asks": {"type": "string", "description": "the question in words; the study has the owner's"},
        "takes": {
            "type": "string",
            "description": "which answers it takes, in words, besides the ones that any question takes",
        },
        "a": CANDIDATE,
        "b": CANDIDATE,
        "note": TEXT,
        "judge": TEXT,
        "measured": _by_side(MEASURED),
        "preparing": _by_side(_PREPARED),
    },
    dict.fromkeys(SIDES[2:], CANDIDATE),
)
NO_QUESTION = {"type": "null"}
CURRENT = schema.thing(
    {
        "question": {"anyOf": [QUESTION, NO_QUESTION]},
        "finished": {"type": ["string", "null"], "description": "why there is no question; null if there is one"},
        "answers": COUNT,
        "expected": COUNT,
        "hints": {
            "type": ["object", "null"],
            "additionalProperties": several(schema.words(*HINTS)),
            "description": "what the judge may hint about each variable now; null before the first answer, where a pool of "
            "questions follows no hints, and if there is no question",
        },
        "paused": schema.flag(description="whether nobody is asked for the time being"),
        "enough": schema.flag(description="whether the judge has given all answers that they were asked for"),
    }
)
_SINCE: Schema = {"type": ["string", "null"]}
ARRANGED = {
    "paused": _SINCE | {"description": "since when nobody is asked; null if it is not paused"},
    "archived": _SINCE | {"description": "since when the list hides it"},
    "deleted": _SINCE | {"description": "since when it waits to be deleted for good"},
    "quota": {"type": ["integer", "null"], "description": "how many answers each judge is asked for; null: any number"},
}
SUMMARY = schema.thing(
    {
        "name": TEXT,
        "title": {"type": "string", "description": "what people see instead of the name; empty for the name itself"},
        "question": TEXT,
        "answers": COUNT,
        "expected": COUNT,
        "created": TEXT,
        "last": TEXT,
        "proposer": TEXT,
        "length": {"type": "integer", "minimum": 0, "description": "of its log"},
    }
    | ARRANGED
)
STUDY = schema.thing(
    SUMMARY["properties"]
    | {
        "space": free(),
        "max_step": free(),
        "hide_parameters": schema.flag(),
        "strengths": schema.flag(description='whether the page offers "much better"'),
        "ratings": schema.flag(description="whether the page offers to rate each candidate"),
        "unsure": schema.flag(description="whether an answer that the person is not sure of counts less"),
        "language": {"type": "string", "description": "of the page; empty: the browser's"},
        "scale": {"type": "array", "items": TEXT, "description": "words for the levels of ratings, the worst first"},
        "sides": TEXT,
        "kind": schema.words(*KINDS, description="what the questions ask for; the first of several kinds"),
        "kinds": {"type": "array", "items": KIND, "description": "every kind of question that the study asks"},
        "efforts": free(description="seconds that a question takes, by its kind"),
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
        "step": {
            "type": "integer",
            "description": "the question's number; negative of imported comparisons, ratings and hints",
        },
        "a": CANDIDATE,
        "b": CANDIDATE,
        "answer": {"type": "string", "description": "what was said; of a hint its words, such as more warmth"},
        "who": TEXT,
        "time": TEXT,
        "source": {"type": "string", "description": "where it was imported from"},
        "seconds": {"type": ["number", "null"]},
        "note": {"type": "string", "description": "the reason, or any other remark by the person"},
        "sure": {"type": "boolean", "description": "false if the person was not sure"},
        "status": schema.words("effective", "undone", "removed"),
        "corrected": {"type": "boolean"},
        "contradicts": {"type": "boolean"},
        "files": _by_side(FILES),
        "kind": KIND,
    },
    dict.fromkeys(SIDES[2:], CANDIDATE),
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
    """Return what was measured about a candidate; nothing about the B that a rating does not have."""
    if not candidate:
        return {"numbers": {}, "files": {}}
    measured = study.log.measured(candidate)
    return {"numbers": dict(measured.numbers), "files": dict(measured.files)}


def of_question(study: Study, question: Question, renders: RenderQueue | None = None) -> dict[str, Any]:
    """Return a question with what was measured about its candidates, and what is still being rendered."""
    sides = question.sides
    return {
        "step": question.step,
        "kind": question.kind,
        "asks": as_kind(question.kind).asks,
        "takes": question.takes,
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
    told = question is not None and study.history.answered > 0
    hints = offered(question.judge, study.log.state) if told else None  # type: ignore[union-attr]
    return {"question": shown, "finished": finished, "hints": hints} | progress(study) | NOT_OVER


NOT_OVER = {"paused": False, "enough": False}


def of_pooled(stored: Stored) -> dict[str, Any]:
    """Return a question of the pool, of a study in which nothing was measured, and the study's progress."""
    asked = stored.record.event
    assert isinstance(asked, Asked)
    question = {
        "step": asked.step,
        "kind": asked.kind,
        "asks": as_kind(asked.kind).asks,
        "takes": as_kind(asked.kind).takes,
        **asked.shown,
        "note": asked.note,
        "judge": asked.judge,
        "measured": {side: {"numbers": {}, "files": {}} for side in asked.shown},
        "preparing": dict.fromkeys(asked.shown),
    }
    return (
        {"question": question, "finished": None, "hints": None}
        | {
            "answers": stored.answers,
            "expected": stored.expected,
        }
        | NOT_OVER
    )


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
    study: Study,
    judges: list[str],
    renders: RenderQueue | None = None,
    arranged: Summary | None = None,
    *,
    insight: bool = True,
    blind: bool = False,
) -> dict[str, Any]:
    """Return what a study is about and how far it is; `blind` leaves out what tells which side is the incumbent."""
    records = study.log.records
    created = records[0].event
    assert isinstance(created, Created)
    return (
        {
            "name": study.settings.name,
            "question": study.settings.question,
            "title": study.settings.title,
            "created": records[0].time,
            "length": len(records),
            "last": records[-1].time,
            "proposer": str(study.proposer.to_dict()["name"]),
            "space": study.space.to_dict(),
            "max_step": dict(created.max_step),
            "hide_parameters": created.hide_parameters,
            "strengths": created.strengths,
            "ratings": created.ratings,
            "unsure": unsure_counts(study.proposer),
            "language": created.language,
            "scale": list(created.scale),
            "sides": study.settings.sides,
            "kind": study.settings.kind,
            "kinds": study.settings.offered,
            "efforts": {name: study.settings.efforts.get(name, EFFORTS[name]) for name in study.settings.offered},
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
        }
        | {key: getattr(arranged, key, None) for key in ARRANGED}
        | progress(study)
    )


def unsure_counts(proposer: Any) -> bool:
    """Return whether an answer counts less for a proposer if the person is not sure of it."""
    unsure = getattr(proposer, "unsure", None)
    return unsure is not None and unsure != type(proposer)().unsure


def of_entry(study: Study, entry: Entry) -> dict[str, Any]:
    """Return a line of the history, with the files of its candidates."""
    sides = dict(zip(SIDES, (entry.a, entry.b, *entry.more), strict=False))
    # A rating has no B.
    files = {side: dict(study.log.measured(shown).files) if shown else {} for side, shown in sides.items()}
    told = {name: value for name, value in vars(entry).items() if name != "more"}
    return told | {side: dict(candidate) for side, candidate in sides.items()} | {"files": files}


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

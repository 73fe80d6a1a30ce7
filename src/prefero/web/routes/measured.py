"""Candidates to prepare, and what was measured about them.

A program that drives a machine asks which candidates wait, tries each one, and uploads numbers and files. The question then
carries them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from prefero.answers import SIDES
from prefero.space import Candidate
from prefero.space.catalogue import Catalogue
from prefero.study import Study
from prefero.web import files, markdown, payloads, schema
from prefero.web.access import JUDGES, OWNER
from prefero.web.operation import Call, Download, Operation, StoredFile
from prefero.web.refusals import Refusal
from prefero.web.routes.answers import own_question

MOST_NUMBERS = 1_000
"""The most numbers in one request."""
MOST_AHEAD = 12
"""The most files that a page is told to load before they are needed."""


def list_candidates(call: Call) -> Any:
    """The candidates of the waiting questions, with what was measured about them so far."""
    study = call.fresh()
    places: dict[Any, list[dict[str, Any]]] = {}
    for question in study.waiting.values():
        for side, candidate in question.sides.items():
            places.setdefault(candidate, []).append({"step": question.step, "side": side, "judge": question.judge})
    return {
        "candidates": [
            {"candidate": dict(candidate), "shown": shown, "measured": payloads.of_measured(study, candidate)}
            for candidate, shown in places.items()
        ]
    }


def measure_numbers(call: Call) -> Any:
    """Save numbers measured about a candidate."""
    study = call.fresh()
    return payloads.of_saved(study, study.measure(_candidate(call, study), call.body["numbers"], who=call.caller.name))


def upload_file(call: Call) -> Any:
    """Save a file about a candidate; the body is the file, Content-Type its type."""
    content = files.checked_content(call.media_type, call.body)
    study = call.fresh()
    named = {call.path["file"]: (content, call.media_type)}
    return payloads.of_saved(study, study.measure(_candidate(call, study), files=named, who=call.caller.name))


def upload_row(call: Call) -> Any:
    """Save a file about a row of a catalogue, asked about or not; the body is the file, Content-Type its type."""
    content = files.checked_content(call.media_type, call.body)
    study, row = call.fresh(), call.path["row"]
    if not isinstance(study.space, Catalogue):
        raise Refusal(409, "this study has no catalogue: upload files about the candidates of its questions")
    if row >= len(study.space.rows):
        raise Refusal(404, f"the catalogue has no row {row}, only 0 to {len(study.space.rows) - 1}")
    named = {call.path["file"]: (content, call.media_type)}
    return payloads.of_saved(study, study.measure(study.space.rows[row], files=named, who=call.caller.name))


def _candidate(call: Call, study: Study) -> Candidate:
    question = own_question(call, study)
    if call.path["side"] not in question.sides:
        raise Refusal(404, f"question {question.step} has no candidate {call.path['side']!r}")
    return question.sides[call.path["side"]]


def prepare_again(call: Call) -> Any:
    """Render a candidate again after it failed."""
    if call.renders is None:
        raise Refusal(409, "this server does not render this study: upload the files again")
    call.renders.retry(_candidate(call, call.fresh()))
    return {"retrying": call.path["side"]}


def list_ahead(call: Call) -> Any:
    """The digests of files that the next questions may show, likely ones first: a page loads them while a person looks."""
    study = call.fresh()
    found: list[str] = []
    for candidate in call.services.studies.lookaheads.likely(call.study, call.caller.judge(call.query.get("judge"))):
        found += [str(file["digest"]) for file in study.log.measured(candidate).files.values()]
        found += [] if call.renders is None else call.renders.ahead(candidate)
    return {"files": list(dict.fromkeys(found))[:MOST_AHEAD]}


def get_file(call: Call) -> Any:
    """A file by its digest; Markdown also as a page."""
    log, digest = call.fresh().log, call.path["digest"]
    found = log.artifact_about(digest)
    if found is None and (ahead := call.renders and call.renders.artifact(digest)):
        return Download(
            ahead.content, files.served_type(ahead.media_type), files.headers(ahead.media_type.split(";")[0])
        )
    if found is None:
        raise Refusal(404, "there is no such file in this study")
    media_type, size = found
    kind = files.served_type(media_type)
    if call.query.get("as") == "page" and kind.startswith("text/markdown"):
        if size > markdown.LARGEST:  # it would be shown unformatted: send it in pieces instead of holding all of it
            plain = files.served_type("text/plain")
            return StoredFile(partial(log.artifact_piece, digest), size, plain, files.headers("text/plain"))
        artifact = log.artifact(digest)
        if artifact is None:
            raise Refusal(404, "there is no such file in this study")
        shown = markdown.page(artifact.content.decode("utf-8", "replace"))
        return Download(shown.encode(), "text/html; charset=utf-8", files.headers("text/html"))
    return StoredFile(partial(log.artifact_piece, digest), size, kind, files.headers(kind.split(";")[0]))


_SIDE = "/studies/{study}/questions/{step}/{side}"
_PLACE = schema.thing({"step": payloads.COUNT, "side": schema.words(*SIDES), "judge": payloads.TEXT})
_TO_PREPARE = schema.thing(
    {"candidate": payloads.CANDIDATE, "shown": payloads.several(_PLACE), "measured": payloads.MEASURED}
)
_NUMBERS = schema.thing({"numbers": schema.table(schema.number(), MOST_NUMBERS, 1)})
_RETRYING = schema.thing({"retrying": schema.words("a", "b")})

OPERATIONS = (
    Operation(
        "GET",
        "/studies/{study}/ahead",
        list_ahead,
        JUDGES,
        schema.thing({"files": payloads.several(payloads.TEXT)}),
        query={"judge": schema.name(0, description="whose questions; not needed with a judge's token")},
    ),
    Operation(
        "GET",
        "/studies/{study}/candidates",
        list_candidates,
        OWNER,
        schema.thing({"candidates": payloads.several(_TO_PREPARE)}),
    ),
    Operation("POST", f"{_SIDE}/numbers", measure_numbers, OWNER, payloads.SAVED, takes=_NUMBERS),
    Operation("PUT", f"{_SIDE}/files/{{file}}", upload_file, OWNER, payloads.SAVED, uploads=True),
    Operation("PUT", "/studies/{study}/rows/{row}/files/{file}", upload_row, OWNER, payloads.SAVED, uploads=True),
    Operation("POST", f"{_SIDE}/prepare", prepare_again, JUDGES, _RETRYING, takes=schema.thing({})),
    Operation(
        "GET",
        "/studies/{study}/files/{digest}",
        get_file,
        gives="*/*",
        query={"as": schema.words("page", description="Markdown as HTML, for a sandbox")},
        refuses=(416,),
    ),
)

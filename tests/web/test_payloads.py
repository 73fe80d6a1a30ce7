"""What the service sends is what its schemas describe, for every payload."""

import json

import jsonschema_rs
import pytest

from prefero.insight.agreement import Disagreement, judge_names, standing
from prefero.storage import Stored
from prefero.storage.database import Database
from prefero.study import Study
from prefero.web import access, payloads
from prefero.web.render_queue import RenderQueue
from prefero.web.rendering.renderers import Failure
from tests.answered import every_kind


class Fails:
    """A renderer that fails."""

    workers = 1

    def render(self, candidate, progress):
        progress(0.5)
        return Failure("no paint left")

    def close(self):
        pass


@pytest.fixture
def storage(tmp_path):
    with Database(f"sqlite:///{tmp_path / 'studies.db'}") as storage:
        yield storage


@pytest.fixture
def study(storage):
    """A study of every kind of variable, with two judges, a tie, a skip, an undo, numbers, files and notes."""
    made = Study.create(every_kind().space, name="all", storage=storage, seed=1, max_step={"offset": 0.5})
    first = made.ask("ann")
    made.measure(first.a, {"noise": 0.25}, {"picture": (b"\x89PNG\r\n\x1a\n", "image/png")})
    for said in ("a", "same", "b"):
        made.tell(made.ask("ann").step, said, judge="ann", note="said", seconds=1.5)
    made.skip(made.ask("ann").step, judge="ann")
    for said in ("b", "a"):
        made.tell(made.ask("bob").step, said, judge="bob")
    made.undo("bob")
    made.ask("ann")
    return made


@pytest.fixture
def renders(study):
    queue = RenderQueue("all", Fails())
    yield queue
    queue.close()


def cases(study, storage, renders):
    """Each payload function with its schema and what it returns for as many different values as there are."""
    waiting = list(study.waiting.values())
    yield "of_measured", payloads.MEASURED, [payloads.of_measured(study, c) for c in study.candidates]
    yield (
        "of_question",
        payloads.QUESTION,
        [payloads.of_question(study, q, r) for q in waiting for r in (None, renders)],
    )
    yield "of_current", payloads.CURRENT, [payloads.of_current(study, q) for q in (*waiting, None)]
    pooled = [record for record in study.log.records if record.kind == "asked"]
    yield "of_pooled", payloads.CURRENT, [payloads.of_pooled(Stored(record, 3, 30, 0)) for record in pooled]
    yield "of_current", payloads.CURRENT, [payloads.of_current(study, None, "there is nothing left to ask")]
    yield "of_record", payloads.RECORD, [payloads.of_record(record) for record in study.log.records]
    yield "of_saved", payloads.SAVED, [payloads.of_saved(study, study.log.records[-1])]
    yield "of_summary", payloads.SUMMARY, [payloads.of_summary(summary) for summary in storage.studies()]
    yield "of_study", payloads.STUDY, [payloads.of_study(study, ["ann"], r) for r in (None, renders)]
    yield "of_entry", payloads.ENTRY, [payloads.of_entry(study, entry) for entry in study.answers]
    judges = [None, *judge_names(study)]
    yield "of_standing", payloads.STANDING, [payloads.of_standing(study, standing(study, judge)) for judge in judges]
    disagreement = Disagreement(waiting[0].a, waiting[0].b, {"ann": "a", "bob": "same"})
    yield "of_disagreement", payloads.DISAGREEMENT, [payloads.of_disagreement(disagreement)]
    tokens = [access.make_token(storage, "judge", study="all", label="ann", hours=hours)[1] for hours in (None, 1.0)]
    yield "of_token", payloads.TOKEN, [payloads.of_token(token) for token in tokens]


def test_every_payload_is_what_its_schema_says(study, storage, renders):
    question = study.ask("ann")
    renders.retry(question.a)
    seen = set()
    for name, schema, made in cases(study, storage, renders):
        for value in made:
            jsonschema_rs.validate(schema, json.loads(json.dumps(value, allow_nan=False)))
        seen |= {name} if made else set()
    assert seen == {name for name in vars(payloads) if name.startswith("of_")}

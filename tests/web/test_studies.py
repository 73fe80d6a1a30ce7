"""Studies over HTTP: made, listed, looked at, exported, deleted; and what is refused changes nothing."""

import json

import pytest

import prefero as pf
from benchmarks.torture.asgi import Client
from prefero.web.app import build
from tests.web.conftest import XY, answer

REAL = {"name": "x", "type": "real", "low": 0, "high": 1}


def test_a_study_is_made_and_listed(service, owner, study):
    found = owner.get(study).json()
    assert (found["name"], found["answers"], found["seed"], found["proposer"]) == ("line 3", 0, 0, "posterior")
    listed = owner.get("/api/v1/studies").json()["studies"]
    assert [each["name"] for each in listed] == ["line 3"]
    assert pf.Study.open("line 3", service.storage).space.names == ("x", "y")


def test_a_study_of_every_kind_of_variable(service, owner):
    service.create(
        "mixed",
        variables=[
            REAL | {"low": 0.1, "log": True, "unit": "N/mm"},
            {"name": "n", "type": "integer", "low": 1, "high": 9.0, "unit": "turns"},
            {"name": "c", "type": "choice", "levels": ["p", "q"]},
        ],
        constraints=[{"weights": {"n": 1, "x": 2}, "at_most": 8}],
        start=[{"x": 0.5, "n": 2, "c": "q"}],
        question="Which is crisper?",
        comparisons=12,
        proposer="posterior",
        sides="incumbent first",
    )
    study = pf.Study.open("mixed", service.storage)
    assert study.space.to_dict()["constraints"] == [{"type": "linear", "A": [[2.0, 1.0]], "b": [8.0]}]
    assert (study.settings.question, study.settings.comparisons, study.settings.sides) == (
        "Which is crisper?",
        12,
        "incumbent first",
    )
    assert dict(study.ask().a) == {"x": 0.5, "n": 2, "c": "q"}
    assert [study.space.variables[name].unit for name in ("x", "n")] == ["N/mm", "turns"]


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({}, 422, "name"),
        ({"name": "s"}, 422, "either variables or a catalogue"),
        ({"name": "s", "variables": []}, 422, "variables"),
        ({"name": "s", "variables": XY, "catalogue": [{"x": 1}, {"x": 2}]}, 422, "not both"),
        ({"name": "s", "variables": XY, "labels": ["x"]}, 422, "only possible with a catalogue"),
        ({"name": "s", "catalogue": [{"x": 1}, {"x": 2}], "labels": ["y"]}, 422, "columns of the catalogue"),
        ({"name": "s", "catalogue": [{"x": 1}, {"x": 2}, {"x": 1}]}, 422, "rows[0], rows[2]"),
        ({"name": "s", "variables": [REAL | {"type": "complex"}]}, 422, "variables[0]"),
        ({"name": "s", "variables": [REAL | {"low": 2}]}, 422, "low below high"),
        ({"name": "s", "variables": [REAL, REAL]}, 422, "each name once"),
        ({"name": "s", "variables": [REAL | {"high": 1e300}]}, 422, "variables[0].high"),
        ({"name": "s", "variables": [REAL | {"high": True}]}, 422, "variables[0].high"),
        ({"name": "s", "variables": XY, "colour": 1}, 422, "colour"),
        ({"name": "s", "variables": XY, "comparisons": 1.5}, 422, "comparisons"),
        ({"name": "s", "variables": XY, "max_step": {"z": 1}}, 422, "max_step"),
        ({"name": "s", "variables": XY, "constraints": [{"weights": {"z": 1}, "at_most": 0}]}, 422, "constraints[0]"),
        ({"name": "s", "variables": XY, "constraints": [{"weights": {"x": 1}, "at_most": -1}]}, 422, "constraints"),
        ({"name": "s", "variables": XY, "proposer": "oracle"}, 422, "proposer"),
        ({"name": "a/b", "variables": XY}, 422, "name"),
        ({"name": "..", "variables": XY}, 422, "name"),
        ({"name": " s", "variables": XY}, 422, "name"),
        ({"name": "\ud800", "variables": XY}, 422, "name"),
        ({"name": "line 3", "variables": XY}, 409, "already"),
        ([], 422, "body"),
    ],
)
def test_a_study_that_cannot_be_is_refused_in_one_line(owner, study, body, status, word):
    reply = owner.post("/api/v1/studies", body)
    error = reply.json()["error"]
    assert reply.status == status, error
    assert word in error
    assert "\n" not in error
    assert "sqlite" not in error
    assert [each["name"] for each in owner.get("/api/v1/studies").json()["studies"]] == ["line 3"]


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"name": NaN}', b"[" * 100_000, b"1" * 5000])
def test_a_body_that_is_not_json_is_refused(owner, study, body):
    reply = owner.request("POST", "/api/v1/studies", body=body, headers={"Content-Type": "application/json"})
    assert reply.status == 400
    assert "JSON" in reply.json()["error"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/nothing", 404),
        ("PUT", "/api/v1/studies", 405),
        ("GET", "/api/v1/studies/other", 404),
        ("GET", "/api/v1/studies/other/question", 404),
        ("DELETE", "/api/v1/studies/other", 404),
        ("GET", "/api/v1/studies/line%203/question?judg=ann", 422),
        ("GET", "/api/v1/studies/line%203/question?judge=a&judge=b", 422),
        ("GET", "/api/v1/studies/line%203/questions/0", 404),
        ("GET", "/api/v1/studies/line%203/questions/x", 422),
        ("GET", "/api/v1/studies/line%203/events?from=-1", 422),
        ("GET", "/api/v1/studies/line%203/", 404),
    ],
)
def test_whatever_is_not_there_is_said_in_json(owner, study, method, path, status):
    reply = owner.request(method, path)
    assert reply.status == status
    assert reply.json()["error"]


def test_the_export_opens_elsewhere_with_the_same_next_question(owner, study):
    for said in ("a", "b", "same"):
        answer(owner, study, said)
    exported = owner.get(f"{study}/export.json")
    copy = pf.Study.from_json(exported.body)
    pair = owner.get(f"{study}/question").json()["question"]
    assert (dict(copy.ask().a), dict(copy.ask().b)) == (pair["a"], pair["b"])


def test_tables_for_spreadsheets(owner, study):
    answer(owner, study, note="=1+1")
    answers, candidates = owner.get(f"{study}/answers.csv"), owner.get(f"{study}/candidates.csv")
    assert answers.headers["content-type"].startswith("text/csv")
    assert "'=1+1" in answers.body.decode()
    assert candidates.body.decode().startswith("candidate,x,y,")


def test_events_come_in_pages(owner, study):
    answer(owner, study)
    page = owner.get(f"{study}/events?from=1&limit=1").json()
    assert page["length"] == 3
    assert [event["event"] for event in page["events"]] == ["asked"]


def test_a_deleted_study_is_gone_and_its_name_is_free(service, owner, study):
    answer(owner, study)
    assert owner.request("DELETE", study).json() == {"deleted": "line 3"}
    assert owner.get(f"{study}/question").status == 404
    service.create(seed=5)
    assert owner.get(study).json()["answers"] == 0
    assert owner.get(f"{study}/question").json()["question"]["step"] == 0


def test_a_study_deleted_by_another_process_is_noticed(service, owner, study):
    answer(owner, study)
    step = owner.get(f"{study}/question").json()["question"]["step"]
    pf.delete_study("line 3", service.url)
    reply = owner.post(f"{study}/answers", {"step": step, "answer": "a", "answer_id": "late"})
    assert reply.status == 404
    pf.Study.create(([0], [1]), name="line 3", storage=service.url).close()
    assert owner.get(study).json()["space"]["variables"][0]["name"] == "x1"


def test_two_processes_serve_one_study(service, study):
    with Client(build(service.url), service.owner.token) as second:
        for k in range(6):
            answer((service.owner, second)[k % 2], study)
        pair = second.get(f"{study}/question").json()
        assert service.owner.get(f"{study}/question").json() == pair
        assert pair["answers"] == 6
        second.app.state.services.storage.close()


def test_a_study_that_holds_a_function_cannot_be_served_and_says_so(service, owner):
    pf.Study.create(([0], [1]), name="own", storage=service.url, proposer=lambda history, rng: [0.5]).close()
    reply = owner.get("/api/v1/studies/own/question")
    assert reply.status == 409
    assert "function" in reply.json()["error"]


def test_the_least_used_studies_are_closed(make_service):
    service = make_service(open_studies=2)
    paths = [service.create(f"s{k}") for k in range(4)]
    for path in paths * 2:
        answer(service.owner, path)
    assert len(service.app.state.services.studies._open) == 2
    assert [service.owner.get(path).json()["answers"] for path in paths] == [2] * 4


def test_a_database_that_is_gone_is_a_503_without_its_address(service, owner, study, monkeypatch):
    from prefero.errors import StorageError

    def lost(*_):
        raise StorageError("no connection to postgresql://ann:secret@host/db")

    monkeypatch.setattr(service.storage, "studies", lost)
    reply = owner.get("/api/v1/studies")
    assert reply.status == 503
    assert "secret" not in json.dumps(reply.json())
    assert reply.headers["retry-after"]


def test_a_mistake_of_ours_is_a_500_that_tells_nothing(service, owner, study, monkeypatch, caplog):
    monkeypatch.setattr(service.storage, "studies", lambda: 1 / 0)
    reply = owner.get("/api/v1/studies")
    assert reply.status == 500
    assert "ZeroDivision" not in reply.body.decode()
    assert "ZeroDivision" in caplog.text

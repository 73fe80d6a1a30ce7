"""What an owner arranges over HTTP: settings and bounds, a pause, a quota, the archive, invitations, QR codes."""

import pytest

from benchmarks.torture.asgi import Client
from prefero.web import access, arrangements
from tests.web.conftest import XY, answer


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Another process's change counts at once, not after a second."""
    monkeypatch.setattr(arrangements, "KEPT_SECONDS", -1.0)


@pytest.fixture
def judge(service, study):
    with Client(service.app, service.token("judge", "line 3", "ann")) as client:
        yield client


def changed(client: Client, path: str, **changes: object):
    return client.request("PATCH", path, changes)


def test_an_owner_changes_title_question_and_number(owner, study, judge):
    waits = judge.get(f"{study}/question").json()["question"]
    reply = changed(owner, study, title="Line three", question="Which curve?", comparisons=7)
    assert reply.status == 200
    assert {key: reply.json()[key] for key in ("name", "title", "question", "expected")} == {
        "name": "line 3",
        "title": "Line three",
        "question": "Which curve?",
        "expected": 7,
    }
    assert judge.get(f"{study}/question").json()["question"] == waits
    (listed,) = owner.get("/api/v1/studies").json()["studies"]
    assert (listed["title"], listed["expected"]) == ("Line three", 7)
    assert changed(judge, study, title="mine").status == 403


def test_bounds_change_and_what_is_refused_changes_nothing(owner, study):
    answer(owner, study)
    wider = [{"name": "x", "type": "real", "low": -1, "high": 2}]
    new = {"name": "n", "type": "integer", "low": 1, "high": 3}
    before = owner.get(study).json()
    for refused in (
        {"variables": [new]},  # its value for earlier candidates is missing
        {"variables": wider, "title": "a/b"},
        {"variables": [{"name": "x", "type": "choice", "levels": ["a", "b"]}], "question": "Which?"},
        {"fill": {"n": 2}},
        {"quota": 0},
        {"comparisons": 0},
        {"colour": "red"},
    ):
        assert changed(owner, study, **refused).status == 422, refused
    assert owner.get(study).json() == before
    told = changed(owner, study, variables=[*wider, new], fill={"n": 2}).json()
    assert [(v["name"], v["low"], v["high"]) for v in told["space"]["variables"]] == [
        ("x", -1, 2),
        ("y", 0, 1),
        ("n", 1, 3),
    ]
    assert owner.get(f"{study}/history").json()["history"][0]["a"]["n"] == 2


def test_a_wrong_bound_is_named_with_its_variable(owner, study):
    wrong = {"name": "x", "type": "real", "low": 0, "high": 1, "log": True}
    made = owner.post("/api/v1/studies", {"name": "n", "variables": [XY[1], wrong]})
    assert (made.status, made.json()["error"].startswith("variables[1].low: got 0.0; allowed: ")) == (422, True)
    reply = changed(owner, study, variables=[wrong])
    assert (reply.status, reply.json()["error"].startswith("x, low: got 0.0; allowed: ")) == (422, True)


def test_the_rows_of_a_table_have_no_bounds(owner):
    path = "/api/v1/studies/rows"
    owner.post("/api/v1/studies", {"name": "rows", "catalogue": [{"x": 1}, {"x": 2}]})
    reply = changed(owner, path, variables=XY)
    assert (reply.status, "rows cannot be changed" in reply.json()["error"]) == (422, True)


def test_a_pause_tells_judges_and_takes_what_was_asked_before(owner, study, judge):
    question = judge.get(f"{study}/question").json()["question"]
    assert changed(owner, study, paused=True).json()["paused"]
    current = judge.get(f"{study}/question").json()
    assert (current["question"], current["paused"]) == (None, True)
    assert "paused this study for a while" in current["finished"]
    said = {"step": question["step"], "answer": "a", "answer_id": "late"}
    assert judge.post(f"{study}/answers", said).status == 200
    assert changed(owner, study, paused=False).json()["paused"] is None
    again = judge.get(f"{study}/question").json()
    assert (again["question"]["step"], again["paused"], again["answers"]) == (1, False, 1)


def test_a_judge_who_gave_the_quota_is_thanked_and_others_go_on(service, owner, study, judge):
    assert changed(owner, study, quota=2).json()["quota"] == 2
    answer(judge, study)
    judge.post(f"{study}/answers", {"step": 1, "answer": "skipped", "answer_id": "s"})
    current = judge.get(f"{study}/question").json()
    step = current["question"]["step"]
    judge.post(f"{study}/answers", {"step": step, "answer": "skipped", "answer_id": "k"})  # not an answer that counts
    answer(judge, study)
    current = judge.get(f"{study}/question").json()
    assert (current["question"], current["enough"]) == (None, True)
    assert owner.get(f"{study}/question").json()["question"] is not None
    with Client(service.app, service.token("judge", "line 3", "bob")) as bob:
        assert bob.get(f"{study}/question").json()["question"] is not None
    changed(owner, study, quota=None)
    assert judge.get(f"{study}/question").json()["question"] is not None


def test_archived_and_deleted_studies_come_back(service, owner, study, judge):
    answer(judge, study)
    assert changed(owner, study, archived=True).json()["archived"]
    assert changed(owner, study, archived=False, deleted=True).json() == {"deleted": "line 3"}
    for path in (study, f"{study}/question"):
        assert (judge.get(path).status, owner.get(path).status) == (404, 404)
    assert judge.get("/api/v1/studies").json()["studies"] == []
    (listed,) = owner.get("/api/v1/studies").json()["studies"]
    assert (listed["deleted"] is not None, listed["archived"]) == (True, None)
    assert owner.post("/api/v1/studies", {"name": "line 3", "variables": XY}).status == 409
    assert changed(owner, study, deleted=False).json()["answers"] == 1
    assert judge.get(f"{study}/question").status == 200
    changed(owner, study, deleted=True)
    service.storage.forget_deleted(access.now(1))
    assert owner.get("/api/v1/studies").json()["studies"] == []


def test_an_invitation_names_who_invites_and_is_revoked_until_it_is_accepted(owner, study):
    invited = [
        owner.post(f"{study}/invitations", {"judge": name, "inviter": "Bea"}).json() for name in ("ann", "bob", "cy")
    ]
    listed = owner.get(f"{study}/invitations").json()["invitations"]
    assert [(each["judge"], each["inviter"]) for each in listed] == [("ann", "Bea"), ("bob", "Bea"), ("cy", "Bea")]
    assert invited[0]["invitation"] not in str(listed)
    owner.post("/api/v1/invitations/accept", {"invitation": invited[0]["invitation"]})
    assert owner.request("DELETE", f"{study}/invitations/{listed[0]['id']}").status == 404
    assert owner.request("DELETE", f"{study}/invitations/{listed[1]['id']}").status == 200
    assert owner.post("/api/v1/invitations/accept", {"invitation": invited[1]["invitation"]}).status == 403
    assert [each["judge"] for each in owner.get(f"{study}/invitations").json()["invitations"]] == ["cy"]


def test_a_link_is_drawn_as_a_qr_code_for_owners_only(owner, judge):
    drawn = owner.post("/api/v1/qr", {"text": "https://tuning.plant/join?invitation=" + "x" * 50}).json()
    assert drawn["size"] == 49  # version 6 and its quiet zone
    assert drawn["path"].startswith("M4 4h1v1h-1z")  # a corner of the first finder
    assert judge.post("/api/v1/qr", {"text": "x"}).status == 403
    assert owner.post("/api/v1/qr", {"text": ""}).status == 422

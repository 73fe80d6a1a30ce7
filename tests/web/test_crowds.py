"""Many judges over HTTP: their questions come from the pool, their answers are stored at once, and nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.torture.asgi import Client
from prefero.study.pool import CROWD, moment
from prefero.web import app as web_app
from prefero.web import crowds as crowds_module
from tests.web.conftest import answer


@pytest.fixture
def judges(service, study):
    """As many judges as make a crowd, and one more."""
    clients = [Client(service.app, service.token("judge", "line 3", f"judge {k}")) for k in range(CROWD + 1)]
    yield clients
    for client in clients:
        client.close()


def shown(client, study):
    reply = client.get(f"{study}/question")
    assert reply.status == 200, reply.body
    return reply.json()["question"]


def test_the_questions_of_a_crowd_come_from_the_pool(service, study, judges):
    for turn in range(3):
        for k, judge in enumerate(judges):
            question = shown(judge, study)
            assert shown(judge, study) == question  # it waits
            said = {"step": question["step"], "answer": "a", "answer_id": f"{k} {turn}"}
            first = judge.post(f"{study}/answers", said)
            assert first.status == 200, first.body
            assert judge.post(f"{study}/answers", said).json()["saved"] == first.json()["saved"]
    events = service.events(study)
    assert [event["sequence"] for event in events] == list(range(len(events)))
    asked = [event["data"] for event in events if event["event"] == "asked"]
    assert [each["step"] for each in asked] == list(range(3 * len(judges)))
    pooled = [each for each in asked if each["known"] is not None]
    assert len(pooled) > len(judges)
    by_judge = [(each["judge"], str(each["first"]), str(each["second"])) for each in pooled]
    assert len(set(by_judge)) == len(by_judge)  # nobody gets a pair of the pool twice
    result = service.owner.get(f"{study}/result").json()
    assert result["answers"] == 3 * len(judges)


def test_a_few_judges_get_the_question_that_fits_the_last_answer(service, owner, study):
    for k in range(CROWD - 1):
        answer(owner, study, judge=f"judge {k}")
    asked = [event["data"] for event in service.events(study) if event["event"] == "asked"]
    assert {each["known"] for each in asked} == {None}


def test_a_question_with_a_file_shows_it(service, study, judges):
    for judge in judges:
        step = shown(judge, study)["step"]
        judge.post(f"{study}/answers", {"step": step, "answer": "b", "answer_id": f"{step}"})
    question = shown(judges[0], study)
    place = f"{study}/questions/{question['step']}/a/files/note"
    assert service.owner.request("PUT", place, body=b"loud", headers={"Content-Type": "text/plain"}).status == 200
    assert set(shown(judges[0], study)["measured"]["a"]["files"]) == {"note"}


def test_without_a_pool_judges_wait_a_little_and_get_a_question_of_their_own(service, study, judges, monkeypatch):
    monkeypatch.setattr(web_app, "PATIENT_SECONDS", 0.3)
    crowds = service.app.state.services.crowds
    monkeypatch.setattr(crowds._worker, "start", lambda: None)
    steps = [shown(judge, study)["step"] for judge in judges]
    assert steps == list(range(len(judges)))
    assert {event["data"].get("known") for event in service.events(study) if event["event"] == "asked"} == {None}


def test_a_judge_cannot_fill_the_database(make_service):
    service = make_service(judge_events=6)
    study = service.create()
    judge = Client(service.app, service.token("judge", "line 3", "ann"))
    try:
        for k in range(3):
            step = shown(judge, study)["step"]
            judge.post(f"{study}/answers", {"step": step, "answer": "a", "answer_id": f"{k}"})
        before = service.events(study)
        refused = judge.get(f"{study}/question")
        assert (refused.status, "limit of 6" in refused.json()["error"]) == (429, True)
        for path, body in ((f"{study}/undo", {"step": step}), (f"{study}/answers/{step}/correct", {"answer": "b"})):
            assert judge.post(path, body).status == 429
        assert service.events(study) == before
        assert service.owner.post(f"{study}/answers/{step}/correct", {"answer": "b"}).status == 200
    finally:
        judge.close()


def test_the_worker_ends_with_its_server_and_is_started_again(service, study, judges, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for judge in judges:
        shown(judge, study)
    (worker,) = wait_for(workers)
    if sys.platform == "linux":  # several threads that compute would wait for each other on a busy machine
        assert b"OMP_NUM_THREADS=1" in Path(f"/proc/{worker}/environ").read_bytes().split(b"\0")
    os.kill(worker, signal.SIGKILL)
    (other,) = wait_for(lambda: [pid for pid in workers() if pid != worker])
    service.app.state.services.close()
    assert other not in workers()


def test_a_worker_without_a_server_ends(service):
    command = [sys.executable, "-P", "-m", "prefero.study.worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as worker:
        worker.stdin.write(f"{service.url}\n".encode())
        worker.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(3)
        worker.stdin.close()
        assert worker.wait(120) == 0


def workers():
    """The worker processes of this process."""
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "prefero.study.worker" in line]


def wait_for(look, seconds=60.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def test_while_the_pool_is_dry_one_of_those_who_wait_looks(service, study, monkeypatch):
    crowds = service.app.state.services.crowds
    monkeypatch.setattr(crowds._worker, "start", lambda: None)
    for k in range(CROWD):
        crowds.gathered("line 3", f"judge {k}")
    assert crowds.pause("line 3") == 0.0  # nobody has looked yet
    monkeypatch.setattr(crowds_module, "DRY_SECONDS", 3600.0)
    assert crowds.ask("line 3", "judge 0") is None
    assert crowds.pause("line 3") > 3000
    crowds._seen["line 3"].dry = 1e-9  # the time is over
    assert crowds.pause("line 3") == 0.0  # for one of them
    assert crowds.pause("line 3") > 3000
    storage = service.app.state.services.storage
    pair = {"first": {"x": 0.1, "y": 1}, "second": {"x": 0.2, "y": 2}, "swapped": False, "note": "", "known": 1}
    assert storage.lease("line 3", "test", moment(), moment(60))
    assert storage.fill("line 3", "test", [pair], 8)
    assert crowds.ask("line 3", "judge 1") is not None
    assert crowds.pause("line 3") == 0.0  # there may be something for the others

"""Hints that the owner's program suggests over HTTP: nothing counts until somebody gives them, and no answer waits."""

import sys
import threading

import pytest

from prefero.cli.judges import reasons_of
from tests.web.conftest import answer


def less_x(told):
    return [{"kind": "less", "variable": "x", "why": told["reason"]}, {"kind": "more", "variable": "nothing"}]


def test_suggestions_count_once_they_are_given_as_hints(make_service):
    runs = []
    service = make_service(reasons=lambda told: runs.append(told["step"]) or less_x(told))
    path, owner = service.create("mugs"), service.owner
    answer(owner, path, judge="ann", note="too large")
    events = len(service.events(path))
    ann = service.token("judge", "mugs", "ann")
    for _ in range(2):
        reply = owner.post(f"{path}/answers/0/suggest", {}, token=ann)
        assert reply.status == 200
    [suggestion] = reply.json()["suggestions"]
    assert (suggestion["kind"], suggestion["variable"], suggestion.pop("why")) == ("less", "x", "too large")
    assert runs == [0]  # a repeat does not start the program again
    assert len(service.events(path)) == events
    assert owner.post(f"{path}/hints", suggestion, token=ann).status == 200
    assert owner.get(f"{path}/history").json()["history"][-1]["answer"] == "less x"


def test_who_may_not_see_an_answer_gets_no_suggestions(make_service):
    service = make_service(reasons=less_x)
    path, owner = service.create("mugs"), service.owner
    answer(owner, path, judge="ann", note="too large")
    owner.get(f"{path}/question?judge=ann")
    bob, reader = service.token("judge", "mugs", "bob"), service.token("viewer", "mugs")
    assert [owner.post(f"{path}/answers/0/suggest", {}, token=who).status for who in (bob, reader)] == [403, 403]
    assert [owner.post(f"{path}/answers/{step}/suggest", {}).status for step in (1, 7, -1)] == [404, 404, 404]
    assert owner.post(f"{path}/answers/0/suggest", {"program": "sh"}).status == 422


def test_without_a_program_or_a_reason_there_are_no_suggestions(service, owner, make_service):
    path = service.create("mugs")
    answer(owner, path, note="too large")
    refused = owner.post(f"{path}/answers/0/suggest", {})
    assert refused.status == 404
    assert "--reasons" in refused.json()["error"]
    other = make_service(reasons=less_x)
    path = other.create("cups")
    answer(other.owner, path)
    assert other.owner.post(f"{path}/answers/0/suggest", {}).json() == {"suggestions": []}


@pytest.mark.parametrize("code", ["raise SystemExit('secret')", "print('secret')", "import time; time.sleep(60)"])
def test_a_program_that_fails_or_hangs_loses_no_answer_and_tells_judges_nothing(make_service, tmp_path, code):
    program = tmp_path / "hints.py"
    program.write_text(code)
    service = make_service(reasons=reasons_of(f"{sys.executable} {program}", 0.5 if "sleep" in code else 60))
    path, owner = service.create("mugs"), service.owner
    answer(owner, path, note="too large")
    refused = owner.post(f"{path}/answers/0/suggest", {})
    assert refused.status == 502
    assert "secret" not in refused.json()["error"]
    assert answer(owner, path)["answers"] == 2


def test_while_programs_run_answers_are_saved_and_a_further_request_is_refused(make_service):
    began, go_on = threading.Event(), threading.Event()

    def slow(told):
        began.set()
        assert go_on.wait(60)
        return less_x(told)

    service = make_service(reasons=slow, suggest_threads=1)
    path, owner = service.create("mugs"), service.owner
    answer(owner, path, note="too large")
    replies = []
    waiting = threading.Thread(target=lambda: replies.append(owner.post(f"{path}/answers/0/suggest", {})))
    waiting.start()
    try:
        assert began.wait(60)
        assert answer(owner, path)["answers"] == 2
        busy = owner.post(f"{path}/answers/0/suggest", {})
        assert (busy.status, "try again" in busy.json()["error"]) == (503, True)
    finally:
        go_on.set()
        waiting.join()
    assert replies[0].status == 200

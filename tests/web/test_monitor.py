"""How the server is: whether its storage answers, and its counts for Prometheus."""

import re
import threading

import pytest

from benchmarks.torture.asgi import Client
from prefero.errors import StorageError
from prefero.web import monitor
from tests.web.conftest import answer


def test_a_server_whose_storage_answers_is_well(service, owner):
    reply = owner.get("/healthz", token=None)
    assert (reply.status, reply.json()) == (200, {"status": "ok"})


def test_a_server_whose_storage_fails_is_not(service, owner, monkeypatch):
    def broken(*_):
        raise StorageError("no connection to postgresql://plant@db, or it was lost")

    monkeypatch.setattr(service.app.state.services.storage, "tokens", broken)
    reply = owner.get("/healthz", token=None)
    assert reply.status == 503
    assert b"plant" not in reply.body


def test_a_storage_that_hangs_is_asked_once(service, owner, monkeypatch):
    monkeypatch.setattr(monitor, "HEALTH_SECONDS", 0.1)
    monkeypatch.setattr(monitor, "KEPT_SECONDS", 0.0)
    asked, released = [], threading.Event()

    def hangs(*_):
        asked.append(1)
        released.wait(60)
        return []

    monkeypatch.setattr(service.app.state.services.storage, "tokens", hangs)
    assert [owner.get("/healthz", token=None).status for _ in range(3)] == [503] * 3
    assert len(asked) == 1
    released.set()


def test_one_look_at_the_storage_is_shared(service, owner, monkeypatch):
    monkeypatch.setattr(monitor, "KEPT_SECONDS", 3600.0)
    tokens, asked = service.app.state.services.storage.tokens, []
    monkeypatch.setattr(service.app.state.services.storage, "tokens", lambda *d: asked.append(d) or tokens(*d))
    assert {owner.get("/healthz", token=None).status for _ in range(20)} == {200}
    assert len(asked) == 1


def samples(client: Client) -> dict[str, float]:
    """The values by name and labels, without the process; every line has to be in Prometheus's format."""
    reply = client.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = {}
    for line in reply.body.decode().splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))", line)
            continue
        name, labels, value = re.fullmatch(r'(\w+)\{process="\d+"((?:,\w+="[^"]*")*)\} (\S+)', line).groups()
        found[name + labels] = float(value)
    return found


def test_requests_and_answers_are_counted(service, owner, study):
    for _ in range(3):
        answer(owner, study)
    owner.get("/api/v1/nothing")
    owner.get(f"{study}/question", token="prefero_wrong")
    found = samples(owner)
    assert found["prefero_answers_saved_total"] == 3
    assert found["prefero_questions_total"] == 3
    assert found['prefero_requests_total,route="get_question",status="200"'] == 3
    assert found['prefero_requests_total,route="get_question",status="401"'] == 1
    assert found['prefero_requests_total,route="other",status="404"'] == 1
    assert found['prefero_request_seconds_count,route="get_question"'] == 4
    assert found['prefero_request_seconds_bucket,route="get_question",le="+Inf"'] == 4
    assert found['prefero_request_seconds_sum,route="get_question"'] > 0
    assert found["prefero_proposal_seconds_count"] >= 2
    assert found["prefero_proposal_seconds_sum"] > 0
    assert found["prefero_open_studies"] == 1
    assert found["prefero_bytes_in_flight"] == 0
    assert found["process_cpu_seconds_total"] > 0


def test_the_buckets_of_a_histogram_add_up(service, owner):
    for seconds in (0.001, 0.005, 0.2, 60.0):
        service.app.state.monitor.done({monitor.ROUTE: "r"}, 200, seconds)
    found = samples(owner)
    counts = {end: found[f'prefero_request_seconds_bucket,route="r",le="{end}"'] for end in (*monitor.BUCKETS, "+Inf")}
    assert (counts[0.005], counts[0.1], counts[0.25], counts[10.0], counts["+Inf"]) == (2, 2, 3, 3, 4)
    assert found['prefero_request_seconds_sum,route="r"'] == pytest.approx(60.206)


def test_the_counts_need_a_token_that_reads_everything(service, owner, study):
    statuses = {
        "nobody": owner.get("/metrics", token=None).status,
        "judge": owner.get("/metrics", token=service.token("judge", "line 3", "ann")).status,
        "owner of one study": owner.get("/metrics", token=service.token("owner", "line 3")).status,
        "viewer": owner.get("/metrics", token=service.token("viewer")).status,
    }
    assert statuses == {"nobody": 401, "judge": 403, "owner of one study": 403, "viewer": 200}

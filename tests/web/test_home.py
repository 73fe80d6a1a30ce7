"""The list of studies: cards, a search when there are many, what was put away, and nothing that would be refused."""

import pytest

from benchmarks.torture.asgi import Client
from prefero.web import arrangements
from tests.web.conftest import answer


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(arrangements, "KEPT_SECONDS", -1.0)


def home(client) -> str:
    reply = client.get("/", headers={"Cookie": f"prefero={client.token}"}, token=None)
    assert reply.status == 200
    return reply.body.decode()


def test_cards_say_how_far_each_study_is(owner, study):
    assert "No answers yet" in home(owner)
    answer(owner, study)
    owner.request("PATCH", study, {"title": "Line <three>", "comparisons": 1})
    page = home(owner)
    assert "No answers yet" not in page
    assert "Line &lt;three&gt;" in page
    assert "<b>1</b> of about 1 answer<" in page
    assert ">Done<" in page
    assert "Last answer <time" in page
    assert 'type="search"' not in page
    owner.request("PATCH", study, {"paused": True})
    assert ">Paused<" in home(owner)


def test_many_studies_can_be_searched(service, owner):
    for k in range(4):
        service.create(f"study {k}")
    assert 'type="search"' in home(owner)


def test_what_was_put_away_is_folded_and_an_empty_house_invites(service, owner, study):
    owner.request("PATCH", study, {"archived": True})
    assert "Archived (1)" in home(owner)
    owner.request("PATCH", study, {"archived": False, "deleted": True})
    page = home(owner)
    assert "What would you like to choose?" in page
    assert "Deleted (1)" in page
    with Client(service.app, service.token("judge", "line 3", "ann")) as judge:
        assert "line 3" not in home(judge)


def test_judges_and_viewers_see_no_button_that_would_be_refused(service, owner, study):
    assert 'data-do="deleted"' in home(owner)
    for role in ("judge", "viewer"):
        with Client(service.app, service.token(role, "line 3", "ann")) as client:
            page = home(client)
            assert "line 3" in page
            assert "data-do" not in page
            assert "/new" not in page

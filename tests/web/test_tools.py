"""A desk's functions as the protocol's tools, called by the official client."""

import json

from prefero.storage import Memory
from prefero.web.agents.desk import TOOLS, Desk
from prefero.web.agents.tools import server_of
from tests.agents import conversation

DOSE = [{"name": "dose", "type": "real", "low": 14, "high": 22}]


def calling(desk, *calls):
    """What a client gets for each call: (whether it failed, what it says)."""
    listed, replies = conversation(server_of(desk), calls)
    return listed, [(bool(reply.is_error), reply.content[0].text) for reply in replies]


def test_every_tool_is_described_with_its_arguments():
    listed, _ = calling(Desk(Memory()))
    assert [tool.name for tool in listed] == list(TOOLS["owner"])
    assert all(tool.description for tool in listed)
    by_name = {tool.name: tool.input_schema for tool in listed}
    assert by_name["answer"]["required"] == ["study", "step", "answer"]


def test_a_study_by_its_tools():
    _, replies = calling(
        Desk(Memory()),
        ("create_study", {"name": "tea", "variables": DOSE}),
        ("ask", {"study": "tea"}),
        ("answer", {"study": "tea", "step": 0, "answer": "b"}),
        ("look_at_result", {"study": "tea"}),
    )
    assert not any(failed for failed, _ in replies)
    assert json.loads(replies[1][1])["question"]["step"] == 0
    assert json.loads(replies[3][1])["best"]


def test_bad_input_is_the_tools_error_and_nothing_is_stored():
    desk = Desk(Memory())
    _, replies = calling(
        desk,
        ("create_study", {"name": "tea", "variables": DOSE}),
        ("answer", {"study": "tea", "step": 0, "answer": "a"}),
        ("ask", {"study": "coffee"}),
        ("ask", {}),
        ("answer", {"study": "tea", "step": "x", "answer": "a"}),
    )
    assert [failed for failed, _ in replies] == [False, True, True, True, True]
    assert "there is no study 'coffee'" in replies[2][1]
    assert "Traceback" not in "".join(text for _, text in replies)
    assert desk.list_studies()[0]["answers"] == 0


def test_a_tool_of_another_role_does_not_exist():
    storage = Memory()
    Desk(storage).create_study("tea", DOSE)
    listed, replies = calling(
        Desk(storage, "viewer"),
        ("ask", {"study": "tea"}),
        ("create_study", {"name": "x", "variables": DOSE}),
        ("look_at_result", {"study": "tea"}),
    )
    assert [tool.name for tool in listed] == list(TOOLS["viewer"])
    assert [failed for failed, _ in replies] == [True, True, False]
    assert len(Desk(storage).list_studies()) == 1


def test_what_breaks_inside_is_not_told(monkeypatch):
    desk = Desk(Memory())
    monkeypatch.setattr(desk.storage, "studies", lambda: 1 / 0)
    _, [(failed, text)] = calling(desk, ("list_studies", {}))
    assert failed
    assert "division" not in text

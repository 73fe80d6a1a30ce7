"""`prefero mcp` as an agent starts it: a process, with the protocol on its standard input and output."""

import json
import sys

import pytest
from mcp.client.stdio import StdioServerParameters

import prefero as pf
from prefero import cli
from tests.agents import conversation

SPACE = pf.Space({"dose": pf.Real(14, 22)})


def talking(path, *options, calls):
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "prefero", "mcp", "--storage", str(path), *options]
    )
    tools, replies = conversation(command, calls)
    return [tool.name for tool in tools], replies


def test_an_owner_and_then_a_judge_work_with_one_database(tmp_path):
    path = tmp_path / "x.db"
    dose = [{"name": "dose", "type": "real", "low": 14, "high": 22}]
    create = ("create_study", {"name": "tea", "variables": dose, "comparisons": 5})
    tools, replies = talking(path, calls=[create])
    assert "create_study" in tools
    assert not replies[0].is_error
    calls = [("ask", {"study": "tea"}), ("answer", {"study": "tea", "step": 0, "answer": "b"}), create]
    tools, replies = talking(path, "tea", "--role", "judge", "--as", "model", calls=calls)
    assert "create_study" not in tools
    assert [bool(reply.is_error) for reply in replies] == [False, False, True]
    assert json.loads(replies[0].content[0].text)["question"]["step"] == 0
    with pf.Study.open("tea", str(path)) as study:
        assert [(entry.answer, entry.who) for entry in study.answers] == [("b", "model")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--role", "admin"], "role"),
        (["--role", "judge"], "a judge needs"),
        (["tea"], "no study 'tea'"),
        (["--role", "viewer", "--as", "x"], "viewer"),
    ],
)
def test_a_mistake_is_one_line(tmp_path, capsys, options, words):
    path = str(tmp_path / "x.db")
    pf.Study.create(SPACE, name="espresso", storage=path).close()
    assert cli.run(["mcp", *options, "--storage", path]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert len(said.err.splitlines()) == 1


def test_a_missing_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "prefero.web.agents.tools", raising=False)
    assert cli.run(["mcp", "--storage", str(tmp_path / "x.db")]) == 2
    assert "pip install 'prefero[mcp]'" in capsys.readouterr().err
    assert not (tmp_path / "x.db").exists()

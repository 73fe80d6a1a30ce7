"""As a new user would: create, answer ten questions over three processes, undo two, correct one, move elsewhere, go on."""

import json

from tests.cli.conftest import COFFEE


def test_a_study_over_three_processes_and_two_places(program, prefero, here):
    (here / "coffee.toml").write_text(COFFEE, encoding="utf-8")
    prefero("new", "coffee.toml").fine()
    program("compare", stdin="a\nb\nsame\nb\n").fine()
    program("compare", stdin="b\na\na\nb\nundo\nundo\n").fine()
    prefero("correct", 1, "a").fine()
    program("compare", stdin="a\na\nb\nb\n").fine()
    status = prefero("status", "--json").fine().data
    assert (status["answers"], status["expected"]) == (10, 12)
    prefero("export", "-o", "coffee.json").fine()

    elsewhere = ("--storage", "sqlite:///elsewhere.db")
    prefero("import", "coffee.json", *elsewhere).fine()
    question = prefero("ask", "--json").fine().data
    assert prefero("ask", "--json", *elsewhere).fine().data == question
    assert json.loads(program("ask", "--json", *elsewhere).fine().out) == question
    assert question["answers"] == 10
    rows = prefero("history", "--all", "--json").fine().data
    assert prefero("history", "--all", "--json", *elsewhere).fine().data == rows
    assert [row["status"] for row in rows].count(
        "undone"
    ) == 1  # of the two taken back, the earlier waited and was answered
    assert rows[1]["corrected"]
    log = prefero("history", "--events", "--json").fine().data
    assert [row["event"] for row in log].count("undone") == 2

"""Errors of the command line: one line on standard error, no traceback, exit code 2, nothing changed."""

import os
import stat
from typing import get_args, get_type_hints

import pytest

import prefero as pf
from prefero.cli.commands import app

BLOCKED = "import sys; sys.modules[{!r}] = None; from prefero.cli import main; main()"


MISTAKES = [
    (("status", "tea"), ("there is no study 'tea'",)),
    (("new", "coffee.toml"), ("there is a study 'coffee'", "already")),
    (("status", "--storage", "mysql://u:secret@h/db"), ("storage", "mysql", "sqlite:///file.db")),
    (("status", "--storage", "coffee.toml"), ("coffee.toml", "is not a database")),
    (("status", "--storage", "sqlite:///nowhere.db"), ("there is no database 'nowhere.db'",)),
    (("new", "coffee.toml", "--storage", "no/where.db"), ("no/where.db", "cannot be created", "No such file")),
    (("answer", "a"), ("no question is waiting",)),
    (("answer", "a", "--step", "x"), ("--step",)),
    (("frob",), ("frob", "--help")),
    (("use", "foo"), ("proposer: got 'foo'; allowed: posterior, glisp, pbo\n",)),
    (("ask", "--frob"), ("--frob",)),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES)
def test_a_mistake_is_one_line_and_changes_nothing(coffee, prefero, arguments, words):
    before = prefero("export").fine().out
    ended = prefero(*arguments).refused(*words)
    assert "secret" not in ended.err
    assert prefero("export").fine().out == before


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("new", "-n", "abc"), "--comparisons, -n: got 'abc'; allowed: a whole number of at least 1"),
        (("new", "--comparisons", "0"), "--comparisons, -n: got '0'; allowed: a whole number of at least 1"),
        (("new", "--seed", "x"), "--seed: got 'x'; allowed: a whole number of at least 0"),
        (("serve", "--port", "abc"), "--port: got 'abc'; allowed: a whole number from 0 to 65535"),
        (("serve", "--port", "65536"), "--port: got '65536'; allowed: a whole number from 0 to 65535"),
        (("serve", "--processes", "many"), "--processes: got 'many'; allowed: a whole number of at least 1"),
        (("serve", "x.py", "--simulate", "0"), "--simulate: got '0'; allowed: a whole number of at least 1"),
        (("demo", "colour", "-n", "2.5"), "--answers, -n: got '2.5'; allowed: a whole number of at least 1"),
        (("compare", "-n", "-1"), "--answers, -n: got '-1'; allowed: a whole number of at least 1"),
        (("solve", "--answers", "0"), "--answers, -n: got '0'; allowed: a whole number of at least 1"),
        (("solve", "--timeout", "inf"), "--timeout: got 'inf'; allowed: a number of at least 0.001"),
        (("answer", "a", "--seconds", "q"), "--seconds: got 'q'; allowed: a number of at least 0"),
        (("answer", "a", "--step", "x"), "--step: got 'x'; allowed: a whole number"),
        (("correct", "x", "a"), "STEP: got 'x'; allowed: a whole number, or i1, i2, … for an imported comparison"),
        (("solve", "--timeout", "nan"), "--timeout: got 'nan'; allowed: a number of at least 0.001"),
        (("remove", "1.5"), "STEP: got '1.5'; allowed: a whole number, or i1, i2, … for an imported comparison"),
    ],
)
def test_what_is_no_number_is_named(prefero, arguments, complaint):
    assert prefero(*arguments).refused().err == f"prefero: {complaint}\n"


def test_no_option_lets_typer_complain_about_numbers():
    """Options that are numbers are made by prefero.cli.numeric."""
    for command in app.registered_commands:
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            kinds = [kind for given in get_args(hint)[:1] for kind in (given, *get_args(given))]
            if int in kinds or float in kinds:
                assert hint.__metadata__[0].parser is not None, (command.name, name)


@pytest.mark.parametrize(("arguments", "words"), [MISTAKES[0], MISTAKES[3], MISTAKES[8]])
def test_a_process_ends_as_it_should(coffee, program, arguments, words):
    program(*arguments).refused(*words)


def test_a_judge_who_said_nothing_is_told_who_did(coffee, prefero):
    prefero("ask").fine()
    prefero("answer", "a").fine()
    prefero("result", "--by", "Bob").refused("--by: got 'Bob'; allowed: no name, because none of the judges has one")
    prefero("ask", "--as", "Ada").fine()
    prefero("answer", "b", "--as", "Ada").fine()
    prefero("result", "--by", "Bob").refused("--by: got 'Bob'; allowed: one of the judges who answered: 'Ada'\n")
    prefero("result", "--by", "").fine()


@pytest.mark.parametrize("command", [("status",), ("delete", "--yes")])
def test_where_there_is_no_such_study_those_there_are_are_named(coffee, prefero, command):
    prefero(*command, "tea").refused("there is no study 'tea' in", "; the database has 'coffee'\n")
    for name in "bcdef":
        prefero("new", coffee, "--name", name).fine()
    prefero(*command, "tea").refused("; the database has 'coffee', 'b', 'c', 'd', 'e', …\n")
    for name in ("coffee", *"bcdef"):
        prefero("delete", "--yes", name).fine()
    prefero(*command, "tea").refused("there is no study 'tea' in", "; there is no study yet", "prefero new")


def test_without_a_database_the_way_on_is_named(prefero, here):
    prefero("ask").refused("there is no database 'prefero.db'", "prefero new", "--storage")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("module", "arguments", "words"),
    [
        ("typer", ("status",), ("typer", "pip install 'prefero[studies]'")),
        ("sqlalchemy", ("status",), ("sqlalchemy", "pip install 'prefero[studies]'")),
        ("psycopg", ("status", "--storage", "postgresql://h/db"), ("pip install 'prefero[postgres]'",)),
    ],
)
def test_a_missing_extra_is_named(program, module, arguments, words):
    program(*arguments, code=BLOCKED.format(module)).refused(*words)


def test_a_study_deleted_meanwhile(coffee, prefero):
    """Line by line, as another process takes the study away under it."""
    from prefero.cli import compare

    class Deletes(compare.Lines):
        def ask(self, study, question, news):
            pf.delete_study("coffee", "sqlite:///prefero.db")
            return "a"

    study = pf.Study.open("coffee", "sqlite:///prefero.db")
    with pytest.raises(pf.PreferoError, match="deleted meanwhile"):
        compare.ask_questions(study, "", Deletes())


def test_a_locked_database_is_no_mistake_and_ends_with_another_code(coffee, prefero):
    import sqlite3

    with sqlite3.connect("prefero.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        ended = prefero("ask", "--storage", "sqlite:///prefero.db?timeout=0.01")
        other.execute("ROLLBACK")
    ended.refused("locked", code=1)
    other.close()
    prefero("ask").fine()


def test_a_new_database_belongs_to_its_owner_alone(coffee, here):
    if os.name != "nt":
        assert stat.S_IMODE((here / "prefero.db").stat().st_mode) == 0o600


def test_what_nobody_expected_is_not_hidden(prefero, monkeypatch, coffee):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("prefero.study.Study.ask", broken)
    with pytest.raises(ZeroDivisionError):
        prefero("ask")


def test_a_terminal_without_the_characters_is_no_reason_to_fail(coffee, program):
    ended = program("ask", PYTHONIOENCODING="ascii")
    assert ended.code == 0, ended.err

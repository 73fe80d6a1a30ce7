"""Judges that are no people: a taste that is built in, a function, a program."""

import json
import sys

import pytest

from prefero.cli.judges import DISAGREED


def script(here, name: str, body: str) -> str:
    path = here / name
    path.write_text(f"import json, sys\nq = json.load(sys.stdin)\n{body}\n", encoding="utf-8")
    return f"'{sys.executable}' {name}"


def test_a_taste_finds_what_it_likes(coffee, prefero):
    data = prefero("solve", "--judge", "near:dose=16,milk=oat", "--json").fine().data
    assert (data["given"], data["answers"], data["best"]["milk"]) == (12, 12, "oat")
    assert abs(data["best"]["dose"] - 16) < 2


@pytest.mark.parametrize(("judge", "better"), [("least:degrees", min), ("most:degrees", max)])
def test_little_or_much_of_one_variable(coffee, prefero, judge, better):
    prefero("solve", "--judge", judge, "--answers", 3).fine()
    for row in prefero("history", "--json").data:
        a, b = row["a"]["degrees"], row["b"]["degrees"]
        assert row["answer"] == ("same" if a == b else "a" if better(a, b) == a else "b")


def test_a_judge_that_calls_exit_ends_with_a_complaint(coffee, here, prefero, program, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (here / "leaves.py").write_text(
        "import sys\n\ndef prefer(a, b):\n    sys.exit(3)\n\ndef silent(a, b):\n    sys.exit()\n", encoding="utf-8"
    )
    (here / "leaves_at_once.py").write_text("raise SystemExit(4)\n", encoding="utf-8")
    said = program("solve", "--judge", "leaves:prefer").refused("leaves:prefer ended with exit code 3", code=1)
    assert "0 answers given" in said.out
    prefero("solve", "--judge", "leaves:silent").refused("leaves:silent ended with exit code 0", code=1)
    prefero("solve", "--judge", "leaves_at_once:prefer").refused(
        "cannot import the module 'leaves_at_once'", "SystemExit: 4"
    )


def test_a_function_of_a_module_in_this_directory(coffee, here, prefero, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (here / "taste_of_mine.py").write_text(
        "def prefer(a, b):\n    return 'a' if a['dose'] < b['dose'] else 'b'\n\ndef bad(a, b):\n    return 7\n\n"
        "def worse(a, b):\n    raise RuntimeError('no idea')\n\nnumber = 3\n",
        encoding="utf-8",
    )
    assert "2 answers given" in prefero("solve", "--judge", "taste_of_mine:prefer", "-n", 2).fine().out
    prefero("solve", "--judge", "taste_of_mine:bad").refused("taste_of_mine:bad", "7", code=1)
    prefero("solve", "--judge", "taste_of_mine:worse").refused("RuntimeError: no idea", code=1)
    prefero("solve", "--judge", "taste_of_mine:number").refused("taste_of_mine:number", "a function")
    prefero("solve", "--judge", "no_such_module_here:f").refused("no_such_module_here")
    assert prefero("status", "--json").data["answers"] == 2
    sys.modules.pop("taste_of_mine")


def test_a_program_reads_json_and_prints_its_answer(coffee, here, prefero):
    judge = script(here, "judge.py", "print('thinking'); print('A' if q['a']['dose'] < q['b']['dose'] else 'b')")
    prefero("solve", "--judge", judge, "-n", 3, "--as", "bench").fine()
    rows = prefero("history", "--json").data
    assert [row["answer"] for row in rows] == ["a" if r["a"]["dose"] < r["b"]["dose"] else "b" for r in rows]
    assert {row["who"] for row in rows} == {"bench"}


def test_a_program_is_given_the_whole_question(coffee, here, prefero):
    judge = script(here, "judge.py", "json.dump(q, open('seen.json', 'w')); print('same')")
    asked = prefero("ask", "--json").data
    prefero("solve", "--judge", judge, "-n", 1).fine()
    assert json.loads((here / "seen.json").read_text(encoding="utf-8")) == asked


def test_a_program_may_skip_and_say_that_one_failed(coffee, here, prefero):
    judge = script(here, "judge.py", "print({0: 'skip', 1: 'a failed'}.get(q['step'], 'b'))")
    out = prefero("solve", "--judge", judge, "-n", 2).fine().out
    assert "2 answers given, 1 skipped, 1 failed" in out
    assert [row["answer"] for row in prefero("history", "--json").data] == ["skipped", "a failed", "b", "b"]


def test_no_shell_reads_the_judge(coffee, here, prefero):
    judge = script(here, "judge.py", "open('arguments', 'w').write(repr(sys.argv[1:])); print('a')")
    prefero("solve", "--judge", f"{judge} '$HOME' '; touch broken' `x`", "-n", 1).fine()
    assert (here / "arguments").read_text(encoding="utf-8") == "['$HOME', '; touch broken', '`x`']"
    assert not (here / "broken").exists()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("print('perhaps')", ("'perhaps'", "a, b, same")),
        ("pass", ("''", "a, b, same")),
        ("sys.exit('the bench is off')", ("exit code 1", "the bench is off")),
        ("import time; time.sleep(60)", ("did not answer within 1 s",)),
    ],
)
def test_a_program_that_does_not_answer_loses_nothing(coffee, here, prefero, body, words):
    judge = script(here, "judge.py", f"if q['step'] < 2:\n    print('a'); sys.exit()\n{body}")
    ended = prefero("solve", "--judge", judge, "--timeout", "1" if "sleep" in body else "30")
    ended.refused(*words, code=1)
    assert "2 answers given" in ended.out
    status = prefero("status", "--json").data
    assert (status["answers"], status["waiting"][0]["step"]) == (2, 2)


def test_swapped_sides_must_agree(coffee, here, prefero):
    left = script(here, "left.py", "print('a')")  # whatever stands left
    prefero("solve", "--judge", left, "--swap").refused("10 questions in a row", code=1)
    rows = prefero("history", "--json").data
    assert {(row["answer"], row["note"]) for row in rows} == {("skipped", DISAGREED)}
    fair = script(here, "fair.py", "print('a' if q['a']['dose'] < q['b']['dose'] else 'b')")
    assert prefero("solve", "--judge", fair, "--swap", "-n", 2, "--json").fine().data["given"] == 2


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        ("", ("--judge",)),
        ("./no-such-judge.sh", ("no-such-judge.sh", "was not found")),
        ("'unclosed", ("unclosed", "No closing quotation")),
        ("near:", ("near:", "NAME=VALUE")),
        ("near:size=3", ("size=3", "dose")),
        ("near:milk=soy", ("milk", "'soy'")),
        ("least:milk", ("least:milk", "dose")),
    ],
)
def test_a_judge_that_there_is_not(coffee, prefero, judge, words):
    before = prefero("export").out
    prefero("solve", "--judge", judge).refused(*words)
    assert prefero("export").out == before


def test_a_finite_space_may_end_it_before(prefero):
    prefero("new", "--name", "tiny", "-v", "x=a,b,c", "--seed", 0).fine()
    assert prefero("solve", "--judge", "near:x=b", "--json").fine().data["best"] == {"x": "b"}

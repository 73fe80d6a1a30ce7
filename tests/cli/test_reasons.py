"""`prefero answer --reasons`: a program that suggests hints from a note."""

import pickle
import shlex
import sys

import pytest

from prefero.cli.judges import reasons_of

LESS = "import json, sys; told = json.load(sys.stdin); print(json.dumps([dict(kind='less', variable='dose', why=told['reason'])]))"


@pytest.fixture
def program(tmp_path):
    def written(code):
        file = tmp_path / "hints.py"
        file.write_text(code)
        return f"{sys.executable} {file}"

    return written


def test_a_program_suggests_hints_and_nothing_counts_until_they_are_given(coffee, prefero, program):
    prefero("ask").fine()
    ended = prefero("answer", "a", "--note", "too bitter", "--reasons", program(LESS)).fine()
    assert "Suggested: less dose (too bitter). If you agree: prefero hint less dose" in ended.out
    assert len(prefero("history", "--json").data) == 1
    prefero("ask").fine()
    ended = prefero("answer", "b", "--note", "too bitter", "--reasons", program(LESS), "--json").fine()
    assert [each["kind"] for each in ended.data["suggested"]] == ["less"]
    prefero("hint", "less", "dose").fine()
    prefero("ask").fine()
    assert prefero("answer", "b", "--reasons", program(LESS), "--json").fine().data["suggested"] == []


CANDIDATE = {"x": 0.25, "milk": "oat milk"}
TRY = {"kind": "try", "candidate": CANDIDATE}
NEAR = {"kind": "near", "candidate": CANDIDATE, "questions": 3, "within": 0.2}


@pytest.mark.parametrize(("hint", "said"), [(TRY, "try"), (NEAR, "near for 3 questions")])
def test_the_command_that_is_printed_gives_the_whole_hint(prefero, program, hint, said):
    prefero("new", "--name", "tiny", "-v", "x=0:1", "-v", "milk=oat milk,cow", "--seed", 0).fine()
    prefero("ask").fine()
    ended = prefero(
        "answer", "a", "--note", "hm", "--reasons", program(f"import json; print(json.dumps([{hint}]))")
    ).fine()
    command = " ".join(ended.out.split()).partition("If you agree: prefero ")[2]
    assert f"Saved: {said} (x 0.25, milk oat milk)." in prefero(*shlex.split(command)).fine().out


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "print('less dose')", "print('{}')", "print('[1]')"])
def test_a_program_that_fails_loses_no_answer(coffee, prefero, program, code):
    prefero("ask").fine()
    ended = prefero("answer", "a", "--note", "too bitter", "--reasons", program(code))
    assert ended.code == 0
    assert ended.out.startswith("Saved: A is better.")
    assert "no hints were suggested" in ended.err
    assert len(prefero("history", "--json").data) == 1


def test_a_program_that_does_not_exist_is_refused_before_anything_is_saved(coffee, prefero):
    prefero("ask").fine()
    prefero("answer", "a", "--note", "hm", "--reasons", "/nowhere/at/all").refused("--reasons", "was not found")
    assert prefero("history", "--json").data == []


def test_a_service_does_not_start_with_a_program_that_does_not_exist(coffee, prefero):
    prefero("serve", "--port", "0", "--reasons", "/nowhere/at/all").refused("--reasons", "was not found")


def test_the_program_can_be_sent_to_another_process(program):
    reasons = pickle.loads(pickle.dumps(reasons_of(program(LESS), 60)))
    assert reasons({"reason": "too bitter"}) == [{"kind": "less", "variable": "dose", "why": "too bitter"}]

"""`study.compare_in_terminal()`: the dialogue of `prefero compare`, from Python and from a notebook."""

import builtins
import io
import sys

import pytest

import prefero as pf


@pytest.fixture
def study():
    return pf.Study(pf.Space({"x": pf.Real(0, 1)}), seed=1, question="Which?")


def test_lines_are_answers(study, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nsame\nundo\nb\nquit\n"))
    study.compare_in_terminal(judge="Ada")
    said = capsys.readouterr().out
    assert "Which?" in said
    assert "2 answers this time" in said
    assert [(entry.answer, entry.who) for entry in study.answers if entry.status == "effective"] == [
        ("a", "Ada"),
        ("b", "Ada"),
    ]


def test_it_stops_after_so_many(study, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nb\nb\n"))
    study.compare_in_terminal(answers=2)
    assert study.n_comparisons == 2


def test_a_notebook_asks_until_it_is_understood(study, monkeypatch, capsys):
    typed = iter(["what?", "?", "A ", "quit"])
    monkeypatch.setitem(sys.modules, "ipykernel", io)
    monkeypatch.setattr(builtins, "input", lambda prompt: next(typed))
    study.compare_in_terminal()
    assert study.n_comparisons == 1
    assert "'what?' is none of a, b, same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("door", "extra"), [("widget", r"prefero\[ui\]"), ("compare_in_terminal", r"prefero\[studies\]")]
)
def test_a_door_that_is_not_installed_is_named(study, monkeypatch, door, extra):
    def missing(_):
        raise ModuleNotFoundError(name="starlette")

    monkeypatch.setattr("prefero.study.import_module", missing)
    with pytest.raises(pf.errors.InputError, match=f"starlette: pip install '{extra}'"):
        getattr(study, door)()

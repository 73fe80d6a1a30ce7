"""`pf.compare_in_terminal(study)`: the dialogue of `prefero compare`, from Python and from a notebook."""

import builtins
import io
import sys

import pytest

import prefero as pf


@pytest.fixture
def study():
    return pf.Study.create(pf.Space({"x": pf.Real(0, 1)}), name="x", seed=1, question="Which?")


def test_lines_are_answers(study, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nsame\nundo\nb\nquit\n"))
    pf.compare_in_terminal(study, judge="Ada")
    said = capsys.readouterr().out
    assert "Which?" in said
    assert "2 answers this time" in said
    assert [(entry.answer, entry.who) for entry in study.answers if entry.status == "effective"] == [
        ("a", "Ada"),
        ("b", "Ada"),
    ]


def test_it_stops_after_so_many(study, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nb\nb\n"))
    pf.compare_in_terminal(study, answers=2)
    assert len(study.history) == 2


def test_a_notebook_asks_until_it_is_understood(study, monkeypatch, capsys):
    typed = iter(["what?", "?", "A ", "quit"])
    monkeypatch.setitem(sys.modules, "ipykernel", io)
    monkeypatch.setattr(builtins, "input", lambda prompt: next(typed))
    pf.compare_in_terminal(study)
    assert len(study.history) == 1
    assert "'what?' is not one of: a, b, same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("door", "extra"),
    [
        ("frame", r"prefero\[ui\]"),
        ("widget", r"prefero\[notebook\]"),
        ("compare_in_terminal", r"prefero\[studies\]"),
    ],
)
def test_a_door_that_is_not_installed_is_named(monkeypatch, door, extra):
    def missing(_):
        raise ModuleNotFoundError(name="starlette")

    monkeypatch.setattr("prefero.import_module", missing)
    monkeypatch.delitem(vars(pf), door, raising=False)  # it may have been imported
    with pytest.raises(ImportError, match=f"starlette: pip install '{extra}'"):
        getattr(pf, door)

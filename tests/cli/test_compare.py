"""Question after question: with keys, line by line, and as a conversation between programs."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

import prefero as pf
from prefero.cli import compare, printing
from prefero.cli.keys import named
from prefero.errors import StorageError


def study() -> pf.Study:
    space = pf.Space(
        {"gain": pf.Real(0.1, 10, log=True, unit="V"), "taps": pf.Integer(1, 8), "window": pf.Choice(["x", "y"])}
    )
    return pf.Study.create(space, comparisons=3, seed=0, question="Which is calmer?", name="line 3")


# Lines -----------------------------------------------------------------------------------------------------------------


def test_lines_answer_one_question_each_and_the_end_stops(coffee, prefero):
    ended = prefero("compare", stdin="a\nB\nsame\nskip\nfail b\n").fine()
    assert [row["answer"] for row in prefero("history", "--json").data] == ["a", "b", "same", "skipped", "b failed"]
    assert ended.out.count("Which cup is better?") == 6
    assert "3 answers this time; 3 of about 12 answers in all. Everything is saved." in ended.out


def test_it_goes_on_where_it_was(coffee, prefero):
    waiting = prefero("ask", "--json").data
    prefero("compare", stdin="").fine()
    assert prefero("ask", "--json").data == waiting
    prefero("compare", stdin="a\nb\nundo\nquit\na\n").fine()
    assert prefero("status", "--json").data["answers"] == 1
    assert prefero("ask", "--json").data["step"] == 1


def test_a_line_that_says_nothing_ends_it_and_what_was_answered_stays(coffee, prefero):
    prefero("compare", stdin="a\nperhaps\nb\n").refused("'perhaps'", "fail a")
    prefero("compare", stdin="f\n").refused("'f'")
    assert prefero("status", "--json").data["answers"] == 1


def test_nothing_to_undo_is_told_by_the_exit_code(coffee, prefero):
    prefero("compare", stdin="undo\n").refused("no answer to take back")


def test_so_many_answers_and_no_more(coffee, prefero):
    prefero("compare", "-n", 2, stdin="a\nskip\nb\na\na\n").fine()
    assert prefero("status", "--json").data["answers"] == 2


def test_programs_talk_in_json_lines(coffee, prefero):
    rows = [json.loads(row) for row in prefero("compare", "--json", "-n", 2, stdin="a\nb\n").fine().out.splitlines()]
    assert [row.get("step") for row in rows] == [0, 1, None]
    assert rows[1]["news"] == "Answer 1 saved: A is better."
    assert (rows[2]["given"], rows[2]["answers"]) == (2, 2)


def test_a_finite_space_ends_it(prefero):
    prefero("new", "--name", "tiny", "-v", "x=a,b", "--seed", 0).fine()
    assert "Nothing is left to ask" in prefero("compare", stdin="a\na\na\n").fine().out
    assert "compared" in prefero("compare", "--json").fine().data["reason"]


def test_measured_numbers_are_shown_with_the_pair(coffee, prefero):
    with pf.Study.open("coffee", "sqlite:///prefero.db") as opened:
        opened.measure(opened.ask().a, {"noise": 41.5})
    assert "measured noise" in prefero("ask").fine().out


# Keys ------------------------------------------------------------------------------------------------------------------


class Typist:
    """Presses keys one after the other, each after a second; None resizes the terminal first."""

    def __init__(self, *keys):
        self.keys, self.now = list(keys), 0.0

    def __call__(self, redraw):
        self.now += 1.0
        key = self.keys.pop(0)
        if key is None:
            redraw()
            return self(redraw)
        return key


def conversation(monkeypatch, capsys, *keys, on=None):
    typist = Typist(*keys)
    monkeypatch.setattr(compare, "clock", lambda: typist.now)
    asked = on or study()
    given = compare.ask_questions(asked, "", compare.Screen(typist, printing.console())).given
    return asked, given, capsys.readouterr().out


@pytest.mark.parametrize(
    ("key", "answer"),
    [("a", "a"), ("left", "a"), ("1", "a"), ("b", "b"), ("right", "b"), ("2", "b"), ("s", "same"), ("down", "same")],
)
def test_one_key_is_one_answer(monkeypatch, capsys, key, answer):
    asked, given, out = conversation(monkeypatch, capsys, key, "q")
    assert ([entry.answer for entry in asked.answers], given) == ([answer], 1)
    assert asked.answers[0].seconds == 1.0
    assert f"Answer 1 saved: {printing.answer_label(answer)}." in out


def test_the_other_keys(monkeypatch, capsys):
    keys = ["x", "m", "f", "m", "f", "b", "a", "backspace", "?", "m", None, "s", "a", "b", "q"]
    asked, given, out = conversation(monkeypatch, capsys, *keys)
    counted = [entry.answer for entry in asked.answers if entry.status == "effective"]
    assert (counted, given) == (["skipped", "b failed", "same", "a", "b"], 3)
    assert "Press any key to return" in out
    assert "All planned answers are given" in out
    assert "×" in out  # a factor, where factors matter
    assert "gain [V]" in out


def test_a_kind_of_question_says_all_if_nobody_asked_anything_else(monkeypatch, capsys):
    asked = pf.Study(pf.Space({"x": pf.Real(0, 1)}), kind="worst of 3", seed=0)
    _, _, out = conversation(monkeypatch, capsys, "q", on=asked)
    assert "the worst" in out
    assert "Which is better?" not in out


def test_a_key_that_comes_too_soon_was_not_meant(monkeypatch, capsys):
    typist = Typist("a", "a", "q")
    times = iter([0, 0.0, 0.1, 1.0, 1.1, 5, 5, 5, 5, 5, 5])
    monkeypatch.setattr(compare, "clock", lambda: next(times))
    asked = study()
    assert compare.ask_questions(asked, "", compare.Screen(typist, printing.console())).given == 1


def test_what_was_not_saved_is_said_and_asked_again(monkeypatch, capsys):
    asked = study()
    tell = asked.tell
    failures = [StorageError("the disk is full")]

    def tells(*given, **more):
        if failures:
            raise failures.pop()
        return tell(*given, **more)

    monkeypatch.setattr(asked, "tell", tells)
    _, given, out = conversation(monkeypatch, capsys, "z", "a", "a", "q", on=asked)
    assert "no answer to take back" in out
    assert "Not saved, please answer again: the disk is full" in out
    assert given == 1


def test_keys_have_names():
    assert [named(pressed) for pressed in ("A", "\x1b[D", "\x1b[C", "\x1b[B", "\x7f", "\x1a", "\x04", "")] == [
        "a", "left", "right", "down", "backspace", "undo", "end", "end"
    ]  # fmt: skip


class Terminal:
    """A terminal that a process believes to sit in: what it shows, and keys pressed until something is to be seen."""

    def __init__(self, *arguments):
        self.master, slave = os.openpty()
        listening = (
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a background job would not
        )
        code = f"{listening}; from prefero.cli import main; main()"
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment
        )
        os.close(slave)
        self.shown = ""
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while True:
            try:
                some = os.read(self.master, 4096)
            except OSError:  # nobody is at the other end any more
                some = b""
            with self.changed:
                self.shown += some.decode(errors="replace")
                self.changed.notify_all()
            if not some:
                return

    def until(self, words, key=""):
        """Wait until the words are there, pressing a key now and then."""
        with self.changed:
            while words not in self.shown:
                assert self.process.poll() is None, self.shown
                if key:
                    os.write(self.master, key.encode())
                self.changed.wait(0.7)

    def ended(self):
        code = self.process.wait(60)
        self.reader.join(60)
        os.close(self.master)
        return code


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="Windows has no pseudo-terminals")
def test_in_a_terminal_keys_are_read_as_they_are_pressed(coffee, prefero):
    terminal = Terminal("compare")
    terminal.until("Which cup is better?")
    terminal.until("Answer 1 saved", key="a")
    terminal.until("in all. Everything is saved.", key="q")
    assert terminal.ended() == 0
    assert "\x1b[?1049l" in terminal.shown  # the screen is given back
    assert prefero("status", "--json").data["answers"] >= 1


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="Windows has no pseudo-terminals")
def test_interrupted_nothing_is_lost(coffee, prefero):
    terminal = Terminal("compare")
    terminal.until("Answer 1 saved", key="b")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.ended() == 130
    assert "Everything is saved" in terminal.shown
    assert "Traceback" not in terminal.shown
    assert prefero("status", "--json").data["answers"] >= 1

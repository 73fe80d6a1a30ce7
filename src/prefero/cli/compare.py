"""`prefero compare`: answer many questions, with single keys in a terminal or line by line from other input."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from rich.console import Console
from rich.text import Text

from prefero.cli import printing
from prefero.cli.app import STORAGE, JsonOption, JudgeOption, StorageOption, StudyArgument, command, opened_study
from prefero.cli.keys import Key, clock, single_keys
from prefero.cli.numeric import whole_option
from prefero.cli.several import HELP as SEVERAL_HELP
from prefero.cli.several import ORDER, Picked, kind_of
from prefero.storage.events import QUESTION

if TYPE_CHECKING:
    from prefero.study import Study
    from prefero.study.questions import Question

KEYS = {
    **dict.fromkeys(["a", "left", "1"], "a"),
    **dict.fromkeys(["b", "right", "2"], "b"),
    **dict.fromkeys(["<", "shift-left"], "much a"),
    **dict.fromkeys([">", "shift-right"], "much b"),
    **dict.fromkeys(["s", "down", "0", "="], "same"),
    **dict.fromkeys(["x"], "skip"),
    **dict.fromkeys(["f"], "fail"),
    **dict.fromkeys(["n"], "both unacceptable"),
    **dict.fromkeys(["z", "u", "backspace", "undo"], "undo"),
    **dict.fromkeys(["?", "h"], "help"),
    **dict.fromkeys(["q", "end", "\x1b"], "quit"),
}
WORDS = {**KEYS, **{word: word for word in ("same", "much a", "much b", "skip", "a failed", "b failed")}}
WORDS |= {"neither": "both unacceptable", "a unacceptable": "a unacceptable", "b unacceptable": "b unacceptable"}
WORDS |= {"fail a": "a failed", "fail b": "b failed", "undo": "undo", "quit": "quit", "": "quit"}
for _side in "cdef":  # of more than two candidates
    WORDS |= {f"fail {_side}": f"{_side} failed", f"{_side} failed": f"{_side} failed"}
KNOWN_WORDS = {word for word, action in WORDS.items() if action not in ("help", "fail")}
FORMS = "a, b, same, much a, much b, neither, a unacceptable, b unacceptable, skip, fail a, fail b, undo or quit"
LEGEND = (
    "[a ←] A is better   [b →] B is better   [s ↓] about the same   [x] can't judge   [z] undo   [q] stop   [?] keys"
)
HELP = """a  ←  1       A is better
b  →  2       B is better
<  >          A, B is much better; so do Shift-← and Shift-→
s  ↓  0       about the same
x             can't judge: ask another question
n             neither is acceptable: do not propose either again
f then a, b   A or B failed: do not propose it again
z  Backspace  undo the last answer; so does Ctrl-Z
q  Ctrl-C     stop; all answers are saved, and prefero compare continues here"""
SHORTEST_SECONDS = 0.25
"""A key pressed sooner after a question appeared is ignored: it was meant for the question before."""


class Interface(Protocol):
    """Shows questions to a person or a program, and reads the answers."""

    def choosing(self) -> AbstractContextManager[object]:
        """Show that the next question is being chosen, until the context ends."""

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Show a question and return the reply: a response in the words of the log, skip, undo or quit."""

    def problem(self, message: str) -> str:
        """Return what to show with the next question after an error; raise a QuestionError if nobody would read it."""


@dataclass
class Screen:
    """A terminal with single keys; `own_screen` clears the screen for each question."""

    key: Key
    out: Console = field(default_factory=printing.console)
    picture: printing.Picture | None = None
    own_screen: bool = False

    def choosing(self) -> AbstractContextManager[object]:
        """Show a moving line."""
        return self.out.status("Choosing the next pair …")

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Draw the question and wait for a known key."""
        if question.more:
            return self._ask_several(study, question, news)
        shown = clock()
        draw = partial(self._draw, study, question, news)  # also draws again when the terminal is resized
        draw()
        while True:
            action = KEYS.get(self.key(draw), "")
            if action == "quit":
                return action
            if not action or clock() - shown < SHORTEST_SECONDS:
                continue
            if action == "help":
                self._explain()
                draw()
            elif action == "fail":
                self.out.print("Which one failed, a or b? Any other key: none.")
                side = KEYS.get(self.key(draw), "")
                if side in ("a", "b"):
                    return f"{side} failed"
                draw()
            else:
                return action

    def _ask_several(self, study: Study, question: Question, news: str) -> str:
        """Draw a question about more than two candidates and wait until enough of them are chosen."""
        shown, picked = clock(), Picked(kind_of(question))
        while picked.answer is None:
            draw = partial(self._draw, study, question, news, picked.legend)
            draw()
            key = self.key(draw)
            action = "" if key in picked.kind.sides else KEYS.get(key, "")
            if action == "quit":
                return action
            if clock() - shown < SHORTEST_SECONDS:
                continue
            if action == "help":
                self._explain(SEVERAL_HELP)
            elif action == "undo" and picked.sides:
                picked = picked.without_last()
            elif action == "fail":
                self.out.print("Which one failed? Any other key: none.")
                side = Picked(picked.kind).with_key(self.key(draw)).sides
                if side:
                    return f"{side} failed"
            elif action in ("skip", "undo", "both unacceptable"):
                return action
            else:
                picked = picked.with_key(key)
        return picked.answer

    def problem(self, message: str) -> str:
        """Show the message to the person."""
        return message

    def _explain(self, keys: str = HELP) -> None:
        def explain() -> None:
            if self.own_screen:
                self.out.clear()
            self.out.print(f"{keys}\n\nPress any key to return to the question.", soft_wrap=True)

        explain()
        self.key(explain)

    def _draw(self, study: Study, question: Question, news: str, legend: str = LEGEND) -> None:
        if self.own_screen:
            self.out.clear()
        answers, expected = study.history.answered, study.settings.comparisons
        done = round(20 * min(answers / expected, 1))
        if not question.more or study.settings.question != QUESTION:  # its kind, printed below, says what is asked
            self.out.print(Text(printing.clean(study.settings.question), style="bold"))
        self.out.print(Text(f"{'━' * done}{'─' * (20 - done)} {printing.progress(answers, expected)}", style="cyan"))
        self.out.print()
        self.out.print(printing.pair_table(study, question, self.picture))
        self.out.print()
        if question.note:
            self.out.print(Text(f"note: {printing.clean(question.note)}", style="dim"))
        if question.more:
            self.out.print(kind_of(question).asks)
        self.out.print(Text(legend, style="dim"))
        if news:
            self.out.print(Text(printing.clean(news), style="green"))


class Lines:
    """Plain tables out, one line of text in per answer: for pipes, scripts and terminals without keys."""

    def __init__(self, picture: printing.Picture | None = None) -> None:
        self.picture = picture

    def choosing(self) -> AbstractContextManager[object]:
        """Show nothing."""
        return nullcontext()

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Print the question and read a line."""
        if news:
            printing.line(f"{news}\n")
        printing.print_question(study, question, self.picture)
        printing.line("")
        return self.read()

    def read(self) -> str:
        """Return the reply in the next line; the end of the input means quit."""
        from prefero.errors import AnswerError

        said = " ".join(sys.stdin.readline().lower().split())
        if said not in KNOWN_WORDS and not ORDER.fullmatch(said):
            raise AnswerError.of("answer", said, FORMS)
        return WORDS[said] if said in KNOWN_WORDS else said

    def problem(self, message: str) -> str:
        """Raise the error: a script sees the exit code."""
        from prefero.errors import QuestionError

        raise QuestionError(message)


class NotebookLines(Lines):
    """Plain tables and prompts, for notebooks, which have no standard input."""

    def read(self) -> str:
        """Return the reply; ask again until it can be read."""
        while (said := " ".join(input(f"{FORMS}: ").lower().split())) not in KNOWN_WORDS and not ORDER.fullmatch(said):
            printing.line(f"{said!r} is not one of: {FORMS}.")
        return WORDS[said] if said in KNOWN_WORDS else said

    def problem(self, message: str) -> str:
        """Show the message to the person."""
        return message


class JsonLines(Lines):
    """One JSON object per line out, one line of text in per answer: for programs."""

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Print the question as one line of JSON, and read a line."""
        printing.print_json(printing.question_data(study, question) | ({"news": news} if news else {}), compact=True)
        return self.read()


@dataclass(frozen=True)
class Finished:
    """How `ask_questions` ended: the number of answers given, and why no question was left, if none was."""

    given: int
    reason: str = ""


def ask_questions(study: Study, judge: str, interface: Interface, limit: int | None = None) -> Finished:
    """Ask until the person quits, `limit` answers were given, or nothing is left to ask."""
    from prefero.errors import ExhaustedError

    given, news = 0, ""
    while limit is None or given < limit:
        try:
            with interface.choosing():
                question = study.ask(judge)
        except ExhaustedError as error:
            return Finished(given, str(error))
        began = clock()
        action = interface.ask(study, question, news)
        if action == "quit":
            break
        news, counted = _carry_out(study, question, action, clock() - began, interface)
        given = max(0, given + counted)
    return Finished(given)


def _carry_out(study: Study, question: Question, action: str, seconds: float, interface: Interface) -> tuple[str, int]:
    """Carry out a reply; return a message about it, and by how much the number of answers changed."""
    from prefero.errors import AnswerError, QuestionError, StorageError

    before = study.history.answered
    more: dict[str, Any] = {"answer_id": uuid.uuid4().hex, "seconds": round(seconds, 3)}
    try:
        match action:
            case "undo":
                study.undo(question.judge)
                return "Taken back.", study.history.answered - before
            case "skip":
                study.skip(question, **more)
                return "Skipped. Here is another pair.", 0
            case _ if action.endswith(" failed"):
                study.fail(question, action[0], **more)  # type: ignore[arg-type]
                return f"Saved: {printing.answer_label(action)}. Nothing near it is proposed again.", 0
        saved_as = study.tell(question, action, **more).event  # type: ignore[arg-type]
    except (AnswerError, QuestionError) as error:
        return interface.problem(str(error)), 0
    except StorageError as error:
        return interface.problem(f"Not saved, please answer again: {error}"), 0
    done = study.history.answered == study.settings.comparisons
    enough = " All planned answers are given: press q to stop, or continue." if done else ""
    counted = study.history.answered - before
    saved = f"Answer {study.history.answered} saved" if counted else "Saved"
    return f"{saved}: {printing.answer_label(getattr(saved_as, 'answer', action))}.{enough}", counted


@contextmanager
def open_interface(study: Study, json: bool, picture: printing.Picture | None = None) -> Iterator[Interface]:
    """Open the interface that fits: single keys in a terminal, prompts in a notebook, lines elsewhere."""
    if json:
        yield JsonLines()
    elif "ipykernel" in sys.modules:
        yield NotebookLines(picture)
    elif not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Lines(picture)
    else:
        out = printing.console()
        fits = len(study.space.names) + 14 <= out.height
        with single_keys() as key, out.screen() if fits else nullcontext():
            yield Screen(key, out, picture, own_screen=fits)


def compare_in_terminal(study: Study, judge: str = "", answers: int | None = None, json: bool = False) -> None:
    """Ask questions in this terminal, answered by single keys, or in a notebook, answered line by line.

    Parameters
    ----------
    judge: who answers.
    answers: stop after this many answers; None continues until q is pressed.
    json: print JSON lines, for programs.
    """
    before, finished = study.history.answered, Finished(0)
    try:
        with open_interface(study, json) as interface:
            finished = ask_questions(study, judge, interface, answers)
    finally:
        _print_summary(study, study.history.answered - before, finished.reason, json)


@command(
    "compare",
    "Answer",
    "prefero compare",
    "prefero compare 'line 3' --as Ada",
    "printf 'a\\nb\\nsame\\n' | prefero compare",
)
def compare(
    study: StudyArgument = None,
    judge: JudgeOption = "",
    limit: Annotated[int | None, whole_option("--answers", "-n", low=1, about="Stop after N answers.")] = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Answer questions one after another with single keys.

    You can stop at any time and continue later. If the input is not a terminal, it is read line by line:
    a, b, same, much a, much b, neither, a unacceptable, b unacceptable, skip, fail a, fail b, undo or quit.
    Of more than two candidates: best c, worst d, best c worst d, b,a,d,c (best first) or place 2, as the question asks.
    """
    with opened_study(study, storage) as opened:
        compare_in_terminal(opened, judge, limit, json)


def _print_summary(study: Study, given: int, reason: str, json: bool) -> None:
    """Print how many answers were given and the best candidate so far."""
    best = study.best
    if json:
        data = {
            "study": study.settings.name,
            "given": given,
            "answers": study.history.answered,
            "expected": study.settings.comparisons,
        }
        more = {"best": None if best is None else dict(best)} | ({"reason": reason} if reason else {})
        printing.print_json(data | more, compact=True)
        return
    if reason:
        printing.line(f"Nothing is left to ask: {reason}")
    progress = printing.progress(study.history.answered, study.settings.comparisons)
    printing.line(f"{printing.count(given, 'answer')} this time; {progress} in all. Everything is saved.")
    if best is not None:
        printing.line(f"Best so far: {printing.setting(best)}.")

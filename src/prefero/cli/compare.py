"""`prefero compare`: question after question, with single keys in a terminal, or line by line from anywhere else."""

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
from prefero.cli.app import STORAGE, JsonOption, JudgeOption, StorageOption, StudyArgument, chosen, command
from prefero.cli.keys import Key, clock, single_keys
from prefero.cli.numeric import whole_option

if TYPE_CHECKING:
    from prefero.study import Study
    from prefero.study.questions import Question

KEYS = {
    **dict.fromkeys(["a", "left", "1"], "a"),
    **dict.fromkeys(["b", "right", "2"], "b"),
    **dict.fromkeys(["s", "down", "0", "="], "same"),
    **dict.fromkeys(["x"], "skip"),
    **dict.fromkeys(["f"], "fail"),
    **dict.fromkeys(["z", "u", "backspace", "undo"], "undo"),
    **dict.fromkeys(["?", "h"], "help"),
    **dict.fromkeys(["q", "end", "\x1b"], "quit"),
}
WORDS = {**KEYS, "same": "same", "skip": "skip", "a failed": "a failed", "b failed": "b failed"}
WORDS |= {"fail a": "a failed", "fail b": "b failed", "undo": "undo", "quit": "quit", "": "quit"}
FORMS_OF = {word for word, action in WORDS.items() if action not in ("help", "fail")}
FORMS = "a, b, same, skip, fail a, fail b, undo or quit"
LEGEND = (
    "[a ←] A is better   [b →] B is better   [s ↓] about the same   [x] can't judge   [z] undo   [q] stop   [?] keys"
)
HELP = """a  ←  1       A is better
b  →  2       B is better
s  ↓  0       about the same
x             can't judge: another question
f then a, b   A or B failed: it is not proposed again
z  Backspace  undo the last answer; so does Ctrl-Z
q  Ctrl-C     stop; everything is saved, prefero compare goes on from here"""
CARELESS_SECONDS = 0.25
"""A key this soon after a question appeared was not meant for it."""


class Face(Protocol):
    """Where the questions appear and the answers come from."""

    def thinking(self) -> AbstractContextManager[object]:
        """While the next question is chosen."""

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Show a question and return what is to be done: a, b, same, skip, a failed, b failed, undo or quit."""

    def trouble(self, message: str) -> str:
        """What could not be done: to be said with the next question, or raised where nobody would read it."""


@dataclass
class Screen:
    """A terminal: keys, and a screen of its own where the question fits on it."""

    key: Key
    out: Console = field(default_factory=printing.console)
    picture: printing.Picture | None = None
    own_screen: bool = False

    def thinking(self) -> AbstractContextManager[object]:
        """A line that moves."""
        return self.out.status("Choosing the next pair …")

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Draw the question and wait for a key that means something."""
        shown = clock()
        draw = partial(self._draw, study, question, news)  # drawn again when the terminal is resized
        draw()
        while True:
            action = KEYS.get(self.key(draw), "")
            if action == "quit":
                return action
            if not action or clock() - shown < CARELESS_SECONDS:
                continue
            if action == "help":
                self._explain()
                draw()
            elif action == "fail":
                self.out.print("Which one failed, a or b? Any other key: neither.")
                side = KEYS.get(self.key(draw), "")
                if side in ("a", "b"):
                    return f"{side} failed"
                draw()
            else:
                return action

    def trouble(self, message: str) -> str:
        """The person reads it and decides."""
        return message

    def _explain(self) -> None:
        def explain() -> None:
            if self.own_screen:
                self.out.clear()
            self.out.print(f"{HELP}\n\nAny key goes back to the question.", soft_wrap=True)

        explain()
        self.key(explain)

    def _draw(self, study: Study, question: Question, news: str) -> None:
        if self.own_screen:
            self.out.clear()
        answers, expected = len(study.history), study.settings.comparisons
        done = round(20 * min(answers / expected, 1))
        self.out.print(Text(printing.clean(study.settings.question), style="bold"))
        self.out.print(Text(f"{'━' * done}{'─' * (20 - done)} {printing.progress(answers, expected)}", style="cyan"))
        self.out.print()
        self.out.print(printing.pair(study, question, self.picture))
        self.out.print()
        if question.note:
            self.out.print(Text(f"note: {printing.clean(question.note)}", style="dim"))
        self.out.print(Text(LEGEND, style="dim"))
        if news:
            self.out.print(Text(printing.clean(news), style="green"))


class Lines:
    """Lines of text in, plain tables out: a pipe, a script, a terminal without keys."""

    def __init__(self, picture: printing.Picture | None = None) -> None:
        self.picture = picture

    def thinking(self) -> AbstractContextManager[object]:
        """Nothing to be seen."""
        return nullcontext()

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Print the question, read a line."""
        if news:
            printing.line(f"{news}\n")
        printing.print_question(study, question, self.picture)
        printing.line("")
        return self.read()

    def read(self) -> str:
        """What the next line says is to be done; the end of the input stops."""
        from prefero.errors import AnswerError

        said = " ".join(sys.stdin.readline().lower().split())
        if said not in FORMS_OF:
            raise AnswerError.of("answer", said, FORMS)
        return WORDS[said]

    def trouble(self, message: str) -> str:
        """A script is told by the exit code."""
        from prefero.errors import QuestionError

        raise QuestionError(message)


class Prompted(Lines):
    """A notebook: it has no standard input, but it asks."""

    def read(self) -> str:
        """Ask until it is understood."""
        while (said := " ".join(input(f"{FORMS}: ").lower().split())) not in FORMS_OF:
            printing.line(f"{said!r} is none of {FORMS}.")
        return WORDS[said]

    def trouble(self, message: str) -> str:
        """The person reads it and decides."""
        return message


class JsonLines(Lines):
    """One JSON object a line out, a line of text in: for a program that holds the conversation."""

    def ask(self, study: Study, question: Question, news: str) -> str:
        """Print the question as one line."""
        printing.as_json(printing.question_data(study, question) | ({"news": news} if news else {}), compact=True)
        return self.read()


@dataclass(frozen=True)
class Ending:
    """How a conversation ended: answers given, and why there was no further question, if there was none."""

    given: int
    reason: str = ""


def converse(study: Study, judge: str, face: Face, limit: int | None = None) -> Ending:
    """Ask until somebody stops, until so many answers were given, or until nothing is left to ask."""
    from prefero.errors import ExhaustedError

    given, news = 0, ""
    while limit is None or given < limit:
        try:
            with face.thinking():
                question = study.ask(judge)
        except ExhaustedError as error:
            return Ending(given, str(error))
        began = clock()
        action = face.ask(study, question, news)
        if action == "quit":
            break
        news, counted = _done(study, question, action, clock() - began, face)
        given = max(0, given + counted)
    return Ending(given)


def _done(study: Study, question: Question, action: str, seconds: float, face: Face) -> tuple[str, int]:
    """Do what was said; what there is to tell about it, and by how much the number of answers grew."""
    from prefero.answers import as_preference
    from prefero.errors import QuestionError, StorageError

    before = len(study.history)
    more: dict[str, Any] = {"answer_id": uuid.uuid4().hex, "seconds": round(seconds, 3)}
    try:
        match action:
            case "undo":
                study.undo(question.judge)
                return "Taken back.", len(study.history) - before
            case "skip":
                study.skip(question, **more)
                return "Skipped: here is another pair.", 0
            case "a failed" | "b failed":
                study.fail(question, action[0], **more)  # type: ignore[arg-type]
                return f"Saved: {printing.ANSWER_LABELS[action]}; nothing near it is proposed again.", 0
        study.tell(question, as_preference(action), **more)
    except QuestionError as error:
        return face.trouble(str(error)), 0
    except StorageError as error:
        return face.trouble(f"Not saved, press again: {error}"), 0
    done = len(study.history) == study.settings.comparisons
    enough = " That was as many as expected: q stops, or go on." if done else ""
    return f"Answer {len(study.history)} saved: {printing.ANSWER_LABELS[action]}.{enough}", 1


@contextmanager
def face_of(study: Study, json: bool, picture: printing.Picture | None = None) -> Iterator[Face]:
    """Keys and a screen in a terminal; lines elsewhere."""
    if json:
        yield JsonLines()
    elif "ipykernel" in sys.modules:
        yield Prompted(picture)
    elif not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Lines(picture)
    else:
        out = printing.console()
        fits = len(study.space.names) + 14 <= out.height
        with single_keys() as key, out.screen() if fits else nullcontext():
            yield Screen(key, out, picture, own_screen=fits)


def compare_in_terminal(study: Study, judge: str = "", answers: int | None = None, json: bool = False) -> None:
    """Ask question after question in this terminal with single keys, or in a notebook line by line.

    judge: who answers. answers: stop after this many; None goes on until q is pressed.
    """
    before, ending = len(study.history), Ending(0)
    try:
        with face_of(study, json) as face:
            ending = converse(study, judge, face, answers)
    finally:
        _farewell(study, len(study.history) - before, ending.reason, json)


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
    limit: Annotated[int | None, whole_option("--answers", "-n", low=1, about="Stop after so many answers.")] = None,
    storage: StorageOption = STORAGE,
    json: JsonOption = False,
) -> None:
    """Answer question after question with single keys.

    Stop any time: it goes on where it was. Where the input is not a terminal it is read line by line:
    a, b, same, skip, fail a, fail b, undo or quit.
    """
    with chosen(study, storage) as opened:
        compare_in_terminal(opened, judge, limit, json)


def _farewell(study: Study, given: int, reason: str, json: bool) -> None:
    """What is known at the end, where it stays to be read."""
    best = study.best
    if json:
        data = {
            "study": study.settings.name,
            "given": given,
            "answers": len(study.history),
            "expected": study.settings.comparisons,
        }
        more = {"best": None if best is None else dict(best)} | ({"reason": reason} if reason else {})
        printing.as_json(data | more, compact=True)
        return
    if reason:
        printing.line(f"Nothing is left to ask: {reason}")
    progress = printing.progress(len(study.history), study.settings.comparisons)
    printing.line(f"{printing.count(given, 'answer')} this time; {progress} in all, all saved.")
    if best is not None:
        printing.line(f"Best so far: {printing.setting(best)}.")

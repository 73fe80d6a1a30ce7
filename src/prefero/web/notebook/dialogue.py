"""What a notebook's widget shows and understands, as plain data: one question after another, undo, and the end.

Pictures travel as data URLs, which every notebook shows, and text as text: the widget never takes it for HTML.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from prefero.answers import as_kind
from prefero.answers.rating import as_rating
from prefero.errors import ExhaustedError, InputError, PreferoError
from prefero.space import Candidate
from prefero.space.html import shown
from prefero.storage.events import QUESTION
from prefero.study import Question, Study
from prefero.study.hints import offered
from prefero.web.payloads import unsure_counts

MOST_BYTES = 24 << 20
"""The most bytes that one candidate's files may have together; the served page takes more."""
KEPT = 24
"""How many rendered candidates are kept, so that undo and a candidate that stays on need no rendering."""
HINTS = {
    "more": "more {} than in the best so far",
    "less": "less {} than in the best so far",
    "fix": "keep {} as in the best so far",
    "free": "let {} vary again",
    "near": "stay near the best for a while",
}
"""What a hint says, by its kind."""
TEXTS = ("text/html", "text/csv", "text/markdown", "text/plain")
NOTHING: dict[str, Any] = {"question": None, "finished": ""}


class Dialogue:
    """A conversation about one study: `state` is what to show, `say` takes what the person did."""

    def __init__(self, study: Study, judge: str = "", render: Callable[..., Any] | None = None) -> None:
        self.study, self.judge = study, judge
        self._render = render
        self._rendered: dict[tuple[object, ...], dict[str, Any]] = {}
        self._beyond = False  # whether the person goes on after the planned number of answers
        self._serial = 0
        self.state: dict[str, Any] = {}
        self._refresh("")

    def say(self, said: Mapping[str, Any]) -> None:
        """Take an action: an answer, skip, fail, rate, hint, undo or continue; what is refused is said in the next state."""
        try:
            message = self._act(said)
        except PreferoError as error:
            message = f"Not saved: {error}."
        except Exception as error:  # noqa: BLE001 (a person at the widget sees no traceback, so say it there)
            message = f"Not saved: {type(error).__name__}: {error}"
        self._refresh(message)

    def _act(self, said: Mapping[str, Any]) -> str:
        action, step = said.get("action"), said.get("step")
        told: dict[str, Any] = {"answer_id": said.get("id"), "seconds": said.get("seconds")}
        if action == "continue":
            self._beyond = True
            return ""
        if action == "undo":
            self.study.undo(self.judge)
            return "Taken back."
        if action == "hint":
            return self._hint(said)
        if not isinstance(step, int):
            raise InputError.of("step", step, "the number of the question")
        if action == "skip":
            self.study.skip(step, **told)
            return "Skipped."
        if action == "fail":
            self.study.fail(step, said.get("side"), **told)  # type: ignore[arg-type]
            return "Set aside: it will not be proposed again."
        if action == "rate":
            return self._rate(said, told)
        if action != "answer":
            raise InputError.of("action", action, '"answer", "skip", "fail", "rate", "hint", "undo" or "continue"')
        sure, note = said.get("sure", True), said.get("note", "")
        self.study.tell(step, said.get("answer"), sure=sure, note=note, **told)  # type: ignore[arg-type]
        return ""

    def _rate(self, said: Mapping[str, Any], told: dict[str, Any]) -> str:
        side, level = said.get("side"), said.get("level")
        sides = self.study.log.question(said["step"]).sides  # what the person saw, though others may have answered it
        if side not in sides:
            raise InputError.of("side", side, f"a candidate shown: {', '.join(sides)}")
        self.study.rate(sides[side], level, judge=self.judge, answer_id=told["answer_id"])
        return f"{side.upper()} is rated: {self.study.settings.scale[as_rating(level, self.study.settings.scale) - 1]}."

    def _hint(self, said: Mapping[str, Any]) -> str:
        kind, variable = said.get("kind"), said.get("variable")
        self.study.hint(kind, variable, judge=self.judge, answer_id=said.get("id"))  # type: ignore[arg-type]
        return f"Noted: {HINTS.get(str(kind), '{}').format(variable)}. It counts from the next question."

    def _refresh(self, message: str) -> None:
        self._serial += 1
        try:
            state = self._asked()
        except PreferoError as error:
            state = NOTHING | {"finished": f"{error}."}
        study = self.study
        if state["question"] is None:
            best = study.best
            state["best"] = None if best is None else self._candidate("", best)
        self.state = state | {
            "serial": self._serial,
            "message": message,
            "answers": study.history.answered,
            "expected": study.settings.comparisons,
            "strengths": study.settings.strengths,
            "scale": study.settings.scale if study.settings.ratings else [],
            "unsure": unsure_counts(study.proposer),
            "hints": self._hints(),
        }

    def _hints(self) -> dict[str, list[str]]:
        """Return the kinds of hint about each variable; none before the first answer, nor if the values are hidden."""
        study = self.study
        told = study.history.answered > 0 and not study.settings.hide_parameters
        return offered(self.judge, study.log.state) if told else {}

    def _asked(self) -> dict[str, Any]:
        study = self.study
        study.refresh()
        planned = study.settings.comparisons
        if not self._beyond and study.history.answered >= planned:
            return NOTHING | {"finished": f"All {planned} planned answers are given.", "more": True}
        try:
            return {"question": self._question(study.ask(self.judge)), "finished": ""}
        except ExhaustedError as error:
            return NOTHING | {"finished": f"Finished: {error}."}

    def _question(self, question: Question) -> dict[str, Any]:
        kind = as_kind(question.kind)
        return {
            "step": question.step,
            "kind": kind.name,
            "asks": self._asks(kind.asks if question.more else ""),
            "note": _noted(question.note),
            "candidates": [
                self._candidate(side, candidate) | {"level": self._level(candidate)}
                for side, candidate in question.sides.items()
            ],
        }

    def _level(self, candidate: Candidate) -> int:
        """Return how the judge rated a candidate; 0 if they did not."""
        shown, ratings = self.study.candidates, self.study.history.ratings
        return next((r.level for r in reversed(ratings) if r.judge == self.judge and shown[r.sample] == candidate), 0)

    def _asks(self, of_kind: str) -> str:
        """Return the owner's words; of more than two candidates also, or only, what kind of answer is wanted."""
        owners = self.study.settings.question
        return " ".join(filter(None, ["" if of_kind and owners == QUESTION else owners, of_kind]))

    def _candidate(self, side: str, candidate: Candidate) -> dict[str, Any]:
        """Return what is shown of a candidate: its values, and what render made of it."""
        made = self._made(candidate)
        units = {name: getattr(variable, "unit", "") for name, variable in self._variables().items()}
        hidden = self.study.settings.hide_parameters and made["files"]
        named = {f"{name} ({units[name]})" if units.get(name) else name: value for name, value in candidate.items()}
        values = [] if hidden else [[name, shown(value)] for name, value in named.items()]
        return {"side": side, "values": values} | made

    def _variables(self) -> Mapping[str, Any]:
        variables = getattr(self.study.space, "variables", {})
        return variables if isinstance(variables, Mapping) else {}

    def _made(self, candidate: Candidate) -> dict[str, Any]:
        if self._render is None:
            return {"files": [], "numbers": [], "failed": ""}
        key = tuple(candidate.items())
        if key not in self._rendered:
            while len(self._rendered) >= KEPT:
                del self._rendered[next(iter(self._rendered))]
            self._rendered[key] = rendered(self._render, dict(candidate))
        return self._rendered[key]


def _noted(note: str) -> str:
    """Return for a person what was unusual about choosing a question."""
    if note.startswith("to be sure"):
        return "You have seen this pair before. We are checking that your answer holds."
    return note and f"This pair is {note}. Your answers are kept."


def rendered(render: Callable[..., Any], candidate: dict[str, Any]) -> dict[str, Any]:
    """Return the files and numbers that a function makes of a candidate, or why it failed."""
    from prefero.web.rendering.tuning import error_line
    from prefero.web.rendering.worker import rendered as made

    try:
        found = made(render, candidate, lambda _: None)
        if found.size > MOST_BYTES:
            raise InputError(f"render returned {found.size >> 20} MB; allowed: {MOST_BYTES >> 20} MB in a notebook")
    except Exception as error:  # noqa: BLE001 (whatever the user's function raises is told, and shown)
        return {"files": [], "numbers": [], "failed": error_line(error, Path("render"))}
    numbers = [[name, shown(number)] for name, number in found.numbers.items()]
    return {"files": [file(name, *content) for name, content in found.files.items()], "numbers": numbers, "failed": ""}


def file(name: str, content: bytes, media_type: str) -> dict[str, str]:
    """Return a file for the widget: text as it is, anything else as a data URL."""
    if media_type in TEXTS:
        return {"name": name, "type": media_type, "text": content.decode("utf-8", errors="replace")}
    return {"name": name, "type": media_type, "src": f"data:{media_type};base64,{b64encode(content).decode()}"}

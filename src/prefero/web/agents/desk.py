"""What an agent may do with the studies of a database, in the same roles as the service's.

The role, the study and the judge are chosen by who starts the server, never by the agent. A tool that the role may not use does
not exist for it. Each tool returns plain data; what is wrong is a PreferoError, and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Literal, get_args

from prefero import insight
from prefero.answers import as_kind
from prefero.errors import ExhaustedError, InputError, PreferoError, UnknownStudyError
from prefero.insight.agreement import history_of, judge_names, standing
from prefero.space import Space
from prefero.space.space import variable_from_dict
from prefero.storage import Storage, Summary
from prefero.storage.events import QUESTION
from prefero.study import Question, Study, checks

Role = Literal["owner", "judge", "viewer"]
JUDGING = ("ask", "answer", "skip", "undo", "report_failure", "rate")
LOOKING = ("list_studies", "look_at_result", "list_answers")
TOOLS: dict[str, tuple[str, ...]] = {
    "owner": ("create_study", *LOOKING, *JUDGING),
    "judge": (*JUDGING, *LOOKING),
    "viewer": LOOKING,
}
"""The names of the tools that each role has."""
MOST_RANKED = 5


class NotAllowedError(PreferoError):
    """The role may not do this."""


class Desk:
    """Where an agent works: a storage, a role, and perhaps one study and a judge's name.

    role: "owner", "judge" or "viewer". A judge needs a study and a name.
    study: the only study that the agent may use; None for every study of the storage.
    judge: under which name it answers.
    """

    def __init__(self, storage: Storage, role: str = "owner", study: str | None = None, judge: str = "") -> None:
        if role not in get_args(Role):
            raise InputError.of("role", role, '"owner", "judge" or "viewer"')
        if role == "judge" and (study is None or not judge):
            raise InputError("role: a judge needs the name of a study, and a name to answer under")
        if role == "viewer" and judge:
            raise InputError.of("judge", judge, "nothing for a viewer, who does not answer")
        self.storage, self.role, self.study = storage, role, study
        self.judge = checks.checked_name("judge", judge)
        self._open: dict[str, Study] = {}
        self._lock = Lock()
        if study is not None:
            self._summary(study)

    @property
    def tools(self) -> tuple[Callable[..., Any], ...]:
        """The functions that the role may use."""
        bound = ("create_study",) if self.study is not None else ()
        return tuple(getattr(self, name) for name in TOOLS[self.role] if name not in bound)

    # Studies -------------------------------------------------------------------------------------------------------------

    def create_study(
        self, name: str, variables: list[dict[str, Any]], comparisons: int = 30, question: str = QUESTION
    ) -> dict[str, Any]:
        """Create a study, which is about one choice that somebody has to make.

        variables: what can be set, for example [{"name": "dose", "type": "real", "low": 14, "high": 22, "unit": "g"},
        {"name": "milk", "type": "choice", "levels": ["none", "oat"]}]. Types: real and integer (low, high, optionally log and
        step), ordinal and choice (levels).
        comparisons: how many questions will be answered, about. question: what the judge is asked, in words.
        """
        with self._lock:
            space = Space([_variable(k, row) for k, row in enumerate(variables)])
            created = Study.create(space, name=name, storage=self.storage, comparisons=comparisons, question=question)
            self._open[name] = created
            return {"study": name, "variables": list(created.space.names), "comparisons": comparisons}

    def list_studies(self) -> list[dict[str, Any]]:
        """List the studies: name, question, answers so far, answers expected."""
        return [
            {"study": s.name, "question": s.question, "answers": s.answers, "expected": s.expected}
            for s in self.storage.studies()
            if s.deleted is None and self.study in (None, s.name)
        ]

    # A judge's questions -------------------------------------------------------------------------------------------------

    def ask(self, study: str) -> dict[str, Any]:
        """Return the question that waits: candidates a, b, … to compare. It stays the same until it is answered.

        If there is none, "question" is null and "finished" says why.
        """
        with self._lock:
            summary, opened = self._opened(study)
            why = self._closed(summary, opened)
            if why:
                return {"question": None, "finished": why} | _progress(opened)
            try:
                asked = opened.ask(self.judge)
            except ExhaustedError as error:
                return {"question": None, "finished": str(error)} | _progress(opened)
            return {"question": _question(opened, asked), "finished": None} | _progress(opened)

    def answer(
        self, study: str, step: int, answer: str | list[str], note: str = "", sure: bool = True
    ) -> dict[str, Any]:
        """Answer a question. About a pair: "a", "b", "same", "much a", "much b", "a unacceptable" or "neither".

        About more than two: "best c", "worst d", a list of sides (all of them best first, or the best and the worst), or "place 2";
        the question's "kind" says which.
        step: the question's number. note: the reason. sure: false if you are not sure.
        """
        return self._said(study, step, lambda opened: opened.tell(step, answer, judge=self.judge, note=note, sure=sure))  # type: ignore[arg-type]

    def skip(self, study: str, step: int, note: str = "") -> dict[str, Any]:
        """Say that you cannot judge a question; something else is asked. Not the same as "same"."""
        return self._said(study, step, lambda opened: opened.skip(step, judge=self.judge, note=note))

    def report_failure(self, study: str, step: int, side: str, note: str = "") -> dict[str, Any]:
        """Say that the candidate on a side ("a", "b", …) could not be tried at all. It is never recommended or proposed again."""
        return self._said(study, step, lambda opened: opened.fail(step, side, judge=self.judge, note=note))  # type: ignore[arg-type]

    def undo(self, study: str, step: int) -> dict[str, Any]:
        """Take back your last answer, skip or failure, which was about the question with this number; it waits again."""
        with self._lock:
            opened = self._answering(study, step)
            again = opened.undo(self.judge, step)
            return {"question": again and _question(opened, again)} | _progress(opened)

    def rate(self, study: str, step: int, side: str, level: int | str) -> dict[str, Any]:
        """Rate one candidate of a question of yours: a level from 1, the worst, or a word of the question's scale."""
        with self._lock:
            opened = self._answering(study, step)
            sides = opened.log.question(step).sides
            if side not in sides:
                raise InputError.of("side", side, f"one of {', '.join(sides)}")
            opened.rate(sides[side], level, judge=self.judge)
            return {"saved": True} | _progress(opened)

    # Results -------------------------------------------------------------------------------------------------------------

    def look_at_result(self, study: str) -> dict[str, Any]:
        """Return the best candidate so far, whether to stop and why, the best few candidates and which variables matter.

        A judge among several sees what their own answers say.
        """
        with self._lock:
            _, opened = self._opened(study)
            names = judge_names(opened)
            if self.role == "judge" and any(name != self.judge for name in names):
                own = standing(opened, self.judge).best if self.judge in names else None
                return {"best": own and dict(own), "own_answers_only": True} | _progress(opened)
            verdict = insight.verdict(opened)
            ranked = insight.ranking(opened, MOST_RANKED).ranked
            return {
                "best": verdict.best and dict(verdict.best),
                "stop": verdict.stop,
                "reason": verdict.reason,
                "ranking": [{"candidate": dict(each.candidate), "utility": each.utility} for each in ranked],
                "importance": dict(insight.importance(opened).shares),
            } | _progress(opened)

    def list_answers(self, study: str) -> list[dict[str, Any]]:
        """List what was answered, oldest first; a judge sees their own answers."""
        with self._lock:
            _, opened = self._opened(study)
            return [
                {"step": e.step, "a": dict(e.a), "b": dict(e.b), "answer": e.answer, "judge": e.who, "note": e.note}
                | {"more": [dict(each) for each in e.more], "status": e.status, "contradicts": e.contradicts}
                for e in opened.answers
                if self.role != "judge" or e.who == self.judge
            ]

    # What they share -----------------------------------------------------------------------------------------------------

    def _said(self, study: str, step: int, say: Callable[[Study], Any]) -> dict[str, Any]:
        with self._lock:
            opened = self._answering(study, step)
            say(opened)
            return {"saved": True} | _progress(opened)

    def _answering(self, study: str, step: int) -> Study:
        """Return a study whose question of that number is this judge's; an owner may only answer their own, too."""
        _, opened = self._opened(study)
        asked = opened.log.question(step)
        if asked.judge != self.judge:
            raise NotAllowedError(f"question {step} belongs to another judge")
        return opened

    def _closed(self, summary: Summary, opened: Study) -> str:
        """Return why nobody is asked, or not this judge any more; nothing if they are."""
        if summary.paused is not None:
            return "the owner has paused this study"
        given = history_of(opened.log.state, self.judge).answered if self.judge else 0
        if self.role == "judge" and summary.quota is not None and given >= summary.quota:
            return "you have given all the answers that you were asked for"
        return ""

    def _opened(self, name: str) -> tuple[Summary, Study]:
        summary = self._summary(name)
        if name not in self._open:
            self._open[name] = Study.open(name, self.storage)
        study = self._open[name]
        study.refresh()
        return summary, study

    def _summary(self, name: str) -> Summary:
        if self.study not in (None, name):
            raise NotAllowedError(f"only the study {self.study!r} may be used")
        known = [summary for summary in self.storage.studies() if summary.deleted is None]
        found = [summary for summary in known if summary.name == name]
        if not found:
            self._open.pop(name, None)
            names = ", ".join(repr(summary.name) for summary in known if self.study is None)
            raise UnknownStudyError(f"there is no study {name!r}" + (f"; there are {names}" if names else ""))
        return found[0]


def _variable(k: int, row: Any) -> tuple[str, Any]:
    """Return a variable's name and the variable; an InputError if a field is missing or unknown."""
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise InputError.of(f"variables[{k}]", row, 'such as {"name": "x", "type": "real", "low": 0, "high": 1}')
    wanted = {"real": ("low", "high"), "integer": ("low", "high"), "ordinal": ("levels",), "choice": ("levels",)}
    kind = row.get("type")
    needed = wanted.get(kind) if isinstance(kind, str) else None
    if needed is None:
        raise InputError.of(f"variables[{k}].type", kind, "real, integer, ordinal or choice")
    missing = [name for name in needed if name not in row]
    unknown = set(row) - {"name", "type", "unit", "step", "log", "when", *needed}
    if missing or unknown:
        what = f"{missing[0]!r} is missing" if missing else f"{sorted(unknown)[0]!r} is unknown"
        raise InputError(f"variables[{k}]: {what}; {kind} needs {' and '.join(needed)}")
    try:
        return row["name"], variable_from_dict(row)
    except TypeError:
        raise InputError.of(f"variables[{k}]", row, f"no step, log or unit that {kind} does not have") from None


def _progress(study: Study) -> dict[str, int]:
    return {"answers": study.history.answered, "expected": study.settings.comparisons}


def _question(study: Study, question: Question) -> dict[str, Any]:
    owners = study.settings.question
    return {
        "step": question.step,
        "kind": question.kind,
        "asks": as_kind(question.kind).asks if question.more and owners == QUESTION else owners,
        "candidates": {side: dict(candidate) for side, candidate in question.sides.items()},
        "scale": list(study.settings.scale),
        "note": question.note,
    }

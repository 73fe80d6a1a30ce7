"""From a reason in a person's own words to hints that somebody confirms.

A program or function of the owner's reads the reason, "too bitter", and suggests hints, "less dose". A suggestion is a value:
nothing is stored, and nothing changes, until a person confirms it with `Study.hint`. The answer was saved before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prefero.errors import InputError, JudgeError
from prefero.storage.events import Record
from prefero.study.hints import Hint

if TYPE_CHECKING:
    from prefero.study.study import Study

Reasons = Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]] | None]
"""A function from an answer with its reason to hints."""
Confirm = Callable[["Suggestion"], object]
"""A function that asks a person about a suggestion; only True is a yes."""
MOST_SUGGESTIONS = 10
_PARTS = {"kind": str, "variable": str, "candidate": Mapping, "questions": int, "within": int | float, "why": str}


@dataclass(frozen=True)
class Suggestion:
    """A hint that somebody has to confirm: the arguments of `Study.hint`, and why it is suggested.

    `study.hint(suggestion.kind, suggestion.variable, at=suggestion.candidate)` confirms a direction.
    """

    kind: str
    variable: str | None = None
    candidate: Mapping[str, Any] | None = None
    questions: int | None = None
    within: float | None = None
    why: str = ""

    @property
    def words(self) -> str:
        """The hint in words: "less dose"."""
        return f"{self.kind} {self.variable or ''}".strip()

    def confirm(self, study: Study, *, judge: str = "", note: str = "") -> Record:
        """Record the hint, as `Study.hint` does."""
        about = (
            {"about": self.candidate}
            if self.kind in ("near", "try")
            else {"about": self.variable, "at": self.candidate}
        )
        return study.hint(self.kind, **about, n=self.questions, within=self.within, judge=judge, note=note)  # type: ignore[arg-type]


def suggestions(study: Study, record: Record, reasons: Reasons) -> tuple[Suggestion, ...]:
    """Return the hints that the reason of an answer suggests; none if it has no reason. Nothing is stored.

    Hints that this study would refuse are left out. JudgeError if the function raises, or returns something else.

    Parameters
    ----------
    study: it has the answer.
    record: of the answer, as `tell` returns it.
    reasons: called with a dictionary: study, question, step, the candidates a, b, …, answer, reason, judge, variables and best.
        It returns a list of hints, each a dictionary with a kind and, as in `POST …/hints`, variable, candidate, questions and
        within; why is shown to the person.
    """
    reason = getattr(record.event, "note", "")
    if not reason:
        return ()
    try:
        found = list(reasons(_told(study, record, reason)) or ())
    except JudgeError:
        raise
    except Exception as error:  # the user's function may raise anything; the answer is stored already
        raise JudgeError(f"reasons: the function raised {type(error).__name__}: {error}") from error
    made = [_suggestion(k, each) for k, each in enumerate(found[:MOST_SUGGESTIONS])]
    return tuple(each for each in made if _is_possible(study, each, record.who))


def record_confirmed(study: Study, record: Record, found: Iterable[Suggestion], confirm: Confirm) -> None:
    """Record the hints suggested from the reason of an answer to which a person says yes."""
    for each in found:
        # A hint that was confirmed a moment ago may exclude this one, such as fixing the last free variable. Only True is a yes:
        # a text, even "no", would count as one.
        if _is_possible(study, each, record.who) and confirm(each) is True:
            each.confirm(study, judge=record.who, note=getattr(record.event, "note", ""))


def _told(study: Study, record: Record, reason: str) -> dict[str, Any]:
    """Return what the function is told."""
    step = getattr(record.event, "step", None)
    entry = next((e for e in study.answers if e.step == step), None)
    sides = {} if entry is None or step is None else study.log.question(step).sides
    best = study.best
    return {
        "study": study.settings.name,
        "question": study.settings.question,
        "step": step,
        **{side: dict(candidate) for side, candidate in sides.items()},
        "answer": "" if entry is None else entry.answer,
        "reason": reason,
        "judge": record.who,
        "variables": list(study.space.names),
        "best": None if best is None else dict(best),
    }


def _suggestion(place: int, given: object) -> Suggestion:
    """Return one suggestion; JudgeError if it is not a dictionary of the parts of a hint."""
    if not isinstance(given, Mapping) or set(given) - set(_PARTS) or "kind" not in given:
        raise JudgeError.of(f"reasons[{place}]", given, f"a dictionary with a kind, and some of {', '.join(_PARTS)}")
    for name, value in given.items():
        if value is not None and not isinstance(value, _PARTS[name]):
            raise JudgeError.of(f"reasons[{place}]: {name}", value, "a value as Study.hint takes it")
    return Suggestion(**{name: value for name, value in given.items() if value is not None})


def _is_possible(study: Study, suggestion: Suggestion, judge: str) -> bool:
    """Return whether the study would take the hint."""
    parts = (suggestion.kind, suggestion.variable, suggestion.candidate, suggestion.questions, suggestion.within)
    try:
        Hint(*parts, None, "", judge, study._session_of).event(study.log.state)
    except InputError:
        return False
    return True

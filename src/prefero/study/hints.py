"""The command behind a hint: what is checked before it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prefero.answers import DIRECTIONS, HINTS
from prefero.errors import InputError, QuestionError, check_whole, number
from prefero.space import Candidate, Choice
from prefero.space.variables import plain
from prefero.storage.events import Asked, Event, Hinted, Record
from prefero.study import checks
from prefero.study.commands import OWN, Enqueue, first_of
from prefero.study.session import Session
from prefero.study.state import State

QUESTIONS = 5
"""How many questions "near" applies to unless the judge says."""
WITHIN = 0.1
"""How far "near" reaches, as a share of each variable's range, unless the judge says."""
MOST_QUESTIONS = 10_000
ABOUT_A_VARIABLE = (*DIRECTIONS, "fix", "free")


@dataclass(frozen=True)
class Hint:
    """Say where to look.

    kind: one of `answers.HINTS`. variable: of "more", "less", "fix" and "free". candidate: where a direction applies, what to stay
    near or to try, or what has the value to keep, by default the best so far. questions, within: of "near".
    """

    kind: str
    variable: str | None
    candidate: Any
    questions: int | None
    within: float | None
    answer_id: str | None
    note: str
    who: str
    session_of: Callable[[State], Session]

    def event(self, state: State) -> Event | Record:
        """Return Hinted, or Asked of a candidate to try; or the record that has the `answer_id` already."""
        known = first_of(self._is_said_by, self.who, self.answer_id, state)
        if known is not None:
            return known
        if not isinstance(self.kind, str) or self.kind not in HINTS:
            raise InputError.of("kind", self.kind, f"one of {', '.join(HINTS)}")
        self._check_arguments()
        if self.kind == "try":
            return self._tried(state)
        said = Hinted(self.kind, since=len(state.asked), answer_id=self.answer_id, note=self.note)
        if self.kind == "near":
            return self._near(said, state)
        if self.kind == "free":
            return self._freed(said, state)
        variable = self._variable(state)
        return self._fixed(said, variable, state) if self.kind == "fix" else self._leaning(said, variable, state)

    def _is_said_by(self, said: Event) -> bool:
        """Return whether an event says this hint already."""
        return isinstance(said, Hinted) and (said.kind, said.variable) == (self.kind, self.variable or "")

    def _check_arguments(self) -> None:
        """Raise InputError for an argument that this kind of hint does not have."""
        if self.kind not in ABOUT_A_VARIABLE and self.variable is not None:
            raise InputError.of("variable", self.variable, f"nothing: a hint {self.kind!r} is about a candidate")
        if self.kind == "free" and self.candidate is not None:
            raise InputError.of("candidate", self.candidate, "nothing: a hint 'free' is about a variable")
        for name in ("questions", "within"):
            if self.kind != "near" and getattr(self, name) is not None:
                raise InputError.of(name, getattr(self, name), "nothing: only a hint 'near' has it")

    # Each kind ---------------------------------------------------------------------------------------------------------

    def _leaning(self, said: Hinted, variable: str, state: State) -> Hinted:
        if isinstance(state.space.variables[variable], Choice):
            raise InputError.of("variable", variable, "a variable with an order: a choice has no more and no less")
        if variable in fixed_by(self.who, state):
            raise InputError(f"variable: {variable!r} is kept fixed; let it go first, with the hint 'free'")
        candidate = self._candidate(state)
        if variable not in candidate:
            raise InputError.of("candidate", dict(candidate), f"a candidate that has {variable!r}")
        return replace(said, variable=variable, candidate=dict(candidate))

    def _near(self, said: Hinted, state: State) -> Hinted:
        questions = QUESTIONS if self.questions is None else self.questions
        check_whole("questions", questions, least=1)
        if questions > MOST_QUESTIONS:
            raise InputError.of("questions", questions, f"a whole number from 1 to {MOST_QUESTIONS}")
        within = WITHIN if self.within is None else number("within", self.within)
        if not 0 < within <= 1:
            raise InputError.of("within", self.within, "a share of each variable's range, above 0 and at most 1")
        candidate = self._candidate(state)
        return replace(said, candidate=dict(candidate), questions=int(questions), within=float(within))

    def _fixed(self, said: Hinted, variable: str, state: State) -> Hinted:
        given = self.candidate
        if isinstance(given, Mapping) and set(given) == {variable}:
            value = given[variable]
        else:
            candidate = self._candidate(state)
            if variable not in candidate:
                raise InputError.of("candidate", dict(candidate), f"a candidate that has {variable!r}")
            value = candidate[variable]
        value = plain(state.space.variables[variable].check(variable, value))
        if not state.space.allows(variable, value):
            raise InputError.of(f"candidate[{variable!r}]", value, "a value within the bounds and on the steps")
        left = [name for name in free_of(state) if name != variable and name not in fixed_by(self.who, state)]
        if not left:
            raise InputError(
                f"variable: with {variable!r} fixed, nothing would be left to vary; let another one go first"
            )
        return replace(said, variable=variable, fixed={variable: value})

    def _freed(self, said: Hinted, state: State) -> Hinted:
        if self.variable is None:
            if not state.history.limits_of(self.who, len(state.asked)):
                raise QuestionError("free: no variable is kept fixed, and no candidate is stayed near to")
            return said
        variable = self._variable(state)
        if variable not in fixed_by(self.who, state):
            raise QuestionError(f"variable: {variable!r} is not kept fixed")
        return replace(said, variable=variable)

    def _tried(self, state: State) -> Event | Record:
        """Return the question about a candidate, or its record if it waits already: a repeated request asks once."""
        if self.candidate is None:
            raise InputError.of("candidate", self.candidate, "the candidate to try")
        asked = Enqueue(self.candidate, self.who, self.session_of).event(state)
        waiting = state.waiting_for(self.who)
        for record in state.records:
            waits = isinstance(record.event, Asked) and record.event.step in waiting
            if waits and record.event.note == OWN and record.event.second == asked.second:  # type: ignore[union-attr]
                return record
        return asked

    # What they share -----------------------------------------------------------------------------------------------------

    def _variable(self, state: State) -> str:
        """Return the variable; InputError if it is not one that varies."""
        names = free_of(state)
        if not isinstance(self.variable, str) or self.variable not in names:
            fixed = isinstance(self.variable, str) and self.variable in state.space.names
            raise InputError.of("variable", self.variable, f"one of {names}" + "; this one never varies" * fixed)
        return self.variable

    def _candidate(self, state: State) -> Candidate:
        """Return the candidate that was given, or the best so far."""
        if self.candidate is not None:
            candidate = checks.checked_candidate("candidate", self.candidate, state.space)
            if np.abs(state.space.encode(candidate)).max() > 1 + 1e-9:
                raise InputError.of("candidate", dict(candidate), "a candidate within the bounds")
            return candidate
        best = self.session_of(state).best(state.history)
        if best is None:
            raise QuestionError("candidate: nothing was answered yet, so there is no best one; name a candidate")
        return state.samples.shown[best]


def fixed_by(judge: str, state: State) -> dict[str, Any]:
    """Return the variables that a judge keeps fixed."""
    kept = state.history.limits_of(judge, len(state.asked))
    return {limit.variable: limit for limit in kept if limit.variable}


def offered(judge: str, state: State) -> dict[str, list[str]]:
    """Return the kinds of hint that a judge may give about each variable that varies."""
    kept, names = fixed_by(judge, state), free_of(state)
    keeps = ["fix"] if len(names) > len(kept) + 1 else []  # something has to vary
    ordered = {name: not isinstance(state.space.variables[name], Choice) for name in names}
    return {name: ["free"] if name in kept else [*DIRECTIONS, *keeps] if ordered[name] else keeps for name in names}


def free_of(state: State) -> list[str]:
    """Return the names of the variables that may vary in the space of a study."""
    fixed = getattr(state.space, "fixed", {})
    return [name for name in state.space.varying if name not in fixed]

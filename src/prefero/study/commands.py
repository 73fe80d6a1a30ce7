"""Commands: what somebody wants to happen.

A command becomes an event of the state as it is at that moment: `command.event(state)`. It returns a record instead if nothing
needs to happen, because an earlier event did it already. Whether the event can come next is decided by the state alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from prefero.answers import as_answer, as_kind, as_level, as_order, as_rating, as_unacceptable
from prefero.errors import AnswerError, InputError, QuestionError
from prefero.proposers.protocol import Proposal, Proposer
from prefero.space import Catalogue, Domain, Integer, Real, Space
from prefero.space.arrays import ROUNDING, same_points
from prefero.space.variables import plain
from prefero.storage import events
from prefero.storage.events import (
    IDENTICAL,
    Answered,
    Artifact,
    Asked,
    Corrected,
    Event,
    Failed,
    Hinted,
    Imported,
    Measured,
    ProposerChanged,
    Rated,
    Record,
    Rejected,
    Removed,
    Restored,
    SettingsChanged,
    Skipped,
    SpaceChanged,
    Undone,
)
from prefero.study import checks
from prefero.study.questions import Question
from prefero.study.samples import REJECTED, SKIPPED, Samples
from prefero.study.session import Session, question_of
from prefero.study.state import State

OWN = "a candidate of your own"
"""The note of a question about a candidate that was enqueued."""


AGAIN = "a second look at question {}"
"""The note of a question that asks about an old pair again."""


class Command(Protocol):
    """What somebody wants to happen."""

    @property
    def who(self) -> str | None:
        """Who wants it; None means the judge of the question that it is about."""

    def event(self, state: State, /) -> Event | Record:
        """Return the event to append, or the record that made it unnecessary."""


# About the question that waits -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Respond:
    """Say something about a question: "skipped", "a failed", "b failed", or the `answer`.

    answer: anything that `Study.tell` takes, if `said` is empty; what it stands for depends on the kind of question.

    A command with an `answer_id` that the log has already returns the first record.
    """

    question: Question | int
    said: str
    judge: str | None = None
    answer_id: str | None = None
    seconds: float | None = None
    note: str = ""
    answer: object = None
    sure: bool = True
    who: None = None

    def event(self, state: State) -> Event | Record:
        """Return Answered, Skipped, Failed or Rejected."""
        step = self._step(state)
        asked = state.asked[step]
        said = self.said or _as_said(self.answer, asked)
        first = state.said_before(asked.judge, self.answer_id)
        if first is not None:
            said_about = first.fields().get("step")  # ratings, hints and imports are about no question
            if said_about == step:
                return first
            # The id belongs to another answer: a client's mistake, which must not look like success.
            another = "another answer" if said_about is None else f"question {said_about}"
            raise QuestionError(f"answer_id: {self.answer_id!r} already belongs to {another}; nothing was saved")
        extras = (self.answer_id, self.seconds, self.note)
        side, _, what = said.partition(" ")
        if said == SKIPPED:
            return Skipped(step, *extras)
        if what == "failed":
            if side not in asked.shown:
                raise InputError.of("side", side, f"one of {', '.join(asked.shown)}, the candidates of question {step}")
            return Failed(step, side, asked.shown[side], *extras)
        if what == REJECTED:
            if not self.sure:
                raise AnswerError.of("sure", self.sure, f"True with {said!r}: only a comparison can be unsure")
            return Rejected(step, side, *extras)
        return Answered(step, said, *extras, self.sure)

    def _step(self, state: State) -> int:
        """Return the number of the question; QuestionError if this study did not ask it, or asked another judge."""
        given = self.question
        step = given.step if isinstance(given, Question) else plain(given)
        known = isinstance(step, int) and not isinstance(step, bool) and step in state.asked
        if not known or (isinstance(given, Question) and given != state.question(given.step)):
            raise QuestionError.of("question", given, "a question that this study asked")
        owner = state.asked[step].judge
        if self.judge is not None and self.judge != owner:
            raise QuestionError.of("judge", self.judge, f"{owner!r}, the judge of question {step}")
        return step


@dataclass(frozen=True)
class Undo:
    """Take back the last response of a judge, or of anybody; `step` makes sure that it is the expected one."""

    judge: str | None = None
    step: int | None = None
    who: None = None

    def event(self, state: State) -> Event:
        """Return Undone."""
        last = state.last_response(self.judge)
        if last is None:
            raise QuestionError("undo: there is no answer to take back")
        named = isinstance(self.step, int) and not isinstance(self.step, bool) and self.step == last.step
        if self.step is not None and not named:
            raise QuestionError.of("step", self.step, f"{last.step}, the question that was answered last")
        return Undone(last.step, last.step >= 0 and state.may_wait_again(last.step))


@dataclass(frozen=True)
class Enqueue:
    """Ask a judge about a candidate of the user's own, against the best so far or another one."""

    candidate: Any
    judge: str
    session_of: Callable[[State], Session]
    against: Any = None

    @property
    def who(self) -> str:
        """The judge."""
        return self.judge

    def event(self, state: State) -> Event:
        """Return Asked, in the first free slot of the judge."""
        candidate = checks.checked_candidate("candidate", self.candidate, state.space)
        own = state.space.encode(candidate)
        if self.against is None:
            proposal = Proposal(self.session_of(state).opponent(state, own), own, OWN)
            asked = question_of(state, self.judge, proposal, state.free_slot(self.judge))
            return replace(asked, second=dict(candidate))
        other = checks.checked_candidate("against", self.against, state.space)
        point = state.space.encode(other)
        if same_points(point[None], own[None])[0, 0]:
            raise InputError.of("against", dict(other), "another candidate than the one to compare with it")
        asked = question_of(state, self.judge, Proposal(point, own, OWN), state.free_slot(self.judge))
        return replace(asked, first=dict(other), second=dict(candidate))


@dataclass(frozen=True)
class Probe:
    """Ask a judge about an old pair again, its sides swapped; without a `step`, about one candidate shown on both sides."""

    step: int | None
    judge: str
    session_of: Callable[[State], Session]

    @property
    def who(self) -> str:
        """The judge."""
        return self.judge

    def event(self, state: State) -> Event:
        """Return Asked, in the first free slot of the judge."""
        judge = self.judge
        if self.step is None:
            best = self.session_of(state).best(state.history)
            if best is None:
                raise QuestionError("probe: no candidate was compared yet; answer a question first")
            shown = dict(state.samples.shown[best])
            return Asked(len(state.asked), shown, shown, False, IDENTICAL, judge, slot=state.free_slot(judge))
        step = _checked_step(self.step, state)
        if isinstance(state.responses[step].record.event, Rated | Hinted):
            raise QuestionError.of("step", step, "the number of a comparison: a rating or a hint shows no pair")
        old = state.question(step)
        for candidate in old.sides.values():
            point = state.space.encode(candidate)
            if np.abs(point).max() > 1 + ROUNDING or state.history.index(point) in state.history.failed:
                raise QuestionError(f"probe: the pair of question {step} can no longer be shown")
        note, slot = AGAIN.format(step), state.free_slot(judge)
        first, second, *more = map(dict, old.sides.values())
        order = [*reversed(range(len(more) + 2))] if more else []
        if old.kind.startswith("insert"):  # the ranking that the last one is inserted into stays as it is
            order.sort()
        return Asked(
            len(state.asked), first, second, True, note, judge, slot=slot, more=more, order=order, kind=old.kind
        )


def _as_said(answer: object, asked: Asked) -> str:
    """Return an answer in the words of the log; AnswerError if the question does not take it."""
    unacceptable = as_unacceptable(answer)
    if unacceptable is not None:
        return unacceptable
    if not asked.more:
        return as_answer(as_level(answer))
    side, _, what = answer.partition(" ") if isinstance(answer, str) else ("", "", "")
    if what == REJECTED and side in asked.shown:
        return f"{side} {REJECTED}"
    return as_order(answer, as_kind(asked.kind))


# About the past --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Correct:
    """Replace what was said about a question."""

    step: int
    answer: object
    note: str = ""
    sure: bool = True
    who: str = ""

    def event(self, state: State) -> Event | Record:
        """Return Corrected, or the record that says the same already."""
        step = _checked_step(self.step, state)
        response, asked = state.responses[step], state.asked.get(step)
        if isinstance(response.record.event, Hinted):
            raise QuestionError.of("step", step, "the number of an answer: remove a hint and give another one")
        if isinstance(response.record.event, Rated):
            said = f"rated {as_rating(self.answer, state.created.scale)}"
        else:
            said = as_answer(as_level(self.answer)) if asked is None else _as_said(self.answer, asked)
        if said.endswith(REJECTED) and not self.sure:
            raise AnswerError.of("sure", self.sure, f"True with {said!r}: only a comparison can be unsure")
        if response.status == "effective" and (response.said, response.sure) == (said, self.sure):
            if self.note and self.note not in (response.reason, getattr(response.record.event, "note", "")):
                raise InputError.of(
                    "note", self.note, "none: the answer stays as it is, so there is nothing to correct"
                )
            return response.record
        return Corrected(step, said, self.note, self.sure)


@dataclass(frozen=True)
class Remove:
    """Let what was said about a question no longer count."""

    step: int
    note: str = ""
    who: str = ""

    def event(self, state: State) -> Event:
        """Return Removed."""
        return Removed(_checked_step(self.step, state), self.note)


@dataclass(frozen=True)
class Restore:
    """Let a removed or undone response count again."""

    step: int
    note: str = ""
    who: str = ""

    def event(self, state: State) -> Event:
        """Return Restored."""
        return Restored(_checked_step(self.step, state), self.note)


def _checked_step(given: object, state: State) -> int:
    step: object = plain(given)
    if isinstance(step, bool) or not isinstance(step, int) or not state.has_answer(step):
        raise QuestionError.of(
            "step",
            given,
            "the number of a question that was answered or skipped, an imported comparison, a rating or a hint",
        )
    return step


# About the study -------------------------------------------------------------------------------------------------------


def first_of(same: Callable[[Event], bool], who: str, answer_id: str | None, state: State) -> Record | None:
    """Return the record that has an `answer_id` already; QuestionError if its event does not say the `same`."""
    known = state.said_before(who, answer_id)
    if known is not None and not same(known.event):
        raise QuestionError(f"answer_id: {answer_id!r} already belongs to another answer; nothing was saved")
    return known


@dataclass(frozen=True)
class Import:
    """Add comparisons that were made elsewhere: rows (i, j, π) of candidates."""

    candidates: Sequence[Any]
    comparisons: list[list[int]]
    source: str = ""
    judges: list[str] = field(default_factory=list)
    answer_id: str | None = None
    note: str = ""
    unsure: list[int] = field(default_factory=list)
    who: str = ""

    def event(self, state: State) -> Event | Record:
        """Return Imported, or the record that has the `answer_id` already."""
        known = first_of(
            lambda said: isinstance(said, Imported) and _are_same(self.candidates, said.candidates, state),
            self.who,
            self.answer_id,
            state,
        )
        if known is not None:
            return known
        checked = [
            checks.checked_candidate(f"candidates[{k}]", given, state.space) for k, given in enumerate(self.candidates)
        ]
        if isinstance(state.space, Catalogue):
            for k, (i, j, _) in enumerate(self.comparisons):
                if state.space.alike(checked[i], checked[j]):
                    pair = state.space.row(checked[i]), state.space.row(checked[j])
                    raise InputError.of(f"comparisons[{k}]", pair, "two rows that differ in a feature")
        plain = [dict(candidate) for candidate in checked]
        return Imported(plain, self.comparisons, self.source, self.judges, self.answer_id, self.note, self.unsure)


@dataclass(frozen=True)
class Rate:
    """Rate a candidate, shown by this study or not, on the study's scale."""

    candidate: Any
    level: object
    answer_id: str | None = None
    seconds: float | None = None
    note: str = ""
    sure: bool = True
    who: str = ""

    def event(self, state: State) -> Event | Record:
        """Return Rated, or the record that has the `answer_id` already."""
        known = first_of(
            lambda said: isinstance(said, Rated) and _are_same([self.candidate], [said.candidate], state),
            self.who,
            self.answer_id,
            state,
        )
        if known is not None:
            return known
        candidate = checks.checked_candidate("candidate", self.candidate, state.space)
        level = as_rating(self.level, state.created.scale)
        return Rated(dict(candidate), level, self.answer_id, self.seconds, self.note, self.sure)


def _are_same(given: Sequence[Any], stored: Sequence[Mapping[str, Any]], state: State) -> bool:
    """Return whether candidates are those that were stored; a repeated request may be older than a new variable."""
    return len(given) == len(stored) and all(
        (isinstance(one, Mapping) and dict(one) == dict(other))
        or state.space.candidate(one) == state.samples.complete(other)
        for one, other in zip(given, stored, strict=True)
    )


@dataclass(frozen=True)
class Measure:
    """Add numbers and files about a candidate."""

    candidate: Any
    numbers: Mapping[str, float]
    files: Mapping[str, Artifact] = field(default_factory=dict)
    who: str = ""

    def event(self, state: State) -> Event:
        """Return Measured."""
        described = {name: artifact.to_dict() for name, artifact in self.files.items()}
        return Measured(dict(state.space.candidate(self.candidate)), dict(self.numbers), described)


@dataclass(frozen=True)
class ChangeProposer:
    """Continue with another proposer."""

    proposer: Proposer
    who: str = ""

    def event(self, _: State) -> Event:
        """Return ProposerChanged."""
        return ProposerChanged(events.plain(self.proposer.to_dict()))


@dataclass(frozen=True)
class ChangeSettings:
    """Call the study something else, ask it in other words, or expect another number of answers; None leaves a setting as it is."""

    title: str | None = None
    question: str | None = None
    comparisons: int | None = None
    who: str = ""

    def event(self, state: State) -> Event | Record:
        """Return SettingsChanged, or the last record if nothing changes."""
        change = SettingsChanged(self.title, self.question, self.comparisons)
        return state.records[-1] if change.of(state.created) == state.created else change


@dataclass(frozen=True)
class ChangeSpace:
    """Continue in another space; `fill` names the values of new variables for the candidates so far."""

    space: Domain
    fill: Mapping[str, Any]
    who: str = ""

    def event(self, state: State) -> Event:
        """Return SpaceChanged; InputError if a candidate that was shown has no place in the new space."""
        space, fill = self.space, self.fill
        new, gone = (set(space.names) - set(state.space.names)), (set(state.space.names) - set(space.names))
        if gone:
            raise InputError.of("space", list(space.names), f"every current variable: {sorted(gone)} are missing")
        if not isinstance(fill, Mapping) or set(fill) != new:
            raise InputError.of("fill", fill, f"a value for each new variable: {sorted(new)}")
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in fill.items()}
        for name, value in plain.items():
            variable = space.variables[name] if isinstance(space, Space) else None
            if (
                isinstance(variable, Real | Integer)
                and not variable.low <= variable.check(name, value) <= variable.high
            ):
                raise InputError.of(f"fill[{name!r}]", value, f"a number from {variable.low:g} to {variable.high:g}")
        filled = Samples(space, state.fill | plain)
        for values in (*state.candidates(), *state.created.start):
            try:
                has_place = np.isfinite(space.encode(space.candidate(filled.complete(values)))).all()
            except (InputError, KeyError) as error:
                raise InputError(f"space: a candidate that was shown does not fit into it: {error}") from None
            if not has_place:
                raise InputError.of("space", values, "a space in which every candidate that was shown has a place")
        checks.checked_max_step(state.created.max_step, space)
        return SpaceChanged(events.plain(space.to_dict()), plain)

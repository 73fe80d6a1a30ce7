"""From the log to what stands: which questions wait, what counts of what was said, and the history it makes.

`Ledger` is the fold over the records, and knows nothing of a space; `Samples` makes of what stands the history in the box
of the space as it is now. Both grow with a record in time that does not depend on the length of the log; only taking
something back builds the samples anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from prefero.answers import ROUNDING, Comparison, History, outcome
from prefero.domain import Domain
from prefero.events import (
    Answered,
    Asked,
    Corrected,
    Created,
    Event,
    Failed,
    Imported,
    Measured,
    ProposerChanged,
    Record,
    Removed,
    Restored,
    Skipped,
    SpaceChanged,
    Undone,
)
from prefero.space import Candidate

WORDS = ("a", "same", "b")
SKIPPED, IMPORTED = "skipped", "imported"
FIRST_IMPORTED = 10**9
"""Imported comparisons have steps from here up: no question of the study has, and each seeds draws of its own."""

Status = Literal["effective", "undone", "removed"]


@dataclass(frozen=True)
class Line:
    """What was said about one question and whether it counts: "a", "same", "b", "skipped", "a failed", "b failed", "imported"."""

    step: int
    said: str
    record: Record
    status: Status = "effective"
    corrected: bool = False


class Ledger:
    """What stands after the records so far; `fits` tells whether an event can come next, `apply` lets it happen."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.space: dict[str, Any] = {}
        self.proposer: dict[str, Any] = {}
        self.fill: dict[str, Any] = {}
        self.asked: dict[int, Asked] = {}
        self.waiting: dict[str, int] = {}  # the step that waits, by judge
        self.lines: dict[int, Line] = {}  # by step, in the order of the answers; imports under negative numbers
        self.measured: list[Measured] = []
        self.by_answer_id: dict[str, Record] = {}

    @property
    def created(self) -> Created:
        """The study's beginning."""
        event = self.records[0].event
        assert isinstance(event, Created)
        return event

    @property
    def effective(self) -> Iterator[Line]:
        """What counts, in order."""
        return (line for line in self.lines.values() if line.status == "effective")

    def last_of(self, judge: str | None) -> Line | None:
        """What that judge said last and counts; None for a judge means whoever it was."""
        for line in reversed(self.lines.values()):
            mine = line.step >= 0 and (judge is None or self.asked[line.step].judge == judge)
            if mine and line.status == "effective":
                return line
        return None

    def candidates(self) -> Iterator[dict[str, Any]]:
        """Every candidate that was shown or imported."""
        for asked in self.asked.values():
            yield asked.first
            yield asked.second
        for line in self.lines.values():
            if isinstance(line.record.event, Imported):
                yield from line.record.event.candidates

    # What may come next ----------------------------------------------------------------------------------------------

    def fits(self, event: Event) -> bool:
        """Whether the event can follow those before it."""
        match event:
            case Created():
                return not self.records
            case Asked(step=step, judge=judge):
                return bool(self.records) and step == len(self.asked) and judge not in self.waiting
            case Answered() | Skipped() | Failed():
                return self._fits_question(event)
            case Undone(step=step):
                line = self.last_of(self.asked[step].judge) if step in self.asked else None
                return line is not None and line.step == step
            case Corrected() | Removed() | Restored():
                return self._fits_line(event)
        return bool(self.records) and self._fits_change(event)

    def _fits_question(self, event: Answered | Skipped | Failed) -> bool:
        asked = self.asked.get(event.step)
        if asked is None or self.waiting.get(asked.judge) != event.step:
            return False
        if event.answer_id is not None and event.answer_id in self.by_answer_id:
            return False
        if isinstance(event, Answered):
            return event.answer in WORDS
        return isinstance(event, Skipped) or event.side in ("a", "b")

    def _fits_line(self, event: Corrected | Removed | Restored) -> bool:
        line = self.lines.get(event.step)
        if line is None or event.step < 0:
            return False
        if isinstance(event, Restored):
            return line.status != "effective"
        correctable = not isinstance(event, Corrected) or (
            event.answer in WORDS and line.said in (*WORDS, SKIPPED) and event.answer != line.said
        )
        return line.status == "effective" and correctable

    def _fits_change(self, event: Event) -> bool:
        match event:
            case SpaceChanged(space, fill):
                return isinstance(space, Mapping) and isinstance(fill, Mapping)
            case ProposerChanged(proposer):
                return isinstance(proposer, Mapping)
            case Imported(candidates, comparisons):
                last = len(candidates) - 1
                return all(
                    0 <= i <= last and 0 <= j <= last and i != j and said in (-1, 0, 1) for i, j, said in comparisons
                )
        return isinstance(event, Measured) and isinstance(event.candidate, Mapping)

    # What happens ----------------------------------------------------------------------------------------------------

    def apply(self, record: Record) -> Line | Literal["anew"] | None:
        """Let it happen; returns the line that was added, None where the history stays, "anew" where it changed before its end."""
        self.records.append(record)
        if record.answer_id is not None:
            self.by_answer_id[record.answer_id] = record
        match record.event:
            case Asked(step=step, judge=judge):
                self.asked[step] = record.event
                self.waiting[judge] = step
                return None
            case Answered() | Skipped() | Failed():
                return self._say(record, record.event)
            case Undone() | Corrected() | Removed() | Restored():
                self._change(record.event)
                return "anew"
            case Imported():
                line = Line(-1 - sum(step < 0 for step in self.lines), IMPORTED, record)
                self.lines[line.step] = line
                return line
        return self._set(record.event)

    def _say(self, record: Record, event: Answered | Skipped | Failed) -> Line:
        match event:
            case Answered(answer=answer):
                said = answer
            case Skipped():
                said = SKIPPED
            case Failed(side=side):
                said = f"{side} failed"
                self.waiting = {judge: k for judge, k in self.waiting.items() if not self._shows(k, event.candidate)}
        self.waiting.pop(self.asked[event.step].judge, None)
        self.lines.pop(event.step, None)  # an answer that was undone makes room for the new one
        line = self.lines[event.step] = Line(event.step, said, record)
        return line

    def _shows(self, step: int, candidate: Mapping[str, Any]) -> bool:
        return candidate in (self.asked[step].first, self.asked[step].second)

    def _change(self, event: Undone | Corrected | Removed | Restored) -> None:
        line = self.lines[event.step]
        judge = self.asked[event.step].judge
        match event:
            case Undone(waits=waits):
                line = replace(line, status="undone")
                self.waiting.pop(judge, None)
                if waits:
                    self.waiting[judge] = event.step
            case Corrected(answer=answer):
                line = replace(line, said=answer, corrected=True)
            case Removed():
                line = replace(line, status="removed")
            case Restored():
                line = replace(line, status="effective")
                if self.waiting.get(judge) == event.step:
                    del self.waiting[judge]
        self.lines[event.step] = line

    def _set(self, event: Event) -> Literal["anew"] | None:
        match event:
            case Created(space=space, proposer=proposer):
                self.space, self.proposer = space, proposer
            case SpaceChanged(space, fill):
                self.space, self.fill = space, self.fill | dict(fill)
                self.waiting = {}  # a pair that waits may lie outside the new bounds
                return "anew"
            case ProposerChanged(proposer):
                self.proposer = proposer
            case Measured():
                self.measured.append(event)
        return None


class Samples:
    """The samples and what counts about them, in the box of one space; `history()` is the value made of it."""

    def __init__(self, space: Domain, fill: Mapping[str, Any]) -> None:
        self.space, self.fill = space, fill
        self.shown: list[Candidate] = []
        self.authors: list[str] = []  # of each comparison
        self.comparisons: list[Comparison] = []
        self._skipped: list[tuple[int, int]] = []
        self._failed: list[int] = []
        self._points = np.empty((64, space.dimension))
        self._feasible = np.empty(64, dtype=bool)
        self._known: dict[Candidate, int] = {}
        self._history: History | None = None

    @classmethod
    def of(cls, ledger: Ledger, space: Domain) -> Samples:
        """What counts in a ledger."""
        samples = cls(space, ledger.fill)
        for line in ledger.effective:
            samples.add(line, ledger)
        return samples

    def complete(self, values: Mapping[str, Any]) -> Candidate:
        """A candidate of the log as one of the space as it is now: a variable that came later has the value named for it."""
        if len(values) == len(self.space.names):
            return Candidate(values)
        return Candidate({name: values[name] if name in values else self.fill[name] for name in self.space.names})

    def history(self) -> History:
        """What counts, as the proposers see it."""
        if self._history is None:
            n = len(self.shown)
            self._history = History(
                self._points[:n].copy(),
                self._feasible[:n].copy(),
                tuple(self.comparisons),
                tuple(self._skipped),
                tuple(self._failed),
            )
        return self._history

    def add(self, line: Line, ledger: Ledger) -> bool:
        """One more line; whether a sample that was compared before has become infeasible by it."""
        self._history = None
        if isinstance(line.record.event, Imported):
            self._import(line.record.event, line.record.who)
            return False
        asked = ledger.asked[line.step]
        i, j = self._index(asked.first), self._index(asked.second)
        if i == j and line.said in (*WORDS, SKIPPED):  # two candidates that the bounds of today do not tell apart
            return False
        if line.said in WORDS:
            said = outcome(line.said)
            self.comparisons.append(Comparison(i, j, outcome(-said) if asked.swapped else said, line.step))
            self.authors.append(asked.judge)
            return False
        if line.said == SKIPPED:
            self._skipped.append((i, j))
            return False
        failed = j if (line.said == "a failed") == asked.swapped else i
        self._failed.append(failed)
        was_feasible = bool(self._feasible[failed])
        self._feasible[failed] = False
        return was_feasible and any(failed in (c.i, c.j) for c in self.comparisons)

    def _import(self, event: Imported, who: str) -> None:
        numbers = [self._index(values) for values in event.candidates]
        for i, j, said in event.comparisons:
            if numbers[i] != numbers[j]:
                step = FIRST_IMPORTED + len(self.comparisons)
                self.comparisons.append(Comparison(numbers[i], numbers[j], outcome(said), step))
                self.authors.append(who)

    def _index(self, values: Mapping[str, Any]) -> int:
        """The number of a sample, a new one where it was not seen before."""
        candidate = self.complete(values)
        known = self._known.get(candidate)
        if known is None:
            n, point = len(self.shown), self.space.encode(candidate)
            near = np.flatnonzero(np.abs(self._points[:n] - point).max(axis=1, initial=0.0) <= ROUNDING)
            known = int(near[0]) if near.size else self._append(candidate, point)
            self._known[candidate] = known
        return known

    def _append(self, candidate: Candidate, point: np.ndarray) -> int:
        n = len(self.shown)
        if n == len(self._points):
            self._points = np.vstack([self._points, np.empty_like(self._points)])
            self._feasible = np.append(self._feasible, np.empty_like(self._feasible))
        self._points[n], self._feasible[n] = point, self.space.admits(candidate)
        self.shown.append(candidate)
        return n

"""The log of a study with what is derived from it, and the one place where a study changes.

A stored study's event is in the database before anything changes here. Before anything happens the journal reads what other
processes have appended; where one of them is faster, it reads on and tries again, if what was to be said can still be said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from prefero import answers, checks, events
from prefero._version import __version__
from prefero.answers import History
from prefero.arrays import Vector
from prefero.checks import proposer_of, space_of
from prefero.domain import Domain
from prefero.errors import ConflictError, FormatError, InputError, PreferoError, QuestionError, shorten
from prefero.events import (
    Answered,
    Artifact,
    Asked,
    Corrected,
    Event,
    Imported,
    ProposerChanged,
    Record,
    Removed,
    Restored,
    SpaceChanged,
    Undone,
)
from prefero.panel import Question
from prefero.proposers.base import Proposal, Proposer, Task
from prefero.proposing import Proposing
from prefero.replay import SKIPPED, WORDS, Ledger, Samples
from prefero.shelf import Shelf
from prefero.space import Candidate

TRIES = 100
"""How often somebody else may be faster before a study gives up."""


def new_record(sequence: int, event: Event, who: str) -> Record:
    """An event that happens now."""
    return Record(sequence, datetime.now(UTC).isoformat(timespec="milliseconds"), who, __version__, event)


class Journal:
    """What happened, where it is kept, and what follows from it: the samples, the task, what to ask next."""

    def __init__(
        self, shelf: Shelf, records: Sequence[Record], space: Any, proposer: Any, function: Proposer | None = None
    ) -> None:
        """Derive everything from the log; FormatError where it does not fit together.

        `space` and `proposer` stand in for what the log describes, where it holds functions; `function` only there.
        """
        self.shelf, self.ledger = shelf, Ledger()
        self.seconds = 0.0  # spent on proposing
        try:
            for record in records:
                self._take(record)
            created = self.ledger.created
            self.comparisons = checks.checked_count("comparisons", created.comparisons)
            self.seed, self.sides = checks.checked_seed(created.seed), checks.checked_sides(created.sides)
            if proposer is None and function is not None:
                name = function.to_dict()["name"]  # of a kind that no log holds, and the one that asked so far
                proposer = function if name == self.ledger.proposer.get("name") not in checks.PROPOSERS else None
            self._settle(space_of(self.ledger.space, space), proposer_of(self.ledger.proposer, proposer))
        except FormatError:
            raise
        except (PreferoError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"the study does not fit together: {shorten(str(error), 200)}") from error

    def _take(self, record: Record) -> Any:
        if not self.ledger.fits(record.event):
            raise FormatError.of("event", record.event, "one that can follow the events before it")
        return self.ledger.apply(record)

    def _settle(self, space: Domain, proposer: Proposer) -> None:
        """What follows from the log in this space, with this proposer."""
        samples = Samples.of(self.ledger, space)
        for shown in dict.fromkeys(map(samples.complete, self.ledger.candidates())):
            if space.candidate(shown) != shown:
                raise FormatError.of("candidate", dict(shown), "a candidate of the space")
        own = [space.candidate(samples.complete(values)) for values in self.ledger.created.start]
        self._own = [candidate for candidate in own if space.admits(candidate)]
        encoded = np.array([space.encode(candidate) for candidate in self._own]).reshape(-1, space.dimension)
        self.space, self.proposer, self.samples = space, proposer, samples
        self.task = Task(space, self.comparisons, self.seed, encoded)
        self.proposing = Proposing(proposer, self.task, checks.checked_max_step(self.ledger.created.max_step, space))

    @property
    def history(self) -> History:
        """What counts, in the box."""
        return self.samples.history()

    # What happens ----------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Read what other processes have appended; returns how many events that were."""
        new = self.shelf.read(len(self.ledger.records))
        for record in new:
            space = space_of(record.event.space) if isinstance(record.event, SpaceChanged) else None
            proposer = proposer_of(record.event.proposer) if isinstance(record.event, ProposerChanged) else None
            self._follow(record, self._take(record), space, proposer)
        return len(new)

    def happen(
        self,
        make: Callable[[], Event | Record],
        who: str | Callable[[Any], str],
        space: Domain | None = None,
        proposer: Proposer | None = None,
        artifacts: tuple[Artifact, ...] = (),
    ) -> Record:
        """Let an event happen that `make` makes of the study as it then is; a record instead says that it happened already."""
        for _ in range(TRIES):
            self.refresh()
            event = make()
            if isinstance(event, Record):
                return event
            record = new_record(len(self.ledger.records), event, who if isinstance(who, str) else who(event))
            data = event.proposer if isinstance(event, ProposerChanged) else self.ledger.proposer
            try:
                self.shelf.append(record, self._answers_after(event), str(data.get("name")), artifacts)
            except ConflictError:
                continue
            self._follow(record, self.ledger.apply(record), space, proposer)
            return record
        raise ConflictError(f"others were faster {TRIES} times: try again")

    def _follow(
        self, record: Record, added: Any, space: Domain | None = None, proposer: Proposer | None = None
    ) -> None:
        """Bring what is derived up to the record that the ledger has just taken."""
        if isinstance(record.event, SpaceChanged | ProposerChanged):
            self._settle(space or self.space, proposer or self.proposer)
        elif added == "anew":
            before = self.history
            self.samples = Samples.of(self.ledger, self.space)
            self.proposing.forget(before.common(self.history))
        elif added is not None and self.samples.add(added, self.ledger):
            self.proposing.forget(-1)

    def _answers_after(self, event: Event) -> int:
        """How many answers will count, for the list of studies."""
        now = len(self.samples.comparisons)
        match event:
            case Answered():
                return now + 1
            case Imported(candidates=candidates, comparisons=rows):
                complete = [self.samples.complete(values) for values in candidates]
                return now + sum(complete[i] != complete[j] for i, j, _ in rows)
            case Undone(step=step) | Removed(step=step):
                return now - (self.ledger.lines[step].said in WORDS)
            case Restored(step=step):
                return now + (self.ledger.lines[step].said in WORDS)
            case Corrected(step=step):
                return now + (self.ledger.lines[step].said == SKIPPED)
        return now

    # Questions -------------------------------------------------------------------------------------------------------

    def question(self, step: int) -> Question:
        """The question of that number, the sides as they were shown."""
        return Question.of(self.ledger.asked[step], self.samples)

    def next_question(self, judge: str, earlier: Proposal | None) -> tuple[Asked, Proposal]:
        """A question for a judge, and the proposal it was made of; an earlier one, if it may still be shown."""
        pending = [self._pair(step) for step in self.ledger.waiting.values()]
        step = len(self.ledger.asked)
        if earlier is None or self.proposing.objection(earlier, self.history, pending):
            began = time.perf_counter()
            earlier = self.proposing.propose(self.history, pending, step)
            self.seconds += time.perf_counter() - began
        first, second = self._shown_or_new(earlier.first), self._shown_or_new(earlier.second)
        return Asked(step, dict(first), dict(second), self._swapped(step), earlier.note, judge), earlier

    def _pair(self, step: int) -> tuple[Vector, Vector]:
        asked = self.ledger.asked[step]
        first, second = (self.space.encode(self.samples.complete(values)) for values in (asked.first, asked.second))
        return first, second

    def _swapped(self, step: int) -> bool:
        """Whether the incumbent is B; of two questions in a row one is swapped, which of them is drawn."""
        if self.sides != "random":
            return False
        coin = np.random.default_rng([self.seed, step // 2, 3]).random() < 0.5
        return bool(coin) ^ bool(step % 2)

    def _shown_or_new(self, point: Vector) -> Candidate:
        """The candidate at a point: the very one that was shown, or that the user gave, if there is one."""
        index = self.history.index(point)
        if index is not None:
            return self.samples.shown[index]
        own = np.flatnonzero(np.abs(self.task.start - point).max(axis=1, initial=0.0) <= answers.ROUNDING)
        return self._own[own[0]] if own.size else self.space.decode(point)

    def may_wait_again(self, step: int) -> bool:
        """Whether the pair of an answer that is taken back may be shown: no candidate failed elsewhere, and in the bounds."""
        asked = self.ledger.asked[step]
        failed = [line.record.event for line in self.ledger.effective if line.said.endswith("failed")]
        elsewhere = [getattr(event, "candidate", None) for event in failed if getattr(event, "step", None) != step]
        same_space = all(len(values) == len(self.space.names) for values in (asked.first, asked.second))
        inside = all(np.abs(x).max() <= 1 + answers.ROUNDING for x in self._pair(step))
        return same_space and inside and asked.first not in elsewhere and asked.second not in elsewhere

    def checked_question(self, question: object, judge: str | None) -> int:
        """The step of the question that waits; an error for any other."""
        step = question.step if isinstance(question, Question) else question
        known = isinstance(step, int) and not isinstance(step, bool) and step in self.ledger.asked
        if not known or (isinstance(question, Question) and question != self.question(question.step)):
            raise QuestionError.of("question", question, "a question that this study asked")
        assert isinstance(step, int)
        owner = self.ledger.asked[step].judge
        if judge is not None and judge != owner:
            raise QuestionError.of("judge", judge, f"{owner!r}, whom question {step} was asked")
        waits = self.ledger.waiting.get(owner)
        if step != waits:
            line = self.ledger.lines.get(step)
            answered = line is not None and line.status == "effective"
            state = "has been answered already" if answered else "does not wait for an answer any more"
            now = "no question waits" if waits is None else f"question {waits} waits"
            raise QuestionError(f"question {step} {state}; {now}: use the one that ask() returns")
        return step

    # Another space -----------------------------------------------------------------------------------------------------

    def space_change(self, space: Domain, fill: Mapping[str, Any]) -> SpaceChanged:
        """The event that leads into another space, in which every candidate that was shown must have a place."""
        new, gone = (set(space.names) - set(self.space.names)), (set(self.space.names) - set(space.names))
        if gone:
            raise InputError.of("space", list(space.names), f"every variable that there is: {sorted(gone)} are missing")
        if not isinstance(fill, Mapping) or set(fill) != new:
            raise InputError.of("fill", fill, f"a value for each new variable: {sorted(new)}")
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in fill.items()}
        filled = Samples(space, self.ledger.fill | plain)
        for values in (*self.ledger.candidates(), *self.ledger.created.start):
            try:
                has_place = np.isfinite(space.encode(space.candidate(filled.complete(values)))).all()
            except (InputError, KeyError) as error:
                raise InputError(f"space: a candidate that was shown is none of it any more: {error}") from None
            if not has_place:
                raise InputError.of("space", values, "a space in which every candidate that was shown has a place")
        checks.checked_max_step(self.ledger.created.max_step, space)
        return SpaceChanged(events.plain(space.to_dict()), plain)

"""What would be asked next, computed while the person still looks; nothing is written, and the study is not touched.

It is the same question, to the bit, that the study would ask: a proposal is a function of the log. So it is only used where
the log went on exactly as assumed; measurements alone may have come in between, since no proposal depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prefero.domain import Domain
from prefero.events import Answered, Event, Measured, Record, Skipped
from prefero.journal import Journal
from prefero.proposers.base import Proposal, Proposer
from prefero.replay import SKIPPED, WORDS
from prefero.shelf import Shelf

SAYINGS = (*WORDS, SKIPPED)
"""The answers that can be foreseen."""


@dataclass(frozen=True)
class Foreseen:
    """A proposal, the proposer's states that led to it, and the log that they assume: `before`, then `said` about `step`.

    candidates: the two that would be shown.
    """

    before: tuple[Record, Record]  # the study's creation, and the last event that counts
    step: int
    said: str
    proposal: Proposal
    states: Mapping[int, Any]
    candidates: tuple[Mapping[str, Any], Mapping[str, Any]]

    def fits(self, records: Sequence[Record]) -> bool:
        """Whether the log went on as assumed, and no further."""
        return said_since(self.before, self.step, records) == self.said


@dataclass(frozen=True)
class Foresight:
    """A study at a moment when a question waits, for another thread to think about."""

    records: tuple[Record, ...]
    space: Domain
    proposer: Proposer
    states: Mapping[int, Any]
    step: int
    judge: str

    @classmethod
    def of(cls, journal: Journal, judge: str) -> Foresight | None:
        """What may follow the question that waits for a judge; None where none waits."""
        step = journal.ledger.waiting.get(judge)
        if step is None:
            return None
        states = journal.proposing.states()
        return cls(tuple(journal.ledger.records), journal.space, journal.proposer, states, step, judge)

    @property
    def before(self) -> tuple[Record, Record]:
        """The study's creation, and the last event that counts."""
        return self.records[0], next(_counting(self.records))

    def after(self, said: str) -> Foreseen:
        """What would be asked if that were said; an error where nothing could be."""
        journal = Journal(Shelf(None), self.records, self.space, self.proposer)
        journal.proposing.take_over(self.states)
        event: Event = Skipped(self.step) if said == SKIPPED else Answered(self.step, said)
        journal.happen(lambda: event, self.judge)
        asked, proposal = journal.next_question(self.judge, None)
        states, shown = journal.proposing.states(), (asked.first, asked.second)
        return Foreseen(self.before, self.step, said, proposal, states, shown)


def said_since(before: tuple[Record, Record], step: int, records: Sequence[Record]) -> str | None:
    """What was said about a question, where that is all that happened since; None where something else did."""
    counting = _counting(records)
    last, previous = next(counting, None), next(counting, None)
    if last is None or (records[0], previous) != before:
        return None
    match last.event:
        case Answered(step=asked, answer=answer) if asked == step:
            return answer
        case Skipped(step=asked) if asked == step:
            return SKIPPED
    return None


def _counting(records: Sequence[Record]) -> Iterator[Record]:
    """The events that count, the last first: no proposal depends on measurements."""
    return (record for record in reversed(records) if not isinstance(record.event, Measured))

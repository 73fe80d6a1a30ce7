"""What would be asked next, computed while the person still looks; nothing is written, and the study is not touched.

It is the same question, to the bit, that the study would ask: a proposal is a function of the log. So it is only used where
the log went on exactly as assumed; measurements alone may have come in between, since no proposal depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        counting = (record for record in reversed(records) if not isinstance(record.event, Measured))
        last, previous = next(counting, None), next(counting, None)
        return (
            last is not None and said_of(last.event) == (self.step, self.said) and (records[0], previous) == self.before
        )


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

    def after(self, said: str) -> Foreseen:
        """What would be asked if that were said; an error where nothing could be."""
        journal = Journal(Shelf(None), self.records, self.space, self.proposer)
        journal.proposing.take_over(self.states)
        event: Event = Skipped(self.step) if said == SKIPPED else Answered(self.step, said)
        journal.happen(lambda: event, self.judge)
        asked, proposal = journal.next_question(self.judge, None)
        last = next(record for record in reversed(self.records) if not isinstance(record.event, Measured))
        states, shown = journal.proposing.states(), (asked.first, asked.second)
        return Foreseen((self.records[0], last), self.step, said, proposal, states, shown)


def said_of(event: Event) -> tuple[int, str] | None:
    """What an event says about which question, where it could be foreseen."""
    match event:
        case Answered(step=step, answer=answer):
            return step, answer
        case Skipped(step=step):
            return step, SKIPPED
    return None


def said_last(records: Sequence[Record]) -> tuple[int, str] | None:
    """What was said last, where nothing that counts has happened since."""
    for record in reversed(records):
        if not isinstance(record.event, Measured):
            return said_of(record.event)
    return None

"""What would be asked next, computed while a person still looks at a question. Nothing is written, and the study is not touched.

A proposal is a function of the log, so the question is the same, to the bit, that the study would ask later. It is used only if
the log continued exactly as assumed; measurements may come in between, since no proposal depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from prefero.proposers.protocol import Proposal
from prefero.storage.events import Answered, Asked, Event, Measured, Record, Skipped
from prefero.study import checks
from prefero.study.samples import SKIPPED
from prefero.study.session import Session
from prefero.study.state import State

if TYPE_CHECKING:
    from prefero.study.study import Study

FORESEEN = ("a", "same", "b", SKIPPED)
"""The responses that a lookahead covers: after a "much better" the next question is chosen when it is asked for.

So it is after an answer about more than two candidates: there are too many answers to foresee.
"""


def foreseen(asked: Asked) -> tuple[str, ...]:
    """Return the responses to a question that a lookahead covers."""
    return () if asked.more else FORESEEN


@dataclass(frozen=True)
class Branch:
    """The next question, if `said` is what comes next about question `step`.

    before: the records that it builds on, the study's creation and the last one that counts.
    session: the fork that computed it, for the study to take over.
    """

    before: tuple[Record, Record]
    step: int
    said: str
    asked: Asked
    proposal: Proposal
    session: Session

    def branch(self, records: Sequence[Record]) -> Branch | None:
        """Return this branch if the log continued as it assumes, and no further."""
        return self if said_since(self.before, self.step, records) == self.said else None

    def proposed(self, state: State) -> tuple[Proposal, Session] | None:
        """Return the proposal and its session if the log continued as this branch assumes, and no further."""
        if state.samples.is_doubted(self.step):  # it took long; branches assume that the person is sure
            return None
        return (self.proposal, self.session) if self.branch(state.records) else None


class ComputedAhead(Protocol):
    """Proposals that were computed before they are needed, or that are computed elsewhere."""

    def proposed(self, state: State) -> tuple[Proposal, Session | None] | None:
        """Return the proposal for exactly this state, and the session that computed it if the study may take it over.

        None if the study has to compute it itself.
        """


@dataclass(frozen=True)
class Lookahead:
    """A study while a question waits for a judge, for another thread to compute what may follow."""

    state: State
    session: Session
    step: int
    judge: str

    @classmethod
    def of(cls, study: Study, judge: str = "") -> Lookahead | None:
        """Return a study's lookahead for the question that waits for a judge; None if none waits."""
        state = study.log.state
        step = state.waiting.get(checks.checked_name("judge", judge))
        return None if step is None else cls(state, study._session_of(state).fork(), step, judge)

    @property
    def before(self) -> tuple[Record, Record]:
        """The study's creation, and the last record that counts."""
        return before(self.state)

    def after(self, said: str) -> Branch:
        """Return what would be asked after that response; an error if nothing could be."""
        following = self.state.after(response(self.state, self.judge, said))
        session = self.session.fork()
        asked, proposal = session.ask(following, self.judge)
        return Branch(self.before, self.step, said, asked, proposal, session)


def before(state: State) -> tuple[Record, Record]:
    """Return what a later log has to continue: the study's creation, and the last record that counts."""
    return state.records[0], next(_counting(state.records))


def response(state: State, judge: str, said: str) -> Record:
    """Return the record of a response to the question that waits for a judge, as if it were given now."""
    step = state.waiting[judge]
    event: Event = Skipped(step) if said == SKIPPED else Answered(step, said)
    return Record(len(state.records), "", judge, "", event)


def said_since(before: tuple[Record, Record], step: int, records: Sequence[Record]) -> str | None:
    """Return what was said about a question, if that is all that happened since; otherwise None."""
    counting = _counting(records)
    last, previous = next(counting, None), next(counting, None)
    if last is None or (records[0], previous) != before:
        return None
    match last.event:
        case Answered(step=asked, answer=answer, sure=True) if asked == step:
            return answer
        case Skipped(step=asked) if asked == step:
            return SKIPPED
    return None


def _counting(records: Sequence[Record]) -> Iterator[Record]:
    """Yield the records that proposals depend on, the last first."""
    return (record for record in reversed(records) if not isinstance(record.event, Measured))

"""Proposals and recommendations: `python -P -m prefero.web.proposing` computes them in a helper process.

A request names a study and sends the records that the helper has not got yet, so that a study of many answers is sent only once.
A helper that lacks earlier records, because it was started again or had to forget the study, says so and is sent all of them. The
result is a function of the records: the same, to the bit, as the study itself would compute.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from prefero.errors import FormatError, PreferoError
from prefero.insight.agreement import history_of
from prefero.proposers.protocol import Proposal
from prefero.storage import events
from prefero.storage.events import Record
from prefero.study.session import Session
from prefero.study.state import State
from prefero.web.worker_process import serve

MOST_STUDIES, MOST_RECORDS = 64, 50_000
"""How many studies, and how many records of them all, are kept: of the studies used last."""
MOST_SESSIONS = 6
"""How many sessions of a study are kept: one for each answer that was foreseen, and those they came from."""


def row_of(record: Record) -> list[Any]:
    """Return a record as plain data; `record_of` is its inverse."""
    return [record.sequence, record.time, record.who, record.prefero, record.kind, record.fields()]


def record_of(row: Sequence[Any]) -> Record:
    """Return the record that `row_of` wrote."""
    return events.record(*row)


class Sessions:
    """The sessions of the studies that were asked about last: what was computed for one answer is used for the next."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, list[Session]] = OrderedDict()

    def propose(self, study: str, state: State, judge: str, then: Sequence[Record] = ()) -> Proposal:
        """Return the proposal for a judge after the records of a state, followed by `then`."""
        for record in then:
            state = state.after(record)
        return self._session(study, state).ask(state, judge)[1]

    def best(self, study: str, state: State, judge: str | None) -> int | None:
        """Return the recommended sample by everybody's answers, or by one judge's."""
        session = self._session(study, state) if judge is None else Session.of(state)
        return session.best(history_of(state, judge))

    def forget(self, study: str) -> None:
        """Drop the sessions of a study."""
        self._kept.pop(study, None)

    def _session(self, study: str, state: State) -> Session:
        """Return a session that has little left to compute, and keep it."""
        kept = self._kept.setdefault(study, [])
        self._kept.move_to_end(study)
        if len(self._kept) > MOST_STUDIES:
            self._kept.popitem(last=False)
        fitting = [session for session in kept if session.fits(state)]
        nearest = max(fitting, key=lambda session: session.known_answers(state.history), default=None)
        session = Session.of(state) if nearest is None else nearest.fork()
        kept[:] = [session, *kept][:MOST_SESSIONS]
        return session


class Desk:
    """The helper's end: the states of studies by their records, and the requests about them."""

    def __init__(self) -> None:
        self._states: OrderedDict[str, State] = OrderedDict()
        self._sessions = Sessions()

    def handle(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to a request.

        study: what tells studies apart. first, records: the records from a number on; at least one that is known already, unless
        they are all. do: "propose", "stand in" or "best".
        """
        records = [record_of(row) for row in request["records"]]
        try:
            state = self._state(request["study"], request["first"], records)
            return {"lacking": True} if state is None else self._made(request, state)
        except PreferoError as error:
            return {"error": type(error).__name__, "message": str(error)}

    def _made(self, request: Mapping[str, Any], state: State) -> dict[str, Any]:
        study, judge = request["study"], request["judge"]
        match request["do"]:
            case "best":
                return {"best": self._sessions.best(study, state, judge)}
            case "stand in":
                proposal = Session.of(state).stand_in(state, judge, request["since"])
            case _:
                then = [record_of(row) for row in request["then"]]
                proposal = self._sessions.propose(study, state, judge, then)
        return {"points": [x.tolist() for x in proposal.points], "note": proposal.note, "kind": str(proposal.kind)}

    def _state(self, study: str, first: int, records: list[Record]) -> State | None:
        """Return the state after a study's records; None if those before the first one are not known here."""
        known = self._states.get(study)
        shared = [] if known is None else known.records[first : first + len(records)]
        if known is None or not shared or records[: len(shared)] != shared:
            if first:
                return None
            state = State.of(records)
        elif first + len(records) < len(known.records):  # a request about a later state was here first
            return State.of(known.records[: first + len(records)])
        else:
            state = _continued(known, records[len(shared) :])
        self._keep(study, state)
        return state

    def _keep(self, study: str, state: State) -> None:
        self._states[study] = state
        self._states.move_to_end(study)
        while len(self._states) > MOST_STUDIES or (len(self._states) > 1 and self._records() > MOST_RECORDS):
            forgotten, _ = self._states.popitem(last=False)
            self._sessions.forget(forgotten)

    def _records(self) -> int:
        return sum(len(state.records) for state in self._states.values())


def _continued(state: State, records: Sequence[Record]) -> State:
    following = state
    try:
        for record in records:
            following = following.after(record)
    except FormatError:  # a space that held functions, which was changed again since
        return State.of([*state.records, *records])
    return following


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(1)  # saving answers comes first
    desk = Desk()
    serve(lambda: lambda request, _: (desk.handle(request), ()))

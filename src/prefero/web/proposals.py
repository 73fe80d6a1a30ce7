"""Proposals: the next questions of all studies of a server, computed in helper processes with a time limit.

    proposals = Proposals()
    proposal = proposals.propose(study.log.state, "ann")

Any thread may call it. A proposal is a function of the log, so it does not matter which helper computes it. A study with functions,
which no log holds (constraints, a proposer of the user's own), is computed in a thread of this process, without a limit.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from prefero import errors
from prefero.answers import as_kind
from prefero.errors import PreferoError
from prefero.proposers.protocol import Proposal
from prefero.storage.events import Record
from prefero.study import checks
from prefero.study.state import State
from prefero.web import proposing
from prefero.web.helper_pool import LIKELY, UNLIKELY, WAITED_FOR, HelperPool, InThread, Job
from prefero.web.proposing import Sessions, row_of
from prefero.web.refusals import Refusal
from prefero.web.worker_process import SINGLE_THREADED, EndedError, TimeLimitError, WorkerError, WorkerProcess

log = logging.getLogger("prefero.web")
T = TypeVar("T")
HELPERS, SECONDS = 2, 30.0
"""How many helper processes there are, and how long one proposal may take, by default."""
MOST_WAITING, MOST_WAITING_EACH = 10, 5
"""How many requests may wait for one study, in all and for one judge. More are refused: they would take the threads, or the turn,
of others who wait."""
MOST_STUDIES = 1_000
"""Of how many studies it is remembered what the helpers have got and which are too slow, the last ones used."""


class Proposals:
    """Computes proposals and recommendations for many studies, fairly."""

    def __init__(self, helpers: int = HELPERS, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self.observe: Callable[[float], object] = lambda _: None  # is told how many seconds each proposal took
        self._pool = HelperPool(
            [WorkerProcess(proposing.__name__, environment=SINGLE_THREADED) for _ in range(helpers)]
        )
        self._here, self._sessions = HelperPool([InThread()]), Sessions()
        self._lock = threading.Lock()
        self._shared: dict[tuple[str, int, str], Job[Proposal]] = {}  # by study, number of records and judge
        self._waiting: Counter[str | tuple[str, str | None]] = Counter()  # requests, by study, and by study and judge
        self._sent: OrderedDict[tuple[WorkerProcess, str], int] = OrderedDict()  # how many records a helper has got
        self._too_slow: OrderedDict[str, None] = OrderedDict()  # studies whose last proposal took too long

    # What somebody waits for -------------------------------------------------------------------------------------------

    def propose(
        self, state: State, judge: str = "", then: Sequence[Record] = (), ahead: Job[Proposal] | None = None
    ) -> Proposal:
        """Return the proposal for a judge's next question after the records of a state.

        If it takes too long, or its helper ends repeatedly, a space-filling candidate stands in, with a note that says so.
        An ExhaustedError if there is nothing left to ask; a Refusal if nothing can be computed now.

        Parameters
        ----------
        state: the study as it is. The proposal is the one that the study itself would compute.
        judge: whose question it is. The questions that wait for other judges are not proposed again.
        then: records to assume after those of the state, such as questions that are not in the log yet.
        ahead: the job of `compute_ahead` that assumed this state, if there is one.
        """
        try:
            if ahead is not None:
                with suppress(EndedError, CancelledError):  # it was given up, for somebody who waited
                    return self._result(state, ahead, judge)
            return self._result(state, self._job_for(state, judge, then), judge)
        except WorkerError as error:
            slow = isinstance(error, TimeLimitError)
        since = f"the proposer took longer than {self._seconds:g} s" if slow else "the proposer's process ended"
        log.warning("study %r: a space-filling candidate is asked about, since %s", state.created.name, since)
        return self._or_refused(state, lambda process: self._stand_in(process, state, judge, since), judge)

    def best(self, state: State, judge: str | None = None) -> int | None:
        """Return the recommended sample by everybody's answers, or by one judge's; a Refusal if it takes too long."""
        return self._or_refused(state, lambda helper: self._best(helper, state, judge), judge)

    def _or_refused(self, state: State, work: Callable[[Any], T], judge: str | None) -> T:
        try:
            return self._result(state, self._pool_of(state).submit(key_of(state), work), judge)
        except WorkerError:
            raise Refusal(503, "this could not be computed: try again", {"Retry-After": "2"}) from None

    def _result(self, state: State, job: Job[T], judge: str | None) -> T:
        """Wait for a job, unless many others wait for the same study, or for the same judge in it."""
        study, own = key_of(state), (key_of(state), judge)
        with self._lock:
            if self._waiting[study] >= MOST_WAITING or self._waiting[own] >= MOST_WAITING_EACH:
                raise Refusal(503, "many requests wait for this study: try again in a moment", {"Retry-After": "1"})
            self._waiting.update((study, own))
        try:
            return self._pool_of(state).result(job)
        finally:
            with self._lock:
                self._waiting.subtract((study, own))
                self._waiting = +self._waiting  # without those for whom nobody waits

    def _job_for(self, state: State, judge: str, then: Sequence[Record]) -> Job[Proposal]:
        """Return the job of a proposal, one for all who wait for the same."""
        wanted = (key_of(state), len(state.records), judge)
        with self._lock:
            job = None if then else self._shared.get(wanted)
            if job is None:
                job = self._submitted(state, judge, then, WAITED_FOR)
                if not then:
                    self._shared[wanted] = job
                    job.future.add_done_callback(lambda _: self._shared.pop(wanted, None))
        return job

    # What may be needed soon -------------------------------------------------------------------------------------------

    def compute_ahead(
        self, state: State, judge: str, then: Sequence[Record], likely: bool = True
    ) -> Job[Proposal] | None:
        """Return the job of a proposal that may be needed soon; None if this study's proposals take too long.

        The arguments are those of `propose`. likely: whether it comes before other jobs of this kind.
        """
        if key_of(state) in self._too_slow:
            return None
        with suppress(WorkerError):  # the server is stopping
            return self._submitted(state, judge, then, LIKELY if likely else UNLIKELY)
        return None

    def drop(self, job: Job[Proposal]) -> bool:
        """Remove a job of `compute_ahead` that has not begun; return whether it was removed."""
        return self._pool.drop(job) or self._here.drop(job)

    def start(self) -> None:
        """Start a helper, so that the first question need not wait for it."""
        with suppress(WorkerError):
            self._pool.submit("", lambda _: None, LIKELY)

    def close(self) -> None:
        """End the helpers, whatever they do. Those who wait are refused."""
        self._pool.close()
        self._here.close()

    # The work ----------------------------------------------------------------------------------------------------------

    def _pool_of(self, state: State) -> HelperPool:
        return self._pool if _is_whole(state) else self._here

    def _submitted(self, state: State, judge: str, then: Sequence[Record], rank: int) -> Job[Proposal]:
        def work(helper: WorkerProcess | InThread) -> Proposal:
            began = time.perf_counter()
            try:
                return self._propose(helper, state, judge, then)
            finally:
                self.observe(time.perf_counter() - began)

        return self._pool_of(state).submit(key_of(state), work, rank)

    def _propose(self, helper: WorkerProcess | InThread, state: State, judge: str, then: Sequence[Record]) -> Proposal:
        key = key_of(state)
        if isinstance(helper, InThread):
            return self._sessions.propose(key, state, judge, then)
        try:
            rows = [row_of(record) for record in then]
            reply = self._asked(helper, state, self._seconds, do="propose", judge=judge, then=rows)
        except TimeLimitError:
            with self._lock:
                _put(self._too_slow, key, None)
            raise
        with self._lock:
            self._too_slow.pop(key, None)
        return _proposal(reply)

    def _stand_in(self, helper: WorkerProcess, state: State, judge: str, since: str) -> Proposal:
        return _proposal(self._asked(helper, state, SECONDS, do="stand in", judge=judge, since=since))

    def _best(self, helper: WorkerProcess | InThread, state: State, judge: str | None) -> int | None:
        if isinstance(helper, InThread):
            return self._sessions.best(key_of(state), state, judge)
        best: int | None = self._asked(helper, state, self._seconds, do="best", judge=judge)["best"]
        return best

    def _asked(self, helper: WorkerProcess, state: State, seconds: float, **wanted: Any) -> dict[str, Any]:
        """Return a helper's reply about a state; it is sent the records that it has not got, and the last one that it has."""
        key, records = key_of(state), state.records
        first = max(0, min(self._sent.get((helper, key), 0), len(records)) - 1)
        reply: dict[str, Any] = {"lacking": True}
        while "lacking" in reply:
            rows = [row_of(record) for record in records[first:]]
            reply, _ = helper.request({"study": key, "first": first, "records": rows, **wanted}, seconds)
            first = 0
        with self._lock:
            _put(self._sent, (helper, key), len(records))
        if "error" in reply:
            raise getattr(errors, reply["error"], PreferoError)(reply["message"])
        return reply


def key_of(state: State) -> str:
    """Return what tells studies apart, also one that was deleted from a later one of the same name."""
    created = state.created
    return f"{created.name}\n{state.records[0].time}\n{created.seed}"


def _is_whole(state: State) -> bool:
    """Return whether the log holds all of a state: no constraint functions, and no proposer of the user's own."""
    if any(row["type"] != "linear" for row in state.space_data.get("constraints", ())):
        return False
    try:
        return checks.proposer_of(state.proposer_data) == state.proposer
    except PreferoError:
        return False


def _proposal(reply: dict[str, Any]) -> Proposal:
    first, second, *more = map(np.array, reply["points"])
    return Proposal(first, second, reply["note"], tuple(more), as_kind(reply["kind"]))


def _put(kept: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Remember something, and forget what was used least recently."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > MOST_STUDIES:
        kept.popitem(last=False)

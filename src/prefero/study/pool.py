"""The pool: questions for a study with many judges, proposed in batches by one worker.

A lone person gets the question that fits the last answer. When several judges answer at once, proposing for each of them in turn
would make everybody wait, so a worker proposes pairs ahead, and a judge takes one that they have not had. Such a question knows a
little less: its event tells how many records the proposer knew. If the worker falls behind, a pair is given to several judges, who
then judge the same thing; nobody gets a pair of the pool twice.

One worker at a time fills the pool of a study: it holds a lease in the storage, and what it adds is refused once the lease is lost.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from typing import Any

from prefero.errors import ExhaustedError, FormatError, PreferoError, UnknownStudyError
from prefero.proposers.protocol import Proposal
from prefero.storage import Crowd, Storage
from prefero.study.session import as_asked
from prefero.study.state import State
from prefero.study.study import Study

log = logging.getLogger("prefero.pool")

CROWD = 4
"""From so many judges at once on, questions come from the pool."""
PRESENT_SECONDS = 120.0
"""A judge who asked or answered so lately is present."""
PAUSE_SECONDS = 0.1
"""The pause between two looks at what is needed."""
LEASE_SECONDS = 15.0
"""How long a worker may say nothing before another one takes its place."""
MOST_STOCK = 32
"""The most pairs that are proposed together."""
ROUND_SECONDS = 0.6
"""About how long a worker proposes before it has looked at every study once."""
LEAST_SECONDS = 0.04
"""But at least so long for each study: learning the last answers takes longer than a proposal, so several should follow from it."""
REST = 1.0
"""How long a worker rests after a round, as a share of the time it computed: it must leave a small machine to the service."""
IDLE_SECONDS = 1.0
"""The pause if other workers do everything."""
MOST_OPEN = 200
"""How many studies a worker keeps open."""


def moment(seconds: float = 0.0) -> str:
    """Return the time so many seconds from now, as the storage writes it."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


class Filler:
    """Fills the pools of a storage's studies; one thread uses it."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.owner = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"
        self.busy: tuple[str, float] | None = None  # which study is being proposed for, and since when
        self._open: OrderedDict[str, Study] = OrderedDict()
        self._known: dict[str, int] = {}  # how long each log was when its pool was last filled
        self._renewed: dict[str, float] = {}  # when each lease was last renewed
        self._slow = False  # whether the last round took so long that this worker takes no further study
        self._useless: set[str] = set()  # studies that cannot be opened here: they hold functions

    def run(self, stop: threading.Event) -> None:
        """Fill pools until told to stop."""
        while not stop.is_set():
            began, used = time.monotonic(), time.process_time()
            try:
                self.round()
                pause = PAUSE_SECONDS if self._renewed else IDLE_SECONDS
            except PreferoError as error:  # the storage does not answer: wait, and try again
                log.warning("the pool cannot be filled: %s", error)
                pause = IDLE_SECONDS
            self._slow = time.monotonic() - began > LEASE_SECONDS / 3
            stop.wait(pause + REST * (time.process_time() - used))

    def round(self) -> None:
        """Look at every study with a crowd once."""
        crowds = [crowd for crowd in self.storage.crowds(moment(-PRESENT_SECONDS), CROWD) if self._needs(crowd)]
        crowds.sort(key=lambda crowd: (crowd.stock > 0, crowd.stock / crowd.present))  # the emptiest first
        budget = max(LEAST_SECONDS, ROUND_SECONDS / max(1, len(crowds)))
        for crowd in crowds:
            if self._leased(crowd.study):
                self._fill(crowd, budget)

    def _needs(self, crowd: Crowd) -> bool:
        """Return whether a pool is running low, or much was answered since it was filled."""
        if crowd.study in self._useless:
            return False
        news = crowd.length - self._known.get(crowd.study, 0)
        return 2 * crowd.stock < _wanted(crowd) or news >= 4 * crowd.present

    def _leased(self, study: str) -> bool:
        began = time.monotonic()
        if began - self._renewed.get(study, -LEASE_SECONDS) < LEASE_SECONDS / 3:
            return True
        if self._slow and study not in self._renewed:
            return False  # another worker may have it
        if not self.storage.lease(study, self.owner, moment(), moment(LEASE_SECONDS)):
            self._renewed.pop(study, None)
            self._open.pop(study, None)
            return False
        self._renewed[study] = began
        return True

    def _fill(self, crowd: Crowd, seconds: float) -> None:
        """Propose as many pairs as there is time for, at least one."""
        self.busy = (crowd.study, time.monotonic())
        try:
            study = self._study(crowd.study)
            study.refresh()
            study.log.renew_proposer()
            state = study.log.state
            session = study._session_of(state)
            given = (state.history, state.reserved, len(state.asked), _wanted(crowd), seconds)
            proposals = session.propose_several(*given)
            pairs = [_pair(state, proposal, len(state.asked) + k) for k, proposal in enumerate(proposals)]
        except UnknownStudyError:  # it was deleted
            self._open.pop(crowd.study, None)
            return
        except FormatError as error:
            log.warning("%s has no pool, its judges wait for each other: %s", crowd.study, error)
            self._useless.add(crowd.study)
            return
        except ExhaustedError:
            pairs = []
        finally:
            self.busy = None
        if self.storage.fill(crowd.study, self.owner, pairs, MOST_STOCK):
            self._known[crowd.study] = len(state.records)
        else:
            self._renewed.pop(crowd.study, None)

    def give_up(self, study: str, seconds: float) -> None:
        """Let nobody fill a study's pool for a while."""
        self.storage.lease(study, self.owner, moment(), moment(seconds))

    def _study(self, name: str) -> Study:
        study = self._open.get(name)
        if study is None:
            study = self._open[name] = Study.open(name, self.storage)
        self._open.move_to_end(name)
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return study


def _wanted(crowd: Crowd) -> int:
    """Return how many pairs a pool should hold that nobody has taken: one for each judge who may ask next."""
    return min(crowd.present, MOST_STOCK)


def _pair(state: State, proposal: Proposal, step: int) -> dict[str, Any]:
    """Return a proposal as the pool keeps it: a question without its judge and its number, which will be about `step`."""
    return as_asked(state, proposal, step) | {"known": len(state.records)}

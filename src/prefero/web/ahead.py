"""The next question for each possible answer, computed while the person looks; it writes nothing.

One thread thinks ahead for all studies of a process, and begins nothing while somebody waits for an answer of ours; what is likely
to be answered is thought of for everybody before what is not. When an answer came, the branch that came true is taken, waited for
if it is being computed, and the others are dropped.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Lock

from prefero.errors import PreferoError
from prefero.foresight import SAYINGS, Foreseen, Foresight, said_since
from prefero.study import Study
from prefero.web.preparing import SOON, Preparing

log = logging.getLogger("prefero.web")
ORDER = sorted(SAYINGS, key=lambda said: ("a", "b", "same", "skipped").index(said))
"""The likelier answers first."""
LIKELY = ("a", "b")
COMPANY = 2
"""After an answer it is thought anew for so many other judges of the study: what was thought of before it is void."""
PATIENCE = 0.25
"""Seconds for which others come first."""


class _Plan:
    """What may follow one question."""

    def __init__(self, foresight: Foresight, preparing: Preparing | None) -> None:
        self.foresight, self._preparing = foresight, preparing
        self.branches: dict[str, Future[Foreseen | None]] = {said: Future() for said in ORDER}

    def holds(self, foresight: Foresight) -> bool:
        """Whether it is of the same question, and nothing happened since."""
        return (self.foresight.step, self.foresight.before) == (foresight.step, foresight.before)

    def compute(self, said: str) -> None:
        """Think of a branch, unless it was dropped."""
        branch, found = self.branches[said], None
        if not branch.set_running_or_notify_cancel():
            return
        try:
            found = self.foresight.after(said)
            if self._preparing is not None:
                self._preparing.want(found.candidates, SOON)
        except PreferoError:
            pass  # whoever asks will be told why
        except Exception:
            log.exception("thinking ahead failed")
        finally:
            branch.set_result(found)

    def take(self, said: str | None) -> Foreseen | None:
        """The branch that came true, if it was begun; the others end."""
        for other, branch in self.branches.items():
            if other != said:
                branch.cancel()
        taken = self.branches.get(said or "")
        return None if taken is None or taken.cancel() else taken.result()


class Ahead:
    """The plans for the questions that wait, by study and judge."""

    def __init__(self, most: int, preparing: Preparing | None = None) -> None:
        self._most, self._lock, self._preparing = most, Lock(), preparing
        self._plans: OrderedDict[tuple[str, str], _Plan] = OrderedDict()
        self._queue: list[tuple[bool, int, _Plan, str]] = []
        self._places = itertools.count()
        self._waiting, self._quiet = 0, Event()
        self._quiet.set()
        self._thinker = ThreadPoolExecutor(1, "prefero-ahead")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Begin nothing while this lasts, unless it lasts for long: somebody waits."""
        with self._lock:
            self._waiting += 1
            self._quiet.clear()
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._quiet.set()

    def ask(self, study: Study, judge: str) -> None:
        """Let a study that was just read ask a judge, with what was foreseen; then think on."""
        study.ask(judge, self._take(study, judge))
        self.look(study, judge)
        with self._lock:
            others = [who for name, who in self._plans if name == study.name and who != judge]
        for other in others[-COMPANY:]:  # whose next question is another one now
            self.look(study, other)

    def look(self, study: Study, judge: str) -> None:
        """Begin to think of what may follow the question that waits for a judge, unless it was begun already."""
        foresight = study.foresee(judge)
        key = (study.name, judge)
        with self._lock:
            known = self._plans.get(key)
            if foresight is None or (known is not None and known.holds(foresight)):
                return
            if known is not None:
                known.take(None)
            plan = self._plans[key] = _Plan(foresight, self._prepares(study))
            if len(self._plans) > self._most:
                self._plans.popitem(last=False)[1].take(None)
            for said in ORDER:
                heapq.heappush(self._queue, (said not in LIKELY, next(self._places), plan, said))
        for _ in ORDER:
            self._thinker.submit(self._think)

    def _think(self) -> None:
        """Think of the branch whose turn it is."""
        self._quiet.wait(PATIENCE)
        with self._lock:
            _, _, plan, said = heapq.heappop(self._queue)
        plan.compute(said)

    def _prepares(self, study: Study) -> Preparing | None:
        """Who renders the study's candidates; what it wanted to have soon is dropped."""
        if self._preparing is None or self._preparing.study != study.name:
            return None
        self._preparing.forget()
        return self._preparing

    def _take(self, study: Study, judge: str) -> Foreseen | None:
        with self._lock:
            plan = self._plans.pop((study.name, judge), None)
        if plan is None:
            return None
        return plan.take(said_since(plan.foresight.before, plan.foresight.step, study.records))

    def close(self) -> None:
        """Drop every plan, and let the one that is being thought of end."""
        with self._lock:
            for plan in self._plans.values():
                plan.take(None)
            self._plans.clear()
        self._thinker.shutdown(wait=True, cancel_futures=True)

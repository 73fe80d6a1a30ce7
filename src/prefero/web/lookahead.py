"""The next question for each possible answer, computed while the person looks. Nothing is written.

One thread computes ahead for all studies of a process. It starts nothing while a request is being handled, and computes the
likely answers of everybody before the unlikely ones. When an answer arrives, its branch is used, waited for if it is being
computed, and the others are dropped.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Lock

from prefero.errors import PreferoError
from prefero.storage.events import Record
from prefero.study import Question, Study
from prefero.study.lookahead import FORESEEN, Branch, Lookahead, said_since
from prefero.web.render_queue import SOON, RenderQueue

log = logging.getLogger("prefero.web")
LIKELY = ("a", "b")
ORDER = sorted(FORESEEN, key=lambda said: ("a", "b", "same", "skipped").index(said))
"""Answers in the order they are computed, the likely ones first."""
OTHER_JUDGES = 2
"""After an answer, compute ahead again for this many other judges of the study: their branches have become void."""
PATIENCE = 0.25
"""Seconds that computing ahead waits for requests to finish before it goes on regardless."""


class Plan:
    """What may follow one question."""

    def __init__(self, lookahead: Lookahead, renders: RenderQueue | None) -> None:
        self.lookahead, self._renders = lookahead, renders
        self.branches: dict[str, Future[Branch | None]] = {said: Future() for said in ORDER}

    def holds(self, lookahead: Lookahead) -> bool:
        """Return whether this is the plan of the same question, and nothing happened since."""
        return (self.lookahead.step, self.lookahead.before) == (lookahead.step, lookahead.before)

    def compute(self, said: str) -> None:
        """Compute a branch, unless it was dropped."""
        future, branch = self.branches[said], None
        if not future.set_running_or_notify_cancel():
            return
        try:
            branch = self.lookahead.after(said)
            if self._renders is not None:
                self._renders.want((branch.asked.first, branch.asked.second), SOON)
        except PreferoError:
            pass  # the request that asks this question will get the error
        except Exception:
            log.exception("computing ahead failed")
        finally:
            future.set_result(branch)

    def branch(self, records: Sequence[Record]) -> Branch | None:
        """Return the branch that came true, if its computation has started; drop the others."""
        said = said_since(self.lookahead.before, self.lookahead.step, records)
        self.drop(said)
        taken = self.branches.get(said or "")
        return None if taken is None or taken.cancel() else taken.result()

    def drop(self, but: str | None = None) -> None:
        """Drop every branch that has not started, except one."""
        for said, future in self.branches.items():
            if said != but:
                future.cancel()


class Lookaheads:
    """The plans for the questions that wait, by study and judge."""

    def __init__(self, most: int, renders: RenderQueue | None = None) -> None:
        self._most, self._lock, self._renders = most, Lock(), renders
        self._plans: OrderedDict[tuple[str, str], Plan] = OrderedDict()
        self._queue: list[tuple[bool, int, Plan, str]] = []
        self._order = itertools.count()
        self._requests, self._quiet = 0, Event()
        self._quiet.set()
        self._thread = ThreadPoolExecutor(1, "prefero-lookahead")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Start no computation during the block: somebody waits for a reply."""
        with self._lock:
            self._requests += 1
            self._quiet.clear()
        try:
            yield
        finally:
            with self._lock:
                self._requests -= 1
                if not self._requests:
                    self._quiet.set()

    def ask(self, study: Study, judge: str) -> Question:
        """Return a judge's next question, computed ahead if it could be, and compute on from there."""
        key = (study.settings.name, judge)
        plan = self._plans.get(key)
        question = study.ask(judge, plan)
        if plan is not None and plan.lookahead.step != question.step:
            with self._lock:
                self._plans.pop(key, None)  # it was used up; the new one is the youngest
        self.start(study, judge)
        with self._lock:
            others = [who for name, who in self._plans if name == study.settings.name and who != judge]
            if plan is not None and plan.lookahead.step != question.step:
                for other in others[:-OTHER_JUDGES]:  # void since this judge's answer
                    self._plans.pop((study.settings.name, other)).drop()
        for other in others[-OTHER_JUDGES:]:
            self.start(study, other)
        return question

    def start(self, study: Study, judge: str) -> None:
        """Start to compute what may follow the question that waits for a judge, unless that has started already."""
        lookahead = Lookahead.of(study, judge)
        key = (study.settings.name, judge)
        with self._lock:
            known = self._plans.get(key)
            if lookahead is None or (known is not None and known.holds(lookahead)):
                return
            if known is not None:
                known.drop()
            plan = self._plans[key] = Plan(lookahead, self._renders_of(study))
            if len(self._plans) > self._most:
                self._plans.popitem(last=False)[1].drop()
            for said in ORDER:
                heapq.heappush(self._queue, (said not in LIKELY, next(self._order), plan, said))
        for _ in ORDER:
            self._thread.submit(self._compute_next)

    def _compute_next(self) -> None:
        with self._lock:
            _, _, plan, said = heapq.heappop(self._queue)
        if not plan.branches[said].cancelled():
            self._quiet.wait(PATIENCE)
            plan.compute(said)

    def _renders_of(self, study: Study) -> RenderQueue | None:
        """Return the queue that renders the study's candidates, without what an earlier plan wanted soon."""
        if self._renders is None or self._renders.study != study.settings.name:
            return None
        self._renders.forget()
        return self._renders

    def close(self) -> None:
        """Drop every plan and let the running computation end."""
        with self._lock:
            for plan in self._plans.values():
                plan.drop()
            self._plans.clear()
        self._thread.shutdown(wait=True, cancel_futures=True)

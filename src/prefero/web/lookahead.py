"""The next question for each possible answer, computed while the person looks. Nothing is written.

`Proposals` computes the likely answers of everybody before the unlikely ones, and both only when nobody waits. When an answer
arrives, its branch is used, waited for if it is being computed, and the others are dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock
from typing import Any

from prefero.proposers.protocol import Proposal
from prefero.study import Question, Study
from prefero.study.lookahead import FORESEEN, before, foreseen, response, said_since
from prefero.study.session import Session, question_of
from prefero.study.state import State
from prefero.web.helper_pool import Job
from prefero.web.proposals import Proposals
from prefero.web.render_queue import SOON, RenderQueue

LIKELY = ("a", "b")
ORDER = sorted(FORESEEN, key=lambda said: ("a", "b", "same", "skipped").index(said))
"""Answers in the order they are computed, the likely ones first."""
OTHER_JUDGES = 2
"""After an answer, compute ahead again for this many other judges of the study: their branches have become void."""


class Plan:
    """What may follow the question that waits for a judge."""

    def __init__(self, proposals: Proposals, state: State, judge: str, renders: RenderQueue | None) -> None:
        self.step, self.before = state.waiting[judge], before(state)
        self._proposals = proposals
        self.jobs: dict[str, Job[Proposal]] = {}
        self.likely: list[dict[str, Any]] = []
        possible = foreseen(state.asked[self.step])
        for said in filter(possible.__contains__, ORDER):
            answer = response(state, judge, said)
            job = proposals.compute_ahead(state, judge, [answer], said in LIKELY)
            if job is not None:
                self.jobs[said] = job
                self._note_when_known(job, state.after(answer), judge, renders)

    def _note_when_known(self, job: Job[Proposal], following: State, judge: str, renders: RenderQueue | None) -> None:
        def note(future: Future[Proposal]) -> None:
            if not future.cancelled() and future.exception() is None:
                asked = question_of(following, judge, future.result())
                self.likely += asked.candidates
                if renders is not None:
                    renders.want(asked.candidates, SOON)

        job.future.add_done_callback(note)

    def holds(self, state: State, judge: str) -> bool:
        """Return whether this is the plan of the question that waits now, and nothing happened since."""
        return (self.step, self.before) == (state.waiting.get(judge), before(state))

    def job(self, state: State) -> Job[Proposal] | None:
        """Return the job of the branch that came true, if it has begun; drop the others."""
        # An answer that took long may count as unsure; branches assume that the person is sure.
        doubted = state.samples.is_doubted(self.step)
        said = None if doubted else said_since(self.before, self.step, state.records)
        self.drop(said)
        job = self.jobs.get(said or "")
        return None if job is None or self._proposals.drop(job) else job

    def drop(self, but: str | None = None) -> None:
        """Drop every branch that has not begun, except one."""
        for said, job in self.jobs.items():
            if said != but:
                self._proposals.drop(job)


class _Asking:
    """Where one request gets its proposal from: what was computed ahead, or `Proposals`."""

    def __init__(self, proposals: Proposals, judge: str, plan: Plan | None) -> None:
        self._proposals, self._judge, self._plan = proposals, judge, plan
        self._earlier: tuple[State, Proposal] | None = None

    def proposed(self, state: State) -> tuple[Proposal, None]:
        """Return the proposal for a state; the one for an earlier state of this request if it may still be shown."""
        if self._earlier is None or not _may_be_shown(*self._earlier, state):
            ahead = None if self._plan is None else self._plan.job(state)
            self._earlier = state, self._proposals.propose(state, self._judge, ahead=ahead)
        return self._earlier[1], None


def _may_be_shown(earlier: State, proposal: Proposal, state: State) -> bool:
    """Return whether a proposal for an earlier state may still be shown after what others did since."""
    session = Session.of(state)
    if (
        session.max_step
        or state.history.limits
        or earlier.space is not state.space
        or earlier.proposer is not state.proposer
    ):
        return False  # with a max_step or hints it depends on more than what waits
    pending = [state.points(step) for step in state.waiting.values()]
    return not session.objection(proposal, state.history, pending)


class Lookaheads:
    """The plans for the questions that wait, by study and judge."""

    def __init__(self, proposals: Proposals, most: int, renders: RenderQueue | None = None) -> None:
        self._proposals, self._most, self._renders, self._lock = proposals, most, renders, Lock()
        self._plans: OrderedDict[tuple[str, str], Plan] = OrderedDict()

    def ask(self, study: Study, judge: str) -> Question:
        """Return a judge's next question, computed ahead if it could be, and compute on from there."""
        key = (study.settings.name, judge)
        plan = self._plans.get(key)
        question = study.ask(judge, _Asking(self._proposals, judge, plan))
        used_up = plan is not None and plan.step != question.step
        if used_up:
            with self._lock:
                self._plans.pop(key, None)  # the new one is the youngest
        self.start(study, judge)
        with self._lock:
            others = [who for name, who in self._plans if name == study.settings.name and who != judge]
            if used_up:
                for other in others[:-OTHER_JUDGES]:  # void since this judge's answer
                    self._plans.pop((study.settings.name, other)).drop()
        for other in others[-OTHER_JUDGES:]:
            self.start(study, other)
        return question

    def start(self, study: Study, judge: str) -> None:
        """Start to compute what may follow the question that waits for a judge, unless that has started already."""
        key, state = (study.settings.name, judge), study.log.state
        with self._lock:
            known = self._plans.get(key)
            if judge not in state.waiting or (known is not None and known.holds(state, judge)):
                return
            if known is not None:
                known.drop()
            self._plans[key] = Plan(self._proposals, state, judge, self._renders_of(study))
            if len(self._plans) > self._most:
                self._plans.popitem(last=False)[1].drop()

    def likely(self, study: str, judge: str) -> list[dict[str, Any]]:
        """Return the candidates of the questions that were computed ahead for a judge, those found first first."""
        plan = self._plans.get((study, judge))
        return [] if plan is None else list(plan.likely)

    def _renders_of(self, study: Study) -> RenderQueue | None:
        """Return the queue that renders the study's candidates, without what an earlier plan wanted soon."""
        if self._renders is None or self._renders.study != study.settings.name:
            return None
        self._renders.forget()
        return self._renders

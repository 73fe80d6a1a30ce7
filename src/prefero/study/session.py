"""Session: a proposer at work on one study.

A session turns the state of a study into the next question. What it remembers is a memo: every result is a function of the
task, the history and the number of questions asked. The proposer's state is a fold over the answers; a proposer whose state
depends on the path it took starts it again from nothing after every `rebuild` answers, live as on replay.

If the history is too large for the study's proposer, Thompson sampling takes its place: that is a function of the history, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock
from time import monotonic
from typing import Any

import numpy as np

from prefero.answers import PAIR, History, Kind, Limit, as_kinds, most_telling
from prefero.errors import ExhaustedError, InputError, PreferoError
from prefero.models.threads import one_thread
from prefero.proposers.exclusions import failures
from prefero.proposers.fallback import best_without_model, space_filling, start_over
from prefero.proposers.protocol import Proposal, Proposer, Reach, Task
from prefero.proposers.thompson import Thompson, for_size
from prefero.space import Candidate
from prefero.space.arrays import ROUNDING, Vector, same_points
from prefero.storage.events import Asked, Created
from prefero.study import checks
from prefero.study.state import State

FAILURES = (PreferoError, ArithmeticError, np.linalg.LinAlgError)
"""Exceptions of a proposer after which a study goes on with a space-filling candidate."""
STAND_IN = "a space-filling candidate, since "
"""How the note of a question begins that the proposer did not choose."""
UNLIMITED = "nothing new is left where the hints say: they were left out"
"""The note of a question that does not follow the hints."""

LEAP = 4
"""If a crowd gave more answers than this since the last state, it advances over all of them at once."""
REBUILD_GROWTH = 1.5
"""Such a state is built from scratch when the answers have grown by this factor."""

SET_STREAM = 5
"""In the seed of the further proposals of a question about more than two candidates: each kind of draw has its own."""

Pair = tuple[Vector, Vector]
Points = tuple[Vector, ...]
"""The candidates of a question, the incumbent first."""


@dataclass(frozen=True)
class _Leap:
    """A state after the answers of a history, and how many there were when it was built from scratch."""

    history: History
    state: Any
    built: int


@dataclass
class Session:
    """A proposer and its task; `max_step` limits how far a proposal may be from the incumbent, by variable, in its unit.

    kind: what the questions ask for.

    Threads may share a session; they compute one after the other.
    """

    proposer: Proposer
    task: Task
    max_step: Mapping[str, float] = field(default_factory=dict)
    kind: Kind = PAIR
    _states: dict[int, Any] = field(default_factory=dict, repr=False)  # by number of answers, the last two
    _known: History | None = field(default=None, repr=False)  # the history that the states belong to
    _leapt: _Leap | None = field(default=None, repr=False)  # the last state for a crowd
    lock: Any = field(default_factory=RLock, repr=False)  # held while it computes

    @classmethod
    def of(cls, state: State) -> Session:
        """Return a new session of a study's proposer."""
        created = state.created
        task = Task(state.space, created.comparisons, created.seed, state.start_points, others=state.others)
        max_step = checks.checked_max_step(created.max_step, state.space)
        return cls(state.proposer, task, max_step, most_telling(as_kinds(created.offered), created.efforts))

    def fits(self, state: State) -> bool:
        """Return whether this is a session of the state's proposer in the state's space, for as many answers."""
        same = self.proposer is state.proposer and self.task.space is state.space
        return same and self.task.comparisons == state.created.comparisons

    def fork(self) -> Session:
        """Return a session that computes on its own from what this one knows."""
        with self.lock:
            return Session(self.proposer, self.task, self.max_step, self.kind, dict(self._states), self._known)

    def take_over(self, other: Session) -> None:
        """Remember what a fork has computed."""
        with self.lock:
            self._states, self._known = dict(other._states), other._known

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, lock=RLock())

    # The proposer's state ----------------------------------------------------------------------------------------------

    @one_thread
    def state(self, history: History) -> Any:
        """Return the proposer's state after all answers."""
        with self.lock:
            self._forget_what_changed(history)
            proposer, answered = for_size(self.proposer, history), len(history)
            if answered not in self._states:
                for k in range(self._first_to_advance(proposer.rebuild, answered), answered + 1):
                    # A prefix leaves out samples that were skipped later, which a replay would see too early.
                    prefix = history.prefix(k)
                    step = prefix.comparisons[-1].step if k else 0
                    rng = np.random.default_rng([self.task.seed, step, 1])
                    rebuilt = proposer.rebuild and k % proposer.rebuild == 0
                    before = None if rebuilt else self._states.get(k - 1)
                    self._states[k] = proposer.advance(before, prefix, self.task, rng)
                self._states = {k: state for k, state in self._states.items() if k >= answered - 1}
            return self._states[answered]

    def _leapt_state(self, history: History) -> Any:
        """Return a state after all answers, which need not be the one of a replay.

        A crowd answers faster than a state can advance answer by answer. If many answers came since the last state, it advances
        over all of them at once, and is built from scratch only when the answers have grown by a half.
        """
        answered, leapt = len(history), self._leapt
        if leapt is None or history.common(leapt.history) < len(leapt.history):  # none yet, or an answer was taken back
            known = self.known_answers(history)
            if known < 0 or answered - known <= LEAP:
                return self.state(history)
            leapt = _Leap(history.prefix(known), self._states[known], known)
        if len(leapt.history) < answered:
            again = answered >= REBUILD_GROWTH * leapt.built
            rng = np.random.default_rng([self.task.seed, history.comparisons[-1].step, 1])
            state = self.proposer.advance(None if again else leapt.state, history.prefix(answered), self.task, rng)
            leapt = _Leap(history, state, answered if again else leapt.built)
        self._leapt = leapt
        return leapt.state

    def known_answers(self, history: History) -> int:
        """Return after how many answers of a history the proposer's state is known; -1 if after none."""
        with self.lock:
            common = -1 if self._known is None else history.common(self._known)
            return max((k for k in self._states if k <= common), default=-1)

    def _forget_what_changed(self, history: History) -> None:
        """Drop the states after answers that the history no longer has, and those of another proposer."""
        if self._known is not None and self._known is not history:
            same = for_size(self.proposer, self._known) is for_size(self.proposer, history)
            common = history.common(self._known) if same else -1
            self._states = {k: state for k, state in self._states.items() if k <= common}
        self._known = history

    def _first_to_advance(self, rebuild: int, answered: int) -> int:
        """Return where the fold continues: after the last known state, or where it may start from nothing."""
        earliest = answered - answered % rebuild if rebuild else 0
        known = [k + 1 for k in self._states if earliest <= k < answered]
        return max(known, default=earliest if rebuild else answered)

    # The recommendation ----------------------------------------------------------------------------------------------

    @one_thread
    def best(self, history: History) -> int | None:
        """Return the recommended sample; None before the first answer."""
        if not history.spoken:
            return None
        with self.lock:
            proposer = for_size(self.proposer, history)
            winner = proposer.winner(history)  # known without a model, so the state need not advance
            if winner is not None:
                return winner
            try:
                return proposer.recommend(self.state(history), history, self.task)
            except FAILURES:  # what the answers alone say still holds
                return best_without_model(history)

    # The next question -----------------------------------------------------------------------------------------------

    @one_thread
    def ask(self, state: State, judge: str, earlier: Proposal | None = None, slot: int = 0) -> tuple[Asked, Proposal]:
        """Return the next question for a judge and the proposal behind it.

        An `earlier` proposal, made for a state that others have changed since, is used if it may still be shown.
        """
        history, step = state.history, len(state.asked)
        pending = state.reserved
        with self.lock:
            hinted = history.limits_of(judge, step)
            if earlier is None or hinted or self.objection(earlier, history, pending):
                try:
                    earlier = self.propose(history, pending, step, judge)
                except ExhaustedError:
                    if not pending:
                        raise
                    earlier = self.propose(history, [], step, judge)  # what waits for somebody else is all that is left
        return question_of(state, judge, earlier, slot), earlier

    def opponent(self, state: State, own: Vector) -> Vector:
        """Return what a candidate of the user's own is compared with: the best one, or else the first of the design."""
        best = self.best(state.history)
        others = self.task.opening(2) if best is None else np.vstack([state.history.points[best], self.task.opening(2)])
        different: Vector = others[~same_points(others, own[None])[:, 0]][0]
        return different

    def stand_in(self, state: State, judge: str, since: str) -> Proposal:
        """Return a space-filling candidate, with a note that says why, without asking the proposer: it may take too long."""
        history = state.history
        known = _with_pending(history, state.reserved)
        step = len(state.asked)
        try:
            task = self._within_reach(history, history.limits_of(judge, step), best_without_model)
        except ExhaustedError:  # nothing is left where the hints say
            task = self._within_reach(history, (), best_without_model)
        rng = np.random.default_rng([self.task.seed, step])
        return self._stand_in(known, task, rng, since, ExhaustedError(f"there is nothing left to ask, since {since}"))

    @one_thread
    def propose_several(
        self, history: History, pending: list[Points], step: int, count: int, seconds: float = np.inf
    ) -> list[Proposal]:
        """Return the next pairs for several judges, all different, none of those that wait already.

        The k-th pair is what would be asked at step + k if the pairs before it waited, unless many answers came at once. A large
        history gives all of them at once, from one model.

        Parameters
        ----------
        history: the answers.
        pending: pairs that wait for an answer.
        step: the number of the next question.
        count: how many pairs; there are fewer if nothing is left to ask, but at least one.
        seconds: stop after this time, with at least one pair.
        """
        until = monotonic() + seconds
        proposals: list[Proposal] = []
        with self.lock:
            while len(proposals) < count and (not proposals or monotonic() < until):
                waiting = [*pending, *(earlier.points for earlier in proposals)]
                asked = len(proposals)
                try:
                    if self.kind == PAIR:
                        proposals += self._proposals(history, waiting, step + asked, count - asked, leap=True)
                    else:
                        proposals.append(self._set(self.kind, history, waiting, step + asked, None, leap=True))
                except ExhaustedError:
                    if not proposals:
                        raise
                    break
        return proposals

    @one_thread
    def propose(self, history: History, pending: list[Points], step: int, judge: str | None = None) -> Proposal:
        """Return the next question for a judge, about none of the pairs that wait for another."""
        return self._set(self.kind, history, pending, step, judge)

    def _set(
        self, kind: Kind, history: History, pending: list[Points], step: int, judge: str | None, leap: bool = False
    ) -> Proposal:
        """Return a question about more than two candidates: what the proposer proposes, again and again, as if it waited.

        It is about fewer if nothing else is left. The first pair is the one that would be asked about alone.
        """
        if kind == PAIR:
            return self._proposals(history, pending, step, 1, leap, judge)[0]
        ranking = self._ranking(history, kind.size - 1) if kind.name == "insert" else ()
        if kind.name == "insert" and len(ranking) < kind.size - 1:  # there is no ranking to insert into yet: make one
            kind, ranking = Kind("rank", kind.size - 1).of_size(kind.size - 1), ()
        points: list[Vector] = list(ranking)
        proposed: list[Vector] = []
        notes: list[str] = []
        while len(points) < kind.size:
            try:
                part = self._proposals(history, pending, step, 1, leap, judge, tuple(proposed), len(notes))[0]
            except ExhaustedError:
                if len(points) < kind.size and (ranking or len(points) < 2):
                    raise
                break
            fresh = [x for x in part.points if not _among(x, proposed)]
            if notes and not fresh:
                break
            proposed += fresh
            notes.append(part.note)
            points += [x for x in fresh if not _among(x, points)][: kind.size - len(points)]
        note = next((each for each in notes if each.startswith((STAND_IN, UNLIMITED))), "")
        return Proposal(points[0], points[1], note, tuple(points[2:]), kind.of_size(len(points)))

    def _ranking(self, history: History, size: int) -> tuple[Vector, ...]:
        """Return the best samples that may be shown, best first: the recommendation, that of the others, and so on."""
        inside = np.abs(history.points).max(axis=1, initial=0.0) <= 1 + ROUNDING
        reach = self._within_reach(history).reach
        if reach is not None:
            inside &= [reach.holds(x) for x in history.points]
        left = replace(history, points=history.points.copy(), feasible=history.feasible & inside)
        found: list[int] = []
        while len(found) < size and len(history):
            best = self._best_of(history, left)
            if best is None:
                break
            found.append(best)
            feasible = left.feasible.copy()
            feasible[best] = False
            left = replace(left, points=left.points.copy(), feasible=feasible)
        return tuple(history.points[k] for k in found)

    def _best_of(self, history: History, left: History) -> int | None:
        """Return the recommendation among the samples that are left feasible, by what all answers say."""
        proposer = for_size(self.proposer, history)
        try:
            return proposer.recommend(self.state(history), left, self.task)
        except FAILURES:
            return best_without_model(left)

    def _proposals(
        self,
        history: History,
        pending: list[Points],
        step: int,
        count: int,
        leap: bool = False,
        judge: str | None = None,
        own: Points = (),
        part: int = 0,
    ) -> list[Proposal]:
        """Return the next pair, or up to `count` of them if the proposer makes them together; `leap` as in `_leapt_state`.

        own: the points that the question has already, if this is a further `part` of it.
        Limits by hints are left out if they leave nothing to ask.
        """
        limits = history.limits_of(judge, step)
        try:
            return self._limited(history, pending, step, count, limits, leap, judge, own, part)
        except ExhaustedError:
            if not limits:
                raise
        return [
            replace(each, note=UNLIMITED)
            for each in self._limited(history, pending, step, count, (), leap, judge, own, part)
        ]

    def _limited(
        self,
        history: History,
        pending: list[Points],
        step: int,
        count: int,
        limits: tuple[Limit, ...],
        leap: bool,
        judge: str | None,
        own: Points,
        part: int,
    ) -> list[Proposal]:
        """Return the same within limits; ExhaustedError if there is nothing new in them."""
        rng = np.random.default_rng([self.task.seed, step, *((SET_STREAM, part) if part else ())])
        task = replace(self._within_reach(history, limits), judge=judge)
        known = _with_pending(history, pending, own)
        pending = [*pending, own] if own else pending
        proposer = for_size(self.proposer, history)
        try:
            if isinstance(proposer, Thompson):
                proposals = proposer.propose_several(self.state(history), known, task, rng, count)
            else:
                state = self._leapt_state(history) if leap else self.state(history)
                proposals = [proposer.propose(state, known, task, rng)]
        except (ExhaustedError, InputError):
            raise
        except FAILURES as error:
            if not len(history):
                raise
            return [self._stand_in(known, task, rng, f"the proposer failed: {error}", error)]
        refusals = [self.objection(proposal, history, pending, task) for proposal in proposals]
        if all(refusals):
            nothing = ExhaustedError(f"there is nothing left to ask: {refusals[0]}")
            return [self._stand_in(known, task, rng, refusals[0], nothing)]
        return [proposal for proposal, refusal in zip(proposals, refusals, strict=True) if not refusal]

    def _stand_in(
        self, known: History, task: Task, rng: np.random.Generator, since: str, otherwise: Exception
    ) -> Proposal:
        """Return a space-filling candidate in place of a proposal, with a note that says so."""
        best = best_without_model(known) if task.reach is None else known.index(task.reach.centre)
        note = f"{STAND_IN}{since}"
        if best is None:
            return replace(start_over(known, task, rng), note=note)
        point = space_filling(known, task, rng)
        if point is None:
            raise otherwise
        return Proposal(known.points[best], point, note)

    def objection(self, proposal: Proposal, history: History, pending: list[Points], task: Task | None = None) -> str:
        """Return why a pair may not be shown; "" if it may."""
        task = self._within_reach(history) if task is None else task
        points = proposal.points
        if any(_among(x, points[:k]) for k, x in enumerate(points)):
            return "what was proposed is one candidate twice"
        if any(_waits((proposal.first, x), pending) for x in points[1:]):
            return "what was proposed waits for another judge's answer"
        failed = failures(history)
        for x in points:
            index = history.index(x)
            if index in history.failed or (index is None and failed.hides(x)):
                return "what was proposed is too near to a candidate that failed"
            if np.abs(x).max() > 1 + ROUNDING:
                return "what was proposed lies outside the bounds"
            if task.reach is not None and not task.reach.holds(x):
                return "what was proposed is farther from the best one than max_step allows"
            if task.reach is not None and index is None and not same_points(task.space.snap(x[None]), x[None])[0, 0]:
                return "what was proposed is not where the hints say"
        return ""

    def _within_reach(
        self,
        history: History,
        limits: tuple[Limit, ...] = (),
        best_of: Callable[[History], int | None] | None = None,
    ) -> Task:
        """Return the task of the next proposal, limited to the incumbent's surroundings by a max_step, and by hints.

        best_of: who the incumbent is; by default, whom the proposer recommends.
        """
        if not self.max_step and not limits:
            return self.task
        best = self.best(history) if best_of is None else best_of(history)
        if best is None:  # stay near what was shown last, which may be far from the first candidates
            best = max(np.flatnonzero(history.feasible).tolist(), default=None)
        centre = self.task.opening(2)[0] if best is None else history.points[best]
        space = self.task.space
        low, high = np.full(space.dimension, -np.inf), np.full(space.dimension, np.inf)
        if self.max_step:
            low, high = space.reach(space.decode(centre), self.max_step)
        part = _within(low, high, limits)
        within = space.within(*part)
        if limits:
            left = within.points()
            if left is not None and history.holds(left).all():
                raise ExhaustedError("every candidate that the hints allow was shown")
            centre = within.snap(centre[None])[0] if best is None else centre
        reach = Reach(space, centre, low, high, len(history.points), part)
        return replace(self.task, space=within, reach=reach)


def _within(low: Vector, high: Vector, limits: tuple[Limit, ...]) -> tuple[Vector, Vector]:
    """Return the corners of what is left of a part within limits; of two that exclude each other, the first one holds."""
    for limit in sorted(limits, key=lambda each: not each.variable):  # what is kept by name holds first
        low, high = np.clip(limit.low, low, high), np.clip(limit.high, low, high)
    return low, high


def question_of(state: State, judge: str, proposal: Proposal, slot: int = 0) -> Asked:
    """Return the question that a proposal for a state becomes."""
    step = len(state.asked)
    return Asked(step, judge=judge, slot=slot, **as_asked(state, proposal, step))


def as_asked(state: State, proposal: Proposal, step: int) -> dict[str, Any]:
    """Return a proposal as a question without its judge and its number, which will be about `step`."""
    first, second, *more = (dict(candidate_at(state, x)) for x in proposal.points)
    asked = {"first": first, "second": second, "swapped": swapped(state.created, step), "note": proposal.note}
    if not more:
        return asked
    order = list(range(len(more) + 2))
    if state.created.sides == "random" and proposal.kind.name != "insert":
        order = np.random.default_rng([state.created.seed, step, 3]).permutation(len(order)).tolist()
    return asked | {"swapped": False, "more": more, "order": order, "kind": str(proposal.kind)}


def candidate_at(state: State, point: Vector) -> Candidate:
    """Return the candidate at a point: the one that was shown, or that the user gave, if there is one."""
    index = state.history.index(point)
    if index is not None:
        return state.samples.shown[index]
    own = np.flatnonzero(same_points(point[None], state.start_points)[0])
    return state.start[own[0]] if own.size else state.space.decode(point)


def swapped(created: Created, step: int) -> bool:
    """Return whether the incumbent is shown as B: drawn, and balanced over each two questions in a row."""
    if created.sides != "random":
        return False
    coin = np.random.default_rng([created.seed, step // 2, 3]).random() < 0.5
    return bool(coin) ^ bool(step % 2)


def _with_pending(history: History, pending: list[Points], own: Points = ()) -> History:
    """Return the history with waiting pairs added as skipped, so that they are not proposed again.

    Of a question about several candidates, the first one forms a pair with each of the others. So does the one that is being
    made, `own`.
    """
    for first, second in _pairs([*pending, own]):
        history, i = history.with_point(first, feasible=True)
        history, j = history.with_point(second, feasible=True)
        history = history.with_skip(i, j)
        history = replace(history, pending=(*history.pending, (i, j)))
    return replace(history, waiting=len(pending), together=max(0, len(own) - 1)) if pending or own else history


def _pairs(questions: list[Points]) -> list[Pair]:
    """Return the first candidate of each question with each of its others."""
    return [(points[0], x) for points in questions for x in points[1:]]


def _among(x: Vector, points: Sequence[Vector]) -> bool:
    """Return whether a point is one of these, up to rounding."""
    return bool(len(points)) and bool(same_points(x[None], np.array(points)).any())


def _waits(pair: Pair, pending: list[Points]) -> bool:
    """Return whether a pair is one of those that wait, in either order."""
    if not pending:
        return False
    first, second = (same_points(np.array(pair), np.array(side)) for side in zip(*_pairs(pending), strict=True))
    return bool((first[0] & second[1] | first[1] & second[0]).any())

"""Study: a space, a history and a proposer over time. The only thing with state.

What happened is the log of events; everything else here is derived from it. Randomness is a function of (seed, step), step
the number of questions asked so far, skipped and undone ones included, so that no generator state is kept or lost.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from prefero import answers, events, insight
from prefero._version import __version__
from prefero.answers import Comparison, History, outcome, word
from prefero.arrays import Vector
from prefero.catalogue import Catalogue
from prefero.domain import Domain
from prefero.errors import ExhaustedError, FormatError, InputError, PreferoError, QuestionError, shorten
from prefero.events import Answered, Asked, Created, Event, Skipped, Undone
from prefero.insight import Advice
from prefero.proposers.base import (
    Proposal,
    Proposer,
    Task,
    best_without_model,
    compared,
    proposer_from_dict,
    space_filling,
)
from prefero.proposers.function import FunctionProposer
from prefero.proposers.glisp import Glisp
from prefero.proposers.pbo import Pbo
from prefero.proposers.posterior import Posterior
from prefero.space import Candidate, Space
from prefero.surrogates.posterior import Utilities

PROPOSERS: dict[str, type[Glisp | Pbo | Posterior]] = {"posterior": Posterior, "glisp": Glisp, "pbo": Pbo}
FAILURES = (PreferoError, ArithmeticError, np.linalg.LinAlgError)
"""What a proposer may fail with and not lose a study."""
MOST_COMPARISONS = 100_000

Sides = Literal["random", "incumbent first"]


@dataclass(frozen=True)
class Question:
    """Two candidates, A and B, waiting for an answer; `note` says what was unusual about choosing them."""

    step: int
    a: Candidate
    b: Candidate
    note: str = ""


class Study:
    """Ask and tell, for any answer that is not a function.

    >>> study = Study(Space.box([0, 0], [1, 1]), comparisons=30, seed=0)
    >>> question = study.ask()
    >>> study.tell(question, "a")

    space: a Space, a Catalogue, or (lower, upper).
    comparisons: the expected number of answers, which may be exceeded.
    seed: makes the study repeatable; drawn, and kept, if not given.
    proposer: "glisp" (the paper's method), "posterior" or "pbo", one of them configured, or a function of the history.
    start: the user's own candidates, asked about first.
    sides: "random" draws which candidate is A, balanced; "incumbent first" makes the best so far A, as in the paper.
    """

    def __init__(
        self,
        space: Space | Catalogue | Any,
        *,
        comparisons: int = 30,
        seed: int | None = None,
        proposer: Any = "glisp",
        start: Sequence[Any] = (),
        sides: Sides = "random",
    ) -> None:
        self.space = as_space(space)
        self.proposer = as_proposer(proposer)
        checked = _checked_start(start, self.space)
        created = Created(
            prefero=__version__,
            space=self.space.to_dict(),
            comparisons=_checked_count("comparisons", comparisons),
            seed=_checked_seed(seed),
            proposer=self.proposer.to_dict(),
            start=[dict(candidate) for candidate in checked],
            sides=_checked_sides(sides),
        )
        self.seconds = 0.0
        self._start(created, checked)

    def _start(self, created: Created, start: Sequence[Candidate]) -> None:
        """The derived state before the first question."""
        self._events: list[Event] = [created]
        self.comparisons, self.seed, self.sides = created.comparisons, created.seed, created.sides
        encoded = np.array([self.space.encode(c) for c in start]).reshape(-1, self.space.dimension)
        self.task = Task(self.space, self.comparisons, self.seed, encoded)
        self._own = list(start)
        self._asked: dict[int, Asked] = {}
        self._waiting: int | None = None
        self._done: list[Answered | Skipped] = []  # effective ones, in order
        self._history = History.empty(self.space.dimension)
        self._shown: list[Candidate] = []  # the samples, as they were shown
        self._learned: tuple[int, Utilities] | None = None
        self._states: dict[int, Any] = {}  # by the number of answers, the last two

    # What is known ---------------------------------------------------------------------------------------------------

    @property
    def history(self) -> History:
        """All samples and effective answers, in the box."""
        return self._history

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened."""
        return tuple(self._events)

    @property
    def n_comparisons(self) -> int:
        """The number of answers that count."""
        return len(self._history)

    @property
    def waiting(self) -> Question | None:
        """The question that waits for an answer, if there is one."""
        return None if self._waiting is None else self._question(self._waiting)

    @property
    def best(self) -> Candidate | None:
        """The recommendation: a candidate the person has seen, None before the first answer."""
        return self.recommend()

    def recommend(self) -> Candidate | None:
        """The candidate to stake one's name on, None before the first answer."""
        if not self.n_comparisons:
            return None
        best = self._best()
        return None if best is None else self._shown[best]

    def _best(self) -> int | None:
        """The recommended sample; a state is not advanced where the answers alone tell it."""
        winner = self.proposer.winner(self._history)
        if winner is not None:
            return winner
        try:
            return self.proposer.recommend(self._state(), self._history, self.task)
        except FAILURES:  # the answers are kept, and what they alone say still holds
            return best_without_model(self._history)

    # What was learned: of the posterior, whatever proposed ------------------------------------------------------------

    def probability(self, a: Any, b: Any) -> float:
        """The chance that candidate a is better than candidate b."""
        A, B = (insight.matrix_of(self.space, [given]) for given in (a, b))
        return float(self._utilities().probabilities(A, B)[0])

    def utility(self, candidates: Sequence[Any]) -> tuple[Vector, Vector]:
        """Mean and spread of the utility of candidates, higher is better; 1 is a typical difference over the space."""
        return self._utilities().utilities(insight.matrix_of(self.space, list(candidates)))

    def importance(self) -> dict[str, float]:
        """How much of what the person likes hangs on each variable; the shares sum to one."""
        rng = np.random.default_rng([self.seed, len(self._asked), 5])
        names = self.space.varying
        return dict(zip(names, insight.importance(self._utilities(), self.space, rng).tolist(), strict=True))

    def advice(self) -> Advice:
        """Whether to stop, with its reason in words."""
        utilities = self._utilities()
        rng = np.random.default_rng([self.seed, len(self._asked), 6])
        seen = compared(self._history)
        best = self._best()
        if best is None or seen.size < 2:
            raise InputError("advice: it needs an answer about two feasible candidates first")
        return insight.advise(utilities, best, seen, self.space, rng)

    def _utilities(self) -> Utilities:
        if not self.n_comparisons:
            raise InputError("nothing was answered yet: the first answer is what there is to learn from")
        if self._learned is None or self._learned[0] != len(self._events):
            state = self._state() if isinstance(self.proposer, Posterior) else None
            if state is None:
                rng = np.random.default_rng([self.seed, len(self._asked), 4])
                prefix = self._history.prefix(self.n_comparisons)
                state = Posterior().advance(None, prefix, self.task, rng)
            assert state is not None  # there is an answer
            self._learned = (len(self._events), state.utilities)
        return self._learned[1]

    @property
    def contradictions(self) -> int:
        """How many answers contradict others; a surrogate weighs them, nothing is refused."""
        return answers.contradictions(self._history.comparisons)

    def __repr__(self) -> str:
        return f"Study({self.n_comparisons} of about {self.comparisons} answers, seed={self.seed}, best={self.best})"

    # What happens ----------------------------------------------------------------------------------------------------

    def ask(self) -> Question:
        """The next question; the same one until it is answered, skipped or taken back."""
        if self._waiting is None:
            began = time.perf_counter()
            proposal = self._propose()
            self.seconds += time.perf_counter() - began
            step = len(self._asked)
            first, second = self._shown_or_new(proposal.first), self._shown_or_new(proposal.second)
            self._apply(Asked(step, dict(first), dict(second), self._swapped(step), proposal.note))
        assert self._waiting is not None
        return self._question(self._waiting)

    def tell(self, question: Question | int, answer: object) -> None:
        """Record what the person said about a question: "a", "b", "same", or -1, 1, 0 as in the paper."""
        said = word(outcome(answer))
        self._apply(Answered(self._checked_question(question), said))

    def skip(self, question: Question | int) -> None:
        """Record that the person cannot judge; not a tie, and the next question is another one."""
        self._apply(Skipped(self._checked_question(question)))

    def undo(self) -> Question:
        """Take the last answer or skip back; its question, the same pair and sides, waits again."""
        if not self._done:
            raise QuestionError("undo: there is no answer to take back")
        self._apply(Undone(self._done[-1].step))
        assert self._waiting is not None
        return self._question(self._waiting)

    def _apply(self, event: Event) -> None:
        """The one place where the study changes."""
        match event:
            case Asked(step=step):
                self._asked[step] = event
                self._waiting = step
            case Answered() | Skipped():
                self._history = self._extended(self._history, event)
                self._done.append(event)
                self._waiting = None
            case Undone(step=step):
                self._done.pop()
                self._waiting = step
                self._history, self._shown = History.empty(self.space.dimension), []
                for done in self._done:
                    self._history = self._extended(self._history, done)
                self._states = {k: state for k, state in self._states.items() if k <= self.n_comparisons}
        self._events.append(event)

    def _extended(self, history: History, done: Answered | Skipped) -> History:
        asked = self._asked[done.step]
        indices = []
        for values in (asked.first, asked.second):
            candidate = Candidate(values)
            history, index = history.with_point(self.space.encode(candidate), self.space.admits(candidate))
            indices.append(index)
            if index == len(self._shown):
                self._shown.append(candidate)
        i, j = indices
        if isinstance(done, Skipped):
            return history.with_skip(i, j)
        said = outcome(done.answer)
        return history.with_comparison(Comparison(i, j, outcome(-said) if asked.swapped else said, done.step))

    # Proposing -------------------------------------------------------------------------------------------------------

    def _propose(self) -> Proposal:
        rng = np.random.default_rng([self.seed, len(self._asked)])
        try:
            return self.proposer.propose(self._state(), self._history, self.task, rng)
        except (ExhaustedError, InputError):
            raise
        except FAILURES as error:
            return self._stand_in(error, rng)

    def _stand_in(self, error: Exception, rng: np.random.Generator) -> Proposal:
        """A proposer that fails does not lose a study: a space-filling candidate, and it says so."""
        if not self.n_comparisons:
            raise error
        best = best_without_model(self._history)
        point = space_filling(self._history, self.task, rng)
        if point is None or best is None:
            raise error
        return Proposal(
            self._history.points[best], point, f"a space-filling candidate, since the proposer failed: {error}"
        )

    def _state(self) -> Any:
        """The proposer's state after all answers: a fold, which one that remembers its past begins anew now and then."""
        answered = self.n_comparisons
        if answered not in self._states:
            for k in range(self._first_to_advance(answered), answered + 1):
                prefix = self._history.prefix(k)  # without samples skipped since, which a replay would see too early
                step = prefix.comparisons[-1].step if k else 0
                rng = np.random.default_rng([self.seed, step, 1])
                anew = self.proposer.rebuild and k % self.proposer.rebuild == 0
                before = None if anew else self._states.get(k - 1)
                self._states[k] = self.proposer.advance(before, prefix, self.task, rng)
            self._states = {k: state for k, state in self._states.items() if k >= answered - 1}
        return self._states[answered]

    def _first_to_advance(self, answered: int) -> int:
        """Where the fold goes on: after the last state that is known, or where it may begin anew."""
        rebuild = self.proposer.rebuild
        earliest = answered - answered % rebuild if rebuild else 0
        known = [k + 1 for k in self._states if earliest <= k < answered]
        return max(known, default=earliest if rebuild else answered)

    # Questions -------------------------------------------------------------------------------------------------------

    def _swapped(self, step: int) -> bool:
        """Whether the incumbent is B; of two questions in a row one is swapped, which of them is drawn."""
        if self.sides != "random":
            return False
        coin = np.random.default_rng([self.seed, step // 2, 3]).random() < 0.5
        return bool(coin) ^ bool(step % 2)

    def _question(self, step: int) -> Question:
        asked = self._asked[step]
        first, second = Candidate(asked.first), Candidate(asked.second)
        a, b = (second, first) if asked.swapped else (first, second)
        return Question(step, a, b, asked.note)

    def _shown_or_new(self, point: Vector) -> Candidate:
        """The candidate at a point: the very one that was shown, or that the user gave, if there is one."""
        index = self._history.index(point)
        if index is not None:
            return self._shown[index]
        own = np.flatnonzero(np.abs(self.task.start - point).max(axis=1, initial=0.0) <= answers.ROUNDING)
        return self._own[own[0]] if own.size else self.space.decode(point)

    def _checked_question(self, question: object) -> int:
        """The step of the question that waits; an error for any other."""
        step = question.step if isinstance(question, Question) else question
        known = isinstance(step, int) and not isinstance(step, bool) and step in self._asked
        if not known or (isinstance(question, Question) and question != self._question(question.step)):
            raise QuestionError.of("question", question, "a question that this study asked")
        assert isinstance(step, int)
        if step != self._waiting:
            answered = any(done.step == step for done in self._done)
            state = "has been answered already" if answered else "does not wait for an answer any more"
            now = "no question waits" if self._waiting is None else f"question {self._waiting} waits"
            raise QuestionError(f"question {step} {state}; {now}: use the one that ask() returns")
        return step

    # The versioned form ----------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The whole study, to be read by `Study.from_json`."""
        return events.dumps(self._events)

    @classmethod
    def from_json(cls, text: str, *, space: Any = None, proposer: Any = None) -> Study:
        """The study that `to_json` wrote: the same history, and the same next question.

        `space` and `proposer` are needed where they hold functions, which JSON does not: constraints, a proposer of one's own.
        """
        log = events.loads(text)
        if not log or not isinstance(log[0], Created):
            raise FormatError("the study does not begin with its creation")
        study = cls.__new__(cls)
        study.seconds = 0.0
        try:
            study._replay(log, space, proposer)
        except FormatError:
            raise
        except (PreferoError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"the study does not fit together: {shorten(str(error), 200)}") from error
        return study

    def _replay(self, log: Sequence[Event], space: Any, proposer: Any) -> None:
        created = log[0]
        assert isinstance(created, Created)
        self.space = _space_of(created.space) if space is None else as_space(space)
        if self.space.to_dict() != created.space:
            raise FormatError("space: it is not the one the study was made with")
        self.proposer = _proposer_of(created.proposer) if proposer is None else as_proposer(proposer)
        _checked_count("comparisons", created.comparisons)
        _checked_seed(created.seed)
        _checked_sides(created.sides)
        self._start(created, _checked_start(created.start, self.space))
        for event in log[1:]:
            self._check_event(event)
            self._apply(event)

    def _check_event(self, event: Event) -> None:
        match event:
            case Asked(step=step, first=first, second=second):
                fits = step == len(self._asked) and self._waiting is None
                fits = fits and all(dict(self.space.candidate(values)) == values for values in (first, second))
            case Answered(step=step, answer=answer):
                fits = step == self._waiting and answer in ("a", "same", "b")
            case Skipped(step=step):
                fits = step == self._waiting
            case Undone(step=step):
                fits = bool(self._done) and self._done[-1].step == step
            case _:
                fits = False
        if not fits:
            raise FormatError.of("event", event, "one that can follow the events before it")


def as_space(given: Any) -> Domain:
    """A space, from a Space, a Catalogue, (lower, upper) or SciPy's Bounds."""
    if isinstance(given, Space | Catalogue):
        return given
    if hasattr(given, "lb") and hasattr(given, "ub"):
        return Space.box(given.lb, given.ub)
    if isinstance(given, tuple | list) and len(given) == 2:
        return Space.box(given[0], given[1])
    raise InputError.of("space", given, "a Space, a Catalogue, or (lower, upper)")


def as_proposer(given: Any) -> Proposer:
    """A proposer, from its name, its settings or a function of the history."""
    if isinstance(given, str) and given in PROPOSERS:
        return PROPOSERS[given]()
    if isinstance(given, Glisp | Pbo | Posterior | FunctionProposer):
        return given
    if callable(given) and not isinstance(given, type):
        return FunctionProposer(given)
    raise InputError.of(
        "proposer", given, "one of " + ", ".join(PROPOSERS) + ", Glisp(...), or a function of the history"
    )


def _space_of(data: dict[str, Any]) -> Domain:
    return Catalogue.from_dict(data) if data.get("kind") == "catalogue" else Space.from_dict(data)


def _proposer_of(data: dict[str, Any]) -> Proposer:
    if data.get("name") not in PROPOSERS:
        raise FormatError(
            f"the proposer {data.get('function', data)!r} is a function, which JSON does not hold: pass proposer="
        )
    return proposer_from_dict(PROPOSERS[data["name"]], data)


def _checked_count(argument: str, given: object) -> int:
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole or not 1 <= int(given) <= MOST_COMPARISONS:  # type: ignore[call-overload]
        raise InputError.of(argument, given, f"a whole number from 1 to {MOST_COMPARISONS}")
    return int(given)  # type: ignore[call-overload,no-any-return]


def _checked_seed(seed: object) -> int:
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError.of("seed", seed, "a whole number from 0 up, or None")
    return int(seed)


def _checked_sides(sides: str) -> str:
    if sides not in ("random", "incumbent first"):
        raise InputError.of("sides", sides, '"random" or "incumbent first"')
    return sides


def _checked_start(start: Any, space: Domain) -> list[Candidate]:
    if isinstance(start, str) or not hasattr(start, "__iter__"):
        raise InputError.of("start", start, "a list of candidates")
    checked = []
    for k, given in enumerate(start):
        try:
            candidate = space.candidate(given)
        except InputError as error:
            raise InputError(f"start[{k}]: {error}") from None
        if not space.admits(candidate):
            raise InputError.of(
                f"start[{k}]", dict(candidate), "candidates within the bounds that satisfy the constraints"
            )
        checked.append(candidate)
    return checked

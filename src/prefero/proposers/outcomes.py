"""Learning from what candidates lead to, instead of from the candidates themselves.

Where the person judges an outcome that can be computed, say the objectives that weights lead to, liking is usually a far simpler
function of the outcome than of the candidate. So another proposer is shown outcomes: the samples', which are known, and those
of some hundred candidates, which are guessed. What it proposes is looked up again among the candidates.

| symbol | meaning | shape |
|---|---|---|
| x | a candidate's point in the box | n |
| F(x) | what it leads to | m |
| y | the same, scaled: the front, a first sample of outcomes, fills [−1, 1]ᵐ | m |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from prefero.answers import History
from prefero.errors import ExhaustedError, InputError, PreferoError, check_whole
from prefero.models.emulator import Emulator
from prefero.models.utility import LearnedUtility
from prefero.proposers import search
from prefero.proposers.fallback import rematch, start_over
from prefero.proposers.glisp import Glisp
from prefero.proposers.opening import opening_pair
from prefero.proposers.pbo import Pbo
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Proposal, Task
from prefero.space import design
from prefero.space.arrays import Mask, Matrix, Vector, squared_distances
from prefero.space.catalogue import Catalogue
from prefero.space.domain import Domain
from prefero.space.variables import Candidate

FRONT = 32
"""Outcomes computed before the first question, for each variable."""
EFFORT = search.Effort(spread=96, near=192)
REFINEMENTS = tuple(search.Effort(spread=0, near=48, reach=reach) for reach in ((-2.5, -1.5), (-3.5, -2.5)))
"""What was chosen is compared with candidates around it, ever nearer."""
LARGEST = 1e100
"""Where a number of an outcome is larger, or none, there is no outcome."""
TRIES = 3
"""What leads to nothing, or to an outcome that was shown already, is not shown; so often something else is looked for."""


@dataclass(frozen=True, eq=False)
class _Known:
    """Outcomes of some points, NaN where there is none; the front's come first, and all are scaled by it."""

    X: Matrix
    F: Matrix
    front: int

    @cached_property
    def there(self) -> Mask:
        """Which points have an outcome."""
        return np.asarray(np.isfinite(self.F).all(axis=1))

    def with_points(self, X: Matrix, F: Matrix) -> _Known:
        """With more of them; one that is there already is not added again."""
        new = ~(X[:, None, :] == self.X).all(axis=2).any(axis=1)
        return replace(self, X=np.vstack([self.X, X[new]]), F=np.vstack([self.F, F[new]]))

    def scaled(self, F: Matrix) -> Matrix:
        """y."""
        first = self.F[: self.front]
        low, high = np.nanmin(first, axis=0), np.nanmax(first, axis=0)
        return np.asarray((2 * F - (high + low)) / np.where(high > low, high - low, 1.0))

    def emulator(self, task: Task) -> Emulator:
        """A guess of all outcomes."""
        return Emulator.of(self.X[self.there], self.scaled(self.F[self.there]), task.groups)

    def promising(self, X: Matrix) -> Matrix:
        """The points that may have an outcome: the nearest one that is known has."""
        return np.asarray(X[self.there[squared_distances(X, self.X).argmin(axis=1)]])


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Lets another proposer learn from what candidates lead to.

    outcome(candidate): what it leads to, some numbers; where it raises or returns what is not finite, or beyond 1e100, there
        is none.
    proposer: the one that learns and chooses.
    front: how many outcomes are computed before the first question, to know what can be had; by default 32 a variable.
        Besides those only what is shown is computed.
    guess: whether the outcomes of candidates that are considered are guessed from those that are known; if not they are computed,
        some four hundred a question, which is better where that takes no time.
    """

    outcome: Callable[[Candidate], ArrayLike]
    proposer: Posterior | Glisp | Pbo = field(default_factory=Posterior)
    front: int | None = None
    guess: bool = True
    _known: dict[tuple[object, ...], Vector | str] = field(
        default_factory=dict, repr=False
    )  # by candidate, or why none
    _fronts: dict[int, tuple[Domain, _Known]] = field(default_factory=dict, repr=False)  # by seed, of that space

    def __post_init__(self) -> None:
        if not callable(self.outcome):
            raise InputError.of("outcome", self.outcome, "a function of a candidate that returns numbers")
        if not isinstance(self.proposer, Posterior | Glisp | Pbo):
            raise InputError.of("proposer", self.proposer, "Posterior(...), Glisp(...) or Pbo(...)")
        check_whole("front", self.front, least=2)
        if not isinstance(self.guess, bool):
            raise InputError.of("guess", self.guess, "True or False")

    @property
    def rebuild(self) -> int:
        """As the other proposer wants it."""
        return self.proposer.rebuild

    def first_samples(self, task: Task) -> int:
        """As the other proposer wants it."""
        return self.proposer.first_samples(task)

    @cached_property
    def _chooser(self) -> Posterior | Glisp | Pbo:
        """The other proposer, without a tournament: all samples are an opening to it, and that is over."""
        return replace(self.proposer, tournament=False) if isinstance(self.proposer, Posterior) else self.proposer

    # What is known of outcomes ---------------------------------------------------------------------------------------

    def outcomes(self, X: Matrix, space: Domain, remember: bool = True) -> Matrix:
        """F at points, one a row; NaN where there is none."""
        found = [self._outcome(x, space, remember) for x in X]
        m = next(
            (len(F) for F in list(self._known.values()) if not isinstance(F, str)), 1
        )  # a list: other threads compute, too
        for F in found:
            if F is not None and len(F) != m:
                raise InputError.of("outcome", F.tolist(), f"{m} numbers, as before")
        return np.array([np.full(m, np.nan) if F is None else F for F in found]).reshape(-1, m)

    def _outcome(self, x: Vector, space: Domain, remember: bool = True) -> Vector | None:
        candidate = space.decode(x)  # not the point, which is another candidate when the bounds have changed
        key = _key(candidate)
        found = self._known[key] if key in self._known else self._computed(candidate)
        if remember:
            self._known[key] = found
        return None if isinstance(found, str) else found

    def _computed(self, candidate: Candidate) -> Vector | str:
        """What a candidate leads to; or, where that is nothing, what was raised, "" if nothing was."""
        try:
            F = np.asarray(self.outcome(candidate), dtype=float).ravel()
        except Exception as error:  # noqa: BLE001 (no outcome, whatever the reason)
            return f"{type(error).__name__}: {error} for {dict(candidate)}"
        return F if F.size and (np.abs(F) <= LARGEST).all() else ""

    def _known_of(self, history: History, task: Task) -> _Known:
        """The front, which is the same for every study of that seed and space, and the samples."""
        whole = task.space if task.reach is None else task.reach.whole
        space, front = self._fronts.get(task.seed, (None, None))
        if front is None or space is not whole:
            count = FRONT * whole.dimension if self.front is None else self.front
            X = design.initial(whole, count, np.random.default_rng([task.seed, 0, 3]))
            front = _Known(X, self.outcomes(X, whole), len(X))
            self._fronts[task.seed] = (whole, front)
        if not front.there.any():
            self._complain(front, whole)
        return front.with_points(history.points, self.outcomes(history.points, task.space))

    def _complain(self, front: _Known, space: Domain) -> NoReturn:
        """Nothing leads to an outcome: a mistake in the function, if it always raises, and otherwise a pity."""
        reasons = [self._known[_key(space.decode(x))] for x in front.X]
        if all(reasons):
            allowed = "a function of a candidate that returns numbers"
            raise InputError(f"outcome: it raised {reasons[0]}, and whatever it was given; allowed: {allowed}")
        raise PreferoError(f"none of {front.front} candidates leads to an outcome")

    # The proposer's part ---------------------------------------------------------------------------------------------

    def advance(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Any:
        """The other proposer's state."""
        if not len(history):
            return None
        seen = self._seen(history, self._known_of(history, task), task)
        return self.proposer.advance(state, seen, _among(seen.points, seen, task), rng)

    def recommend(self, state: Any, history: History, task: Task) -> int | None:
        """The sample whose outcome the other proposer would stake its name on."""
        if not len(history):
            return None
        seen = self._seen(history, self._known_of(history, task), task)
        return self.proposer.recommend(state, seen, _among(seen.points, seen, task))

    def winner(self, history: History) -> int | None:
        """As the other proposer sees it: the answers tell it alone."""
        return self.proposer.winner(history)

    def learned(self, history: History, task: Task, rng: np.random.Generator) -> LearnedUtility:
        """What to say of a study: utilities of outcomes, and of the candidates themselves where nothing leads to any."""
        try:
            known = self._known_of(history, task)
        except PreferoError:
            return Posterior().learned(history, task, rng)
        seen = self._seen(history, known, task)
        learned = utility_model(self.proposer).learned(seen, _among(seen.points, seen, task), rng)
        return replace(learned, X=history.points, judged_as=self._judged_as(history, seen, known, task))

    def _judged_as(self, history: History, seen: History, known: _Known, task: Task) -> Callable[[Matrix], Matrix]:
        """A function of points: the outcomes of samples as they are, those of others guessed or computed, scaled."""
        emulator = known.emulator(task)

        def judged_as(X: Matrix) -> Matrix:
            Y, shown = emulator(X), history.holds(X)
            Y[shown] = seen.points[history.indices(X[shown])]
            if not self.guess:
                computed = known.scaled(self.outcomes(X[~shown], task.space, remember=False))
                Y[~shown] = np.where(np.isnan(computed), Y[~shown], computed)
            return Y

        return judged_as

    def _seen(self, history: History, known: _Known, task: Task) -> History:
        """The same answers, about outcomes; a sample that has none is given a guess."""
        Y = known.scaled(self.outcomes(history.points, task.space))
        none = np.isnan(Y).any(axis=1)
        if none.any():
            Y[none] = known.emulator(task)(history.points[none])
        return replace(history, points=Y, feasible=history.feasible.copy())

    def propose(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """What the other proposer wants to know, in terms of candidates."""
        opening = task.opening(self.first_samples(task))
        if state is None:
            pair = opening_pair(opening, history, None)
            return start_over(history, task, rng) if pair is None else pair
        known = self._known_of(history, task)
        seen = self._seen(history, known, task)
        best = self.proposer.recommend(state, seen, _among(seen.points, seen, task))
        if best is None:
            return start_over(history, task, rng)
        first = opening_pair(opening[~self._shown(opening, seen, known, task)], history, best)
        return self._searched(state, history, seen, known, best, task, rng) if first is None else first

    def _searched(
        self,
        state: Any,
        history: History,
        seen: History,
        known: _Known,
        best: int,
        task: Task,
        rng: np.random.Generator,
    ) -> Proposal:
        """A choice among guesses, and where they prove wrong again and again among what is known."""
        for _ in range(TRIES):
            X = search.scattered(task.space, rng, history.points[best], EFFORT)
            guessed = self._chosen(state, history, seen, known, X, task, rng)
            if guessed is None:
                break
            pair = np.array([guessed.first, guessed.second])
            new = pair[~history.holds(pair)]
            if not self._shown(new, seen, known, task).any():
                return guessed
            known = known.with_points(new, self.outcomes(new, task.space))
        X = known.X[~self._shown(known.X, seen, known, task)]
        surely = self._chosen(state, history, seen, known, X, task, rng, ())
        return surely or guessed or self._nothing_new(history, best, task, rng)

    def _nothing_new(self, history: History, best: int, task: Task, rng: np.random.Generator) -> Proposal:
        """Where no candidate with an outcome is left: one without, or a sample that the best one never met."""
        if task.space.points() is None:
            return start_over(history, task, rng)
        return rematch(history, best, np.zeros(len(history.points)))

    def _shown(self, X: Matrix, seen: History, known: _Known, task: Task) -> Mask:
        """Which points lead to nothing, or to an outcome that a sample has."""
        Y = known.scaled(self.outcomes(X, task.space))
        return np.asarray(np.isnan(Y).any(axis=1) | seen.holds(Y))

    def _chosen(
        self,
        state: Any,
        history: History,
        seen: History,
        known: _Known,
        X: Matrix,
        task: Task,
        rng: np.random.Generator,
        refinements: tuple[search.Effort, ...] = REFINEMENTS,
    ) -> Proposal | None:
        """The other proposer's choice among candidates by their outcomes, then among those around it; None if none has any.

        It stays the same question: another opponent means that what was chosen first tells more than anything around it. One
        about two new ones is asked as it is, since around one of them there are only those that are like it.
        """
        foreseen, samples = self._foreseen(known, task), len(history.points)
        chosen: Proposal | None = None
        for effort in (*refinements, None):
            X, Y = foreseen(X[~history.holds(X)])
            if not len(X):
                break
            try:
                proposal = self._chooser.propose(state, seen, _among(Y, seen, task), rng)
            except ExhaustedError:  # they lead to what was shown before
                break
            points, Y = np.vstack([history.points, X]), np.vstack([seen.points, Y])
            first, second = squared_distances(np.array([proposal.first, proposal.second]), Y).argmin(axis=1)
            question = Proposal(points[first], points[second], proposal.note)
            if chosen is not None and not np.array_equal(question.first, chosen.first):
                break
            chosen = question
            if first >= samples or second < samples or effort is None:
                break
            X = np.vstack([chosen.second, search.scattered(task.space, rng, chosen.second, effort)])
        return chosen

    def _foreseen(self, known: _Known, task: Task) -> Callable[[Matrix], tuple[Matrix, Matrix]]:
        """A function of points: those that lead, or may lead, to an outcome, and their outcomes, scaled."""
        emulator = known.emulator(task) if self.guess else None

        def foreseen(X: Matrix) -> tuple[Matrix, Matrix]:
            if emulator is not None:
                X = known.promising(X)
                return X, emulator(X)
            Y = known.scaled(self.outcomes(X, task.space))
            there = np.isfinite(Y).all(axis=1)
            return X[there], Y[there]

        return foreseen

    def to_dict(self) -> dict[str, Any]:
        """The other proposer's settings and the function's name: a function is not data."""
        name = getattr(self.outcome, "__qualname__", repr(self.outcome))
        return {
            "name": "outcomes",
            "function": name,
            "front": self.front,
            "guess": self.guess,
            "proposer": self.proposer.to_dict(),
        }


def utility_model(proposer: object) -> Posterior | Outcomes:
    """Return the proposer itself if it models utilities, otherwise the default one."""
    return proposer if isinstance(proposer, Posterior | Outcomes) else Posterior()


def _key(candidate: Candidate) -> tuple[object, ...]:
    """What a candidate is remembered by."""
    return tuple(_rounded(value) for value in candidate.values())


def _rounded(value: object) -> object:
    """A value without its last digits, which the way to the box and back may cost."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _among(Y: Matrix, seen: History, task: Task) -> Task:
    """The task of the other proposer: to choose among outcomes; the samples' are its first design."""
    return Task(Catalogue.scaled(Y), task.comparisons, task.seed, seen.points)

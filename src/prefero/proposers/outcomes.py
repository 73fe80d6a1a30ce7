"""Learning from the outcomes of candidates instead of from the candidates themselves.

If the person judges an outcome that can be computed (say, the objectives that weights lead to), the utility is usually a far
simpler function of the outcome than of the candidate. So another proposer, the chooser, sees outcomes only: the known ones of
samples, and predicted ones of a few hundred candidates. Its choice is translated back into candidates.

| symbol | meaning | shape |
|---|---|---|
| x | a candidate's point in the box | n |
| F(x) | its outcome | m |
| y | the outcome, scaled: the front, a first sample of outcomes, fills [−1, 1]ᵐ | m |
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
from prefero.proposers.opening import missing_opening, opening_pair
from prefero.proposers.pbo import Pbo
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Proposal, Task
from prefero.space import design
from prefero.space.arrays import Mask, Matrix, Vector, squared_distances
from prefero.space.catalogue import Catalogue
from prefero.space.domain import Domain
from prefero.space.variables import Candidate

FRONT = 32
"""Outcomes computed before the first question, per variable."""
FRONT_STREAM = 3
"""The last number of the seed of the front's design, so that it is independent of other draws."""
EFFORT = search.Effort(spread=96, near=192)
"""Candidates considered for a question."""
REFINEMENTS = tuple(search.Effort(spread=0, near=48, reach=reach) for reach in ((-2.5, -1.5), (-3.5, -2.5)))
"""Then the chooser compares its choice with candidates nearer and nearer to it."""
LARGEST_OUTCOME = 1e100
"""A candidate whose outcome is not finite, or larger than this in some number, counts as one without an outcome."""
TRIES = 3
"""How often to look for another candidate if the chosen one turns out to have no outcome, or one that was shown before."""


@dataclass(frozen=True, eq=False)
class _Known:
    """Outcomes of some points, NaN if a point has none. Those of the front come first and define the scaling."""

    X: Matrix
    F: Matrix
    front: int

    @cached_property
    def has_outcome(self) -> Mask:
        """Which points have an outcome."""
        return np.asarray(np.isfinite(self.F).all(axis=1))

    def with_points(self, X: Matrix, F: Matrix) -> _Known:
        """Return these and more outcomes; a known point is not added twice."""
        new = ~(X[:, None, :] == self.X).all(axis=2).any(axis=1)
        return replace(self, X=np.vstack([self.X, X[new]]), F=np.vstack([self.F, F[new]]))

    def scaled(self, F: Matrix) -> Matrix:
        """Return y for outcomes F: scaled so that the front fills [−1, 1]ᵐ."""
        first = self.F[: self.front]
        low, high = np.nanmin(first, axis=0), np.nanmax(first, axis=0)
        return np.asarray((2 * F - (high + low)) / np.where(high > low, high - low, 1.0))

    def emulator(self, task: Task) -> Emulator:
        """Return a predictor of all outcomes."""
        return Emulator.of(self.X[self.has_outcome], self.scaled(self.F[self.has_outcome]), task.groups)

    def promising(self, X: Matrix) -> Matrix:
        """Return the points that probably have an outcome: their nearest known point has one."""
        return np.asarray(X[self.has_outcome[squared_distances(X, self.X).argmin(axis=1)]])


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Lets another proposer learn from the outcomes of candidates.

    outcome(candidate): the numbers that a candidate leads to. If it raises, or returns numbers that are not finite or beyond
        1e100, the candidate has no outcome. It must be a pure function: its values are cached.
    proposer: the one that learns and chooses.
    front: how many outcomes are computed before the first question, to know the range; by default 32 per variable. After that,
        only the outcomes of candidates that are shown are computed.
    guess: whether the outcomes of candidates that are considered are predicted from the known ones. If False they are computed,
        about four hundred per question, which is better if that takes no time.
    """

    outcome: Callable[[Candidate], ArrayLike]
    proposer: Posterior | Glisp | Pbo = field(default_factory=Posterior)
    front: int | None = None
    guess: bool = True
    _known: dict[tuple[object, ...], Vector | str] = field(default_factory=dict, repr=False)
    """Cache of the values of `outcome` by candidate; a text says why there is none."""
    _fronts: dict[int, tuple[Domain, _Known]] = field(default_factory=dict, repr=False)
    """Cache of the fronts by seed, with the space that each belongs to."""

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
        """After how many answers the other proposer's state is rebuilt."""
        return self.proposer.rebuild

    def first_samples(self, task: Task) -> int:
        """Return how many samples the other proposer's opening has."""
        return self.proposer.first_samples(task)

    @cached_property
    def _chooser(self) -> Posterior | Glisp | Pbo:
        """The other proposer without a tournament: it sees all samples as an opening that is over."""
        return replace(self.proposer, tournament=False) if isinstance(self.proposer, Posterior) else self.proposer

    # What is known of outcomes ---------------------------------------------------------------------------------------

    def outcomes(self, X: Matrix, space: Domain, remember: bool = True) -> Matrix:
        """Return F at points, one per row; NaN for a point without an outcome. `remember` adds the values to the cache."""
        found = [self._outcome(x, space, remember) for x in X]
        known = list(self._known.values())  # a copy: other threads may add values meanwhile
        m = next((len(F) for F in known if not isinstance(F, str)), 1)
        for F in found:
            if F is not None and len(F) != m:
                raise InputError.of("outcome", F.tolist(), f"{m} numbers, as before")
        return np.array([np.full(m, np.nan) if F is None else F for F in found]).reshape(-1, m)

    def _outcome(self, x: Vector, space: Domain, remember: bool = True) -> Vector | None:
        """Return F at a point, or None if it has no outcome."""
        candidate = space.decode(x)  # the key, since a point means another candidate after the bounds change
        key = _key(candidate)
        found = self._known[key] if key in self._known else self._computed(candidate)
        if remember:
            self._known[key] = found
        return None if isinstance(found, str) else found

    def _computed(self, candidate: Candidate) -> Vector | str:
        """Return a candidate's outcome, or a text if it has none: what was raised, or ""."""
        try:
            F = np.asarray(self.outcome(candidate), dtype=float).ravel()
        except Exception as error:  # noqa: BLE001 (no outcome, whatever the reason)
            return f"{type(error).__name__}: {error} for {dict(candidate)}"
        return F if F.size and (np.abs(F) <= LARGEST_OUTCOME).all() else ""

    def _known_of(self, history: History, task: Task) -> _Known:
        """Return the outcomes of the front and of the samples; the front depends only on the seed and the space."""
        whole = task.space if task.reach is None else task.reach.whole
        space, front = self._fronts.get(task.seed, (None, None))
        if front is None or space is not whole:
            count = FRONT * whole.dimension if self.front is None else self.front
            X = design.initial(whole, count, np.random.default_rng([task.seed, 0, FRONT_STREAM]))
            front = _Known(X, self.outcomes(X, whole), len(X))
            self._fronts[task.seed] = (whole, front)
        if not front.has_outcome.any():
            self._raise_no_outcome(front, whole)
        return front.with_points(history.points, self.outcomes(history.points, task.space))

    def _raise_no_outcome(self, front: _Known, space: Domain) -> NoReturn:
        """Raise InputError if the function raised for every candidate, and PreferoError if it merely found no outcome."""
        reasons = [self._known[_key(space.decode(x))] for x in front.X]
        if all(reasons):
            allowed = "a function of a candidate that returns numbers"
            raise InputError(f"outcome: it raised {reasons[0]}, as for every other candidate; allowed: {allowed}")
        raise PreferoError(f"none of {front.front} candidates leads to an outcome")

    # The proposer's part ---------------------------------------------------------------------------------------------

    def advance(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Any:
        """Return the other proposer's state after the last answer."""
        if not history.spoken:
            return None
        seen = self._seen(history, self._known_of(history, task), task)
        return self.proposer.advance(state, seen, _among(seen.points, seen, task), rng)

    def recommend(self, state: Any, history: History, task: Task) -> int | None:
        """Return the sample that the other proposer recommends by its outcome."""
        if not history.spoken:
            return None
        seen = self._seen(history, self._known_of(history, task), task)
        return self.proposer.recommend(state, seen, _among(seen.points, seen, task))

    def winner(self, history: History) -> int | None:
        """Return the winner of the comparisons, as the other proposer sees it: outcomes make no difference."""
        return self.proposer.winner(history)

    def learned(self, history: History, task: Task, rng: np.random.Generator) -> LearnedUtility:
        """Return the utilities of candidates by their outcomes; of the candidates themselves if nothing has an outcome."""
        try:
            known = self._known_of(history, task)
        except PreferoError:
            return Posterior().learned(history, task, rng)
        seen = self._seen(history, known, task)
        learned = utility_model(self.proposer).learned(seen, _among(seen.points, seen, task), rng)
        return replace(learned, X=history.points, judged_as=self._judged_as(history, seen, known, task))

    def _judged_as(self, history: History, seen: History, known: _Known, task: Task) -> Callable[[Matrix], Matrix]:
        """Return a function from points to scaled outcomes: known ones of samples, predicted or computed ones of other points."""
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
        """Return the same answers about outcomes; a sample without an outcome gets a predicted one.

        A leaning is about variables, not outcomes: it is left out.
        """
        Y = known.scaled(self.outcomes(history.points, task.space))
        none = np.isnan(Y).any(axis=1)
        if none.any():
            Y[none] = known.emulator(task)(history.points[none])
        return replace(history, points=Y, feasible=history.feasible.copy(), leanings=())

    def propose(self, state: Any, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return what the other proposer asks, translated into candidates."""
        opening = missing_opening(task, self.first_samples(task), history)
        if state is None:
            pair = opening_pair(opening, history, None)
            return start_over(history, task, rng) if pair is None else pair
        known = self._known_of(history, task)
        seen = self._seen(history, known, task)
        best = self.proposer.recommend(state, seen, _among(seen.points, seen, task))
        if best is None:
            return start_over(history, task, rng)
        first = opening_pair(opening[~self._unusable(opening, seen, known, task)], history, best)
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
        """Return a choice among predicted outcomes; if predictions prove wrong repeatedly, a choice among known ones."""
        for _ in range(TRIES):
            X = search.scattered(task.space, rng, history.points[best], EFFORT)
            guessed = self._chosen(state, history, seen, known, X, task, rng)
            if guessed is None:
                break
            pair = np.array([guessed.first, guessed.second])
            new = pair[~history.holds(pair)]
            if not self._unusable(new, seen, known, task).any():
                return guessed
            known = known.with_points(new, self.outcomes(new, task.space))
        X = known.X[~self._unusable(known.X, seen, known, task)]
        certain = self._chosen(state, history, seen, known, X, task, rng, ())
        return certain or guessed or self._nothing_new(history, best, task, rng)

    def _nothing_new(self, history: History, best: int, task: Task, rng: np.random.Generator) -> Proposal:
        """Return a question if no new candidate has an outcome: one without, or a sample that the best one never met."""
        if task.space.points() is None:
            return start_over(history, task, rng)
        return rematch(history, best, np.zeros(len(history.points)))

    def _unusable(self, X: Matrix, seen: History, known: _Known, task: Task) -> Mask:
        """Return which points have no outcome, or the same one as a sample."""
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
        """Return the chooser's choice among candidates by their outcomes, refined; None if no candidate has an outcome.

        Refining stops if the chooser picks another opponent: then its first choice tells more than anything near it.
        """
        predict, samples = self._predictor(known, task), len(history.points)
        chosen: Proposal | None = None
        for effort in (*refinements, None):
            X, Y = predict(X[~history.holds(X)])
            if not len(X):
                break
            try:
                proposal = self._chooser.propose(state, seen, _among(Y, seen, task), rng)
            except ExhaustedError:  # all of them lead to outcomes that were shown before
                break
            # Back from outcomes to points: the chooser only returns outcomes that it was given.
            points, Y = np.vstack([history.points, X]), np.vstack([seen.points, Y])
            first, second = squared_distances(np.array([proposal.first, proposal.second]), Y).argmin(axis=1)
            question = Proposal(points[first], points[second], proposal.note)
            if chosen is not None and not np.array_equal(question.first, chosen.first):
                break
            chosen = question
            if second < samples or effort is None:
                break
            X = np.vstack([chosen.second, search.scattered(task.space, rng, chosen.second, effort)])
        return chosen

    def _predictor(self, known: _Known, task: Task) -> Callable[[Matrix], tuple[Matrix, Matrix]]:
        """Return a function from points to those that have, or probably have, an outcome, and their scaled outcomes."""
        emulator = known.emulator(task) if self.guess else None

        def predict(X: Matrix) -> tuple[Matrix, Matrix]:
            if emulator is not None:
                X = known.promising(X)
                return X, emulator(X)
            Y = known.scaled(self.outcomes(X, task.space))
            usable = np.isfinite(Y).all(axis=1)
            return X[usable], Y[usable]

        return predict

    def to_dict(self) -> dict[str, Any]:
        """Return the other proposer's settings and the function's name: the function itself cannot be stored."""
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
    """Return the cache key of a candidate."""
    return tuple(_rounded(value) for value in candidate.values())


def _rounded(value: object) -> object:
    """Return a number without its last digits, which converting to the box and back may change."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _among(Y: Matrix, seen: History, task: Task) -> Task:
    """Return the chooser's task: choose among outcomes, with the samples' outcomes as its opening."""
    return Task(Catalogue.scaled(Y), task.comparisons, task.seed, seen.points, judge=task.judge)

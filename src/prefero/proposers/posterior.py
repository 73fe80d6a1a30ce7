"""The default proposer: expected improvement under the exact posterior of the answers.

After each answer the state advances: now and then the hyperparameters are fitted again (length scales, the weight of
the additive part, the person's noise and tie threshold), and the chains that draw from the posterior go on. A question
sets the incumbent against a candidate that was found

- by expected improvement ("global"),
- at the maximum of the posterior mean ("exploit"),
- or by the paper's own method ("explore"), whose exploration does not trust the posterior.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, Literal, get_args

import numpy as np

from prefero import answers, search
from prefero.answers import History
from prefero.arrays import Vector
from prefero.errors import InputError
from prefero.proposers import glisp
from prefero.proposers.base import Proposal, Task, compared, opening_pair, rematch, start_over, taken
from prefero.proposers.glisp import Glisp
from prefero.surrogates import evidence
from prefero.surrogates.evidence import CONSISTENT, Hyperparameters
from prefero.surrogates.kernels import Kernel
from prefero.surrogates.posterior import ExpectedImprovement, MeanUtility, Utilities, ranking, sample_posterior
from prefero.surrogates.statements import Statements

Kind = Literal["global", "exploit", "explore"]

COLD_SWEEPS, WARM_SWEEPS = 20, 4
COLD_FIT, WARM_FIT = 15, 5
"""Gibbs sweeps and iterations of the evidence's maximisation, from nothing and from the state before."""
REFIT = 3
"""Hyperparameters are fitted again after so many answers."""
CALIBRATED = 120
"""ε of the paper's method is calibrated on the last so many answers."""
SURPRISING = 0.05
"""An answer with a smaller chance than this, that makes a newcomer the best, is asked for again."""
TRUSTED = 3
"""After so many surprising answers confirmed, and none taken back, a person is believed at once."""
FALLIBLE = 0.1
"""The least ν of a person who answered a pair in two ways."""
AGAIN = "the last answer was a surprise: the same pair once more"
EFFORT = search.Effort(spread=384, near=384, kept=4, rounds=14)


@dataclass(frozen=True)
class State:
    """What is kept between questions."""

    hyperparameters: Hyperparameters
    utilities: Utilities
    paper: glisp.State
    expected: float  # the chance, before it was given, of the last answer


@dataclass(frozen=True)
class Posterior:
    """Expected improvement under the exact posterior of the answers.

    initial_samples: samples of the first phase; by default a quarter of those expected.
    turns: whose turn it is, over and over: "global", "exploit" or "explore".
    exploration: δ of the paper's method when it is its turn.
    noise: ν, the standard deviation of the person's noise relative to that of the utility; by default learned.
    tie: τ, the difference below which candidates seem the same; by default learned.
    """

    initial_samples: int | None = None
    turns: tuple[Kind, ...] = ("global", "exploit", "explore", "exploit")
    exploration: float = 2.0
    noise: float | None = None
    tie: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", tuple(self.turns))
        if not self.turns or not set(self.turns) <= set(get_args(Kind)):
            raise InputError.of("turns", self.turns, "a list of " + ", ".join(get_args(Kind)))
        if self.initial_samples is not None and (not isinstance(self.initial_samples, int) or self.initial_samples < 2):
            raise InputError.of("initial_samples", self.initial_samples, "a whole number from 2 up")
        for name in ("exploration", "noise", "tie"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < np.inf:
                raise InputError.of(name, value, "a number from 0 up")

    @property
    def rebuild(self) -> int:
        """Chains remember where they were, so they begin anew after so many answers."""
        return 16

    # The next question -----------------------------------------------------------------------------------------------

    def propose(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """The incumbent against what promises most."""
        best = self.recommend(state, history, task)
        opening = opening_pair(task.opening(self.first_samples(task)), history, best)
        if opening is not None:
            return opening
        if best is None or state is None:
            return start_over(history, task, rng)
        last = history.comparisons[-1]
        if worth_repeating(history, state.expected):
            return Proposal(history.points[last.i], history.points[last.j], AGAIN)
        x_best = history.points[best]
        x = self._challenger(state, history, best, task, rng)
        if x is None:
            return rematch(history, best, -state.utilities.sample_means.mean(axis=1))
        return Proposal(x_best, x)

    def _challenger(
        self, state: State, history: History, best: int, task: Task, rng: np.random.Generator
    ) -> Vector | None:
        x_best = history.points[best]
        kind = self._kind(len(history), task)
        if kind == "explore":
            paper = Glisp(exploration=self.exploration)
            return paper.challenger(paper.surrogate(state.paper, history, best, task), history, best, task, rng)
        promise = MeanUtility(state.utilities) if kind == "exploit" else ExpectedImprovement(state.utilities, best)
        scales = np.repeat(state.utilities.kernel.scales, [g.stop - g.start for g in task.groups])
        return search.minimise(promise, task.space, rng, taken(history), x_best, effort=EFFORT, scales=scales)

    def _kind(self, answered: int, task: Task) -> Kind:
        """Whose turn it is after so many answers."""
        return self.turns[(answered - self.first_samples(task) + 1) % len(self.turns)]

    def first_samples(self, task: Task) -> int:
        """N_init: how many samples the first phase has."""
        if self.initial_samples is not None:
            return max(2, self.initial_samples)
        return max(2, ceil(task.samples / 4))

    # What was learned ------------------------------------------------------------------------------------------------

    def advance(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> State | None:
        """The hyperparameters and the chains after one more answer."""
        if not len(history):
            return None
        hyper = self._fitted(state, history, task)
        kernel = Kernel(hyper.theta, task.groups)
        statements = Statements.of(history, hyper.tie)
        V = None if state is None else state.utilities.V
        sweeps = COLD_SWEEPS if state is None else WARM_SWEEPS
        utilities = sample_posterior(kernel, history.points, statements, hyper.noise, V, sweeps, rng)
        paper = Glisp().recalibrated(history.last(CALIBRATED), task) if state is None else state.paper
        return State(hyper, utilities, paper, _chance_of_last(state, history))

    def _fitted(self, state: State | None, history: History, task: Task) -> Hyperparameters:
        if state is not None and len(history) % REFIT:
            return state.hyperparameters
        tie = state.hyperparameters.tie if state is not None else evidence.TIES[1]
        D, statements = evidence.recent(history, task.groups, tie if self.tie is None else self.tie)
        start = None if state is None else state.hyperparameters.theta
        theta = evidence.fit_scales(D, statements, start, COLD_FIT if state is None else WARM_FIT)
        noise, tie = evidence.person(D, history, theta)
        if repeated(history)[1]:
            noise = max(noise, FALLIBLE)
        return Hyperparameters(
            theta, noise if self.noise is None else self.noise, tie if self.tie is None else self.tie
        )

    def winner(self, history: History) -> None:
        """Nobody, without asking how consistent the person is."""

    def recommend(self, state: State | None, history: History, task: Task) -> int | None:
        """The sample of best posterior mean; of a consistent person the one that won."""
        del task
        best = answers.incumbent(history)
        seen = compared(history)
        if state is None or not seen.size or (best is not None and state.hyperparameters.noise <= CONSISTENT):
            return best
        return int(ranking(state.utilities, seen)[0])

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {"name": "posterior"} | asdict(self)


def _chance_of_last(state: State | None, history: History) -> float:
    """The chance of the last answer as the state before it saw it; 1 where there is none, and for a tie."""
    last = history.comparisons[-1]
    if state is None or last.outcome == 0:
        return 1.0
    winner, loser = (last.i, last.j) if last.outcome == -1 else (last.j, last.i)
    return float(state.utilities.probabilities(history.points[[winner]], history.points[[loser]])[0])


def repeated(history: History) -> tuple[int, int]:
    """How many pairs were asked about again with the same answer, and how many with another."""
    said: dict[tuple[int, int], set[int]] = {}
    times: dict[tuple[int, int], int] = {}
    for c in history.comparisons:
        pair, outcome = ((c.i, c.j), c.outcome) if c.i < c.j else ((c.j, c.i), -c.outcome)
        said.setdefault(pair, set()).add(outcome)
        times[pair] = times.get(pair, 0) + 1
    again = [pair for pair, count in times.items() if count > 1]
    confirmed = sum(len(said[pair]) == 1 for pair in again)
    return confirmed, len(again) - confirmed


def worth_repeating(history: History, expected: float) -> bool:
    """Whether to ask the last question again: a newcomer won against all expectation, or two answers to it disagree."""
    last = history.comparisons[-1]
    same = [c.outcome if c.i == last.i else -c.outcome for c in history.comparisons if {c.i, c.j} == {last.i, last.j}]
    if len(same) > 1:
        return len(same) == 2 and same[0] != same[1]
    confirmed, taken_back = repeated(history)
    return last.outcome == 1 and expected < SURPRISING and (taken_back > 0 or confirmed < TRUSTED)

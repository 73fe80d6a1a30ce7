"""The successor: the largest mean plus some standard deviations, under the posterior of the answers.

The opening is a knockout tournament. Afterwards each question compares the incumbent, the sample of best posterior mean, with
the candidate of largest m + βσ, where m and σ are mean and standard deviation of its lead over the incumbent. β falls from 2 to 0
over the expected answers: hope first, precision last. Whoever beats the incumbent must do so again, until a few such answers were
confirmed and none was taken back.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from benchmarks.successor.fit import Fit, Grids, KernelOf, choose, fitted
from benchmarks.successor.kernel import mixed
from benchmarks.successor.utilities import HopefulMean, Utilities, ranking
from prefero import answers
from prefero.answers import History
from prefero.errors import InputError, check_whole, number
from prefero.models.kernels import Groups
from prefero.proposers import search
from prefero.proposers.exclusions import may_be_shown, taken
from prefero.proposers.fallback import rematch, start_over
from prefero.proposers.opening import knockout_pair, opening_pair, opening_size
from prefero.proposers.protocol import Proposal, Task

AGAIN = "to be sure: a pair that was asked about before"
"""The note of a question that was asked before."""


@dataclass(frozen=True)
class Policy:
    """Every constant of the default proposer. docs/method.md says what each pays, and which other values were tried.

    opening: one in so many of the expected samples belongs to the opening.
    hope: β at the first question; it falls to 0 at the last one.
    beyond: β after the expected number of answers.
    confirmations: trust a person after so many confirmed answers, if none was taken back; with 0, from the beginning.
    noises: values of ν. The first is a consistent person's: more would cost precision.
    ties: values of τ.
    linears: values of λ, the share of the linear part.
    linear_odds: the log of the prior odds of each λ.
    lapse: ε, the share of answers given without looking.
    scale: log of the length scales, relative to √n, in the box [−1, 1].
    additive: weight of the additive part of the smooth utility.
    refit: choose ν, τ and λ again when the answers have grown by this factor.
    rebuild: start from scratch after so many answers; in between, the posterior continues from the one before.
    effort: of the search for the challenger.
    """

    opening: int = 4
    hope: float = 2.0
    beyond: float = 1.0
    confirmations: int = 3
    noises: tuple[float, ...] = (1e-3, 0.03, 0.1, 0.3)
    ties: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3)
    linears: tuple[float, ...] = (0.0,)
    linear_odds: tuple[float, ...] = (0.0,)
    lapse: float = 0.0
    scale: float = -1.0
    additive: float = 0.5
    refit: float = 1.15
    rebuild: int = 40
    effort: search.Effort = field(default=search.Effort(spread=192, near=192, jumps=128, kept=4, rounds=10))


@dataclass(frozen=True)
class State:
    """What the proposer keeps between questions."""

    fit: Fit
    utilities: Utilities


@dataclass(frozen=True)
class Successor:
    """The largest mean plus some standard deviations under the posterior of the answers.

    initial_samples: samples of the opening; by default a quarter of those expected.
    tournament: whether the opening is a knockout tournament; otherwise each sample meets the best so far.
    noise: ν, the standard deviation of the person's noise relative to that of the utility; by default estimated.
    tie: τ, the difference below which candidates seem the same; by default estimated.
    policy: the constants of the method.
    """

    initial_samples: int | None = None
    tournament: bool = True
    noise: float | None = None
    tie: float | None = None
    policy: Policy = field(default_factory=Policy)

    def __post_init__(self) -> None:
        check_whole("initial_samples", self.initial_samples, least=2)
        for name in ("noise", "tie"):
            value = getattr(self, name)
            if value is not None and not 0 <= number(name, value) < np.inf:
                raise InputError.of(name, value, "a number from 0 up")
        if self.tie == 0:
            raise InputError.of("tie", self.tie, "a number above 0: with 0 nothing can be called the same")
        if not isinstance(self.policy, Policy):
            raise InputError.of("policy", self.policy, "a Policy")

    @property
    def rebuild(self) -> int:
        """After how many answers the state is rebuilt from scratch."""
        return self.policy.rebuild

    # The next question -----------------------------------------------------------------------------------------------

    def propose(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return the next question."""
        best = self.recommend(state, history, task)

        # The opening: a tournament. A maximal step size rules it out: every candidate has to be near the incumbent.
        opening = task.opening(self.first_samples(task))
        match = knockout_pair(opening, history) if self.tournament and task.reach is None else None
        first = opening_pair(opening, history, best) if match is None else match
        if first is not None:
            return first
        if best is None or state is None:
            return start_over(history, task, rng)

        # A new sample that has just beaten the incumbent must do so again.
        pair = self._to_confirm(history, best)
        if pair is not None and may_be_shown(pair, history, task):
            return Proposal(history.points[pair[0]], history.points[pair[1]], AGAIN)

        # The challenger: the largest m + βσ
        x_best, utilities = history.points[best], state.utilities
        left = task.comparisons - len(history) - 1
        hope = self.policy.hope * left / task.comparisons if left >= 0 else self.policy.beyond
        acquisition = HopefulMean(utilities, best, hope)
        scales = utilities.kernel.coordinate_scales
        x = search.minimise(
            acquisition, task.space, rng, taken(history), x_best, effort=self.policy.effort, scales=scales
        )
        if x is None:
            return rematch(history, best, -utilities.sample_means)
        return Proposal(x_best, x)

    def _to_confirm(self, history: History, best: int) -> tuple[int, int] | None:
        """Return the last pair if it has to be asked again, in the order it was asked; None if not."""
        if self.noise is not None:
            return None
        confirmed, taken_back = repeated(history)
        last = history.comparisons[-1]
        same = [k for k, c in enumerate(history.comparisons) if {c.i, c.j} == {last.i, last.j}]
        if len(same) == 2 and len(set(history.winners[same].tolist())) == 2:
            return last.i, last.j  # two opposite answers: a third one decides
        if len(same) != 1 or last.preference == 0 or (confirmed >= self.policy.confirmations and not taken_back):
            return None
        newcomer = best == int(history.winners[-1]) and int((history.pairs == best).sum()) == 1
        return (last.i, last.j) if newcomer and self.policy.confirmations else None

    def first_samples(self, task: Task) -> int:
        """Return N_init: how many samples the opening has."""
        return opening_size(self.initial_samples, task, self.policy.opening)

    # What was learned ------------------------------------------------------------------------------------------------

    def advance(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> State | None:
        """Return the hyperparameters and the posterior after one more answer."""
        del rng
        if not len(history):
            return None
        kernel_of = self._kernel_of(task.groups)
        fit = self._start() if state is None else state.fit
        if state is None or len(history) >= self.policy.refit * fit.answered:
            fit = choose(history, kernel_of, self._grids(), self.policy.lapse, fit)
        before = None if state is None else state.utilities
        return State(fit, fitted(history, kernel_of, fit, self.policy.lapse, before))

    def _start(self) -> Fit:
        policy = self.policy
        return Fit(
            policy.noises[0] if self.noise is None else self.noise,
            policy.ties[1] if self.tie is None else self.tie,
            policy.linears[0],
        )

    def _grids(self) -> Grids:
        """Return the values of ν, τ and λ to compare; the one that is given, if one is."""
        policy = self.policy

        def equal(values: tuple[float, ...]) -> tuple[tuple[float, float], ...]:
            return tuple((value, 0.0) for value in values)

        return Grids(
            equal(policy.noises if self.noise is None else (self.noise,)),
            equal(policy.ties if self.tie is None else (self.tie,)),
            tuple(zip(policy.linears, policy.linear_odds, strict=True)),
        )

    def _kernel_of(self, groups: Groups) -> KernelOf:
        """Return the function from λ to the kernel."""
        policy = self.policy
        return lambda share: mixed(groups, share, policy.scale, policy.additive)

    def winner(self, history: History) -> None:
        """Always None: the winner depends on the estimated noise."""

    def recommend(self, state: State | None, history: History, task: Task) -> int | None:
        """Return the sample of best posterior mean; without noise it has lost to none that it met."""
        del task
        seen = history.compared
        if state is None or not seen.size:
            return answers.incumbent(history)
        return int(ranking(state.utilities, seen)[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return {"name": "successor", "function": "benchmarks.successor"} | asdict(self)


def repeated(history: History) -> tuple[int, int]:
    """Return how many repeated questions always had the same answer, and how many did not."""
    by_pair: dict[frozenset[int], set[int]] = {}
    counts: dict[frozenset[int], int] = {}
    for c, winner in zip(history.comparisons, history.winners.tolist(), strict=True):
        pair = frozenset((c.i, c.j))
        by_pair.setdefault(pair, set()).add(winner if c.preference else -1)
        counts[pair] = counts.get(pair, 0) + 1
    again = [said for pair, said in by_pair.items() if counts[pair] > 1]
    confirmed = sum(len(said) == 1 for said in again)
    return confirmed, len(again) - confirmed

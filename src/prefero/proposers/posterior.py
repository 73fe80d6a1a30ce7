"""The default proposer: expected improvement under the exact posterior of the answers.

After each answer the state advances. The hyperparameters are fitted now and then: length scales and the weight of the
additive kernel at every rebuild, the tie threshold and the noise more often. The chains that sample the posterior continue,
and show which answers are slips.

The opening is a knockout tournament. Afterwards, a question repeats a doubtful answer, or compares the incumbent with a
candidate chosen by one of three rules in turn:

- "global": the largest expected improvement, until few of the expected answers are left,
- "exploit": the maximum of the posterior mean plus a little of its standard deviation,
- "explore": the paper's own method, whose exploration does not depend on the posterior.

A noisy person is asked about the most informative pair instead, and at the end about the maximum of the posterior mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np

from prefero import answers
from prefero.answers import History
from prefero.errors import InputError, check_whole, number
from prefero.models import evidence
from prefero.models.kernels import AnyKernel, Kernel, Linear
from prefero.models.posterior import ExpectedImprovement, HopefulMean, Utilities, ranking, sample_posterior
from prefero.models.statements import Statements
from prefero.models.utility import LearnedUtility
from prefero.proposers import glisp, search, slips
from prefero.proposers.exclusions import may_be_shown, taken
from prefero.proposers.fallback import rematch, start_over
from prefero.proposers.glisp import Glisp
from prefero.proposers.knowledge_gradient import telling_pair
from prefero.proposers.opening import knockout_pair, opening_pair, opening_size
from prefero.proposers.protocol import Proposal, Task
from prefero.space.arrays import Vector

Kind = Literal["global", "exploit", "explore"]
"""The rules that choose a challenger."""

# docs/method.md says what was measured, and which other values were tried.
COLD_SWEEPS, WARM_SWEEPS, REPORT_SWEEPS = (20, 20, 20), (4, 11), (40, 40, 40)
"""Gibbs sweeps per round: from scratch, from the previous state, and for a report on a study.

A further round runs only while the chains disagree about a slip, with a better estimate of the slip rate: few chains change
their mind in one round.
"""
DISAGREEMENT = 0.1
"""Chains disagree about an answer if at least this share believes it and at least this share believes its opposite."""
FIT_ITERATIONS = 15
"""L-BFGS iterations that fit the length scales. They run at rebuilds only: scales fitted to few answers mislead."""
TIES_FOR_NOISE = 2
"""Estimate the noise after this many ties beyond the opening: the candidates of a single tie may just be equally good."""
REFIT_AFTER = 3
"""Fit the tie threshold and the noise again after this many more answers, or a sixth of all if that is more."""
REBUILD = 40
"""Rebuild the state after this many answers. Chains depend on their past, so a stored study replays up to this many steps."""
CALIBRATION_INTERVAL, CALIBRATION_WINDOW = 16, 120
"""Calibrate ε of the paper's method after every 16th answer, on the last 120: the cost grows with their number."""
FINISH = 0.2
"""In this last share of the expected answers "exploit" replaces "global": a find far away could not be refined in time."""
NOISY = 0.02
"""From this ν on, ask about the most informative pairs."""
RESERVED_QUESTIONS = 2
"""Reserve the last questions to a noisy person for the likely recommendation: only a sample can be recommended."""
AGAIN = "to be sure: a pair that was asked about before"
"""The note of a question that was asked before."""
EFFORT = search.Effort(spread=192, near=192, jumps=128, kept=4, rounds=10)
"""Effort of the global search."""
NEARBY = replace(EFFORT, spread=48, near=112, jumps=64)
"""Effort of the exploiting search: it stays around the incumbent and needs fewer candidates."""


@dataclass(frozen=True)
class Fit:
    """The fitted hyperparameters θ, τ and ν, and after how many answers they were fitted."""

    theta: Vector
    answered: int
    tie: float = evidence.TIES[1]
    noise: float = slips.CONSISTENT_NOISE


@dataclass(frozen=True)
class State:
    """What the proposer keeps between questions."""

    fit: Fit
    noise: float  # ν: the fitted value, or more for a person who wavers
    utilities: Utilities
    paper: glisp.State | None  # of the paper's method; None if it has no turn


@dataclass(frozen=True)
class Posterior:
    """Expected improvement under the exact posterior of the answers.

    Some questions check a doubtful answer, and their note says so; the others show something new. A small finite space therefore
    takes a few more questions than it has candidates until all of them were shown.

    initial_samples: samples of the opening; by default a quarter of those expected.
    tournament: whether the opening is a knockout tournament; otherwise each sample meets the best so far.
    turns: the rules that choose challengers, in a cycle: "global", "exploit" or "explore". In the last fifth of the expected
        answers "exploit" replaces "global".
    hope: κ, the standard deviations added to the mean by "exploit"; with 0 its steps become too small.
    exploration: δ of the paper's method, used by "explore".
    noise: ν, the standard deviation of the person's noise relative to that of the utility. By default it is nearly zero, or
        estimated for a person who calls candidates the same or wavers, and every answer may also be a slip. If ν is given, all
        errors are noise.
    tie: τ, the difference below which candidates seem the same; by default estimated.
    linear: whether the utility is a weighted sum of the variables, which suits outcomes (`Outcomes`) better than candidates. A
        few answers then tell a lot: the noise is always estimated, all errors are noise, and every question is about the most
        informative pair.
    """

    initial_samples: int | None = None
    tournament: bool = True
    turns: tuple[Kind, ...] = ("global", "exploit", "explore", "exploit")
    hope: float = 0.5
    exploration: float = 2.0
    noise: float | None = None
    tie: float | None = None
    linear: bool = False

    def __post_init__(self) -> None:
        given: object = self.turns
        turns = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else ()
        if not turns or not set(turns) <= set(get_args(Kind)):
            raise InputError.of("turns", given, "a list of " + ", ".join(get_args(Kind)))
        object.__setattr__(self, "turns", turns)
        check_whole("initial_samples", self.initial_samples, least=2)
        for name in ("tournament", "linear"):
            if not isinstance(getattr(self, name), bool):
                raise InputError.of(name, getattr(self, name), "True or False")
        for name in ("hope", "exploration", "noise", "tie"):
            value = getattr(self, name)
            if value is None and name in ("noise", "tie"):
                continue  # learned
            if not 0 <= number(name, value) < np.inf:
                raise InputError.of(name, value, "a number from 0 up")
        if self.tie == 0:
            raise InputError.of("tie", self.tie, "a number above 0: with 0 nothing can be called the same")

    @property
    def rebuild(self) -> int:
        """After how many answers the state is rebuilt from scratch."""
        return REBUILD

    # The next question -----------------------------------------------------------------------------------------------

    def propose(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return the incumbent against the most promising candidate, or the most informative pair."""
        best = self.recommend(state, history, task)
        opening = self._opening(history, best, task)
        if opening is not None:
            return opening
        if best is None or state is None:
            return start_over(history, task, rng)
        again = self._again(state, history, task)
        if again is not None:
            return Proposal(history.points[again[0]], history.points[again[1]], AGAIN)
        x_best = history.points[best]
        pair = self._telling(state, history, x_best, task, rng)
        if pair is not None:
            return Proposal(*pair)
        x = self._challenger(state, history, best, task, rng)
        if x is None:
            return rematch(history, best, -state.utilities.sample_means.mean(axis=1))
        return Proposal(x_best, x)

    def _opening(self, history: History, best: int | None, task: Task) -> Proposal | None:
        """Return the next pair of the opening, or None if it is over.

        A maximal step size rules out a tournament: every candidate has to be near the incumbent.
        """
        opening = task.opening(self.first_samples(task))
        match = knockout_pair(opening, history) if self.tournament and task.reach is None else None
        return opening_pair(opening, history, best) if match is None else match

    def _again(self, state: State, history: History, task: Task) -> tuple[int, int] | None:
        """Return the pair to ask about once more, or None."""
        last = history.comparisons[-1]
        # Two opposite answers are settled by a third before anything else is asked.
        unsettled = [(last.i, last.j)] if slips.unsettled(history) else []
        doubtful = chain(unsettled, slips.suspicious(history, state.utilities))
        return next((pair for pair in doubtful if may_be_shown(pair, history, task)), None)

    def _telling(
        self, state: State, history: History, x_best: Vector, task: Task, rng: np.random.Generator
    ) -> tuple[Vector, Vector] | None:
        """Return the most informative pair for a noisy person; None for others, and for the last, reserved questions."""
        if not self._asks_what_tells(state) or 0 < task.comparisons - len(history) <= RESERVED_QUESTIONS:
            return None
        # A known sample tells as much about the weights of a sum as a new candidate.
        seen = history.points[history.compared] if self.linear else None
        return telling_pair(state.utilities, state.noise, x_best, task.space, taken(history), rng, seen)

    def _asks_what_tells(self, state: State) -> bool:
        """Return whether questions are about the most informative pairs."""
        return self.linear or state.noise >= NOISY

    def _challenger(
        self, state: State, history: History, best: int, task: Task, rng: np.random.Generator
    ) -> Vector | None:
        """Return the candidate to compare with the incumbent, or None if the space has none left."""
        x_best = history.points[best]
        kind, hope = self._kind(len(history), task), self.hope
        if self._asks_what_tells(state):  # a reserved question: show the likely recommendation
            kind, hope = "exploit", 0.0
        if kind == "explore":
            assert state.paper is not None  # `_paper` builds it if "explore" has a turn
            paper = Glisp(exploration=self.exploration)
            return paper.challenger(paper.surrogate(state.paper, history, best, task), history, best, task, rng)
        posterior, scales = state.utilities, state.utilities.kernel.coordinate_scales
        a: HopefulMean | ExpectedImprovement = (
            HopefulMean(posterior, best, hope) if kind == "exploit" else ExpectedImprovement(posterior, best)
        )
        effort = NEARBY if kind == "exploit" else EFFORT
        return search.minimise(a, task.space, rng, taken(history), x_best, effort=effort, scales=scales)

    def _kind(self, answered: int, task: Task) -> Kind:
        """Return whose turn it is after a number of answers; past the expected number, exploration resumes."""
        kind = self.turns[(answered - self.first_samples(task) + 1) % len(self.turns)]
        finishing = 0 < task.comparisons - answered <= FINISH * task.samples
        return "exploit" if finishing and kind == "global" and "exploit" in self.turns else kind

    def first_samples(self, task: Task) -> int:
        """Return N_init: how many samples the opening has."""
        return opening_size(self.initial_samples, task, 4)

    # What was learned ------------------------------------------------------------------------------------------------

    def advance(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> State | None:
        """Return the hyperparameters and the chains after one more answer."""
        if not len(history):
            return None
        fit = self._fitted(state, history, task)
        noise = self._noise(fit, history)
        before = None if state is None else state.utilities
        utilities = self._sampled(before, history, fit, noise, task, rng)
        return State(fit, noise, utilities, self._paper(state, history, task))

    def _paper(self, state: State | None, history: History, task: Task) -> glisp.State | None:
        """Return the state of the paper's method, calibrated now and then."""
        if self.linear or "explore" not in self.turns:
            return None
        if state is None or len(history) % CALIBRATION_INTERVAL == 0:
            return Glisp().recalibrated(history.last(CALIBRATION_WINDOW), task)
        return state.paper

    def learned(self, history: History, task: Task, rng: np.random.Generator) -> LearnedUtility:
        """Return the posterior of all answers for reports on a study, sampled from scratch and with more care than for a question.

        Scales of largest evidence sound too sure. They are moved half of the way back to the prior mean, and all of the way if the
        person corrected an answer: the evidence does not model slips and takes them for a rough utility. Measured, see "What else
        it tells" in docs/method.md.
        """
        fit = self._fitted(None, history, task)
        corrected = slips.has_corrections(history)
        if not self.linear:
            expected = evidence.prior(len(task.groups))[0]
            fit = replace(fit, theta=expected if corrected else (fit.theta + expected) / 2)
        rate = slips.REPORTED_SLIPS_IF_CORRECTED if corrected else slips.REPORTED_SLIPS
        utilities = self._sampled(None, history, fit, self._noise(fit, history), task, rng, REPORT_SWEEPS, rate)
        return LearnedUtility(history.points, utilities)

    def _noise(self, fit: Fit, history: History) -> float:
        """Return ν: the fitted or given value, or more for a person who wavers."""
        return max(fit.noise, slips.WAVERING_NOISE) if self.noise is None and slips.wavers(history) else fit.noise

    def _fitted(self, state: State | None, history: History, task: Task) -> Fit:
        """Return θ, τ and ν; those that are due are fitted by their evidence.

        A person who hardly ever calls candidates the same has hardly any noise, but may slip.
        """
        ties = history.preferences == 0
        informative = self.linear or bool(ties.any())  # about τ and ν: without ties the evidence cannot tell them
        due = state is None or len(history) - state.fit.answered >= max(REFIT_AFTER, len(history) // 6)
        if state is not None and not (informative and due):
            return state.fit
        tie = Fit.tie if self.tie is None else self.tie
        noise = Fit.noise if self.noise is None else self.noise
        theta = self._theta(history, tie, task) if state is None else state.fit.theta
        if informative:
            # Ties within the opening do not count: two of its samples may be equally bad.
            beyond = ties[self.first_samples(task) - 1 :].sum()
            given = None if self.noise is None and (self.linear or beyond >= TIES_FOR_NOISE) else noise
            tie, found = evidence.discernment(
                self._kernel(theta, task), history, self.tie if ties.any() else tie, given
            )
            # The least value of the grid stands for "no noise": Laplace's approximation cannot resolve less.
            noise = found if self.noise is not None or found > evidence.NOISES[0] else noise
        return Fit(theta, len(history), tie, noise)

    def _theta(self, history: History, tie: float, task: Task) -> Vector:
        """Return θ of largest evidence; the linear kernel has no θ."""
        if self.linear:
            return np.empty(0)
        return evidence.fit_scales(*evidence.recent(history, task.groups, tie), FIT_ITERATIONS)

    def _kernel(self, theta: Vector, task: Task) -> AnyKernel:
        return Linear(theta, task.groups) if self.linear else Kernel(theta, task.groups)

    def _sampled(
        self,
        before: Utilities | None,
        history: History,
        fit: Fit,
        noise: float,
        task: Task,
        rng: np.random.Generator,
        cold: tuple[int, ...] = COLD_SWEEPS,
        slip_rate: float = slips.PRIOR_SLIPS,
    ) -> Utilities:
        """Return the chains after the last answer.

        Parameters
        ----------
        before: the chains to continue, None to start from scratch.
        history, task: the answers, and what they are about.
        fit, noise: the hyperparameters θ and τ, and ν.
        rng: of the sweeps.
        cold: sweeps per round from scratch.
        slip_rate: prior number of slips in `slips.PRIOR_ANSWERS` answers, for a person who is not trusted yet.
        """
        kernel, literal = self._kernel(fit.theta, task), Statements.of(history, fit.tie)
        trusted = self.noise is not None or self.linear or slips.trusted(history)
        if before is not None and trusted != (before.statements.doubt is None):
            before = None  # with slips, repeated answers are merged: the old chains have other coordinates
        for sweeps in cold if before is None else WARM_SWEEPS:
            statements = literal if trusted else literal.with_slips(slips.share_of_slips(before, slip_rate))
            before = sample_posterior(kernel, history.points, statements, noise, before, sweeps, rng)
            if before.disagreement.max() < DISAGREEMENT:
                break
        assert before is not None  # every tuple of sweeps has a first round
        return before

    def winner(self, history: History) -> None:
        """Always None: the winner depends on the estimated noise."""

    def recommend(self, state: State | None, history: History, task: Task) -> int | None:
        """Return the sample of best posterior mean; without noise, among those that lost no comparison (slips aside)."""
        del task
        seen = history.compared
        if state is None or not seen.size:
            return answers.incumbent(history)
        if state.noise <= Fit.noise:
            # A consistent person's winner should not lose to a sample that the model merely expects to be better.
            unbeaten = slips.unbeaten(state.utilities, seen)
            seen = unbeaten if unbeaten.size else seen
        return int(ranking(state.utilities, seen)[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return {"name": "posterior"} | asdict(self)

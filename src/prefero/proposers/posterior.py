"""The default proposer: expected improvement under the exact posterior of the answers.

After each answer the state advances: now and then the hyperparameters are fitted (length scales and the weight of the
additive part when everything begins anew, the tie threshold more often), and the chains that draw from the posterior go on, and
tell how many answers are slips. The first samples meet in a tournament. A later question repeats an answer that is in doubt, or
sets the incumbent against a candidate that was found

- by expected improvement ("global"), until few of the expected answers are left,
- at the maximum of the posterior mean, with some hope added ("exploit"),
- or by the paper's own method ("explore"), whose exploration does not trust the posterior.

A person who cannot tell good candidates apart is asked about whichever pair tells most instead, and last about the maximum of the
posterior mean.
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

COLD, WARM, SAID = (20, 20, 20), (4, 11), (40, 40, 40)
"""Gibbs sweeps, from nothing, from the state before, and for what is said of a study, in rounds. There is another round, which
knows better how many answers are slips, while the chains disagree about one: few of them cross over at a time."""
DIVIDED = 0.1
"""Chains disagree about an answer where this many of them believe it, and as many its opposite."""
FIT = 15
"""Iterations of the evidence's maximisation; scales are fitted when everything begins anew: fewer answers mislead."""
ALIKE = 2
"""Noise is looked for where so many pairs are called the same: those of one pair may just be equally good."""
TIES_AGAIN = 3
"""The tie threshold and the noise are chosen again after so many more answers, or a sixth of all of them."""
REBUILD = 40
"""Chains remember where they were, so everything begins anew after so many answers: a study resumes in fewer steps than that."""
CALIBRATION, CALIBRATED = 16, 120
"""ε of the paper's method is calibrated after every so many answers, on the last so many."""
FINISH = 0.2
"""In the last so many of the expected answers nobody looks far any more: what is found then cannot be improved in time."""
NOISY = 0.02
"""From this ν on a person is asked about the pairs that tell most."""
SHOWN = 2
"""So many of the last questions show such a person what is likely to be recommended, which has to be seen for that."""
AGAIN = "to be sure: a pair that was asked about before"
EFFORT = search.Effort(spread=192, near=192, jumps=128, kept=4, rounds=10)
NEARBY = replace(EFFORT, spread=48, near=112, jumps=64)
"""The exploiting turn looks around the incumbent, and needs fewer candidates for that."""


@dataclass(frozen=True)
class Fit:
    """What is fitted now and then: θ, τ and ν, after so many answers."""

    theta: Vector
    answered: int
    tie: float = evidence.TIES[1]
    noise: float = slips.CONSISTENT


@dataclass(frozen=True)
class State:
    """What is kept between questions."""

    fit: Fit
    noise: float  # ν: the fitted one, or more of a person who wavers
    utilities: Utilities
    paper: glisp.State | None  # of the paper's method, where it has a turn


@dataclass(frozen=True)
class Posterior:
    """Expected improvement under the exact posterior of the answers.

    initial_samples: samples of the first phase; by default a quarter of those expected.
    tournament: whether they meet in matches of two that have won as often; otherwise each meets the best so far.
    turns: whose turn it is, over and over: "global", "exploit" or "explore"; in the last fifth of the expected answers "exploit"
        takes the place of "global".
    hope: κ, how many standard deviations are added to the mean on the exploiting turn: without any it moves in too small steps.
    exploration: δ of the paper's method when it is its turn.
    noise: ν, the standard deviation of the person's noise relative to that of the utility. By default hardly any, or some
        for a person who calls candidates the same or wavers, and every answer may be a slip besides; a given ν stands alone.
    tie: τ, the difference below which candidates seem the same; by default learned.
    linear: whether liking is a weighted sum of the variables, which is for outcomes (`Outcomes`) rather than candidates. Few
        answers then tell much: noise is always learned, all errors are noise, and every question is about the pair that tells most.
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
        """The state is built from nothing after so many answers."""
        return REBUILD

    # The next question -----------------------------------------------------------------------------------------------

    def propose(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """The incumbent against what promises most."""
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
        """The first samples; where a step may only be so large there are no matches, since the incumbent is near to each."""
        opening = task.opening(self.first_samples(task))
        match = knockout_pair(opening, history) if self.tournament and task.reach is None else None
        return opening_pair(opening, history, best) if match is None else match

    def _again(self, state: State, history: History, task: Task) -> tuple[int, int] | None:
        """The pair to ask about once more, if there is one that may be shown."""
        last = history.comparisons[-1]
        unsettled = [(last.i, last.j)] if slips.unsettled(history) else []
        doubtful = chain(unsettled, slips.suspicious(history, state.utilities))
        return next((pair for pair in doubtful if may_be_shown(pair, history, task)), None)

    def _telling(
        self, state: State, history: History, x_best: Vector, task: Task, rng: np.random.Generator
    ) -> tuple[Vector, Vector] | None:
        """For a noisy person, the pair that tells most; None for others, and where the recommendation is still to be seen."""
        if not self._asks_what_tells(state) or 0 < task.comparisons - len(history) <= SHOWN:
            return None
        seen = history.points[history.compared] if self.linear else None  # of which each tells as much as a new one
        return telling_pair(state.utilities, state.noise, x_best, task.space, taken(history), rng, seen)

    def _asks_what_tells(self, state: State) -> bool:
        """Whether questions are about the pairs that tell most."""
        return self.linear or state.noise >= NOISY

    def _challenger(
        self, state: State, history: History, best: int, task: Task, rng: np.random.Generator
    ) -> Vector | None:
        x_best = history.points[best]
        kind, hope = self._kind(len(history), task), self.hope
        if self._asks_what_tells(state):
            kind, hope = "exploit", 0.0
        if kind == "explore":
            assert state.paper is not None  # since it has a turn
            paper = Glisp(exploration=self.exploration)
            return paper.challenger(paper.surrogate(state.paper, history, best, task), history, best, task, rng)
        posterior, scales = state.utilities, state.utilities.kernel.coordinate_scales
        promise: HopefulMean | ExpectedImprovement = (
            HopefulMean(posterior, best, hope) if kind == "exploit" else ExpectedImprovement(posterior, best)
        )
        effort = NEARBY if kind == "exploit" else EFFORT
        return search.minimise(promise, task.space, rng, taken(history), x_best, effort=effort, scales=scales)

    def _kind(self, answered: int, task: Task) -> Kind:
        """Whose turn it is after so many answers; who answers on when all expected ones are there is shown new ones again."""
        kind = self.turns[(answered - self.first_samples(task) + 1) % len(self.turns)]
        finishing = 0 < task.comparisons - answered <= FINISH * task.samples
        return "exploit" if finishing and kind == "global" and "exploit" in self.turns else kind

    def first_samples(self, task: Task) -> int:
        """Return N_init: how many samples the opening has."""
        return opening_size(self.initial_samples, task, 4)

    # What was learned ------------------------------------------------------------------------------------------------

    def advance(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> State | None:
        """The hyperparameters and the chains after one more answer."""
        if not len(history):
            return None
        fit = self._fitted(state, history, task)
        noise = self._noise(fit, history)
        before = None if state is None else state.utilities
        utilities = self._sampled(before, history, fit, noise, task, rng)
        return State(fit, noise, utilities, self._paper(state, history, task))

    def _paper(self, state: State | None, history: History, task: Task) -> glisp.State | None:
        """The state of the paper's method, calibrated now and then."""
        if self.linear or "explore" not in self.turns:
            return None
        if state is None or len(history) % CALIBRATION == 0:
            return Glisp().recalibrated(history.last(CALIBRATED), task)
        return state.paper

    def learned(self, history: History, task: Task, rng: np.random.Generator) -> LearnedUtility:
        """What to say of a study: the posterior of all its answers from nothing, more careful than to ask for the next one.

        Scales of largest evidence make it sound too sure, so they are moved back half of the way to those expected, and all
        of it where the person takes answers back: the evidence knows no slips, and takes them for a rough taste.
        """
        fit = self._fitted(None, history, task)
        erring = slips.errs(history)
        if not self.linear:
            expected = evidence.prior(len(task.groups))[0]
            fit = replace(fit, theta=expected if erring else (fit.theta + expected) / 2)
        rate = slips.OF_ERRING if erring else slips.SAID
        utilities = self._sampled(None, history, fit, self._noise(fit, history), task, rng, SAID, rate)
        return LearnedUtility(history.points, utilities)

    def _noise(self, fit: Fit, history: History) -> float:
        """ν: the fitted or given one, or more of a person who wavers."""
        return max(fit.noise, slips.WAVERING) if self.noise is None and slips.wavers(history) else fit.noise

    def _fitted(self, state: State | None, history: History, task: Task) -> Fit:
        """θ, τ and ν by their evidence; who hardly calls good candidates the same has hardly any noise, but may slip."""
        ties = history.preferences == 0
        shows = self.linear or bool(ties.any())  # in the answers, how well candidates are told apart
        due = state is None or len(history) - state.fit.answered >= max(TIES_AGAIN, len(history) // 6)
        if state is not None and not (shows and due):
            return state.fit
        tie = Fit.tie if self.tie is None else self.tie
        noise = Fit.noise if self.noise is None else self.noise
        theta = self._theta(history, tie, task) if state is None else state.fit.theta
        if shows:
            # two of the first samples may be the same and equally bad
            beyond = ties[self.first_samples(task) - 1 :].sum()
            given = None if self.noise is None and (self.linear or beyond >= ALIKE) else noise
            tie, seen = evidence.discernment(self._kernel(theta, task), history, self.tie if ties.any() else tie, given)
            noise = seen if self.noise is not None or seen > evidence.NOISES[0] else noise
        return Fit(theta, len(history), tie, noise)

    def _theta(self, history: History, tie: float, task: Task) -> Vector:
        """θ of largest evidence; a weighted sum has none."""
        if self.linear:
            return np.empty(0)
        return evidence.fit_scales(*evidence.recent(history, task.groups, tie), FIT)

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
        cold: tuple[int, ...] = COLD,
        slip_rate: float = slips.SLIPS,
    ) -> Utilities:
        """The chains after the last answer; a person who is not believed yet may have meant the opposite."""
        kernel, said = self._kernel(fit.theta, task), Statements.of(history, fit.tie)
        believed = self.noise is not None or self.linear or slips.trusted(history)
        if before is not None and believed != (before.statements.doubt is None):
            before = None  # the chains were about other statements
        for sweeps in cold if before is None else WARM:
            statements = said if believed else said.doubted(slips.share_of_slips(before, slip_rate))
            before = sample_posterior(kernel, history.points, statements, noise, before, sweeps, rng)
            if before.disagreement.max() < DIVIDED:
                break
        assert before is not None  # there is a round
        return before

    def winner(self, history: History) -> None:
        """Nobody, without asking how consistent the person is."""

    def recommend(self, state: State | None, history: History, task: Task) -> int | None:
        """The sample of best posterior mean; where answers are no noise among those that none puts below another, slips apart."""
        del task
        seen = history.compared
        if state is None or not seen.size:
            return answers.incumbent(history)
        if state.noise <= Fit.noise:
            unbeaten = slips.unbeaten(state.utilities, seen)
            seen = unbeaten if unbeaten.size else seen
        return int(ranking(state.utilities, seen)[0])

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {"name": "posterior"} | asdict(self)

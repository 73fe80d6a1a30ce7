"""The default proposer: the largest mean plus some standard deviations, under the posterior of the answers.

The opening is a knockout tournament. Afterwards each question compares the incumbent, the sample of best posterior mean, with
the candidate of largest m + βσ, where m and σ are mean and standard deviation of its lead over the incumbent. β falls from 2 to 0
over the expected answers: hope first, precision last. Whoever beats the incumbent must do so again, until a few such answers were
confirmed and none was taken back. docs/method.md says what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from typing import Any

import numpy as np

from prefero import answers
from prefero.answers import History
from prefero.errors import InputError, check_whole, number
from prefero.models import laplace, panel
from prefero.models.expectation import propagate
from prefero.models.person import OTHERS, Grid, Person, PriorOf, averaged, believed, chosen
from prefero.models.population import Population, Settings
from prefero.models.posterior import HopefulMean, Utilities, ranking
from prefero.models.prior import prior
from prefero.models.utility import LearnedPanel, LearnedUtility
from prefero.proposers import search
from prefero.proposers.avoidance import avoiding, likely
from prefero.proposers.exclusions import may_be_shown, taken
from prefero.proposers.fallback import rematch, start_over
from prefero.proposers.opening import knockout_pair, missing_opening, opening_pair, opening_size
from prefero.proposers.protocol import Proposal, Task
from prefero.space.arrays import Matrix

UNSURE = 0.3
"""ω if the owner lets answers that people were not sure of count less, and gives no other value."""
AGAIN = "to be sure: a pair that was asked about before"
"""The note of a question that was asked before."""


@dataclass(frozen=True)
class Policy:
    """Every constant of the default proposer. docs/method.md says what each pays, and which other values were tried.

    opening: one in so many of the expected samples belongs to the opening.
    hope: β at the first question; it falls to 0 at the last one.
    beyond: β after the expected number of answers.
    confirmations: trust a person after so many confirmed answers, if none was taken back; with 0, from the beginning.
    noises: values of ν to choose from. The first is a consistent person's: more would cost precision.
    ties: values of τ to choose from.
    muches: values of τ₂ − τ to choose from, by how much more than τ "much better" is.
    spacings: values of s, how far two levels of the scale of ratings are apart, to choose from.
    linears: values of λ, the share of the linear part, to choose from.
    doubt: if the largest λ is chosen, one in so many questions supposes the smallest one; with 0, none does. A best candidate just
        inside a corner is not found otherwise: all answers around the corner agree with a linear taste.
    scale: log of the length scales, relative to √n, in the box [−1, 1].
    additive: weight of the additive part of the smooth utility.
    refit: choose ν, τ and λ again when the answers have grown by this factor.
    rebuild: build the state from scratch after so many answers; in between, the posterior continues from the one before.
    spread, near, jumps, kept, rounds: the effort of the search for the challenger, see `search.Effort`.
    common: one in so many questions to a judge of several is about their mean utility, the others about the judge's own.
    panel_scales: values of `scale` to choose from with several judges. Answers do not tell how much better the better one is, and
        the mean of several tastes depends on that: the smoothest explanation is taken if the answers allow it.
    coin: a further ν that reports consider: of a person who might as well toss a coin.
    said_noise, said_linears, said_odds: ν and values of λ to predict answers with, and the log of the odds of the last one.
    trust: how much earlier studies must count on average, of 1, to open with what they recommend.
    """

    opening: int = 4
    hope: float = 2.0
    beyond: float = 1.0
    confirmations: int = 3
    noises: tuple[float, ...] = (1e-3, 0.03, 0.1, 0.3)
    ties: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3)
    muches: tuple[float, ...] = (0.1, 0.3, 0.6, 1.0)
    spacings: tuple[float, ...] = (0.3, 0.6, 1.0)
    linears: tuple[float, ...] = (0.15, 0.95)
    doubt: int = 4
    scale: float = -1.0
    additive: float = 0.5
    refit: float = 1.15
    rebuild: int = 40
    spread: int = 192
    near: int = 192
    jumps: int = 128
    kept: int = 4
    rounds: int = 10
    common: int = 3
    panel_scales: tuple[float, ...] = (-1.0, 0.7)
    coin: float = 3.0
    said_noise: float = 0.1
    said_linears: tuple[float, ...] = (0.15, 1.0)
    said_odds: float = 2.0
    trust: float = 0.25

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(each.default, tuple):
                if not isinstance(value, tuple) or not value:
                    raise InputError.of(each.name, value, "a list of at least one number")
                most = 1.0 if "linears" in each.name else np.inf
                least = -np.inf if "scales" in each.name else 0.0
                if not all(least <= number(each.name, one) <= most for one in value):
                    raise InputError.of(each.name, value, f"numbers from {least:g} to {most:g}")
            elif isinstance(each.default, int):
                check_whole(
                    each.name,
                    value,
                    least=0 if each.name in ("confirmations", "doubt", "spread", "near", "jumps") else 1,
                )
            elif not np.isfinite(number(each.name, value)):
                raise InputError.of(each.name, value, "a finite number")
        if not 0 < self.additive < 1:
            raise InputError.of("additive", self.additive, "a number between 0 and 1")
        if len(self.said_linears) != 2:
            raise InputError.of("said_linears", self.said_linears, "two numbers from 0 to 1")


@dataclass(frozen=True)
class State:
    """What the proposer keeps between questions.

    utilities: of the person; with several judges, the mean of theirs. judges: what is known of each, None if there is only one.
    """

    person: Person
    utilities: Utilities
    judges: panel.PanelUtilities | None = None


@dataclass(frozen=True)
class Posterior:
    """The largest mean plus some standard deviations under the posterior of the answers.

    Some questions check an answer, and their note says so; the others show something new. A small finite space therefore takes a
    few more questions than it has candidates until all of them were shown.

    initial_samples: samples of the opening; by default a quarter of those expected.
    tournament: whether the opening is a knockout tournament; otherwise each sample meets the best so far.
    noise: ν, the standard deviation of the person's noise relative to that of the utility. By default it is estimated, and some
        answers are checked; if it is given, none is.
    tie: τ, the difference below which candidates seem the same; by default estimated.
    linear: whether the utility is a weighted sum of the variables, which suits outcomes (`Outcomes`) better than candidates. By
        default its share is estimated.
    much: τ₂ − τ, how much larger than τ the difference to a "much better" candidate is; by default estimated. With 0,
        "much better" counts as "better".
    weights: how much each judge counts in the mean utility of several, by name; by default, and for who is not named, 1.
    half_life: let old answers count less: after so many answers, the correlation of the taste then and now is one half. By
        default a taste does not change. It applies to studies of one judge.
    unsure: ω, the additional noise of answers that the person was not sure of, as `noise`. By default, and with 0, they count as
        the others do.
    slow: an answer counts as unsure, too, if it took more than so many times the median time of the same judge's earlier
        answers, at least 5 of them to questions of this kind. By default the time does not matter. It needs `unsure`.
    policy: the constants of the method.
    """

    initial_samples: int | None = None
    tournament: bool = True
    noise: float | None = None
    tie: float | None = None
    linear: bool = False
    much: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    policy: Policy = field(default_factory=Policy)
    half_life: float | None = None
    unsure: float = 0.0
    slow: float | None = None

    def __post_init__(self) -> None:
        check_whole("initial_samples", self.initial_samples, least=2)
        for name in ("tournament", "linear"):
            if not isinstance(getattr(self, name), bool):
                raise InputError.of(name, getattr(self, name), "True or False")
        for name in ("noise", "tie", "much", "unsure"):
            value = getattr(self, name)
            if value is not None and not 0 <= number(name, value) < np.inf:
                raise InputError.of(name, value, "a number from 0 up")
        if self.tie == 0:
            raise InputError.of("tie", self.tie, "a number above 0: with 0 nothing can be called the same")
        if self.half_life is not None and not 0 < number("half_life", self.half_life) < np.inf:
            raise InputError.of("half_life", self.half_life, "a number of answers above 0, or None")
        _check_slow(self.slow, self.unsure)
        object.__setattr__(self, "weights", _checked_weights(self.weights))
        if isinstance(self.policy, Mapping):
            object.__setattr__(self, "policy", _policy(self.policy))
        if not isinstance(self.policy, Policy):
            raise InputError.of("policy", self.policy, "a Policy")

    @property
    def rebuild(self) -> int:
        """After how many answers the state is rebuilt from scratch."""
        return self.policy.rebuild

    # The next question -----------------------------------------------------------------------------------------------

    def propose(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> Proposal:
        """Return the next question."""
        policy, best = self.policy, self.recommend(state, history, task)

        # The opening: a tournament. A maximal step size rules it out: every candidate has to be near the incumbent.
        opening = likely(self._opening(task, history), history, task)
        match = knockout_pair(opening, history) if self.tournament and task.reach is None else None
        first = opening_pair(opening, history, best) if match is None else match
        if first is not None:
            return first
        if best is None or state is None:
            return start_over(history, task, rng)

        # A new sample that has just beaten the incumbent must do so again.
        pair = self._to_confirm(_by_judge(state, history, task), best, task)
        if pair is not None and may_be_shown(pair, history, task):
            return Proposal(history.points[pair[0]], history.points[pair[1]], AGAIN)

        # The challenger: the largest m + βσ
        utilities, own = self._view(state, history, task)
        best = int(ranking(utilities, history.compared)[0]) if own else best
        if (
            history.together
        ):  # the next candidate should tell something else than the others of its question, and be as good
            utilities = _as_foreseen(utilities, history)
        x_best = history.points[best]
        left = task.comparisons - history.answered - history.waiting - 1
        hope = policy.hope * left / task.comparisons if left >= 0 else policy.beyond
        effort = search.Effort(policy.spread, policy.near, jumps=policy.jumps, kept=policy.kept, rounds=policy.rounds)
        acquisition = avoiding(HopefulMean(utilities, best, hope), history, task)
        scales = utilities.prior.coordinate_scales
        x = search.minimise(acquisition, task.space, rng, taken(history), x_best, effort=effort, scales=scales)
        if x is None:
            return rematch(history, best, -utilities.sample_means, task.judge)
        return Proposal(x_best, x)

    def _supposed(self, state: State, history: History, task: Task) -> Utilities:
        """Return the posterior to ask with, as if the incumbent had won every pair that waits: questions asked together differ."""
        prior_of = self._prior_of(task, history.prefix(state.person.answered))
        linears = self._grid().linear
        if self._doubts(history) and state.person.linear == linears[-1] != linears[0]:
            return believed(history.supposed(), prior_of, replace(state.person, linear=linears[0]))
        if len(history.pending) == history.together:
            return state.utilities
        return believed(history.supposed(), prior_of, state.person, state.utilities)

    def _doubts(self, history: History) -> bool:
        """Return whether the next question doubts that the taste is linear."""
        asked, doubt = history.answered + len(history.pending), self.policy.doubt
        return doubt > 0 and asked % doubt == 0

    def _to_confirm(self, history: History, best: int, task: Task) -> tuple[int, int] | None:
        """Return the last pair if it has to be asked again, the incumbent first; None if not."""
        if self.noise is not None or not self.policy.confirmations:
            return None
        points = task.space.points()
        if points is not None:  # of a small finite space, everything is shown once, and nothing more than needed
            unseen = len(points) - len(history.points)
            if unseen <= 0 or task.comparisons - history.answered <= unseen < task.samples:
                return None
        if not len(history):
            return None
        confirmed, taken_back = repeated(history)
        last = history.comparisons[-1]
        pair = (last.i, last.j) if last.j != best else (last.j, last.i)
        same = [k for k, c in enumerate(history.comparisons) if {c.i, c.j} == {last.i, last.j}]
        if len(same) == 2 and len(set(history.winners[same].tolist())) == 2:
            return pair  # two opposite answers: a third one decides
        if len(same) != 1 or last.preference == 0 or (confirmed >= self.policy.confirmations and not taken_back):
            return None
        newcomer = best == int(history.winners[-1]) and int((history.pairs == best).sum()) == 1
        return pair if newcomer else None

    def _opening(self, task: Task, history: History) -> Matrix:
        """Return the first samples: the user's own and a design; or what other people like, and one of the design."""
        usual = missing_opening(task, self.first_samples(task), history)
        if task.others is None or task.reach is not None or self.linear or self.initial_samples is not None:
            return usual
        Z = task.space.snap(task.others.shown)
        Z = np.unique(Z[task.space.feasible(Z) & (np.abs(Z).max(axis=1) <= 1)], axis=0)
        population = self.population(task)
        if len(Z) < 2 or (len(history) and population.counts(history).mean() < self.policy.trust):
            return usual  # the answers say that the sources mislead
        # Against a candidate of the design, since the answer then also tells whether the sources can be trusted.
        promising, designed = population.promising(Z, self.policy.hope), usual[len(task.start) :][:1]
        return np.vstack([task.start, promising[: 2 - len(designed)], designed])

    def first_samples(self, task: Task) -> int:
        """Return N_init: how many samples the opening has."""
        return opening_size(self.initial_samples, task, self.policy.opening)

    # What was learned ------------------------------------------------------------------------------------------------

    def advance(self, state: State | None, history: History, task: Task, rng: np.random.Generator) -> State | None:
        """Return what is known of the person, and the posterior, after one more answer."""
        del rng
        if not history.spoken:
            return None
        if len(history.judges) > 1:
            return self._advance_panel(state, history, task)
        grid = self._grid(task)
        person = self._person(grid, grid.noise[0]) if state is None else state.person
        size = len(history) + len(history.ratings)
        if state is None or size >= self.policy.refit * (person.answered + person.rated):
            person = chosen(history, self._prior_of(task, history), grid, person)
        before = None if state is None else state.utilities
        # Between two choices the sources count as they did at the last one.
        prior_of = self._prior_of(task, history.prefix(person.answered))
        return State(person, believed(history, prior_of, person, before))

    def _advance_panel(self, state: State | None, history: History, task: Task) -> State:
        """Return what is known of several judges, and the posterior of their mean utility."""
        prior_of, grid = self._panel_prior_of(task), self._grid()
        person = self._usual(grid) if state is None else state.person
        before = None if state is None else state.judges
        known = self._first_panel(history, person) if before is None else before.panel
        known = known.extended(history.judges, person.noise)
        if len(history) + len(history.ratings) >= self.policy.refit * (known.answered + known.rated):
            known = panel.chosen(history, prior_of, grid, self.policy.panel_scales, known)
        judges = panel.believed(history, prior_of, known, before)
        return State(person, judges.mean(known.weights(self._weights(known.names))), judges)

    def _first_panel(self, history: History, person: Person) -> panel.Panel:
        return panel.first_panel(history, person, self.policy.coin, self.policy.panel_scales[-1])

    def _usual(self, grid: Grid) -> Person:
        """Return a person of usual noise, to begin with."""
        return self._person(grid, grid.noise[0] if len(grid.noise) == 1 else self.policy.said_noise)

    def _person(self, grid: Grid, noise: float) -> Person:
        tie, much = grid.tie[len(grid.tie) // 3], grid.much[len(grid.much) // 3]
        spacing = grid.spacing[len(grid.spacing) // 2]
        return Person(noise, tie, grid.linear[0], 0, self.half_life, much, self.unsure, spacing)

    def _weights(self, names: tuple[str, ...]) -> list[float]:
        return [self.weights.get(name, 1.0) for name in names]

    def _view(self, state: State, history: History, task: Task) -> tuple[Utilities, bool]:
        """Return the utilities that the next question is about, and whether they are those of one judge of several.

        Most questions are about the taste of who is asked: a compromise needs to know what each wants.
        """
        judges = state.judges
        if judges is None:
            return self._supposed(state, history, task), False
        if task.judge not in judges.panel.names:
            return state.utilities, False
        known = judges.panel
        if known.found_out[known.names.index(task.judge)]:
            return state.utilities, False
        given = sum(c.judge == task.judge and not c.part for c in history.comparisons)
        return (judges.of(task.judge), True) if given % self.policy.common else (state.utilities, False)

    def learned(self, history: History, task: Task, rng: np.random.Generator) -> LearnedUtility:
        """Return the posterior of all answers for reports on a study, averaged over ν and λ.

        Expectation propagation tells truly what a person likes who is as the prior says. It is too sure of what real people will
        say next: Laplace's approximation, with better odds for a linear taste, predicts that best.
        """
        del rng
        policy, prior_of, grid = self.policy, self._prior_of(task, history), self._grid(task)
        usual = self._person(grid, policy.said_noise)
        known = chosen(history, prior_of, replace(grid, noise=(usual.noise,), linear=(usual.linear,)), usual)
        tie, much, more = known.tie, known.much, (self.half_life, known.much, self.unsure, known.spacing)
        reported = replace(grid, noise=(*grid.noise, policy.coin) if self.noise is None else grid.noise)
        said = Grid((policy.said_noise,), (tie,), policy.said_linears, (0.0, policy.said_odds))
        if self.noise is not None:
            said = replace(said, noise=(max(self.noise, policy.noises[0]),))
        if self.linear:
            said = replace(said, linear=grid.linear, odds=())
        if len(history.judges) > 1:  # judges are a population of their own: earlier studies play no part
            return self._learned_panel(history, task, replace(self._grid(), tie=(tie,), much=(much,)), said)
        if task.others is not None and not self.linear:
            said = replace(said, linear=(OTHERS,), odds=())
        return LearnedUtility(
            history.points,
            averaged(history, prior_of, reported, tie, propagate, *more),
            averaged(history, prior_of, said, tie, laplace.sites, *more),
        )

    def _learned_panel(self, history: History, task: Task, grid: Grid, said: Grid) -> LearnedUtility:
        """Return the same for several judges: the mean of their utilities, with those of each."""
        prior_of, start = self._panel_prior_of(task), self._first_panel(history, self._usual(grid))
        known = panel.chosen(history, prior_of, grid, self.policy.panel_scales, start)
        answering = replace(known, noises=tuple(max(said.noise[0], noise) for noise in known.noises))
        return LearnedPanel(
            known,
            known.weights(self._weights(known.names)),
            panel.averaged(history, prior_of, grid, known),
            panel.averaged(history, prior_of, said, answering, laplace.sites),
        ).utility()

    def _grid(self, task: Task | None = None) -> Grid:
        """Return the values of ν, τ and λ to choose from; the one that is given, if one is."""
        policy = self.policy
        linears = policy.linears if task is None or task.others is None else (*policy.linears, OTHERS)
        return Grid(
            policy.noises if self.noise is None else (self.noise,),
            policy.ties if self.tie is None else (self.tie,),
            (1.0,) if self.linear else linears,
            much=policy.muches if self.much is None else (self.much,),
            spacing=policy.spacings,
        )

    def _prior_of(self, task: Task, history: History) -> PriorOf:
        """Return the function from λ, or from `OTHERS`, to the prior of a person with these answers."""
        others = cache(lambda: self.population(task).prior(history))
        return lambda linear: (
            others() if linear == OTHERS else prior(task.groups, linear, self.policy.scale, self.policy.additive)
        )

    def population(self, task: Task) -> Population:
        """Return the people that the sources of a task come from."""
        policy = self.policy
        settings = Settings(policy.scale, policy.additive, policy.linears, policy.said_noise)
        assert task.others is not None
        return task.others.population(task.groups, settings)

    def _panel_prior_of(self, task: Task) -> panel.PriorOf:
        """Return the function from λ and the log of the length scales to the prior."""
        return lambda linear, scale: prior(task.groups, linear, scale, self.policy.additive)

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
        """Return the settings as plain data; of the policy, what is not the default."""
        data, usual = asdict(self), asdict(Policy())
        data["policy"] = {name: value for name, value in data["policy"].items() if value != usual[name]}
        for name in ("half_life", "unsure", "slow"):  # so that studies without them read as they always did
            if not data[name]:
                del data[name]
        return {"name": "posterior"} | data


def _check_slow(slow: float | None, unsure: float) -> None:
    """Raise an InputError unless `slow` is None, or a factor that makes a difference."""
    if slow is None:
        return
    if not 1 <= number("slow", slow) < np.inf:
        raise InputError.of("slow", slow, "a number from 1 up, or None")
    if not unsure:
        raise InputError.of("slow", slow, "None, unless unsure is above 0: slow answers count as unsure ones")


def _checked_weights(given: object) -> dict[str, float]:
    """Return the weights of judges; InputError if one is not a finite number from 0 up, or all are 0."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InputError.of("weights", given, "a mapping from the names of judges to numbers from 0 up")
    for name, weight in given.items():
        if isinstance(weight, bool) or not 0 <= number(f"weights[{name!r}]", weight) < np.inf:
            raise InputError.of(f"weights[{name!r}]", weight, "a finite number from 0 up")
    return {name: float(weight) for name, weight in given.items()}


def _as_foreseen(utilities: Utilities, history: History) -> Utilities:
    """Return the posterior as if the pairs of the question that is being made were answered as expected."""
    ends = 2 * len(history.leanings)
    known = len(utilities.X) - ends  # the ends of leanings lie behind the known samples, and new ones behind the ends
    X = np.vstack([utilities.X, history.points[known:]]) if ends else history.points
    asked = history.pending[-history.together :]
    place = [k if k < known else k + ends for k in range(len(history.points))]
    return utilities.as_foreseen(X, [(place[i], place[j]) for i, j in asked])


def _by_judge(state: State, history: History, task: Task) -> History:
    """Return the answers that the next one may have to confirm: of several judges, those of who is asked."""
    return history if state.judges is None or task.judge is None else history.of_judge(task.judge)


def _policy(given: Mapping[str, Any]) -> Policy:
    """Return a policy from some of its constants."""
    known = {each.name for each in fields(Policy)}
    if set(given) - known:
        raise InputError.of("policy", sorted(set(given) - known), f"the constants {sorted(known)}")
    constants: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    return Policy(**constants)


def repeated(history: History) -> tuple[int, int]:
    """Return how many repeated questions always had the same answer, and how many did not."""
    said: dict[frozenset[int], list[int]] = {}
    for c, winner in zip(history.comparisons, history.winners.tolist(), strict=True):
        said.setdefault(frozenset((c.i, c.j)), []).append(winner if c.preference else -1)
    again = [winners for winners in said.values() if len(winners) > 1]
    confirmed = sum(len(set(winners)) == 1 for winners in again)
    return confirmed, len(again) - confirmed

"""What a study found: the recommendation, whether to stop, the progress, the ranking and the importance of variables.

All of it comes from the posterior of the answers, whichever proposer asked. A higher utility is better, and 1 is a typical
difference over the space. The results are empty before the first answer, and if no candidate seen is feasible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from prefero.answers import incumbent
from prefero.errors import InputError
from prefero.insight.tables import Column, Table, chance, count, share
from prefero.space import Candidate
from prefero.study import Study

RANKED = 10
"""How many candidates a ranking shows."""
NOTHING = "No answers yet."
NO_BEST = "None of the compared candidates satisfies the bounds and the constraints."
UTILITY, SPREAD = Column("utility", "utility"), Column("±", "utility")


# The recommendation --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The recommendation, the runner-up, and whether to stop.

    chance: the probability that the recommendation beats the runner-up. probability_best, expected_gain: as in `Advice`, None
    if there is no advice yet.
    """

    best: Candidate | None
    runner_up: Candidate | None
    chance: float | None
    stop: bool
    reason: str
    probability_best: float | None = None
    expected_gain: float | None = None

    @property
    def words(self) -> str:
        """How sure the recommendation is, in a sentence."""
        if self.chance is None:
            return self.reason
        return f"It beats the runner-up with a probability of {chance(self.chance)}."

    @property
    def table(self) -> Table:
        """The recommendation beside the runner-up."""
        shown = [candidate for candidate in (self.best, self.runner_up) if candidate is not None]
        columns = (Column("variable"), Column("recommended"), Column("runner-up"))[: 1 + len(shown)]
        names = dict.fromkeys(name for candidate in shown for name in candidate)
        return Table(columns, tuple((name, *(candidate.get(name) for candidate in shown)) for name in names))


def verdict(study: Study) -> Verdict:
    """Return the recommendation, and whether to stop."""
    best = study.best
    if best is None:
        return Verdict(None, None, None, False, NO_BEST if len(study.history) else NOTHING)
    others = [candidate for candidate in seen_candidates(study) if candidate != best]
    if not others:
        return Verdict(best, None, None, False, "It is the only candidate that can be recommended so far.")
    means, _ = study.learned.utilities(others)
    runner_up = others[int(means.argmax())]
    try:
        advice = study.learned.advice()
    except InputError as error:  # too few feasible candidates
        return Verdict(best, runner_up, study.learned.probability(best, runner_up), False, str(error))
    chance = study.learned.probability(best, runner_up)
    return Verdict(best, runner_up, chance, advice.stop, advice.reason, advice.probability_best, advice.expected_gain)


def seen_candidates(study: Study) -> list[Candidate]:
    """Return the candidates that may be recommended: those that were compared and are feasible."""
    return [study.candidates[k] for k in study.history.compared]


# Progress ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """The best candidate after a number of answers, with its utility as known today."""

    answers: int
    best: Candidate
    utility: float
    spread: float


@dataclass(frozen=True)
class Development:
    """The best candidate after each answer."""

    moments: tuple[Moment, ...]

    @property
    def words(self) -> str:
        """How often the best candidate changed, and when it last did, in a sentence."""
        if not self.moments:
            return NOTHING
        last = self.moments[-1]
        changes = [b.answers for a, b in pairwise(self.moments) if a.best != b.best]
        since = changes[-1] if changes else self.moments[0].answers
        changed = f"changed {count(len(changes), 'time')}" if changes else "never changed"
        return f"The best candidate {changed}; it has been the same since answer {since} of {last.answers}."

    @property
    def table(self) -> Table:
        """A row for each answer: whether the best candidate is new, its utility and its values."""
        names = list(self.moments[0].best) if self.moments else []
        rows = []
        before: Candidate | None = None
        for moment in self.moments:
            rows.append((moment.answers, moment.utility, moment.spread, moment.best != before, *moment.best.values()))
            before = moment.best
        return Table((Column("answers"), UTILITY, SPREAD, Column("new"), *map(Column, names)), tuple(rows))


def development(study: Study) -> Development:
    """Return the best candidate after each answer; after the last answer it is the recommendation.

    That is the winner of the answers so far. If they have no single winner, it is the compared candidate with the highest
    posterior mean today.
    """
    if study.best is None:
        return Development(())
    history, shown = study.history, study.candidates
    means, spreads = study.learned.utilities(shown)
    moments = []
    for told in range(1, len(history) + 1):
        if told < len(history) and history.comparisons[told].part:
            continue  # in the middle of an answer about more than two candidates
        prefix = history.prefix(told)
        best, among = incumbent(prefix), prefix.compared
        if best is None and among.size:
            best = int(among[means[among].argmax()])
        if told == len(history):
            best = shown.index(study.best)
        if best is not None:
            moments.append(Moment(prefix.answers, shown[best], float(means[best]), float(spreads[best])))
    return Development(tuple(moments))


# The ranking ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranked:
    """A candidate of a ranking.

    chance: the probability that it beats the next one. compared: the number of answers about it.
    """

    place: int
    candidate: Candidate
    utility: float
    spread: float
    chance: float | None
    recommended: bool
    compared: int


@dataclass(frozen=True)
class Ranking:
    """The best candidates seen by posterior mean; `of` is the number of all candidates compared."""

    ranked: tuple[Ranked, ...]
    of: int

    @property
    def words(self) -> str:
        """How many candidates were compared, and the place of the recommendation if it is not the first, in a sentence."""
        if not self.ranked:
            return NOTHING
        place = next((r.place for r in self.ranked if r.recommended), None)
        shown = (
            f"{count(self.of, 'candidate')} compared, the best {len(self.ranked)} shown"
            if self.of > len(self.ranked)
            else f"{count(self.of, 'candidate')} compared"
        )
        if place == 1:
            return f"{shown}."
        return f"{shown}. The recommendation is number {place} by posterior mean."

    @property
    def table(self) -> Table:
        """A row for each candidate."""
        names = list(self.ranked[0].candidate) if self.ranked else []
        columns = (
            Column("place"),
            *map(Column, names),
            UTILITY,
            SPREAD,
            Column("beats the next", "chance"),
            Column("answers"),
            Column("recommended"),
        )
        rows = [
            (r.place, *r.candidate.values(), r.utility, r.spread, r.chance, r.compared, r.recommended)
            for r in self.ranked
        ]
        return Table(columns, tuple(rows))


def ranking(study: Study, most: int = RANKED) -> Ranking:
    """Return the best candidates seen; the recommendation is always among them."""
    best = study.best
    if best is None:
        return Ranking((), 0)
    history, seen = study.history, study.history.compared
    means, spreads = study.learned.utilities([study.candidates[k] for k in seen])
    order = np.argsort(-means, kind="stable")
    ordered = [study.candidates[seen[k]] for k in order]
    times = np.bincount(history.pairs.ravel(), minlength=len(history.points))
    places = [place for place, candidate in enumerate(ordered) if place < most or candidate == best]
    chances = {a: study.learned.probability(ordered[a], ordered[b]) for a, b in pairwise(places)}
    ranked = [
        Ranked(
            place + 1,
            ordered[place],
            float(means[order[place]]),
            float(spreads[order[place]]),
            chances.get(place),
            ordered[place] == best,
            int(times[seen[order[place]]]),
        )
        for place in places
    ]
    return Ranking(tuple(ranked), len(seen))


# Importance ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Importance:
    """How much each variable matters, the most important first; the shares sum to one."""

    shares: Mapping[str, float]
    answers: int

    @property
    def words(self) -> str:
        """Which variables matter most, in a sentence."""
        if not self.shares:
            return NOTHING
        most, much = 0, 0.0
        for size in self.shares.values():
            most, much = most + 1, much + size
            if much >= 0.8:
                break
        names = _listed(list(self.shares)[:most])
        if len(self.shares) == 1:
            said = f"{names} is the only variable."
        elif most == len(self.shares):
            said = f"All variables matter: {names}."
        else:
            said = f"Mostly {names} {'matters' if most == 1 else 'matter'} ({share(much)})."
        early = self.answers < 2 * len(self.shares)
        return said + (" This is a first impression: there are few answers yet." if early else "")

    @property
    def table(self) -> Table:
        """A row for each variable."""
        return Table((Column("variable"), Column("importance", "share")), tuple(self.shares.items()))


def importance(study: Study) -> Importance:
    """Return how much each variable matters."""
    if not len(study.history):
        return Importance({}, 0)
    shares = study.learned.importance()
    return Importance(dict(sorted(shares.items(), key=lambda item: -item[1])), study.history.answers)


def _listed(names: Sequence[str]) -> str:
    """Return names as "one, two and three"; of more than four, the first three and the number of the others."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + [names[-1]])

"""What was learned: the recommendation and whether to stop, how it came about, the ranking, what matters.

All of it is read off the posterior of the answers, whatever proposed: utilities are the posterior's, higher is better, and 1 is a
typical difference over the space. Before the first answer, and where no candidate seen is feasible, there is nothing in it.
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
"""Candidates in a ranking."""
NOTHING = "Nothing was answered yet: the first answer is what there is to learn from."
NO_BEST = "No candidate that was compared is within the bounds and the constraints."
UTILITY, SPREAD = Column("utility", "utility"), Column("±", "utility")


# The recommendation --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The recommendation, how it stands against the runner-up, and whether to stop.

    chance: that the recommendation beats the runner-up. probability_best, expected_gain: as in `Advice`, None where there is
    none yet.
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
        """How sure it is, in a sentence."""
        if self.chance is None:
            return self.reason
        return f"It beats the runner-up with a probability of {chance(self.chance)}."

    @property
    def table(self) -> Table:
        """The recommendation beside the runner-up."""
        shown = [candidate for candidate in (self.best, self.runner_up) if candidate is not None]
        columns = (Column("variable"), Column("recommended"), Column("runner-up"))[: 1 + len(shown)]
        names = list(self.best or ())
        return Table(columns, tuple((name, *(candidate[name] for candidate in shown)) for name in names))


def verdict(study: Study) -> Verdict:
    """What to take, and whether to go on."""
    best = study.best
    if best is None:
        return Verdict(None, None, None, False, NO_BEST if len(study.history) else NOTHING)
    others = [candidate for candidate in seen_candidates(study) if candidate != best]
    if not others:
        return Verdict(best, None, None, False, "It is the only candidate so far that may be recommended.")
    means, _ = study.learned.utilities(others)
    runner_up = others[int(means.argmax())]
    try:
        advice = study.learned.advice()
    except InputError as error:  # too few feasible candidates
        return Verdict(best, runner_up, study.learned.probability(best, runner_up), False, str(error))
    chance = study.learned.probability(best, runner_up)
    return Verdict(best, runner_up, chance, advice.stop, advice.reason, advice.probability_best, advice.expected_gain)


def seen_candidates(study: Study) -> list[Candidate]:
    """The candidates that may be recommended: compared, and feasible."""
    return [study.candidates[k] for k in study.history.compared]


# How it came about ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """What was best after so many answers, with its utility as it is known today."""

    answers: int
    best: Candidate
    utility: float
    spread: float


@dataclass(frozen=True)
class Development:
    """How the recommendation came about, answer by answer."""

    moments: tuple[Moment, ...]

    @property
    def words(self) -> str:
        """Since when it has been what it is."""
        if not self.moments:
            return NOTHING
        last = self.moments[-1]
        changes = [b.answers for a, b in pairwise(self.moments) if a.best != b.best]
        since = changes[-1] if changes else self.moments[0].answers
        changed = (
            f"The best so far changed {count(len(changes), 'time')}" if changes else "The best so far never changed"
        )
        return f"{changed}; it has been the same since answer {since} of {last.answers}."

    @property
    def table(self) -> Table:
        """A row for each answer; the candidate where it changed."""
        names = list(self.moments[0].best) if self.moments else []
        rows = []
        before: Candidate | None = None
        for moment in self.moments:
            rows.append((moment.answers, moment.utility, moment.spread, moment.best != before, *moment.best.values()))
            before = moment.best
        return Table((Column("answers"), UTILITY, SPREAD, Column("new"), *map(Column, names)), tuple(rows))


def development(study: Study) -> Development:
    """What was best after each answer: the winner of the answers so far; the last is the recommendation itself.

    Where the answers so far do not tell it alone, the one of those compared that the posterior of today puts first.
    """
    if study.best is None:
        return Development(())
    history, shown = study.history, study.candidates
    means, spreads = study.learned.utilities(shown)
    moments = []
    for answers in range(1, len(history) + 1):
        prefix = history.prefix(answers)
        best, among = incumbent(prefix), prefix.compared
        if best is None and among.size:
            best = int(among[means[among].argmax()])
        if answers == len(history):
            best = shown.index(study.best)
        if best is not None:
            moments.append(Moment(answers, shown[best], float(means[best]), float(spreads[best])))
    return Development(tuple(moments))


# The ranking ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranked:
    """A candidate at its place; chance: that it beats the next one. compared: in how many answers."""

    place: int
    candidate: Candidate
    utility: float
    spread: float
    chance: float | None
    recommended: bool
    compared: int


@dataclass(frozen=True)
class Ranking:
    """The best of the candidates seen, by their posterior mean; `of` is how many there are."""

    ranked: tuple[Ranked, ...]
    of: int

    @property
    def words(self) -> str:
        """What is shown, and where the recommendation is in it."""
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
        return (
            f"{shown}. The answers contradict each other: the recommendation is number {place} by its posterior mean."
        )

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
    """The best candidates seen; the recommendation is among them wherever its place."""
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


# What matters --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Importance:
    """How much of what the person likes hangs on each variable, the most important first; the shares sum to one."""

    shares: Mapping[str, float]
    answers: int

    @property
    def words(self) -> str:
        """Which variables matter most."""
        if not self.shares:
            return NOTHING
        most, much = 0, 0.0
        for size in self.shares.values():
            most, much = most + 1, much + size
            if much >= 0.8:
                break
        names = _listed(list(self.shares)[:most])
        said = f"{share(much)} of what changes the utility hangs on {names}."
        early = self.answers < 2 * len(self.shares)
        return said + (" There are few answers for so many variables: take it as a first impression." if early else "")

    @property
    def table(self) -> Table:
        """A row for each variable."""
        return Table((Column("variable"), Column("importance", "share")), tuple(self.shares.items()))


def importance(study: Study) -> Importance:
    """What matters, from `Study.importance`."""
    if not len(study.history):
        return Importance({}, 0)
    shares = study.learned.importance()
    return Importance(dict(sorted(shares.items(), key=lambda item: -item[1])), len(study.history))


def _listed(names: Sequence[str]) -> str:
    """One, two and three; beyond four only how many."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + [names[-1]])

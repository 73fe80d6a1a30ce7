"""Several judges: what is best for all, for the worst-off and for each, how reliable each is, and where they disagree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from prefero.insight.tables import Column, Table, chance, count, setting, share
from prefero.space import Candidate
from prefero.storage.events import NOT_NAMED
from prefero.study import Study


@dataclass(frozen=True)
class Member:
    """One judge of several.

    weight: how much the judge counts in the mean. reliability: how often the judge tells the better of two candidates drawn at
    random. random: whether the answers are no better than a coin's tosses. best: the candidate that is best for the judge.
    loss: how much less the judge likes the recommendation, in utility. prefers: the probability that the judge prefers `best`.
    """

    judge: str
    answers: int
    weight: float
    reliability: float
    random: bool
    best: Candidate
    loss: float
    prefers: float | None

    @property
    def name(self) -> str:
        """The judge's name, or a placeholder for a judge without one."""
        return self.judge or NOT_NAMED


@dataclass(frozen=True)
class Disputed:
    """Two candidates that two judges order differently: the first judge prefers a, the second b, with this probability."""

    judges: tuple[str, str]
    a: Candidate
    b: Candidate
    probability: float


@dataclass(frozen=True)
class PanelFound:
    """What is known of several judges; empty for a single one, and before any candidate can be recommended.

    alike: the share of their utilities that they have in common. best: what is best for all, by the weighted mean of their
    utilities. fairest: what is best for the worst-off.
    """

    members: tuple[Member, ...] = ()
    conflicts: tuple[Disputed, ...] = ()
    alike: float = 1.0
    best: Candidate | None = None
    fairest: Candidate | None = None

    @property
    def words(self) -> str:
        """How alike the judges are, who answers at random and who disagrees, in a few sentences."""
        if not self.members:
            return ""
        said = [f"The judges have about {share(self.alike)} of their tastes in common."]
        if self.conflicts:
            surest = self.conflicts[0]
            one, other = (judge or NOT_NAMED for judge in surest.judges)
            more = len(self.conflicts) - 1
            said.append(
                f"They want different things: {one} and {other} disagree with a probability of {chance(surest.probability)}"
                + (f", and so do {count(more, 'other pair')} of judges." if more else ".")
            )
        else:
            said.append("No two of them surely disagree.")
        random = [member.name for member in self.members if member.random]
        if random:
            said.append(f"No better than chance, and left out of the mean: {', '.join(random)}.")
        return " ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "alike": self.alike,
            "fairest": None if self.fairest is None else dict(self.fairest),
            "members": [vars(member) | {"best": dict(member.best)} for member in self.members],
            "conflicts": [
                {"judges": list(c.judges), "a": dict(c.a), "b": dict(c.b), "probability": c.probability}
                for c in self.conflicts
            ],
        }

    @property
    def table(self) -> Table:
        """A row for each judge."""
        columns = (
            Column("judge"), Column("answers"), Column("weight", "share"), Column("reliability", "share"), Column("at random"),
            Column("best for this judge"), Column("prefers it", "chance"), Column("loss", "utility"),
        )  # fmt: skip
        rows = [
            (m.name, m.answers, m.weight, m.reliability, m.random, setting(m.best), m.prefers, m.loss)
            for m in self.members
        ]
        return Table(columns, tuple(rows))

    @property
    def recommended(self) -> Table:
        """What is best for all, and for the worst-off."""
        rows = [("the mean of all", self.best), ("the worst-off", self.fairest)]
        return Table(
            (Column("best for"), Column("candidate")), tuple((whom, setting(c)) for whom, c in rows if c is not None)
        )

    @property
    def pairs(self) -> Table:
        """A row for each two judges who disagree."""
        rows = [
            (c.judges[0] or NOT_NAMED, setting(c.a), c.judges[1] or NOT_NAMED, setting(c.b), c.probability)
            for c in self.conflicts
        ]
        columns = ("judge", "prefers", "another judge", "prefers the reverse")
        return Table((*map(Column, columns), Column("probability", "chance")), tuple(rows))


def panel(study: Study) -> PanelFound:
    """Return what is known of several judges."""
    best = study.best
    if best is None or len(study.history.judges) < 2:
        return PanelFound()
    learned, shown = study.learned, study.candidates
    if learned.alike is None:  # there are so many answers that judges are not told apart
        return PanelFound()
    answers = Counter(c.judge for c in study.history.comparisons if not c.part)
    members = []
    for judge in learned.judges:
        own = learned.for_judge(judge)
        assert own.best is not None  # there is a candidate to recommend
        favourite = shown[own.best]
        means, _ = own.utilities([favourite, best])
        members.append(
            Member(
                judge=judge,
                answers=answers[judge],
                weight=learned.weights[judge],
                reliability=learned.reliabilities[judge],
                random=judge in learned.at_random,
                best=favourite,
                loss=max(0.0, float(means[0] - means[1])),
                prefers=None if favourite == best else own.probability(favourite, best),
            )
        )
    conflicts = tuple(Disputed(c.judges, shown[c.a], shown[c.b], c.probability) for c in learned.conflicts())
    fairest = None if learned.fairest is None else shown[learned.fairest]
    return PanelFound(tuple(members), conflicts, learned.alike, best, fairest)

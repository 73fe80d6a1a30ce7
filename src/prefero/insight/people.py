"""How consistent the people were, and how they differ: contradictions, repeated pairs, sides, response times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from scipy.special import betaincinv

from prefero.answers import contradictions
from prefero.insight.agreement import Disagreement, Standing, disagreements, judge_names, standing
from prefero.insight.tables import Column, Table, count, seconds, setting, share
from prefero.storage.events import ANSWER_LABELS, NOT_NAMED
from prefero.study import Study
from prefero.study.questions import Entry
from prefero.study.samples import ANSWERS

CONFIDENCE = 0.95
FEW = 10
"""Below so many answers nothing is said about a person's lean to a side."""


@dataclass(frozen=True)
class Share:
    """So many of so many, with an interval of 95 % (Jeffreys')."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The share itself; None of nothing."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the chance behind the share lies."""
        a, b, tail = self.hits + 0.5, self.of - self.hits + 0.5, (1 - CONFIDENCE) / 2
        low = 0.0 if self.hits == 0 else float(betaincinv(a, b, tail))
        high = 1.0 if self.hits == self.of else float(betaincinv(a, b, 1 - tail))
        return low, high

    @property
    def text(self) -> str:
        """The share and its interval; "" of nothing."""
        if self.value is None:
            return ""
        low, high = self.interval
        return f"{share(self.value)} ({share(low)} to {share(high)}, {self.hits} of {self.of})"


@dataclass(frozen=True)
class Person:
    """What the answers of one judge say about the judge.

    consistent: answers that no other of the judge's contradicts. repeated: answers to a pair asked again that say what was said
    before. left: how often A, shown on the left, was better, ties apart; None where the sides were not drawn at random.
    times: the answer's number and its response time, for those that are known.
    """

    judge: str
    answers: int
    ties: int
    skipped: int
    consistent: Share
    repeated: Share
    left: Share | None
    times: tuple[tuple[int, float], ...]

    @property
    def name(self) -> str:
        """What to call the judge."""
        return self.judge or NOT_NAMED

    @property
    def median(self) -> float | None:
        """The median of the response times."""
        return median(time for _, time in self.times) if self.times else None

    @property
    def lean(self) -> str:
        """Whether the judge leans to a side, in words."""
        if self.left is None:
            return "Sides were not drawn at random, so a lean to one of them cannot be told."
        if self.left.of < FEW:
            return "There are too few answers to tell whether one side is favoured."
        low, high = self.left.interval
        if low <= 0.5 <= high:
            return f"No sign of a lean to one side: the left one was better in {self.left.text}."
        side = "left" if low > 0.5 else "right"
        return f"A lean to the {side}: the left one was better in {self.left.text}."

    @property
    def words(self) -> str:
        """The person in a few sentences."""
        odd = self.consistent.of - self.consistent.hits
        said = [f"{count(odd, 'answer')} in contradiction with others." if odd else "No answer contradicts another."]
        if self.repeated.of:
            again = count(self.repeated.of, "pair")
            said.append(f"{again} asked again, {self.repeated.hits} answered as before.")
        said.append(self.lean)
        if self.median is not None:
            said.append(f"An answer took {seconds(self.median)} in the median.")
        return " ".join(said)


@dataclass(frozen=True)
class Consistency:
    """How consistent each judge was."""

    people: tuple[Person, ...]

    @property
    def words(self) -> str:
        """The people in a few sentences each."""
        if not self.people:
            return "Nothing was answered yet."
        if len(self.people) == 1:
            return self.people[0].words
        return "\n".join(f"{person.name}: {person.words}" for person in self.people)

    @property
    def table(self) -> Table:
        """A row for each judge."""
        columns = (
            Column("judge"), Column("answers"), Column("about the same"), Column("can't judge"), Column("contradictions"),
            Column("asked again"), Column("answered as before"), Column("left was better"), Column("median time", "seconds"),
        )  # fmt: skip
        rows = [
            (p.name, p.answers, p.ties, p.skipped, p.consistent.of - p.consistent.hits, p.repeated.of, p.repeated.hits,
             p.left.text if p.left else None, p.median)
            for p in self.people
        ]  # fmt: skip
        return Table(columns, tuple(rows))

    @property
    def times(self) -> Table:
        """A row for each answer whose response time is known."""
        rows = [(p.name, number, time) for p in self.people for number, time in p.times]
        return Table((Column("judge"), Column("answer"), Column("response time", "seconds")), tuple(rows))


def consistency(study: Study) -> Consistency:
    """How consistent each judge was in what counts; comparisons made elsewhere are nobody's."""
    counted = [entry for entry in study.answers if entry.status == "effective"]
    people = dict.fromkeys(entry.who for entry in counted)
    return Consistency(tuple(_person(study, who, [e for e in counted if e.who == who]) for who in people))


def _person(study: Study, who: str, entries: Sequence[Entry]) -> Person:
    said = [entry for entry in entries if entry.answer in ANSWERS]
    steps = {entry.step for entry in said}
    own = [comparison for comparison in study.history.comparisons if comparison.step in steps]
    firm = [entry for entry in said if entry.answer != "same"]
    left = Share(sum(entry.answer == "a" for entry in firm), len(firm)) if study.settings.sides == "random" else None
    return Person(
        judge=who,
        answers=len(said),
        ties=len(said) - len(firm),
        skipped=sum(entry.answer == "skipped" for entry in entries),
        consistent=Share(len(own) - contradictions(own), len(own)),
        repeated=_repeated(said),
        left=left,
        times=tuple((k + 1, entry.seconds) for k, entry in enumerate(said) if entry.seconds is not None),
    )


def _repeated(said: Iterable[Entry]) -> Share:
    """Of the answers to a pair asked again, those that say what the answer before said."""
    winners: dict[frozenset[object], list[object]] = {}
    for entry in said:
        winner = {"a": entry.a, "b": entry.b}.get(entry.answer)
        winners.setdefault(frozenset((entry.a, entry.b)), []).append(winner)
    again = [before == after for of_pair in winners.values() for before, after in pairwise(of_pair)]
    return Share(sum(again), len(again))


@dataclass(frozen=True)
class Judges:
    """What each judge's answers alone recommend, and where the judges disagree; nothing where there is one judge."""

    standings: tuple[Standing, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def words(self) -> str:
        """How many they are and whether they disagree."""
        if not self.disagreements:
            return f"{len(self.standings)} judges; no pair on which their answers say different things."
        return f"{len(self.standings)} judges; their answers say different things about {count(len(self.disagreements), 'pair')}."

    @property
    def table(self) -> Table:
        """A row for each judge."""
        rows = [(s.judge or NOT_NAMED, s.answers, s.best and setting(s.best)) for s in self.standings]
        return Table((Column("judge"), Column("answers"), Column("best by these alone")), tuple(rows))

    @property
    def pairs(self) -> Table:
        """A row for each pair they disagree about."""
        rows = [
            (
                setting(d.a),
                setting(d.b),
                "; ".join(f"{who or NOT_NAMED}: {ANSWER_LABELS[said]}" for who, said in d.said.items()),
            )
            for d in self.disagreements
        ]
        return Table((Column("A"), Column("B"), Column("said")), tuple(rows))


def judges(study: Study) -> Judges:
    """How the judges differ."""
    names = judge_names(study)
    if len(names) < 2:
        return Judges((), ())
    return Judges(tuple(standing(study, judge) for judge in names), disagreements(study))

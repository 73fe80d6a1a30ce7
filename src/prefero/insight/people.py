"""How consistent each judge was, and how judges differ: contradictions, repeated pairs, side bias, response times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from scipy.special import betaincinv

from prefero.answers import ANSWERS, contradictions, is_order
from prefero.insight.agreement import Disagreement, Standing, disagreements, judge_names, standing
from prefero.insight.tables import Column, Table, count, seconds, setting, share
from prefero.storage.events import NOT_NAMED, answer_label
from prefero.study import Study
from prefero.study.questions import Entry

CONFIDENCE = 0.95
FEW = 10
"""Side bias is not reported with fewer answers than this."""


@dataclass(frozen=True)
class Share:
    """A share: `hits` of `of`, with a 95 % interval (Jeffreys)."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; None if `of` is 0."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the probability behind the share."""
        a, b, tail = self.hits + 0.5, self.of - self.hits + 0.5, (1 - CONFIDENCE) / 2
        low = 0.0 if self.hits == 0 else float(betaincinv(a, b, tail))
        high = 1.0 if self.hits == self.of else float(betaincinv(a, b, 1 - tail))
        return low, high

    @property
    def text(self) -> str:
        """The share with its interval; "" if `of` is 0."""
        if self.value is None:
            return ""
        low, high = self.interval
        return f"{share(self.value)} ({share(low)} to {share(high)}, {self.hits} of {self.of})"


@dataclass(frozen=True)
class Person:
    """How one judge answered.

    consistent: the answers that contradict no other answer of the judge.
    repeated: the answers to a repeated pair that agree with the answer before.
    left: the answers, without ties, that prefer A, which is shown on the left; None if the sides were not random.
    times: (number of the answer, response time) of the answers whose time is known.
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
        """The judge's name, or a placeholder for a judge without one."""
        return self.judge or NOT_NAMED

    @property
    def median(self) -> float | None:
        """The median response time; None if no time is known."""
        return median(time for _, time in self.times) if self.times else None

    @property
    def lean(self) -> str:
        """Whether the judge favours a side, in a sentence."""
        if self.left is None:
            return "Side bias is unknown, because the sides were not random."
        if self.left.of < FEW:
            return "There are too few answers to judge side bias."
        low, high = self.left.interval
        if low <= 0.5 <= high:
            return f"No sign of side bias: the left candidate won {self.left.text}."
        side = "left" if low > 0.5 else "right"
        return f"The {side} side is favoured: the left candidate won {self.left.text}."

    @property
    def words(self) -> str:
        """How the judge answered, in a few sentences."""
        odd = self.consistent.of - self.consistent.hits
        verb = "contradicts" if odd == 1 else "contradict"
        said = [f"{count(odd, 'answer')} {verb} other answers." if odd else "No answer contradicts another."]
        if self.repeated.of:
            again = count(self.repeated.of, "repeated pair")
            said.append(f"{self.repeated.hits} of {again} got the same answer again.")
        said.append(self.lean)
        if self.median is not None:
            said.append(f"A typical answer took {seconds(self.median)}.")
        return " ".join(said)


@dataclass(frozen=True)
class Consistency:
    """How consistent each judge was."""

    people: tuple[Person, ...]

    @property
    def words(self) -> str:
        """How each judge answered, in a few sentences."""
        if not self.people:
            return "No answers yet."
        if len(self.people) == 1:
            return self.people[0].words
        return "\n".join(f"{person.name}: {person.words}" for person in self.people)

    @property
    def table(self) -> Table:
        """A row for each judge."""
        columns = (
            Column("judge"), Column("answers"), Column("about the same"), Column("can't judge"), Column("contradictions"),
            Column("repeated pairs"), Column("same answer again"), Column("left won"), Column("median time", "seconds"),
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
    """Return how consistent each judge was. Only answers that count are included, without imported comparisons."""
    counted = [entry for entry in study.answers if entry.status == "effective" and not entry.imported]
    people = dict.fromkeys(entry.who for entry in counted)
    return Consistency(tuple(_person(study, who, [e for e in counted if e.who == who]) for who in people))


def _person(study: Study, who: str, entries: Sequence[Entry]) -> Person:
    said = [entry for entry in entries if entry.answer in ANSWERS or is_order(entry.answer)]
    steps = {entry.step for entry in said}
    own = [comparison for comparison in study.history.comparisons if comparison.step in steps]
    ties = sum(entry.answer == "same" for entry in said)
    answered = sum(not comparison.part for comparison in own)
    pairs = [entry for entry in said if not entry.more]
    firm = [entry for entry in pairs if entry.answer != "same"]
    on_a = sum(entry.answer in ("a", "much a") for entry in firm)
    left = Share(on_a, len(firm)) if study.settings.sides == "random" else None
    return Person(
        judge=who,
        answers=len(said),
        ties=ties,
        skipped=sum(entry.answer == "skipped" for entry in entries),
        consistent=Share(answered - contradictions(own), answered),
        repeated=_repeated(pairs),
        left=left,
        times=tuple((k + 1, entry.seconds) for k, entry in enumerate(said) if entry.seconds is not None),
    )


def _repeated(said: Iterable[Entry]) -> Share:
    """Return how many answers to a repeated pair agree with the answer before."""
    winners: dict[frozenset[object], list[object]] = {}
    for entry in said:
        winner = {"a": entry.a, "b": entry.b}.get(entry.answer.removeprefix("much "))
        winners.setdefault(frozenset((entry.a, entry.b)), []).append(winner)
    again = [before == after for of_pair in winners.values() for before, after in pairwise(of_pair)]
    return Share(sum(again), len(again))


@dataclass(frozen=True)
class Judges:
    """The recommendation of each judge's answers alone, and the pairs they disagree about; empty for a single judge."""

    standings: tuple[Standing, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def words(self) -> str:
        """How many judges there are and whether they disagree, in a sentence."""
        if not self.disagreements:
            return f"{len(self.standings)} judges; their answers agree on every pair."
        return f"{len(self.standings)} judges; they disagree about {count(len(self.disagreements), 'pair')}."

    @property
    def table(self) -> Table:
        """A row for each judge."""
        rows = [(s.judge or NOT_NAMED, s.answers, s.best and setting(s.best)) for s in self.standings]
        return Table((Column("judge"), Column("answers"), Column("best by these answers alone")), tuple(rows))

    @property
    def pairs(self) -> Table:
        """A row for each pair that the judges disagree about."""
        rows = [(setting(d.a), setting(d.b), _answers(d)) for d in self.disagreements]
        return Table((Column("A"), Column("B"), Column("answers")), tuple(rows))


def _answers(disagreement: Disagreement) -> str:
    """Return each judge's answer about a pair, in one line."""
    return "; ".join(f"{who or NOT_NAMED}: {answer_label(said)}" for who, said in disagreement.said.items())


def judges(study: Study) -> Judges:
    """Return what each judge's answers recommend, and where the judges disagree."""
    names = judge_names(study)
    if len(names) < 2:
        return Judges((), ())
    return Judges(tuple(standing(study, judge) for judge in names), disagreements(study))

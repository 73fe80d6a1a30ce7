"""Second thoughts: the answers that a person would most likely change on a second look, and whether their taste has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from prefero.insight.tables import Column, Table, chance, count
from prefero.storage.events import NOT_NAMED, answer_label
from prefero.study import Study
from prefero.study.questions import Entry
from prefero.study.samples import history_step

LOOKS = 3
"""How many answers are named."""
DOUBTFUL, LIKELY = 0.05, 0.2
"""From which probability of a slip an answer is listed, and from which it is said to stand out."""
CHANGED = 0.95
"""A taste is said to have changed from this probability on."""


@dataclass(frozen=True)
class Look:
    """An answer that deserves a second look, and the probability that it is a slip."""

    entry: Entry
    probability: float


@dataclass(frozen=True)
class Drift:
    """Whether one judge's taste changed: the probability, and the likeliest half-life in answers."""

    judge: str
    probability: float
    half_life: float

    @property
    def found(self) -> bool:
        """Whether the answers say clearly that it did."""
        return self.probability >= CHANGED

    @property
    def words(self) -> str:
        """The finding in a sentence."""
        who = f" of {self.judge or NOT_NAMED}"
        if not self.found:
            return f"The early and the late answers{who} fit one taste."
        return (
            f"The early answers{who} do not fit the late ones: the taste seems to have changed "
            f"(probability {chance(self.probability)}). A half-life of about {self.half_life:.0f} answers fits best."
        )


@dataclass(frozen=True)
class SecondThoughts:
    """The answers that deserve a second look, the likeliest slips first, and each judge's drift.

    more: how many more answers could be listed.
    """

    looks: tuple[Look, ...]
    drifts: tuple[Drift, ...]
    more: int = 0

    @property
    def words(self) -> str:
        """What deserves a second look, in a sentence or two."""
        likely = sum(look.probability >= LIKELY for look in self.looks)
        said = "No answer stands out as a slip."
        if likely:
            fit = "it fits" if likely == 1 else "they fit"
            said = f"A second look at {count(likely, 'answer')} might help: {fit} the others least."
        return " ".join([said, *(drift.words for drift in self.drifts if drift.found)])

    @property
    def table(self) -> Table:
        """A row for each answer that deserves a second look."""
        columns = (Column("question"), Column("judge"), Column("answer"), Column("slip", "chance"))
        rows = [
            (_number(k.entry.step), k.entry.who or NOT_NAMED, answer_label(k.entry.answer), k.probability)
            for k in self.looks
        ]
        return Table(columns, tuple(rows))

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "looks": [
                {"step": k.entry.step, "answer": k.entry.answer, "judge": k.entry.who, "probability": k.probability}
                for k in self.looks
            ],
            "more": self.more,
            "drifts": [
                {
                    "judge": drift.judge,
                    "probability": drift.probability,
                    "half_life": drift.half_life,
                    "found": drift.found,
                }
                for drift in self.drifts
            ],
            "words": self.words,
        }


def _number(step: int) -> int | str:
    """Return the number of a question; i1, i2, … of an imported comparison, as the command line calls it."""
    return step if step >= 0 else f"i{-step}"


def second_thoughts(study: Study, most: int = LOOKS, judge: str | None = None) -> SecondThoughts:
    """Return the answers that most deserve a second look.

    They are those likeliest to be slips. An answer that the same judge repeated later has had its second look. Weighing the
    probability by what depends on the answer finds fewer slips, and does not lower the regret: docs/second-thoughts.md.

    Parameters
    ----------
    study: its answers.
    most: how many answers to name.
    judge: only this judge's; by default everybody's.
    """
    if not len(study.history):
        return SecondThoughts((), ())
    slips = study.learned.slips()
    doubtful = [k for k in _not_repeated(study) if slips[k] >= DOUBTFUL]
    entries = {history_step(entry.step): entry for entry in study.answers if entry.status == "effective"}
    comparisons = study.history.comparisons
    doubtful = [k for k in doubtful if judge in (None, comparisons[k].judge)]
    doubtful.sort(key=lambda k: -slips[k])
    likeliest = {comparisons[k].step: k for k in reversed(doubtful)}  # of an answer about more than two, the worst part
    doubtful = [k for k in doubtful if likeliest[comparisons[k].step] == k]
    looks = tuple(Look(entries[comparisons[k].step], float(slips[k])) for k in doubtful[:most])
    return SecondThoughts(looks, tuple(_drifts(study, judge)), len(doubtful) - len(looks))


def _not_repeated(study: Study) -> list[int]:
    """Return the answers that their judge did not repeat later."""
    history, last = study.history, {}
    for k, c in enumerate(history.comparisons):
        said = np.sign(c.preference) * (1 if c.i < c.j else -1)
        last[frozenset((c.i, c.j)), c.judge, int(said)] = k
    return sorted(last.values())


def _drifts(study: Study, judge: str | None) -> Iterator[Drift]:
    for name in study.learned.judges if judge is None else (judge,):
        found = study.learned.drift(name)
        if found is not None:
            yield Drift(name, *found)

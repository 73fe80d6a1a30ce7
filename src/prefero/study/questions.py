"""Questions, and what was said about each."""

from __future__ import annotations

from dataclasses import dataclass

from prefero.space import Candidate
from prefero.space.html import table


@dataclass(frozen=True)
class Question:
    """Two candidates, A and B, waiting for an answer; `note` tells what was unusual about choosing them."""

    step: int
    a: Candidate
    b: Candidate
    note: str = ""
    judge: str = ""

    def _repr_html_(self) -> str:
        names = dict.fromkeys([*self.a, *self.b])
        rows = {name: (self.a.get(name, "–"), self.b.get(name, "–")) for name in names}
        who = f" for {self.judge}" if self.judge else ""
        return table(rows, ("", "A", "B"), f"Question {self.step}{who}: which one is better? {self.note}".strip())


@dataclass(frozen=True)
class Entry:
    """What was said about one question.

    answer: one of `answers.ANSWERS` or `answers.UNACCEPTABLE`, "skipped", "a failed" or "b failed".
    status: "effective", "undone" or "removed".
    time: when it was said, UTC. seconds: the response time, if known. contradicts: whether other answers say otherwise.
    source: where it was imported from. An imported comparison has a negative number: −1, −2, …
    """

    step: int
    a: Candidate
    b: Candidate
    answer: str
    who: str
    time: str
    seconds: float | None
    note: str
    status: str
    corrected: bool
    contradicts: bool
    source: str = ""

    @property
    def imported(self) -> bool:
        """Whether the comparison answers no question of the study: it was imported, or told about a pair of one's own."""
        return self.step < 0

"""Questions, and what was said about each."""

from __future__ import annotations

from dataclasses import dataclass

from prefero.answers import SIDES, as_kind
from prefero.space import Candidate
from prefero.space.html import table


@dataclass(frozen=True)
class Question:
    """Two candidates, A and B, waiting for an answer; `note` tells what was unusual about choosing them.

    more: further candidates, C, D, …, of a question about more than two. kind: what it asks for: "pair", "best of 4", "rank 4"…
    """

    step: int
    a: Candidate
    b: Candidate
    note: str = ""
    judge: str = ""
    more: tuple[Candidate, ...] = ()
    kind: str = "pair"

    @property
    def sides(self) -> dict[str, Candidate]:
        """The candidates by the sides they are shown on: "a", "b", …"""
        return dict(zip(SIDES, (self.a, self.b, *self.more), strict=False))

    @property
    def takes(self) -> str:
        """Which answers it takes, in words, besides that a candidate failed or is not acceptable, or that nobody can judge."""
        return as_kind(self.kind).takes

    def _repr_html_(self) -> str:
        shown = self.sides
        names = dict.fromkeys(name for candidate in shown.values() for name in candidate)
        rows = {name: tuple(candidate.get(name, "–") for candidate in shown.values()) for name in names}
        who = f" for {self.judge}" if self.judge else ""
        what = f"{self.kind}?" if self.more else "which one is better?"
        head = ("", *(side.upper() for side in shown))
        return table(rows, head, f"Question {self.step}{who}: {what} {self.note}".strip())


@dataclass(frozen=True)
class Entry:
    """What was said about one question.

    answer: one of `answers.ANSWERS`, `answers.UNACCEPTABLE` or `answers.RATED`, "skipped", "a failed" or "b failed"; an order
        such as "c>abd" of more than two candidates; a hint such as "more warmth".
    status: "effective", "undone" or "removed".
    time: when it was said, UTC. seconds: the response time, if known. contradicts: whether other answers say otherwise.
    note: the reason, or any other remark; of a corrected answer, the correction's if it has one.
    sure: False if the person was not sure.
    source: where it was imported from. An imported comparison has a negative number: −1, −2, …; so has a rating, whose
        candidate is A and whose B is empty, and a hint, whose candidate is A if it is about one.
    more, kind: as of `Question`.
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
    more: tuple[Candidate, ...] = ()
    kind: str = "pair"
    sure: bool = True

    @property
    def imported(self) -> bool:
        """Whether the comparison answers no question of the study: it was imported, or told about a pair of one's own."""
        return self.step < 0

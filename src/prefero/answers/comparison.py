"""One answer about two candidates, and the convention it follows.

In words, the person compares A with B. In mathematics, π(A, B) is −1 if A is better, 0 if both are about the same, and 1 if
B is better; the latent function is lower for the better one. A second level, ±2, says "much better" (section 8). In Python,
`tell(question, "a")` or `tell(question, -1)` says that A is better, "much a" or -2 that it is much better, "same" or 0 is a tie,
and "b", "much b", 1 or 2 say that B is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np

from prefero.errors import AnswerError

Answer = Literal["a", "same", "b", "much a", "much b"]
Preference = Literal[-1, 0, 1]
"""π(A, B), Eq. (pref_fun)."""
Level = Literal[-2, -1, 0, 1, 2]
"""π(A, B) with strengths: ±2 is "much better"."""

FIRST_IMPORTED = 10**9
"""Comparisons made elsewhere have step numbers from here up, so that none collides with a question of the study."""

_LEVELS: dict[object, Level] = {"much a": -2, "a": -1, "same": 0, "b": 1, "much b": 2}
_ANSWERS: dict[int, Answer] = {-2: "much a", -1: "a", 0: "same", 1: "b", 2: "much b"}
ANSWERS: tuple[Answer, ...] = ("a", "same", "b", "much a", "much b")
"""What can be said about a pair, in words."""

UNACCEPTABLE = ("a unacceptable", "b unacceptable", "both unacceptable")
"""What can be said about a pair of which one works and nobody would take it, or both do."""


def as_unacceptable(answer: object) -> str | None:
    """Return which candidates are not acceptable, in the words of the log; None for any other answer."""
    if not isinstance(answer, str):
        return None
    said = "both unacceptable" if answer == "neither" else answer
    return said if said in UNACCEPTABLE else None


def as_level(answer: object) -> Level:
    """Return π(A, B) with its strength for an answer given in words or as a number."""
    if isinstance(answer, str) and answer in _LEVELS:
        return _LEVELS[answer]
    if isinstance(answer, np.ndarray) and answer.size == 1:
        answer = answer.item()
    # NumPy integers and floats such as -1.0 are fine; booleans are not, since True would silently mean "B is better".
    whole = isinstance(answer, Integral) or (isinstance(answer, float | np.floating) and float(answer).is_integer())
    if whole and not isinstance(answer, bool | np.bool_) and int(answer) in _ANSWERS:  # type: ignore[call-overload]
        return int(answer)  # type: ignore[call-overload,no-any-return]
    raise AnswerError.of(
        "answer",
        answer,
        '"a" or -1 (A is better), "b" or 1 (B is better), "same" or 0, "much a" or -2, "much b" or 2; of a question also '
        '"a unacceptable", "b unacceptable", "neither"',
    )


def as_preference(answer: object) -> Preference:
    """Return π(A, B) without its strength: −1, 0 or 1."""
    return _sign(as_level(answer))


def as_answer(level: Level) -> Answer:
    """Return the word a person would use for π(A, B)."""
    return _ANSWERS[level]


def much(side: str) -> Answer:
    """Return the answer that the candidate on side "a" or "b" is much better."""
    if not isinstance(side, str) or side not in ("a", "b"):
        raise AnswerError.of("side", side, '"a" or "b"')
    return "much a" if side == "a" else "much b"


def _sign(level: Level) -> Preference:
    return -1 if level < 0 else 1 if level > 0 else 0


@dataclass(frozen=True)
class Comparison:
    """One answer b_h = π(x_i, x_j), Eq. (pref-vector).

    i, j: the numbers of two samples. step: the question's. judge: who answered; one without a name if nobody is named.
    strength: 1, or 2 for "much better". part: which of its answer's comparisons it is, from 0; an answer about more than two
    candidates has several. sure: False if the person was not sure.
    """

    i: int
    j: int
    preference: Preference
    step: int = 0
    judge: str = ""
    strength: int = 1
    part: int = 0
    sure: bool = True

    @classmethod
    def of_level(
        cls, i: int, j: int, level: Level, step: int = 0, judge: str = "", part: int = 0, sure: bool = True
    ) -> Comparison:
        """Return the comparison of two samples with a strength: ±2 is "much better"."""
        return cls(i, j, _sign(level), step, judge, max(1, abs(level)), part, sure)

    @property
    def level(self) -> Level:
        """π with its strength: −2 to 2."""
        return self.preference * self.strength  # type: ignore[return-value]

    @property
    def imported(self) -> bool:
        """Whether the comparison was made elsewhere: it answers no question of the study."""
        return self.step >= FIRST_IMPORTED

    @property
    def winner(self) -> int:
        """The better sample; the first one of a tie."""
        return self.j if self.preference == 1 else self.i

    @property
    def loser(self) -> int:
        """The other sample."""
        return self.i if self.preference == 1 else self.j

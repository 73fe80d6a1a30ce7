"""One answer about two candidates, and the convention it follows.

In words, the person compares A with B. In mathematics, π(A, B) is −1 if A is better, 0 if both are about the same, and 1 if
B is better; the latent function is lower for the better one. In Python, `tell(question, "a")` or `tell(question, -1)` says
that A is better, "same" or 0 is a tie, and "b" or 1 says that B is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np

from prefero.errors import AnswerError

Answer = Literal["a", "same", "b"]
Preference = Literal[-1, 0, 1]
"""π(A, B), Eq. (pref_fun)."""

FIRST_IMPORTED = 10**9
"""Comparisons made elsewhere have step numbers from here up, so that none collides with a question of the study."""

_PREFERENCES: dict[object, Preference] = {"a": -1, "same": 0, "b": 1}
_ANSWERS: dict[int, Answer] = {-1: "a", 0: "same", 1: "b"}


def as_preference(answer: object) -> Preference:
    """Return π(A, B) for an answer given in words or as a number."""
    if isinstance(answer, str) and answer in _PREFERENCES:
        return _PREFERENCES[answer]
    if isinstance(answer, np.ndarray) and answer.size == 1:
        answer = answer.item()
    # NumPy integers and floats such as -1.0 are fine; booleans are not, since True would silently mean "B is better".
    whole = isinstance(answer, Integral) or (isinstance(answer, float | np.floating) and float(answer).is_integer())
    if whole and not isinstance(answer, bool | np.bool_) and int(answer) in _ANSWERS:  # type: ignore[call-overload]
        return int(answer)  # type: ignore[call-overload,no-any-return]
    raise AnswerError.of("answer", answer, '"a" or -1 (A is better), "b" or 1 (B is better), "same" or 0')


def as_answer(preference: Preference) -> Answer:
    """Return the word a person would use for π(A, B)."""
    return _ANSWERS[preference]


@dataclass(frozen=True)
class Comparison:
    """One answer b_h = π(x_i, x_j), Eq. (pref-vector).

    i, j: the numbers of two samples. step: the question's. judge: who answered; one without a name if nobody is named.
    """

    i: int
    j: int
    preference: Preference
    step: int = 0
    judge: str = ""

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

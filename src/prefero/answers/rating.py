"""One candidate on an ordered scale: "very bad" … "very good", or the owner's words.

Levels are numbered from 1, the worst, to the number of words, the best. `study.rate(candidate, 4)` and
`study.rate(candidate, "good")` say the same on the usual scale; in the log and the history of answers it is "rated 4".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from prefero.errors import AnswerError

MOST_LEVELS = 10
"""The longest scale."""
RATED = tuple(f"rated {level}" for level in range(1, MOST_LEVELS + 1))
"""Every rating in the words of the log."""


@dataclass(frozen=True)
class Rating:
    """A judge's level for one sample, from 1 to `levels`; `after`: how many of the comparisons came before it."""

    sample: int
    level: int
    levels: int
    step: int = 0
    judge: str = ""
    sure: bool = True
    after: int = 0


def as_rating(given: object, scale: Sequence[str]) -> int:
    """Return a level given by its number or its word; AnswerError if it is not on the scale."""
    if isinstance(given, str):
        if given in scale:
            return list(scale).index(given) + 1
        if 1 <= (rated_level(given) or _number(given)) <= len(scale):
            return rated_level(given) or _number(given)
    if isinstance(given, np.ndarray) and given.size == 1:
        given = given.item()
    whole = isinstance(given, Integral) or (isinstance(given, float | np.floating) and float(given).is_integer())
    # True would silently mean the worst level.
    if whole and not isinstance(given, bool | np.bool_) and 1 <= int(given) <= len(scale):  # type: ignore[call-overload]
        return int(given)  # type: ignore[call-overload,no-any-return]
    words = ", ".join(f"{k} ({word})" for k, word in enumerate(scale, start=1))
    raise AnswerError.of("level", given, f"a level of the scale: {words}")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() else 0


def rated_level(said: str) -> int:
    """Return the level that "rated 4" says; 0 for any other answer."""
    return RATED.index(said) + 1 if said in RATED else 0

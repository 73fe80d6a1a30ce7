"""What is said beside an answer: that the person is not sure, why they answered so, and how good each candidate is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from prefero.answers.orders import SIDES


@dataclass(frozen=True)
class Said:
    """An answer with what was said beside it.

    answer: any answer, as `Study.tell` takes it. sure: False if the person is not sure. note: the reason, in the person's words.
    ratings: levels of the candidates by their sides, "a", "b" and so on, as `Study.rate` takes them.
    """

    answer: object
    sure: bool = True
    note: str = ""
    ratings: Mapping[str, object] = field(default_factory=dict, hash=False)


def as_said(answer: object) -> Said:
    """Return an answer with what was said beside it: nothing, if it is a plain one."""
    return answer if isinstance(answer, Said) else Said(answer)


def unsure(answer: object) -> Said:
    """Return the answer of a person who is not sure of it: `unsure("a")`."""
    return replace(as_said(answer), sure=False)


def because(answer: object, reason: str) -> Said:
    """Return an answer with its reason: `because("a", "less noise")`."""
    return replace(as_said(answer), note=reason)


def rated(
    answer: object,
    a: object = None,
    b: object = None,
    c: object = None,
    d: object = None,
    e: object = None,
    f: object = None,
) -> Said:
    """Return an answer with ratings of some of the candidates: `rated("a", b=2)`."""
    levels = zip(SIDES, (a, b, c, d, e, f), strict=True)
    return replace(as_said(answer), ratings={side: level for side, level in levels if level is not None})

"""How long a person takes to answer each kind of question, in seconds, and what an answer says for it.

If an owner offers several kinds, the one with the most implied comparisons for each second is asked. The information of an answer
under the posterior, in bits for each second, was tried in place of this rule and was worth no more: docs/answers.md.

The default seconds are assumptions, measured on nobody:

    seconds = 1 + 3 log2(answers)

It has the form of the law of Hick and Hyman, in which the time to choose grows with the logarithm of the number of possible
answers: 2 of a pair, k of the best of k, k! of a ranking. The constants give a pair 4 seconds and a ranking of four about 15.
People who must try a candidate before they can judge it take longer, and longer for each: an owner gives their own times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import factorial, log2

from prefero.answers.orders import KINDS, Kind, as_kind
from prefero.errors import InputError

READY = 1.0
"""Seconds of every question, whatever it asks for."""
DOUBLED = 3.0
"""Seconds for twice as many possible answers."""
LONGEST = 86_400.0
"""The largest effort, a day in seconds."""


def possible_answers(kind: Kind) -> int:
    """Return how many answers a question takes: orders of groups, see `orders`."""
    k = kind.size
    return {"best and worst": k * (k - 1), "rank": factorial(k)}.get(kind.name, k)


def usual_effort(kind: Kind) -> float:
    """Return how many seconds a kind of question is supposed to take, to a tenth."""
    return round(READY + DOUBLED * log2(possible_answers(kind)), 1)


EFFORTS = {name: usual_effort(kind) for name, kind in KINDS.items()}
"""Seconds for each kind of question, if an owner gives no other number."""


def implied(kind: Kind) -> int:
    """Return how many comparisons follow from an answer."""
    k = kind.size
    return {"best and worst": 2 * k - 3, "rank": k * (k - 1) // 2}.get(kind.name, k - 1)


def most_telling(kinds: Iterable[Kind], efforts: Mapping[str, float]) -> Kind:
    """Return the kind with the most implied comparisons for each second, the first of equal ones.

    efforts: seconds of those kinds that do not take as long as usual.
    """
    return max(kinds, key=lambda kind: implied(kind) / efforts.get(str(kind), EFFORTS[str(kind)]))


def as_kinds(given: object, argument: str = "kind") -> tuple[Kind, ...]:
    """Return the kinds of question that a text names, a list of different ones, or a mapping from kinds to seconds."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return (as_kind(given, argument),)
    kinds = tuple(as_kind(each, f"{argument}[{k}]") for k, each in enumerate(given))
    if not kinds or len(set(kinds)) < len(kinds):
        raise InputError.of(argument, given, "one kind of question, or different ones")
    return kinds


def as_efforts(given: object, argument: str = "kind") -> dict[str, float]:
    """Return the seconds of those kinds for which a mapping gives them; of a text or a list, none."""
    if not isinstance(given, Mapping):
        return {}
    for name, seconds in given.items():
        if seconds is None:
            continue
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not number or not 0 < seconds <= LONGEST:
            raise InputError.of(f"{argument}[{name!r}]", seconds, f"seconds above 0, at most {LONGEST:.0f}, or None")
    return {str(name): float(seconds) for name, seconds in given.items() if seconds is not None}

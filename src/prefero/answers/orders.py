"""Answers about three to six candidates: the best, the worst, both, an order of all, or the place of a new one.

Such an answer is an order of the sides shown: groups, from the best to the worst. "c>abd" says that C is better than A, B and D,
and nothing about these three.

| question | takes | of four candidates |
|---|---|---|
| best of k | the best one, before the others | c>abd |
| worst of k | the worst one, after the others | abd>c |
| best and worst of k | both | c>ab>d |
| rank k | all of them, best first | b>a>d>c |
| insert among k | where the last one belongs among k others, which are shown best first | ab>d>c |

An answer stands for comparisons: every member of a group is better than every member of a later one. A ranking is then the choice
of the best, of the best of the others, and so on, as in the model of Plackett and Luce. Comparing neighbours only would imply the
same, but a model that sees nothing of what is implied takes a consistent person for a noisy one. Of an insertion, only the
comparisons with the new candidate count: nobody was asked about the others again. For two candidates, "a>b" is the answer "a".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from prefero.errors import AnswerError, InputError

SIDES = "abcdef"
"""What the candidates of a question are called, in the order they are shown."""
FEWEST, MOST = 3, len(SIDES)
"""How many candidates a question about more than two shows."""
BETTER = ">"
"""Between the groups of an order."""
_FORMS = {
    "best": "best of {}",
    "worst": "worst of {}",
    "best and worst": "best and worst of {}",
    "rank": "rank {}",
    "insert": "insert among {}",
}
_ASKS = {
    "pair": "Which one is better?",
    "best": "Which one is the best?",
    "worst": "Which one is the worst?",
    "best and worst": "Which one is the best, and which one the worst?",
    "rank": "What is their order, best first?",
    "insert": "Where does {0} belong among {1}, which are shown best first?",
}
_TAKES = {
    "pair": '"a", "b" or "same", "much a" or "much b"',
    "best": 'the best of them, such as "best a"',
    "worst": 'the worst of them, such as "worst a"',
    "best and worst": 'the best and the worst of them, such as "best a worst b"',
    "rank": 'all of them, best first, such as "{}"',
    "insert": 'where {} belongs, from "place 1" to "place {}"',
}


@dataclass(frozen=True)
class Kind:
    """What a question asks for. name: "pair", or one of best, worst, best and worst, rank, insert. size: how many it shows."""

    name: str
    size: int

    def __str__(self) -> str:
        return "pair" if self.size == 2 else _FORMS[self.name].format(self.size - (self.name == "insert"))

    @property
    def sides(self) -> str:
        """What the candidates are called."""
        return SIDES[: self.size]

    @property
    def asks(self) -> str:
        """The question, in words."""
        others = f"{', '.join(self.sides[:-2]).upper()} and {self.sides[-2].upper()}"
        return _ASKS[self.name].format(self.sides[-1].upper(), others)

    @property
    def takes(self) -> str:
        """What an answer names, in words."""
        return _TAKES[self.name].format(*_filled(self))

    def of_size(self, size: int) -> Kind:
        """Return this kind of question about fewer candidates, when no more can be found; a pair if there are two."""
        return PAIR if size == 2 else Kind(self.name, size)


def _filled(kind: Kind) -> tuple[object, ...]:
    return (kind.sides[-1].upper(), kind.size) if kind.name == "insert" else (",".join(kind.sides),)


PAIR = Kind("pair", 2)
KINDS = {str(kind): kind for kind in (PAIR, *(Kind(name, k) for name in _FORMS for k in range(FEWEST, MOST + 1)))}
"""Every kind of question, by what it is called."""


def as_kind(given: object, argument: str = "kind") -> Kind:
    """Return the kind of question that a text such as "rank 4" names."""
    if isinstance(given, str) and given in KINDS:
        return KINDS[given]
    raise InputError.of(
        argument,
        given,
        '"pair", "best of k", "worst of k", "best and worst of k" or "rank k" with k from 3 to 6, '
        '"insert among k" with k from 2 to 5',
    )


def as_order(answer: object, kind: Kind, narrow: bool = False) -> str:
    """Return the order that an answer to a question of that kind stands for, in the one form that is stored.

    Parameters
    ----------
    answer: the order itself, such as "c>abd"; "best c", or only "c"; "worst d"; "best c worst d" or ["c", "d"]; a ranking,
        "b,a,d,c" or a list or array of sides; "place 2".
    kind: of the question.
    narrow: take a ranking given as a list for what the question asks for, whatever that is.
    """
    if isinstance(answer, np.ndarray):
        answer = answer.tolist()
    if narrow and isinstance(answer, list | tuple) and (kind.name != "best and worst" or len(answer) != 2):
        return narrowed(as_order(answer, Kind("rank", kind.size)).split(BETTER), kind)
    groups = _groups(answer, kind)
    wanted = f"{kind.takes}, of the sides {', '.join(kind.sides)}"
    named = [side for group in groups for side in group]
    unknown = sorted({side for side in named if side not in kind.sides})
    twice = sorted({side for side in named if named.count(side) > 1})
    missing = [side for side in kind.sides if side not in named]
    for faults, what in ((unknown, "not shown"), (twice, "named twice"), (missing, "missing")):
        if groups and faults:
            raise AnswerError.of("answer", answer, f"{wanted}; {', '.join(faults)} is {what}")
    order = BETTER.join("".join(sorted(group)) for group in groups)
    if not _fits(order, kind):
        raise AnswerError.of("answer", answer, wanted)
    return order


def is_order(said: str) -> bool:
    """Return whether what was said is an order of more than two candidates."""
    return BETTER in said


def fits(order: str, kind: Kind) -> bool:
    """Return whether a text is an order, as it is stored, that a question of that kind takes."""
    sides = order.replace(BETTER, "")
    tidy = all(group == "".join(sorted(group)) for group in order.split(BETTER))
    return tidy and sorted(sides) == list(kind.sides) and _fits(order, kind)


def _fits(order: str, kind: Kind) -> bool:
    """Return whether the groups of an order are those that a question of that kind asks for."""
    sizes = [len(group) for group in order.split(BETTER)]
    k = kind.size
    match kind.name:
        case "insert":
            return order in {_inserted(kind, place) for place in range(1, k + 1)}
        case "rank":
            return sizes == [1] * k
    return (
        sizes == {"best": [1, k - 1], "worst": [k - 1, 1], "best and worst": [1, k - 2, 1], "pair": [1, 1]}[kind.name]
    )


def _groups(answer: object, kind: Kind) -> list[str]:
    """Return the groups of sides that an answer names, in any of its forms; none if it cannot be read."""
    if isinstance(answer, list | tuple):
        if not all(isinstance(side, str) for side in answer):
            return []
        sides = [side.strip().lower() for side in answer]
        if kind.name == "best and worst" and len(sides) == 2:
            sides.insert(1, _without(kind.sides, "".join(sides)))
        return sides
    if not isinstance(answer, str):
        return []
    said = " ".join(answer.lower().split())
    if BETTER in said:
        return [re.sub("[ ,]", "", group) for group in said.split(BETTER)]
    if re.fullmatch("[a-z]( ?, ?[a-z])+", said):
        return re.split(" ?, ?", said)
    named = re.fullmatch("(?:(?:best )?([a-z]))?(?:,? ?worst ([a-z]))?", said)
    if said and named:
        best, worst = (side or "" for side in named.groups())
        return [group for group in (best, _without(kind.sides, best + worst), worst) if group]
    place = re.fullmatch("place ([1-9])", said)
    if place and kind.name == "insert" and int(place[1]) <= kind.size:
        return _inserted(kind, int(place[1])).split(BETTER)
    return []


def _without(sides: str, gone: str) -> str:
    return "".join(side for side in sides if side not in gone)


def _inserted(kind: Kind, place: int) -> str:
    """Return the order in which the last side is at a place, from 1, among the others."""
    others, last = kind.sides[:-1], kind.sides[-1]
    return BETTER.join(group for group in (others[: place - 1], last, others[place - 1 :]) if group)


def narrowed(ranking: Sequence[str], kind: Kind) -> str:
    """Return what a full ranking, best first, says to a question of that kind."""
    best, worst = ranking[0], ranking[-1]
    if kind.name == "insert":
        return _inserted(kind, 1 + list(ranking).index(kind.sides[-1]))
    said = {"best": f"best {best}", "worst": f"worst {worst}", "best and worst": f"best {best} worst {worst}"}
    return as_order(said.get(kind.name, list(ranking)), kind)


def better_pairs(order: str, kind: Kind) -> list[tuple[str, str]]:
    """Return the comparisons (better, worse) that an order stands for: every group with each later one."""
    pairs = [pair for better, worse in combinations(order.split(BETTER), 2) for pair in product(better, worse)]
    return [pair for pair in pairs if kind.name != "insert" or kind.sides[-1] in pair]

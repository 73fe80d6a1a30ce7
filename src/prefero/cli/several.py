"""Questions about more than two candidates in the terminal: how they are answered, with keys and with options."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefero.answers import Kind
    from prefero.study.questions import Question

ORDER = re.compile(r"(best|worst|place) .*|[a-f]\b.*|[a-f]+ ?>.*")
"""What a text must look like to be read as an answer about more than two candidates; the question decides whether it takes it."""
LEGENDS = {
    "best": "[1 … {}] this one is the best",
    "worst": "[1 … {}] this one is the worst",
    "best and worst": "[1 … {}] the best, then the worst",
    "rank": "[1 … {}] the best, the next one, and so on",
    "insert": "[1 … {}] the place of the last one, 1 if it is the best",
}
KEYS = "   [x] can't judge   [z] undo   [q] stop   [?] keys"
HELP = """1, 2, …       candidates A, B, …, or their letters; to insert one, its place
x             can't judge: ask another question
n             none is acceptable: do not propose any of them again
f then 1, …   one failed: do not propose it again
z  Backspace  take back what was chosen, or the last answer
q  Ctrl-C     stop; all answers are saved, and prefero compare continues here"""


def kind_of(question: Question) -> Kind:
    """Return what a question asks for."""
    from prefero.answers import as_kind

    return as_kind(question.kind)


def how_to_answer(question: Question) -> str:
    """Return the command that answers a question."""
    if not question.more:
        return "prefero answer a | b | same"
    sides = kind_of(question).sides
    best, worst = " | ".join(sides), " | ".join(reversed(sides))
    option = {
        "best": f"--best {best}",
        "worst": f"--worst {worst}",
        "best and worst": f"--best {best} --worst {worst}",
        "rank": f"--rank {','.join(reversed(sides))} (best first)",
        "insert": f"--place {' | '.join(map(str, range(1, len(sides) + 1)))}",
    }
    return f"prefero answer {option[kind_of(question).name]}"


def what_to_answer(question: Question) -> str:
    """Return what an answer to a question looks like as an argument of `prefero correct`."""
    if not question.more:
        return "a | b"
    sides = kind_of(question).sides
    best, worst = sides[0], sides[-1]
    return {
        "best": f"'best {best}'",
        "worst": f"'worst {worst}'",
        "best and worst": f"'best {best} worst {worst}'",
        "rank": ",".join(reversed(sides)),
        "insert": "'place 1'",
    }[kind_of(question).name]


def said_with_options(
    answer: str | None, rank: str | None, best: str | None, worst: str | None, place: int | None
) -> str:
    """Return the one answer that an argument or options name."""
    from prefero.errors import InputError

    both = None if best is None and worst is None else f"best {best} worst {worst}"
    if both is not None and (best is None or worst is None):
        both = f"worst {worst}" if best is None else f"best {best}"
    given = [answer, rank, both, None if place is None else f"place {place}"]
    found = [said for said in given if said is not None]
    if len(found) != 1:
        raise InputError.of(
            "answer",
            ", ".join(found) or None,
            "one answer: a, b or same; --rank, --best, --worst or --place of several",
        )
    return found[0]


@dataclass(frozen=True)
class Picked:
    """The candidates that somebody has chosen so far, with one key each."""

    kind: Kind
    sides: str = ""

    def with_key(self, key: str) -> Picked:
        """Return what is chosen after a key; the same if the key means nothing now."""
        from prefero.answers import SIDES

        side = SIDES[int(key) - 1] if key.isdigit() and 0 < int(key) <= len(SIDES) else key
        fits = len(side) == 1 and side in self.kind.sides and side not in self.sides
        return replace(self, sides=self.sides + side) if fits else self

    def without_last(self) -> Picked:
        """Return what is chosen without the last key."""
        return replace(self, sides=self.sides[:-1])

    @property
    def answer(self) -> str | None:
        """The answer, as soon as enough is chosen; None before."""
        first, name = self.sides[:1], self.kind.name
        if name == "rank" and len(self.sides) >= self.kind.size - 1:
            left = "".join(side for side in self.kind.sides if side not in self.sides)
            return ",".join(self.sides + left)
        if name == "best and worst" and len(self.sides) == 2:
            return f"best {first} worst {self.sides[1]}"
        if name in ("best", "worst") and first:
            return f"{name} {first}"
        return f"place {self.kind.sides.index(first) + 1}" if name == "insert" and first else None

    @property
    def legend(self) -> str:
        """What the keys do now."""
        chosen = f"   chosen: {', '.join(self.sides).upper()}" if self.sides else ""
        return LEGENDS[self.kind.name].format(self.kind.size) + KEYS + chosen

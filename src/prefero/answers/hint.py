"""Hints: what a judge says about where to look, at any time and beside the answers.

| kind | says | is |
|---|---|---|
| more, less | more, or less, of this variable would be better than this candidate | a `Leaning`: it is learned |
| near | stay near this candidate for some questions | a `Limit`: of what is proposed next |
| fix, free | keep this variable at a value; let it go | a `Limit` |
| try | ask about this candidate next | a question |

A leaning is read as the sign of a derivative, from two points on either side of the candidate, `STEP` away along the variable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prefero.space.arrays import Vector

DIRECTIONS = {"more": 1, "less": -1}
"""The hints that say which way a variable should go."""
HINTS = (*DIRECTIONS, "near", "fix", "free", "try")
"""Every kind of hint; the first word of what is stored of one."""
STEP = 0.02
"""How far the two ends of a leaning are from its candidate, in the box [−1, 1]: a hundredth of the variable's range.

Length scales are about twenty times as long, so that this is a derivative. With a tenth of it, rounding would tell where
candidates are ranked in single precision.
"""


def is_hint(said: str) -> bool:
    """Return whether what is stored is a hint: "more warmth"."""
    return said.split(" ", 1)[0] in HINTS


@dataclass(frozen=True)
class Leaning:
    """A judge's direction: better for more (sign 1) or less (−1) along a coordinate, at a point of the box.

    after: how many of the comparisons came before it.
    """

    point: tuple[float, ...]
    coordinate: int
    sign: int
    step: int = 0
    judge: str = ""
    after: int = 0

    @property
    def ends(self) -> tuple[Vector, Vector]:
        """The better and the worse point that it stands for; at the border of the box they are nearer to each other."""
        better, worse = np.array(self.point), np.array(self.point)
        at = self.point[self.coordinate]
        better[self.coordinate] = np.clip(at + self.sign * STEP, -1, 1)
        worse[self.coordinate] = np.clip(at - self.sign * STEP, -1, 1)
        return better, worse


@dataclass(frozen=True)
class Limit:
    """The part of the box, between two corners, that a judge's next questions propose from.

    first: the number of the first such question. last: the number of the first one without the limit, None if it lasts.
    variable: the one that is kept, if it is kept by name.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    judge: str = ""
    first: int = 0
    last: int | None = None
    variable: str = ""

    def holds_for(self, judge: str | None, step: int) -> bool:
        """Return whether a question is limited."""
        return judge == self.judge and self.first <= step and (self.last is None or step < self.last)

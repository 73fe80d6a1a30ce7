"""How far a person's answers can be believed: slips, and questions worth asking again.

A slip is an answer that says the opposite of what the person likes. Each answer may be one, with a chance that is learned
with everything else: the chains of the posterior may believe the opposite of an answer, and how many of them do tells how
likely it was a slip. Asking again settles it. A person who confirms a few doubtful answers, and takes none back, is
believed from then on. Errors about candidates that hardly differ are another matter: they are noise, which is only looked for
where a person calls some of them the same, or wavers: says one thing, then the other, then the first again. Slips are mostly
taken back for good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from prefero.answers import History
from prefero.models.posterior import Utilities
from prefero.space.arrays import Indices

SLIPS, ANSWERS = 0.3, 10.0
"""What is expected of a person at first: as if so many of so many answers had been slips."""
SAID, OF_ERRING = 0.6, 1.0
"""The same, in as many answers, for what is said of a study instead of asked: of anybody, and of a person who took an answer back.
Who asks pays for doubting a consistent person with digits; who says how sure something is errs most about the others."""
CONSISTENT = 1e-3
"""ν of a person who tells all candidates apart: more costs digits of the final precision, and slips are told otherwise."""
SUSPICIOUS = 0.25
"""An answer that is a slip with this chance or more is asked for again."""
TRUSTED = 3
"""After so many doubtful answers confirmed, and none taken back, a person is believed."""
WAVERING = 0.1
"""ν of a person who wavers, at least."""
FOR_GOOD = 3
"""Who takes back for good more than so many times as often as she wavers slips, and does not waver."""


def _said_again(history: History) -> list[list[int]]:
    """What was said of each pair that was asked about more than once, in the order of the answers."""
    said: dict[tuple[int, int], list[int]] = {}
    for c in history.comparisons:
        pair, preference = ((c.i, c.j), c.preference) if c.i < c.j else ((c.j, c.i), -c.preference)
        said.setdefault(pair, []).append(preference)
    return [preferences for preferences in said.values() if len(preferences) > 1]


def repeated(history: History) -> tuple[int, int]:
    """How many pairs were asked about again with the same answer, and how many with another."""
    again = _said_again(history)
    confirmed = sum(len(set(preferences)) == 1 for preferences in again)
    return confirmed, len(again) - confirmed


def wavers(history: History) -> bool:
    """Whether the person takes answers back and then stands by them after all, about as often as for good."""
    settled = [
        preferences for preferences in _said_again(history) if len(preferences) > 2 and preferences[0] != preferences[1]
    ]
    back_and_forth = sum(preferences[0] == preferences[2] for preferences in settled)
    return back_and_forth > 0 and len(settled) - back_and_forth <= FOR_GOOD * back_and_forth


def trusted(history: History) -> bool:
    """Whether the person has earned to be believed."""
    confirmed, taken_back = repeated(history)
    return confirmed >= TRUSTED and not taken_back


def errs(history: History) -> bool:
    """Whether the person has taken an answer back."""
    return repeated(history)[1] > 0


def share_of_slips(utilities: Utilities | None, expected: float = SLIPS) -> float:
    """How many of a person's answers are slips, as far as these utilities tell; without any, what is expected at first."""
    found, among = (0.0, 0) if utilities is None else (float(utilities.slips.sum()), len(utilities.statements))
    return (expected + found) / (ANSWERS + among)


def unsettled(history: History) -> bool:
    """Whether the last question was answered twice, once in each way."""
    last = history.comparisons[-1]
    same = [
        c.preference if c.i == last.i else -c.preference for c in history.comparisons if {c.i, c.j} == {last.i, last.j}
    ]
    return len(same) == 2 and same[0] != same[1]


def suspicious(history: History, utilities: Utilities) -> Iterator[tuple[int, int]]:
    """The pairs of samples whose only answer may well be a slip, the likeliest first; none where the person is believed."""
    if utilities.statements.doubt is None:
        return
    asked = Counter(frozenset((c.i, c.j)) for c in history.comparisons)
    statements, slips = utilities.statements, utilities.slips
    for k in np.argsort(-slips, kind="stable"):
        pair = int(statements.first[k]), int(statements.second[k])
        if slips[k] < SUSPICIOUS:
            return
        if asked[frozenset(pair)] == 1:
            yield pair


def unbeaten(utilities: Utilities, among: Indices) -> Indices:
    """The samples that no answer puts below another, or beside one that was there before.

    An answer in doubt does not count; one that is a slip says the opposite.
    """
    statements, slips = utilities.statements, utilities.slips
    beaten = np.zeros(len(utilities.X), dtype=bool)
    beaten[statements.second[slips < SUSPICIOUS]] = True
    beaten[statements.first[slips > 1 - SUSPICIOUS]] = True
    return np.asarray(among[~beaten[among]])

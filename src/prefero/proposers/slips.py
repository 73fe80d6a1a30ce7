"""How reliable a person's answers are: slips, wavering, and questions worth asking again.

A slip is an answer opposite to the person's taste. Every answer may be one. Its probability is learned with everything
else: chains of the posterior may believe the opposite of an answer, and the share of chains that do is the probability of a
slip. A doubtful question is asked again. After a few confirmations and no correction, the person is trusted.

Errors about candidates that hardly differ are noise, not slips. Noise is considered only for people who call some
candidates the same or who waver: give one answer, then the opposite, then the first again. Slips are mostly corrected once
and for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from prefero.answers import History
from prefero.models.posterior import Utilities
from prefero.space.arrays import Indices

PRIOR_SLIPS, PRIOR_ANSWERS = 0.3, 10.0
"""Prior of the slip rate, used to choose questions: 0.3 slips in 10 answers. Measured, see "Slips" in docs/method.md."""
REPORTED_SLIPS, REPORTED_SLIPS_IF_CORRECTED = 0.6, 1.0
"""Prior slips in `PRIOR_ANSWERS` answers for reports on a study: in general, and for a person who corrected an answer.

Both are larger than `PRIOR_SLIPS`. Doubting a consistent person costs precision when choosing questions, while a report
would overstate its confidence most for people who err. Measured by benchmarks/reliability.py, see docs/method.md.
"""
CONSISTENT_NOISE = 1e-3
"""ν of a person who can tell all candidates apart. More noise costs digits of the final precision; slips are modelled apart."""
SUSPICIOUS = 0.25
"""Ask again about an answer that is a slip with at least this probability."""
TRUSTED = 3
"""Trust a person after this many confirmed answers, if none was corrected."""
WAVERING_NOISE = 0.1
"""The least ν of a person who wavers."""
LASTING_PER_RETURN = 3
"""Treat a person as slipping, not wavering, if lasting corrections outnumber returns to the first answer by more than this."""


def _repeated_answers(history: History) -> list[list[int]]:
    """Return the answers about each pair that was asked about more than once, in the order they were given."""
    by_pair: dict[tuple[int, int], list[int]] = {}
    for c in history.comparisons:
        # The sides do not matter: a swapped pair has the opposite preference.
        pair, preference = ((c.i, c.j), c.preference) if c.i < c.j else ((c.j, c.i), -c.preference)
        by_pair.setdefault(pair, []).append(preference)
    return [preferences for preferences in by_pair.values() if len(preferences) > 1]


def repeated(history: History) -> tuple[int, int]:
    """Return how many repeated questions always had the same answer, and how many did not."""
    again = _repeated_answers(history)
    confirmed = sum(len(set(preferences)) == 1 for preferences in again)
    return confirmed, len(again) - confirmed


def wavers(history: History) -> bool:
    """Return whether the person wavers: returns to a first answer after its opposite, about as often as corrections last."""
    # Only a third answer tells a lasting correction from a return to the first answer.
    settled = [given for given in _repeated_answers(history) if len(given) > 2 and given[0] != given[1]]
    returns = sum(given[0] == given[2] for given in settled)
    return returns > 0 and len(settled) - returns <= LASTING_PER_RETURN * returns


def trusted(history: History) -> bool:
    """Return whether the person has confirmed enough answers to be trusted."""
    confirmed, taken_back = repeated(history)
    return confirmed >= TRUSTED and not taken_back


def has_corrections(history: History) -> bool:
    """Return whether the person gave two different answers to some question."""
    return repeated(history)[1] > 0


def share_of_slips(utilities: Utilities | None, expected: float = PRIOR_SLIPS) -> float:
    """Return the expected share of slips: the posterior mean of the slip rate, or its prior mean without utilities.

    `expected` is the prior number of slips in `PRIOR_ANSWERS` answers.
    """
    found, among = (0.0, 0) if utilities is None else (float(utilities.slips.sum()), len(utilities.statements))
    return (expected + found) / (PRIOR_ANSWERS + among)


def unsettled(history: History) -> bool:
    """Return whether the last question was answered exactly twice, in opposite ways."""
    last = history.comparisons[-1]
    same = [
        c.preference if c.i == last.i else -c.preference for c in history.comparisons if {c.i, c.j} == {last.i, last.j}
    ]
    return len(same) == 2 and same[0] != same[1]


def suspicious(history: History, utilities: Utilities) -> Iterator[tuple[int, int]]:
    """Yield the pairs whose only answer is likely to be a slip, the likeliest first; nothing if the person is trusted."""
    if utilities.statements.doubt is None:
        return
    # A pair that was asked about twice already is `unsettled`, or settled.
    asked = Counter(frozenset((c.i, c.j)) for c in history.comparisons)
    statements, slips = utilities.statements, utilities.slips
    for k in np.argsort(-slips, kind="stable"):
        pair = int(statements.first[k]), int(statements.second[k])
        if slips[k] < SUSPICIOUS:
            return
        if asked[frozenset(pair)] == 1:
            yield pair


def unbeaten(utilities: Utilities, among: Indices) -> Indices:
    """Return the samples of `among` that lost no comparison, taking slips into account.

    The second sample of a tie counts as beaten. A doubtful answer does not count; one that is surely a slip counts as its
    opposite.
    """
    statements, slips = utilities.statements, utilities.slips
    beaten = np.zeros(len(utilities.X), dtype=bool)
    beaten[statements.second[slips < SUSPICIOUS]] = True
    beaten[statements.first[slips > 1 - SUSPICIOUS]] = True
    return np.asarray(among[~beaten[among]])

"""Ratings from numbers that were measured, such as the stars that a program counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prefero.answers.rating import as_rating
from prefero.errors import AnswerError, InputError
from prefero.space import Candidate
from prefero.space.arrays import Vector
from prefero.study import Study
from prefero.study.checks import checked_candidate


def rate_measured(study: Study, name: str, *, limits: Sequence[float] | None = None, judge: str = "") -> int:
    """Rate every candidate by a number that was measured of it, and return how many ratings are new.

    Nothing is rated if one of the numbers is no level. A candidate that the judge rated so already is left alone, and so is one
    that the present bounds and constraints exclude.

    Parameters
    ----------
    study: a study whose candidates were measured: `study.measure(candidate, {"stars": 4})`.
    name: of the number.
    limits: the numbers between two levels of the study's scale, one less than it has levels: rising if a larger number is better,
        falling if it is worse. By default the number is the level, 1 the worst.
    judge: whose ratings they are.
    """
    scale, found = study.settings.scale, study.log.state.measurements
    between = None if limits is None else _checked(limits, len(scale))
    known = sorted({each for measured in found.values() for each in measured.numbers})
    if name not in known:
        raise InputError.of("name", name, f"the name of a number that was measured: {known}")
    levels = {
        candidate: _level(name, measured.numbers[name], between, scale)
        for candidate, measured in found.items()
        if name in measured.numbers and _is_possible(study, candidate)
    }
    shown, ratings = study.candidates, study.history.ratings
    rated = {shown[rating.sample]: rating.level for rating in ratings if rating.judge == judge}
    new = [candidate for candidate, level in levels.items() if rated.get(candidate) != level]
    for candidate in new:
        study.rate(candidate, levels[candidate], judge=judge)
    return len(new)


def _checked(limits: object, levels: int) -> Vector:
    """Return the limits; InputError if they do not part so many levels."""
    try:
        between = np.asarray(limits, dtype=float)
    except (ValueError, TypeError):
        between = np.array(np.nan)
    if between.shape == (levels - 1,) and np.isfinite(between).all():
        rises = np.diff(between)
        if (rises > 0).all() or (rises < 0).all():
            return between
    raise InputError.of("limits", limits, f"{levels - 1} numbers between {levels} levels, rising or falling")


def _level(name: str, number: float, between: Vector | None, scale: Sequence[str]) -> int:
    if between is not None:
        return 1 + int(np.sum(number <= between if between[0] > between[-1] else number >= between))
    try:
        return as_rating(number, scale)
    except AnswerError:
        raise InputError.of(name, number, f"a level from 1 to {len(scale)}, or limits between the levels") from None


def _is_possible(study: Study, candidate: Candidate) -> bool:
    try:
        checked_candidate("candidate", candidate, study.space)
    except InputError:
        return False
    return True

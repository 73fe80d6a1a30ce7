"""Ratings from numbers that were measured, such as the stars that a program counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prefero.answers.rating import as_rating
from prefero.errors import AnswerError, InputError
from prefero.space import Candidate
from prefero.study import Study


def rate_measured(study: Study, name: str, *, limits: Sequence[float] | None = None, judge: str = "") -> int:
    """Rate every candidate by a number that was measured of it, and return how many ratings are new.

    Nothing is rated if one of the numbers is no level. A candidate that the judge rated so already is left alone.

    Parameters
    ----------
    study: a study whose candidates were measured: `study.measure(candidate, {"stars": 4})`.
    name: of the number.
    limits: the numbers between two levels of the study's scale, one less than it has levels: rising if a larger number is better,
        falling if it is worse. By default the number is the level, 1 the worst.
    judge: whose ratings they are.
    """
    seen = {tuple(each.candidate.items()): Candidate(each.candidate) for each in study.log.state.measured}
    found = [(each, study.log.measured(each).numbers) for each in seen.values()]
    numbers = [(candidate, measured[name]) for candidate, measured in found if name in measured]
    if not numbers:
        known = sorted({each for _, measured in found for each in measured})
        raise InputError.of("name", name, f"the name of a number that was measured: {known}")
    levels = [_level(study, name, number, limits) for _, number in numbers]
    shown, ratings = study.candidates, study.history.ratings
    known_of = {shown[rating.sample]: rating.level for rating in ratings if rating.judge == judge}
    new = [(each, level) for (each, _), level in zip(numbers, levels, strict=True) if known_of.get(each) != level]
    for candidate, level in new:
        study.rate(candidate, level, judge=judge)
    return len(new)


def _level(study: Study, name: str, number: float, limits: Sequence[float] | None) -> int:
    scale = study.settings.scale
    if limits is None:
        try:
            return as_rating(number, scale)
        except AnswerError:
            raise InputError.of(name, number, f"a level from 1 to {len(scale)}, or limits between the levels") from None
    between = np.asarray(limits, dtype=float)
    rises = np.diff(between)
    if between.shape != (len(scale) - 1,) or not np.isfinite(between).all() or not (all(rises > 0) or all(rises < 0)):
        raise InputError.of(
            "limits", limits, f"{len(scale) - 1} numbers between {len(scale)} levels, rising or falling"
        )
    falls = len(between) > 1 and rises[0] < 0
    return 1 + int(np.sum(number <= between if falls else number >= between))

"""A study as tables: a row for each candidate, or for each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prefero.answers import SIDES
from prefero.errors import PreferoError

if TYPE_CHECKING:
    from prefero.study.study import Study

Row = dict[str, Any]

ANSWER_COLUMNS = (
    "step",
    "answer",
    "who",
    "time",
    "seconds",
    "note",
    "status",
    "corrected",
    "contradicts",
    "source",
    "sure",
)


def candidate_rows(study: Study) -> list[Row]:
    """Return a row for each candidate of the history: its values, wins, losses and ties, its mean rating, and what was measured."""
    history, best = study.history, study.best
    wins, losses, ties = (np.zeros(len(history.points), dtype=int) for _ in range(3))
    for c in history.comparisons:
        winner, loser = (c.i, c.j) if c.preference == -1 else (c.j, c.i)
        for sample, count in ((winner, wins if c.preference else ties), (loser, losses if c.preference else ties)):
            count[sample] += 1
    ratings: dict[int, list[int]] = {}
    for rating in history.ratings:
        ratings.setdefault(rating.sample, []).append(rating.level)
    rows = []
    for k, candidate in enumerate(study.candidates):
        results: Row = {
            "won": int(wins[k]),
            "lost": int(losses[k]),
            "tied": int(ties[k]),
            "failed": k in history.failed,
            "best": candidate == best,
        }
        if k in ratings:
            results["rating"] = float(np.mean(ratings[k]))
        measured = {f"measured {name}": value for name, value in study.log.measured(candidate).numbers.items()}
        rows.append({"candidate": k} | dict(candidate) | results | measured)
    return rows


def answer_rows(study: Study) -> list[Row]:
    """Return a row for each answer, also imported ones: the variables of both candidates as "a …" and "b …", and the answer.

    If there are more candidates, their variables are "c …", "d …", and the answer is an order, such as "c>abd".
    """
    rows = []
    for entry in study.answers:
        shown = zip(SIDES, (entry.a, entry.b, *entry.more), strict=False)
        sides = {f"{side} {name}": value for side, candidate in shown for name, value in candidate.items()}
        said = {name: getattr(entry, name) for name in ANSWER_COLUMNS}
        rows.append({"step": said.pop("step")} | sides | said)
    return rows


def data_frame(rows: Sequence[Row]) -> Any:
    """Return the rows as a pandas DataFrame."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise PreferoError("a DataFrame needs pandas: pip install pandas") from None
    return pd.DataFrame(rows)

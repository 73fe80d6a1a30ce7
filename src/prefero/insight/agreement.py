"""The recommendation of each judge's answers, and the pairs that judges disagree about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from prefero.answers import Answer, History, as_answer, contradictions
from prefero.errors import InputError
from prefero.space import Candidate
from prefero.space.arrays import Mask
from prefero.study import Study
from prefero.study.session import Session
from prefero.study.state import State


@dataclass(frozen=True)
class Standing:
    """The recommendation of everybody's answers (judge is None), or of one judge's answers."""

    judge: str | None
    best: Candidate | None
    answers: int
    contradictions: int


@dataclass(frozen=True)
class Disagreement:
    """A pair that judges disagree about.

    said: "a", "same" or "b" for each judge, given directly or implied by the judge's other answers.
    """

    a: Candidate
    b: Candidate
    said: dict[str, Answer]


def judge_names(study: Study) -> tuple[str, ...]:
    """Return the judges whose answers count, in the order of their first answers."""
    return study.history.judges


def standing(study: Study, judge: str | None = None) -> Standing:
    """Return the recommendation of everybody's answers, or of one judge's answers alone."""
    state = study.log.state
    if judge is None:
        return Standing(None, study.best, state.answers, contradictions(state.history.comparisons))
    names = judge_names(study)
    if judge not in names:
        raise InputError.of("judge", judge, f"one of the judges who answered: {list(names)}")
    return standing_of(state, judge, Session.of(state).best(history_of(state, judge)))


def standing_of(state: State, judge: str | None, best: int | None) -> Standing:
    """Return the standing with the sample that is recommended, which may have been computed elsewhere."""
    history = history_of(state, judge)
    shown = None if best is None else state.samples.shown[best]
    return Standing(judge, shown, history.answers, contradictions(history.comparisons))


def disagreements(study: Study) -> tuple[Disagreement, ...]:
    """Return the pairs that the answers of two judges order differently, directly or through other candidates.

    If a judge's answers contradict each other about a pair, the judge has no opinion on it. Ties are not passed on to other
    candidates.
    """
    state = study.log.state
    views: dict[tuple[int, int], dict[str, Answer]] = {}
    for judge in judge_names(study):
        table = _preferences(history_of(state, judge))
        for i, j in zip(*np.nonzero(np.triu(table != _UNKNOWN)), strict=True):
            views.setdefault((int(i), int(j)), {})[judge] = as_answer(int(table[i, j]))  # type: ignore[arg-type]
    shown = state.samples.shown
    return tuple(
        Disagreement(shown[i], shown[j], said) for (i, j), said in sorted(views.items()) if len(set(said.values())) > 1
    )


def history_of(state: State, judge: str | None) -> History:
    """Return the history with the answers of one judge alone, or of everybody."""
    return state.history if judge is None else state.history.of_judge(judge)


_UNKNOWN = 9


def _preferences(history: History) -> np.ndarray[Any, np.dtype[np.int_]]:
    """Return π(x_i, x_j) for all pairs of samples, _UNKNOWN for those that no answer orders."""
    n = len(history.points)
    beats: Mask = np.zeros((n, n), dtype=bool)
    table = np.full((n, n), _UNKNOWN)
    for c in history.comparisons:
        if c.preference:
            beats[c.winner, c.loser] = True
        else:
            table[c.i, c.j] = table[c.j, c.i] = 0
    for k in range(n):  # Warshall's transitive closure
        beats |= np.outer(beats[:, k], beats[k])
    table[beats & ~beats.T] = -1
    table[beats.T & ~beats] = 1
    return table

"""`optimize(prefer, space)`: the loop for answers that come from a function."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TextIO

import numpy as np

from prefero.answers import Preference, as_level, as_unacceptable, contradictions
from prefero.errors import AnswerError, ExhaustedError, InputError, JudgeError
from prefero.space import Candidate, Space
from prefero.space.arrays import Vector
from prefero.space.catalogue import Catalogue
from prefero.study import Study
from prefero.study.checks import DEFAULT_PROPOSER, as_space
from prefero.study.study import AnyProposer

Prefer = Callable[[Any, Any], Any]


class Status(IntEnum):
    """Why the loop ended."""

    BUDGET = 0
    EXHAUSTED = 1
    STOPPED = 2
    INTERRUPTED = 3
    JUDGE_FAILED = 4
    FAILED = 5


_MESSAGES = {
    Status.BUDGET: "All {n} comparisons were made.",
    Status.EXHAUSTED: "Every candidate has been compared with the best one, after {n} comparisons.",
    Status.STOPPED: "The callback stopped after {n} comparisons.",
    Status.INTERRUPTED: "Interrupted after {n} comparisons; this is what is known so far.",
    Status.JUDGE_FAILED: "The comparing function failed after {n} comparisons; this is what was known by then.",
    Status.FAILED: "Something failed after {n} comparisons; this is what was known by then.",
}


@dataclass(frozen=True)
class Result:
    """What `optimize` found, in the manner of SciPy's OptimizeResult.

    best: the recommended candidate (None if nothing was answered); x is the same as a vector.
    incumbents: the recommendation after each comparison.
    success: whether the loop ran to its end; status and message tell how it ended.
    n_comparisons: answers that count. seconds: time spent proposing, not waiting for answers.
    contradictions: how many answers contradict others.
    study: the study itself, to go on from here.
    row: the number of the best candidate's row in a catalogue, from 0; None in other spaces.
    """

    best: Candidate | None
    incumbents: tuple[Candidate | None, ...]
    success: bool
    status: Status
    message: str
    n_comparisons: int
    seconds: float
    contradictions: int
    study: Study
    row: int | None = None

    @property
    def x(self) -> Vector | None:
        """The best candidate as a vector, in declared order."""
        return None if self.best is None else np.asarray(self.best)

    def __str__(self) -> str:
        rows = {
            "message": self.message,
            "success": self.success,
            "status": f"{int(self.status)} ({self.status.name.lower()})",
            "best": "nothing yet" if self.best is None else _row(self.best),
            "n_comparisons": self.n_comparisons,
            "seconds": f"{self.seconds:.3f}",
            "contradictions": self.contradictions,
        }
        width = max(map(len, rows))
        return "\n".join(f"{name:>{width}}: {value}" for name, value in rows.items())


def _row(candidate: Candidate) -> str:
    return ", ".join(f"{name}={v:.6g}" if isinstance(v, float) else f"{name}={v}" for name, v in candidate.items())


def optimize(
    prefer: Prefer,
    space: Space | Catalogue | Any,
    *,
    comparisons: int = 30,
    proposer: AnyProposer = DEFAULT_PROPOSER,
    seed: int | None = None,
    start: Sequence[Any] = (),
    callback: Callable[[Study], object] | None = None,
    progress: bool = False,
) -> Result:
    """Find the setting that `prefer` likes best in a given number of comparisons.

    prefer(a, b): "a", "b" or "same", or -1, 1, 0 as in the paper (-1: a is better); "much a" or -2 if a is much better, which
        much("a") returns; "a unacceptable", "b unacceptable" or "neither" if nobody would take it. a is the best so far. Both are
        candidates, mappings by name; with space=(lower, upper) they are plain vectors.
    space: a Space, a Catalogue, or (lower, upper).
    comparisons: how many to make. seed, proposer, start: as of Study.
    callback(study): called after each answer; it stops the loop by returning True or raising StopIteration.
    progress: show a bar on standard error.

    Ctrl-C ends the loop and returns what is known so far. If `prefer`, a callback, a constraint or a proposer raises, the
    exception has it in `.result`.
    """
    _check_functions(prefer, callback)
    vectors = not isinstance(space, Space | Catalogue)
    study = Study(
        as_space(space), comparisons=comparisons, seed=seed, proposer=proposer, start=start, sides="incumbent first"
    )
    incumbents: list[Candidate | None] = []
    seconds = 0.0
    show = _Progress(study.settings.comparisons) if progress else None
    status = Status.BUDGET
    try:
        while len(incumbents) < study.settings.comparisons:  # two that are not acceptable are a question, too
            began = time.perf_counter()
            question = study.ask()
            seconds += time.perf_counter() - began
            a, b = (np.asarray(question.a), np.asarray(question.b)) if vectors else (question.a, question.b)
            study.tell(question, _judged(prefer, a, b))
            incumbents.append(study.best)
            if show:
                show(study)
            if callback is not None and _is_true(callback(study)):
                status = Status.STOPPED
                break
    except ExhaustedError:
        status = Status.EXHAUSTED
    except StopIteration:
        status = Status.STOPPED
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    except Exception as error:
        failed = Status.JUDGE_FAILED if isinstance(error, JudgeError) else Status.FAILED
        error.result = _result(study, incumbents, failed, seconds)  # type: ignore[attr-defined]
        raise
    finally:
        if show:
            show.end()
    return _result(study, incumbents, status, seconds)


def _check_functions(prefer: object, callback: object) -> None:
    if not callable(prefer):
        raise AnswerError.of("prefer", prefer, 'a function prefer(a, b) that returns "a", "b" or "same"')
    if callback is not None and not callable(callback):
        raise InputError.of("callback", callback, "a function of the study")


def _is_true(returned: object) -> bool:
    return isinstance(returned, bool | np.bool_) and bool(returned)


def _judged(prefer: Prefer, a: Any, b: Any) -> Any:
    """Return what `prefer` says; JudgeError if it fails."""
    try:
        answer = prefer(a, b)
    except Exception as error:
        raise JudgeError(f"prefer raised {type(error).__name__}: {error} for a={a}, b={b}") from error
    try:
        return as_unacceptable(answer) or as_level(answer)
    except AnswerError as error:
        raise JudgeError(f"prefer: {error}") from None


def _result(study: Study, incumbents: list[Candidate | None], status: Status, seconds: float) -> Result:
    best, space = incumbents[-1] if incumbents else None, study.space
    return Result(
        best=best,
        incumbents=tuple(incumbents),
        success=status in (Status.BUDGET, Status.EXHAUSTED),
        status=status,
        message=_MESSAGES[status].format(n=len(study.history)),
        n_comparisons=len(study.history),
        seconds=seconds,
        contradictions=contradictions(study.history.comparisons),
        study=study,
        row=space.row(best) if best is not None and isinstance(space, Catalogue) else None,
    )


def preference(f: Callable[[Any], float], tie: float = 0.0) -> Callable[[Any, Any], Preference]:
    """Return the answers of a person who prefers lower values of f, Eq. (pref_fun-f); differences up to `tie` are ties.

    NaN, as from a simulation that diverged, is worse than any number.
    """
    if not callable(f):
        raise InputError.of("f", f, "a function of a candidate that returns a number")

    def prefer(a: Any, b: Any) -> Preference:
        first, second = (np.inf if np.isnan(value) else value for value in (f(a), f(b)))
        if first == second or abs(first - second) <= tie:
            return 0
        return -1 if first < second else 1

    return prefer


class _Progress:
    """A progress bar on one line of standard error."""

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total, self.stream, self.began = total, stream or sys.stderr, time.perf_counter()

    def __call__(self, study: Study) -> None:
        done, width = study.history.answered, 30
        filled = round(width * done / self.total)
        elapsed = time.perf_counter() - self.began
        bar = "█" * filled + "·" * (width - filled)
        self.stream.write(f"\r{bar} {done} of {self.total} comparisons, {elapsed:.1f} s")
        self.stream.flush()

    def end(self) -> None:
        """End the line."""
        self.stream.write("\n")

"""`optimize(prefer, space)`: the loop for answers that come from a function."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, TextIO

import numpy as np

from prefero.answers import (
    SIDES,
    Preference,
    Said,
    as_kind,
    as_level,
    as_order,
    as_said,
    as_unacceptable,
    contradictions,
)
from prefero.errors import AnswerError, ExhaustedError, InputError, JudgeError
from prefero.space import Candidate, Space
from prefero.space.arrays import Vector
from prefero.space.catalogue import Catalogue
from prefero.space.html import table
from prefero.storage import Storage
from prefero.storage.events import Record
from prefero.study import Question, Study
from prefero.study.checks import DEFAULT_PROPOSER, checked_count
from prefero.study.reasons import Confirm, Reasons, Suggestion, record_confirmed, suggestions
from prefero.study.session import STAND_IN
from prefero.study.study import AnyProposer, Kinds

Prefer = Callable[..., Any]
STALLED = 100
"""End the loop if so many questions in a row were skipped, or ended because a candidate failed."""


class Status(IntEnum):
    """Why the loop ended."""

    BUDGET = 0
    EXHAUSTED = 1
    STOPPED = 2
    INTERRUPTED = 3
    JUDGE_FAILED = 4
    FAILED = 5
    STALLED = 6


_MESSAGES = {
    Status.BUDGET: "All {n} comparisons were made.",
    Status.EXHAUSTED: "Every candidate has been compared with the best one, after {n} comparisons.",
    Status.STOPPED: "The callback stopped after {n} comparisons.",
    Status.INTERRUPTED: "Interrupted after {n} comparisons; this is what is known so far.",
    Status.JUDGE_FAILED: "The comparing function failed after {n} comparisons; this is what was known by then.",
    Status.STALLED: "None of the last {stalled} questions was answered, after {n} comparisons.",
    Status.FAILED: "Something failed after {n} comparisons; this is what was known by then.",
}


@dataclass(frozen=True, repr=False)
class Result:
    """What `optimize` found, in the manner of SciPy's OptimizeResult.

    best: the recommended candidate (None if nothing was answered); x is the same as a vector.
    incumbents: the recommendation after each comparison of this call.
    success: whether the loop ran to its end; status and message tell how it ended.
    n_comparisons: answers that count. seconds: time spent proposing, not waiting for answers.
    contradictions: how many answers contradict others.
    study: the study itself, to go on from here: `optimize(prefer, result.study, comparisons=50)`.
    row: the number of the best candidate's row in a catalogue, from 0; None in other spaces.
    fallbacks: questions that the proposer failed to choose; a space-filling candidate took its place.
    skipped, failed: questions of this call that ended without a comparison.
    suggestions: hints that `reasons` suggested and nobody was asked about; `suggestion.confirm(result.study)` records one.
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
    fallbacks: int = 0
    skipped: int = 0
    failed: int = 0
    suggestions: tuple[Suggestion, ...] = ()

    @property
    def x(self) -> Vector | None:
        """The best candidate as a vector, in declared order."""
        return None if self.best is None else np.asarray(self.best)

    @property
    def table(self) -> dict[str, object]:
        """What `print` shows, by name; numbers that are 0 as a rule are left out while they are."""
        rows = {
            "message": self.message,
            "success": self.success,
            "status": f"{int(self.status)} ({self.status.name.lower()})",
            "best": "nothing yet" if self.best is None else _row(self.best),
            "n_comparisons": self.n_comparisons,
            "seconds": f"{self.seconds:.3f}",
            "contradictions": self.contradictions,
        }
        rare = {name: getattr(self, name) for name in ("fallbacks", "skipped", "failed")}
        rare["suggestions"] = len(self.suggestions)
        return rows | {name: count for name, count in rare.items() if count}

    def __str__(self) -> str:
        width = max(map(len, self.table))
        return "\n".join(f"{name:>{width}}: {value}" for name, value in self.table.items())

    def _repr_html_(self) -> str:
        rows = {name: value for name, value in self.table.items() if name not in ("message", "best")}
        best = {} if self.best is None else dict(self.best)
        return table(best, caption="Best" if best else "Nothing yet") + table(rows, caption=self.message)

    __repr__ = __str__  # as SciPy's: the fields hold the whole study


def _row(candidate: Candidate) -> str:
    return ", ".join(f"{name}={v:.6g}" if isinstance(v, float) else f"{name}={v}" for name, v in candidate.items())


def optimize(
    prefer: Prefer,
    space: Space | Catalogue | Study | Any,
    *,
    comparisons: int | None = None,
    proposer: AnyProposer = DEFAULT_PROPOSER,
    seed: int | None = None,
    start: Sequence[Any] = (),
    callback: Callable[[Study], object] | None = None,
    progress: bool = False,
    storage: str | Storage | Any = None,
    name: str | None = None,
    kind: Kinds = "pair",
    reasons: Reasons | None = None,
    confirm: Confirm | None = None,
) -> Result:
    """Find the setting that `prefer` likes best in a given number of comparisons.

    prefer(a, b): "a", "b" or "same", or -1, 1, 0 as in the paper (-1: a is better); "much a" or -2 if a is much better, which
        much("a") returns; "a unacceptable", "b unacceptable" or "neither" if nobody would take it. a is the best so far. Both are
        candidates, mappings by name; with bounds instead of a Space they are plain vectors. "skip" if it cannot tell,
        "a failed" or "b failed" if a candidate could not be tried: these and "neither" do not count as comparisons.
        With another `kind` it gets more candidates, prefer(a, b, c, d), and returns what `Study.tell` takes, such as "best c". A
        full ranking, such as ["b", "a", "d", "c"], always does: what the question does not ask for is dropped.
        unsure("a") if it is not sure, because("a", "less noise") with its reason, rated("a", b=2) with levels.
    space: a Space, a Catalogue, (lower, upper), SciPy's Bounds or a list of (low, high); or a Study, to continue it.
    comparisons: how many there shall be in the end, those of a continued study included; by default 30, or the study's.
    seed, proposer, start, kind: as of Study. A study that is continued keeps its own.
    callback(study): called after each question; it stops the loop by returning True or raising StopIteration.
    progress: show a bar on standard error.
    storage, name: store the study under that name, in a database given by its URL or its path. If there is one of that
        name, it is continued: a script that was stopped goes on when it is run again.
    reasons: suggests hints from the reasons in answers such as because("a", "too cold"), as for `prefero.suggestions`. They are
        collected in the result's `suggestions`, and change nothing.
    confirm(suggestion): asks a person about each suggested hint at once. Only those for which it returns True are recorded.

    Ctrl-C ends the loop and returns what is known so far. If `prefer`, a callback, a constraint or a proposer raises, the
    exception has it in `.result`. A proposer function that raises does not end the loop: it is warned about once and
    counted in `fallbacks`; a `reasons` function that raises is warned about once.
    """
    _check_functions(prefer, callback, reasons, confirm)
    vectors = not isinstance(space, Space | Catalogue | Study)
    given = {"proposer": proposer, "seed": seed, "start": start, "kind": kind}
    study = _study(space, storage, name, comparisons, sides="incumbent first", **given)
    total = study.settings.comparisons if comparisons is None else checked_count("comparisons", comparisons)
    run = _Run(study, total, reasons, confirm)
    show = _Progress(run.comparisons) if progress else None
    status = Status.BUDGET
    try:
        while study.history.answered < run.comparisons:
            run.step(prefer, vectors)
            if show:
                show(study)
            if run.stalled >= STALLED or (callback is not None and _is_true(callback(study))):
                status = Status.STALLED if run.stalled >= STALLED else Status.STOPPED
                break
    except ExhaustedError:
        status = Status.EXHAUSTED
    except StopIteration:
        status = Status.STOPPED
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    except Exception as error:
        failed = Status.JUDGE_FAILED if isinstance(error, JudgeError) else Status.FAILED
        error.result = run.result(failed)  # type: ignore[attr-defined]
        raise
    finally:
        if show:
            show.end()
    return run.result(status)


def _study(space: Any, storage: Any, name: str | None, comparisons: int | None, **settings: Any) -> Study:
    """Return the study to run: a given one, a stored one, or a new one."""
    if isinstance(space, Study):
        if storage is not None or name is not None:
            raise InputError.of("storage, name", (storage, name), "neither: the study that is continued has its own")
        return space
    settings["comparisons"] = 30 if comparisons is None else comparisons
    if storage is None and name is None:
        return Study(space, **settings)
    if name is None:
        raise InputError.of("name", name, "the name under which the study is stored")
    return Study.create(space, name=name, storage=storage, load_if_exists=True, **settings)


@dataclass
class _Run:
    """A study on its way to a number of comparisons, and what happened so far."""

    study: Study
    comparisons: int
    reasons: Reasons | None = None
    confirm: Confirm | None = None
    incumbents: list[Candidate | None] = field(default_factory=list)
    best: Candidate | None = None
    seconds: float = 0.0
    fallbacks: int = 0
    skipped: int = 0
    failed: int = 0
    stalled: int = 0  # questions in a row without a comparison
    suggestions: tuple[Suggestion, ...] = ()
    unheard: bool = False  # whether the function failed to suggest anything from a reason

    def __post_init__(self) -> None:
        self.best = self.study.best

    def step(self, prefer: Prefer, vectors: bool) -> None:
        """Ask one question and record what `prefer` says."""
        study = self.study
        began = time.perf_counter()
        question = study.ask()
        self.seconds += time.perf_counter() - began
        if question.note.startswith(STAND_IN):
            self._fell_back(question)
        said, answered = _judged(prefer, question, vectors), study.history.answered
        if said.answer == "skip":
            record = study.skip(question, note=said.note)
            self.skipped += 1
        elif isinstance(said.answer, str) and said.answer.endswith(" failed"):
            record = study.fail(question, said.answer[0], note=said.note)  # type: ignore[arg-type]
            self.failed += 1
        else:
            record = study.tell(question, said)
        self.best = study.best
        compared = study.history.answered > answered
        self.stalled = 0 if compared else self.stalled + 1
        if compared:
            self.incumbents.append(self.best)
        self._suggest(record, compared)

    def _suggest(self, record: Record, compared: bool) -> None:
        """Suggest hints from the reason of an answer, which is stored already, and record those that a person confirms."""
        found = self._suggested(record)
        if self.confirm is None:
            self.suggestions += found
            return
        try:
            record_confirmed(self.study, record, found, self.confirm)
        finally:  # Ctrl-C may come after the first of two hints
            if found:
                self.best = self.study.best  # a direction may change it
                self.incumbents[len(self.incumbents) - compared :] = [self.best] * compared

    def _suggested(self, record: Record) -> tuple[Suggestion, ...]:
        if self.reasons is None:
            return ()
        try:
            return suggestions(self.study, record, self.reasons)
        except JudgeError as error:
            if not self.unheard:
                warnings.warn(f"no hints were suggested: {error}", RuntimeWarning, stacklevel=5)
            self.unheard = True
            return ()

    def _fell_back(self, question: Question) -> None:
        self.fallbacks += 1
        if self.fallbacks == 1:
            text = f"question {question.step} is {question.note}; result.fallbacks counts such questions"
            warnings.warn(text, RuntimeWarning, stacklevel=4)

    def result(self, status: Status) -> Result:
        """Return what is known now."""
        study, best, space = self.study, self.best, self.study.space
        message = _MESSAGES[status].format(n=study.history.answers, stalled=self.stalled)
        if self.fallbacks:
            message += f" The proposer failed to choose {self.fallbacks} of the questions."
        return Result(
            best=best,
            incumbents=tuple(self.incumbents),
            success=status in (Status.BUDGET, Status.EXHAUSTED),
            status=status,
            message=message,
            n_comparisons=study.history.answers,
            seconds=self.seconds,
            contradictions=contradictions(study.history.comparisons),
            study=study,
            row=space.row(best) if best is not None and isinstance(space, Catalogue) else None,
            fallbacks=self.fallbacks,
            skipped=self.skipped,
            failed=self.failed,
            suggestions=self.suggestions,
        )


def _check_functions(prefer: object, callback: object, reasons: object, confirm: object) -> None:
    if not callable(prefer):
        raise AnswerError.of("prefer", prefer, 'a function prefer(a, b) that returns "a", "b" or "same"')
    if callback is not None and not callable(callback):
        raise InputError.of("callback", callback, "a function of the study")
    if reasons is not None and not callable(reasons):
        raise InputError.of("reasons", reasons, "a function of an answer that returns a list of hints")
    if confirm is not None and not callable(confirm):
        raise InputError.of("confirm", confirm, "a function of a suggestion that returns True or False")
    if confirm is not None and reasons is None:
        raise InputError(
            "confirm: there is nothing to confirm; give reasons, the function that suggests hints, as well"
        )


def _is_true(returned: object) -> bool:
    return isinstance(returned, bool | np.bool_) and bool(returned)


def _judged(prefer: Prefer, question: Question, vectors: bool) -> Said:
    """Return what `prefer` says: π with its strength, an order, or why there is none; JudgeError if it fails."""
    shown = {side: np.asarray(each) if vectors else each for side, each in question.sides.items()}
    try:
        answer = prefer(*shown.values())
    except Exception as error:
        given = ", ".join(f"{side}={each}" for side, each in shown.items())
        raise JudgeError(f"prefer raised {type(error).__name__}: {error} for {given}") from error
    said = as_said(answer)
    return replace(said, answer=_answer(said.answer, question))


def _answer(answer: Any, question: Question) -> Any:
    """Return an answer that a question takes, in the form that a study stores; JudgeError if it is none."""
    if isinstance(answer, str) and answer in ("skip", "skipped"):
        return "skip"
    if isinstance(answer, str) and answer in [f"{side} failed" for side in question.sides]:
        return answer
    rejections = [f"{side} unacceptable" for side in question.sides]
    try:
        if not question.more:
            return as_unacceptable(answer) or as_level(answer)
        if as_unacceptable(answer) or (isinstance(answer, str) and answer in rejections):
            return answer
        return as_order(answer, as_kind(question.kind), narrow=True)
    except AnswerError as error:
        raise JudgeError(f'prefer: {error}, "skip", "a failed" or "b failed"') from None


def preference(f: Callable[[Any], float], tie: float = 0.0) -> Callable[..., Any]:
    """Return the answers of a person who prefers lower values of f, Eq. (pref_fun-f); differences up to `tie` are ties.

    NaN, as from a simulation that diverged, is worse than any number. More than two candidates are ranked, best first.
    """
    if not callable(f):
        raise InputError.of("f", f, "a function of a candidate that returns a number")

    def prefer(a: Any, b: Any, *more: Any) -> Preference | list[str]:
        values = [np.inf if np.isnan(value) else value for value in map(f, (a, b, *more))]
        if more:
            return [SIDES[k] for k in np.argsort(values, kind="stable")]
        first, second = values
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

"""Everything prefero raises on purpose.

    PreferoError
    ├── InputError (ValueError)      an argument is wrong: which one, what was given, what is allowed
    │   ├── AnswerError              what was said is not an answer
    │   ├── QuestionError            the question is unknown, old or answered already
    │   ├── FormatError              a stored study cannot be read
    │   ├── UnknownStudyError        there is no study of that name, or it was deleted meanwhile
    │   └── NameTakenError           there is a study of that name already
    ├── StorageError                 the database cannot be used: why, and nothing was half-written
    │   └── ConflictError            somebody else appended first
    ├── RevokedError                 a token is no longer valid
    ├── ConstraintError              a constraint function raised, or returned something unusable
    ├── InfeasibleError              no candidate, or too few, satisfy the constraints
    ├── JudgeError                   the function that compares raised; what was known by then is in `.result`
    ├── ExhaustedError               every candidate of a finite space has been compared with the best one
    └── SolverError                  a program was solved outside its tolerance

Failures that are expected (a solver's status, an inner problem without a solution) are values, not exceptions.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Self


class PreferoError(Exception):
    """The root of prefero's errors."""

    @classmethod
    def of(cls, argument: str, given: object, allowed: str) -> Self:
        """The sentence that every complaint about an argument follows."""
        return cls(f"{argument}: got {shorten(given)}; allowed: {allowed}")


class InputError(PreferoError, ValueError):
    """An argument is wrong."""


class AnswerError(InputError):
    """What was said is not an answer."""


class QuestionError(InputError):
    """The question is not the one that waits for an answer."""


class FormatError(InputError):
    """A stored study cannot be read."""


class UnknownStudyError(InputError):
    """There is no study of that name, or it was deleted meanwhile."""


class NameTakenError(InputError):
    """There is a study of that name already."""


class StorageError(PreferoError):
    """The database cannot be used; nothing was half-written."""


class ConflictError(StorageError):
    """Somebody else appended first: what happened since has to be read before another try."""


class RevokedError(PreferoError):
    """The token of a request is no longer valid; nothing was read or written."""


class ConstraintError(PreferoError):
    """A constraint function raised, or returned something that is not a finite number."""


class InfeasibleError(PreferoError):
    """No candidate, or too few of them, satisfy the constraints."""


class JudgeError(PreferoError):
    """The function that compares two candidates raised; `result` holds what was known by then."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class ExhaustedError(PreferoError):
    """Every candidate of a finite space has been compared with the best one."""


class SolverError(PreferoError):
    """A linear or quadratic program was solved outside its tolerance."""


def shorten(given: object, limit: int = 80) -> str:
    """A representation of `given` that fits into one line of an error message."""
    try:
        text = " ".join(repr(given).split())
    except Exception:  # noqa: BLE001 (a broken __repr__ must not hide the mistake being reported)
        text = f"an object of type {type(given).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def number(name: str, given: Any) -> float:
    """`given` as a float, or an error that names it; text that looks like a number is none."""
    if isinstance(given, bool) or not isinstance(given, Real):
        raise InputError.of(name, given, "a number")
    try:
        return float(given)
    except OverflowError:
        raise InputError.of(name, given, "a number below 1e308") from None

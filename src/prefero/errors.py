"""The exceptions that prefero raises on purpose.

    PreferoError
    ├── InputError (ValueError)      an argument is wrong: which one, what was given, what is allowed
    │   ├── AnswerError              the value given as an answer is not one
    │   ├── QuestionError            the question is unknown, outdated or already answered
    │   ├── FormatError              a stored study cannot be read
    │   ├── UnknownStudyError        no study has that name, or it was deleted
    │   └── NameTakenError           another study has that name
    ├── StorageError                 the database cannot be used; nothing was half-written
    │   ├── ConflictError            another process appended first
    │   └── DamagedError             what the database holds is not what was written to it
    ├── RevokedError                 a token is no longer valid
    ├── ConstraintError              a constraint function raised, or returned an unusable value
    ├── InfeasibleError              no candidate, or too few, satisfy the constraints
    ├── JudgeError                   the comparison function raised; `.result` holds what was known by then
    ├── ExhaustedError               every candidate of a finite space was compared with the best one
    └── SolverError                  a linear or quadratic program was not solved to its tolerance

Expected failures (a solver's status, an inner problem without a solution) are values, not exceptions.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self


class PreferoError(Exception):
    """The base class of prefero's exceptions."""

    @classmethod
    def of(cls, argument: str, given: object, allowed: str) -> Self:
        """Return the error about an argument: its name, what was given, and what is allowed."""
        return cls(f"{argument}: got {shorten(given)}; allowed: {allowed}")


class InputError(PreferoError, ValueError):
    """An argument is wrong."""


class AnswerError(InputError):
    """The value given as an answer is not one."""


class QuestionError(InputError):
    """The question is not the one that waits for an answer."""


class FormatError(InputError):
    """A stored study cannot be read."""


class UnknownStudyError(InputError):
    """No study has that name, or it was deleted."""


class NameTakenError(InputError):
    """Another study has that name."""


class StorageError(PreferoError):
    """The database cannot be used; nothing was half-written."""


class ConflictError(StorageError):
    """Another process appended first: read its events, then try again."""


class DamagedError(StorageError):
    """What the database holds is not what was written to it."""


class RevokedError(PreferoError):
    """The token of a request is no longer valid; nothing was read or written."""


class ConstraintError(PreferoError):
    """A constraint function raised, or returned a value that is not a finite number."""


class InfeasibleError(PreferoError):
    """No candidate, or too few of them, satisfy the constraints."""


class JudgeError(PreferoError):
    """The function that compares two candidates raised; `result` holds what was known by then."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class ExhaustedError(PreferoError):
    """Every candidate of a finite space was compared with the best one."""


class SolverError(PreferoError):
    """A linear or quadratic program was not solved to its tolerance."""


def shorten(given: object, limit: int = 80) -> str:
    """Return a representation of `given` on one line, at most `limit` characters long."""
    try:
        text = " ".join(repr(given).split())
    except Exception:  # noqa: BLE001 (a broken __repr__ must not hide the mistake being reported)
        text = f"an object of type {type(given).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def check_whole(name: str, given: object, least: int) -> None:
    """Raise InputError unless `given` is None or a whole number from `least` up."""
    whole = isinstance(given, Integral) and not isinstance(given, bool)
    if given is not None and (not whole or given < least):  # type: ignore[operator]
        raise InputError.of(name, given, f"a whole number from {least} up")


def number(name: str, given: Any) -> float:
    """Return `given` as a float; raise InputError if it is not a number. Text that looks like a number is not one."""
    if isinstance(given, bool) or not isinstance(given, Real):
        raise InputError.of(name, given, "a number")
    try:
        return float(given)
    except OverflowError:
        raise InputError.of(name, given, "a number below 1e308") from None

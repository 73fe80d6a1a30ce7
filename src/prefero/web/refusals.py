"""Refusals: errors as HTTP replies, each with a status and the error's own message."""

from __future__ import annotations

from collections.abc import Mapping

from prefero.errors import (
    ConflictError,
    ConstraintError,
    ExhaustedError,
    InfeasibleError,
    InputError,
    NameTakenError,
    PreferoError,
    QuestionError,
    StorageError,
    UnknownStudyError,
)


class Refusal(Exception):
    """A refused request: an HTTP status, and a sentence for people."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


STATUS: tuple[tuple[type[PreferoError], int], ...] = (
    (QuestionError, 409),
    (NameTakenError, 409),
    (UnknownStudyError, 404),
    (InputError, 422),
    (ConstraintError, 422),
    (InfeasibleError, 422),
    (ExhaustedError, 409),
    (ConflictError, 409),
    (StorageError, 503),
)
"""The status of each kind of error; the first that fits is used."""


def refusal_of(error: PreferoError, address: str) -> Refusal:
    """Return the Refusal for an error of ours; it does not reveal the database's address."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 500)
    if status == 503:
        return Refusal(503, "the database is not available: try again", {"Retry-After": "2"})
    return Refusal(status, str(error).replace(f" in {address}", ""))

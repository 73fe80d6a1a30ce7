"""What every storage does. `Memory`, SQLite and PostgreSQL pass one suite of tests, `tests/storage/test_contract.py`.

A storage keeps logs of records and does not know what an event means. Times come from the caller; secrets are kept as digests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from prefero.storage.events import Artifact, Created, ProposerChanged, Record


@dataclass(frozen=True)
class Summary:
    """One study in a list.

    answers: how many answers count. expected: how many are expected. created, last: when it was created and last changed.
    """

    name: str
    question: str
    answers: int
    expected: int
    created: str
    last: str
    proposer: str


def summary_of(records: Sequence[Record], answers: int) -> Summary:
    """Return the summary of a new study that begins with these records."""
    created = records[0].event
    assert isinstance(created, Created)
    changes = [record.event.proposer for record in records if isinstance(record.event, ProposerChanged)]
    proposer = changes[-1] if changes else created.proposer
    times = (records[0].time, records[-1].time)
    return Summary(created.name, created.question, answers, created.comparisons, *times, str(proposer.get("name")))


@dataclass(frozen=True)
class Token:
    """Who may come in: the digest of a secret, a role, and the study it is for (None: all of them)."""

    digest: str
    role: str
    study: str | None
    label: str
    created: str
    expires: str | None = None
    revoked: str | None = None


@dataclass(frozen=True)
class Invitation:
    """Lets a judge make one token before it expires."""

    digest: str
    role: str
    study: str
    judge: str
    created: str
    expires: str
    used: str | None = None


@dataclass
class TokenCheck:
    """The token that a block is done for, the storage that it is of, and whether a transaction has checked it yet."""

    storage: object
    digest: str
    done: bool = False


TOKEN_CHECK: ContextVar[TokenCheck | None] = ContextVar("prefero_token_check", default=None)
"""Set by `Storage.checking` for the block of this thread."""


@contextmanager
def checked_block(
    storage: object, digest: str | None, transaction: Callable[[], AbstractContextManager[object]]
) -> Iterator[None]:
    """Let every transaction of a block check a token; if the block has none, one at its end does."""
    check = None if digest is None else TokenCheck(storage, digest)
    outer = TOKEN_CHECK.set(check)
    try:
        yield
        if check is not None and not check.done:
            with transaction():
                pass
    finally:
        TOKEN_CHECK.reset(outer)


class Storage(Protocol):
    """Logs of studies, their files, and who may come in."""

    address: str
    """Where it is, fit to print."""

    def close(self) -> None:
        """Release connections."""

    def studies(self) -> list[Summary]:
        """Return every study, oldest first."""

    def create(self, records: Sequence[Record], answers: int = 0) -> int:
        """Store a new study that begins with these records; return its number. NameTakenError if the name is taken."""

    def find(self, name: str) -> int:
        """Return the number of a study. UnknownStudyError if there is none."""

    def delete(self, name: str) -> None:
        """Delete a study with everything that belongs to it. UnknownStudyError if there is none."""

    def read(self, study: int, after: int = 0) -> list[Record]:
        """Return the records of a study from a sequence number on. UnknownStudyError if it was deleted."""

    def append(
        self,
        study: int,
        expected: int,
        records: Sequence[Record],
        *,
        answers: int,
        proposer: str,
        artifacts: Sequence[Artifact] = (),
    ) -> None:
        """Add records, and the files they mention, to a log of `expected` records.

        All of it is stored when this returns. ConflictError, and nothing is written, if the log has another length or an
        `answer_id` is taken.
        """

    def artifact(self, study: int, digest: str) -> Artifact | None:
        """Return a file of a study by its digest; None if there is none."""

    def checking(self, digest: str | None) -> AbstractContextManager[None]:
        """Check in every transaction of the block that a token is still valid; RevokedError if it is not.

        If the block has no transaction, the token is checked at its end. None checks nothing. Only this thread is concerned.
        """

    def add_token(self, token: Token) -> None:
        """Store a token."""

    def tokens(self, digest: str | None = None) -> list[Token]:
        """Return every token, or the one with that digest."""

    def revoke_token(self, digest: str, when: str) -> bool:
        """Revoke a token; return whether there was a valid one."""

    def add_invitation(self, invitation: Invitation) -> None:
        """Store an invitation."""

    def accept_invitation(
        self, digest: str, now: str, token_of: Callable[[Invitation], Token]
    ) -> tuple[Invitation, Token] | None:
        """Use an invitation up and store the token that `token_of` makes of it, both or neither.

        None if it is unknown, used or expired. Of two who try, one gets it.
        """

"""What every storage does. `Memory`, SQLite and PostgreSQL pass one suite of tests, `tests/storage/test_contract.py`.

A storage keeps logs of records and does not know what an event means, except that it knows which question waits for which judge:
so one transaction can store an answer, or hand out a question from the pool, without reading the log. Times come from the caller;
secrets are kept as digests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from prefero.storage.events import Artifact, Asked, Created, ProposerChanged, Record, SettingsChanged

MOST_USES = 16
"""How many judges may be asked about one pair of the pool. Fresh pairs come first; this bounds what happens when none are left."""


def pair_key(pair: Mapping[str, Any]) -> frozenset[str]:
    """Return what two pairs of the pool have in common if they are about the same two candidates."""
    candidates = (pair["first"], pair["second"], *pair.get("more", ()))
    return frozenset(json.dumps(candidate, sort_keys=True) for candidate in candidates)


LONGEST_LEASE = timedelta(minutes=15)
"""A lease that ends later than this was made before the clock was moved back: it binds nobody."""


RESETS = frozenset({"space changed", "proposer changed", "failed"})
"""The events after which no pair of the pool may be shown any more; whoever fills it has to begin again."""


def latest_lease(now: str) -> str:
    """Return the latest end of a lease that can have been made by now."""
    return (datetime.fromisoformat(now) + LONGEST_LEASE).isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class Summary:
    """One study in a list.

    answers: how many answers count. expected: how many are expected. created, last: when it was created and last changed.
    title: what people see instead of the name. length: of its log.
    What the owner arranged, which is not part of the log: since when it is paused, archived, or deleted but kept for a while;
    quota: how many answers each judge is asked for.
    """

    name: str
    question: str
    answers: int
    expected: int
    created: str
    last: str
    proposer: str
    title: str = ""
    length: int = 0
    paused: str | None = None
    archived: str | None = None
    deleted: str | None = None
    quota: int | None = None


ARRANGED = ("paused", "archived", "deleted", "quota")
"""What an owner arranges: see `Storage.arrange`."""


def summary_of(records: Sequence[Record], answers: int) -> Summary:
    """Return the summary of a new study that begins with these records."""
    created = records[0].event
    assert isinstance(created, Created)
    for record in records:
        if isinstance(record.event, SettingsChanged):
            created = record.event.of(created)
    changes = [record.event.proposer for record in records if isinstance(record.event, ProposerChanged)]
    proposer = changes[-1] if changes else created.proposer
    times = (records[0].time, records[-1].time)
    about = (created.name, created.question, answers, created.comparisons, *times, str(proposer.get("name")))
    return Summary(*about, created.title, len(records))


def settings_of(records: Sequence[Record]) -> dict[str, Any]:
    """Return the fields of a summary that these further records of a log change, other than its length, answers and proposer."""
    names = {"title": "title", "question": "question", "comparisons": "expected"}
    changes = [record.event for record in records if isinstance(record.event, SettingsChanged)]
    return {names[key]: value for change in changes for key, value in vars(change).items() if value is not None}


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
    """Lets a judge make one token before it expires; `inviter` is who invites, as the judge knows them."""

    digest: str
    role: str
    study: str
    judge: str
    created: str
    expires: str
    used: str | None = None
    inviter: str = ""


@dataclass(frozen=True)
class Stored:
    """What a transaction stored or found, and how far the study is.

    record: the record. answers, expected: how many answers count and are expected. measured: how many measurements there are.
    """

    record: Record
    answers: int
    expected: int
    measured: int


@dataclass(frozen=True)
class Crowd:
    """A study with several judges at once.

    present: how many judges were here lately. stock: how many pairs of its pool nobody has taken. length: of its log.
    """

    study: str
    present: int
    stock: int
    length: int


Waiting = Mapping[str, Asked | None]
"""Whose question changes: the one that waits for a judge from now on, or None."""


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

    def studies(self, names: Collection[str] | None = None) -> list[Summary]:
        """Return every study, or those of these names, oldest first."""

    def arrange(self, name: str, changes: Mapping[str, Any]) -> None:
        """Change what the owner arranged, some of `ARRANGED`. UnknownStudyError if there is no such study."""

    def forget_deleted(self, before: str) -> list[str]:
        """Delete the studies for good that the owner deleted before that time; return their names."""

    def create(self, records: Sequence[Record], answers: int = 0, artifacts: Iterable[Artifact] = ()) -> int:
        """Store a new study that begins with these records, with its files; return its number. NameTakenError if it is taken."""

    def find(self, name: str) -> int:
        """Return the number of a study. UnknownStudyError if there is none."""

    def delete(self, name: str) -> None:
        """Delete a study with everything that belongs to it. UnknownStudyError if there is none."""

    def read(self, study: int, after: int = 0, most: int | None = None) -> list[Record]:
        """Return the records of a study from a sequence number on, at most so many. UnknownStudyError if it was deleted."""

    def append(
        self,
        study: int,
        expected: int,
        records: Sequence[Record],
        *,
        answers: int,
        proposer: str,
        artifacts: Sequence[Artifact] = (),
        waiting: Waiting | None = None,
    ) -> None:
        """Add records, and the files they mention, to a log of `expected` records.

        `waiting` tells for whom another question waits from now on. An event of RESETS empties the pool. All of it is stored when
        this returns. ConflictError, and nothing is written, if the log has another length or an `answer_id` is taken.
        """

    def artifact(self, study: int, digest: str) -> Artifact | None:
        """Return a file of a study by its digest; None if there is none."""

    def artifact_about(self, study: int, digest: str) -> tuple[str, int] | None:
        """Return the media type and the size of a file, without reading its content; None if there is none."""

    def artifact_piece(self, study: int, digest: str, start: int, length: int) -> bytes:
        """Return a piece of a file's content without reading the rest; fewer bytes, or none, past its end."""

    # Many judges: no log is read, so it costs the same however long the study is.

    def settle(self, name: str, judge: str, step: int, record: Record, *, counts: bool, most: int) -> Stored | None:
        """Store what a judge says about the question that waits for them, wherever the log ends by now.

        counts: whether it is an answer that counts. most: how many events one judge may cause. None, and nothing is written, if
        that question does not wait for the judge as far as is known here, its `answer_id` is taken, or the judge caused too many:
        the log has to tell.
        """

    def hand_out(self, name: str, judge: str, now: str, prefero: str) -> Stored | None:
        """Return the question that waits for a judge, or hand out one from the pool that the judge has not had.

        Its event consists of its number, the judge and what `fill` was given; `prefero` is our version. None if there is none, the
        judge never arrived, or there is no such study.
        """

    def arrive(self, name: str, judge: str, now: str, since: str) -> int:
        """Note that a judge is here now; return how many judges of the study were here since then, 0 if there is no such study."""

    def crowds(self, since: str, least: int) -> list[Crowd]:
        """Return the studies with at least so many judges since then."""

    def events_of(self, name: str, judge: str) -> int:
        """Return how many events a judge has caused."""

    def lease(self, name: str, owner: str, now: str, until: str) -> bool:
        """Let only `owner` fill a study's pool until then; False if somebody else does, or there is no such study.

        A lease is for `LONGEST_LEASE` at most.
        """

    def fill(self, name: str, owner: str, pairs: Sequence[Mapping[str, Any]], keep: int) -> bool:
        """Add pairs to a study's pool, and keep only so many of the older ones; False if `owner` no longer holds the lease.

        A pair is the event Asked without its number and its judge. One that is in the pool already replaces the older one and
        keeps its takers: nobody is asked about a pair again while the pool remembers it.
        """

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

    def forget_expired(self, now: str, most: int) -> int:
        """Delete up to `most` tokens and as many invitations that have expired; return how many were deleted."""

    def add_invitation(self, invitation: Invitation) -> None:
        """Store an invitation."""

    def invitations(self, study: str | None = None, digest: str | None = None) -> list[Invitation]:
        """Return the invitations of a study, or the one with that digest, oldest first."""

    def revoke_invitation(self, digest: str) -> bool:
        """Delete an invitation that was not used; return whether there was one."""

    def accept_invitation(
        self, digest: str, now: str, token_of: Callable[[Invitation], Token]
    ) -> tuple[Invitation, Token] | None:
        """Use an invitation up and store the token that `token_of` makes of it, both or neither.

        None if it is unknown, used or expired. Of two who try, one gets it.
        """

"""Memory: a storage that lives as long as this process."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

from prefero.errors import ConflictError, NameTakenError, RevokedError, UnknownStudyError
from prefero.storage.contract import TOKEN_CHECK, Invitation, Summary, Token, checked_block, summary_of
from prefero.storage.events import Artifact, Record


@dataclass
class _Log:
    """One study."""

    records: list[Record]
    summary: Summary
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    answer_ids: set[str] = field(default_factory=set)


class Memory:
    """Studies in the memory of this process, for several threads."""

    address = "memory"

    def __init__(self) -> None:
        self._lock = RLock()
        self._numbers = itertools.count(1)
        self._logs: dict[int, _Log] = {}
        self._tokens: dict[str, Token] = {}
        self._invitations: dict[str, Invitation] = {}

    def __repr__(self) -> str:
        return "Memory()"

    def close(self) -> None:
        """Nothing to release: the studies stay until this object goes."""

    # Studies ---------------------------------------------------------------------------------------------------------

    def studies(self) -> list[Summary]:
        """Return every study, oldest first."""
        with self._use():
            return [log.summary for log in self._logs.values()]

    def create(self, records: Sequence[Record], answers: int = 0) -> int:
        """Store a new study; return its number."""
        summary = summary_of(records, answers)
        with self._use():
            if any(log.summary.name == summary.name for log in self._logs.values()):
                raise NameTakenError(f"there is a study {summary.name!r} in {self.address} already")
            number = next(self._numbers)
            log = self._logs[number] = _Log([], summary)
            self._extend(log, records)
            return number

    def find(self, name: str) -> int:
        """Return the number of a study."""
        with self._use():
            for number, log in self._logs.items():
                if log.summary.name == name:
                    return number
        raise UnknownStudyError(f"there is no study {name!r} in {self.address}")

    def delete(self, name: str) -> None:
        """Delete a study with everything that belongs to it."""
        with self._use():
            del self._logs[self.find(name)]
            self._tokens = {d: token for d, token in self._tokens.items() if token.study != name}
            self._invitations = {d: given for d, given in self._invitations.items() if given.study != name}

    # The log ---------------------------------------------------------------------------------------------------------

    def read(self, study: int, after: int = 0) -> list[Record]:
        """Return the records of a study from a sequence number on."""
        with self._use():
            return self._log(study).records[after:]

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
        """Add records to a log of `expected` records."""
        with self._use():
            log = self._log(study)
            if len(log.records) != expected:
                raise ConflictError(
                    f"the log has {len(log.records)} events, not {expected}: another process appended first"
                )
            if any(record.answer_id in log.answer_ids for record in records):
                raise ConflictError("the answer_id is taken: another process answered first")
            self._extend(log, records)
            log.artifacts.update({artifact.digest: artifact for artifact in artifacts})
            log.summary = replace(log.summary, answers=answers, proposer=proposer, last=records[-1].time)

    def _extend(self, log: _Log, records: Sequence[Record]) -> None:
        log.records.extend(records)
        log.answer_ids.update(record.answer_id for record in records if record.answer_id is not None)

    def _log(self, study: int) -> _Log:
        try:
            return self._logs[study]
        except KeyError:
            raise UnknownStudyError("the study was deleted meanwhile") from None

    def artifact(self, study: int, digest: str) -> Artifact | None:
        """Return a file of a study by its digest."""
        with self._use():
            log = self._logs.get(study)
            return None if log is None else log.artifacts.get(digest)

    # Who may come in --------------------------------------------------------------------------------------------------

    @contextmanager
    def checking(self, digest: str | None) -> Iterator[None]:
        """Check in every use of the block that a token is still valid."""
        with checked_block(self, digest, self._use):
            yield

    @contextmanager
    def _use(self) -> Iterator[None]:
        with self._lock:
            check = TOKEN_CHECK.get()
            if check is not None and check.storage is self:
                token = self._tokens.get(check.digest)
                if token is None or token.revoked is not None:
                    raise RevokedError("the token was revoked")
                check.done = True
            yield

    def add_token(self, token: Token) -> None:
        """Store a token."""
        with self._use():
            if token.study is not None:
                self.find(token.study)
            self._tokens[token.digest] = token

    def tokens(self, digest: str | None = None) -> list[Token]:
        """Return every token, or the one with that digest."""
        with self._use():
            found = [token for token in self._tokens.values() if digest in (None, token.digest)]
        return sorted(found, key=lambda token: (token.created, token.digest))

    def revoke_token(self, digest: str, when: str) -> bool:
        """Revoke a token; return whether there was a valid one."""
        with self._use():
            token = self._tokens.get(digest)
            if token is None or token.revoked is not None:
                return False
            self._tokens[digest] = replace(token, revoked=when)
            return True

    def add_invitation(self, invitation: Invitation) -> None:
        """Store an invitation."""
        with self._use():
            self.find(invitation.study)
            self._invitations[invitation.digest] = invitation

    def accept_invitation(
        self, digest: str, now: str, token_of: Callable[[Invitation], Token]
    ) -> tuple[Invitation, Token] | None:
        """Use an invitation up and store the token that `token_of` makes of it."""
        with self._use():
            given = self._invitations.get(digest)
            if given is None or given.used is not None or given.expires <= now:
                return None
            used = replace(given, used=now)
            token = token_of(used)
            self.add_token(token)
            self._invitations[digest] = used
            return used, token

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock())

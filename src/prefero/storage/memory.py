"""Memory: a storage that lives as long as this process."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

from prefero.errors import ConflictError, NameTakenError, RevokedError, UnknownStudyError
from prefero.storage.contract import (
    MOST_USES,
    RESETS,
    TOKEN_CHECK,
    Crowd,
    Invitation,
    Stored,
    Summary,
    Token,
    Waiting,
    checked_block,
    latest_lease,
    pair_key,
    settings_of,
    summary_of,
)
from prefero.storage.events import IDENTICAL, Artifact, Asked, Record


@dataclass
class _Judge:
    """A judge of one study: the question that waits, how many events they caused, and when they were last here."""

    asked: Asked | None = None
    events: int = 0
    last: str = ""


@dataclass
class _Pair:
    """A pair of the pool, and the judges who took it."""

    pair: Mapping[str, Any]
    takers: set[str] = field(default_factory=set)


@dataclass
class _Log:
    """One study."""

    records: list[Record]
    summary: Summary
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    answer_ids: set[str] = field(default_factory=set)
    judges: dict[str, _Judge] = field(default_factory=dict)
    pool: list[_Pair] = field(default_factory=list)
    lease: tuple[str, str] | None = None  # who fills the pool, and until when


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

    def studies(self, names: Collection[str] | None = None) -> list[Summary]:
        """Return every study, or those of these names, oldest first."""
        with self._use():
            found = [replace(log.summary, length=len(log.records)) for log in self._logs.values()]
        return [summary for summary in found if names is None or summary.name in names]

    def arrange(self, name: str, changes: Mapping[str, Any]) -> None:
        """Change what the owner arranged."""
        with self._use():
            log = self._logs[self.find(name)]
            log.summary = replace(log.summary, **changes)

    def forget_deleted(self, before: str) -> list[str]:
        """Delete the studies for good that the owner deleted before that time."""
        with self._use():
            found = [s.name for s in self.studies() if s.deleted is not None and s.deleted < before]
            for name in found:
                self.delete(name)
            return found

    def create(self, records: Sequence[Record], answers: int = 0, artifacts: Iterable[Artifact] = ()) -> int:
        """Store a new study, and its files; return its number."""
        summary = summary_of(records, answers)
        with self._use():
            if any(log.summary.name == summary.name for log in self._logs.values()):
                raise NameTakenError(f"there is a study {summary.name!r} in {self.address} already")
            files = {artifact.digest: artifact for artifact in artifacts}
            number = next(self._numbers)
            log = self._logs[number] = _Log([], summary, files)
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

    def read(self, study: int, after: int = 0, most: int | None = None) -> list[Record]:
        """Return the records of a study from a sequence number on."""
        with self._use():
            return self._log(study).records[after : None if most is None else after + most]

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
        """Add records to a log of `expected` records."""
        with self._use():
            log = self._log(study)
            if len(log.records) != expected:
                raise ConflictError(
                    f"the log has {len(log.records)} events, not {expected}: another process appended first"
                )
            if any(record.answer_key in log.answer_ids for record in records):
                raise ConflictError("the answer_id is taken: another process answered first")
            self._extend(log, records)
            log.artifacts.update({artifact.digest: artifact for artifact in artifacts})
            grown: dict[str, Any] = {"answers": answers, "proposer": proposer, "last": records[-1].time} | settings_of(
                records
            )
            log.summary = replace(log.summary, **grown)
            if any(record.kind in RESETS for record in records):
                log.pool, log.lease = [], None
            for judge, asked in (waiting or {}).items():
                log.judges.setdefault(judge, _Judge(last=records[-1].time)).asked = asked
            for record in records:
                if record.who in log.judges:
                    log.judges[record.who].events += 1
                    if record.who in (waiting or {}):
                        log.judges[record.who].last = record.time

    def _extend(self, log: _Log, records: Sequence[Record]) -> None:
        log.records.extend(records)
        log.answer_ids.update(record.answer_key for record in records if record.answer_key is not None)

    def _log(self, study: int) -> _Log:
        try:
            return self._logs[study]
        except KeyError:
            raise UnknownStudyError("the study was deleted meanwhile") from None

    # Many judges ------------------------------------------------------------------------------------------------------

    def settle(self, name: str, judge: str, step: int, record: Record, *, counts: bool, most: int) -> Stored | None:
        """Store what a judge says about the question that waits for them, wherever the log ends by now."""
        with self._use():
            log = self._named(name)
            seat = _Judge() if log is None else log.judges.get(judge, _Judge())
            if log is None or seat.asked is None or seat.asked.step != step or seat.events >= most:
                return None
            # Only the study knows whether a question about more than two takes the answer, and what one about one tells.
            if seat.asked.more or seat.asked.note == IDENTICAL:
                return None
            if record.answer_key in log.answer_ids:
                return None
            seat.asked, seat.events, seat.last = None, seat.events + 1, record.time
            return self._grow(log, record, log.summary.answers + counts)

    def hand_out(self, name: str, judge: str, now: str, prefero: str) -> Stored | None:
        """Return the question that waits for a judge, or hand out one from the pool."""
        with self._use():
            log = self._named(name)
            seat = None if log is None else log.judges.get(judge)
            if log is None or seat is None:
                return None
            if seat.asked is not None:
                return self._stored(log, Record(-1, now, judge, prefero, seat.asked))
            new = [pair for pair in reversed(log.pool) if judge not in pair.takers and len(pair.takers) < MOST_USES]
            if not new:
                return None
            taken = min(new, key=lambda pair: len(pair.takers))  # of equally used ones the newest
            taken.takers.add(judge)
            event = Asked(sum(r.kind == "asked" for r in log.records), judge=judge, **taken.pair)
            seat.asked, seat.events, seat.last = event, seat.events + 1, now
            return self._grow(log, Record(-1, now, judge, prefero, event), log.summary.answers)

    def _grow(self, log: _Log, record: Record, answers: int) -> Stored:
        record = replace(record, sequence=len(log.records))
        self._extend(log, [record])
        log.summary = replace(log.summary, answers=answers, last=record.time)
        return self._stored(log, record)

    def _stored(self, log: _Log, record: Record) -> Stored:
        measured = sum(r.kind == "measured" for r in log.records)
        return Stored(record, log.summary.answers, log.summary.expected, measured)

    def _named(self, name: str) -> _Log | None:
        return next((log for log in self._logs.values() if log.summary.name == name), None)

    def arrive(self, name: str, judge: str, now: str, since: str) -> int:
        """Note that a judge is here now; return how many judges of the study were here since then."""
        with self._use():
            log = self._named(name)
            if log is None:
                return 0
            log.judges.setdefault(judge, _Judge()).last = now
            return sum(judge.last >= since for judge in log.judges.values())

    def crowds(self, since: str, least: int) -> list[Crowd]:
        """Return the studies with at least so many judges since then."""
        with self._use():
            found = [
                Crowd(
                    log.summary.name,
                    sum(judge.last >= since for judge in log.judges.values()),
                    sum(not pair.takers for pair in log.pool),
                    len(log.records),
                )
                for log in self._logs.values()
            ]
        return [crowd for crowd in found if crowd.present >= least]

    def events_of(self, name: str, judge: str) -> int:
        """Return how many events a judge has caused."""
        with self._use():
            log = self._named(name)
            return 0 if log is None else log.judges.get(judge, _Judge()).events

    def lease(self, name: str, owner: str, now: str, until: str) -> bool:
        """Let only `owner` fill a study's pool until then."""
        with self._use():
            log = self._named(name)
            if log is None:
                return False
            if log.lease is not None and log.lease[0] != owner and now < log.lease[1] <= latest_lease(now):
                return False
            log.lease = (owner, until)
            return True

    def fill(self, name: str, owner: str, pairs: Sequence[Mapping[str, Any]], keep: int) -> bool:
        """Add pairs to a study's pool, and keep only so many of the older ones; one that is there already keeps its takers."""
        with self._use():
            log = self._named(name)
            if log is None or log.lease is None or log.lease[0] != owner:
                return False
            taken = {pair_key(older.pair): older.takers for older in log.pool}
            kept = log.pool[max(0, len(log.pool) - keep) :]
            added = [_Pair(pair, taken.get(pair_key(pair), set())) for pair in pairs]
            wanted = {pair_key(pair) for pair in pairs}
            log.pool = [older for older in kept if pair_key(older.pair) not in wanted] + added
            return True

    # Files ------------------------------------------------------------------------------------------------------------

    def artifact(self, study: int, digest: str) -> Artifact | None:
        """Return a file of a study by its digest."""
        with self._use():
            log = self._logs.get(study)
            return None if log is None else log.artifacts.get(digest)

    def artifact_about(self, study: int, digest: str) -> tuple[str, int] | None:
        """Return the media type and the size of a file."""
        found = self.artifact(study, digest)
        return None if found is None else (found.media_type, len(found.content))

    def artifact_piece(self, study: int, digest: str, start: int, length: int) -> bytes:
        """Return a piece of a file's content."""
        found = self.artifact(study, digest)
        return b"" if found is None else found.content[start : start + length]

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

    def forget_expired(self, now: str, most: int) -> int:
        """Delete tokens and invitations that have expired."""
        with self._use():
            tokens = [d for d, token in self._tokens.items() if token.expires is not None and token.expires <= now]
            invitations = [d for d, given in self._invitations.items() if given.expires <= now]
            for digest in tokens[:most]:
                del self._tokens[digest]
            for digest in invitations[:most]:
                del self._invitations[digest]
            return len(tokens[:most]) + len(invitations[:most])

    def add_invitation(self, invitation: Invitation) -> None:
        """Store an invitation."""
        with self._use():
            self.find(invitation.study)
            self._invitations[invitation.digest] = invitation

    def invitations(self, study: str | None = None, digest: str | None = None) -> list[Invitation]:
        """Return the invitations of a study, or the one with that digest, oldest first."""
        with self._use():
            found = [given for given in self._invitations.values() if study in (None, given.study)]
        return sorted((g for g in found if digest in (None, g.digest)), key=lambda given: (given.created, given.digest))

    def revoke_invitation(self, digest: str) -> bool:
        """Delete an invitation that was not used."""
        with self._use():
            given = self._invitations.get(digest)
            if given is None or given.used is not None:
                return False
            del self._invitations[digest]
            return True

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

"""Database: a storage in SQLite or PostgreSQL, one implementation on SQLAlchemy Core.

Each append is one transaction that states the length it expects the log to have. Of two writers that expect the same length
one wins; the other gets a ConflictError, reads the new events and tries again.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy import exc

from prefero.errors import ConflictError, NameTakenError, RevokedError, StorageError, UnknownStudyError
from prefero.storage import events, schema
from prefero.storage.contract import TOKEN_CHECK, Invitation, Summary, Token, checked_block, summary_of
from prefero.storage.engine import engine_of, parse, shown, transaction
from prefero.storage.events import Artifact, Record


class Database:
    """The studies of one database, given by its URL or the path of a SQLite file.

    Opening it creates the tables or migrates them. Several processes, and several threads of each, may use it at once.
    """

    def __init__(self, url: object, *, create: bool = True) -> None:
        parsed = parse(url)
        self.engine = engine_of(parsed, create)
        self.address = shown(parsed)
        self._closing = weakref.finalize(self, self.engine.dispose)
        try:
            with transaction(self.engine, write=False) as connection:
                version = schema.version_of(connection)
            if version != schema.VERSION:
                with transaction(self.engine, write=True) as connection:
                    schema.bring_up_to_date(connection)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Database({self.address!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; new ones are opened if the storage is used again."""
        self.engine.dispose()

    # Studies ---------------------------------------------------------------------------------------------------------

    def studies(self) -> list[Summary]:
        """Return every study, oldest first."""
        t = schema.studies.c
        columns = (t.name, t.question, t.answers, t.expected, t.created, t.last, t.proposer)
        with self._transaction() as connection:
            return [Summary(*row) for row in connection.execute(sa.select(*columns).order_by(t.id))]

    def find(self, name: str) -> int:
        """Return the number of a study."""
        with self._transaction() as connection:
            return self._find(connection, name)

    def _find(self, connection: sa.Connection, name: str) -> int:
        found = connection.scalar(sa.select(schema.studies.c.id).where(schema.studies.c.name == name))
        if found is None:
            raise UnknownStudyError(f"there is no study {name!r} in {self.address}")
        return int(found)

    def create(self, records: Sequence[Record], answers: int = 0) -> int:
        """Store a new study that begins with these records; return its number."""
        summary = summary_of(records, answers)
        row = vars(summary) | {"length": len(records)}
        try:
            with self._transaction(write=True) as connection:
                study = self._insert_study(connection, row)
                connection.execute(schema.events.insert(), [_row(study, record) for record in records])
        except exc.IntegrityError:
            taken = f"there is a study {summary.name!r} in {self.address} already"
            raise NameTakenError(taken) from None
        return study

    def _insert_study(self, connection: sa.Connection, row: dict[str, Any]) -> int:
        inserted = connection.execute(schema.studies.insert().values(row)).inserted_primary_key
        assert inserted is not None
        return int(inserted[0])

    def delete(self, name: str) -> None:
        """Delete a study with everything that belongs to it."""
        with self._transaction(write=True) as connection:
            gone = connection.execute(schema.studies.delete().where(schema.studies.c.name == name)).rowcount
            if not gone:
                raise UnknownStudyError(f"there is no study {name!r} in {self.address}")

    # The log ---------------------------------------------------------------------------------------------------------

    def read(self, study: int, after: int = 0) -> list[Record]:
        """Return the records of a study from a sequence number on."""
        t = schema.events.c
        columns = (t.sequence, t.time, t.who, t.prefero, t.kind, t.data)
        with self._transaction() as connection:
            if self._length(connection, study) <= after:
                return []
            wanted = sa.select(*columns).where(t.study == study, t.sequence >= after).order_by(t.sequence)
            rows = connection.execute(wanted).all()
        try:
            return [events.record(*row[:5], json.loads(row[5])) for row in rows]
        except ValueError as error:  # FormatError is a ValueError
            raise StorageError(f"the log of a study in {self.address} is damaged: {error}") from error

    def _length(self, connection: sa.Connection, study: int) -> int:
        length = connection.scalar(sa.select(schema.studies.c.length).where(schema.studies.c.id == study))
        if length is None:
            raise UnknownStudyError("the study was deleted meanwhile")
        return int(length)

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
        """Add records to a log of `expected` records; ConflictError if it has another length."""
        t = schema.studies.c
        grown = {"length": expected + len(records), "answers": answers, "proposer": proposer, "last": records[-1].time}
        try:
            with self._transaction(write=True) as connection:
                updated = schema.studies.update().where(t.id == study, t.length == expected).values(grown)
                if not connection.execute(updated).rowcount:
                    now = self._length(connection, study)
                    raise ConflictError(f"the log has {now} events, not {expected}: another process appended first")
                connection.execute(schema.events.insert(), [_row(study, record) for record in records])
                for artifact in artifacts:
                    self._keep(connection, study, artifact)
        except exc.IntegrityError as error:
            raise ConflictError("the sequence number or the answer_id is taken: another process was first") from error

    # Artifacts -------------------------------------------------------------------------------------------------------

    def _keep(self, connection: sa.Connection, study: int, artifact: Artifact) -> None:
        t = schema.artifacts.c
        known = sa.select(t.digest).where(t.study == study, t.digest == artifact.digest)
        if connection.scalar(known) is None:
            row = artifact.to_dict() | {"study": study, "content": artifact.content}
            connection.execute(schema.artifacts.insert().values(row))

    def artifact(self, study: int, digest: str) -> Artifact | None:
        """Return a file of a study by its digest."""
        t = schema.artifacts.c
        wanted = sa.select(t.content, t.media_type).where(t.study == study, t.digest == digest)
        with self._transaction() as connection:
            row = connection.execute(wanted).one_or_none()
        return None if row is None else Artifact(bytes(row[0]), row[1])

    # A caller's token ------------------------------------------------------------------------------------------------

    @contextmanager
    def checking(self, digest: str | None) -> Iterator[None]:
        """Check in every transaction of the block that a token is still valid.

        A request so needs no transaction of its own for it, and a revoked token reads and writes nothing.
        """
        with checked_block(self, digest, self._transaction):
            yield

    @contextmanager
    def _transaction(self, write: bool = False) -> Iterator[sa.Connection]:
        with transaction(self.engine, write) as connection:
            check, t = TOKEN_CHECK.get(), schema.tokens.c
            if check is not None and check.storage is self:
                valid = sa.select(t.digest).where(t.digest == check.digest, t.revoked.is_(None))
                # PostgreSQL holds the row until a write is committed: it cannot be revoked in between.
                if connection.scalar(valid.with_for_update(read=True) if write else valid) is None:
                    raise RevokedError("the token was revoked")
                check.done = True
            yield connection

    # Who may come in ------------------------------------------

    def add_token(self, token: Token) -> None:
        """Store a token."""
        self._let_in(schema.tokens, token)

    def add_invitation(self, invitation: Invitation) -> None:
        """Store an invitation."""
        self._let_in(schema.invitations, invitation)

    def _let_in(self, table: sa.Table, given: Token | Invitation) -> None:
        with self._transaction(write=True) as connection:
            study = None if given.study is None else self._find(connection, given.study)
            connection.execute(table.insert().values(vars(given) | {"study": study}))

    def tokens(self, digest: str | None = None) -> list[Token]:
        """Return every token, or the one with that digest."""
        t, s = schema.tokens.c, schema.studies.c
        columns = (t.digest, t.role, s.name, t.label, t.created, t.expires, t.revoked)
        wanted = sa.select(*columns).select_from(schema.tokens.outerjoin(schema.studies)).order_by(t.created, t.digest)
        if digest is not None:
            wanted = wanted.where(t.digest == digest)
        with self._transaction() as connection:
            return [Token(*row) for row in connection.execute(wanted)]

    def revoke_token(self, digest: str, when: str) -> bool:
        """Revoke a token; return whether there was a valid one."""
        t = schema.tokens.c
        revoked = schema.tokens.update().where(t.digest == digest, t.revoked.is_(None)).values(revoked=when)
        with self._transaction(write=True) as connection:
            return bool(connection.execute(revoked).rowcount)

    def accept_invitation(
        self, digest: str, now: str, token_of: Callable[[Invitation], Token]
    ) -> tuple[Invitation, Token] | None:
        """Use an invitation up and store the token that `token_of` makes of it, in one transaction."""
        t, s = schema.invitations.c, schema.studies.c
        fresh = (t.digest == digest, t.used.is_(None), t.expires > now)
        columns = (t.digest, t.role, s.name, t.judge, t.created, t.expires, t.used)
        wanted = sa.select(*columns).select_from(schema.invitations.join(schema.studies)).where(t.digest == digest)
        with self._transaction(write=True) as connection:
            if not connection.execute(schema.invitations.update().where(*fresh).values(used=now)).rowcount:
                return None
            invitation = Invitation(*connection.execute(wanted).one())
            token = token_of(invitation)
            study = None if token.study is None else self._find(connection, token.study)
            connection.execute(schema.tokens.insert().values(vars(token) | {"study": study}))
            return invitation, token


def _row(study: int, record: Record) -> dict[str, Any]:
    return {
        "study": study,
        "sequence": record.sequence,
        "time": record.time,
        "who": record.who,
        "prefero": record.prefero,
        "kind": record.kind,
        "answer_id": record.answer_id,
        "data": json.dumps(record.fields(), separators=(",", ":")),
    }

"""Database: a storage in SQLite or PostgreSQL, one implementation on SQLAlchemy Core.

Each append is one transaction that states the length it expects the log to have. Of two writers that expect the same length
one wins; the other gets a ConflictError, reads the new events and tries again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy import exc

from prefero.errors import (
    ConflictError,
    DamagedError,
    FormatError,
    NameTakenError,
    RevokedError,
    StorageError,
    UnknownStudyError,
)
from prefero.storage import crowd, schema, single
from prefero.storage.address import parse, shown
from prefero.storage.contract import (
    ARRANGED,
    RESETS,
    TOKEN_CHECK,
    Crowd,
    Invitation,
    Stored,
    Summary,
    Token,
    Waiting,
    checked_block,
    settings_of,
    summary_of,
)
from prefero.storage.engine import engine_of, statement, transaction
from prefero.storage.events import Artifact, Record
from prefero.storage.inspection import EVENT_COLUMNS, records_of

_I = schema.invitations.c
_INVITATION = (_I.digest, _I.role, schema.studies.c.name, _I.judge, _I.created, _I.expires, _I.used, _I.inviter)
"""The columns of an Invitation."""


class Database:
    """The studies of one database, given by its URL or the path of a SQLite file.

    Opening it creates the tables, unless create=False, or migrates them. Several processes, and several threads of each, may use
    it at once.
    """

    def __init__(self, url: object, *, create: bool = True) -> None:
        parsed = parse(url)
        self.engine = engine_of(parsed, create)
        self.address = shown(parsed)
        self.url = parsed.render_as_string(hide_password=False)
        """For another process to open it; it may hold a password."""
        self._sqlite = parsed.get_backend_name() == "sqlite"
        self._closing = weakref.finalize(self, self.engine.dispose)
        try:
            with transaction(self.engine, write=False) as connection:
                version = schema.version_of(connection)
                if version is None:
                    self._check_free(connection, create)
            if version != schema.VERSION:
                with transaction(self.engine, write=True) as connection:
                    schema.bring_up_to_date(connection)
        except BaseException:
            self.close()
            raise

    def _check_free(self, connection: sa.Connection, create: bool) -> None:
        """Raise a StorageError if the tables must not be created: in a file of another program, or by one who only reads."""
        foreign = connection.dialect.name == "sqlite" and sa.inspect(connection).get_table_names()
        if foreign:
            raise StorageError(f"{self.address} is a database, but not prefero's: it has the table {foreign[0]!r}")
        if not create:
            raise StorageError(
                f"{self.address} is a database, but not prefero's: it holds no studies. A file that was copied from a running "
                "server is not whole; prefero backup makes one that is"
            )

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

    def studies(self, names: Collection[str] | None = None) -> list[Summary]:
        """Return every study, or those of these names, oldest first."""
        t = schema.studies.c
        wanted = sa.select(*(t[field.name] for field in fields(Summary))).order_by(t.id)
        if names is not None:
            wanted = wanted.where(t.name.in_(names))
        with self._transaction() as connection:
            return [Summary(*row) for row in connection.execute(wanted)]

    def arrange(self, name: str, changes: Mapping[str, Any]) -> None:
        """Change what the owner arranged."""
        assert set(changes) <= set(ARRANGED)
        changed = schema.studies.update().where(schema.studies.c.name == name).values(dict(changes))
        with self._transaction(write=True) as connection:
            if not connection.execute(changed).rowcount:
                raise UnknownStudyError(f"there is no study {name!r} in {self.address}")

    def forget_deleted(self, before: str) -> list[str]:
        """Delete the studies for good that the owner deleted before that time."""
        t = schema.studies.c
        with self._transaction() as connection:  # nothing is locked if there is nothing to delete
            found = list(connection.scalars(sa.select(t.name).where(t.deleted < before)))
        if found:
            with self._transaction(write=True) as connection:
                connection.execute(schema.studies.delete().where(t.name.in_(found), t.deleted < before))
        return found

    def find(self, name: str) -> int:
        """Return the number of a study."""
        with self._transaction() as connection:
            return self._find(connection, name)

    def _find(self, connection: sa.Connection, name: str) -> int:
        found = connection.scalar(sa.select(schema.studies.c.id).where(schema.studies.c.name == name))
        if found is None:
            raise UnknownStudyError(f"there is no study {name!r} in {self.address}")
        return int(found)

    def create(self, records: Sequence[Record], answers: int = 0, artifacts: Iterable[Artifact] = ()) -> int:
        """Store a new study that begins with these records, and its files; return its number."""
        summary = summary_of(records, answers)
        kinds = [record.kind for record in records]
        row = vars(summary) | {kind: kinds.count(kind) for kind in ("asked", "measured")}
        try:
            with self._transaction(write=True) as connection:
                study = self._insert_study(connection, row)
                connection.execute(schema.events.insert(), [crowd.row(study, record) for record in records])
                for artifact in artifacts:
                    self._keep(connection, study, artifact)
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

    def read(self, study: int, after: int = 0, most: int | None = None) -> list[Record]:
        """Return the records of a study from a sequence number on."""
        t = schema.events.c
        with self._transaction() as connection:
            length = self._length(connection, study)
            if length <= after:
                return []
            wanted = sa.select(*EVENT_COLUMNS).where(t.study == study, t.sequence >= after)
            rows = connection.execute(wanted.order_by(t.sequence).limit(most)).all()
        try:
            records = records_of(rows, after)
            if len(records) < min(length - after, length if most is None else most):
                raise FormatError(f"event {after + len(records)} is missing")
        except FormatError as error:
            raise DamagedError(f"the log of a study in {self.address} is damaged: {error}") from error
        return records

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
        waiting: Waiting | None = None,
    ) -> None:
        """Add records to a log of `expected` records; ConflictError if it has another length."""
        t = schema.studies.c
        grown = {"length": expected + len(records), "answers": answers, "proposer": proposer, "last": records[-1].time}
        grown |= settings_of(records)
        kinds = [record.kind for record in records]
        grown |= {"asked": t.asked + kinds.count("asked"), "measured": t.measured + kinds.count("measured")}
        try:
            with self._transaction(write=True) as connection:
                crowd.change_waiting(connection, study, waiting or {}, records)
                updated = schema.studies.update().where(t.id == study, t.length == expected).values(grown)
                if not connection.execute(updated).rowcount:
                    now = self._length(connection, study)
                    raise ConflictError(f"the log has {now} events, not {expected}: another process appended first")
                connection.execute(schema.events.insert(), [crowd.row(study, record) for record in records])
                for artifact in artifacts:
                    self._keep(connection, study, artifact)
                if not RESETS.isdisjoint(kinds):
                    crowd.reset(connection, study)
        except exc.IntegrityError as error:
            raise ConflictError("the sequence number or the answer_id is taken: another process was first") from error

    # Many judges -----------------------------------------------------------------------------------------------------

    def settle(self, name: str, judge: str, step: int, record: Record, *, counts: bool, most: int) -> Stored | None:
        """Store what a judge says about the question that waits for them, wherever the log ends by now."""
        try:
            if self._sqlite:
                with self._transaction(write=True) as connection:
                    return crowd.settle(connection, name, judge, step, record, counts, most)
            with self._statement() as (connection, token):
                row = crowd.row(0, record)
                found = single.settle(connection, token, name, judge, step, row, counts, most)
        except exc.IntegrityError:
            return None  # the answer_id is taken
        return None if found is None else Stored(replace(record, sequence=found[0]), *found[1:])

    def hand_out(self, name: str, judge: str, now: str, prefero: str) -> Stored | None:
        """Return the question that waits for a judge, or hand out one from the pool."""
        if self._sqlite:
            with self._transaction(write=True) as connection:
                return crowd.hand_out(connection, name, judge, now, prefero)
        with self._statement() as (connection, token):
            return single.hand_out(connection, token, name, judge, now, prefero)

    @contextmanager
    def _statement(self) -> Iterator[tuple[sa.Connection, str | None]]:
        """Yield a connection on which each statement is a transaction, and the token that the statement has to check."""
        check = TOKEN_CHECK.get()
        mine = check is not None and check.storage is self
        with statement(self.engine) as connection:
            yield connection, check.digest if check is not None and mine else None

    def arrive(self, name: str, judge: str, now: str, since: str) -> int:
        """Note that a judge is here now; return how many judges of the study were here since then."""
        with self._transaction(write=True) as connection:
            return crowd.arrive(connection, name, judge, now, since)

    def crowds(self, since: str, least: int) -> list[Crowd]:
        """Return the studies with at least so many judges since then."""
        with self._transaction() as connection:
            return crowd.crowds(connection, since, least)

    def events_of(self, name: str, judge: str) -> int:
        """Return how many events a judge has caused."""
        with self._transaction() as connection:
            return crowd.events_of(connection, name, judge)

    def lease(self, name: str, owner: str, now: str, until: str) -> bool:
        """Let only `owner` fill a study's pool until then."""
        with self._transaction(write=True) as connection:
            return crowd.lease(connection, name, owner, now, until)

    def fill(self, name: str, owner: str, pairs: Sequence[Mapping[str, Any]], keep: int) -> bool:
        """Add pairs to a study's pool, and keep only so many of the older ones."""
        with self._transaction(write=True) as connection:
            return crowd.fill(connection, name, owner, pairs, keep)

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

    def artifact_about(self, study: int, digest: str) -> tuple[str, int] | None:
        """Return the media type and the size of a file."""
        t = schema.artifacts.c
        wanted = sa.select(t.media_type, t.size).where(t.study == study, t.digest == digest)
        with self._transaction() as connection:
            row = connection.execute(wanted).one_or_none()
        return None if row is None else (row[0], row[1])

    def artifact_piece(self, study: int, digest: str, start: int, length: int) -> bytes:
        """Return a piece of a file's content."""
        t = schema.artifacts.c
        place = (t.study == study, t.digest == digest)
        with self._transaction() as connection:
            if connection.dialect.name == "postgresql":
                cut = sa.func.substring(t.content, start + 1, length)
                return bytes(connection.scalar(sa.select(cut).where(*place)) or b"")
            row = connection.scalar(sa.select(sa.literal_column("rowid")).select_from(schema.artifacts).where(*place))
            return b"" if row is None else self._blob_piece(connection, row, start, length)

    def _blob_piece(self, connection: sa.Connection, row: int, start: int, length: int) -> bytes:
        """Return a piece of a file in SQLite, whose substr would read the whole file into memory for each piece."""
        driver: Any = connection.connection.driver_connection
        try:
            with driver.blobopen(schema.artifacts.name, schema.artifacts.c.content.name, row, readonly=True) as blob:
                blob.seek(min(start, len(blob)))
                return bytes(blob.read(length))
        except driver.Error as error:
            raise StorageError(f"a file in {self.address} cannot be read: {error}") from error

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

    def forget_expired(self, now: str, most: int) -> int:
        """Delete tokens and invitations that have expired."""
        gone = 0
        for table in (schema.tokens, schema.invitations):
            some = sa.select(table.c.digest).where(table.c.expires <= now).limit(most)
            with self._transaction() as connection:  # nothing is locked if there is nothing to delete
                found = list(connection.scalars(some))
            if found:
                with self._transaction(write=True) as connection:
                    gone += connection.execute(table.delete().where(table.c.digest.in_(found))).rowcount
        return gone

    def invitations(self, study: str | None = None, digest: str | None = None) -> list[Invitation]:
        """Return the invitations of a study, or the one with that digest, oldest first."""
        t, s = schema.invitations.c, schema.studies.c
        wanted = sa.select(*_INVITATION).select_from(schema.invitations.join(schema.studies))
        wanted = wanted.where(*([s.name == study] if study is not None else []))
        wanted = wanted.where(*([t.digest == digest] if digest is not None else [])).order_by(t.created, t.digest)
        with self._transaction() as connection:
            return [Invitation(*row) for row in connection.execute(wanted)]

    def revoke_invitation(self, digest: str) -> bool:
        """Delete an invitation that was not used."""
        t = schema.invitations.c
        with self._transaction(write=True) as connection:
            gone = connection.execute(schema.invitations.delete().where(t.digest == digest, t.used.is_(None)))
            return bool(gone.rowcount)

    def accept_invitation(
        self, digest: str, now: str, token_of: Callable[[Invitation], Token]
    ) -> tuple[Invitation, Token] | None:
        """Use an invitation up and store the token that `token_of` makes of it, in one transaction."""
        t = schema.invitations.c
        fresh = (t.digest == digest, t.used.is_(None), t.expires > now)
        wanted = sa.select(*_INVITATION).select_from(schema.invitations.join(schema.studies)).where(t.digest == digest)
        with self._transaction() as connection:  # a wrong one costs a look-up, not the writers' lock
            if connection.scalar(sa.select(t.digest).where(*fresh)) is None:
                return None
        with self._transaction(write=True) as connection:
            if not connection.execute(schema.invitations.update().where(*fresh).values(used=now)).rowcount:
                return None
            invitation = Invitation(*connection.execute(wanted).one())
            token = token_of(invitation)
            study = None if token.study is None else self._find(connection, token.study)
            connection.execute(schema.tokens.insert().values(vars(token) | {"study": study}))
            return invitation, token

"""The tables, their version, and the migrations from older versions.

Version 1 had studies, events and artifacts. Version 2 added tokens and invitations, for the service.
"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from prefero.errors import StorageError

VERSION = 2
PREFIX = "prefero_"
"""The prefix of every table: a PostgreSQL database may be shared with other programs."""
LOCK = 5_704_163
"""The PostgreSQL advisory lock under which tables are created, so that two processes do not create them at once."""

metadata = sa.MetaData()

schema = sa.Table(f"{PREFIX}schema", metadata, sa.Column("version", sa.Integer, nullable=False))

studies = sa.Table(
    f"{PREFIX}studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("proposer", sa.Text, nullable=False),
    sa.Column("expected", sa.Integer, nullable=False),
    sa.Column("answers", sa.Integer, nullable=False),  # how many count
    sa.Column("length", sa.Integer, nullable=False),  # of the log: the next sequence number
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("last", sa.Text, nullable=False),
    sqlite_autoincrement=True,  # never reuse the number of a deleted study
)


def _study(primary: bool = False, nullable: bool = False) -> sa.Column[int]:
    """Return the column of the study that a row belongs to and is deleted with."""
    goes_with = sa.ForeignKey(studies.c.id, ondelete="CASCADE")
    return sa.Column("study", sa.Integer, goes_with, primary_key=primary, nullable=nullable)


events = sa.Table(
    f"{PREFIX}events",
    metadata,
    _study(primary=True),
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("prefero", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("answer_id", sa.Text),
    sa.Column("data", sa.Text, nullable=False),  # the event's own fields, as JSON
    sa.UniqueConstraint("study", "answer_id"),
)

artifacts = sa.Table(
    f"{PREFIX}artifacts",
    metadata,
    _study(primary=True),
    sa.Column("digest", sa.Text, primary_key=True),  # SHA-256 of the content, in hexadecimal
    sa.Column("media_type", sa.Text, nullable=False),
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

tokens = sa.Table(
    f"{PREFIX}tokens",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),  # of the token; the token itself is not stored
    sa.Column("role", sa.Text, nullable=False),
    _study(nullable=True),  # none: every study
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("expires", sa.Text),
    sa.Column("revoked", sa.Text),
)

invitations = sa.Table(
    f"{PREFIX}invitations",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    _study(),
    sa.Column("judge", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("expires", sa.Text, nullable=False),
    sa.Column("used", sa.Text),
)


def _from_1(connection: sa.Connection) -> None:
    metadata.create_all(connection, tables=[tokens, invitations])


MIGRATIONS: dict[int, Callable[[sa.Connection], None]] = {1: _from_1}
"""By version: the function that migrates a database to the next one."""


def version_of(connection: sa.Connection) -> int | None:
    """Return the version of the tables; None if there are none."""
    if not sa.inspect(connection).has_table(schema.name):
        return None
    version = connection.scalar(sa.select(schema.c.version))
    if version is None or version > VERSION:
        raise StorageError(
            f"the database is of version {version}, this prefero reads versions up to {VERSION}: "
            f"it needs a newer prefero, one that reads version {version}"
        )
    return int(version)


def bring_up_to_date(connection: sa.Connection) -> None:
    """Create the tables or migrate them, in the transaction of the connection."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
    version = version_of(connection)
    if version is None:
        metadata.create_all(connection)
        connection.execute(schema.insert().values(version=VERSION))
        return
    for older in range(version, VERSION):
        MIGRATIONS[older](connection)
    connection.execute(schema.update().values(version=VERSION))

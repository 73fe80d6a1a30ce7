"""The tables, their version, and the migrations from older versions.

Version 1 had studies, events and artifacts. Version 2 added tokens and invitations, for the service. Version 3 added digests of
events, and for studies with many judges the judges, the pool of questions and the leases of those who fill it. Version 5 added
titles, what the owner arranges (a pause, an archive, a quota), and who invites.
"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from prefero.errors import DamagedError, StorageError

VERSION = 5
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
    sa.Column("asked", sa.Integer, nullable=False, server_default="0"),  # how many questions: the next one's number
    sa.Column("measured", sa.Integer, nullable=False, server_default="0"),  # how many measurements
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("last", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False, server_default=""),  # what people see instead of the name
    sa.Column("paused", sa.Text),  # since when no questions are asked
    sa.Column("archived", sa.Text),  # since when it is hidden in the list
    sa.Column("deleted", sa.Text),  # since when it only waits to be deleted for good
    sa.Column("quota", sa.Integer),  # how many answers each judge is asked for
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
    sa.Column("answer_id", sa.Text),  # after the judge's name and a line break: see Record.answer_key
    sa.Column("data", sa.Text, nullable=False),  # the event's own fields, as JSON
    sa.Column("digest", sa.Text),  # SHA-256 of the row; events of older versions have none
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
    sa.Column("inviter", sa.Text, nullable=False, server_default=""),  # as the judge knows them
)

judges = sa.Table(
    f"{PREFIX}judges",
    metadata,
    _study(primary=True),
    sa.Column("judge", sa.Text, primary_key=True),
    sa.Column("step", sa.Integer),  # the question that waits for the judge; none: nothing waits, or the log has to tell
    sa.Column("asked", sa.Text),  # that question's event, as JSON
    sa.Column("events", sa.Integer, nullable=False),  # how many the judge has caused
    sa.Column("last", sa.Text, nullable=False),  # when the judge was last here
)

pool = sa.Table(
    f"{PREFIX}pool",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    _study(),
    sa.Column("pair", sa.Text, nullable=False),  # the question without its number, as JSON
    sa.Column("uses", sa.Integer, nullable=False),  # how many judges took it
    sa.Column("takers", sa.Text, nullable=False),  # their names, each between line breaks
    sa.Index(f"{PREFIX}pool_study", "study"),
    sqlite_autoincrement=True,
)

leases = sa.Table(
    f"{PREFIX}leases",
    metadata,
    _study(primary=True),
    sa.Column("owner", sa.Text, nullable=False),  # who fills the pool
    sa.Column("until", sa.Text, nullable=False),
)


def _from_1(connection: sa.Connection) -> None:
    metadata.create_all(connection, tables=[tokens, invitations])


def _from_2(connection: sa.Connection) -> None:
    for table, column in ((studies, "asked"), (studies, "measured"), (events, "digest")):
        kind = "TEXT" if column == "digest" else "INTEGER NOT NULL DEFAULT 0"
        connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column} {kind}")
    for kind in ("asked", "measured"):
        of_kind = sa.select(sa.func.count()).where(events.c.study == studies.c.id, events.c.kind == kind)
        connection.execute(studies.update().values({kind: of_kind.scalar_subquery()}))
    of_judge = events.c.who + "\n" + events.c.answer_id
    connection.execute(events.update().where(events.c.answer_id.is_not(None)).values(answer_id=of_judge))
    metadata.create_all(connection, tables=[judges, pool, leases])


def _from_3(_: sa.Connection) -> None:
    """Version 4 has the same tables, and kinds of answer that earlier versions of prefero cannot read."""


def _from_4(connection: sa.Connection) -> None:
    text = "TEXT NOT NULL DEFAULT ''"
    added = {"title": text, "paused": "TEXT", "archived": "TEXT", "deleted": "TEXT", "quota": "INTEGER"}
    for table, columns in ((studies, added), (invitations, {"inviter": text})):
        known = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
        for column, kind in columns.items():
            if column not in known:  # a migration from version 1 has just created the table as it is now
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column} {kind}")


MIGRATIONS: dict[int, Callable[[sa.Connection], None]] = {1: _from_1, 2: _from_2, 3: _from_3, 4: _from_4}
"""By version: the function that migrates a database to the next one."""


def version_of(connection: sa.Connection) -> int | None:
    """Return the version of the tables; None if there are none."""
    if not sa.inspect(connection).has_table(schema.name):
        return None
    version = connection.scalar(sa.select(schema.c.version))
    if not isinstance(version, int) or version < 1:
        raise DamagedError(f"the database is damaged: its version is {version!r}")
    if version > VERSION:
        raise StorageError(
            f"the database is of version {version}, this prefero reads versions up to {VERSION}: "
            f"it needs a newer prefero, one that reads version {version}"
        )
    return version


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

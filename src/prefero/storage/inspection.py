"""Whether a database still holds what was written to it: the digest of every event and file, no gaps, no contradictions.

Events that were written before version 3 of the tables have no digest. Tokens, invitations and the pool of questions have none,
either: of them only SQLite's own checks are made.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from prefero.errors import DamagedError, FormatError, shorten
from prefero.storage import events, schema
from prefero.storage.contract import ARRANGED, summary_of
from prefero.storage.events import Asked, Measured, Record

MOST_FAULTS = 20
"""How many faults of one study, or of the file, are listed."""

_E, _S, _A, _J = schema.events.c, schema.studies.c, schema.artifacts.c, schema.judges.c
EVENT_COLUMNS = (_E.sequence, _E.time, _E.who, _E.prefero, _E.kind, _E.answer_id, _E.data, _E.digest)


def record_of(row: Any) -> Record:
    """Return the record of a row with EVENT_COLUMNS; FormatError if it was changed since it was written, or is no event."""
    sequence, time, who, prefero, kind, answer_id, data, digest = row
    if not all(isinstance(text, str) for text in (time, who, prefero, kind, data, answer_id or "")):
        raise FormatError("its columns are not texts")
    if digest is not None and digest != events.row_digest(time, who, prefero, kind, answer_id, data):
        raise FormatError("its digest does not fit, so it was changed after it was written")
    try:
        return events.record(sequence, time, who, prefero, kind, json.loads(data))
    except (TypeError, RecursionError, json.JSONDecodeError) as error:
        raise FormatError(f"it is not JSON: {error}") from None


def records_of(rows: Any, first: int) -> list[Record]:
    """Return the records of rows in order, from a sequence number on; FormatError names the event that is missing or damaged."""
    records = []
    for place, row in enumerate(rows, start=first):
        if row[0] != place:
            raise FormatError(f"event {place} is missing")
        try:
            records.append(record_of(row))
        except FormatError as error:
            raise FormatError(f"event {place}: {error}") from None
    return records


@dataclass(frozen=True)
class InspectedStudy:
    """One study as it was found.

    records: the whole log; None if it cannot be read. answers: how many count, as the list of studies says. waiting: the question
    that waits, by judge, where that is known. unprotected: how many events have no digest. files, missing: how many files there
    are, and how many more the log mentions.
    """

    name: str
    records: list[Record] | None
    answers: int
    waiting: dict[str, int]
    events: int
    unprotected: int
    files: int
    missing: int
    faults: tuple[str, ...]


def file_faults(connection: sa.Connection) -> list[str]:
    """Return what SQLite finds wrong with its own file; nothing for PostgreSQL, which watches its files itself."""
    if connection.dialect.name != "sqlite":
        return []
    found = connection.exec_driver_sql(f"PRAGMA integrity_check({MOST_FAULTS})").scalars().all()
    faults = [" ".join(str(line).split()) for line in found if line != "ok"]
    for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(MOST_FAULTS):
        faults.append(f"row {row} of {table} belongs to nothing in {parent}")
    return faults


def inspect_studies(connection: sa.Connection) -> Iterator[InspectedStudy]:
    """Yield every study, oldest first, as it is in the transaction of the connection."""
    for row in connection.execute(sa.select(schema.studies).order_by(_S.id)).all():
        yield _inspect(connection, row)


def _inspect(connection: sa.Connection, study: Any) -> InspectedStudy:
    rows = connection.execute(sa.select(*EVENT_COLUMNS).where(_E.study == study.id).order_by(_E.sequence)).all()
    faults: list[str] = []
    records: list[Record] | None = None
    try:
        records = records_of(rows, 0)
    except FormatError as error:
        faults.append(str(error))
    if study.length != len(rows):
        faults.append(f"the log has {len(rows)} events, not {study.length}")
    waiting: dict[str, int] = {}
    if records:
        faults += _summary_faults(study, records)
        waiting = _waiting(connection, study.id, records, faults)
    files, missing = _files(connection, study.id, records or [], faults)
    unprotected = sum(row.digest is None for row in rows)
    shown = tuple(faults[:MOST_FAULTS])
    return InspectedStudy(
        str(study.name), records, study.answers, waiting, len(rows), unprotected, files, missing, shown
    )


def _summary_faults(study: Any, records: list[Record]) -> Iterator[str]:
    """Compare a row of the list of studies with the log."""
    if records[0].kind != "created":
        yield "the log does not begin with the study's creation"
        return
    logged = {key: value for key, value in vars(summary_of(records, study.answers)).items() if key not in ARRANGED}
    kinds = Counter(record.kind for record in records)
    for name, expected in (logged | {"asked": kinds["asked"], "measured": kinds["measured"]}).items():
        found = getattr(study, name)
        if found != expected:
            yield f"{name}: the list of studies has {shorten(found)}, the log {shorten(expected)}"


def _waiting(connection: sa.Connection, study: int, records: list[Record], faults: list[str]) -> dict[str, int]:
    """Return the questions that wait, by judge; compare each with the log."""
    asked = {record.event.step: record for record in records if isinstance(record.event, Asked)}
    waiting = {}
    for row in connection.execute(sa.select(_J.judge, _J.step, _J.asked).where(_J.study == study)):
        if row.step is None and row.asked is None:
            continue
        try:
            same = asked[row.step].event == Asked(**json.loads(row.asked))
        except (KeyError, TypeError, ValueError):
            same = False
        if same:
            waiting[row.judge] = row.step
        else:
            faults.append(f"the question that waits for {row.judge or 'the judge'!r} is not the one in the log")
    return waiting


def _files(connection: sa.Connection, study: int, records: list[Record], faults: list[str]) -> tuple[int, int]:
    """Return how many files there are, and how many are missing; compare each with its digest and with the log."""
    measured = [record.event for record in records if isinstance(record.event, Measured)]
    known = {file.get("digest"): file for event in measured for file in event.files.values()}
    stored = connection.scalars(sa.select(_A.digest).where(_A.study == study)).all()
    for digest in stored:
        wanted = sa.select(_A.content, _A.media_type, _A.size).where(_A.study == study, _A.digest == digest)
        row = connection.execute(wanted).one_or_none()
        if row is None or not isinstance(row.content, bytes) or hashlib.sha256(row.content).hexdigest() != digest:
            faults.append(
                f"the file {shorten(digest, 16)} does not fit its digest, so it was changed after it was written"
            )
        elif row.size != len(row.content) or row.media_type != known.get(digest, {}).get("media_type", row.media_type):
            faults.append(f"the file {shorten(digest, 16)} is described otherwise than in the log")
    return len(stored), len(known.keys() - set(stored))


def check_copy(connection: sa.Connection) -> None:
    """Raise a DamagedError if a copy of a database is not whole."""
    faults = file_faults(connection)
    for study in inspect_studies(connection):
        faults += [f"{study.name!r}: {fault}" for fault in study.faults]
    if faults:
        raise DamagedError(f"the copy is damaged, and so may be the database; see prefero check: {faults[0]}")

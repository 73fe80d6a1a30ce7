"""The SQL of studies with many judges: an answer, or a question from the pool, in one transaction that reads no log.

Rows are locked in one order, so that no two transactions wait for each other: the judge's, the pool's, the study's. The study's row
comes last because every writer of a study needs it: it is held for one insert and the commit. `single` does the two most frequent
of these with one statement each, for PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from prefero.storage import events, schema
from prefero.storage.contract import MOST_USES, Crowd, Stored, Waiting, latest_lease, pair_key
from prefero.storage.events import IDENTICAL, Asked, Record

SEVERAL = '"more":[{'
"""In the JSON of a question about more than two candidates, whose answers only the study can check: they go through the log."""
TWICE = f'"note":"{IDENTICAL}"'
"""In the JSON of a question that shows one candidate on both sides, whose answer does not count: it goes through the log, too."""
_J, _P, _S, _L = schema.judges.c, schema.pool.c, schema.studies.c, schema.leases.c


def _number(name: str) -> sa.ScalarSelect[int]:
    """The number of the study of that name."""
    return sa.select(_S.id).where(_S.name == name).scalar_subquery()


def row(study: int, record: Record) -> dict[str, Any]:
    """Return the row of a record."""
    data = json.dumps(record.fields(), separators=(",", ":"))
    return {
        "study": study,
        "sequence": record.sequence,
        "time": record.time,
        "who": record.who,
        "prefero": record.prefero,
        "kind": record.kind,
        "answer_id": record.answer_key,
        "data": data,
        "digest": events.row_digest(record.time, record.who, record.prefero, record.kind, record.answer_key, data),
    }


def change_waiting(connection: sa.Connection, study: int, waiting: Waiting, records: Sequence[Record]) -> None:
    """Note for whom another question waits, and count the events of those who caused them."""
    last = records[-1].time
    caused = dict.fromkeys(waiting, 0) | {record.who: 0 for record in records}
    for record in records:
        caused[record.who] += 1
    for judge in sorted(caused):
        values: dict[str, Any] = {"events": _J.events + caused[judge]}
        if judge not in waiting:  # an owner, or a judge who amends: counted if known as a judge
            known = schema.judges.update().where(_J.study == study, _J.judge == judge)
            connection.execute(known.values(values))
            continue
        asked = waiting[judge]
        values |= {"step": None, "asked": None} if asked is None else {"step": asked.step, "asked": _json(asked)}
        if caused[judge]:
            values["last"] = last
        new = {"study": study, "judge": judge, "last": last} | values | {"events": caused[judge]}
        inserted = _insert(connection, schema.judges).values(new)
        connection.execute(inserted.on_conflict_do_update(index_elements=[_J.study, _J.judge], set_=values))


def settle(
    connection: sa.Connection, name: str, judge: str, step: int, record: Record, counts: bool, most: int
) -> Stored | None:
    """Store what a judge says about the question that waits for them."""
    desk = (
        schema.judges.update()
        .where(_J.study == _number(name), _J.judge == judge, _J.step == step, _J.events < most)
        .where(sa.func.instr(_J.asked, SEVERAL) == 0, sa.func.instr(_J.asked, TWICE) == 0)
        .values(step=None, asked=None, events=_J.events + 1, last=record.time)
        .returning(_J.study)
    )
    study = connection.scalar(desk)
    if study is None:
        return None
    grown = schema.studies.update().where(_S.id == study)
    grown = grown.values(length=_S.length + 1, answers=_S.answers + int(counts), last=record.time)
    length, *progress = connection.execute(grown.returning(_S.length, _S.answers, _S.expected, _S.measured)).one()
    record = replace(record, sequence=length - 1)
    connection.execute(schema.events.insert().values(row(study, record)))
    return Stored(record, *progress)


def hand_out(connection: sa.Connection, name: str, judge: str, now: str, prefero: str) -> Stored | None:
    """Return the question that waits for a judge, or take a pair from the pool."""
    columns = (_S.id, _J.asked, _S.answers, _S.expected, _S.measured)
    seat = sa.select(*columns).join(schema.judges, _J.study == _S.id).where(_S.name == name, _J.judge == judge)
    found = connection.execute(seat).one_or_none()
    if found is None:
        return None
    study, asked, *progress = found
    if asked is not None:
        return Stored(Record(-1, now, judge, prefero, Asked(**json.loads(asked))), *progress)
    free = sa.select(_P.id).where(_P.study == study, _P.uses < MOST_USES)
    free = free.where(sa.func.instr(_P.takers, f"\n{judge}\n") == 0).order_by(_P.uses, _P.id.desc()).limit(1)
    taken = schema.pool.update().where(_P.id == free.scalar_subquery())
    pair = connection.scalar(taken.values(uses=_P.uses + 1, takers=_P.takers + f"{judge}\n").returning(_P.pair))
    if pair is None:
        return None
    grown = schema.studies.update().where(_S.id == study)
    grown = grown.values(length=_S.length + 1, asked=_S.asked + 1, last=now)
    length, number = connection.execute(grown.returning(_S.length, _S.asked)).one()
    event = Asked(number - 1, judge=judge, **json.loads(pair))
    record = Record(length - 1, now, judge, prefero, event)
    connection.execute(schema.events.insert().values(row(study, record)))
    waits = {"step": event.step, "asked": _json(event), "events": _J.events + 1, "last": now}
    connection.execute(schema.judges.update().where(_J.study == study, _J.judge == judge).values(waits))
    return Stored(record, *progress)


def arrive(connection: sa.Connection, name: str, judge: str, now: str, since: str) -> int:
    """Note that a judge is here now; return how many judges of the study were here since then."""
    study = connection.scalar(sa.select(_S.id).where(_S.name == name))
    if study is None:
        return 0
    here = _insert(connection, schema.judges).values(study=study, judge=judge, events=0, last=now)
    connection.execute(here.on_conflict_do_update(index_elements=[_J.study, _J.judge], set_={"last": now}))
    return int(connection.scalar(sa.select(sa.func.count()).where(_J.study == study, _J.last >= since)) or 0)


def crowds(connection: sa.Connection, since: str, least: int) -> list[Crowd]:
    """Return the studies with at least so many judges since then."""
    here = sa.select(_J.study, sa.func.count().label("present")).where(_J.last >= since)
    busy = here.group_by(_J.study).having(sa.func.count() >= least).subquery()
    stock = sa.select(sa.func.count()).where(_P.study == _S.id, _P.uses == 0).scalar_subquery()
    found = sa.select(_S.name, busy.c.present, stock, _S.length).join(busy, busy.c.study == _S.id).order_by(_S.id)
    return [Crowd(*each) for each in connection.execute(found)]


def events_of(connection: sa.Connection, name: str, judge: str) -> int:
    """Return how many events a judge has caused."""
    return int(connection.scalar(sa.select(_J.events).where(_J.study == _number(name), _J.judge == judge)) or 0)


def lease(connection: sa.Connection, name: str, owner: str, now: str, until: str) -> bool:
    """Let only `owner` fill a study's pool until then."""
    study = connection.scalar(sa.select(_S.id).where(_S.name == name))
    if study is None:
        return False
    taken = _insert(connection, schema.leases).values(study=study, owner=owner, until=until)
    free = sa.or_(_L.owner == owner, _L.until <= now, _L.until > latest_lease(now))
    taken = taken.on_conflict_do_update(index_elements=[_L.study], set_={"owner": owner, "until": until}, where=free)
    return connection.scalar(taken.returning(_L.study)) is not None


def fill(connection: sa.Connection, name: str, owner: str, pairs: Sequence[Mapping[str, Any]], keep: int) -> bool:
    """Add pairs to a study's pool, and keep only so many of the older ones; one that is there already keeps its takers."""
    held = sa.select(_L.study).where(_L.study == _number(name), _L.owner == owner).with_for_update()
    study = connection.scalar(held)
    if study is None:
        return False
    older = connection.execute(sa.select(_P.id, _P.pair).where(_P.study == study).order_by(_P.id.desc())).all()
    wanted = {pair_key(pair) for pair in pairs}
    again = [number for number, pair in older if pair_key(json.loads(pair)) in wanted]
    # Deleted and read at once: a judge may take one of them at this very moment.
    gone = schema.pool.delete().where(_P.id.in_(again)).returning(_P.pair, _P.uses, _P.takers)
    taken = {pair_key(json.loads(pair)): (uses, takers) for pair, uses, takers in connection.execute(gone)}
    connection.execute(schema.pool.delete().where(_P.id.in_([number for number, _ in older[keep:]])))
    rows = []
    for pair in pairs:
        uses, takers = taken.get(pair_key(pair), (0, "\n"))
        rows.append({"study": study, "pair": json.dumps(pair, separators=(",", ":")), "uses": uses, "takers": takers})
    if rows:
        connection.execute(schema.pool.insert(), rows)
    return True


def reset(connection: sa.Connection, study: int) -> None:
    """Empty the pool, and end the lease: what was proposed meanwhile is no longer added."""
    connection.execute(schema.pool.delete().where(_P.study == study))
    connection.execute(schema.leases.delete().where(_L.study == study))


def _insert(connection: sa.Connection, table: sa.Table) -> Any:
    """An insert that knows ON CONFLICT."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


def _json(asked: Asked) -> str:
    return json.dumps(asdict(asked), separators=(",", ":"))

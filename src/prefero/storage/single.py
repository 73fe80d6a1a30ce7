"""An answer, and a question from the pool, as one PostgreSQL statement each: one round trip, with its own commit.

What `crowd` does in several statements of a transaction is here one statement of several parts. A part that changes rows locks
them; one that finds a row locked waits for it and then looks at the row as it is by then. Each part takes its rows from the one
before, so the order of the locks is that of the parts: judge, pool, study. Nothing happens if the token was revoked.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from prefero.storage import schema
from prefero.storage.contract import MOST_USES, Stored
from prefero.storage.crowd import SEVERAL, TWICE
from prefero.storage.events import Asked, Record

_NAMES = {
    "studies": schema.studies.name,
    "events": schema.events.name,
    "judges": schema.judges.name,
    "pool": schema.pool.name,
    "tokens": schema.tokens.name,
}
_MAY = """(%(token)s::text IS NULL OR EXISTS (SELECT 1 FROM {tokens} WHERE digest = %(token)s AND revoked IS NULL))"""

SETTLE = f"""
WITH seat AS (
  UPDATE {{judges}} SET step = NULL, asked = NULL, events = events + 1, last = %(time)s
  WHERE study = (SELECT id FROM {{studies}} WHERE name = %(name)s) AND judge = %(judge)s AND step = %(step)s
    AND events < %(most)s AND strpos(asked, %(several)s) = 0 AND strpos(asked, %(twice)s) = 0 AND {_MAY}
  RETURNING study
), grown AS (
  UPDATE {{studies}} SET length = length + 1, answers = answers + %(counts)s, last = %(time)s
  FROM seat WHERE id = seat.study
  RETURNING id, length, answers, expected, measured
), stored AS (
  INSERT INTO {{events}} (study, sequence, time, who, prefero, kind, answer_id, data, digest)
  SELECT id, length - 1, %(time)s, %(who)s, %(prefero)s, %(kind)s, %(answer_id)s, %(data)s, %(digest)s FROM grown
)
SELECT length - 1, answers, expected, measured FROM grown
""".format(**_NAMES)  # noqa: S608 (our own names)

HAND_OUT = f"""
WITH seat AS (
  SELECT study FROM {{judges}}
  WHERE study = (SELECT id FROM {{studies}} WHERE name = %(name)s) AND judge = %(judge)s AND step IS NULL AND {_MAY}
  FOR UPDATE
), free AS (
  SELECT id FROM {{pool}}
  WHERE study = (SELECT study FROM seat) AND uses < {MOST_USES} AND strpos(takers, %(taker)s) = 0
  ORDER BY uses, id DESC LIMIT 1 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE {{pool}} AS pool SET uses = uses + 1, takers = takers || substr(%(taker)s, 2)
  FROM free WHERE pool.id = free.id
  RETURNING pool.study, pool.pair
), grown AS (
  UPDATE {{studies}} AS study SET length = length + 1, asked = asked + 1, last = %(time)s
  FROM taken WHERE study.id = taken.study
  RETURNING study.id, length - 1 AS sequence, asked - 1 AS step, answers, expected, measured, pair
), question AS (
  SELECT *, '{{{{"step":' || step || ',"judge":' || %(quoted)s || ',' || substr(pair, 2) AS data FROM grown
), stored AS (
  INSERT INTO {{events}} (study, sequence, time, who, prefero, kind, data, digest)
  SELECT id, sequence, %(time)s, %(judge)s, %(prefero)s, 'asked', data,
    encode(sha256(convert_to(
      concat_ws(E'\\n', %(time)s::text, %(judge)s::text, %(prefero)s::text, 'asked', '', data), 'UTF8'
    )), 'hex')
  FROM question
), waits AS (
  UPDATE {{judges}} AS judge SET step = question.step, asked = data, events = events + 1, last = %(time)s
  FROM question WHERE judge.study = question.id AND judge.judge = %(judge)s
)
SELECT sequence, data, answers, expected, measured FROM question
UNION ALL
SELECT -1, judge.asked, answers, expected, measured
FROM {{judges}} AS judge JOIN {{studies}} AS study ON judge.study = study.id
WHERE study.name = %(name)s AND judge.judge = %(judge)s AND judge.step IS NOT NULL AND {_MAY}
""".format(**_NAMES)  # noqa: S608 (our own names)


def settle(
    connection: sa.Connection,
    token: str | None,
    name: str,
    judge: str,
    step: int,
    row: dict[str, Any],
    counts: bool,
    most: int,
) -> tuple[int, ...] | None:
    """Store what a judge says about the question that waits for them; return its sequence number and the study's progress."""
    given = row | {"token": token, "name": name, "judge": judge, "step": step, "counts": int(counts), "most": most}
    given |= {"several": SEVERAL, "twice": TWICE}
    found = connection.exec_driver_sql(SETTLE, given).one_or_none()
    return None if found is None else tuple(found)


def hand_out(
    connection: sa.Connection, token: str | None, name: str, judge: str, now: str, prefero: str
) -> Stored | None:
    """Return the question that waits for a judge, or take a pair from the pool."""
    given = {"token": token, "name": name, "judge": judge, "taker": f"\n{judge}\n", "quoted": json.dumps(judge)}
    found = connection.exec_driver_sql(HAND_OUT, given | {"time": now, "prefero": prefero}).first()
    if found is None:
        return None
    sequence, data, *progress = found
    return Stored(Record(sequence, now, judge, prefero, Asked(**json.loads(data))), *progress)

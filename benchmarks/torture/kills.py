"""kill -9 of the writing process at random moments: every acknowledged answer is there afterwards, none twice, the study goes on.

A child opens the study and answers question after question; it says "acknowledged" through a pipe when `tell` has returned.
The parent kills it, reads what was acknowledged, opens the study and looks.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable

import numpy as np

import prefero as pf
from prefero.answers import History
from prefero.storage.events import Answered

MOST_ANSWERS, LONGEST_PAUSE = 12, 0.02
"""A writer is killed within so many seconds after up to so many acknowledged answers: within two answers' time."""
LONGEST_OPENING = 0.1
"""Or within so many seconds after its start, while it opens the study."""
KILLS_A_STUDY = 20
SPACE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)})


def anywhere(history: History, rng: np.random.Generator) -> np.ndarray:
    """A proposer that costs nothing, so that most of a writer's life is writing."""
    del history
    return rng.uniform(-1, 1, 2)


def kills(url: str, count: int, seed: int, progress: Callable[[str], None]) -> int:
    """So many kills; returns how many answers were acknowledged."""
    rng = random.Random(seed)
    acknowledged: list[str] = []
    answers = 0
    for kill in range(count):
        name = f"kills {seed} {kill // KILLS_A_STUDY}"
        if kill % KILLS_A_STUDY == 0:
            pf.Study.create(SPACE, name=name, storage=url, seed=kill, proposer=anywhere).close()
            acknowledged = []
        said = _killed_writer(url, name, kill, rng)
        acknowledged += said
        _check(url, name, acknowledged)
        answers += len(said)
        acknowledged.append(_go_on(url, name, kill))
        progress(f"{answers} answers acknowledged")
    return answers


def _killed_writer(url: str, name: str, kill: int, rng: random.Random) -> list[str]:
    """The ids that a writer acknowledged before it was killed: one in ten while it opens the study."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # nothing of the parent may run on here
        try:
            os.close(read)
            _write(url, name, kill, write)
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read, encoding="ascii") as pipe:
        wanted = 0 if kill % 10 == 9 else rng.randint(1, MOST_ANSWERS)
        said = [pipe.readline() for _ in range(wanted)]
        assert all(said), "the writer ended by itself"
        time.sleep(rng.uniform(0.0, LONGEST_PAUSE if wanted else LONGEST_OPENING))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [line.rstrip("\n") for line in [*said, *pipe] if line.endswith("\n")]


def _write(url: str, name: str, kill: int, pipe: int) -> None:
    study = pf.Study.open(name, url, proposer=anywhere)
    for k in range(10_000):
        answer_id = f"{kill}-{k}"
        study.tell(study.ask(), ("a", "b", "same")[k % 3], answer_id=answer_id)
        os.write(pipe, f"{answer_id}\n".encode("ascii"))


def _check(url: str, name: str, acknowledged: list[str]) -> None:
    """Open the study and look; the one answer that was under way may be there or not."""
    with pf.Study.open(name, url, proposer=anywhere) as study:
        records = study.log.records
        ids = [record.answer_id for record in records if isinstance(record.event, Answered)]
        assert [record.sequence for record in records] == list(range(len(records))), "a gap in the sequence"
        assert len(set(ids)) == len(ids), "an answer is there twice"
        lost = set(acknowledged) - set(ids)
        assert not lost, f"acknowledged and lost: {sorted(lost)}"
        assert len(study.history) == len(ids), "an answer does not count"


def _go_on(url: str, name: str, kill: int) -> str:
    with pf.Study.open(name, url, proposer=anywhere) as study:
        study.tell(study.ask(), "a", answer_id=f"{kill}-after")
    return f"{kill}-after"

"""Check every study of a database: what the storage finds, and whether the study opens and is what the list of studies says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from prefero.errors import FormatError, InputError
from prefero.storage import open_storage
from prefero.storage.events import Created, ProposerChanged, Record, SpaceChanged
from prefero.study import checks
from prefero.study.state import State


@dataclass(frozen=True)
class CheckedStudy:
    """One study: what it holds, and what is wrong with it.

    unprotected: how many events were written before events had digests. missing: how many files the log mentions that are not
    there, as after an import of JSON. replayed: whether it was opened, which needs no functions of the user.
    """

    name: str
    events: int
    unprotected: int
    files: int
    missing: int
    replayed: bool
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What a check found: faults of the file as a whole, and every study."""

    address: str
    faults: tuple[str, ...]
    studies: tuple[CheckedStudy, ...]

    @property
    def count(self) -> int:
        """How many faults there are."""
        return len(self.faults) + sum(len(study.faults) for study in self.studies)


def check(storage: Any, progress: Callable[[int, int], None] | None = None) -> Report:
    """Check a database, given by its URL, its path or as a Database, as it is at one moment; others may use it meanwhile.

    progress: told how many studies are done, of how many.
    """
    kept, owned = open_storage(storage, create=False)
    try:
        from prefero.storage.database import Database
        from prefero.storage.engine import snapshot
        from prefero.storage.inspection import file_faults, inspect_studies

        if not isinstance(kept, Database):
            raise InputError.of("storage", kept, "a database")
        total, studies = len(kept.studies()), []
        with snapshot(kept.engine) as connection:
            faults = file_faults(connection)
            for found in inspect_studies(connection):
                replayed, more = _replayed(found.records, found.answers, found.waiting)
                held = (found.name, found.events, found.unprotected, found.files, found.missing)
                studies.append(CheckedStudy(*held, replayed, (*found.faults, *more)))
                if progress is not None:
                    progress(len(studies), total)
        return Report(kept.address, tuple(faults), tuple(studies))
    finally:
        if owned:
            kept.close()


def _replayed(records: Sequence[Record] | None, answers: int, waiting: dict[str, int]) -> tuple[bool, list[str]]:
    """Open a study; return whether it could be, and its faults."""
    if not records or _needs_functions(records):
        return False, []
    try:
        state = State.of(records)
    except FormatError as error:
        return True, [f"it does not open: {error}"]
    faults = []
    # Earlier versions counted imported comparisons among the answers.
    imported = sum(c.imported for c in state.samples.comparisons)
    # An answer about one candidate shown twice may have been counted when it was stored.
    twice = [step for step, asked in state.asked.items() if asked.first == asked.second and state.has_answer(step)]
    counted = range(state.answers, state.answers + len(twice) + 1)
    if answers not in counted and answers != state.answers + imported:
        faults.append(f"answers: the list of studies has {answers}, the log {state.answers}")
    for judge, step in waiting.items():
        if state.waiting.get(judge) != step:
            faults.append(f"question {step} does not wait for {judge or 'the judge'!r}")
    return True, faults


def _needs_functions(records: Sequence[Record]) -> bool:
    """Return whether a study has constraint functions or a proposer of the user, which no database holds."""
    spaces = [record.event.space for record in records if isinstance(record.event, Created | SpaceChanged)]
    proposers = [record.event.proposer for record in records if isinstance(record.event, Created | ProposerChanged)]
    constraints = spaces[-1].get("constraints", []) if spaces else []
    own = bool(proposers) and proposers[-1].get("name") not in checks.PROPOSERS
    return own or any(isinstance(row, dict) and row.get("type") == "function" for row in constraints)

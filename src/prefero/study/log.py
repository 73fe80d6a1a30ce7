"""Log: the one way in for every change of a study.

A command becomes an event of the current state, the event is appended to the storage, and the state that follows is published.
If another process appended first, the log reads its events, and the command is tried again on the new state.
"""

from __future__ import annotations

from datetime import UTC, datetime
from threading import RLock
from typing import Any

from prefero import __version__
from prefero.answers import as_said
from prefero.errors import ConflictError, InputError, QuestionError
from prefero.space.variables import plain
from prefero.storage import Storage
from prefero.storage.events import Artifact, Asked, Event, Measured, Record, dumps
from prefero.study import checks
from prefero.study.commands import (
    ChangeProposer,
    ChangeSettings,
    ChangeSpace,
    Command,
    Correct,
    Measure,
    Remove,
    Restore,
)
from prefero.study.questions import Question
from prefero.study.state import State

TRIES = 100
"""How often another process may append first before a command gives up."""


def new_record(sequence: int, event: Event, who: str) -> Record:
    """Return the record of an event that happens now."""
    return Record(sequence, datetime.now(UTC).isoformat(timespec="milliseconds"), who, __version__, event)


class Log:
    """Everything that happened in a study, where it is kept, and the state that follows from it.

    Threads may share a log: `state` is a value, replaced as a whole when something happens.
    """

    def __init__(self, storage: Storage, study: int, state: State, owns_storage: bool = False) -> None:
        self.storage, self.state = storage, state
        self._study, self._owns_storage = study, owns_storage
        self._lock = RLock()

    # Reading ----------------------------------------------------------------------------------------------------------

    @property
    def records(self) -> tuple[Record, ...]:
        """Everything that happened, with when and who."""
        return tuple(self.state.records)

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened."""
        return tuple(record.event for record in self.state.records)

    def question(self, step: int) -> Question:
        """Return a question by its number, whatever became of it; an imported comparison by −1, −2, …"""
        state, step = self.state, plain(step)
        known = isinstance(step, int) and not isinstance(step, bool) and (step in state.asked or state.has_answer(step))
        if not known:
            raise QuestionError.of("step", step, "the number of a question that this study asked")
        return state.question(step)

    def measured(self, candidate: object) -> Measured:
        """Return what was measured about a candidate, the newest value of each name."""
        state = self.state
        found = state.measured_of(state.space.candidate(candidate))
        return Measured(dict(found.candidate), dict(found.numbers), dict(found.files))

    def artifact(self, digest: str) -> Artifact | None:
        """Return a file that was measured, by its digest; None if there is none."""
        return self.storage.artifact(self._study, digest)

    def artifact_about(self, digest: str) -> tuple[str, int] | None:
        """Return the media type and the size of a file, without reading it; None if there is none."""
        return self.storage.artifact_about(self._study, digest)

    def artifact_piece(self, digest: str, start: int, length: int) -> bytes:
        """Return a piece of a file."""
        return self.storage.artifact_piece(self._study, digest, start, length)

    def to_json(self) -> str:
        """Return the whole log as JSON; of measured files it holds only the digests."""
        return dumps(self.state.records)

    # Amending the past ------------------------------------------------------------------------------------------------

    def correct(self, step: int, answer: object, *, who: str = "", note: str = "", sure: bool = True) -> Record:
        """Replace what was said about a question, or a rating; a skip may become an answer."""
        given = checks.without_ratings(as_said(answer), "answer")
        reason = checks.checked_reason(note, given.note)
        sure = checks.checked_flag("sure", sure) and checks.checked_flag("sure", given.sure)
        return self.submit(Correct(step, given.answer, reason, sure, checks.checked_name("who", who)))

    def remove(self, step: int, *, who: str = "", note: str = "") -> Record:
        """Let what was said about a question no longer count; it stays visible and can be restored."""
        return self.submit(Remove(step, checks.checked_text("note", note), checks.checked_name("who", who)))

    def restore(self, step: int, *, who: str = "", note: str = "") -> Record:
        """Let a removed or undone response count again."""
        return self.submit(Restore(step, checks.checked_text("note", note), checks.checked_name("who", who)))

    def change_settings(
        self, *, title: str | None = None, question: str | None = None, comparisons: int | None = None, who: str = ""
    ) -> Record:
        """Change what people see as the study's name, what it asks, or how many answers it expects.

        The name by which it is opened stays. Questions that wait are kept.
        """
        change = ChangeSettings(
            None if title is None else checks.checked_name("title", title),
            None if question is None else checks.checked_text("question", question),
            None if comparisons is None else checks.checked_count("comparisons", comparisons),
            checks.checked_name("who", who),
        )
        return self.submit(change)

    # Writing ----------------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Read what other processes appended; return how many events that were."""
        with self._lock:
            new = self.storage.read(self._study, len(self.state.records))
            for record in new:
                self.state = self.state.after(record)
            return len(new)

    def submit(self, command: Command) -> Record:
        """Let a command happen; return the record of its event, or the one that made it unnecessary."""
        with self._lock:
            for _ in range(TRIES):
                state = self.state
                try:
                    event = command.event(state)
                    if isinstance(event, Record):
                        if self.refresh():
                            continue  # it happened already on an old state: see whether it still holds on the new one
                        return event
                    record = self.append(state, event, command)
                except InputError:
                    if self.refresh():
                        continue  # it was refused on an old state: try it on the new one
                    raise
                if record is not None:
                    return record
        raise ConflictError(f"another process appended first {TRIES} times: try again")

    def renew_proposer(self) -> None:
        """Say in the log that today's default proposer goes on, if that of an earlier version began."""
        state = self.state
        if checks.is_former(state.proposer_data) and checks.proposer_of(state.proposer_data) == state.proposer:
            self.submit(ChangeProposer(state.proposer))

    def append(self, state: State, event: Event, command: Command | str) -> Record | None:
        """Append an event to the log that ends in `state`; None if another writer was first.

        `command` tells who wants it, and carries the files, the space or the proposer that belong to the event.
        """
        who = command if isinstance(command, str) else command.who
        if who is None:
            who = state.judge(event.step)  # type: ignore[union-attr]
        record = new_record(len(state.records), event, who)
        space = command.space if isinstance(command, ChangeSpace) else None
        proposer = command.proposer if isinstance(command, ChangeProposer) else None
        artifacts = tuple(command.files.values()) if isinstance(command, Measure) else ()
        with self._lock:
            if self.state is not state:
                return None
            following = state.after(record, space, proposer)
            try:
                self.storage.append(
                    self._study,
                    len(state.records),
                    [record],
                    answers=following.answers,
                    proposer=str(following.proposer_data.get("name")),
                    artifacts=artifacts,
                    waiting=_changed(state, following),
                )
            except ConflictError:
                self.refresh()
                return None
            self.state = following
            return record

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock())

    def close(self) -> None:
        """Close the storage if it was opened for this log."""
        if self._owns_storage:
            self.storage.close()


def _changed(before: State, after: State) -> dict[str, Asked | None]:
    """Return for whom another question waits: the question, or None."""
    judges = {judge for judge, _ in before.waiting.items() ^ after.waiting.items()}
    return {judge: after.asked[after.waiting[judge]] if judge in after.waiting else None for judge in judges}

"""Suggesting: hints that the owner's program finds in reasons, for people to confirm.

The program runs when a client asks for suggestions, never while an answer is saved: if it fails or hangs, no answer waits for it.
"""

from __future__ import annotations

import logging
import threading

from prefero.errors import JudgeError
from prefero.storage.events import Record
from prefero.study import Study
from prefero.study.reasons import Reasons, Suggestion, suggestions
from prefero.web.refusals import Refusal

log = logging.getLogger("prefero.web")
MOST_KEPT = 1_000
"""For how many answers suggestions are kept: a client that asks again does not start the program again."""


class Suggesting:
    """The owner's program, if there is one, and what it suggested."""

    def __init__(self, reasons: Reasons | None) -> None:
        self._reasons = reasons
        self._kept: dict[tuple[str, str, int], tuple[Suggestion, ...]] = {}
        self._lock = threading.Lock()

    @property
    def offered(self) -> bool:
        """Whether there is a program."""
        return self._reasons is not None

    def of(self, study: Study, record: Record) -> tuple[Suggestion, ...]:
        """Return what the program suggests from the reason of an answer; a Refusal if there is no program, or it fails."""
        if self._reasons is None:
            raise Refusal(404, "this service suggests no hints; start it with --reasons PROGRAM")
        key = (study.settings.name, record.time, record.sequence)  # a study may be deleted, and another have its name
        if key not in self._kept:
            try:
                found = suggestions(study, record, self._reasons)
            except JudgeError as error:  # what a program prints about its failure is for the owner only
                log.warning("no hints were suggested for %r: %s", study.settings.name, error)
                raise Refusal(502, "the program that suggests hints failed; the answer is saved") from None
            with self._lock:
                while len(self._kept) >= MOST_KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = found
                return found
        return self._kept.get(key, ())

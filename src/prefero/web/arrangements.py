"""What the owners arranged, remembered for a moment: every question asks whether its study is paused."""

from __future__ import annotations

import time

from prefero.storage import Storage, Summary
from prefero.web.refusals import Refusal

KEPT_SECONDS = 1.0
"""How long it is remembered: after a pause, a server process may ask a question for as long."""
MOST_KEPT = 10_000
DELETED = "this study was deleted; its owner can bring it back from the list of studies"


class Arrangements:
    """The studies that were asked about last, as the list of studies has them."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._kept: dict[str, tuple[float, Summary]] = {}

    def of(self, study: str) -> Summary | None:
        """Return a study as it was listed a moment ago, None if there is none; a Refusal if its owner deleted it."""
        known = self._kept.get(study)
        if known is None or known[0] < time.monotonic():
            found = self._storage.studies([study])
            if not found:
                return None
            known = self._kept[study] = (time.monotonic() + KEPT_SECONDS, found[0])
            if len(self._kept) > MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
        if known[1].deleted is not None:
            raise Refusal(404, DELETED)
        return known[1]

    def forget(self, study: str) -> None:
        """Look again at the next question."""
        self._kept.pop(study, None)

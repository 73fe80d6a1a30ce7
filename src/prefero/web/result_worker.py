"""ResultWorker: results of studies, computed in a helper process and kept until the study changes."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from prefero.study import Study
from prefero.web import results
from prefero.web.refusals import Refusal
from prefero.web.worker_process import WorkerError, WorkerProcess

SECONDS = 600.0
"""How long one job may take. Seconds are usual; a busy machine needs minutes, and only a stuck process needs to be ended."""
KEPT = 64
"""How many results are kept, the last ones used."""


class ResultWorker:
    """Computes results of studies, one at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds, self._lock = seconds, Lock()
        self._process = WorkerProcess(results.__name__, environment={"OMP_NUM_THREADS": "1"})
        self._kept: OrderedDict[tuple[str, str], tuple[str, Any]] = OrderedDict()

    def make(self, job: str, study: Study, text: str) -> Any:
        """Return what a job of `results.JOBS` makes of a study.

        text: the study as JSON. It tells whether a kept result is still current, and it is what the helper process gets.
        """
        key = (study.settings.name, job)
        if (kept := self._kept.get(key)) is not None and kept[0] == text:
            return kept[1]
        with self._lock:
            if (kept := self._kept.get(key)) is None or kept[
                0
            ] != text:  # another request may have computed it meanwhile
                kept = self._kept[key] = (text, self._computed(job, study, text))
                self._kept.move_to_end(key)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            return kept[1]

    def _computed(self, job: str, study: Study, text: str) -> Any:
        try:
            reply, _ = self._process.request({"job": job, "study": text}, self._seconds)
        except WorkerError:
            raise Refusal(503, "the result could not be computed: try again", {"Retry-After": "2"}) from None
        if "incomplete" not in reply:
            return reply["made"]
        # The study has functions, which JSON cannot hold: compute here.
        return results.JOBS[job](Study.from_json(text, space=study.space, proposer=study.proposer))

    def close(self) -> None:
        """End the helper process."""
        self._process.close()

"""The process that computes and draws results: started when first needed, given one study at a time, ended with the server.

What was made is kept until the study goes on, so that a reload shows it at once. A process that died or takes too long is
replaced; who asked is told, and may ask again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import weakref
from collections import OrderedDict
from threading import Lock, Timer
from typing import Any

from prefero.study import Study
from prefero.web import results
from prefero.web.refusals import Refusal

SECONDS = 120.0
"""How long one job may take."""
KEPT = 64
"""Results that are kept, the last ones."""


class ResultWorker:
    """Makes results of studies, one at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds, self._lock = seconds, Lock()
        self._process: subprocess.Popen[str] | None = None
        self._kept: OrderedDict[tuple[str, str], tuple[str, Any]] = OrderedDict()

    def make(self, job: str, study: Study, text: str) -> Any:
        """What a job of `results` makes of a study, of which `text` is the JSON: here only where the text is not all of it."""
        key = (study.settings.name, job)
        if (known := self._kept.get(key)) is not None and known[0] == text:
            return known[1]
        with self._lock:
            if (known := self._kept.get(key)) is None or known[0] != text:  # or somebody else asked the same meanwhile
                known = self._kept[key] = (text, self._made(job, study, text))
                self._kept.move_to_end(key)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            return known[1]

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _made(self, job: str, study: Study, text: str) -> Any:
        reply = self._asked(json.dumps({"job": job, "study": text}))
        if "incomplete" not in reply:
            return reply["made"]
        return results.JOBS[job](Study.from_json(text, space=study.space, proposer=study.proposer))

    def _asked(self, line: str) -> Any:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(self._seconds, process.kill)
        timer.start()
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        except (OSError, ValueError):  # it has ended, or was killed
            self._end()
            raise Refusal(503, "the result could not be drawn in time: try again", {"Retry-After": "2"}) from None
        finally:
            timer.cancel()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = subprocess.Popen(  # noqa: S603 (our own module)
                [sys.executable, "-m", results.__name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=os.environ | {"OMP_NUM_THREADS": "1"},
            )
            self._finalizer = weakref.finalize(self, _ended, self._process)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._finalizer()
            self._process = None


def _ended(process: subprocess.Popen[str]) -> None:
    """Nobody needs it any more."""
    process.kill()
    process.communicate()

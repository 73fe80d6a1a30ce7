"""The studies that a server has open, and the parts of a served file's study that no storage holds.

Threads share an open study. Its state is an immutable value, an answer is stored without waiting for a proposer, and proposals are
computed one at a time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from prefero.errors import FormatError
from prefero.storage import Storage
from prefero.study import Study
from prefero.web.lookahead import Lookaheads
from prefero.web.refusals import Refusal
from prefero.web.render_queue import RenderQueue


@dataclass(frozen=True)
class Served:
    """The study of a served file: functions that no storage holds, and the queue that renders its candidates."""

    name: str
    space: Any = None
    proposer: Any = None
    renders: RenderQueue | None = None


class OpenStudies:
    """The studies of a storage that were used last."""

    def __init__(self, storage: Storage, most: int, served: Served | None = None) -> None:
        self._storage, self._most, self._served = storage, most, served
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Study] = OrderedDict()
        self.lookaheads = Lookaheads(most, None if served is None else served.renders)
        if served is not None and served.renders is not None:
            served.renders.attach(lambda: self.get(served.name))

    def get(self, name: str) -> Study:
        """Return an open study, as this process last saw it."""
        with self._lock:
            study = self._open.get(name)
        if study is None:
            opened = self._opened(name)  # without the lock: it reads the whole log, and others must not wait for it
        with self._lock:
            if study is None:
                study = self._open.setdefault(name, opened)
            self._open[name] = study
            self._open.move_to_end(name)
            if len(self._open) > self._most:
                self._open.popitem(last=False)
            return study

    def _opened(self, name: str) -> Study:
        served = self._served if self._served is not None and self._served.name == name else Served(name)
        try:
            return Study.open(name, self._storage, space=served.space, proposer=served.proposer)
        except FormatError as error:
            raise Refusal(409, f"the study cannot be served: {error}") from None

    def forget(self, name: str) -> None:
        """Drop a deleted study: a new one may have its name."""
        with self._lock:
            self._open.pop(name, None)

    def renders(self, name: str) -> RenderQueue | None:
        """Return the queue that renders a study's candidates; None if this server does not render them."""
        return self._served.renders if self._served is not None and self._served.name == name else None

    def close(self) -> None:
        """Stop computing and rendering ahead."""
        self.lookaheads.close()
        if self._served is not None and self._served.renders is not None:
            self._served.renders.close()

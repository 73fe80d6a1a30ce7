"""The studies that a server has open, and the parts of a served file's study that no storage holds.

Threads share an open study. Its state is an immutable value, and an answer is stored without waiting for a proposer.
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
from prefero.web.proposals import Proposals
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

    def __init__(self, storage: Storage, proposals: Proposals, most: int, served: Served | None = None) -> None:
        self._storage, self._most, self._served = storage, most, served
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Study] = OrderedDict()
        self._complete: bool | None = (
            None  # whether all of the served file's study is in the storage, once it was tried
        )
        self.lookaheads = Lookaheads(proposals, most, None if served is None else served.renders)
        if served is not None and served.renders is not None:
            served.renders.attach(lambda: self.get(served.name))

    def __len__(self) -> int:
        return len(self._open)

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

    def in_database(self, name: str) -> bool:
        """Return whether all of a study is in the storage: a served file's may have functions, which are only here."""
        if self._served is None or self._served.name != name:
            return True
        if self._complete is None:
            try:
                Study.open(name, self._storage)
                self._complete = True
            except FormatError:
                self._complete = False
        return self._complete

    def forget(self, name: str) -> None:
        """Drop a deleted study: a new one may have its name."""
        with self._lock:
            self._open.pop(name, None)

    def renders(self, name: str) -> RenderQueue | None:
        """Return the queue that renders a study's candidates; None if this server does not render them."""
        return self._served.renders if self._served is not None and self._served.name == name else None

    def close(self) -> None:
        """Stop rendering ahead."""
        if self._served is not None and self._served.renders is not None:
            self._served.renders.close()

"""The studies that are in use, each in two copies: one that saves, and one that thinks.

A study is not for several threads at once, so each copy has a lock. The copy that saves is never kept waiting by a proposer;
the one that thinks asks the next question, with what was computed of it ahead. Both read what other
copies and other processes have appended before they do anything, which costs as much as there is that is new.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from prefero.errors import FormatError, InputError, UnknownStudyError
from prefero.storage import Storage
from prefero.study import Study
from prefero.web.ahead import Ahead
from prefero.web.preparing import Preparing
from prefero.web.refusals import Refusal

T = TypeVar("T")


@dataclass(frozen=True)
class Known:
    """A study that is known beyond what is stored: functions that no database holds, and who renders its candidates."""

    name: str
    space: Any = None
    proposer: Any = None
    preparing: Preparing | None = None


class _Copy:
    """One copy of a study, for one thread at a time."""

    def __init__(self, name: str, storage: Storage, known: Known | None) -> None:
        self.name, self._storage = name, storage
        self._functions = {} if known is None else {"space": known.space, "proposer": known.proposer}
        self.lock = threading.Lock()
        self._study: Study | None = None

    def use(self, action: Callable[[Study], T]) -> T:
        with self.lock:
            known = self._study is not None
            try:
                return action(self._opened())
            except UnknownStudyError:
                self._study = None
                if not known:
                    raise
                return action(self._opened())  # there may be a new one of that name
            except (InputError, Refusal):
                raise  # it was refused, and nothing happened
            except BaseException:
                self._study = None  # who knows what state it is in: the database knows
                raise

    def _opened(self) -> Study:
        if self._study is None:
            try:
                self._study = Study.open(self.name, self._storage, **self._functions)
            except FormatError as error:
                raise Refusal(409, f"the study cannot be served: {error}") from None
        return self._study


class Live:
    """The studies of a storage that were used lately."""

    def __init__(self, storage: Storage, most: int, known: Known | None = None) -> None:
        self.storage, self._most, self._known = storage, most, known
        self._lock = threading.Lock()
        self._copies: OrderedDict[str, tuple[_Copy, _Copy]] = OrderedDict()
        self.ahead = Ahead(most, None if known is None else known.preparing)

    def save(self, name: str, action: Callable[[Study], T]) -> T:
        """Let something happen that is said, not computed; the action reads what is new by itself."""
        return self._use(name, 0, action)

    def look(self, name: str, action: Callable[[Study], T]) -> T:
        """Look at a study as it is now."""
        return self._use(name, 0, lambda study: _refreshed(study, action))

    def think(self, name: str, action: Callable[[Study], T]) -> T:
        """Compute something of a study as it is now."""
        return self._use(name, 1, lambda study: _refreshed(study, action))

    def preparing(self, name: str) -> Preparing | None:
        """Who renders the candidates of a study; None where others prepare them."""
        return self._known.preparing if self._known is not None and self._known.name == name else None

    def close(self) -> None:
        """Let what is computed and rendered ahead end."""
        self.ahead.close()
        if self._known is not None and self._known.preparing is not None:
            self._known.preparing.close()

    def _use(self, name: str, which: int, action: Callable[[Study], T]) -> T:
        try:
            with self.ahead.aside():
                return self._pair(name)[which].use(action)
        except UnknownStudyError:
            with self._lock:
                self._copies.pop(name, None)  # names that lead nowhere are not worth keeping
            raise

    def _pair(self, name: str) -> tuple[_Copy, _Copy]:
        with self._lock:
            if name not in self._copies:
                known = self._known if self._known is not None and self._known.name == name else None
                self._copies[name] = (_Copy(name, self.storage, known), _Copy(name, self.storage, known))
            self._copies.move_to_end(name)
            if len(self._copies) > self._most:
                idle = (n for n, pair in self._copies.items() if n != name and not any(c.lock.locked() for c in pair))
                self._copies.pop(next(idle, ""), None)
            return self._copies[name]


def _refreshed(study: Study, action: Callable[[Study], T]) -> T:
    study.refresh()
    return action(study)

"""Sequences and mappings that are values and grow cheaply.

Adding returns another value. Both share their entries, so that a long log is not copied for every event that is appended to it.
Only the value that has all the entries so far can share them with its successor; another one is copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class GrowingList(Sequence[T], Generic[T]):
    """A sequence that is never changed; `plus` returns a longer one."""

    __slots__ = ("_entries", "_length", "_lock")

    def __init__(self, entries: Iterable[T] = ()) -> None:
        self._entries = list(entries)
        self._length = len(self._entries)
        self._lock = Lock()  # shared with the entries: of two threads that add, one shares and the other copies

    def plus(self, entry: T) -> GrowingList[T]:
        """Return the sequence with one more entry."""
        with self._lock:
            if len(self._entries) == self._length:
                self._entries.append(entry)
                longer: GrowingList[T] = GrowingList.__new__(GrowingList)
                longer._entries, longer._length, longer._lock = self._entries, self._length + 1, self._lock
                return longer
        return GrowingList([*self, entry])

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return islice(self._entries, self._length)

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> list[T]: ...

    def __getitem__(self, place: int | slice) -> T | list[T]:
        places = range(self._length)[place]  # an IndexError beyond the end, negative numbers from the end
        return self._entries[places] if isinstance(places, int) else [self._entries[k] for k in places]

    def __reversed__(self) -> Iterator[T]:
        return (self._entries[k] for k in range(self._length - 1, -1, -1))

    def __reduce__(self) -> Any:
        return GrowingList, (list(self),)


class GrowingDict(Mapping[K, V], Generic[K, V]):
    """A mapping in the order of its keys, never changed; `plus` and `minus` return others."""

    __slots__ = ("_items", "_places")

    def __init__(self, items: Iterable[tuple[K, V]] = ()) -> None:
        entries = dict(items)
        self._items: GrowingList[tuple[K, V]] = GrowingList(entries.items())
        self._places = {key: place for place, key in enumerate(entries)}  # shared with the items

    def plus(self, key: K, value: V) -> GrowingDict[K, V]:
        """Return the mapping with a value for a key: a new key comes last, a known one keeps its place."""
        if key in self:
            return GrowingDict([*self._items, (key, value)])
        items = self._items.plus((key, value))
        if items._entries is not self._items._entries:  # they were copied
            return GrowingDict(items)
        longer: GrowingDict[K, V] = GrowingDict.__new__(GrowingDict)
        longer._items, longer._places = items, self._places
        self._places[key] = len(items) - 1
        return longer

    def minus(self, key: K) -> GrowingDict[K, V]:
        """Return the mapping without a key."""
        return GrowingDict(item for item in self._items if item[0] != key) if key in self else self

    def __getitem__(self, key: K) -> V:
        place = self._places.get(key)
        if place is None or place >= len(self._items):
            raise KeyError(key)
        return self._items._entries[place][1]

    def __contains__(self, key: object) -> bool:
        place = self._places.get(key)  # type: ignore[arg-type]
        return place is not None and place < len(self._items)

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self._items)

    def __reversed__(self) -> Iterator[K]:
        return (key for key, _ in reversed(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def __reduce__(self) -> Any:
        return GrowingDict, (list(self.items()),)

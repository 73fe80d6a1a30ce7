"""What happened in a study, as frozen records with a versioned JSON form.

The log is the truth: events are appended, never edited, and replaying them gives the study back. The questions are in it
as they were asked; nothing is computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from prefero.errors import FormatError

FORMAT = "prefero study"
VERSION = 1


@dataclass(frozen=True)
class Created:
    """The study's beginning: everything that a proposer needs to know beside the answers."""

    prefero: str
    space: dict[str, Any]
    comparisons: int
    seed: int
    proposer: dict[str, Any]
    start: list[dict[str, Any]]
    sides: str


@dataclass(frozen=True)
class Asked:
    """A question: the incumbent first, and whether the sides shown were swapped."""

    step: int
    first: dict[str, Any]
    second: dict[str, Any]
    swapped: bool
    note: str = ""


@dataclass(frozen=True)
class Answered:
    """An answer about the sides shown: "a", "same" or "b"."""

    step: int
    answer: str


@dataclass(frozen=True)
class Skipped:
    """The person could not judge."""

    step: int


@dataclass(frozen=True)
class Undone:
    """The answer or skip of that step was taken back; its question waits again."""

    step: int


Event: TypeAlias = Created | Asked | Answered | Skipped | Undone
_KINDS: dict[str, type[Event]] = {
    "created": Created,
    "asked": Asked,
    "answered": Answered,
    "skipped": Skipped,
    "undone": Undone,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def dumps(events: Sequence[Event]) -> str:
    """The whole log as JSON, with a digest that tells whether it was changed by hand or cut short."""
    rows = [{"event": _NAMES[type(event)]} | asdict(event) for event in events]
    head = {"format": FORMAT, "version": VERSION, "digest": _digest(rows)}
    return json.dumps(head | {"events": rows}, ensure_ascii=False, indent=1)


def loads(text: str) -> list[Event]:
    """The log that `dumps` wrote; FormatError for anything else."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"the study is not JSON, or was cut short: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f'the JSON is not a study: its "format" must be "{FORMAT}"')
    version = data.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise FormatError.of("version", version, f"1 to {VERSION}; a newer study needs a newer prefero")
    rows = data.get("events")
    if not isinstance(rows, list) or _digest(rows) != data.get("digest"):
        raise FormatError("the study was changed after it was written: its digest does not fit")
    return [_event(row) for row in rows]


def _event(row: Any) -> Event:
    if not isinstance(row, Mapping) or str(row.get("event")) not in _KINDS:
        raise FormatError.of("event", row, ", ".join(_KINDS))
    fields = {key: value for key, value in row.items() if key != "event"}
    try:
        return _KINDS[row["event"]](**fields)
    except TypeError as error:
        raise FormatError(f"the event {row['event']!r} does not have the fields it needs: {error}") from None


def _digest(rows: Any) -> str:
    canonical = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()

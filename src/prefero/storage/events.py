"""Events: what happened in a study, with a versioned JSON form.

The log is the truth: events are appended and never edited, and replaying them restores the study. Questions are logged as they
were asked, so nothing is computed again. A record is an event with its place in the log, its time, its author and the version
of prefero that wrote it.

Version 1 of the JSON had bare events; they open as records without time and author. Version 3 tells what a question knew.
Version 4 tells who made each imported comparison, and lets several questions wait for one judge. Version 5 has strengths
and candidates that are not acceptable. Version 6 has questions about more than two candidates, ratings, hints, settings that
were changed later, and tells which answers people were not sure of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from string import ascii_lowercase
from typing import Any, TypeAlias

from prefero.errors import FormatError

FORMAT = "prefero study"
VERSION = 6
MOST_EVENTS = 1_000_000
"""How many events a study that is read from JSON may have."""
QUESTION = "Which is better?"
"""The question that is asked unless the owner chooses another one."""
SCALE = ("very bad", "bad", "neutral", "good", "very good")
"""The scale of ratings unless the owner chooses another one, the worst level first."""
IDENTICAL = "one candidate, shown twice"
"""The note of a question about one candidate on both sides: its answer tells about the person, not about candidates."""
ANSWER_LABELS = {
    "a": "A is better",
    "b": "B is better",
    "same": "about the same",
    "much a": "A is much better",
    "much b": "B is much better",
    "skipped": "can't judge",
    "a failed": "A failed",
    "b failed": "B failed",
    "a unacceptable": "A is not acceptable",
    "b unacceptable": "B is not acceptable",
    "both unacceptable": "neither is acceptable",
    **{f"rated {level}": f"rated {level}" for level in range(1, 11)},
}
"""What can be said about a pair, in words for people."""


def answer_label(said: str) -> str:
    """Return what was said, in words for people; of several candidates: "C > A, B, D", best first. A hint is in words already."""
    if said in ANSWER_LABELS:
        return ANSWER_LABELS[said]
    side, _, what = said.partition(" ")
    if len(side) == 1 and what in ("failed", "unacceptable"):
        return f"{side.upper()} {'failed' if what == 'failed' else 'is not acceptable'}"
    if what or ">" not in said:
        return said
    return " > ".join(", ".join(group).upper() for group in said.split(">"))


NOT_NAMED = "(not named)"
"""What a judge without a name is called."""


@dataclass(frozen=True)
class Created:
    """A study was created, with these settings.

    comparisons: the expected number of answers. start: the user's own candidates. question: what the person is asked.
    strengths: whether the page offers "much better". kind: what the questions ask for; the first of several. kinds: all of them if
    there are several, otherwise empty. efforts: seconds that a question of a kind takes, where the owner gave them.
    title: what people see instead of the name.
    prior: candidates and answers of other people or earlier studies, one entry each. scale: words for the levels of ratings, the
    worst first. ratings: whether the page asks for ratings. language: of the page, such as "de"; empty for the browser's.
    """

    space: dict[str, Any]
    comparisons: int
    seed: int
    proposer: dict[str, Any]
    start: list[dict[str, Any]]
    sides: str
    name: str = ""
    question: str = QUESTION
    max_step: dict[str, float] = field(default_factory=dict)
    hide_parameters: bool = False
    prior: list[dict[str, Any]] = field(default_factory=list)
    kind: str = "pair"
    strengths: bool = False
    title: str = ""
    scale: list[str] = field(default_factory=lambda: list(SCALE))
    kinds: list[str] = field(default_factory=list)
    efforts: dict[str, float] = field(default_factory=dict)
    ratings: bool = False
    language: str = ""

    @property
    def offered(self) -> list[str]:
        """Every kind of question that the study may ask."""
        return self.kinds or [self.kind]


@dataclass(frozen=True)
class Asked:
    """A question was asked. `first` is the incumbent; `swapped` tells that it was shown as B.

    known: how many records of the log the proposer knew, if the question comes from the pool of a study with many judges.
    slot: which of several questions that wait for the same judge it is, from 0 up.
    more: further candidates of a question about more than two; `order` then tells which of all, from 0, is shown on each side.
    kind: what the question asks for, such as "rank 4".
    """

    step: int
    first: dict[str, Any]
    second: dict[str, Any]
    swapped: bool
    note: str = ""
    judge: str = ""
    known: int | None = None
    slot: int = 0
    more: list[dict[str, Any]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    kind: str = "pair"

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """All candidates, the incumbent first."""
        return [self.first, self.second, *self.more]

    @property
    def shown(self) -> dict[str, dict[str, Any]]:
        """The candidate on each side: "a", "b", …"""
        order = self.order if self.more else [1, 0] if self.swapped else [0, 1]
        return {side: self.candidates[k] for side, k in zip(ascii_lowercase, order, strict=False)}

    @property
    def seat(self) -> str:
        """Where the question waits: the judge, with the slot after a line break if it is not the first; no name has one."""
        return f"{self.judge}\n{self.slot}" if self.slot else self.judge


@dataclass(frozen=True)
class Answered:
    """A question was answered about the sides shown: "a", "same", "b", "much a" or "much b"; of several, an order such as "c>abd".

    answer_id: the client's own name for the answer. seconds: the response time. note: the reason, or any other remark.
    sure: False if the person was not sure.
    """

    step: int
    answer: str
    answer_id: str | None = None
    seconds: float | None = None
    note: str = ""
    sure: bool = True


@dataclass(frozen=True)
class Skipped:
    """The person could not judge."""

    step: int
    answer_id: str | None = None
    seconds: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Failed:
    """The candidate on one side of a question could not be tried: it is not recommended or proposed again."""

    step: int
    side: str
    candidate: dict[str, Any]
    answer_id: str | None = None
    seconds: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Rejected:
    """Nobody would take the candidate on side "a" or "b", or "both", though it works: as after a failure, it is not shown again.

    If one was rejected, the other one is better.
    """

    step: int
    side: str
    answer_id: str | None = None
    seconds: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Rated:
    """Its author rated a candidate: a level from 1, the worst of the study's scale."""

    candidate: dict[str, Any]
    level: int
    answer_id: str | None = None
    seconds: float | None = None
    note: str = ""
    sure: bool = True


@dataclass(frozen=True)
class Hinted:
    """Its author said where to look; `kind` is one of "more", "less", "near", "fix" and "free".

    variable: which one, if the kind is about one. candidate: where "more", "less" and "near" apply. fixed: the variable that "fix"
    keeps, with its value. since: the number of the next question. questions: how many of them "near" applies to. within: how far
    it reaches, as a share of each range.
    """

    kind: str
    variable: str = ""
    candidate: dict[str, Any] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    since: int = 0
    questions: int = 0
    within: float = 0.0
    answer_id: str | None = None
    note: str = ""

    @property
    def said(self) -> str:
        """The hint in words: "more warmth", "near for 5 questions", "fix warmth at 7"."""
        if self.kind == "near":
            return f"near for {self.questions} question{'s' * (self.questions != 1)}"
        words = f"{self.kind} {self.variable}".strip()
        return f"{words} at {self.fixed[self.variable]}" if self.kind == "fix" else words


@dataclass(frozen=True)
class Undone:
    """The answer, skip or failure of that step was taken back; its question waits again if it may still be shown."""

    step: int
    waits: bool = True


@dataclass(frozen=True)
class Corrected:
    """What was said about that question was replaced; its place in the history stays."""

    step: int
    answer: str
    note: str = ""
    sure: bool = True


@dataclass(frozen=True)
class Removed:
    """What was said about that question no longer counts."""

    step: int
    note: str = ""


@dataclass(frozen=True)
class Restored:
    """A removed or undone answer counts again."""

    step: int
    note: str = ""


@dataclass(frozen=True)
class SpaceChanged:
    """The bounds changed or variables were added; `fill` has the values of new variables for the candidates so far."""

    space: dict[str, Any]
    fill: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SettingsChanged:
    """The owner changed what the study is called, what it asks or how many answers it expects; None leaves a setting as it is."""

    title: str | None = None
    question: str | None = None
    comparisons: int | None = None

    def of(self, created: Created) -> Created:
        """Return the settings after the change."""
        return replace(created, **{name: value for name, value in vars(self).items() if value is not None})


@dataclass(frozen=True)
class ProposerChanged:
    """Another proposer asks from here on."""

    proposer: dict[str, Any]


@dataclass(frozen=True)
class Imported:
    """Comparisons made elsewhere were added: rows (i, j, π) of candidates.

    source: where they come from. judges: whose answer each row is; without any, all are the author's. unsure: the numbers of the
    rows that people were not sure of.
    """

    candidates: list[dict[str, Any]]
    comparisons: list[list[int]]
    source: str = ""
    judges: list[str] = field(default_factory=list)
    answer_id: str | None = None
    note: str = ""
    unsure: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Measured:
    """Numbers and files about a candidate, by name; of each file its digest, media type and size."""

    candidate: dict[str, Any]
    numbers: dict[str, float] = field(default_factory=dict)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Artifact:
    """A file about a candidate, identified by the SHA-256 of its content."""

    content: bytes
    media_type: str

    @property
    def digest(self) -> str:
        """The SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return what an event holds of it."""
        return {"digest": self.digest, "media_type": self.media_type, "size": len(self.content)}


Event: TypeAlias = (
    Created
    | Asked
    | Answered
    | Skipped
    | Failed
    | Rejected
    | Rated
    | Hinted
    | Undone
    | Corrected
    | Removed
    | Restored
    | SpaceChanged
    | SettingsChanged
    | ProposerChanged
    | Imported
    | Measured
)
KINDS: dict[str, type[Event]] = {
    "created": Created,
    "asked": Asked,
    "answered": Answered,
    "skipped": Skipped,
    "failed": Failed,
    "rejected": Rejected,
    "rated": Rated,
    "hinted": Hinted,
    "undone": Undone,
    "corrected": Corrected,
    "removed": Removed,
    "restored": Restored,
    "space changed": SpaceChanged,
    "settings changed": SettingsChanged,
    "proposer changed": ProposerChanged,
    "imported": Imported,
    "measured": Measured,
}
_NAMES = {kind: name for name, kind in KINDS.items()}
_ENVELOPE = ("sequence", "time", "who", "prefero", "event")


@dataclass(frozen=True)
class Record:
    """An event with its place in the log, its time (UTC, ISO 8601), its author ("" if nobody is named) and its writer's version."""

    sequence: int
    time: str
    who: str
    prefero: str
    event: Event

    @property
    def kind(self) -> str:
        """The event's kind in words."""
        return _NAMES[type(self.event)]

    @property
    def answer_id(self) -> str | None:
        """The client's name for this answer; None if it has none."""
        return getattr(self.event, "answer_id", None)

    @property
    def answer_key(self) -> str | None:
        """What tells answers apart: each judge's clients choose their own `answer_id`, so two judges may choose the same."""
        return None if self.answer_id is None else f"{self.who}\n{self.answer_id}"

    def fields(self) -> dict[str, Any]:
        """Return the event alone as plain data."""
        return asdict(self.event)


def record(sequence: int, time: str, who: str, prefero: str, kind: object, data: Mapping[str, Any]) -> Record:
    """Return the record of an event given as plain data; FormatError if there is no such event."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise FormatError.of("event", kind, ", ".join(KINDS))
    try:
        event = KINDS[kind](**data)
    except TypeError as error:
        raise FormatError(f"the event {kind!r} does not have the fields it needs: {error}") from None
    for known in fields(event):
        if not _is(str(known.type), getattr(event, known.name)):
            raise FormatError.of(f"{known.name} of the event {kind!r}", getattr(event, known.name), str(known.type))
    return Record(sequence, time, who, prefero, event)


_TYPES: dict[str, Any] = {"int": int, "float": (int, float), "str": str, "bool": bool, "dict": dict, "list": list}


def _is(annotation: str, value: object) -> bool:
    """Return whether a value read from JSON has the type of an event's field."""
    if value is None:
        return annotation.endswith("| None")
    base = annotation.split("[")[0].split(" ")[0]
    return isinstance(value, _TYPES[base]) and (base == "bool") == isinstance(value, bool)


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """Return data as it comes back from JSON, so that an event equals its stored form."""
    read: dict[str, Any] = json.loads(json.dumps(data))
    return read


def dumps(records: Sequence[Record]) -> str:
    """Return the log as JSON, with a digest that reveals changes by hand and truncation."""
    rows = [
        {"sequence": r.sequence, "time": r.time, "who": r.who, "prefero": r.prefero, "event": r.kind} | r.fields()
        for r in records
    ]
    head = {"format": FORMAT, "version": VERSION, "digest": _digest(rows)}
    return json.dumps(head | {"events": rows}, ensure_ascii=False, indent=1)


def loads(text: str | bytes) -> list[Record]:
    """Return the log that `dumps` of this or an older version wrote; FormatError for anything else."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        hint = (
            ""
            if isinstance(text, str | bytes) and text[:1] in ("{", b"{")
            else " (give the text of the file, not its path)"
        )
        raise FormatError(f"the study is not JSON, or was cut short: {error}{hint}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f'the JSON is not a study: its "format" must be "{FORMAT}"')
    version = data.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        needed = f"; it needs a prefero that reads version {version}" if isinstance(version, int) else ""
        raise FormatError.of("version", version, f"1 to {VERSION}; a newer study needs a newer prefero{needed}")
    rows = data.get("events")
    if isinstance(rows, list) and len(rows) > MOST_EVENTS:
        raise FormatError(f"the study has {len(rows)} events, more than the {MOST_EVENTS} that are read")
    if not isinstance(rows, list) or _digest(rows) != data.get("digest"):
        raise FormatError("the study was changed after it was written: its digest does not fit")
    if version == 1:
        rows = _from_version_1(rows)
    return [_record(row, place) for place, row in enumerate(rows)]


def _from_version_1(rows: list[Any]) -> list[Any]:
    """Add envelopes to bare events; their time and author are unknown, the writer's version is in the first event."""
    first = rows[0] if rows and isinstance(rows[0], Mapping) else {}
    envelope = {"time": "", "who": "", "prefero": first.get("prefero", "")}
    migrated = []
    for sequence, row in enumerate(rows):
        event = {k: v for k, v in row.items() if k != "prefero"} if isinstance(row, Mapping) else {}
        migrated.append(envelope | {"sequence": sequence} | event)
    return migrated


def _record(row: Any, place: int) -> Record:
    if not isinstance(row, Mapping) or any(key not in row for key in _ENVELOPE):
        raise FormatError.of("event", row, "an object with " + ", ".join(_ENVELOPE) + " and the event's own fields")
    if row["sequence"] != place or not all(isinstance(row[key], str) for key in ("time", "who", "prefero")):
        raise FormatError.of("event", row, f"the record number {place}, with its time, author and version as texts")
    data = {key: value for key, value in row.items() if key not in _ENVELOPE}
    return record(place, row["time"], row["who"], row["prefero"], row["event"], data)


def row_digest(time: str, who: str, prefero: str, kind: str, answer_key: str | None, data: str) -> str:
    """Return the digest that a database keeps beside an event; `data` is the event's JSON as it is stored."""
    return hashlib.sha256("\n".join((time, who, prefero, kind, answer_key or "", data)).encode()).hexdigest()


def _digest(rows: Any) -> str:
    canonical = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()

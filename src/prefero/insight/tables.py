"""Tables of results: plain values for programs, and short texts for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["value", "share", "chance", "utility", "seconds"]


@dataclass(frozen=True)
class Column:
    """A column: its heading, and how its numbers are written."""

    name: str
    form: Form = "value"
    unit: str = ""

    @property
    def heading(self) -> str:
        """The name with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def text(self, given: object) -> str:
        """Return a value of this column as text; "" for None."""
        if given is None:
            return ""
        if isinstance(given, bool):
            return "yes" if given else "no"
        if not isinstance(given, int | float):
            return str(given)
        return _WRITTEN[self.form](given)


@dataclass(frozen=True)
class Table:
    """Rows of plain values under named columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column, whether it holds numbers only."""
        return tuple(
            all(
                isinstance(row[k], int | float) and not isinstance(row[k], bool)
                for row in self.rows
                if row[k] is not None
            )
            for k in range(len(self.columns))
        )

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """Return the rows as texts."""
        return tuple(
            tuple(column.text(given) for column, given in zip(self.columns, row, strict=True)) for row in self.rows
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {"columns": [column.heading for column in self.columns], "rows": [list(row) for row in self.rows]}


def number(given: float) -> str:
    """Return a number with five digits, or all digits of a large one, in a form that programs read."""
    short = f"{given:.5g}"
    return f"{given:.0f}" if "e+" in short and abs(given) < 1e15 else short


def value(given: float) -> str:
    """Return a number for people: as `number`, with a minus sign in place of the hyphen."""
    return number(given).replace("-", "−")


def share(given: float) -> str:
    """Return a share in percent; only 0 and 1 themselves are written as 0% and 100%."""
    if 0.995 <= given < 1:
        return ">99%"
    return "<1%" if 0 < given < 0.005 else f"{given:.0%}"


def chance(given: float) -> str:
    """Return a probability in percent, never 0% or 100%."""
    return share(min(max(given, 1e-9), 1 - 1e-9))


def utility(given: float) -> str:
    """Return a utility with two decimals; more would be noise."""
    return f"{given:.2f}".replace("-", "−")


def seconds(given: float) -> str:
    """Return a response time with its unit."""
    return f"{given:.1f} s" if given < 100 else f"{given:.0f} s"


_WRITTEN = {"value": value, "share": share, "chance": chance, "utility": utility, "seconds": seconds}


def count(number: int, what: str) -> str:
    """Return a number with its noun: 1 answer, 2 answers."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def setting(candidate: Mapping[str, Any], text: Callable[[object], str] = Column("").text) -> str:
    """Return a candidate in one line; `text` writes each value."""
    return ", ".join(f"{name} {text(given)}" for name, given in candidate.items())


def minute(time: str) -> str:
    """Return a stored time to the minute: 2026-01-31 12:00."""
    return time[:16].replace("T", " ")

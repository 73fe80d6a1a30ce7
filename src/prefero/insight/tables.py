"""Tables of what was found: plain values for programs, and the same as short texts for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["value", "share", "chance", "utility", "seconds"]


@dataclass(frozen=True)
class Column:
    """A column's heading, and how its numbers are written."""

    name: str
    form: Form = "value"
    unit: str = ""

    @property
    def heading(self) -> str:
        """The name with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def text(self, given: object) -> str:
        """A value of this column for people; "" where there is none."""
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
        """Which columns hold nothing but numbers."""
        return tuple(
            all(
                isinstance(row[k], int | float) and not isinstance(row[k], bool)
                for row in self.rows
                if row[k] is not None
            )
            for k in range(len(self.columns))
        )

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The rows for people."""
        return tuple(
            tuple(column.text(given) for column, given in zip(self.columns, row, strict=True)) for row in self.rows
        )

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        return {"columns": [column.heading for column in self.columns], "rows": [list(row) for row in self.rows]}


def value(given: float) -> str:
    """A number with five digits."""
    short = f"{given:.5g}"
    return f"{given:.0f}" if "e+" in short and abs(given) < 1e15 else short.replace("-", "−")


def share(given: float) -> str:
    """A share in percent; what is not quite certain does not look as if it were."""
    if 0.995 <= given < 1:
        return ">99%"
    return "<1%" if 0 < given < 0.005 else f"{given:.0%}"


def chance(given: float) -> str:
    """A chance in percent; none is certain."""
    return share(min(max(given, 1e-9), 1 - 1e-9))


def utility(given: float) -> str:
    """A utility, of which the second digit is noise already."""
    return f"{given:.2f}".replace("-", "−")


def seconds(given: float) -> str:
    """A time."""
    return f"{given:.1f} s" if given < 100 else f"{given:.0f} s"


_WRITTEN = {"value": value, "share": share, "chance": chance, "utility": utility, "seconds": seconds}


def count(number: int, what: str) -> str:
    """1 answer, 2 answers."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def setting(candidate: Mapping[str, Any]) -> str:
    """A candidate in one line."""
    return ", ".join(f"{name} {Column(name).text(given)}" for name, given in candidate.items())

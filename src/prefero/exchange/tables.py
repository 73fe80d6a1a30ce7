"""Export a study's candidates and answers, and import comparisons made elsewhere.

Export writes tables (CSV, DataFrame) and pairs with the winner first, as BoTorch takes them. Import reads CSV, DataFrames, arrays
in the convention of glis, and preferential studies of Optuna. An import adds all comparisons, or none if one of them is invalid.

A spreadsheet may run a text cell as a formula if it begins with = + - @, also in full width or after a tab or a line break. In some
countries it splits cells at semicolons, and a quote in the middle of a cell does not stop it. Export writes an apostrophe before
such a text, also after a semicolon, tab or line break inside it, and import removes it. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from prefero.answers import RATED, SIDES, UNACCEPTABLE, Kind, as_level, as_said, better_pairs, is_hint, is_order, unsure
from prefero.answers.orders import BETTER, fits
from prefero.answers.rating import rated_level
from prefero.errors import InputError
from prefero.space import Candidate, Catalogue, Choice, Integer, Ordinal, Real, Space
from prefero.space.arrays import ROUNDING, Indices, Matrix
from prefero.storage.events import Record
from prefero.study import Study
from prefero.study.checks import MOST_COMPARISONS
from prefero.study.rows import ANSWER_COLUMNS, Row, answer_rows, candidate_rows

_RISKY = "\"*[=+\\-@＝＋－＠\t\r\n']"
_BEGINS = "(?:^|(?<=[;\t\r\n]))"
_TO_ESCAPE = re.compile(f"{_BEGINS}(?={_RISKY})")
_ESCAPED = re.compile(f"{_BEGINS}'(?={_RISKY})")


# Export --------------------------------------------------------------------------------------------------------------


def candidates_csv(study: Study) -> str:
    """Return the candidates as CSV."""
    return _csv(candidate_rows(study), ["candidate", *study.space.names])


def answers_csv(study: Study) -> str:
    """Return the answers as CSV, which `import_csv` reads."""
    most = max((2 + len(entry.more) for entry in study.answers), default=2)
    sides = [f"{side} {name}" for side in SIDES[:most] for name in study.space.names]
    return _csv(answer_rows(study), ["step", *sides, *ANSWER_COLUMNS[1:]])


def candidates_frame(study: Study) -> Any:
    """Return the candidates as a pandas DataFrame: `study.to_frame("candidates")`."""
    return study.to_frame("candidates")


def answers_frame(study: Study) -> Any:
    """Return the answers as a pandas DataFrame: `study.to_frame()`."""
    return study.to_frame()


def pairs(study: Study) -> tuple[Matrix, Indices]:
    """Return candidates in [0, 1]ⁿ and comparisons as (winner, loser) pairs, as BoTorch's PairwiseGP takes them.

    Ties, ratings and hints are left out, and how much better a candidate is: a pair cannot express them. An answer about more than
    two candidates becomes the pairs that it implies.
    """
    history = study.history
    won = [(c.i, c.j) if c.preference == -1 else (c.j, c.i) for c in history.comparisons if c.preference]
    return (history.points + 1) / 2, np.array(won, dtype=np.intp).reshape(-1, 2)


def _csv(rows: Sequence[Row], columns: Iterable[str]) -> str:
    names = list(dict.fromkeys([*columns, *(name for row in rows for name in row)]))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([escaped(name) for name in names])
    writer.writerows([[escaped(row.get(name, "")) for name in names] for row in rows])
    return text.getvalue()


def escaped(value: object) -> object:
    """Return a cell that no spreadsheet runs as a formula."""
    if value is None:
        return ""
    return _TO_ESCAPE.sub("'", value) if isinstance(value, str) else value


def unescaped(cell: str) -> str:
    """Return what the cell held before `escaped`."""
    return _ESCAPED.sub("", cell)


# Import --------------------------------------------------------------------------------------------------------------


def import_csv(study: Study, text: str | PathLike[str], *, source: str = "CSV", who: str = "") -> Record:
    """Import comparisons from CSV with columns "a …" and "b …" for each variable, and "answer".

    Answers are a, same, b, much a, much b, or -1, 0, 1, -2, 2. Of more than two candidates, with columns "c …", "d …", they are
    orders such as c>abd, and become the comparisons that these imply.

    text: the CSV itself, or a `pathlib.Path` of a file in UTF-8 that holds it; a path given as text is refused.
    The other columns of `answers_csv` may be present: "who" tells who made each comparison, by default `who`. Rows that do not
    count (skipped, failed, not acceptable, undone, removed), ratings and hints are left out.
    """
    return _import_rows(study, _read(_text(text)), 2, "line", source, who)


def import_frame(study: Study, frame: Any, *, source: str = "DataFrame", who: str = "") -> Record:
    """Import comparisons from a pandas DataFrame with the columns of `import_csv`, one comparison per row.

    `answers_frame(study)` is such a frame.
    """
    if not all(hasattr(frame, name) for name in ("columns", "to_dict", "index")):
        raise InputError.of("frame", frame, "a pandas DataFrame with one comparison per row")
    if len(set(frame.columns)) != len(frame.columns):
        raise InputError.of("columns", list(frame.columns), "columns in which each name occurs once")
    rows = [{str(name): _cell(value) for name, value in row.items()} for row in frame.to_dict(orient="records")]
    return _import_rows(study, rows, 0, "row", source, who)


def _cell(value: Any) -> str:
    """Return a value as CSV has it: a missing one is empty, and π is a whole number even in a column of floats."""
    if value is None or value != value:  # NaN
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _import_rows(
    study: Study, rows: Sequence[Mapping[str, str]], first: int, called: str, source: str, who: str
) -> Record:
    """Import comparisons from rows of cells; errors name a row, the first one as number `first`."""
    wanted = [f"{side} {name}" for side in "ab" for name in study.space.names]
    further = [f"{side} {name}" for side in SIDES[2:] for name in study.space.names]
    header = list(rows[0]) if rows else []
    unknown = [name for name in header if name not in {*wanted, *further, *ANSWER_COLUMNS}]
    missing = [name for name in [*wanted, "answer"] if name not in header]
    if unknown or missing:
        raise InputError.of(
            "columns", unknown or header, f"{[*wanted, 'answer']}" + (f"; {missing} are missing" if missing else "")
        )
    candidates: list[Row] = []
    comparisons: list[tuple[int, int, Any]] = []
    judges: list[str] = []
    for number, row in enumerate(rows, start=first):
        place, said = f"{called} {number}", row["answer"]
        if row.get("status", "effective") != "effective" or not (said in _READ_ANSWERS or is_order(said)):
            _check_left_out(study, place, row)
            continue
        before = len(candidates)
        for side in sorted(said.replace(BETTER, "")) if is_order(said) else "ab":
            cells = {name: row.get(f"{side} {name}", "") for name in study.space.names}
            candidates.append({name: _value(study, place, name, cell) for name, cell in cells.items()})
        sure = _sure(place, row)
        comparisons += [(before + i, before + j, b if sure else unsure(b)) for i, j, b in _compared(place, said)]
        judges += [row.get("who") or who] * (len(comparisons) - len(judges))
    return _import(study, candidates, comparisons, source, who, judges)


def _compared(place: str, said: str) -> list[tuple[int, int, Any]]:
    """Return the comparisons (i, j, answer) of the candidates of a row."""
    if not is_order(said):
        return [(0, 1, _READ_ANSWERS[said])]
    shown = SIDES[: len(said.replace(BETTER, ""))]
    if len(shown) < 2 or sorted(said.replace(BETTER, "")) != list(shown) or "" in said.split(BETTER):
        raise InputError.of(f"{place}, answer", said, "an order in which each of a, b, c, … occurs once, such as c>abd")
    # Of an insertion, whose order no other kind of question takes, only the comparisons with the new candidate were made.
    kinds = [Kind(name, len(shown)) for name in ("rank", "best and worst", "insert")]
    kind = next((kind for kind in kinds if fits(said, kind)), kinds[0])
    return [(SIDES.index(i), SIDES.index(j), "a") for i, j in better_pairs(said, kind)]


_READ_ANSWERS = {"a": "a", "same": "same", "b": "b", "-1": -1, "0": 0, "1": 1}
_READ_ANSWERS |= {"much a": "much a", "much b": "much b", "-2": -2, "2": 2}
_LEFT_OUT = (
    "skipped",
    *UNACCEPTABLE,
    *RATED,
    *(f"{side} {what}" for side in SIDES for what in ("failed", "unacceptable")),
)


def _sure(place: str, row: Mapping[str, str]) -> bool:
    """Return whether a row is of a person who was sure: so it is unless the column "sure" says otherwise."""
    cell = row.get("sure", "")
    if cell not in ("", "True", "true", "False", "false"):
        raise InputError.of(f"{place}, sure", cell, "True or False")
    return cell not in ("False", "false")


def _check_left_out(study: Study, place: str, row: Mapping[str, str]) -> None:
    said, status = row["answer"], row.get("status", "effective")
    known = said in (*_READ_ANSWERS, *_LEFT_OUT) or is_order(said) or _is_hint_of(study, said)
    if not known or rated_level(said) > len(study.settings.scale):
        raise InputError.of(f"{place}, answer", said, "a, same, b, much a, much b, or -2 to 2")
    if status not in ("effective", "undone", "removed"):
        raise InputError.of(f"{place}, status", status, "effective, undone or removed")


def _is_hint_of(study: Study, said: str) -> bool:
    """Return whether it is a hint as a study writes it: about one of its variables, unless it is about a candidate."""
    kind, _, about = said.partition(" ")
    variable = about.partition(" at ")[0] if kind == "fix" else about
    return is_hint(said) and (kind in ("near", "try") or said == "free" or variable in study.space.names)


def _text(given: str | PathLike[str]) -> str:
    """Return CSV text, read from a file if it is a path."""
    if not isinstance(given, PathLike):
        if isinstance(given, str) and given and not given.strip().count("\n"):
            raise InputError.of("text", given, "CSV with a header and one comparison per row, or a pathlib.Path to it")
        return given
    try:
        return Path(given).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"text: the file {str(given)!r} cannot be read: {error}") from None


def _read(text: str) -> list[dict[str, str]]:
    try:
        reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
        # Besides the header, one row more than is imported, to see that there are more.
        table = list(itertools.islice(reader, MOST_COMPARISONS + 2))
    except (csv.Error, AttributeError, TypeError) as error:
        raise InputError(f"the text is not CSV: {error}") from None
    if len(table) > MOST_COMPARISONS + 1:
        raise InputError(f"the text has more than {MOST_COMPARISONS} rows, the most that are imported at once")
    header = [unescaped(name) for name in table[0]] if table else []
    if len(set(header)) != len(header):
        raise InputError.of("columns", header, "a header in which each name occurs once")
    rows = []
    for line, cells in enumerate(table[1:], start=2):
        if len(cells) != len(header):
            raise InputError.of(f"line {line}", cells, f"{len(header)} cells, one per column")
        rows.append({name: unescaped(cell) for name, cell in zip(header, cells, strict=True)})
    if not rows:
        raise InputError.of("text", text, "CSV with a header and one comparison per row")
    return rows


def _value(study: Study, place: str, name: str, cell: str) -> Any:
    """Return the value of a variable that a cell holds."""
    space = study.space
    variable = space.variables[name] if isinstance(space, Space) else None
    if variable is not None and variable.when and not cell:
        return None  # its condition is not met
    try:
        match variable:
            case Real():
                return float(cell)
            case Integer():
                return int(float(cell)) if float(cell).is_integer() else float(cell)
            case Choice(levels=levels) | Ordinal(levels=levels):
                return next(level for level in levels if str(level) == cell)
        assert isinstance(space, Catalogue)
        values = space.column(name)
        same = [value for value in values if str(value) == cell]
        return next(iter(same or [value for value in values if _is_number(value) and value == float(cell)]))
    except (ValueError, StopIteration, OverflowError):
        raise InputError.of(f"{place}, {name}", cell, f"a value of {name}") from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def import_arrays(study: Study, X: Any, preferences: Any, *, source: str = "arrays", who: str = "") -> Record:
    """Import comparisons in the convention of glis.

    X: the samples, one per row, in the variables' units.
    preferences: rows (i, j, π); π is -1 if sample i is better than sample j, 1 if j is better, 0 if they are equally good.

    Use `import_pairs` for rows (winner, loser), as glis keeps them in `I` and BoTorch in its comparisons.
    """
    try:
        samples, rows = np.asarray(X), np.asarray(preferences, dtype=float)
    except (TypeError, ValueError):
        samples, rows = np.empty(0), np.array(np.nan)
    if rows.size and (rows.ndim != 2 or rows.shape[1] != 3):
        other = "; rows (winner, loser) are for import_pairs" if rows.ndim == 2 and rows.shape[1] == 2 else ""
        raise InputError.of("preferences", preferences, f"rows (i, j, π) of two sample numbers and -1, 0 or 1{other}")
    if samples.ndim != 2 or samples.shape[1] != len(study.space.names):
        raise InputError.of("X", X, f"one sample per row, with the columns {list(study.space.names)}")
    rows = rows.reshape(-1, 3)
    if (rows != np.rint(rows)).any():
        raise InputError.of("preferences", preferences, "whole numbers")
    return _import(study, list(samples.tolist()), [(int(i), int(j), int(said)) for i, j, said in rows], source, who)


def import_pairs(
    study: Study, X: Any, pairs: Any, *, ties: Any = (), unit_box: bool = False, source: str = "pairs", who: str = ""
) -> Record:
    """Import comparisons as pairs (winner, loser), as glis has them in `I` and BoTorch's PairwiseGP in its comparisons.

    Parameters
    ----------
    X: the samples, one per row, in the variables' units.
    pairs: rows (winner, loser) of sample numbers.
    ties: rows of two samples that are about the same, as glis has them in `Ieq`.
    unit_box: whether X lies in [0, 1]ⁿ, as `pairs(study)` returns it and BoTorch wants it.
    source: where they come from. who: who made them.
    """
    samples = np.asarray(X)
    wide = study.space.dimension if unit_box else len(study.space.names)
    if samples.ndim != 2 or samples.shape[1] != wide or (unit_box and samples.dtype.kind not in "fiu"):
        wanted = f"one sample per row, {wide} coordinates from 0 to 1" if unit_box else "one sample per row"
        raise InputError.of("X", X, f"{wanted}, for the variables {list(study.space.names)}")
    if unit_box and not ((samples >= -ROUNDING) & (samples <= 1 + ROUNDING)).all():
        raise InputError.of("X", X, "coordinates from 0 to 1, since unit_box=True")
    given = [study.space.decode(x) for x in 2 * samples - 1] if unit_box else samples.tolist()
    rows = [(i, j, -1) for i, j in _numbered("pairs", pairs)] + [(i, j, 0) for i, j in _numbered("ties", ties)]
    return _import(study, given, rows, source, who)


def _numbered(argument: str, pairs: Any) -> list[tuple[int, int]]:
    """Return pairs of sample numbers."""
    try:
        array = np.asarray(pairs, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.size == 0:
        return []
    if array.ndim != 2 or array.shape[1] != 2 or (array != np.rint(array)).any():
        raise InputError.of(argument, pairs, "rows of two sample numbers")
    return [(int(i), int(j)) for i, j in array]


def import_optuna(study: Study, preferential: Any, *, source: str = "Optuna", who: str = "") -> Record:
    """Import the preferences of an `optuna_dashboard.preferential` study, pairs of trials with the better one first."""
    reported = getattr(preferential, "preferences", None)
    if not isinstance(reported, Sequence):
        raise InputError.of(
            "preferential", preferential, "a study whose preferences are pairs (better, worse) of trials"
        )
    numbers: dict[Any, int] = {}
    candidates: list[Row] = []
    comparisons = []
    for better, worse in reported:
        for trial in (better, worse):
            if trial.number not in numbers:
                numbers[trial.number] = len(candidates)
                candidates.append(dict(trial.params))
        comparisons.append((numbers[better.number], numbers[worse.number], "a"))
    return _import(study, candidates, comparisons, source, who)


def _import(
    study: Study,
    given: Sequence[Any],
    rows: Sequence[tuple[int, int, Any]],
    source: str,
    who: str,
    judges: Sequence[str] = (),
) -> Record:
    """Import the comparisons, with each different candidate once."""
    if not rows:
        raise InputError("there are no comparisons to import")
    place: dict[Any, int] = {}
    candidates: list[Candidate] = []
    number = []
    for k, values in enumerate(given):
        try:
            candidate = study.space.candidate(values)
        except InputError as error:
            raise InputError(f"candidates[{k}]: {error}") from None
        if candidate not in place:
            place[candidate] = len(candidates)
            candidates.append(candidate)
        number.append(place[candidate])
    for row in rows:
        if not all(0 <= k < len(number) for k in row[:2]):
            raise InputError.of("comparisons", row, f"sample numbers from 0 to {len(given) - 1}")
    comparisons = [
        (number[i], number[j], replace(as_said(said), answer=as_level(as_said(said).answer))) for i, j, said in rows
    ]
    return study.import_comparisons(candidates, comparisons, source=source, who=who, judges=judges)

"""Read the description of a study: a TOML file, or one command-line option per variable.

    name = "line 3"
    comparisons = 30

    [variables.gain]
    lower = 0.1
    upper = 10
    scale = "log"

The variables have the order of the file. An error names the file and the key, or the line and column.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from prefero.errors import InputError
from prefero.exchange.catalogues import read_catalogue
from prefero.proposers.protocol import proposer_from_dict
from prefero.space import Choice, Integer, Ordinal, Real, Space
from prefero.space.catalogue import Catalogue
from prefero.space.variables import Variable
from prefero.study import checks

KEYS = (
    "name",
    "question",
    "comparisons",
    "proposer",
    "seed",
    "sides",
    "variables",
    "constraints",
    "catalogue",
    "fixed",
    "rows",
    "start",
    "max_step",
    "hide_parameters",
    "kind",
    "strengths",
    "scale",
    "ratings",
    "language",
)
ROLES = ("features", "labels", "file", "log", "missing")
"""Keys of [catalogue] besides path: arguments of `Catalogue`."""
NUMERIC = ("kind", "lower", "upper", "unit", "scale", "step", "when")
VARIABLE_FORMS = (
    "NAME=LOWER:UPPER, optionally followed by :integer, :log, :step=STEP and by :UNIT, or NAME=LEVEL,LEVEL,…, "
    "or NAME=LOWEST<…<HIGHEST for ordered levels; any of them may end in ' if OTHER=LEVEL'"
)
KINDS = ("real", "integer", "log")
KIND_WORDS = (*KINDS, "int", "float", "double", "linear", "logarithmic", "continuous", "discrete", "choice")
"""Words for the kind of a variable, which nobody uses as a unit."""
ALIKE = 0.9
"""A word this similar to another, of 1, is a misspelling of it."""
TOML = "a TOML file such as docs/command-line.md shows"
LARGEST_FILE = 10_000_000
"""Most bytes of a description; a TOML parser needs about a second for each million."""
DEEPEST = 20
"""How deep tables and arrays may be nested; a study needs three levels."""
TOO_LARGE = "an integer has more than 64 bits"
_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++\s*+\.\s*+){{{DEEPEST}}}")
"""A key of very many parts, for which the parser would need hours."""


@dataclass(frozen=True)
class Recipe:
    """The description of a study; `arguments` are the given arguments of `Study.create`."""

    variables: dict[str, Variable] = field(default_factory=dict)
    constraints: list[Any] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    fixed: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    catalogue: dict[str, Any] = field(default_factory=dict)

    def space(self) -> Space | Catalogue:
        """Return the space of the variables, or the catalogue of the rows or of the file."""
        if not self.rows and not self.catalogue:
            variables = _with_numbers(self.variables)
            return Space(variables, _linear(self.constraints, variables), fixed=self.fixed)
        roles = {key: value for key, value in self.catalogue.items() if key != "path"}
        path = self.catalogue.get("path")
        if self.variables or self.constraints or self.fixed:
            raise InputError("rows: a study has rows, or variables, constraints and fixed values, not both")
        if (path is None) == (not self.rows):
            raise InputError.of("catalogue.path", path, "the file with the rows, or rows in [[rows]], one of both")
        return Catalogue(self.rows, **roles) if path is None else read_catalogue(path, **roles)

    def with_flags(
        self, variables: Sequence[str], catalogue: Mapping[str, Any] | None = None, **arguments: Any
    ) -> Recipe:
        """Return the recipe with the options of the command line, which take precedence."""
        given = {name: value for name, value in arguments.items() if value is not None}
        if "proposer" in given:
            given["proposer"] = proposer(given["proposer"])
        return replace(
            self,
            variables=self.variables | from_flags(variables),
            arguments=self.arguments | given,
            catalogue=self.catalogue | {key: value for key, value in (catalogue or {}).items() if value is not None},
        )


# TOML ----------------------------------------------------------------------------------------------------------------


def read_text(path: Path, most: int = LARGEST_FILE) -> str:
    """Return the text of a file, or of standard input for "-"; raise an InputError if it cannot be read, or is too large."""
    try:
        if str(path) == "-":
            text = sys.stdin.read(most + 1)
        else:
            with path.open(encoding="utf-8-sig") as file:
                text = file.read(most + 1)  # a device has no size, and may never end
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if len(text) > most:
        raise InputError(f"{path} is larger than {most // 1_000_000} MB, the most that is read")
    return text


def from_file(path: Path) -> Recipe:
    """Return the recipe in a TOML file."""
    text = read_text(path)
    try:
        recipe = from_toml(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if "path" in recipe.catalogue and str(path) != "-":  # relative to the file that names it
        return replace(recipe, catalogue=recipe.catalogue | {"path": path.parent / recipe.catalogue["path"]})
    return recipe


def from_toml(text: str) -> Recipe:
    """Return the recipe in a TOML text."""
    too_deep = InputError(f"tables and arrays are nested deeper than {DEEPEST} levels")
    if _LONG_KEY.search(text):
        raise too_deep
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_placed(str(error), text)) from None
    except RecursionError:
        raise too_deep from None
    except ValueError:  # of Python, about an integer of thousands of digits
        raise InputError(TOO_LARGE) from None
    _check_sizes(data, DEEPEST)
    _only(data, KEYS, "")
    variables = {
        name: _named(f"variables.{name}", partial(_variable, f"variables.{name}", row))
        for name, row in _mapping("variables", data.get("variables", {})).items()
    }
    arguments = {k: data[k] for k in data if k not in ("variables", "constraints", "rows", "catalogue", "fixed")}
    if "proposer" in arguments:
        arguments["proposer"] = proposer(arguments["proposer"])
    catalogue = _mapping("catalogue", data.get("catalogue", {}))
    _only(catalogue, ("path", *ROLES), "catalogue.")
    if "path" in catalogue and not isinstance(catalogue["path"], str):
        raise InputError.of("catalogue.path", catalogue["path"], "the path of a CSV or Parquet file or of a folder")
    fixed = _mapping("fixed", data.get("fixed", {}))
    return Recipe(variables, _rows("constraints", data), _rows("rows", data), fixed, arguments, catalogue)


def _check_sizes(value: Any, levels: int) -> None:
    """Raise an InputError if an integer has more than 64 bits, or the value is nested too deep."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InputError(TOO_LARGE)
    if isinstance(value, dict | list):
        if not levels:
            raise InputError(f"tables and arrays are nested deeper than {DEEPEST} levels")
        for part in value.values() if isinstance(value, dict) else value:
            _check_sizes(part, levels - 1)


def _placed(message: str, text: str) -> str:
    """Return the message of a TOML error with its line and column first."""
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if found is None:
        return message
    lines = text.split("\n")
    line, column = (found[1], found[2]) if found[1] else (len(lines), len(lines[-1]) + 1)
    return f"line {line}, column {column}: {message[: found.start()]}"


def _rows(key: str, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = data.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError.of(key, rows, f"tables that each begin with [[{key}]]")
    return rows


def _mapping(key: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise InputError.of(key, given, "a table")
    return given


def _only(data: Mapping[str, Any], allowed: Sequence[str], where: str) -> None:
    for key in data:
        if key not in allowed:
            raise InputError.of(f"{where}{key}", data[key], "only the keys " + ", ".join(allowed))


def _variable(key: str, row: Any) -> Variable:
    _mapping(key, row)
    kind = row.get("kind", "choice" if "levels" in row else "real")
    when = row.get("when", {})
    if kind in ("choice", "ordinal"):
        _only(row, ("kind", "levels", "when"), f"{key}.")
        return (Choice if kind == "choice" else Ordinal)(_needed(key, row, "levels"), when=when)
    if kind not in ("real", "integer"):
        raise InputError.of(f"{key}.kind", kind, "real, integer, ordinal or choice")
    _only(row, NUMERIC, f"{key}.")
    scale, unit = row.get("scale", "linear"), row.get("unit", "")
    if scale not in ("linear", "log"):
        raise InputError.of(f"{key}.scale", scale, "linear or log")
    lower, upper = _needed(key, row, "lower"), _needed(key, row, "upper")
    more = {"log": scale == "log", "unit": unit, "when": when} | ({"step": row["step"]} if "step" in row else {})
    return Real(lower, upper, **more) if kind == "real" else Integer(lower, upper, **more)


def _with_numbers(variables: Mapping[str, Variable]) -> dict[str, Variable]:
    """Return the variables; a condition on an integer that was typed as text is a number."""

    def number(parent: str, level: Any) -> Any:
        typed = isinstance(variables.get(parent), Integer) and isinstance(level, str) and _is_number(level)
        return float(level) if typed else level

    found = {}
    for name, each in variables.items():
        when = {parent: [number(parent, level) for level in levels] for parent, levels in each.when.items()}
        found[name] = replace(each, when=when) if when else each  # type: ignore[type-var]
    return found


def _needed(key: str, row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise InputError.of(key, dict(row), f"a variable with {name}")
    return row[name]


def _named(key: str, make: Callable[[], Variable]) -> Variable:
    """Return the variable that `make` returns; an error of it names the variable."""
    try:
        return make()
    except InputError as error:
        raise error if str(error).startswith(key) else InputError(f"{key}: {error}") from None


def _linear(rows: Sequence[Mapping[str, Any]], variables: Mapping[str, Variable]) -> list[Any]:
    """Return a constraint lower ≤ Σ coefficient · variable ≤ upper for each row."""
    import numpy as np
    from scipy.optimize import LinearConstraint

    numeric = [name for name, kind in variables.items() if isinstance(kind, Real | Integer)]
    constraints = []
    for k, row in enumerate(rows):
        _only(row, ("coefficients", "lower", "upper"), f"constraints[{k}].")
        coefficients = _mapping(f"constraints[{k}].coefficients", row.get("coefficients", {}))
        for name, number in [*coefficients.items(), *((n, row[n]) for n in ("lower", "upper") if n in row)]:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise InputError.of(f"constraints[{k}], {name}", number, "a number")
        unknown = [name for name in coefficients if name not in numeric]
        if unknown or not coefficients:
            raise InputError.of(
                f"constraints[{k}].coefficients", unknown or row, f"numbers by name, for the variables {numeric}"
            )
        weights = [[coefficients.get(name, 0.0) for name in numeric]]
        constraints.append(LinearConstraint(weights, row.get("lower", -np.inf), row.get("upper", np.inf)))
    return constraints


def unsure(name: str) -> float:
    """Return how a proposer lets answers that people were not sure of count less."""
    from prefero.proposers import glisp, posterior

    values = {"posterior": posterior.UNSURE, "glisp": glisp.UNSURE}
    if name not in values:
        raise InputError.of("--unsure", name, f"only with {' and '.join(values)}")
    return values[name]


def proposer(given: Any) -> Any:
    """Return the proposer of a name, or of a table with its name and settings."""
    name, knobs = (given.get("name"), given) if isinstance(given, Mapping) else (given, {})
    if not isinstance(name, str) or name not in checks.PROPOSERS:
        raise InputError.of("proposer", name, ", ".join(checks.PROPOSERS))
    return proposer_from_dict(checks.PROPOSERS[name], knobs)


# Options of the command line -----------------------------------------------------------------------------------------


def from_flags(texts: Sequence[str]) -> dict[str, Variable]:
    """Return the variables of the command line; none may be given twice."""
    variables: dict[str, Variable] = {}
    for text in texts:
        name, made = variable(text)
        if name in variables:
            raise InputError.of(f"variable {name}", text, "a variable that was not given before")
        variables[name] = made
    return variables


def variable(text: str) -> tuple[str, Variable]:
    """Return name and variable of an option such as gain=0.1:10:log, taps=1:8:integer or window=hann,flat."""
    name, equals, domain = text.partition("=")
    if not name.strip() or not equals:
        raise InputError.of("variable", text, VARIABLE_FORMS)
    return name.strip(), _named(f"variable {name.strip()}", lambda: _domain(text, domain.strip()))


def _domain(text: str, domain: str) -> Variable:
    domain, _, condition = (part.strip() for part in domain.partition(" if "))
    when = _condition(text, condition) if condition else {}
    if ":" not in domain:
        if "<" in domain:
            return Ordinal(levels(domain, "<"), when=when)
        if "," not in domain:
            raise InputError.of("variable", text, VARIABLE_FORMS)
        return Choice(levels(domain), when=when)
    lower, upper, *more = (part.strip() for part in domain.split(":"))
    kinds: list[str] = []
    while more and more[0] in KINDS and more[0] not in kinds:
        kinds.append(more.pop(0))
    if {"real", "integer"} <= set(kinds):
        raise InputError.of("kind", kinds[-1], "one of real and integer, and log")
    options: dict[str, Any] = {"log": "log" in kinds, "when": when}
    if more and more[0].startswith("step="):
        options["step"] = _bound(more.pop(0).removeprefix("step="), text)
    low, high, options["unit"] = _bound(lower, text), _bound(upper, text), _unit(":".join(more))
    return Integer(low, high, **options) if "integer" in kinds else Real(low, high, **options)  # type: ignore[arg-type]


def _condition(text: str, condition: str) -> dict[str, list[str]]:
    """Return a condition such as filter=on or mode=fast,slow and filter=on."""
    found = {}
    for part in condition.split(" and "):
        name, equals, wanted = (side.strip() for side in part.partition("="))
        if not name or not equals:
            raise InputError.of("variable", text, VARIABLE_FORMS)
        found[name] = levels(wanted)
    return found


def _unit(text: str) -> str:
    """Return a unit; refuse numbers and words for a kind, which are misspelt or in the wrong place."""
    for part in text.lower().split(":"):
        if get_close_matches(part.strip(), KIND_WORDS, cutoff=ALIKE) or _is_number(part):
            raise InputError.of("unit", text, "a unit such as mm, after real, integer and log")
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def levels(text: str, between: str = ",") -> list[str]:
    """Return the levels of a text, which commas separate."""
    found = [level.strip() for level in text.split(between)]
    if not all(found):
        raise InputError.of("levels", text, f"LEVEL{between}LEVEL{between}… without empty levels")
    return found


def kinds(texts: Sequence[str]) -> dict[str, float | None]:
    """Return kinds of question with their seconds, from texts such as "rank 4" and "rank 4=20"."""
    found: dict[str, float | None] = {}
    for text in texts:
        kind, equals, seconds = (part.strip() for part in text.partition("="))
        try:
            found[kind] = float(seconds) if equals else None
        except ValueError:
            raise InputError.of("kind", text, "KIND or KIND=SECONDS, such as 'rank 4=20'") from None
    return found


def _bound(text: str, given: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError.of("variable", given, VARIABLE_FORMS) from None

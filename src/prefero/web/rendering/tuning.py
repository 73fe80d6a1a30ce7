"""The file that `prefero serve tuning.py` serves: it defines `space`, `render` and the study's settings.

A mistake in it is reported in one line: the file, the line, the error.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from prefero.errors import InputError, shorten
from prefero.space import Space
from prefero.space.catalogue import Catalogue

SECONDS = 60.0
"""How long a candidate may take to render, unless the file says otherwise."""
SETTINGS = (
    *("comparisons", "seed", "proposer", "start", "sides", "max_step"),
    *("hide_parameters", "kind", "strengths", "scale", "ratings", "language"),
)
"""Names in the file that are settings of the study."""

Render = Callable[..., Any]


@dataclass(frozen=True)
class Tuning:
    """The contents of a served file: the study, and how its candidates are shown.

    settings: further settings of the study. seconds: the time limit of a rendering.
    workers: how many candidates are rendered at a time; None for as many as fit this machine.
    prefer: a function that answers if no person does.
    """

    path: Path
    name: str
    space: Space | Catalogue
    question: str | None
    render: Render | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = SECONDS
    workers: int | None = None
    prefer: Callable[[Any, Any], Any] | None = None


def read(path: Path) -> Tuning:
    """Run a file and return its contents; an InputError of one line if something is wrong with it."""
    names = vars(module_of(path, source_of(path)))
    space = names.get("space")
    if not isinstance(space, Space | Catalogue):
        missing = "is missing" if space is None else f"is {shorten(space)}"
        raise InputError(f"{path}: space {missing}; allowed: a pf.Space or a pf.Catalogue")
    return Tuning(
        path,
        _checked(path, names, "name", str, path.stem),
        space,
        _checked(path, names, "question", str, None),
        _function(path, names, "render"),
        {key: names[key] for key in SETTINGS if key in names and (key == "proposer" or not callable(names[key]))},
        _positive(path, names, "seconds", SECONDS),
        _count(path, names, "workers"),
        _function(path, names, "prefer"),
    )


def source_of(path: Path) -> str:
    """Return the text of the file."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not text in UTF-8") from None


def module_of(path: Path, source: str) -> ModuleType:
    """Run the file as `import` would, and return its module; it can import the files beside it."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    folder = str(path.parent.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    before = sys.modules.get(path.stem)
    sys.modules[path.stem] = module  # dataclasses and the like look their module up
    try:
        exec(compile(source, str(path), "exec"), vars(module))  # noqa: S102 (it is the user's own file, run as they asked)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever the user's file raises is told in one line)
        raise InputError(error_line(error, path)) from None
    finally:
        if before is not None:
            sys.modules[path.stem] = before
    return module


def error_line(error: BaseException, path: Path, called: str | None = None) -> str:
    """Return an error in one line: the file (its path, or `called`), the line in it, and the message."""
    called = called or str(path)
    what = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{called}, line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f"{called}, line {lines[-1]}" if lines else called
    return f"{where}: {error if isinstance(error, InputError) else what}"


def takes_progress(render: Render) -> bool:
    """Return whether render has a parameter `progress`: a function to call with its progress, from 0 to 1."""
    try:
        parameters = signature(render).parameters
    except (TypeError, ValueError):
        return False
    found = parameters.get("progress")
    return found is not None and found.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def _checked(path: Path, names: Mapping[str, Any], name: str, kind: type, otherwise: Any) -> Any:
    given = names.get(name, otherwise)
    if given is not None and not isinstance(given, kind):
        raise InputError(f"{path}: {name} is {shorten(given)}; allowed: a text")
    return given


def _function(path: Path, names: Mapping[str, Any], name: str) -> Any:
    given = names.get(name)
    if given is not None and not callable(given):
        raise InputError(f"{path}: {name} is {shorten(given)}; allowed: a function")
    return given


def _positive(path: Path, names: Mapping[str, Any], name: str, otherwise: float) -> float:
    given = names.get(name, otherwise)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1e6:
        raise InputError(f"{path}: {name} is {shorten(given)}; allowed: a number of seconds above 0")
    return float(given)


def _count(path: Path, names: Mapping[str, Any], name: str) -> int | None:
    given = names.get(name)
    if given is None or (isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= 64):
        return given
    raise InputError(f"{path}: {name} is {shorten(given)}; allowed: a whole number from 1 to 64")

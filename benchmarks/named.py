"""Problems by name: those of `problems`, those of BBOB, and those of suites that a file brings."""

import importlib.util
from pathlib import Path
from types import ModuleType

from benchmarks import blackbox
from benchmarks.problems import PROBLEMS, Problem

EXTRA: dict[str, Problem] = {}
"""Problems of the suites that were read from files."""


class FileError(Exception):
    """A file of a method or a suite cannot be used; the message says why."""


def problem_named(name: str) -> Problem:
    """The problem of this name."""
    parts = blackbox.parts_of(name)
    if parts is not None:
        return blackbox.problem_of(*parts)
    return EXTRA[name] if name in EXTRA else PROBLEMS[name]


def family_of(name: str) -> str:
    """The function that a problem is an instance of: problems of one function are not independent."""
    parts = blackbox.parts_of(name)
    return name if parts is None else f"f{parts[0]:02d}"


def module_of(file: Path) -> ModuleType:
    """The module in a file."""
    if not file.is_file():
        raise FileError(f"{file}: no such file")
    spec = importlib.util.spec_from_file_location(f"brought_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise FileError(f"{file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise FileError(f"{file}: {type(error).__name__}: {error}") from error
    return module


def suite_in(file: Path) -> tuple[Problem, ...]:
    """The problems of a file's `PROBLEMS`, which can be named from now on."""
    problems = tuple(getattr(module_of(file), "PROBLEMS", ()))
    if not problems or not all(isinstance(problem, Problem) for problem in problems):
        raise FileError(f"{file}: PROBLEMS must be a list of benchmarks.problems.Problem")
    for problem in problems:
        known = problem.name in PROBLEMS or blackbox.parts_of(problem.name) is not None
        if known or [p.name for p in problems].count(problem.name) > 1:
            raise FileError(f"{file}: there is another problem named {problem.name}")
    EXTRA.update({problem.name: problem for problem in problems})
    return problems

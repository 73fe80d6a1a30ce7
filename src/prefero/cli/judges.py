"""Who answers in place of a person: a built-in taste, a function of the user's, or any program.

A judge is a function of a question's data that returns a, b or same, skip, or that one candidate failed.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from prefero.answers import as_answer, as_preference
from prefero.cli.settings import assignments
from prefero.errors import AnswerError, InputError, JudgeError

if TYPE_CHECKING:
    from prefero.study import Study

Judge = Callable[[Mapping[str, Any]], str]
"""From a question's data to "a", "b", "same", "skip", "a failed", "b failed" or DISAGREED."""
FORMS = "near:NAME=VALUE,…, least:NAME, most:NAME, module:function, or a program with its arguments"
OTHER_WORDS = ("skip", "a failed", "b failed")
SWAPPED = {"a": "b", "b": "a", "a failed": "b failed", "b failed": "a failed"}
DISAGREED = "the judge said otherwise when the sides were swapped"
"""A skip, and why."""


def judge_of(text: str, study: Study, timeout: float) -> Judge:
    """The judge that a text names."""
    kind, _, rest = text.partition(":")
    if kind in ("near", "least", "most"):
        return _taste(kind, rest, study)
    if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*", text):
        return _function(text)
    return _program(text, timeout)


def both_ways(judge: Judge) -> Judge:
    """The judge asked twice, the sides swapped; what it says counts only when it says the same both times."""

    def asked_twice(question: Mapping[str, Any]) -> str:
        first = judge(question)
        second = judge({**question, "a": question["b"], "b": question["a"]})
        return first if SWAPPED.get(second, second) == first else DISAGREED

    return asked_twice


# Built in ------------------------------------------------------------------------------------------------------------------


def _taste(kind: str, rest: str, study: Study) -> Judge:
    """Somebody who likes what is near a setting, or little or much of one variable."""
    if kind == "near":
        return _lower(_distance(rest, study))
    numeric = [name for name in study.space.names if name in getattr(study.space, "bounds", {})]
    if rest not in numeric:
        raise InputError.of("judge", f"{kind}:{rest}", f"{kind}: and one of {numeric}")
    sign = 1 if kind == "least" else -1
    return _lower(lambda candidate: sign * float(candidate[rest]))


def _distance(text: str, study: Study) -> Callable[[Mapping[str, Any]], float]:
    """How far a candidate is from a setting, over the variables that it names, each scaled by its range."""
    import numpy as np

    space = study.space
    wanted = assignments("judge", [part for part in text.split(",") if part.strip()], space)
    if not wanted:
        raise InputError.of("judge", f"near:{text}", FORMS)
    groups = dict(zip(space.varying, space.groups, strict=True))
    coordinates = [k for name in wanted for k in range(*groups[name].indices(space.dimension))]

    def distance(candidate: Mapping[str, Any]) -> float:
        target = {**candidate, **wanted}
        difference = np.asarray(space.encode(candidate)) - np.asarray(space.encode(target))
        return float(np.linalg.norm(difference[coordinates]))

    return distance


def _lower(dislike: Callable[[Mapping[str, Any]], float]) -> Judge:
    def judge(question: Mapping[str, Any]) -> str:
        a, b = dislike(question["a"]), dislike(question["b"])
        return "same" if a == b else "a" if a < b else "b"

    return judge


# The user's own --------------------------------------------------------------------------------------------------------------


def _function(text: str) -> Judge:
    """A function(a, b) of a module, which may lie in the current directory."""
    name, attribute = text.split(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever the user's module does when it is imported)
        raise InputError(f"judge: the module {name!r} cannot be imported: {type(error).__name__}: {error}") from None
    function = getattr(module, attribute, None)
    if not callable(function):
        raise InputError.of("judge", text, f"a function of {name!r}")

    def judge(question: Mapping[str, Any]) -> str:
        try:
            said = function(question["a"], question["b"])
        except Exception as error:
            raise JudgeError(f"{text} raised {type(error).__name__}: {error}") from error
        except SystemExit as error:
            raise JudgeError(ended(text, error)) from error
        return understood(text, said)

    return judge


def _program(text: str, timeout: float) -> Judge:
    """A program that reads the question as JSON and prints its answer; started without a shell."""
    try:
        arguments = shlex.split(text)
    except ValueError as error:
        raise InputError.of("judge", text, f"{FORMS} ({error})") from None
    if not arguments or shutil.which(arguments[0]) is None:
        raise InputError.of("judge", text, f"{FORMS}; there is no program {arguments[0] if arguments else ''!r} to run")

    def judge(question: Mapping[str, Any]) -> str:
        given = json.dumps(question, ensure_ascii=False, default=dict)
        try:
            ran = subprocess.run(  # noqa: S603 (what the user asked for, without a shell)
                arguments, input=given + "\n", capture_output=True, encoding="utf-8", errors="replace", timeout=timeout
            )
        except subprocess.TimeoutExpired:
            raise JudgeError(f"{arguments[0]} did not answer within {timeout:g} s") from None
        except OSError as error:
            raise JudgeError(f"{arguments[0]} cannot be run: {error.strerror}") from None
        if ran.returncode:
            raise JudgeError(f"{arguments[0]} ended with exit code {ran.returncode}: {_last_line(ran.stderr)}")
        return understood(arguments[0], _last_line(ran.stdout).lower())

    return judge


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1].strip()


def ended(who: str, error: SystemExit) -> str:
    """What to say of a function that calls sys.exit."""
    return f"{who} ended with exit code {error.code or 0!r} and gave no answer"


def understood(who: str, said: object) -> str:
    """What a judge said, as one of the words there are; a JudgeError for anything else."""
    if said in OTHER_WORDS:
        return str(said)
    try:
        return as_answer(as_preference(int(said) if said in ("-1", "0", "1") else said))
    except AnswerError:
        allowed = ", ".join(["a, b, same", *OTHER_WORDS])
        raise JudgeError.of(f"the answer of {who}", said, allowed) from None

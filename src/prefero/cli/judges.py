"""Judges that answer instead of a person: a built-in taste, the user's own function, or any program.

A judge is a function that takes a question's data and returns a, b, same, much a, much b, skip, "a failed" or "b failed".
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
from functools import partial
from typing import TYPE_CHECKING, Any

from prefero.answers import SIDES, Kind, as_answer, as_kind, as_level, as_order, is_order, narrowed
from prefero.cli.settings import assignments
from prefero.errors import AnswerError, InputError, JudgeError

if TYPE_CHECKING:
    from prefero.study import Study
    from prefero.study.reasons import Reasons

REASONS_SECONDS = 30.0
"""How long a program that suggests hints may take."""
Judge = Callable[[Mapping[str, Any]], str]
"""A function from a question's data to "a", "b", "same", "much a", "much b", "skip", "a failed", "b failed" or DISAGREED.

Of more than two candidates, the question has a "kind", and the answer is an order, as it is stored.
"""
FORMS = "near:NAME=VALUE,…, least:NAME, most:NAME, module:function, or a program with its arguments"
OTHER_REPLIES = ("skip", "a failed", "b failed")
SWAPPED = {"a": "b", "b": "a", "much a": "much b", "much b": "much a", "a failed": "b failed", "b failed": "a failed"}
DISAGREED = "the judge answered differently when the sides were swapped"
"""The reply of a judge that contradicted itself: the question is skipped, with this note."""


def judge_of(text: str, study: Study, timeout: float) -> Judge:
    """Return the judge that --judge names."""
    kind, _, rest = text.partition(":")
    if kind in ("near", "least", "most"):
        return _built_in(kind, rest, study)
    if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*", text):
        return _function(text)
    return _program(text, timeout)


def ask_both_ways(judge: Judge) -> Judge:
    """Return a judge that asks twice, with the sides swapped the second time; if the answers differ, it returns DISAGREED."""

    def asked_twice(question: Mapping[str, Any]) -> str:
        first = judge(question)
        if "kind" in question:
            return first if _reversed(judge, question) == first else DISAGREED
        second = judge({**question, "a": question["b"], "b": question["a"]})
        return first if SWAPPED.get(second, second) == first else DISAGREED

    return asked_twice


def _reversed(judge: Judge, question: Mapping[str, Any]) -> str:
    """Return what a judge says about more than two candidates in the reverse order, in terms of the sides as they are."""
    kind = as_kind(question["kind"])
    if kind.name == "insert":  # the ranking that the last one is inserted into stays
        return judge(question)
    turned = dict(zip(kind.sides, reversed(kind.sides), strict=True))
    said = judge({**question, **{side: question[turned[side]] for side in kind.sides}})
    if not is_order(said):
        return said if said == "skip" else turned[said[0]] + said[1:]
    return as_order("".join(turned.get(each, each) for each in said), kind)


# Built-in judges -----------------------------------------------------------------------------------------------------


def _built_in(kind: str, rest: str, study: Study) -> Judge:
    """Return a judge that prefers candidates near a setting, or small or large values of one variable."""
    if kind == "near":
        return _prefers_lower(_distance(rest, study))
    numeric = [name for name in study.space.names if name in getattr(study.space, "bounds", {})]
    if rest not in numeric:
        raise InputError.of("judge", f"{kind}:{rest}", f"{kind}:NAME with one of the numeric variables {numeric}")
    sign = 1 if kind == "least" else -1
    return _prefers_lower(lambda candidate: sign * float(candidate[rest]))


def _distance(text: str, study: Study) -> Callable[[Mapping[str, Any]], float]:
    """Return the distance to a setting over the variables that it names, each scaled by its range."""
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


def _prefers_lower(dislike: Callable[[Mapping[str, Any]], float]) -> Judge:
    def judge(question: Mapping[str, Any]) -> str:
        if "kind" in question:
            kind = as_kind(question["kind"])
            return narrowed(sorted(kind.sides, key=lambda side: dislike(question[side])), kind)
        a, b = dislike(question["a"]), dislike(question["b"])
        return "same" if a == b else "a" if a < b else "b"

    return judge


# Judges of the user --------------------------------------------------------------------------------------------------


def _function(text: str) -> Judge:
    """Return a judge that calls function(a, b) of a module; the module may be in the current directory."""
    name, attribute = text.split(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (importing the user's module may raise anything)
        raise InputError(f"judge: cannot import the module {name!r}: {type(error).__name__}: {error}") from None
    function = getattr(module, attribute, None)
    if not callable(function):
        raise InputError.of("judge", text, f"the name of a function in the module {name!r}")

    def judge(question: Mapping[str, Any]) -> str:
        try:
            said = function(*(question[side] for side in SIDES if side in question))
        except Exception as error:
            raise JudgeError(f"{text} raised {type(error).__name__}: {error}") from error
        except SystemExit as error:
            raise JudgeError(exit_message(text, error)) from error
        return parse_reply(text, said, question)

    return judge


def _program(text: str, timeout: float) -> Judge:
    """Return a judge that runs a program, which reads the question as JSON and prints the answer. No shell is used."""
    arguments = _arguments("judge", text, FORMS)

    def judge(question: Mapping[str, Any]) -> str:
        return parse_reply(arguments[0], _last_line(_output(arguments, question, timeout)).lower(), question)

    return judge


def _arguments(option: str, text: str, forms: str) -> list[str]:
    """Return a program with its arguments; InputError if there is no such program."""
    try:
        arguments = shlex.split(text)
    except ValueError as error:
        raise InputError.of(option, text, f"{forms} ({error})") from None
    if not arguments or shutil.which(arguments[0]) is None:
        raise InputError.of(option, text, f"{forms}; the program {arguments[0] if arguments else ''!r} was not found")
    return arguments


def _output(arguments: list[str], question: Mapping[str, Any], timeout: float) -> str:
    """Return what a program prints that reads a question as JSON; JudgeError if it fails, or takes too long."""
    given = json.dumps(question, ensure_ascii=False, default=dict)
    try:
        ran = subprocess.run(  # noqa: S603 (the user's own command, without a shell)
            arguments, input=given + "\n", capture_output=True, encoding="utf-8", errors="replace", timeout=timeout
        )
    except subprocess.TimeoutExpired:
        raise JudgeError(f"{arguments[0]} did not answer within {timeout:g} s") from None
    except OSError as error:
        raise JudgeError(f"cannot run {arguments[0]}: {error.strerror}") from None
    if ran.returncode:
        raise JudgeError(f"{arguments[0]} ended with exit code {ran.returncode}: {_last_line(ran.stderr)}")
    return ran.stdout


def reasons_of(text: str, timeout: float) -> Reasons:
    """Return the function behind --reasons: a program that reads an answer with its reason as JSON, and prints a list of hints."""
    # Not a closure: it is sent to the other processes of a service.
    return partial(_hints_of, _arguments("--reasons", text, "a program with its arguments"), timeout)


def _hints_of(arguments: list[str], timeout: float, told: Mapping[str, Any]) -> Any:
    """Return the list of hints that a program prints."""
    printed = _output(arguments, told, timeout)
    try:
        found = json.loads(printed or "[]")
    except (ValueError, RecursionError):
        raise JudgeError.of(f"the output of {arguments[0]}", printed, "a list of hints as JSON") from None
    if not isinstance(found, list):
        raise JudgeError.of(f"the output of {arguments[0]}", printed, "a list of hints as JSON")
    return found


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1].strip()


def exit_message(who: str, error: SystemExit) -> str:
    """Return the error message about a function that calls sys.exit."""
    return f"{who} ended with exit code {error.code or 0!r} and gave no answer"


def parse_reply(who: str, said: object, question: Mapping[str, Any]) -> str:
    """Return a judge's reply in the form of `Judge`; raise a JudgeError if it is not allowed."""
    if "kind" in question:
        return _order(who, said, as_kind(question["kind"]))
    if said in OTHER_REPLIES:
        return str(said)
    try:
        return as_answer(as_level(int(said) if said in ("-2", "-1", "0", "1", "2") else said))
    except AnswerError:
        allowed = ", ".join(["a, b, same, much a, much b", *OTHER_REPLIES])
        raise JudgeError.of(f"the answer of {who}", said, allowed) from None


def _order(who: str, said: object, kind: Kind) -> str:
    """Return a judge's reply about more than two candidates."""
    others = ["skip", *(f"{side} failed" for side in kind.sides)]
    if isinstance(said, str) and said in others:
        return said
    try:
        return as_order(said, kind, narrow=True)
    except AnswerError as error:
        raise JudgeError(f"the answer of {who}: {error}; or skip, or a failed") from None

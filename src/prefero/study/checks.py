"""Checks of what a study is given. Each error names the argument, what was given and what is allowed."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Set
from numbers import Real as RealNumber
from typing import Any, Literal

import numpy as np

from prefero.answers import MOST_LEVELS, Said, as_level, as_said
from prefero.errors import AnswerError, FormatError, InputError, check_whole
from prefero.proposers.function import FunctionProposer
from prefero.proposers.glisp import Glisp
from prefero.proposers.pbo import Pbo
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Proposer, proposer_from_dict
from prefero.space import Candidate, Choice, Ordinal, Space
from prefero.space.catalogue import Catalogue
from prefero.space.domain import Domain
from prefero.space.variables import plain

PROPOSERS: dict[str, type[Glisp | Pbo | Posterior]] = {"posterior": Posterior, "glisp": Glisp, "pbo": Pbo}
DEFAULT_PROPOSER: Literal["posterior"] = "posterior"
MOST_COMPARISONS = 100_000
LARGEST_BATCH = 64
"""Most questions that wait together for one judge."""
LARGEST_SEED = 2**128
LONGEST_NAME, LONGEST_TEXT = 200, 10_000
"""Most characters of a name (of a study, a judge, an answer) and of a text (a question, a note)."""

LANGUAGE = r"([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?"
"""What the code of a language looks like; an empty text stands for none."""


FORMER = frozenset({"turns", "hope", "exploration"})
"""Settings of the default proposer of earlier versions; a study that has them goes on with today's."""
_BREAKS = {ord(character): None for character in "\t\n\r"}
"""What a text of several lines may hold besides printable characters."""


def as_space(given: Any) -> Domain:
    """Return a space from a Space, a Catalogue, SciPy's Bounds, (lower, upper), or a list of (low, high) pairs."""
    if isinstance(given, Space | Catalogue):
        return given
    if hasattr(given, "lb") and hasattr(given, "ub"):
        return Space.box(given.lb, given.ub)
    tuples = isinstance(given, tuple | list) and len(given) > 0 and all(isinstance(side, tuple) for side in given)
    if isinstance(given, list) and tuples and all(len(pair) == 2 for pair in given):
        return Space.box(*zip(*given, strict=True))  # one (low, high) for each variable, as SciPy's users write them
    if isinstance(given, tuple) and len(given) == 2 and not tuples:
        return Space.box(*given)
    if isinstance(given, list | tuple | np.ndarray) and len(given) > 0:
        return _box_of_rows(given)
    raise InputError.of("space", given, _SPACES)


_SPACES = "a Space, a Catalogue, SciPy's Bounds, a tuple (lower, upper) of vectors, or a list of tuples (low, high)"


def _box_of_rows(given: Any) -> Space:
    """Return the box that rows of numbers stand for: lower and upper bounds, or pairs; raise InputError if both fit."""
    try:
        rows = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError.of("space", given, _SPACES) from None
    if rows.ndim == 1 and len(rows) == 2:
        return Space.box(*rows)
    sides = rows.ndim == 2 and len(rows) == 2
    pairs = rows.ndim == 2 and rows.shape[1] == 2
    if sides and pairs and (rows[0] < rows[1]).all() and (rows[:, 0] < rows[:, 1]).all():
        raise InputError.of(
            "space", given, "scipy.optimize.Bounds(lower, upper): this could be (lower, upper) or pairs (low, high)"
        )
    if sides and (not pairs or (rows[0] < rows[1]).all()):
        return Space.box(*rows)
    if pairs:
        return Space.box(*rows.T)
    raise InputError.of("space", given, _SPACES)


def as_proposer(given: Any) -> Proposer:
    """Return a proposer from its name, an object with the methods of `Proposer`, or a function of the history."""
    if isinstance(given, str) and given in PROPOSERS:
        return PROPOSERS[given]()
    if isinstance(given, Proposer) and not isinstance(given, type):
        return given
    if callable(given) and not isinstance(given, type):
        return FunctionProposer(given)
    missing = [name for name in vars(Proposer) if not name.startswith("_") and not hasattr(given, name)]
    if hasattr(given, "propose") and not isinstance(given, type):
        raise InputError(
            f"proposer: {type(given).__name__} has no {', '.join(missing)}; see prefero.proposers.protocol"
        )
    raise InputError.of(
        "proposer", given, f"{', '.join(PROPOSERS)}, an object such as Glisp(...), or a function of the history"
    )


def space_of(data: Mapping[str, Any], given: Any = None) -> Domain:
    """Return the space that a log describes; the given one, which holds functions a log cannot, if it matches."""
    if given is None:
        return Catalogue.from_dict(data) if data.get("kind") == "catalogue" else Space.from_dict(data)
    space = as_space(given)
    described = space.to_dict()
    if isinstance(space, Catalogue) and described.keys() > data.keys() and described | dict(data) == described:
        return Catalogue.from_dict(data)  # stored before columns had roles: it stays as it was
    if described != data:
        raise FormatError("space: it is not the one the study was created with")
    return space


def proposer_of(data: Mapping[str, Any], given: Any = None) -> Proposer:
    """Return the proposer that a log describes, or the given one."""
    if given is not None:
        return as_proposer(given)
    if data.get("name") not in PROPOSERS:
        raise FormatError(
            f"the proposer {data.get('function', data)!r} is code of your own, which JSON does not hold: pass proposer="
        )
    known = {name: value for name, value in data.items() if name not in FORMER} if is_former(data) else data
    return proposer_from_dict(PROPOSERS[data["name"]], known)


def is_former(data: Mapping[str, Any]) -> bool:
    """Return whether a log describes the default proposer of an earlier version."""
    return data.get("name") == "posterior" and not FORMER.isdisjoint(data)


def checked_count(argument: str, given: object) -> int:
    """Return a number of comparisons."""
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole or not 1 <= int(given) <= MOST_COMPARISONS:  # type: ignore[call-overload]
        raise InputError.of(argument, given, f"a whole number from 1 to {MOST_COMPARISONS}")
    return int(given)  # type: ignore[call-overload,no-any-return]


def checked_batch(given: object) -> int:
    """Return a number of questions that wait together for one judge."""
    check_whole("count", given, least=1)
    if not isinstance(given, int | np.integer) or given > LARGEST_BATCH:
        raise InputError.of("count", given, f"a whole number from 1 to {LARGEST_BATCH}")
    return int(given)


def checked_seed(seed: object) -> int:
    """Return a seed, drawn if it is None."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= int(seed) <= LARGEST_SEED:
        raise InputError.of("seed", seed, "a whole number from 0 up to 2**128, or None")
    return int(seed)


def checked_sides(sides: str) -> str:
    """Return how the sides are drawn."""
    if not isinstance(sides, str) or sides not in ("random", "incumbent first"):
        raise InputError.of("sides", sides, '"random" or "incumbent first"')
    return sides


def checked_flag(argument: str, given: object) -> bool:
    """Return a bool; nothing else will do, not even 0 or 1."""
    if not isinstance(given, bool):
        raise InputError.of(argument, given, "True or False")
    return given


def checked_language(given: object) -> str:
    """Return the code of a language, or an empty text."""
    if not isinstance(given, str) or not re.fullmatch(LANGUAGE, given):
        raise InputError.of("language", given, 'a code of a language, such as "en" or "de", or an empty text')
    return given


def checked_start(start: Any, space: Domain) -> list[Candidate]:
    """Return the user's own candidates."""
    if isinstance(start, str) or not hasattr(start, "__iter__"):
        raise InputError.of("start", start, "a list of candidates")
    return [checked_candidate(f"start[{k}]", given, space) for k, given in enumerate(start)]


def checked_candidate(argument: str, given: object, space: Domain) -> Candidate:
    """Return a candidate within the bounds that satisfies the constraints."""
    try:
        candidate = space.candidate(given)
    except InputError as error:
        raise InputError(f"{argument}: {error}") from None
    if not space.admits(candidate):
        raise InputError.of(
            argument,
            dict(candidate),
            "candidates within the bounds, on the steps and with the fixed values, that satisfy the constraints",
        )
    return candidate


def checked_max_step(given: object, space: Domain) -> dict[str, float]:
    """Return the largest change of each variable that has one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError.of("max_step", given, "a mapping from variables to the largest change, in the variable's unit")
    variables = space.variables if isinstance(space, Space) else {}
    numeric = [name for name in space.varying if not isinstance(variables.get(name), Choice | Ordinal)]
    for name, step in given.items():
        if name not in numeric:
            raise InputError.of("max_step", name, f"numeric variables: {numeric}")
        least = getattr(variables.get(name), "step", None) or 0
        if not _is_number(step) or step < least or step <= 0:
            raise InputError.of(f"max_step[{name!r}]", step, f"{least:g} or more" if least else "a positive number")
    return {name: float(step) for name, step in given.items()}


def checked_name(argument: str, given: object, empty: bool = True) -> str:
    """Return a name: one line, no control characters, no surrounding blanks, no slash."""
    fits = isinstance(given, str) and len(given) <= LONGEST_NAME and (empty or given)
    if not fits or given != given.strip() or "/" in given or given in (".", "..") or _unprintable(given):  # type: ignore[attr-defined,operator,arg-type]
        kind = "text" if empty else "non-empty text"
        raise InputError.of(
            argument, given, f"{kind} on one line, at most {LONGEST_NAME} characters, without / or surrounding blanks"
        )
    return str(given)


def checked_text(argument: str, given: object) -> str:
    """Return a text of several lines."""
    if not isinstance(given, str) or len(given) > LONGEST_TEXT or _unprintable(given.translate(_BREAKS)):
        raise InputError.of(argument, given, f"a text of at most {LONGEST_TEXT} characters")
    return given


def checked_reason(note: object, beside: object) -> str:
    """Return the reason of an answer: the argument `note`, or what `because` gave beside the answer."""
    said, known = checked_text("note", note), checked_text("note", beside)
    if said and known and said != known:
        raise InputError.of("note", note, f"one reason: because(...) gives {known!r}")
    return said or known


def checked_scale(given: object) -> list[str]:
    """Return the words for the levels of ratings, all different."""
    if isinstance(given, str | Mapping | Set) or not isinstance(given, Iterable):  # a set has no order
        raise InputError.of("scale", given, "a list of words, the worst first")
    words = [checked_name(f"scale[{k}]", word, empty=False) for k, word in enumerate(given)]
    if not 2 <= len(words) <= MOST_LEVELS or len(set(words)) < len(words):
        raise InputError.of("scale", words, f"2 to {MOST_LEVELS} different words, the worst first")
    for k, word in enumerate(words):
        # On a scale from 0, a rating 1 would mean the worst level as a number, and the second one as a word.
        if re.fullmatch("[+-]?[0-9]+", word) and word != str(k + 1):
            raise InputError.of(f"scale[{k}]", word, f"a word, or the number of the level, {k + 1}: the worst is 1")
    return words


def checked_seconds(given: object) -> float | None:
    """Return a response time, or None if it is unknown."""
    if given is None:
        return None
    value = plain(given)
    if not _is_number(value) or value < 0:
        raise InputError.of("seconds", given, "a number from 0 up, or None")
    return float(value)


def checked_answer_id(given: object) -> str | None:
    """Return the client's name for an answer."""
    return None if given is None else checked_name("answer_id", given, empty=False)


def checked_numbers(given: object) -> dict[str, float]:
    """Return measured numbers by name, all finite."""
    if not isinstance(given, Mapping):
        raise InputError.of("numbers", given, "a mapping from names to numbers")
    for name, number in given.items():
        checked_name("numbers", name, empty=False)
        if not _is_number(number):
            raise InputError.of(f"numbers[{name!r}]", number, "a finite number")
    return {name: float(number) for name, number in given.items()}


def checked_row(k: int, row: Any, candidates: int) -> list[int]:
    """Return a comparison (i, j, π) of candidates by their numbers."""
    try:
        i, j, said = row
        i, j = int(i), int(j)
    except (TypeError, ValueError):
        raise InputError.of(f"comparisons[{k}]", row, "three values: i, j and the answer") from None
    if not (0 <= i < candidates and 0 <= j < candidates and i != j):
        raise InputError.of(
            f"comparisons[{k}]", row, f"numbers of two different candidates, from 0 to {candidates - 1}"
        )
    told = as_said(said)
    if told.ratings or told.note:
        raise InputError.of(f"comparisons[{k}]", row, "an answer without a reason and ratings: an import has none")
    return [i, j, as_level(told.answer)]


def without_ratings(given: Said, argument: str) -> Said:
    """Return what was said; AnswerError if there are ratings beside it, which would be lost."""
    if given.ratings:
        raise AnswerError.of(argument, given, "an answer without ratings: give each rating by itself, with study.rate")
    return given


def _is_number(given: object) -> bool:
    value = plain(given)  # a float32 cannot be compared with the largest float
    return not isinstance(value, bool) and isinstance(value, RealNumber) and abs(value) <= sys.float_info.max  # type: ignore[operator]


def _unprintable(text: str) -> bool:
    return any(unicodedata.category(character) in ("Cc", "Cs") for character in text)

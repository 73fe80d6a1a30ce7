"""Read values of variables that were typed as NAME=VALUE."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from prefero.errors import InputError
from prefero.space.variables import Choice, Integer, Ordinal, Real

if TYPE_CHECKING:
    from prefero.space.domain import Domain


def assignments(argument: str, texts: Iterable[str], space: Domain) -> dict[str, Any]:
    """Return values by name, each checked by its variable; raise an InputError for an unknown name."""
    values = {}
    for text in texts:
        name, equals, given = (part.strip() for part in text.partition("="))
        if not equals or name not in space.names:
            raise InputError.of(argument, text, f"NAME=VALUE, where NAME is one of {list(space.names)}")
        if name in values:
            raise InputError.of(argument, text, f"one value of {name}; it was given already")
        values[name] = _value(getattr(space, "variables", {}).get(name), name, given)
    return values


def _value(variable: object, name: str, text: str) -> Any:
    match variable:
        case Real() | Integer():
            try:
                return variable.check(name, float(text))
            except ValueError:
                whole = "whole " * isinstance(variable, Integer)
                raise InputError.of(name, text, f"a {whole}number from {variable.low:g} to {variable.high:g}") from None
        case Choice(levels=levels) | Ordinal(levels=levels):
            for level in levels:
                if str(level) == text:
                    return level
            raise InputError.of(name, text, f"one of {list(levels)}")
    return text

"""Request checks: pieces of JSON Schema, and the function that checks a value against them.

The same pieces make the OpenAPI document. `checked` is stricter than they say in two ways: text holds no control characters and no
lone surrogates, and numbers stay within what every JSON reader reads alike.

Why not a library, such as msgspec or jsonschema-rs: their messages are for programmers. A refusal here tells a person which field
is wrong, what it held and what is allowed, in a hundred lines that need nothing installed. The tests compare `checked` with
jsonschema-rs on generated values for every operation, and every payload with its schema.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from prefero.errors import shorten
from prefero.study.checks import LONGEST_NAME, LONGEST_TEXT
from prefero.web.refusals import Refusal

Schema = dict[str, Any]

LARGEST = 1e100
"""The largest number allowed: far beyond any unit, and far from where differences overflow."""
EXACT = 2**53 - 1
"""The largest whole number that every JSON reader reads exactly."""
_KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int, float),
    "null": (type(None),),
}


# Pieces ----------------------------------------------------------------------------------------------------------------


def text(most: int = LONGEST_TEXT, least: int = 0, **more: Any) -> Schema:
    """Return the schema of a text of `least` to `most` characters."""
    return {"type": "string", "minLength": least, "maxLength": most} | more


def name(least: int = 1, **more: Any) -> Schema:
    """Return the schema of a name: one line without a slash."""
    return text(LONGEST_NAME, least, pattern=r"^[^/\x00-\x1f\x7f]*$") | more


def number(least: float = -LARGEST, most: float = LARGEST, **more: Any) -> Schema:
    """Return the schema of a number."""
    return {"type": "number", "minimum": least, "maximum": most} | more


def integer(least: int = 0, most: int = EXACT, **more: Any) -> Schema:
    """Return the schema of a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most} | more


def words(*allowed: str, **more: Any) -> Schema:
    """Return the schema of one of these words."""
    return {"type": "string", "enum": list(allowed)} | more


def flag(**more: Any) -> Schema:
    """Return the schema of true or false."""
    return {"type": "boolean"} | more


def scalar() -> Schema:
    """Return the schema of a variable's value: a number, a text, true or false."""
    return {"type": ["number", "string", "boolean"]} | {
        k: v for k, v in (text(LONGEST_NAME) | number()).items() if k != "type"
    }


def maybe(schema: Schema) -> Schema:
    """Return a schema that allows null as well."""
    return schema | {"type": [schema["type"], "null"]}


def listing(of: Schema, most: int, least: int = 0, **more: Any) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": of, "minItems": least, "maxItems": most} | more


def table(of: Schema, most: int, least: int = 0, **more: Any) -> Schema:
    """Return the schema of an object whose names the client chooses."""
    return {
        "type": "object",
        "propertyNames": name(),
        "additionalProperties": of,
        "minProperties": least,
        "maxProperties": most,
    } | more


def thing(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None, **more: Any) -> Schema:
    """Return the schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    } | more


def either(*things: Schema) -> Schema:
    """Return the schema of one of several objects, told apart by their `type`."""
    return {"oneOf": list(things)}


# The check -------------------------------------------------------------------------------------------------------------


def read_json(body: bytes) -> Any:
    """Return the value of a JSON body."""
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Refusal(400, f"the body is not JSON: {shorten(str(error), 120)}") from None


def _no_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is no number in JSON")


def checked(schema: Schema, value: Any, where: str) -> Any:
    """Return the value if the schema allows it, with whole numbers as int; a Refusal that names the place if not."""
    if "oneOf" in schema:
        return checked(_chosen(schema["oneOf"], value, where), value, where)
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind = next((kind for kind in kinds if _is(value, kind)), None)
    if kind is None or ("enum" in schema and value not in schema["enum"]):
        raise _refused(where, value, schema)
    match kind:
        case "string":
            return _checked_text(schema, value, where)
        case "number" | "integer":
            return _checked_number(schema, value, where)
        case "array":
            _count(schema, value, where, "minItems", "maxItems")
            return [checked(schema["items"], item, f"{where}[{k}]") for k, item in enumerate(value)]
        case "object":
            return _checked_object(schema, value, where)
    return value


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _chosen(things: list[Schema], value: Any, where: str) -> Schema:
    kinds = {thing["properties"]["type"]["enum"][0]: thing for thing in things}
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise Refusal(422, f"{where}: got {shorten(value)}; allowed: an object whose type is one of {', '.join(kinds)}")
    return kinds[kind]


def _checked_text(schema: Schema, value: str, where: str) -> str:
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in value):
        raise Refusal(422, f"{where}: got {shorten(value)}; allowed: a text without control characters")
    fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", LONGEST_TEXT)
    pattern = schema.get("pattern", "").replace("$", r"\Z")  # Python's $ also matches before a line break at the end
    if not fits or not re.search(pattern, value):
        raise _refused(where, value, schema)
    return value


def _checked_number(schema: Schema, value: float, where: str) -> float:
    if not schema.get("minimum", -LARGEST) <= value <= schema.get("maximum", LARGEST):  # nor is it NaN
        raise _refused(where, value, schema)
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        raise _refused(where, value, schema)
    if "integer" not in schema["type"]:
        return value
    if value != int(value):
        raise _refused(where, value, schema)
    return int(value)


def _checked_object(schema: Schema, value: dict[str, Any], where: str) -> dict[str, Any]:
    if "properties" not in schema:
        _count(schema, value, where, "minProperties", "maxProperties")
        names = schema["propertyNames"]
        return {
            checked(names, key, f"{where}, a name"): checked(schema["additionalProperties"], item, f"{where}[{key!r}]")
            for key, item in value.items()
        }
    known = schema["properties"]
    unknown, missing = (
        [key for key in value if key not in known],
        [key for key in schema["required"] if key not in value],
    )
    if unknown:
        raise Refusal(422, f"{where}: got {shorten(unknown[0])}; allowed: {', '.join(known) or 'nothing'}")
    if missing:
        raise Refusal(422, f"{where}: {missing[0]!r} is missing; needed: {', '.join(schema['required'])}")
    return {key: checked(known[key], item, key if where == "body" else f"{where}.{key}") for key, item in value.items()}


def _count(schema: Schema, value: Any, where: str, least: str, most: str) -> None:
    if not schema[least] <= len(value) <= schema[most]:
        raise Refusal(422, f"{where}: got {len(value)} of them; allowed: {schema[least]} to {schema[most]}")


def _refused(where: str, value: Any, schema: Schema) -> Refusal:
    return Refusal(422, f"{where}: got {shorten(value)}; allowed: {_allowed(schema)}")


def _allowed(schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(json.dumps(word) for word in schema["enum"])
    kind = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
    said = schema.get("description", "")
    if "minimum" in schema:
        kind += f" from {schema['minimum']:g} to {schema['maximum']:g}"
    if "maxLength" in schema:
        kind += f" of {schema['minLength']} to {schema['maxLength']} characters"
        kind += " in one line, without /" if "pattern" in schema and not said else ""
    return f"{kind}: {said}" if said else kind

"""The OpenAPI document, made from the operations."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from prefero import __version__
from prefero.web import files, schema
from prefero.web.operation import PREFIX, Operation
from prefero.web.schema import Schema

ERROR = schema.thing({"error": schema.text(description="what is wrong, in a sentence for people")})

_ABOUT = (
    "Studies that ask a person which of two candidates is better. Programs send `Authorization: Bearer <token>`. "
    "Every refusal is JSON with an `error` for people to read, and changes nothing. Status 409 means that the study is in another "
    "state than the request assumes: fetch the current question and continue from there."
)


def openapi(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the OpenAPI document of these operations."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(PREFIX + operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "prefero", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": ERROR},
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [_parameter(name, "path", part, True) for name, part in operation.in_path.items()]
        + [_parameter(name, "query", part, False) for name, part in operation.query.items()],
        "responses": {str(operation.status): _reply(operation.gives)}
        | {str(status): _refusal(status) for status in operation.statuses},
        "security": [] if operation.roles is None else [{"token": []}],
    }
    if operation.roles is not None:
        described["description"] = f"For {', '.join(sorted(operation.roles))}."
    if operation.takes is not None:
        described["requestBody"] = {
            "required": bool(operation.takes["required"]),
            "content": {"application/json": {"schema": operation.takes}},
        }
    if operation.uploads:
        described["requestBody"] = {"required": True, "content": {kind: {} for kind in files.ALLOWED}}
    return described


def _parameter(name: str, place: str, part: Schema, required: bool) -> dict[str, Any]:
    said = {"description": part["description"]} if "description" in part else {}
    return {"name": name, "in": place, "required": required, "schema": part} | said


def _reply(gives: Schema | str) -> dict[str, Any]:
    if isinstance(gives, str):
        return {"description": "the file", "content": {gives: {}}}
    return {"description": "done", "content": {"application/json": {"schema": gives}}}


def _refusal(status: int) -> dict[str, Any]:
    reference = {"$ref": "#/components/schemas/Error"}
    return {"description": HTTPStatus(status).phrase, "content": {"application/json": {"schema": reference}}}

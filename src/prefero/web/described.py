"""The API's description as a page: every route with who may use it, what it takes and what it returns.

It is made from the OpenAPI document, and like every page of ours it loads nothing from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from prefero.web.document import openapi
from prefero.web.html import page, text
from prefero.web.operation import PREFIX

if TYPE_CHECKING:
    from prefero.web.app import Service

_GROUPS = (
    ("Answering", ("/question", "/questions", "/answers", "/undo", "/history", "/candidates")),
    (
        "Results",
        ("/result", "/insight", "/advice", "/second-thoughts", "/figures", "/report", "/disagreements", "/live"),
    ),
    ("People", ("/tokens", "/invitations", "/me", "/qr")),
)
"""A route belongs to the first group that one of its parts begins with; all others are about studies."""
_STUDIES = "Studies"
_FOLDED_FROM = 400
"""Characters of a schema from which it is folded away."""


async def describe(_: Service, __: Request) -> Response:
    """The API's description, for people."""
    return page("For programs", described())


@cache
def described() -> str:
    """Return the description as HTML."""
    from prefero.web.routes import OPERATIONS

    document = json.loads(json.dumps(openapi(OPERATIONS)))
    groups: dict[str, list[str]] = {_STUDIES: [], **{title: [] for title, _ in _GROUPS}}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            groups[_group(path)].append(_route(method.upper(), path, operation))
    info = document["info"]
    example = f'curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8477{PREFIX}/studies'
    head = (
        f'<p class="lead">{_marked(info["description"])}</p><pre class="card code" tabindex="0">{text(example)}</pre>'
        f'<p class="quiet">prefero {text(info["version"])}. The same for machines: '
        f'<a href="{PREFIX}/openapi.json">the OpenAPI document</a>.</p>'
    )
    contents = "".join(f'<a class="button" href="#{title.lower()}">{title}</a>' for title in groups)
    parts = "".join(
        f'<section class="part" id="{title.lower()}"><h2>{title}</h2>{"".join(routes)}</section>'
        for title, routes in groups.items()
    )
    return f'{head}<nav class="row" aria-label="Contents">{contents}</nav>{parts}'


def _group(path: str) -> str:
    rest = path.removeprefix(PREFIX).removeprefix("/studies/{study}")
    return next((title for title, starts in _GROUPS if rest.startswith(starts)), _STUDIES)


def _marked(words: str) -> str:
    """Return a text whose `parts` between backquotes are code."""
    return "".join(f"<code>{text(part)}</code>" if k % 2 else text(part) for k, part in enumerate(words.split("`")))


def _route(method: str, path: str, operation: dict[str, Any]) -> str:
    who = operation.get("description", "For everybody, without a token.")
    takes = operation.get("requestBody", {}).get("content", {})
    replies = operation["responses"]
    done = next(status for status in replies if status.startswith("2"))
    inside = _parameters(operation["parameters"])
    for kind, content in takes.items():
        inside += _schema(f"Send {kind}", content.get("schema"))
    for kind, content in replies[done]["content"].items():
        inside += _schema(f"Reply {done}, {kind}", content.get("schema"))
    refused = ", ".join(f"{status} {reply['description']}" for status, reply in replies.items() if status != done)
    named = f"<code><b>{method}</b> {text(path)}</code> <span>{text(operation['summary'])}</span>"
    return (
        f'<details class="card route"><summary>{named}</summary><p class="quiet">{text(who)}</p>{inside}'
        f'<p class="quiet">Refused with: {text(refused)}.</p></details>'
    )


def _table(head: tuple[str, ...], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already; the first of each row names it."""
    names = "".join(f'<th scope="col">{name}</th>' for name in head)
    lines = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table></div>'
    )


def _parameters(parameters: list[dict[str, Any]]) -> str:
    rows = [
        (f"<code>{text(each['name'])}</code>", text(each["in"]), text(each.get("description", "")))
        for each in parameters
    ]
    return _table(("Parameter", "In", "What"), rows) if rows else ""


def _schema(title: str, schema: dict[str, Any] | None) -> str:
    if schema is None:
        return f"<h3>{text(title)}</h3>"
    if "properties" not in schema:
        return f"<h3>{text(title)}</h3>{_whole(schema)}"
    needed = schema.get("required", ())
    rows = [
        (
            f"<code>{text(name)}</code>{' *' if name in needed else ''}",
            text(_kind(each)),
            text(each.get("description", "")),
        )
        for name, each in schema["properties"].items()
    ]
    return f"<h3>{text(title)}</h3>{_table(('Field', 'Kind', 'What'), rows)}"


def _whole(schema: dict[str, Any]) -> str:
    shown = text(json.dumps(schema, ensure_ascii=False, indent=1))
    code = f'<pre class="code" tabindex="0">{shown}</pre>'
    return f"<details><summary>Its schema</summary>{code}</details>" if len(shown) >= _FOLDED_FROM else code


def _kind(schema: dict[str, Any]) -> str:
    """Return in a few words what a value may be."""
    if "enum" in schema:
        return " or ".join(json.dumps(each, ensure_ascii=False) for each in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(_kind(each) for each in schema[choice]))
    kind = schema.get("type", "anything")
    named = " or ".join(kind) if isinstance(kind, list) else kind
    if named == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    low, high = schema.get("minimum"), schema.get("maximum")
    limits = f", {low} to {high}" if low is not None and high is not None else ""
    return f"{named}{limits}"

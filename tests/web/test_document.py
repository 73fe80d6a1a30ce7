"""The OpenAPI document is the routes, and what comes back is what it says."""

import json
import re
from pathlib import Path

import jsonschema_rs
import pytest
from starlette.routing import Route

from prefero.web.document import openapi
from prefero.web.operation import PREFIX
from prefero.web.routes import OPERATIONS
from tests.web.conftest import answer


@pytest.fixture(scope="module")
def document():
    return json.loads(json.dumps(openapi(OPERATIONS)))


def test_the_document_is_served_without_a_token(owner, document):
    assert owner.get(f"{PREFIX}/openapi.json", token=None).json() == document


def test_the_document_and_the_routes_are_the_same(service, document):
    documented = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    routed = {
        (method, route.path)
        for route in service.app.routes
        if isinstance(route, Route) and route.path.startswith(PREFIX) and not route.path.endswith("openapi.json")
        for method in route.methods - {"HEAD"}
    }
    assert documented == routed
    assert len(documented) == len(OPERATIONS)


def test_the_document_is_openapi(document):
    import schemathesis

    loaded = schemathesis.openapi.from_dict(document)
    loaded.validate()
    names = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(names)) == len(names)
    assert all(operation["summary"] for methods in document["paths"].values() for operation in methods.values())


def test_every_reply_is_what_the_document_says(service, owner, document, study):
    answer(owner, study, "a", judge="ann", note="n")
    answer(owner, study, "b", judge="ann")
    owner.get(f"{study}/question")
    ids = {"digest": "0" * 64}
    bodies = {
        "create_study": {"name": "second", "catalogue": [{"x": 1}, {"x": 2}]},
        "give_answer": {"step": 2, "answer": "skipped", "answer_id": "k"},
        "undo_answer": {"judge": "ann"},
        "correct_answer": {"answer": "b"},
        "measure_numbers": {"numbers": {"n": 1}},
        "create_token": {"role": "viewer", "label": "wall"},
        "create_invitation": {"judge": "bob"},
        "change_study": {"title": "Line three"},
        "draw_code": {"text": "x"},
        "accept_invitation": {"invitation": "unknown"},
    }
    checked = 0
    for operation in sorted(OPERATIONS, key=lambda o: o.method == "DELETE"):
        if operation.gives == "text/event-stream":
            continue  # it has no end: see test_live
        path = f"{PREFIX}{operation.path}".format(study="line%203", step=0, side="a", row=0, file="f", **ids)
        value = bodies.get(operation.name, {} if operation.takes else None)
        more = {"headers": {"Content-Type": "text/plain"}, "body": b"text"} if operation.uploads else {}
        reply = owner.request(operation.method, path, None if more else value, **more)
        described = document["paths"][PREFIX + operation.path][operation.method.lower()]["responses"]
        assert str(reply.status) in described, (operation.name, reply.status, reply.body)
        content = described[str(reply.status)]["content"].get("application/json")
        if content is not None:
            whole = content["schema"] | {"components": document["components"]}
            jsonschema_rs.validate(whole, reply.json())
            checked += reply.status < 400
    assert checked >= 19


def test_the_page_about_the_service_lists_every_route_and_no_other():
    text = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
    told = re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`?]*)`", text.partition("## Routes")[2])
    routes = [(operation.method, operation.path) for operation in OPERATIONS]
    assert sorted(set(told) - {("GET", f"{PREFIX}/openapi.json")}) == sorted(routes)

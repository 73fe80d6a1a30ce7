"""What the service accepts is what its document says: our check agrees with an independent reader of JSON Schema."""

import json

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, find, given, settings
from hypothesis import strategies as st

from benchmarks.torture.requests import ANSWERS, JSON, NEW_STUDY, PERSON, WILD
from prefero.web import schema
from prefero.web.refusals import Refusal
from prefero.web.routes import OPERATIONS

TAKEN = {operation.name: operation.takes for operation in OPERATIONS if operation.takes is not None}
STRICT = {name: jsonschema_rs.validator_for(taken) for name, taken in TAKEN.items()}


def plain(value: object) -> bool:
    """Whether it is JSON of whole characters, none of them a control character: there we are stricter on purpose."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (ValueError, UnicodeEncodeError):
        return False
    return all(c.isprintable() or c in "\u00a0\u2028\u2029\u3000" for c in text) and "\\" not in text


def accepted(name: str, value: object) -> bool:
    complaint = None
    try:
        schema.checked(TAKEN[name], value, "body")
    except Refusal as refusal:
        complaint = refusal
    assert complaint is None or (complaint.status == 422 and "\n" not in complaint.message)
    return complaint is None


WRONG = st.sampled_from(
    [None, True, 0, -1, 1.5, 2**53, 1e101, "", "x", "a/b", "a" * 3_000, [], [[]], {}, {"x": 1}, {"type": "real"}]
)
"""Values that fit some schemas and not others."""
TEXTS = st.text(st.characters(exclude_categories=("C",)), max_size=8)


def values(described: schema.Schema) -> st.SearchStrategy:
    """Values that fit a schema, up to its limits and a little beyond, with now and then something else in some place."""
    return st.integers(0, 15).flatmap(lambda chance: WRONG if chance == 0 else fitting(described))


def fitting(described: schema.Schema) -> st.SearchStrategy:
    if "oneOf" in described:
        return st.one_of([values(one) for one in described["oneOf"]])
    if "enum" in described:
        return st.sampled_from([*described["enum"], "other"])
    kinds = described["type"] if isinstance(described["type"], list) else [described["type"]]
    return st.sampled_from(kinds).flatmap(lambda kind: MAKERS[kind](described))


def numbers(described: schema.Schema) -> st.SearchStrategy:
    low = described.get("minimum", described.get("exclusiveMinimum"))
    limits = [limit + beyond for limit in (low, described["maximum"]) for beyond in (-1, 0, 1)]
    return st.sampled_from([*limits, 0, 1, 2.0, 0.5])


def texts(described: schema.Schema) -> st.SearchStrategy:
    least, most = described["minLength"], described["maxLength"]
    digits = st.sampled_from(["0" * least, "f" * most, "a" * (most + 1), "a" * max(0, least - 1)])
    written = [st.from_regex(described["pattern"], fullmatch=True)] if "pattern" in described else []
    return st.one_of(TEXTS, digits, *written)


def lists(described: schema.Schema) -> st.SearchStrategy:
    least = described["minItems"]
    return st.lists(values(described["items"]), min_size=max(0, least - 1), max_size=least + 2)


def objects(described: schema.Schema) -> st.SearchStrategy:
    if "properties" not in described:
        return st.dictionaries(TEXTS, values(described["additionalProperties"]), max_size=3)
    members = {name: values(member) for name, member in described["properties"].items()}
    required = {name: member for name, member in members.items() if name in described["required"]}
    optional = {name: member for name, member in members.items() if name not in described["required"]}
    whole = st.fixed_dictionaries(required, optional=optional)
    less = st.fixed_dictionaries({}, optional=members)
    more = st.fixed_dictionaries({**required, "unknown": WRONG})
    return st.integers(0, 7).flatmap(lambda chance: {0: less, 1: more}.get(chance, whole))


MAKERS = {
    "object": objects,
    "array": lists,
    "string": texts,
    "number": numbers,
    "integer": numbers,
    "boolean": lambda _: st.booleans(),
    "null": lambda _: st.none(),
}


@pytest.mark.parametrize("name", sorted(TAKEN))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_the_check_agrees_on_values_made_for_each_operation(name, data):
    value = data.draw(values(TAKEN[name]))
    assume(plain(value))
    assert accepted(name, value) == STRICT[name].is_valid(value)


@pytest.mark.parametrize("name", sorted(TAKEN))
def test_what_is_made_for_an_operation_is_often_accepted_and_often_refused(name):
    """Otherwise the comparison above would compare nothing."""
    if not TAKEN[name]["properties"]:
        return
    for wanted in (True, False):
        find(values(TAKEN[name]), lambda value, wanted=wanted: plain(value) and accepted(name, value) is wanted)


@settings(max_examples=150)
@given(st.sampled_from(sorted(TAKEN)), st.one_of(ANSWERS, NEW_STUDY, WILD, PERSON, JSON))
def test_the_check_agrees_with_the_document(name, value):
    assume(plain(value))
    assert accepted(name, value) == STRICT[name].is_valid(value)


@pytest.mark.parametrize("name", ["create_study", "give_answer", "create_token"])
@settings(max_examples=100)
@given(st.data())
def test_it_agrees_on_what_is_meant_for_it(name, data):
    meant = {"create_study": st.one_of(NEW_STUDY, WILD), "give_answer": ANSWERS, "create_token": PERSON}[name]
    value = data.draw(meant)
    if isinstance(value.get("step"), str):
        value["step"] = 0
    assume(plain(value))
    assert accepted(name, value) == STRICT[name].is_valid(value)


@pytest.mark.parametrize("text", ["\x00", "a\x1bb", "\ud800", "\r"])
def test_no_text_holds_control_characters_or_halves_of_characters(text):
    with pytest.raises(Refusal, match="control characters"):
        schema.checked(schema.text(), text, "note")
    with pytest.raises(Refusal):
        schema.checked(schema.table(schema.number(), 3), {text: 1}, "numbers")


@pytest.mark.parametrize(
    ("piece", "value", "words"),
    [
        (schema.integer(0, 5), 6, ["got 6", "from 0 to 5"]),
        (schema.integer(0, 5), True, ["got True", "integer"]),
        (schema.integer(0, 5), 1.5, ["got 1.5"]),
        (schema.number(), 10**400, ["allowed: number"]),
        (schema.number(), float("nan"), ["got nan"]),
        (schema.words("a", "b"), "c", ["'c'", '"a", "b"']),
        (schema.text(3), "four", ["0 to 3 characters"]),
        (schema.name(), "a/b", ["without /"]),
        (schema.listing(schema.flag(), 1), [True, True], ["got 2 of them", "0 to 1"]),
        (schema.thing({"x": schema.flag()}), {}, ["'x' is missing"]),
        (schema.thing({"x": schema.flag()}), {"x": True, "y": 1}, ["'y'", "allowed: x"]),
        (schema.maybe(schema.integer()), "x", ["integer or null"]),
    ],
)
def test_a_complaint_names_the_place_what_was_given_and_what_is_allowed(piece, value, words):
    with pytest.raises(Refusal) as caught:
        schema.checked(piece, value, "place")
    assert caught.value.message.startswith("place")
    for word in words:
        assert word in caught.value.message


def test_whole_numbers_are_whole():
    assert repr(schema.checked(schema.integer(), 3.0, "x")) == "3"
    assert schema.checked(schema.maybe(schema.integer()), None, "x") is None

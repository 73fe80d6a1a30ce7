"""What the service accepts is what its document says: our check agrees with an independent reader of JSON Schema."""

import json

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
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

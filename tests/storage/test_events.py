"""JSON that is newer, cut short, tampered with, or does not fit together."""

import hashlib
import json

import pytest

import prefero as pf
from prefero.errors import FormatError
from prefero.storage import events
from tests.complaints import complaint

SPACE = pf.Space({"x": pf.Real(0.1, 10, log=True), "taps": pf.Integer(1, 8), "window": pf.Choice(["hann", "flat"])})


def written() -> str:
    study = pf.Study(SPACE, comparisons=6, seed=0, start=[[1.0, 3, "hann"]])
    study.tell(study.ask(), "a")
    study.skip(study.ask())
    study.tell(study.ask(), "same")
    study.undo()
    return study.to_json()


TEXT = written()


def test_the_text_is_the_study_itself():
    assert pf.Study.from_json(TEXT).to_json() == TEXT
    assert pf.Study.from_json(TEXT.encode()).to_json() == TEXT


@pytest.mark.parametrize("version", [7, 99, 0, -1, 1.5, "1", None])
def test_another_version_is_refused(version):
    data = json.loads(TEXT) | {"version": version}
    with complaint(FormatError, "version", repr(version), "1 to 6", "newer"):
        pf.Study.from_json(json.dumps(data))


@pytest.mark.parametrize("end", range(0, len(TEXT) - 1, 97))
def test_a_text_that_was_cut_short_is_refused(end):
    with complaint(FormatError, "not JSON, or was cut short"):
        pf.Study.from_json(TEXT[:end])


@pytest.mark.parametrize("text", [None, 3, "", "[]", "3", '"x"', "{}", '{"format": "something else"}', "[" * 100_000])
def test_what_is_not_a_study_is_refused(text):
    with complaint(FormatError, "JSON"):
        pf.Study.from_json(text)


def rows() -> list:
    return json.loads(TEXT)["events"]


def tampered_with(rows: list) -> str:
    return json.dumps(json.loads(TEXT) | {"events": rows})


def signed(rows: list) -> str:
    """Somebody who knows how the digest is made."""
    canonical = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()
    return json.dumps({"format": events.FORMAT, "version": events.VERSION, "digest": digest, "events": rows})


def test_signing_is_understood():
    assert pf.Study.from_json(signed(rows())).to_json() == TEXT


@pytest.mark.parametrize("row", range(len(rows())))
def test_an_event_that_was_changed_or_taken_out_is_noticed(row):
    without = rows()
    del without[row]
    with complaint(FormatError, "changed after it was written"):
        pf.Study.from_json(tampered_with(without))
    for key in rows()[row]:
        changed = rows()
        changed[row][key] = "\ud800"
        with complaint(FormatError, "changed after it was written"):
            pf.Study.from_json(tampered_with(changed))


@pytest.mark.parametrize("missing", ["digest", "events"])
def test_a_text_without_its_parts_is_refused(missing):
    data = json.loads(TEXT)
    del data[missing]
    with complaint(FormatError, "changed after it was written"):
        pf.Study.from_json(json.dumps(data))


def changed(row: int, **values) -> str:
    log = rows()
    log[row] |= values
    return signed(log)


def without(*gone: int) -> str:
    return signed([row for k, row in enumerate(rows()) if k not in gone])


IMPOSSIBLE = [
    signed([]),
    signed([3]),
    signed([{}]),
    signed([{"event": []}]),
    signed([{"event": "forgotten"}]),
    signed(rows()[1:]),
    signed([rows()[0], *rows()]),
    without(1),
    without(2),
    without(3),
    signed([*rows(), rows()[-1], rows()[-1], rows()[-1]]),
    signed([*rows(), {"event": "answered", "step": 9, "answer": "a"}]),
    signed([*rows(), {"event": "skipped", "step": "x"}]),
    signed([*rows(), {"event": "skipped"}]),
    signed([*rows(), {"event": "skipped", "step": 2, "why": "tired"}]),
    changed(0, comparisons=0),
    changed(0, comparisons="six"),
    changed(0, seed=-1),
    changed(0, sides="left"),
    changed(0, start=[["x"]]),
    changed(0, start=None),
    changed(0, space=[]),
    changed(0, space={"kind": "space", "variables": [], "constraints": []}),
    changed(0, space={"kind": "space", "variables": [{"name": "x", "type": "complex"}], "constraints": []}),
    changed(0, space={"kind": "catalogue", "names": ["a"], "rows": [[1]]}),
    changed(0, proposer={"name": "glisp", "magic": 1}),
    changed(0, proposer={"name": "glisp", "shape": -1}),
    changed(0, proposer=[]),
    changed(1, step=5),
    changed(1, first={"x": 1.0}),
    changed(1, first={"x": "1", "taps": 3, "window": "hann"}),
    changed(1, first=[1.0, 3, "hann"]),
    changed(1, second={"x": 1.0, "taps": 3, "window": "round"}),
    changed(2, answer="c"),
    changed(2, answer=-1),
    changed(2, step=1),
]


@pytest.mark.parametrize("text", IMPOSSIBLE, ids=range(len(IMPOSSIBLE)))  # the texts hold the time
def test_events_that_cannot_follow_each_other_are_refused(text):
    with complaint(FormatError):
        pf.Study.from_json(text)


def limit(candidate):
    return candidate["x"] - 0.5


def test_constraint_functions_have_to_be_passed_again():
    space = pf.Space({"x": pf.Real(0, 1)}, limit)
    study = pf.Study(space, comparisons=6, seed=0)
    study.tell(study.ask(), "a")
    with complaint(FormatError, "constraints[0]", "pass the space itself with space="):
        pf.Study.from_json(study.to_json())
    assert pf.Study.from_json(study.to_json(), space=space).ask() == study.ask()


def test_a_proposer_of_ones_own_has_to_be_passed_again():
    def centre(history):
        return [0.0]

    study = pf.Study(([0.0], [1.0]), seed=0, proposer=centre)
    study.tell(study.ask(), "a")
    with complaint(FormatError, "centre", "pass proposer="):
        pf.Study.from_json(study.to_json())
    assert pf.Study.from_json(study.to_json(), proposer=centre).ask() == study.ask()


def test_another_space_than_the_studys_is_refused():
    with complaint(FormatError, "space", "not the one"):
        pf.Study.from_json(TEXT, space=pf.Space({"x": pf.Real(0, 1)}))


def test_texts_in_any_language_survive():
    study = pf.Study(pf.Space({"größe": pf.Choice(["klein", "groß", "大"])}), seed=0)
    study.tell(study.ask(), "a")
    assert "größe" in study.to_json()
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()

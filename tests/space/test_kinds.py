"""Steps, logarithmic integers, ordered levels, many levels, fixed values and conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.errors import InputError
from prefero.space.scaling import MANY_LEVELS
from tests.complaints import complaint

SPACE = pf.Space(
    {
        "size": pf.Ordinal(["small", "medium", "large"]),
        "filter": pf.Choice(["off", "on"]),
        "share": pf.Real(0, 1, step=0.05),
        "taps": pf.Integer(2, 64, step=2),
        "order": pf.Integer(1, 1024, log=True),
        "cutoff": pf.Real(20, 2000, log=True, when={"filter": "on"}),
        "poles": pf.Integer(1, 4, when={"filter": "on"}),
        "ripple": pf.Real(0, 1, when={"poles": [2, 3]}),
        "colour": pf.Choice([f"c{k}" for k in range(MANY_LEVELS + 50)]),
    }
)


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_snapped_point_is_a_candidate_and_stays(seed):
    drawn = np.random.default_rng(seed).uniform(-1.5, 1.5, (4, SPACE.dimension))
    snapped = SPACE.snap(drawn)
    assert np.allclose(SPACE.snap(snapped), snapped, rtol=0, atol=1e-12)
    for point in snapped:
        candidate = SPACE.decode(point)
        assert SPACE.candidate(candidate) == candidate
        assert SPACE.admits(candidate)
        assert np.allclose(SPACE.encode(candidate), point, rtol=0, atol=1e-12)
        assert candidate["share"] == round(candidate["share"], 2)
        assert candidate["taps"] % 2 == 0
        assert ("cutoff" in candidate) == (candidate["filter"] == "on") == ("poles" in candidate)
        assert ("ripple" in candidate) == (candidate.get("poles") in (2, 3))


def test_a_space_survives_as_plain_data():
    fixed = SPACE.fix(taps=8, filter="on")
    again = pf.Space.from_dict(fixed.to_dict())
    assert again.to_dict() == fixed.to_dict()
    assert again.fixed == {"taps": 8, "filter": "on"}


def test_questions_are_valid_and_a_replay_asks_the_same():
    study = pf.Study(SPACE, seed=1, comparisons=12)
    for k in range(8):
        question = study.ask()
        assert SPACE.admits(question.a)
        assert SPACE.admits(question.b)
        study.tell(question, "a" if k % 2 else "b")
    study.change_space(SPACE.fix(taps=8))
    assert study.ask().b["taps"] == 8
    assert pf.Study.from_json(study.to_json()).ask() == study.ask()


def test_many_levels_are_about_as_far_apart_as_few():
    space = pf.Space({"c": pf.Choice([f"c{k}" for k in range(1000)])})
    points = np.array([space.encode({"c": level}) for level in space.variables["c"].levels])
    assert space.dimension < 100
    squares = (points**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))[np.triu_indices(1000, 1)]
    assert 1.7 < distances.min() < distances.max() < 2.3


def test_numpy_values_and_equal_numbers_are_accepted():
    space = pf.Space({"k": pf.Choice(np.array([1, 2])), "n": pf.Integer(np.int64(1), np.array(8)), "x": pf.Real(0, 1)})
    assert dict(space.candidate([2.0, np.float32(3), np.array(0.5)])) == {"k": 2, "n": 3, "x": 0.5}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pf.Real(0, 1, step=0.3), ("step", "0.3", "divides the range")),
        (lambda: pf.Integer(2, 64, step=5), ("step", "5", "divides the range", "62")),
        (lambda: pf.Real(0, 1, step=0), ("step", "0", "positive")),
        (lambda: pf.Real(5e-324, 1, log=True), ("low", "5e-324", "1e-300")),
        (lambda: pf.Integer(0, 8, log=True), ("low", "0", "logarithmic")),
        (lambda: pf.Space({"a": pf.Choice(["x", "y"], when={"b": "u"}), "b": pf.Choice(["u", "v"], when={"a": "x"})}),
         ("['a', 'b']", "circle")),
        (lambda: pf.Space({"a": pf.Choice(["x", "y"]), "b": pf.Real(0, 1, when={"a": "z"})}), ("'b'", "'z'", "['x', 'y']")),
        (lambda: pf.Space({"b": pf.Real(0, 1, when={"a": "z"})}), ("'b'", "'a'")),
        (lambda: SPACE.fix(taps=100), ("fixed['taps']", "100", "2 to 64")),
        (lambda: SPACE.fix(nothing=1), ("nothing",)),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make, words):
    with complaint(InputError, *words):
        make()


def test_a_value_whose_condition_is_not_met_is_refused():
    space = pf.Space({"filter": pf.Choice(["off", "on"]), "cutoff": pf.Real(20, 2000, when={"filter": "on"})})
    assert dict(space.candidate(["off", None])) == {"filter": "off"}
    with complaint(InputError, "candidate", "cutoff exists only if filter = on"):
        space.candidate({"filter": "off", "cutoff": 30})

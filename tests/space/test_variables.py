"""A candidate is a mapping, an array and a value; a catalogue is a space of its rows."""

import numpy as np
import pandas as pd
import pytest

import prefero as pf
from prefero.errors import InputError
from tests.complaints import complaint

CANDIDATE = pf.Candidate({"gain": 0.5, "taps": 3})


def test_a_candidate_is_a_mapping_in_declared_order():
    assert CANDIDATE["gain"] == CANDIDATE[0] == 0.5
    assert CANDIDATE["taps"] == CANDIDATE[-1] == 3
    assert dict(CANDIDATE) == {"gain": 0.5, "taps": 3}
    assert list(CANDIDATE) == ["gain", "taps"]
    assert len(CANDIDATE) == 2
    assert dict(**CANDIDATE) == dict(CANDIDATE)
    assert repr(CANDIDATE) == "Candidate(gain=0.5, taps=3)"
    with pytest.raises(KeyError):
        CANDIDATE["x"]


def test_a_candidate_converts_with_asarray():
    assert np.asarray(CANDIDATE).tolist() == [0.5, 3.0]
    assert np.asarray(CANDIDATE).dtype == float
    assert np.asarray(CANDIDATE, dtype=np.float32).dtype == np.float32
    assert np.asarray(pf.Candidate({"x": 1.0, "c": "hann"})).tolist() == [1.0, "hann"]
    assert np.linalg.norm(CANDIDATE) == pytest.approx(np.hypot(0.5, 3))


def test_equal_candidates_are_one_key_whatever_the_order_of_their_names():
    other = pf.Candidate({"taps": 3, "gain": 0.5})
    assert other == CANDIDATE == {"gain": 0.5, "taps": 3}
    assert {CANDIDATE: 1}[other] == 1
    assert len({CANDIDATE, other, pf.Candidate({"gain": 0.5, "taps": 4})}) == 2


def test_levels_may_be_texts_numbers_or_booleans():
    space = pf.Space({"c": pf.Choice([0.5, 2, "x"]), "flag": pf.Choice([False, True])})
    for given in ([0.5, False], [2, True], ["x", False]):
        candidate = space.candidate(given)
        assert [type(v) for v in candidate.values()] == [type(v) for v in given]
        assert space.decode(space.encode(candidate)) == candidate
    with complaint(InputError, "flag", "1", "one of [False, True]"):
        space.candidate([2, 1])


def test_levels_from_numpy_are_plain():
    space = pf.Space({"c": pf.Choice(list(np.array(["hann", "flat"]))), "k": pf.Choice(list(np.array([1, 2])))})
    assert dict(space.candidate(["flat", 2])) == {"c": "flat", "k": 2}


ROWS = [
    {"cost": 3.0, "mass": 1.2, "maker": "A"},
    {"cost": 2.0, "mass": 2.5, "maker": "B"},
    {"cost": 2.5, "mass": 2.0, "maker": "A"},
]


def test_a_catalogue_holds_its_rows_and_nothing_else():
    catalogue = pf.Catalogue(ROWS)
    assert [dict(row) for row in catalogue.rows] == ROWS
    assert catalogue.names == ("cost", "mass", "maker")
    assert catalogue.admits(pf.Candidate(ROWS[1]))
    assert not catalogue.admits(pf.Candidate({"cost": 3.0, "mass": 2.5, "maker": "A"}))
    assert [dict(catalogue.decode(x)) for x in catalogue.points()] == ROWS
    assert repr(catalogue) == "Catalogue(3 rows of cost, mass, maker)"
    assert catalogue.decode(catalogue.encode(ROWS[2])) == ROWS[2]
    assert catalogue.feasible(catalogue.points()).all()


@pytest.mark.parametrize("given", [1, ROWS[1], dict(reversed(ROWS[1].items())), [2.0, 2.5, "B"], (2, 2.5, "B")])
def test_a_row_may_be_given_by_number_name_or_place(given):
    assert pf.Catalogue(ROWS).candidate(given) == ROWS[1]


@pytest.mark.parametrize(
    "given", [3, -1, True, "B", None, [2.0], [2.0, 2.5, "B", 1], {"cost": 2.0}, [[2.0], 2.5, "B"], [9.0, 2.5, "B"]]
)
def test_what_is_not_a_row_is_refused(given):
    with complaint(InputError, "candidate", repr(given)[:8], "one of the 3 rows"):
        pf.Catalogue(ROWS).candidate(given)


@pytest.mark.parametrize(
    ("rows", "names", "words"),
    [
        ([], None, ("rows", "[]")),
        (3, None, ("rows", "3", "a list of mappings")),
        ("abc", None, ("rows", "'abc'", "a list of mappings")),
        ([[1.0, 2.0]], None, ("rows", "at least two different rows")),
        ([[1.0, 2.0], [1.0, 2.0]], None, ("rows", "at least two different rows")),
        ([[1.0], [np.nan]], None, ("rows[1], column 'x1'", "missing", "median")),
        ([{"a": 1}, {"b": 1}], None, ("rows", "the same names")),
        ([{"a": 1}, {"a": None}], None, ("rows[1], column 'a'", "missing", "median")),
        ([{"a": 1}, {"a": np.inf}], None, ("rows[1], column 'a'", "inf", "finite")),
        ([{"a": 1}, {"a": [2]}], None, ("rows[1], column 'a'", "[2]", "numbers, text or booleans")),
        ([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], None, ("rows[0], rows[2]", "differ")),
        ([{}, {}], None, ("rows", "the same names")),
        ([[1.0, 2.0], [2.0, 1.0]], ["a"], ("names", "['a']", "2 different names")),
        ([[1.0, 2.0], [2.0, 1.0]], ["a", "a"], ("names", "['a', 'a']", "2 different names")),
    ],
)
def test_what_is_not_a_table_is_refused(rows, names, words):
    with complaint(InputError, *words):
        pf.Catalogue(rows, names)


def test_columns_are_scaled_and_those_that_never_change_are_not_learned_from():
    catalogue = pf.Catalogue(
        [{"x": 1.0, "same": 7, "c": "a"}, {"x": 5.0, "same": 7, "c": "b"}, {"x": 3.0, "same": 7, "c": "a"}]
    )
    assert catalogue.dimension == 3
    assert catalogue.points()[:, 0].tolist() == [-1, 1, 0]
    assert np.linalg.norm(catalogue.points()[0, 1:] - catalogue.points()[1, 1:]) == pytest.approx(2)


def test_a_catalogue_survives_as_plain_data():
    catalogue = pf.Catalogue(ROWS)
    assert pf.Catalogue.from_dict(catalogue.to_dict()).rows == catalogue.rows


def test_an_array_gets_names():
    assert pf.Catalogue(np.array([[1, 2], [3, 4]])).names == ("x1", "x2")
    assert pf.Catalogue([[1, 2], [3, 4]], ["cost", "mass"]).rows[1] == {"cost": 3.0, "mass": 4.0}


def test_arrays_and_series_are_levels_and_values():
    assert pf.Choice(np.array(["a", "b"])).levels == ("a", "b")
    assert pf.Ordinal(pd.Series([1, 2, 3])).levels == (1, 2, 3)
    space = pf.Space({"x": pf.Real(0, 1), "n": pf.Integer(0, 4), "c": pf.Choice(["u", "v"])})
    given = {"x": np.array([0.5]), "n": np.array(2), "c": np.str_("u")}
    assert dict(space.candidate(given)) == {"x": 0.5, "n": 2, "c": "u"}
    with complaint(InputError, "x: got array([0.5, 0.6])"):
        space.candidate(given | {"x": np.array([0.5, 0.6])})

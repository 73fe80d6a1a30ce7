"""Columns of a catalogue: what is learned from, what is only shown, what was guessed and why."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prefero as pf
from prefero.errors import InputError
from prefero.space.roles import identifies
from tests.complaints import complaint


def shop(n=40):
    return [
        {
            "id": 1000 + 7 * k,
            "sku": f"A{k}",
            "price": 10.0 + k % 13,
            "brand": "uvw"[k % 3],
            "made": True,
            "about": f"The {k % 30}th of many things, described at some length for those who like to read.",
            "link": f"https://shop.example/{k % 9}",
            "photo": f"{k}.jpg",
        }
        for k in range(n)
    ]


def test_what_tells_rows_apart_is_shown_and_not_learned_from():
    catalogue = pf.Catalogue(shop())
    assert catalogue.varying == ("price", "brand")
    assert catalogue.file == "photo"
    assert [name for name, role in catalogue.roles.items() if role == "label"] == ["id", "sku", "made", "about", "link"]
    assert catalogue.why["sku"] == "a different value in every row"
    assert catalogue.why["made"] == "it never changes"
    assert "links" in catalogue.why["link"]
    assert {"price", "brand"}.isdisjoint(catalogue.why)
    assert catalogue.dimension == 4
    assert "shown only: id, sku" in repr(catalogue)


def test_a_unique_column_costs_no_coordinates():
    rows = [{"sku": f"A{k}", "x": k % 71, "y": k % 83} for k in range(5000)]
    assert pf.Catalogue(rows).dimension == 2


@pytest.mark.parametrize("name", ["id", "ID", "productId", "product_id", "SKU", "name", "Unnamed: 0", "row number"])
def test_names_that_identify(name):
    assert identifies(name)


@pytest.mark.parametrize("name", ["width", "grid", "price", "paid", "solid", "kilonumbers of", "keyframe"])
def test_names_that_do_not(name):
    assert not identifies(name)


def test_numbers_in_order_are_the_rows_unless_nothing_else_is_there():
    assert pf.Catalogue([{"k": k, "x": k % 5} for k in range(12)]).varying == ("x",)
    assert pf.Catalogue([{"k": k} for k in range(12)]).varying == ("k",)


def test_what_is_given_decides():
    rows = shop()
    assert pf.Catalogue(rows, features=["price"]).varying == ("price",)
    assert pf.Catalogue(rows, labels=["brand"]).varying == ("price",)
    assert pf.Catalogue(rows, features=["id", "price"], log=["price"]).log == ("price",)
    assert pf.Catalogue(rows, features=["sku"]).dimension == 40
    assert pf.Catalogue(rows, features=["price"], file="sku").file == "sku"


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"features": ["cost"]}, ("features", "'cost'", "columns of the catalogue")),
        ({"labels": ["cost"]}, ("labels", "'cost'")),
        ({"labels": "sku"}, ("labels", "'sku'", "a list")),
        ({"file": "price"}, ("file", "'price'", "file names")),
        ({"file": "cost"}, ("file", "'cost'")),
        ({"features": ["price"], "labels": ["price"]}, ("features, labels", "price", "one of them")),
        ({"features": ["made"]}, ("features", "made", "that changes")),
        ({"features": []}, ("features", "[]")),
        ({"log": ["brand"]}, ("log", "brand", "numeric")),
        ({"log": ["sku"]}, ("log", "sku", "numeric")),
        ({"missing": "mean"}, ("missing", "'mean'", "median")),
    ],
)
def test_roles_that_make_no_sense_are_refused(roles, words):
    with complaint(InputError, *words):
        pf.Catalogue(shop(), **roles)


def test_a_logarithm_needs_positive_numbers():
    with complaint(InputError, "rows[1], column 'x'", "0", "positive"):
        pf.Catalogue([{"x": 1}, {"x": 0}, {"x": 2}], log=["x"])
    points = pf.Catalogue([{"x": 1}, {"x": 10}, {"x": 100}], log=["x"]).points()
    assert points[:, 0] == pytest.approx([-1, 0, 1])


def test_missing_values_are_refused_or_imputed_and_labels_may_be_empty():
    rows = [{"x": 1.0, "c": "u", "note": "a"}, {"x": None, "c": "u", "note": None}, {"x": 5.0, "c": None, "note": "b"}]
    rows.append({"x": 2.0, "c": "v", "note": "b"})
    with complaint(InputError, "rows[1], column 'x'", "missing", "median"):
        pf.Catalogue(rows, labels=["note"])
    catalogue = pf.Catalogue(rows, labels=["note"], missing="median")
    assert catalogue.column("x") == [1, 2, 5, 2]
    assert catalogue.column("c") == ["u", "u", "u", "v"]
    assert catalogue.column("note") == ["a", "", "b", "b"]


def test_without_features_each_row_stands_for_itself_if_there_are_few():
    catalogue = pf.Catalogue([{"name": f"n{k}"} for k in range(20)])
    assert catalogue.varying == ("name",)
    assert "stands for itself" in catalogue.why["name"]
    with complaint(InputError, "features", "301 rows are too many"):
        pf.Catalogue([{"name": f"n{k}"} for k in range(301)])


def test_rows_that_differ_in_labels_only_are_one_candidate():
    catalogue = pf.Catalogue([{"name": n, "x": x} for n, x in (("a", 1), ("b", 2), ("c", 1))], labels=["name"])
    assert len(catalogue.points()) == 2
    assert catalogue.decode(catalogue.encode(catalogue.rows[2])) == catalogue.rows[0]
    assert catalogue.row(catalogue.rows[2]) == 2
    study = pf.Study(catalogue, seed=0)
    with complaint(InputError, "comparisons[0]", "(0, 2)", "differ in a feature", unchanged=study):
        study.import_comparisons([0, 2], [(0, 1, "a")])
    with complaint(InputError, "candidates[1]", "one of the 3 rows", unchanged=study):
        study.import_comparisons([0, {"name": "d", "x": 1}], [(0, 1, "a")])


def test_the_stored_form_keeps_roles_and_an_old_one_learns_from_everything():
    catalogue = pf.Catalogue(shop(), log=["price"])
    data = catalogue.to_dict()
    again = pf.Catalogue.from_dict(data)
    assert again.to_dict() == data
    assert (again.roles, again.log) == (catalogue.roles, catalogue.log)
    assert np.array_equal(again.points(), catalogue.points())
    old = pf.Catalogue.from_dict({key: data[key] for key in ("kind", "names", "rows")})
    assert set(old.varying) == set(old.names) - {"made"}
    assert set(pf.Catalogue([[1, 2], [2, 1]]).to_dict()) == {"kind", "names", "rows"}  # as every version wrote it


def test_a_study_stored_before_there_were_roles_opens_with_the_same_rows():
    rows = [{"sku": f"A{k}", "x": k % 5} for k in range(8)]
    old = pf.Catalogue(rows, features=["sku", "x"])
    stored = pf.Study(old, seed=0).to_json()
    assert pf.Study.from_json(stored, space=pf.Catalogue(rows)).space.varying == ("sku", "x")
    with pytest.raises(InputError, match="not the one"):
        pf.Study.from_json(stored, space=pf.Catalogue(rows[:-1]))


def test_a_frame_with_missing_values_dates_and_equal_columns():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1, 2, None], "day": pd.to_datetime(["2024-01-01", "2024-01-02", None])})
    catalogue = pf.Catalogue(frame, labels=["day"], missing="median")
    assert catalogue.rows[2] == {"x": 1.5, "day": ""}
    assert catalogue.rows[0]["day"].startswith("2024-01-01")
    with complaint(InputError, "columns", "'x' occurs twice"):
        pf.Catalogue(pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"]))


values = st.one_of(st.integers(-5, 5), st.floats(-9, 9).map(lambda x: round(x, 2)))
tables = st.lists(
    st.fixed_dictionaries({"x": values, "c": st.sampled_from("uv"), "t": st.text(max_size=3)}), min_size=2, max_size=25
)


@given(rows=tables, log=st.booleans())
def test_every_candidate_knows_its_row(rows, log):
    rows = [row | {"x": abs(row["x"]) + 1} for row in rows] if log else rows
    try:
        catalogue = pf.Catalogue(rows, features=["x", "c"], log=["x"] if log else ())
    except InputError:  # two rows are the same, or nothing changes
        return
    assert [catalogue.row(row) for row in rows] == list(range(len(rows)))
    for k, row in enumerate(rows):
        decoded = catalogue.decode(catalogue.encode(row))
        assert catalogue.alike(decoded, row)
        assert catalogue.candidate(k) == row
    assert len(catalogue.points()) == len({(row["x"], row["c"]) for row in rows})
    assert (np.abs(catalogue.points()) <= 1 + 1e-12).all()


@given(rows=tables)
def test_a_study_with_labels_asks_and_recommends_whole_rows(rows):
    try:
        catalogue = pf.Catalogue(rows, features=["x", "c"])
    except InputError:
        return
    if len(catalogue.points()) < 2:
        return
    result = pf.optimize(pf.preference(lambda row: row["x"]), catalogue, comparisons=2, seed=0)
    assert catalogue.row(result.best) == result.row
    assert set(result.best) == {"x", "c", "t"}

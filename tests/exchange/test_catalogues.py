"""Catalogues from files, and the files of their rows."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import prefero as pf
from prefero.errors import InputError, PreferoError
from prefero.exchange import attach_files
from tests.complaints import complaint

CSV = "sku,price,rooms,place\n007,900,3,x\n008,1100,2,y\n009,800.5,4,x\n"


def test_csv_as_text_and_as_a_file(tmp_path):
    (tmp_path / "flats.csv").write_text("\ufeff" + CSV, encoding="utf-8")
    for source in (CSV, tmp_path / "flats.csv", str(tmp_path / "flats.csv")):
        catalogue = pf.read_catalogue(source)
        assert catalogue.rows[0] == {"sku": "007", "price": 900.0, "rooms": 3, "place": "x"}
        assert catalogue.varying == ("price", "rooms", "place")
    assert pf.read_catalogue(CSV, features=["price"], log=["price"]).log == ("price",)


def test_empty_cells_are_missing():
    text = "price,note\n900,\nNA,b\n700,c\n"
    with complaint(InputError, "rows[1], column 'price'", "missing"):
        pf.read_catalogue(text)
    assert pf.read_catalogue(text, missing="median").column("price") == [900, 800, 700]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a,b\n", ("source", "a header")),
        ("a,a\n1,2\n3,4\n", ("source", "each name occurs once")),
        ("a,b\n1,2\n3\n", ("source, rows[1]", "one value per column")),
        ('a\n"1\n', ("source", "cannot read")),
        ("a\n1\n2\n1\n", ("rows[0], rows[2]", "differ")),
        ("no such file.csv", ("source", "cannot read")),
        (3, ("source", "3", "path")),
    ],
)
def test_what_is_no_table_is_refused(source, words):
    with complaint(InputError, *words):
        pf.read_catalogue(source)


def test_parquet_by_arrow_or_pandas_and_without_either(tmp_path, monkeypatch):
    columns = {"x": [1, 2, 4], "name": ["a", "b", "c"]}
    arrow = SimpleNamespace(
        column_names=list(columns), column=lambda k: SimpleNamespace(to_pylist=lambda: list(columns.values())[k])
    )
    module = ModuleType("pyarrow.parquet")
    module.read_table = lambda path: arrow
    monkeypatch.setitem(sys.modules, "pyarrow", ModuleType("pyarrow"))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", module)
    assert pf.read_catalogue(tmp_path / "flats.parquet").varying == ("x",)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with complaint(PreferoError, "pyarrow", "pip install"):
        pf.read_catalogue(tmp_path / "flats.parquet")


def test_a_folder_of_pictures_has_simple_features(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for k in range(3):
        image.new("RGB", (8 + k, 8), (80 * k, 0, 10)).save(tmp_path / f"p{k}.png")
    (tmp_path / "notes.txt").write_text("no picture")
    catalogue = pf.read_catalogue(tmp_path)
    assert len(catalogue.rows) == 3
    assert catalogue.roles["name"] == "label"
    assert catalogue.file == "file"
    assert set(catalogue.varying) == {"brightness", "colourfulness", "warmth", "shape"}  # one colour: no contrast
    study = pf.Study(catalogue, seed=0)
    assert attach_files(study) == 3
    assert study.log.measured(study.ask().a).files["file"]["media_type"] == "image/png"
    (tmp_path / "p9.png").write_bytes(b"no picture")
    with complaint(InputError, "source", "p9.png"):
        pf.read_catalogue(tmp_path)


def test_sounds_stand_for_themselves(tmp_path):
    for name in ("a.wav", "b.wav", "c.wav"):
        (tmp_path / name).write_bytes(b"RIFF")
    catalogue = pf.read_catalogue(tmp_path)
    assert (catalogue.varying, catalogue.file) == (("name",), "file")
    for k in range(300):
        (tmp_path / f"{k}.wav").write_bytes(b"RIFF")
    with complaint(InputError, "source", "at most 300", "CSV"):
        pf.read_catalogue(tmp_path)


def test_files_that_cannot_be_read_attach_nothing(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    (tmp_path / "t.csv").write_text("x,f\n1,a.wav\n2,b.wav\n")
    study = pf.Study(pf.read_catalogue(tmp_path / "t.csv"), seed=0)
    with complaint(InputError, "column 'f'", "b.wav", unchanged=study):
        attach_files(study)
    with complaint(InputError, "study", "not a catalogue"):
        attach_files(pf.Study(([0], [1]), seed=0))

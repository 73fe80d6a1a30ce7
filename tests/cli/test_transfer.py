"""`export`, `import` and `delete`, and how a study is chosen."""

import csv
import io

import pytest

import prefero as pf


@pytest.fixture
def answered(coffee, prefero):
    for said in ("a", "b", "a"):
        prefero("ask").fine()
        prefero("answer", said).fine()


def test_a_study_moves_as_json(answered, prefero, here):
    text = prefero("export").fine().out
    (here / "coffee.json").write_text(text, encoding="utf-8")
    prefero("import", "coffee.json", "--storage", "elsewhere.db").fine()
    assert prefero("export", "--storage", "elsewhere.db").out == text
    assert prefero("import", "coffee.json", "copy", "--json").fine().data["study"] == "copy"
    assert prefero("import", "-", "again", stdin=text).fine().out == "Imported 'again': 3 of about 12 answers.\n"
    prefero("import", "coffee.json").refused("there is a study 'coffee'", "already")


def test_a_file_is_written_whole_and_not_over_another(answered, prefero, here):
    assert "to out.json" in prefero("export", "-o", "out.json").fine().out
    text = (here / "out.json").read_text(encoding="utf-8")
    prefero("ask")
    prefero("export", "-o", "out.json").refused("out.json", "--force")
    assert (here / "out.json").read_text(encoding="utf-8") == text
    assert prefero("export", "-o", "out.json", "--force", "--json").fine().data["file"] == "out.json"
    assert (here / "out.json").read_text(encoding="utf-8") != text
    prefero("export", "-o", "no/where.json").refused("no/where.json", "No such file")


def test_tables_for_other_programs(answered, prefero, here):
    prefero("export", "-o", "answers.csv").fine()
    rows = list(csv.DictReader(io.StringIO((here / "answers.csv").read_text(encoding="utf-8"))))
    assert [row["answer"] for row in rows] == ["a", "b", "a"]
    assert prefero("export", "-f", "candidates").fine().out.startswith("candidate,dose,degrees,milk")
    pairs = prefero("export", "-f", "pairs", "--json").fine().data
    assert len(pairs["pairs"]) == 3
    prefero("export", "-f", "xml").refused("format", "'xml'", "candidates")
    prefero("export", "-f", "answers", "--json").refused("--json", "history")


def test_comparisons_come_in_from_csv(answered, coffee, prefero, here):
    prefero("export", "-o", "answers.csv").fine()
    prefero("new", coffee, "--name", "tea").fine()
    assert "Imported 3 comparisons" in prefero("import", "answers.csv", "tea").fine().out
    listed = prefero("history", "tea").fine().out
    assert all(f"i{k}" in listed for k in (1, 2, 3))
    assert listed.count("from answers.csv") == 3
    shown = prefero("status", "tea").fine().out
    assert "0 of about" in shown
    assert "3 comparisons were imported" in shown
    prefero("remove", "i2", "tea").fine()
    assert "i2" not in prefero("history", "tea").fine().out
    assert "removed" in prefero("history", "tea", "--all").fine().out
    assert "Imported comparison i2" in prefero("restore", "i2", "tea").fine().out
    assert prefero("import", "answers.csv", "tea", "--json").fine().data["imported"] == 3
    assert prefero("status", "tea", "--json").data["answers"] == 0  # imported comparisons come on top


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a dose,b dose,answer\n1,2,a\n", ("columns", "b milk")),
        ("a dose,b dose,a degrees,b degrees,a milk,b milk,answer,mood\n13,14,90,90,oat,oat,a,x\n", ("columns", "mood")),
        (
            "a dose,b dose,a degrees,b degrees,a milk,b milk,answer\n13,99,90,90,oat,oat,a\n",
            ("candidates", "99", "bounds"),
        ),
        ("a dose,b dose,a degrees,b degrees,a milk,b milk,answer\n13,14,90,90,oat,soy,a\n", ("line 2", "milk", "soy")),
        (
            "a dose,b dose,a degrees,b degrees,a milk,b milk,answer\n13,14,90,90,oat,oat,c\n",
            ("line 2", "answer", "'c'"),
        ),
        ("", ("header",)),
    ],
)
def test_csv_that_does_not_fit_changes_nothing(answered, prefero, here, text, words):
    (here / "x.csv").write_text(text, encoding="utf-8")
    before = prefero("export").out
    prefero("import", "x.csv").refused(*words)
    assert prefero("export").out == before


@pytest.mark.parametrize("text", ["", "{}", "hello", '{"format": "prefero study", "version": 9, "events": []}'])
def test_json_that_is_no_study_makes_no_database(prefero, here, text):
    (here / "x.json").write_text(text, encoding="utf-8")
    prefero("import", "x.json").refused()
    assert [path.name for path in here.iterdir()] == ["x.json"]


def test_deleting_asks_first(answered, prefero):
    kept = prefero("delete", "coffee", stdin="n\n")
    assert (kept.code, kept.out) == (1, "")
    assert "3 answers? This cannot be undone." in kept.err
    assert prefero("delete", "coffee").err.endswith(
        "\nprefero: not deleted, because there is no input to confirm it; --yes deletes without asking\n"
    )
    prefero("delete", "tea", "--yes").refused("there is no study 'tea'")
    prefero("delete").refused("STUDY")
    assert [s["name"] for s in prefero("studies", "--json").data] == ["coffee"]
    assert prefero("delete", "coffee", stdin="y\n").code == 0
    assert "There is no study yet" in prefero("studies").fine().out


def test_deleting_without_asking(coffee, prefero):
    assert prefero("delete", "coffee", "--yes", "--json").fine().data == {"deleted": "coffee"}


def test_the_study_that_is_meant(coffee, prefero, monkeypatch):
    prefero("new", coffee, "--name", "tea").fine()
    prefero("status").refused("which study?", "'coffee', 'tea'", "PREFERO_STUDY")
    monkeypatch.setenv("PREFERO_STUDY", "tea")
    assert prefero("status", "--json").data["study"] == "tea"
    assert prefero("status", "coffee", "--json").data["study"] == "coffee"
    monkeypatch.setenv("PREFERO_STORAGE", "sqlite:///other.db")
    prefero("status").refused("other.db")


def test_text_from_others_does_nothing_to_a_terminal(prefero, here):
    space = pf.Space({"\x1b[31mx[bold]": pf.Real(0, 1)})
    pf.Study.create(space, name="[bold]odd", storage="sqlite:///prefero.db", seed=0).close()
    assert "\x1b" not in prefero("ask").fine().out
    assert "[bold]odd" in prefero("studies").fine().out


def test_a_study_moves_with_its_files(answered, prefero, here):
    with pf.Study.open("coffee", "prefero.db") as live:
        live.measure(live.candidates[0], {"taste": 1.0}, {"cup.png": (b"...", "image/png")})
    text = prefero("export").fine().out
    assert "to coffee.zip" in prefero("export", "-o", "coffee.zip").fine().out
    prefero("export", "-o", "coffee.zip").refused("coffee.zip", "--force")
    assert prefero("import", "coffee.zip", "--storage", "elsewhere.db").fine().out == (
        "Imported 'coffee': 3 of about 12 answers.\n"
    )
    assert prefero("export", "--storage", "elsewhere.db").fine().out == text
    with pf.Study.open("coffee", "elsewhere.db") as moved:
        digest = moved.log.measured(moved.candidates[0]).files["cup.png"]["digest"]
        assert moved.log.artifact(digest).content == b"..."
    assert prefero("import", "coffee.zip", "copy", "--json").fine().data == {
        "study": "copy",
        "answers": 3,
        "expected": 12,
    }
    prefero("import", "coffee.zip").refused("there is a study 'coffee'", "already")
    prefero("export", "-f", "zip").refused("--format zip", "--output")


def test_a_zip_that_is_no_study_makes_no_database(prefero, here):
    (here / "x.zip").write_bytes(b"PK nothing")
    prefero("import", "x.zip").refused("x.zip is not an archive of a study")
    prefero("import", "y.zip").refused("cannot read y.zip", "No such file")
    assert [path.name for path in here.iterdir()] == ["x.zip"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.json", "[" * 200_000), ("x.json", '{"a":' * 100_000), ("x.json", "9" * 5000), ("x.csv", '"' * 200_000)],
)
def test_deep_and_huge_texts_are_refused_in_one_line(coffee, prefero, here, name, text):
    (here / name).write_text(text, encoding="utf-8")
    prefero("import", name).refused()
    if name == "x.json":
        prefero("ask").fine()
        prefero("answer", "a", "--to", name).refused("x.json")


def test_a_file_that_never_ends_is_not_read_to_its_end(coffee, prefero, monkeypatch):
    monkeypatch.setattr("prefero.cli.transfer.LARGEST_CSV", 1_000_000)
    monkeypatch.setattr("prefero.exchange.archive.LARGEST_JSON", 2_000_000)
    prefero("import", "/dev/zero").refused("/dev/zero is larger than 2 MB")
    prefero("import", "-", stdin="x" * 2_000_001).refused("- is larger than 2 MB")


def test_a_file_with_too_many_comparisons(coffee, prefero, here, monkeypatch):
    monkeypatch.setattr("prefero.exchange.tables.MOST_COMPARISONS", 3)
    header, row = "a dose,b dose,a degrees,b degrees,a milk,b milk,answer\n", "13,14,90,90,oat,oat,a\n"
    (here / "x.csv").write_text(header + 4 * row, encoding="utf-8")
    prefero("import", "x.csv").refused("more than 3 rows")
    (here / "x.csv").write_text(header + 3 * row, encoding="utf-8")
    prefero("import", "x.csv").fine()

"""`backup` and `check`."""

import sqlite3

import pytest

import prefero as pf
from prefero.cli import upkeep


def test_a_backup_can_be_used_as_the_database(answered, prefero, here):
    ended = prefero("backup", "monday.db").fine()
    assert ended.out == "Copied 1 study from sqlite:///prefero.db to monday.db, and checked the copy.\n"
    assert prefero("export", "--storage", "monday.db").fine().out == prefero("export").fine().out
    prefero("backup", "monday.db").refused("monday.db exists already; --force overwrites it")
    data = prefero("backup", "monday.db", "--force", "--json").fine().data
    assert data == {
        "from": "sqlite:///prefero.db",
        "file": "monday.db",
        "studies": 1,
        "bytes": (here / "monday.db").stat().st_size,
    }


def test_a_backup_of_what_is_not_there(prefero, here):
    prefero("backup", "monday.db").refused("there is no database 'prefero.db'")
    assert list(here.iterdir()) == []


def test_a_backup_over_the_database_itself(coffee, prefero):
    prefero("backup", "prefero.db", "--force").refused("another file than the database itself")
    prefero("status").fine()


def test_a_database_that_is_fine(answered, prefero):
    out = prefero("check").fine().out
    assert "coffee" in out
    assert "fine" in out
    assert out.endswith("sqlite:///prefero.db holds what was written to it.\n")
    data = prefero("check", "--json").fine().data
    assert (data["faults"], [study["faults"] for study in data["studies"]]) == ([], [[]])


def damage(statement: str) -> None:
    with sqlite3.connect("prefero.db") as other:
        assert other.execute(statement).rowcount
    other.close()


def test_a_changed_answer(answered, prefero):
    damage("UPDATE prefero_events SET who = 'eve' WHERE sequence = 2")
    ended = prefero("check").refused("sqlite:///prefero.db is damaged: 1 fault", code=1)
    assert "coffee: event 2: its digest does not fit, so it was changed after it was written.\n" in ended.out
    assert "1 fault" in ended.out
    assert prefero("check", "--json").data["studies"][0]["faults"]
    for command in ("status", "history", "export", "ask"):
        prefero(command).refused("is damaged: event 2", code=1)


def test_what_has_no_digest_is_counted(answered, prefero):
    damage("UPDATE prefero_events SET digest = NULL WHERE sequence < 3")
    assert "3 events of an older version of prefero had no digest to compare with.\n" in prefero("check").fine().out


def test_files_that_were_not_imported_are_counted(coffee, prefero, here):
    with pf.Study.open("coffee", "prefero.db") as live:
        live.measure(live.ask().a, {}, {"cup.png": b"..."})
    (here / "coffee.json").write_text(prefero("export").fine().out, encoding="utf-8")
    prefero("import", "coffee.json", "copy").fine()
    assert "1 file that the studies mention is not here: it was not imported.\n" in prefero("check").fine().out


def test_a_damaged_file(answered, prefero, here):
    content = bytearray((here / "prefero.db").read_bytes())
    content[4096 * 3 : 4096 * 9] = bytes(4096 * 6)
    (here / "prefero.db").write_bytes(content)
    prefero("check").refused("is damaged", code=1)


def test_a_study_with_functions_of_its_own(prefero, here):
    space = pf.Space({"x": pf.Real(0, 1)}, constraints=[lambda candidate: candidate["x"] - 0.9])
    pf.Study.create(space, name="own", storage="prefero.db", seed=0).close()
    assert "fine, but not opened: it has functions of its own" in prefero("check").fine().out


@pytest.mark.parametrize("seconds", [0, 1000])
def test_what_takes_long_shows_a_bar(answered, prefero, here, monkeypatch, seconds):
    """On a terminal; it disappears when it is done."""
    shown = []
    monkeypatch.setattr(upkeep, "BAR_SECONDS", seconds)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("rich.progress.Progress.start", lambda bar: shown.append(bar.tasks[0].description))
    prefero("backup", "monday.db")
    prefero("check")
    assert set(shown) == (set() if seconds else {"copying", "checking"})

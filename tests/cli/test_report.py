"""`prefero result --save`: the report from a terminal."""

import json


def test_the_result_is_saved_for_people_and_for_programs(coffee, prefero, here):
    for _ in range(2):
        prefero("ask").fine()
        prefero("answer", "a").fine()
    assert (
        prefero("result", "--save", "report.html").fine().out
        == "The result of 'coffee' by 2 answers is in report.html.\n"
    )
    assert "<h1" in (here / "report.html").read_text(encoding="utf-8")
    saved = prefero("result", "--save", "report.json", "--json").fine().data
    assert saved == {"study": "coffee", "answers": 2, "file": "report.json"}
    assert json.loads((here / "report.json").read_text(encoding="utf-8"))["answers"] == 2


def test_a_file_that_is_there_is_written_over_when_told_to(coffee, prefero, here):
    (here / "report.html").write_text("mine", encoding="utf-8")
    prefero("result", "--save", "report.html").refused("report.html is there already", "--force")
    assert (here / "report.html").read_text(encoding="utf-8") == "mine"
    prefero("result", "--save", "report.html", "--force").fine()
    assert "Nothing was answered yet" in (here / "report.html").read_text(encoding="utf-8")


def test_mistakes_are_told_and_leave_no_file(coffee, prefero, here):
    before = set(here.iterdir())
    prefero("result", "--save", "report.pdf").refused("report.pdf", ".html or .json")
    prefero("result", "--save", "nowhere/report.html").refused("nowhere/report.html cannot be written")
    prefero("result", "--save", "report.html", "--by", "Ada").refused("--by")
    assert set(here.iterdir()) == before


def test_without_matplotlib_it_says_what_to_install(coffee, program):
    code = "import sys; sys.modules['matplotlib'] = None\nfrom prefero.cli import main; main()"
    program("result", "--save", "report.html", code=code).refused(
        'prefero.insight.plots needs matplotlib: pip install "prefero[plot]"'
    )

"""`studies`, `status`, `result` and `history`: what is known about a study."""

import json


def test_judges_have_questions_and_results_of_their_own(coffee, prefero):
    for judge, said in (("Ada", "a"), ("Ben", "b"), ("Ada", "a"), ("Ben", "b")):
        prefero("ask", "--as", judge).fine()
        prefero("answer", said, "--as", judge).fine()
    prefero("ask", "--as", "Ada").fine()
    status = prefero("status").fine().out
    assert "Ada, Ben" in status
    assert "question 4 for Ada" in status
    data = prefero("result", "--json").fine().data
    assert [row["judge"] for row in data["judges"]] == ["Ada", "Ben"]
    assert "best by these answers alone" in prefero("result").fine().out
    assert prefero("result", "--by", "Ada", "--json").fine().data["answers"] == 2
    prefero("result", "--by", "Cleo").refused("'Cleo'", "Ada")


def test_looking(answered, prefero):
    prefero("result").fine()
    details = prefero("result", "--details", "--json").fine().data
    assert details["importance"].keys() == {"dose", "degrees", "milk"}
    assert "importance" in prefero("result", "--details").fine().out
    out = prefero("history").fine().out
    assert "about the same" in out
    assert "can't judge" in out
    prefero("undo")
    assert "undone" in prefero("history", "--all").fine().out
    assert "undone" not in prefero("history").fine().out
    assert "created" in prefero("history", "--events").fine().out
    assert prefero("history", "--events", "--json").fine().data[0]["event"] == "created"
    assert "question 3" in prefero("status").fine().out


def test_before_the_first_answer(coffee, prefero):
    prefero("result").refused("no answers yet")
    assert "No answers yet" in prefero("history").fine().out
    assert "no answers yet" in prefero("status").fine().out


def test_the_list_of_studies(answered, coffee, prefero):
    prefero("new", coffee, "--name", "tea").fine()
    out = prefero("studies").fine().out
    assert "3 of 12" in out
    assert [s["name"] for s in prefero("studies", "--json").fine().data] == ["coffee", "tea"]


def test_the_result_is_saved_for_people_and_for_programs(coffee, prefero, here):
    for _ in range(2):
        prefero("ask").fine()
        prefero("answer", "a").fine()
    assert (
        prefero("result", "--save", "report.html").fine().out
        == "Saved the result of 'coffee' after 2 answers to report.html.\n"
    )
    assert "<h1" in (here / "report.html").read_text(encoding="utf-8")
    saved = prefero("result", "--save", "report.json", "--json").fine().data
    assert saved == {"study": "coffee", "answers": 2, "file": "report.json"}
    assert json.loads((here / "report.json").read_text(encoding="utf-8"))["answers"] == 2


def test_a_file_that_is_there_is_written_over_when_told_to(coffee, prefero, here):
    (here / "report.html").write_text("mine", encoding="utf-8")
    prefero("result", "--save", "report.html").refused("report.html exists already", "--force")
    assert (here / "report.html").read_text(encoding="utf-8") == "mine"
    prefero("result", "--save", "report.html", "--force").fine()
    assert "No answers yet" in (here / "report.html").read_text(encoding="utf-8")


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

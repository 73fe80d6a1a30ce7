"""Asking, answering, taking back, saying anew: by one command each, for people and for programs."""

import json

import pytest

import prefero as pf


@pytest.fixture
def answered(coffee, prefero):
    """Four answers: a, b, same, and a skip."""
    for words in (("answer", "a"), ("answer", "b"), ("answer", "same"), ("skip",)):
        prefero("ask").fine()
        prefero(*words).fine()


def test_a_question_is_a_table_with_what_differs(coffee, prefero):
    out = prefero("ask").fine().out
    assert "Which cup is better?  (question 0, 0 of about 12 answers)" in out
    for word in ("dose [g]", "degrees", "milk", "A", "B", "change", "prefero answer"):
        assert word in out
    assert prefero("ask").out == out


def test_a_program_gets_and_gives_json(coffee, prefero):
    asked = prefero("ask", "--json").fine().data
    assert asked.keys() == {"study", "question", "step", "a", "b", "judge", "note", "answers", "expected"}
    ended = prefero("answer", "B", "--step", 0, "--seconds", 2.5, "--note", "hm", "--json", "--next").fine().data
    assert (ended["answer"], ended["answers"], ended["next"]["step"]) == ("b", 1, 1)
    [entry] = prefero("history", "--json").fine().data
    assert (entry["answer"], entry["seconds"], entry["note"]) == ("b", 2.5, "hm")
    assert {**entry["a"]} == asked["a"]


def test_an_answer_said_twice_counts_once(coffee, prefero):
    prefero("ask")
    first = prefero("answer", "a", "--step", 0, "--id", "run-1").fine()
    assert prefero("answer", "a", "--step", 0, "--id", "run-1").fine().out == first.out
    assert prefero("answer", "a", "--id", "run-1").fine().out == first.out  # though no question waits
    assert prefero("status", "--json").data["answers"] == 1


def test_an_answer_is_to_the_question_that_waits_and_no_other(coffee, here, prefero):
    prefero("answer", "a").refused("no question waits", "prefero ask")
    (here / "q.json").write_text(prefero("ask", "--json").out, encoding="utf-8")
    before = prefero("export").out
    prefero("answer", "a", "--step", 7).refused("question", "7")
    prefero("answer", "perhaps").refused("'perhaps'", "a, b or same")
    prefero("answer", "a", "--as", "Ada").refused("no question waits for 'Ada'")
    assert prefero("export").out == before
    prefero("answer", "a", "--to", "q.json").fine()
    prefero("answer", "a", "--to", "q.json").refused("question 0 has been answered already")


def test_an_answer_to_another_studys_question_is_refused(coffee, here, prefero):
    prefero("new", coffee, "--name", "tea").fine()
    prefero("new", "--name", "other", "-v", "x=0:1").fine()
    (here / "q.json").write_text(prefero("ask", "coffee", "--json").out, encoding="utf-8")
    for name in ("tea", "other"):
        prefero("ask", name).fine()
        before = prefero("export", name).out
        prefero("answer", "a", name, "--to", "q.json").refused("q.json", "coffee" if name == "tea" else "other")
        assert prefero("export", name).out == before
    for text in (
        "{}",
        "hello",
        "[1]",
        json.dumps({"step": 0, "a": 1, "b": 2, "note": "", "judge": "", "study": "tea"}),
    ):
        prefero("answer", "a", "tea", "--to", "-", stdin=text).refused("-")


def test_undo_brings_the_pair_back(answered, prefero):
    assert "Which cup" in prefero("undo").fine().out
    waiting = prefero("undo", "--json").fine().data
    assert (waiting["answers"], waiting["waiting"]["step"]) == (2, 2)
    assert prefero("ask", "--json").data["step"] == 2


def test_nothing_to_undo(coffee, prefero):
    prefero("undo").refused("no answer to take back")


def test_a_failed_candidate_is_never_the_best(coffee, prefero):
    prefero("ask")
    assert "A failed" in prefero("fail", "A", "--note", "tripped").fine().out
    prefero("ask")
    prefero("fail", "c").refused("side", "'c'")
    assert prefero("history", "--json").data[0]["answer"] == "a failed"


def test_old_answers_are_corrected_removed_and_restored(answered, prefero):
    assert "B is better; it counts. 3 of about 12" in prefero("correct", 0, "b").fine().out
    assert "does not count. 2 of about 12" in prefero("remove", 1, "--note", "loose sensor").fine().out
    assert prefero("restore", 1, "--json").fine().data["status"] == "effective"
    assert prefero("correct", 3, "a", "--json").fine().data["answers"] == 4  # a skip becomes an answer
    rows = prefero("history", "--json").data
    assert [(row["answer"], row["corrected"]) for row in rows] == [
        ("b", True), ("b", False), ("same", False), ("a", True)
    ]  # fmt: skip
    for words in (("correct", 9, "a"), ("remove", 9), ("restore", 0)):
        prefero(*words).refused("question" if words[0] == "restore" else "step")


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
    assert "best by these alone" in prefero("result").fine().out
    assert prefero("result", "--by", "Ada", "--json").fine().data["answers"] == 2
    prefero("result", "--by", "Cleo").refused("'Cleo'", "Ada")


def test_another_proposer_and_another_space(answered, prefero):
    assert prefero("use", "posterior", "--json").fine().data["proposer"]["name"] == "posterior"
    prefero("use", "magic").refused("proposer", "'magic'", "glisp")
    prefero("change", "-v", "dose=10:25:g").fine()
    prefero("change", "-v", "sugar=0:4:g").refused("fill", "sugar")
    prefero("change", "-v", "sugar=0:4:g", "--fill", "sugar=x").refused("sugar", "'x'")
    prefero("change", "-v", "sugar=0:4:g", "--fill", "sweet=1").refused("fill", "sweet=1")
    data = prefero("change", "-v", "sugar=0:4:g", "--fill", "sugar=0", "--json").fine().data
    assert [row["name"] for row in data["space"]["variables"]] == ["dose", "degrees", "milk", "sugar"]
    prefero("change").refused("--variable")
    with pf.Study.open("coffee", "sqlite:///prefero.db") as study:
        assert study.space.variables["dose"] == pf.Real(10, 25, unit="g")
        assert len(study.history) == 3


def test_the_space_may_come_from_a_file(answered, coffee, prefero):
    coffee.write_text(coffee.read_text(encoding="utf-8").replace("upper = 98", "upper = 99"), encoding="utf-8")
    assert "goes on with dose [g], degrees, milk" in prefero("change", "--from", coffee).fine().out


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
    prefero("result").refused("no answer yet")
    assert "Nothing was answered yet" in prefero("history").fine().out
    assert "nothing was answered yet" in prefero("status").fine().out


def test_nothing_left_to_ask_has_a_code_of_its_own(prefero):
    prefero("new", "--name", "tiny", "-v", "x=a,b", "--seed", 0).fine()
    prefero("ask").fine()
    prefero("answer", "a").fine()
    prefero("ask").refused("compared", code=3)

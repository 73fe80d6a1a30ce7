"""`ask`, `answer`, `skip`, `fail` and `undo`, for people and for programs."""

import json


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
    assert prefero("answer", "a", "--id", "run-1").fine().out == first.out  # though no question is waiting
    assert prefero("status", "--json").data["answers"] == 1


def test_an_answer_is_to_the_question_that_waits_and_no_other(coffee, here, prefero):
    prefero("answer", "a").refused("no question is waiting", "prefero ask")
    (here / "q.json").write_text(prefero("ask", "--json").out, encoding="utf-8")
    before = prefero("export").out
    prefero("answer", "a", "--step", 7).refused("question", "7")
    prefero("answer", "perhaps").refused("'perhaps'", "a, b or same")
    prefero("answer", "a", "--as", "Ada").refused("no question is waiting for 'Ada'")
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


def test_nothing_left_to_ask_has_a_code_of_its_own(prefero):
    prefero("new", "--name", "tiny", "-v", "x=a,b", "--seed", 0).fine()
    prefero("ask").fine()
    prefero("answer", "a").fine()
    prefero("ask").refused("compared", code=3)


def test_much_better_is_an_option_or_a_word(coffee, prefero):
    prefero("ask").fine()
    assert "B is much better" in prefero("answer", "b", "--much").fine().out
    prefero("ask").fine()
    before = prefero("export").out
    prefero("answer", "same", "--much").refused("much same", "much a")
    assert prefero("export").out == before
    assert prefero("answer", "Much  A", "--json").fine().data["answer"] == "much a"
    assert prefero("correct", "0", "much a", "--json").fine().data["answer"] == "much a"


def test_neither_is_acceptable_rules_out_both(coffee, prefero):
    asked = prefero("ask", "--json").fine().data
    assert "neither is acceptable" in prefero("answer", "neither").fine().out
    following = prefero("ask", "--json").fine().data
    assert not [side for side in "ab" if following[side] in (asked["a"], asked["b"])]
    assert prefero("answer", "b unacceptable", "--json").fine().data["answers"] == 1
    prefero("correct", "1", "neither", "--unsure").refused("sure")
    assert prefero("correct", "1", "neither", "--json").fine().data["answers"] == 0
    assert prefero("correct", "1", "a", "--json").fine().data["answers"] == 1


def test_a_doubt_and_a_reason_are_stored_and_shown(coffee, prefero):
    prefero("ask").fine()
    prefero("answer", "a", "--unsure", "--note", "too hot?").fine()
    shown = prefero("history").fine().out
    assert "not sure" in shown
    assert "“too hot?”" in shown
    assert prefero("correct", "0", "a", "--json").fine().data["sure"] is True
    prefero("ask").fine()
    before = prefero("export").out
    prefero("answer", "neither", "--unsure").refused("sure", "comparison")
    assert prefero("export").out == before
    assert prefero("use", "posterior", "--unsure", "--json").fine().data["proposer"]["unsure"] == 0.3
    assert prefero("use", "glisp", "--unsure", "--json").fine().data["proposer"]["unsure"] == 0.1
    prefero("use", "pbo", "--unsure").refused("--unsure", "posterior")

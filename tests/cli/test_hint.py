"""`prefero hint`: where to look next."""


def coffee_with_answers(prefero):
    for said in ("a", "b"):
        prefero("ask").fine()
        prefero("answer", said).fine()


def test_hints_are_given_shown_and_taken_back(coffee, prefero):
    coffee_with_answers(prefero)
    variable = next(
        name for name, value in prefero("ask", "--json").data["a"].items() if isinstance(value, int | float)
    )
    assert f"Saved: more {variable} (at " in prefero("hint", "more", variable, "--note", "weak").fine().out
    given = prefero("hint", "near", "--questions", 2, "--within", "0.2", "--json").fine().data
    assert (given["hint"], given["event"]["within"]) == ("near for 2 questions", 0.2)
    assert f"Saved: fix {variable} at" in prefero("hint", "fix", variable).fine().out
    assert f"Saved: free {variable}." in prefero("hint", "free", variable).fine().out
    shown = prefero("history").fine().out
    assert f"more {variable}" in shown
    assert "“weak”" in shown
    assert prefero("undo").fine().out.startswith("Taken back.")
    assert prefero("remove", "i1", "--json").fine().data["status"] == "removed"
    assert f"Hint i1: more {variable}; it counts" in prefero("restore", "i1").fine().out
    prefero("correct", "i1", "a").refused("remove a hint")


def test_candidates_of_one_s_own(prefero):
    prefero("new", "--name", "tiny", "-v", "x=0:1", "-v", "y=0:1", "--seed", 0).fine()
    prefero("hint", "more", "x").refused("name a candidate")
    assert "more x" in prefero("hint", "more", "x", "--set", "x=0.2", "--set", "y=0.5").fine().out
    assert "fix x at 0.25" in prefero("hint", "fix", "x=0.25", "tiny").fine().out
    prefero("ask").fine()
    prefero("answer", "a").fine()
    tried = prefero("hint", "try", "tiny", "--set", "x=0.75", "--json").fine().data
    assert tried["event"]["second"]["x"] == 0.75
    assert prefero("ask", "--json").fine().data["note"] == "a candidate of your own"
    assert "near for 5 questions" in prefero("hint", "near", "--side", "b").fine().out


def test_a_candidate_to_try_is_answered_after_the_question_that_waits(prefero):
    prefero("new", "--name", "tiny", "-v", "x=0:1", "-v", "y=0:1", "--seed", 0).fine()
    prefero("ask").fine()
    prefero("answer", "a", "--next").fine()
    prefero("hint", "try", "--set", "x=0.75").fine()
    prefero("answer", "a").fine()
    prefero("rate", "4", "--side", "b").fine()
    assert prefero("answer", "b", "--json").fine().data["answers"] == 3


def test_a_wrong_hint_changes_nothing(coffee, prefero):
    coffee_with_answers(prefero)
    before = prefero("export").out
    prefero("hint", "warmer", "dose").refused("kind", "more, less, near, fix, free, try")
    prefero("hint", "more", "salt").refused("variable")
    prefero("hint", "more").refused("variable")
    prefero("hint", "near", "dose", "coffee").refused("VARIABLE")
    prefero("hint", "near", "--questions", 0).refused("--questions")
    prefero("hint", "near", "--within", 3).refused("within")
    prefero("hint", "try").refused("--set")
    prefero("hint", "free", "dose").refused("not kept fixed")
    prefero("hint", "fix", "salt=1").refused("variable")
    prefero("hint", "more", "dose", "--side", "a", "--set", "dose=18").refused("--side")
    assert prefero("export").out == before

"""`correct`, `remove` and `restore`: old answers are changed, and the history keeps them."""


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

"""`prefero rate`: one candidate on the study's scale."""


def test_a_candidate_of_the_question_is_rated_and_shown(coffee, prefero):
    asked = prefero("ask", "--json").fine().data
    assert "good (4 of 5)" in prefero("rate", "4", "--side", "b", "--note", "warm").fine().out
    rated = prefero("rate", "very bad", "--side", "A", "--json").fine().data
    assert (rated["level"], rated["candidate"], rated["answers"]) == (1, asked["a"], 0)
    assert prefero("ask", "--json").fine().data["step"] == asked["step"]
    prefero("answer", "b").fine()
    assert prefero("rate", "5", "--side", "b", "--step", asked["step"], "--json").fine().data["candidate"] == asked["b"]
    shown = prefero("history").fine().out
    assert "rated 4" in shown
    assert "“warm”" in shown
    assert "Rating i1: rated 2" in prefero("correct", "i1", "bad").fine().out
    assert "rated 3" in prefero("correct", "i1", "3").fine().out
    prefero("correct", "i1", "a").refused("level", "very good")
    assert prefero("remove", "i2", "--json").fine().data["status"] == "removed"
    prefero("undo").fine()
    assert len(prefero("history", "--json").data) == 2


def test_a_wrong_rating_changes_nothing(coffee, prefero):
    prefero("rate", "4", "--side", "a").refused("no question is waiting")
    prefero("ask").fine()
    before = prefero("export").out
    prefero("rate", "4").refused("--side", "--set")
    prefero("rate", "4", "--side", "a", "--set", "dose=18").refused("--side")
    prefero("rate", "4", "--side", "c").refused("--side")
    prefero("rate", "6", "--side", "a").refused("level", "5 (very good)")
    prefero("rate", "4", "--set", "salt=1").refused("salt")
    prefero("rate", "4", "--set", "degrees=90.5").refused("degrees", "'90.5'", "a whole number from 85 to 98")
    prefero("rate", "4", "--set", "dose=18", "--set", "dose=19").refused("set", "dose=19", "one value of dose")
    prefero("rate", "4", "--side", "a", "--step", "99").refused("step")
    assert prefero("export").out == before


def test_the_owner_s_words_and_a_candidate_of_one_s_own(prefero):
    prefero("new", "--name", "tiny", "-v", "x=0:1", "--seed", 0, "--scale", "weak,fine,strong").fine()
    assert prefero("rate", "strong", "--set", "x=0.5", "--json").fine().data["level"] == 3
    prefero("rate", "4", "--set", "x=0.5").refused("3 (strong)")
    prefero("new", "--name", "other", "-v", "x=0:1", "--scale", "weak").refused("scale")

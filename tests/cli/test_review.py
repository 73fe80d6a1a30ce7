"""`review` lists the answers that deserve a second look, `probe` asks about one again."""


def test_an_old_question_is_asked_again(answered, prefero):
    old = prefero("history", "--json").data[1]
    again = prefero("probe", "--step", 1, "--json").fine().data
    assert (again["a"], again["b"]) == (old["b"], old["a"])
    assert again["note"] == "a second look at question 1"
    assert "Saved" in prefero("answer", "a", "--step", again["step"]).fine().out
    assert "one candidate, shown twice" in prefero("probe").fine().out
    prefero("probe", "--step", 99).refused("step")
    prefero("probe", "--step", "x").refused("--step")


def test_a_candidate_of_ones_own_is_asked_about(answered, prefero):
    asked = prefero("enqueue", "--set", "dose=18", "--set", "milk=oat", "--json").fine().data
    assert {"dose": 18, "milk": "oat"}.items() <= {**asked["a"]}.items() or asked["b"]["dose"] == 18
    assert asked["note"] == "a candidate of your own"
    pair = prefero("enqueue", "--set", "dose=18", "--against", "dose=20", "--as", "Bo", "--json").fine().data
    assert {pair["a"]["dose"], pair["b"]["dose"]} == {18, 20}
    before = len(prefero("history", "--events", "--json").data)
    prefero("enqueue", "--set", "dose=18", "--against", "dose=18").refused("against")
    prefero("enqueue").refused("--set")
    prefero("enqueue", "--set", "sugar=2").refused("sugar")
    prefero("enqueue", "--set", "dose=180").refused("dose")
    assert len(prefero("history", "--events", "--json").data) == before


def test_what_deserves_a_second_look_is_listed(answered, prefero):
    found = prefero("review", "--most", 2, "--json").fine().data
    assert found["study"] == "coffee"
    assert len(found["looks"]) <= 2
    assert prefero("review").fine().out.startswith(found["words"].split(":")[0][:10])
    prefero("review", "--most", 0).refused("--most")

"""`review` lists the answers that deserve a second look, `probe` asks about one again."""

import shlex
from random import Random

import pytest

from prefero.cli.app import STORAGE, opened_study
from prefero.cli.several import what_to_answer


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


def test_what_to_do_about_a_slip_works_as_it_is_printed(here, prefero):
    prefero("new", "--name", "tiny", "-v", "x=0:1", "--seed", 0).fine()
    drawn = Random(1)
    pairs = [(drawn.random(), drawn.random()) for _ in range(16)]
    rows = [f"{a},{b},{'b' if (a < b) == (k == 3) else 'a'}" for k, (a, b) in enumerate(pairs)]
    (here / "old.csv").write_text("\n".join(["a x,b x,answer", *rows]))
    prefero("import", "old.csv", "tiny").fine()
    out = prefero("review").fine().out
    assert "−4" not in out
    assert "prefero probe --step i4." in out
    assert "prefero correct i4 a | b." in out
    assert prefero("probe", "--step", "i4", "--json").fine().data["note"] == "a second look at question -4"
    prefero("probe", "--step", "i99").refused("step")
    prefero("probe", "--step", "i").refused("--step", "i1, i2")
    said = "A" if pairs[3][0] < pairs[3][1] else "B"
    assert f"i4: {said} is better" in prefero("correct", "i4", said).fine().out


@pytest.mark.parametrize("kind", ["pair", "best of 3", "worst of 3", "best and worst of 3", "rank 3", "insert among 2"])
def test_an_answer_of_each_kind_is_corrected_as_it_is_printed(prefero, kind):
    prefero("new", "--name", "tiny", "-v", "x=0:1", "--seed", 0, "--kind", kind).fine()
    with opened_study("tiny", STORAGE) as study:
        wanted = what_to_answer(study.ask())
    prefero("skip").fine()
    prefero("correct", 0, *shlex.split(wanted.split(" | ")[0])).fine()

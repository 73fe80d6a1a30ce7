"""Demos: a list, a simulated person, and you."""

import pytest

from prefero.demos import DEMOS


def test_the_list(prefero):
    assert {row["demo"] for row in prefero("demo", "--json").fine().data} == set(DEMOS)
    assert all(name in prefero("demo").fine().out for name in DEMOS)


@pytest.mark.parametrize("name", sorted(DEMOS))
def test_a_simulated_person_is_pleased_better_and_better(prefero, here, name):
    data = prefero("demo", name, "--json").fine().data
    dislikes = [row["dislike"] for row in data["progress"]]
    assert data["answers"] == DEMOS[name].comparisons
    assert dislikes == sorted(dislikes, reverse=True)
    assert dislikes[-1] < 0.95 * dislikes[0]
    assert list(here.iterdir()) == []


def test_it_shows_how_it_went(prefero):
    out = prefero("demo", "suspension", "-n", 4).fine().out
    assert "after a bump" in out
    assert "Best after 4 answers" in out


def test_you_answer(prefero, here):
    out = prefero("demo", "colour", "--me", "-n", 2, stdin="a\nb\n").fine().out
    assert "Which colour do you prefer?" in out
    assert "Best after 2 answers" in out
    assert list(here.iterdir()) == []


def test_there_is_no_such_demo(prefero):
    prefero("demo", "opera").refused("demo", "'opera'", "colour")

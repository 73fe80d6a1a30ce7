"""Demos: a list, a simulated person, and you."""

import pytest

from prefero.cli.demos import DEMOS, PAGES


def test_the_list(prefero):
    assert {row["demo"]: row["where"] for row in prefero("demo", "--json").fine().data} == {
        **dict.fromkeys(PAGES, "page"),
        **dict.fromkeys(DEMOS, "terminal"),
    }
    assert all(name in prefero("demo").fine().out for name in (*PAGES, *DEMOS))


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_simulated_person_answers_on_the_page_where_nobody_is_there(program, here, name):
    ended = program("demo", name, "-n", 2).fine()
    assert "0 of about" in ended.out
    assert "Best after 2 answers" in ended.out
    again = program("demo", name, "-n", 1, "--json").fine().data
    assert (again["given"], again["answers"]) == (1, 3)
    assert {file.name for file in here.iterdir()} == {"demo.db"}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_demo_on_the_page_is_a_file_to_copy(prefero, here, name):
    prefero("demo", name, "--copy", "mine.py").fine()
    assert (here / "mine.py").read_text(encoding="utf-8") == PAGES[name].source
    prefero("demo", name, "--copy", "mine.py").refused("mine.py exists already", "--force")
    prefero("demo", name, "--copy", "mine.py", "--force").fine()
    done = prefero("serve", "mine.py", "--simulate", 1, "--json").fine().data
    assert (done["study"], done["given"]) == ("mine", 1)
    assert set(done["best"])


def test_a_copy_that_cannot_be_written_is_refused_as_an_export_is(coffee, prefero):
    for command in (("demo", "sound", "--copy"), ("export", "-o")):
        ended = prefero(*command, "nodir/x.py").refused()
        assert ended.err == "prefero: nodir/x.py cannot be written: No such file or directory\n"


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
    prefero("demo", "colour", "--copy", "x.py").refused("copy", "picture")


def test_one_answer_is_one(prefero):
    out = prefero("demo", "colour", "-n", 1).fine().out
    assert "answers once:" in out
    assert "Best after 1 answer:" in out
    assert "about 1 answer." in prefero("new", "--name", "x", "-v", "x=1:2", "-n", 1).fine().out
    assert "0 of about 1 answer)" in prefero("ask").fine().out

"""Questions about more than two candidates, answered with options, with keys, line by line and by programs."""

import pytest

from prefero.answers import as_kind
from prefero.cli.several import Picked

FIRST = {
    "best of 4": ("--best", "c", "c>abd"),
    "worst of 3": ("--worst", "b", "ac>b"),
    "rank 4": ("--rank", "b,a,d,c", "b>a>d>c"),
}


@pytest.fixture
def several(prefero):
    """Make a study of a kind."""
    return lambda kind, name="s": prefero(
        "new", "--name", name, "-v", "x=0:1", "-v", "y=0:1", "--kind", kind, "--seed", 1
    ).fine()


@pytest.mark.parametrize("kind", sorted(FIRST))
def test_an_option_answers_what_the_question_asks_for(several, prefero, kind):
    several(kind)
    option, said, order = FIRST[kind]
    assert f"prefero answer {option}" in prefero("ask").fine().out
    asked = prefero("ask", "--json").fine().data
    assert asked["kind"] == kind
    assert asked["takes"] == as_kind(kind).takes
    assert len([side for side in "abcdef" if side in asked]) == as_kind(kind).size
    before = prefero("export").out
    for wrong in (["a,a,b,c"], ["same"], ["--place", 1], ["--best", "z"], ["a", "--rank", "b,a,d,c", "s"], []):
        prefero("answer", *wrong).refused("answer")
    prefero("answer", option, said, "--much").refused("--much")
    prefero("rate", 4, "--side", "z").refused("--side", "a, b, c")
    assert prefero("export").out == before
    saved = prefero("answer", option, said).fine().out
    assert " > ".join(", ".join(group).upper() for group in order.split(">")) in saved
    [entry] = prefero("history", "--json").fine().data
    assert (entry["answer"], entry["kind"], len(entry["more"])) == (order, kind, as_kind(kind).size - 2)
    assert "> " in prefero("history").fine().out
    assert prefero("status", "--json").data["answers"] == 1
    rated = prefero("rate", 4, "--side", "c", "--step", 0, "--json").fine().data["candidate"]
    assert rated == asked["c"]


def test_both_ends_a_place_a_name_a_file_and_corrections(several, here, prefero):
    several("best and worst of 4")
    prefero("ask").fine()
    assert prefero("answer", "s", "--best", "c", "--worst", "d", "--json").fine().data["answer"] == "c>ab>d"
    prefero("correct", 0, "best a worst b").fine()
    prefero("correct", 0, "a").refused("the best and the worst")
    assert prefero("history", "--json").data[0]["answer"] == "a>cd>b"
    several("insert among 2", "t")
    (here / "q.json").write_text(prefero("ask", "t", "--json").fine().out, encoding="utf-8")
    prefero("answer", "a", "t", "--to", "q.json").fine()
    assert "Where does C belong among A and B" in prefero("ask", "t").fine().out
    prefero("answer", "t", "--place", 4).refused("place 3")
    assert prefero("answer", "t", "--place", 2, "--json", "--next").fine().data["answer"] == "a>c>b"
    prefero("answer", "t", "--rank", "bac").refused("answer", "'bac'", "b,a,d,c")
    prefero("fail", "d", "t").refused("side")
    prefero("fail", "c", "t").fine()
    prefero("undo", "t").fine()
    prefero("new", "--name", "u", "-v", "x=0:1", "--kind", "rank 9").refused("kind", "rank k")


def test_compare_reads_orders_line_by_line(several, prefero):
    several("rank 3")
    out = prefero("compare", stdin="b,a,c\nc>a>b\nfail c\nskip\nundo\nquit\n").fine().out
    assert "Answer 1 saved: B > A > C." in out
    assert "Answer 2 saved: C > A > B." in out
    prefero("compare", stdin="a\n").refused("best first")
    assert prefero("status", "--json").data["answers"] == 2


def test_programs_rank(several, here, prefero):
    several("rank 4")
    prefero("solve", "--judge", "near:x=0.2,y=0.7", "-n", 3, "--swap").fine()
    (here / "taste_of_several.py").write_text(
        "def taste(*shown):\n    return sorted('abcd', key=lambda s: shown['abcd'.index(s)]['x'])\n"
    )
    prefero("solve", "--judge", "taste_of_several:taste", "-n", 2).fine()
    (here / "wrong.py").write_text("def taste(*shown):\n    return 'a'\n")
    assert "best first" in prefero("solve", "--judge", "wrong:taste", "-n", 2).err
    assert prefero("status", "--json").data["answers"] == 5
    several("worst of 3", "w")
    assert "IndexError" in prefero("solve", "w", "--judge", "taste_of_several:taste", "-n", 2).err
    prefero("solve", "w", "--judge", "least:x", "-n", 2).fine()


@pytest.mark.parametrize(
    ("kind", "keys", "answer"),
    [
        ("best of 4", "3", "best c"),
        ("best of 4", "c", "best c"),
        ("worst of 4", "94", "worst d"),
        ("best and worst of 4", "334", "best c worst d"),
        ("rank 4", "2114", "b,a,d,c"),
        ("insert among 3", "2", "place 2"),
        ("rank 4", "21", None),
    ],
)
def test_keys_choose_one_after_the_other(kind, keys, answer):
    picked = Picked(as_kind(kind))
    for key in keys:
        picked = picked.with_key(key)
    assert picked.answer == answer
    if answer is None:
        assert "chosen: B, A" in picked.legend
        assert picked.without_last().sides == "b"


def test_several_kinds_are_offered_with_their_seconds(here, prefero):
    offered = ("--kind", "pair", "--kind", "rank 4=30", "--kind", "best of 3")
    prefero("new", "--name", "s", "-v", "x=0:1", "-v", "y=0:1", *offered, "--seed", 1).fine()
    created = next(e for e in prefero("export").data["events"] if e["event"] == "created")
    assert (created["kind"], created["kinds"]) == ("pair", ["pair", "rank 4", "best of 3"])
    assert created["efforts"] == {"rank 4": 30.0}
    for _ in range(4):
        asked = prefero("ask", "--json").fine().data
        said = {"pair": ["a"], "best of 3": ["--best", "c"], "rank 4": ["--rank", "d,c,b,a"]}[asked.get("kind", "pair")]
        prefero("answer", *said).fine()
    toml = 'name = "t"\nkind = {"pair" = 4, "best of 4" = 9}\n[variables]\nx = {lower = 0, upper = 1}\n'
    (here / "t.toml").write_text(toml, encoding="utf-8")
    prefero("new", "t.toml").fine()
    (here / "u.toml").write_text(toml.replace('{"pair" = 4, "best of 4" = 9}', '["pair", "rank 4"]'), encoding="utf-8")
    prefero("new", "u.toml", "--name", "u").fine()
    for wrong in ("rank 4=soon", "rank 4=0", "rank 4=", "rank 7=3"):
        prefero("new", "--name", "v", "-v", "x=0:1", "--kind", wrong).refused("kind")

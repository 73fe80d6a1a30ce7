"""The same commands on the other engine, and what they say when it is gone."""

from benchmarks.torture import postgres


def test_a_study_in_postgresql(here, prefero):
    with postgres.server() as url:
        on = ("--storage", url)
        prefero("new", "--name", "line 3", "-v", "gain=0.1:10:log", "--seed", 0, *on).fine()
        prefero("compare", *on, stdin="a\nb\nundo\n").fine()
        assert prefero("status", "--json", *on).fine().data["answers"] == 1
        prefero("new", "--name", "line 3", "-v", "gain=0.1:10", *on).refused("there is a study 'line 3'")
    prefero("status", *on).refused("no connection", code=1)
    assert list(here.iterdir()) == []

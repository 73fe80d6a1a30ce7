"""The page's benchmark: what it measures is there, and what it tells is what was measured."""

import os
import time

import pytest
from PIL import Image

from benchmarks import page, page_people, page_slow, page_watchers
from benchmarks.page import Timing
from benchmarks.page_people import Line, Person, Tally
from benchmarks.progress import Progress
from prefero.web.server import background


@pytest.fixture
def link(tmp_path):
    with background(f"sqlite:///{tmp_path / 'page.db'}") as made:
        yield made


def test_answers_are_measured_in_the_browser(link, tmp_path):
    with page.browser() as opened:
        page.pictured(link, opened, tmp_path / "ours.jpg")
        timings = page.measured(link, opened, "glisp", 3, 0.4, Progress(3))
        ready = page.ready(link, opened, "glisp-0", times=1)
    assert len(timings) == 3
    assert all(t.acknowledged > 0 and 0 < t.saved <= t.next_pair for t in timings)
    assert ready > 0
    with Image.open(tmp_path / "ours.jpg") as kept:
        assert kept.size == (1280, 800)
    assert [page.call(link, f"/studies/glisp-{k}")["answers"] for k in range(3)] == [1, 1, 1]


def test_a_slow_connection_is_measured_with_and_without_loading_ahead(tmp_path, monkeypatch):
    monkeypatch.setattr(page_slow, "PICTURES", 5)
    monkeypatch.setattr(page_slow, "SIDE", 20)
    monkeypatch.setattr(page_slow, "LOOK", 0.4)
    storage = f"sqlite:///{tmp_path / 'slow.db'}"
    page_slow.prepare(storage)
    with background(storage) as link, page.browser() as opened:
        lines = page_slow.slow(link, opened, 2)
        assert page.call(link, "/studies/pictures")["answers"] == 4
    assert [line.split("  ")[0] for line in lines] == ["loaded ahead", "loaded when it is shown"]
    assert page_slow.row("x", [400.0, 1200.0]).endswith("median   800 ms, most  1200 ms; 1 of 2 within a second")


def test_the_table_tells_the_percentiles_and_what_was_missed():
    timings = [Timing(10, 60, 100)] * 19 + [Timing(10, 60, 400)] * 2
    assert page.percentile([t.next_pair for t in timings]) == 400
    assert page.row("ours", timings).split() == ["ours", "10", "60", "400", "100", "21"]
    assert page.missed(timings) == ["next pair 400 ms > 150 ms"]
    assert page.missed(timings[:19]) == []
    assert 0 < page.weight() < 45_000


def test_people_answer_for_a_while_and_are_advised(link, monkeypatch):
    monkeypatch.setattr(page_people, "LOOK", 0.01)
    monkeypatch.setattr(page_people, "ADVICE_FROM", 1)
    monkeypatch.setattr(page_people, "ADVICE_EVERY", 1)
    owner = Line(link, link.split("token=")[1])
    person = Person(link, owner, "ann", "glisp", 1)
    tally = Tally()
    until = time.monotonic() + 120
    while not tally.next_pair and time.monotonic() < until:  # a busy machine may take seconds for the first question
        person.answer_until(time.monotonic() + 1, tally)
    assert owner.call("GET", "/studies/ann")["answers"] == len(tally.next_pair) > 0
    assert not tally.refused
    with pytest.raises(OSError, match="404"):
        owner.call("GET", "/studies/nobody")
    owner.close()


def test_a_lost_connection_loses_a_person_and_not_the_run(link):
    owner = Line(link, link.split("token=")[1])
    person = Person(link, owner, "ann", "glisp", 1)
    owner.close()
    person._path = "/studies/nobody"
    tally = Tally()
    person._random.uniform = lambda *_: 0.0
    person.answer_until(time.monotonic() + 1, tally)
    assert tally.refused
    assert "nobody got an answer through" in page_people.told(tally)


def test_the_line_of_a_run():
    tally = Tally(saved=[5.0] * 20, next_pair=[20.0] * 20, advised=2)
    assert page_people.told(tally).startswith(
        "20 answers; next pair p95 20 ms (median 20, most 20); saved p95 5 ms; 2 times"
    )
    assert page_people.told(Tally([5.0], [500.0])).endswith("short of its goal")
    assert page_people.cpu_seconds(os.getpid()) > 0 or not os.path.exists("/proc")


def test_watchers_are_told_each_answer(tmp_path):
    delays = page_watchers.measured(f"sqlite:///{tmp_path / 'watched.db'}", 3, 2, 0.0, processes=1)
    assert len(delays) == 6
    assert all(delay >= 0 for delay in delays)
    assert page_watchers.told([100.0] * 19 + [1200.0]) == (
        "20 times told: median 100 ms, p95 155 ms, most 1200 ms after the answer was saved; 1 later than the goal"
    )

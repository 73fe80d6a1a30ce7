"""Helpers that many studies share: who comes first, who has to wait, and what is interrupted."""

import queue
import threading
from concurrent.futures import CancelledError

import pytest

from prefero.web import helper_pool
from prefero.web.helper_pool import LIKELY, UNLIKELY, WAITED_FOR, HelperPool
from prefero.web.worker_process import EndedError, WorkerError

LONG = 60


class Helper:
    """Works on what a test tells it to finish; an interruption ends it."""

    def __init__(self):
        self.told = queue.SimpleQueue()
        self.starts = 0

    def start(self):
        self.starts += 1
        return False

    def interrupt(self):
        self.told.put(EndedError("interrupted"))

    def close(self):
        self.told.put(EndedError("closed"))


class Work:
    """Work that notes when it begins, and ends when it is told to."""

    def __init__(self, name, seen):
        self.name, self.seen, self.helper, self.begun = name, seen, None, threading.Event()

    def __call__(self, helper):
        self.helper = helper
        self.seen.append(self.name)
        self.begun.set()
        told = helper.told.get()
        if isinstance(told, Exception):
            raise told
        return f"{self.name} {told}"


class Studio:
    """A pool of such helpers, and the works it was given."""

    def __init__(self, number):
        self.helpers = [Helper() for _ in range(number)]
        self.pool, self.seen, self.works, self.jobs = HelperPool(self.helpers), [], {}, {}

    def submit(self, name, study=None, rank=WAITED_FOR):
        self.works[name] = Work(name, self.seen)
        self.jobs[name] = self.pool.submit(study or name, self.works[name], rank)
        return self.jobs[name]

    def begun(self, name):
        assert self.works[name].begun.wait(LONG)

    def finish(self, name):
        self.begun(name)
        self.works[name].helper.told.put("done")
        assert self.jobs[name].future.result(LONG) == f"{name} done"

    def wait_for(self, name):
        """Wait for a job as a request does; returns the thread, and a list for what came."""
        came = []
        waits = threading.Thread(target=lambda: came.append(self.pool.result(self.jobs[name])))
        waits.start()
        return waits, came


@pytest.fixture
def studio():
    made = []

    def make(number):
        made.append(Studio(number))
        return made[-1]

    yield make
    for each in made:
        each.pool.close()


def test_who_waits_comes_before_what_is_likely_and_that_before_the_rest(studio):
    s = studio(1)
    s.submit("first")
    s.begun("first")
    s.submit("unlikely", rank=UNLIKELY)
    s.submit("likely", rank=LIKELY)
    s.submit("waited for")
    s.submit("likely, then waited for", rank=UNLIKELY)
    waits, came = s.wait_for("likely, then waited for")
    for name in ("first", "waited for", "likely, then waited for", "likely", "unlikely"):
        s.finish(name)
    waits.join()
    assert s.seen == ["first", "waited for", "likely, then waited for", "likely", "unlikely"]
    assert came == ["likely, then waited for done"]


def test_studies_take_turns(studio):
    s = studio(1)
    s.submit("a1", "a")
    s.begun("a1")
    for name in ("a2", "a3", "b1", "b2", "c1"):
        s.submit(name, name[0])
    for name in ("a1", "b1", "c1", "a2", "b2", "a3"):
        s.finish(name)
    assert s.seen == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_one_job_of_a_study_runs_at_a_time_and_in_the_helper_that_knows_it(studio):
    s = studio(2)
    s.submit("a1", "a")
    s.begun("a1")
    s.submit("a2", "a")
    s.submit("b1", "b")
    s.begun("b1")  # by the other helper, although a2 came first
    assert s.seen == ["a1", "b1"]
    assert s.works["a1"].helper is not s.works["b1"].helper
    s.finish("b1")
    s.finish("a1")
    s.finish("a2")
    assert s.works["a2"].helper is s.works["a1"].helper


def test_a_second_helper_is_not_started_before_it_is_needed(studio):
    s = studio(2)
    for name in ("a", "b", "c"):
        s.submit(name)
        s.finish(name)
    assert [helper.starts for helper in s.helpers] == [3, 0]


def test_slow_studies_leave_the_last_helper_to_others(studio, monkeypatch):
    monkeypatch.setattr(helper_pool, "SLOW_SECONDS", 0.0)  # every study is slow once it had a turn
    s = studio(2)
    for name in ("slow 1", "slow 2", "slow 3"):
        s.submit(f"{name} before", name)
        s.finish(f"{name} before")
    for name in ("slow 1", "slow 2", "slow 3"):
        s.submit(name)
    s.begun("slow 1")
    s.submit("quick")
    s.finish("quick")
    assert not s.works["slow 2"].begun.is_set()
    for name in ("slow 1", "slow 2", "slow 3"):
        s.finish(name)


def test_quick_studies_that_keep_every_helper_busy_do_not_shut_out_a_slow_one(studio, monkeypatch):
    monkeypatch.setattr(helper_pool, "SLOW_SECONDS", LONG)
    s = studio(2)
    monkeypatch.setattr(s.pool, "_is_slow", lambda study: study == "slow")
    for name in ("quick 1", "quick 2"):
        s.submit(name)
        s.begun(name)
    s.submit("slow")
    for name in ("quick 1", "quick 2"):  # there is never a moment in which nobody works
        s.submit(f"{name} again", name)
    s.finish("quick 1")
    s.finish("slow")
    assert s.seen[2] == "slow"
    for name in ("quick 2", "quick 1 again", "quick 2 again"):
        s.finish(name)


def test_an_only_helper_serves_slow_studies_as_well(studio, monkeypatch):
    monkeypatch.setattr(helper_pool, "SLOW_SECONDS", 0.0)
    s = studio(1)
    for name in ("one", "two"):
        s.submit(name, "slow")
        s.finish(name)


def test_what_nobody_waits_for_is_given_up_for_who_waits(studio, monkeypatch):
    monkeypatch.setattr(helper_pool, "SLOW_SECONDS", 0.01)
    s = studio(1)
    s.submit("ahead", rank=LIKELY)
    s.begun("ahead")
    s.submit("wanted")
    waits, came = s.wait_for("wanted")
    s.finish("wanted")
    waits.join()
    assert came == ["wanted done"]
    with pytest.raises(EndedError):
        s.jobs["ahead"].future.result(LONG)


def test_studies_that_turn_out_to_be_slow_give_one_helper_back_and_are_computed_again(studio, monkeypatch):
    monkeypatch.setattr(helper_pool, "SLOW_SECONDS", 0.01)
    s = studio(2)
    for name in ("slow 1", "slow 2"):
        s.submit(name)
        s.begun(name)
    waiting = [s.wait_for(name) for name in ("slow 1", "slow 2")]
    s.submit("quick")
    s.works["slow 2"].begun.clear()
    waits, came = s.wait_for("quick")
    s.finish("quick")
    waits.join()
    assert came == ["quick done"]
    s.finish("slow 1")
    s.finish("slow 2")  # it lost least: it was begun last
    for waits, _ in waiting:
        waits.join()
    assert [came for _, came in waiting] == [["slow 1 done"], ["slow 2 done"]]
    assert s.seen == ["slow 1", "slow 2", "quick", "slow 2"]


def test_a_job_whose_helper_ends_is_begun_again_once(studio):
    s = studio(1)
    job = s.submit("one")
    s.begun("one")
    s.helpers[0].told.put(EndedError("killed"))
    s.finish("one")
    job = s.submit("two")
    for _ in range(2):
        s.helpers[0].told.put(EndedError("killed"))
    with pytest.raises(EndedError, match="killed"):
        s.pool.result(job)
    assert s.seen == ["one", "one", "two", "two"]


def test_an_error_of_the_work_is_raised_where_it_is_waited_for(studio):
    s = studio(1)
    job = s.submit("one")
    s.helpers[0].told.put(TimeoutError("of its own"))
    with pytest.raises(TimeoutError, match="of its own"):
        s.pool.result(job)


def test_only_a_job_that_has_not_begun_can_be_dropped(studio):
    s = studio(1)
    s.submit("one")
    s.begun("one")
    s.submit("two")
    assert not s.pool.drop(s.jobs["one"])
    assert s.pool.drop(s.jobs["two"])
    s.finish("one")
    with pytest.raises(CancelledError):
        s.pool.result(s.jobs["two"])


def test_closing_fails_every_job(studio):
    s = studio(1)
    s.submit("running")
    s.begun("running")
    s.submit("waiting")
    s.pool.close()
    for name in ("running", "waiting"):
        with pytest.raises(WorkerError):
            s.pool.result(s.jobs[name])
    with pytest.raises(WorkerError, match="stopping"):
        s.submit("later")

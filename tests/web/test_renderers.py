"""Worker processes and executors: what they render, what fails, what takes too long, and that nothing stays behind."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from prefero.web.rendering.renderers import ExecutorRenderer, Failure, ProcessRenderer
from prefero.web.rendering.tuning import read

FILE = """
import os, sys, time
import numpy as np
import prefero as pf

space = pf.Space({"x": pf.Real(0, 9)})
seconds = 20
workers = 2

def render(candidate, progress):
    print("this disturbs nobody")
    x = candidate["x"]
    if x == 1:
        raise ValueError("x is 1,\\nof all things")
    if x == 2:
        os._exit(7)
    if x == 3:
        time.sleep(60)
    if x == 4:
        return {1, 2}
    progress(0.5)
    return {"picture": np.full((2, 2), x / 9), "process": os.getpid()}
"""


@pytest.fixture
def tuning(tmp_path):
    path = tmp_path / "tuning.py"
    path.write_text(FILE, encoding="utf-8")
    return read(path)


@pytest.fixture
def workers(tuning):
    made = ProcessRenderer(tuning)
    yield made
    made.close()


def ignore(_):
    pass


def alive(process):
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_renders_one_after_the_other_and_tells_its_progress(workers):
    told = []
    shown = [workers.render({"x": x}, told.append) for x in (0.0, 9.0)]
    assert [set(each.files) for each in shown] == [{"picture"}] * 2
    assert shown[0].files != shown[1].files
    assert shown[0].numbers == shown[1].numbers
    assert shown[0].numbers["process"] != os.getpid()
    assert told == [0.5, 0.5]


def test_a_failure_is_told_and_the_next_one_is_rendered(workers, tuning):
    assert workers.render({"x": 1}, ignore) == Failure(
        f"{tuning.path.name}, line 14: ValueError: x is 1, of all things"
    )
    assert "render returned a set" in workers.render({"x": 4}, ignore).why
    assert workers.render({"x": 2}, ignore) == Failure("its process ended (exit code 7)")
    assert workers.render({"x": 5}, ignore).files


def test_what_takes_too_long_is_ended(workers, monkeypatch):
    process = workers.render({"x": 5}, ignore).numbers["process"]
    monkeypatch.setattr(workers, "_seconds", 0.2)
    assert workers.render({"x": 3}, ignore) == Failure("it took longer than 0.2 s")
    assert not alive(process)
    monkeypatch.setattr(workers, "_seconds", 20)
    assert workers.render({"x": 5}, ignore).numbers["process"] != process


def test_one_rendering_is_interrupted_and_the_next_one_is_made(workers):
    told = []
    waits = threading.Thread(target=lambda: told.append(workers.render({"x": 3}, ignore)))
    waits.start()
    while not workers.interrupt({"x": 3}):
        time.sleep(0.005)
    waits.join()
    assert [type(each) for each in told] == [Failure]
    assert not workers.interrupt({"x": 3})
    assert workers.render({"x": 5}, ignore).files


def test_closing_ends_what_is_under_way(tuning):
    workers, told = ProcessRenderer(tuning), []
    process = workers.render({"x": 5}, ignore).numbers["process"]
    waits = threading.Thread(target=lambda: told.append(workers.render({"x": 3}, ignore)))
    waits.start()
    time.sleep(0.1)
    workers.close()
    waits.join()
    assert [type(each) for each in told] == [Failure]
    assert not alive(process)
    assert isinstance(workers.render({"x": 5}, ignore), Failure)


def test_a_file_that_changed_into_nonsense_is_told(workers, tuning):
    tuning.path.write_text("1 / 0\n", encoding="utf-8")
    assert workers.render({"x": 5}, ignore) == Failure(f"{tuning.path}, line 1: ZeroDivisionError: division by zero")


def test_any_executor_will_do(tuning, monkeypatch):
    with ThreadPoolExecutor(1) as executor:
        submitted = ExecutorRenderer(tuning, executor, executor.shutdown, 1)
        assert submitted.render({"x": 5}, ignore).numbers == {"process": os.getpid()}
        assert "x is 1, of all things" in submitted.render({"x": 1}, ignore).why
        monkeypatch.setattr(submitted, "_seconds", 0.0)
        assert submitted.render({"x": 6}, ignore).why == "it took longer than 0 s"
        submitted.close()
        assert "the executor failed: RuntimeError" in submitted.render({"x": 5}, ignore).why

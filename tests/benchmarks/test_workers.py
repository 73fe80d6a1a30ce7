"""Work side by side, in processes with one thread each."""

import os
import time

import pytest

from benchmarks.conversation import THREADS
from benchmarks.workers import side_by_side


def test_each_process_has_one_thread_and_leaves_no_trace(monkeypatch):
    monkeypatch.delenv(THREADS[0], raising=False)
    monkeypatch.setenv(THREADS[1], "7")
    found = list(side_by_side(os.getenv, [(name,) for name in THREADS], 2))
    assert found == ["1"] * len(THREADS)
    assert THREADS[0] not in os.environ
    assert os.environ[THREADS[1]] == "7"


def slept(seconds: float) -> float:
    if not seconds:
        raise ValueError("at once")
    time.sleep(seconds)
    return seconds


def test_what_goes_wrong_is_told_before_the_rest_is_done():
    done = []
    with pytest.raises(ValueError, match="at once"):
        done.extend(side_by_side(slept, [(0.0,), *[(0.5,)] * 60], 2))
    assert len(done) < 30

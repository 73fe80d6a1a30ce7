"""Work side by side, in processes with one thread each."""

import os

from benchmarks.conversation import THREADS
from benchmarks.workers import side_by_side


def test_each_process_has_one_thread_and_leaves_no_trace(monkeypatch):
    monkeypatch.delenv(THREADS[0], raising=False)
    monkeypatch.setenv(THREADS[1], "7")
    found = list(side_by_side(os.getenv, [(name,) for name in THREADS], 2))
    assert found == ["1"] * len(THREADS)
    assert THREADS[0] not in os.environ
    assert os.environ[THREADS[1]] == "7"

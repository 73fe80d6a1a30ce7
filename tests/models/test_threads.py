"""One BLAS thread while prefero computes, and as many as before afterwards."""

import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401 (loads its BLAS before the threads are counted)
from threadpoolctl import threadpool_info, threadpool_limits

import prefero as pf
from prefero.models.threads import one_thread


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("this BLAS cannot have two threads")
        yield


def test_a_proposer_and_a_model_compute_with_one_thread():
    seen = []

    def propose(history, rng):
        seen.append(blas_threads())
        return rng.uniform(-1, 1, 2)

    study = pf.optimize(pf.preference(lambda x: x[0]), ([0, 0], [1, 1]), comparisons=4, seed=0, proposer=propose).study
    assert seen == [{1}] * 3
    assert blas_threads() == {2}
    study.learned.advice()
    pf.fit(np.eye(3), [[0, 1]])
    assert blas_threads() == {2}


def test_the_judge_has_all_threads():
    seen = []
    pf.optimize(lambda a, b: seen.append(blas_threads()) or -1, ([0, 0], [1, 1]), comparisons=3, seed=0)
    assert seen == [{2}] * 3


def test_an_error_gives_the_threads_back():
    with pytest.raises(pf.InputError):
        pf.fit(np.eye(3), "x")
    assert blas_threads() == {2}


def test_computations_may_nest_and_overlap():
    seen = []
    inner = one_thread(lambda: seen.append(blas_threads()))

    @one_thread
    def outer():
        thread = threading.Thread(target=inner)
        thread.start()
        thread.join()
        inner()

    outer()
    assert seen == [{1}, {1}]
    assert blas_threads() == {2}


def test_whoever_ends_last_restores_the_threads():
    began, go_on = threading.Event(), threading.Event()

    @one_thread
    def slow():
        began.set()
        assert go_on.wait(60)

    thread = threading.Thread(target=slow)

    @one_thread
    def start():
        thread.start()
        assert began.wait(60)

    start()
    go_on.set()
    thread.join()
    assert blas_threads() == {2}

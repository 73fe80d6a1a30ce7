"""Work in several processes of one thread each: more threads than cores would mostly wait for each other."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, TypeVar

from benchmarks.conversation import ONE_THREAD

R = TypeVar("R")


def side_by_side(work: Callable[..., R], arguments: Iterable[tuple[Any, ...]], processes: int) -> Iterator[R]:
    """The results of the work for each argument, in the order of completion."""
    fresh = get_context("spawn")  # which reads the environment, while a forked process has its threads already
    pool = ProcessPoolExecutor(processes, fresh)
    try:
        with _one_thread_each():
            futures = [pool.submit(work, *given) for given in arguments]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)  # where something goes wrong it is told at once


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Environment variables for the processes that start now."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value

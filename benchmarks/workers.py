"""Work in several processes with one thread each: with more threads than cores they wait for each other most of the time."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, TypeVar

from benchmarks.conversation import ONE_THREAD

R = TypeVar("R")


def side_by_side(work: Callable[..., R], arguments: Iterable[tuple[Any, ...]], processes: int) -> Iterator[R]:
    """What the work returns for each of its arguments, in the order in which it is done."""
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
    """What processes that begin now find in their environment."""
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

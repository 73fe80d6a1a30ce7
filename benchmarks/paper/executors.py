"""Where runs are made. Each executor is a context manager that gives a function: the key of a run in, a future run out.

Whatever the executor, the proposer runs in a process of its own, the driver, which is kept for the next run; when the
process that leads it is killed, a driver reads the end of its input and leaves.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from socket import gethostname
from typing import Any, TypeAlias

from benchmarks.compare import Drivers, Job, UsageError, open_driver, parse_noise
from benchmarks.environments import python_of
from benchmarks.named import problem_named
from benchmarks.results import Key, Run

Submit: TypeAlias = Callable[[Key], "Future[Run]"]

_HERE: dict[float | None, Drivers] = {}  # of a Dask worker: its drivers, by the limit of a run


def prepare(environments: Sequence[str]) -> None:
    """Make the environments of these peers on this machine, before any clock runs."""
    for environment in environments:
        python_of(environment)


@contextmanager
def processes(workers: int, limit: float | None, environments: Sequence[str]) -> Iterator[Submit]:
    """So many driver processes of this machine side by side, each led by a thread."""
    prepare(environments)
    with Drivers(open_driver, limit) as drivers, ThreadPoolExecutor(workers) as pool:
        try:
            yield lambda key: pool.submit(drivers.run, job_of(key))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def dask(address: str, limit: float | None, environments: Sequence[str]) -> Iterator[Submit]:
    """The workers of a Dask cluster, which must see this package; a run whose worker dies is made by another.

    One worker of each host makes the peers' environments first.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError('--dask needs Dask: pip install "prefero[dask]"') from None
    try:
        client = Client(address, timeout="20s")
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise UsageError(f"--dask {address}: no scheduler answers there ({error})") from error
    with client:
        if environments:
            one_of_each_host = {host: worker for worker, host in client.run(gethostname).items()}
            client.run(prepare, list(environments), workers=list(one_of_each_host.values()))
        pool = client.get_executor(pure=False)
        try:
            yield lambda key: _submitted(pool, key, limit)
        finally:
            pool.shutdown(wait=False)


def _submitted(pool: Any, key: Key, limit: float | None) -> "Future[Run]":
    future: Future[Run] = pool.submit(make, key, limit)
    return future


def make(key: Key, limit: float | None) -> Run:
    """Make one run in this process: what a Dask worker does."""
    drivers = _HERE.setdefault(limit, Drivers(open_driver, limit))
    return drivers.run(job_of(key))


def job_of(key: Key) -> Job:
    """The run that a key names."""
    method, problem, seed, noise = key
    return Job(method, problem_named(problem), seed, parse_noise(noise))

"""The campaign: finds the missing runs, makes them, and stores each one when it is finished.

The raw results are the only state. A campaign that was killed at any moment continues where it stopped: an incomplete last
line is dropped, and its run is made again.
"""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, as_completed
from pathlib import Path

from benchmarks import results
from benchmarks.paper import rawdata
from benchmarks.paper.executors import Submit
from benchmarks.paper.plan import seconds_of
from benchmarks.progress import Progress
from benchmarks.results import Key, Run


def stored(raw: Path) -> dict[Key, Run]:
    """The stored runs, each once."""
    if not raw.exists():
        return {}
    results.mend(raw)
    return once(results.read(raw))


def once(runs: Iterable[Run]) -> dict[Key, Run]:
    """Runs by key; if a run was made twice, the first counts."""
    kept: dict[Key, Run] = {}
    for run in runs:
        kept.setdefault(run.key, run)
    return kept


def adopt(files: Iterable[Path], raw: Path, wanted: Iterable[Key]) -> int:
    """Add the planned runs among those made elsewhere, in either format; returns how many were added."""
    have, needed = stored(raw), set(wanted)
    taken = [run for file in files for run in rawdata.read_any(file) if run.key in needed]
    new = [run for key, run in once(taken).items() if key not in have]
    for run in new:
        results.append(raw, run)
    return len(new)


def forget(methods: Sequence[str], raw: Path) -> int:
    """Drop the runs of methods that have changed; returns how many were dropped."""
    have = stored(raw)
    kept = [run for run in have.values() if run.method not in methods]
    if len(kept) == len(have):
        return 0
    draft = raw.with_name(f"{raw.name}.new")
    draft.unlink(missing_ok=True)
    draft.touch()
    for run in kept:
        results.append(draft, run)
    os.replace(draft, raw)
    return len(have) - len(kept)


def make_all(keys: Sequence[Key], submit: Submit, raw: Path) -> list[str]:
    """Make these runs and append each to the raw results; returns what could not be made, and why.

    What a method does wrong is part of its run. What is returned here is the machinery's fault, a worker that died again
    and again: such a run is not written, and the next campaign makes it.
    """
    progress = Progress(len(keys), work=sum(map(seconds_of, keys)))
    futures: dict[Future[Run], Key] = {submit(key): key for key in keys}
    failures = []
    try:
        for future in as_completed(futures):
            key = method, problem, seed, noise = futures.pop(future)
            what = f"{method}, {problem}, seed {seed}, noise {noise}"
            error = future.exception()
            if error is None:
                results.append(raw, future.result())
            else:
                failures.append(f"{what}: {type(error).__name__}: {error}")
            progress.advance(what, seconds_of(key))
    finally:
        for future in futures:
            future.cancel()
        progress.close()
    return failures

"""Run it: `python -m benchmarks.torture`, at full size; `--size 0.05` is what the tests run. Exit code 1 if something broke."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # writers are forked: one thread, so that nothing of it is left behind

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.progress import Progress
from benchmarks.torture import catalogue, clients, failures, figures, kills, postgres, service_kills, soak, swarm
from benchmarks.torture.insistent import Load

KILLS = 200
ENGINES = ("sqlite", "postgresql")


@contextmanager
def database(engine: str) -> Iterator[str]:
    """A database of one's own, for as long as it is needed."""
    if engine == "postgresql":
        with postgres.server() as url:
            yield url
    else:
        with tempfile.TemporaryDirectory(prefix="prefero-") as folder:
            yield f"sqlite:///{Path(folder) / 'torture.db'}"


def run_kills(engine: str, size: float, seed: int) -> None:
    """The writing process killed, again and again, and then whatever serves."""
    run_writer_kills(engine, size, seed)
    run_service_kills(engine, size, seed)


def run_writer_kills(engine: str, size: float, seed: int) -> None:
    """The writing process killed, again and again."""
    count = max(10, round(KILLS * size))  # the tenth is killed while it opens the study
    with database(engine) as url:
        began = time.perf_counter()
        show = Progress(count)
        answers = kills.kills(url, count, seed, lambda said: show.advance(f"kill -9, {engine}: {said}"))
        show.close()
        print(
            f"kill -9, {engine}: {count} kills, {answers} answers acknowledged, none lost, none twice, no gap, "
            f"the study went on each time; {time.perf_counter() - began:.0f} s"
        )


def run_service_kills(engine: str, size: float, seed: int) -> None:
    """Servers, workers, helpers and the database killed while judges answer."""
    counts = {kind: max(1, round(count * size)) for kind, count in service_kills.KILLS[engine].items()}
    began, show = time.perf_counter(), Progress(sum(counts.values()))

    def kill(url: str, cluster: postgres.Cluster | None) -> Load:
        return service_kills.kills(url, counts, service_kills.SERVERS[engine], seed, show.advance, cluster)

    if engine == "postgresql":
        with postgres.cluster() as cluster:
            load = kill(cluster.url, cluster)
    else:
        with database(engine) as url:
            load = kill(url, None)
    show.close()
    print(
        f"kill -9 under load, {engine}: {sum(counts.values())} kills ({', '.join(f'{k} {n}' for k, n in counts.items())}), "
        f"{load.answers} answers acknowledged, none lost, none twice, no gap; {load.lost} requests without a connection and "
        f"{load.account.statuses[503]} replies with 503, all sent again; no other 5xx; {time.perf_counter() - began:.0f} s"
    )


def run_failures(engine: str, size: float, seed: int) -> None:
    """A full disk, a database that is locked or not there, a clock that is moved."""
    del seed
    if engine == "postgresql":
        with postgres.cluster() as cluster:
            _print_failure("database stopped", failures.stopped(cluster, failures.STOPPED_SECONDS * size))
        with database(engine) as url:
            _print_failure("database locked", failures.locked(url, failures.LOCKED_SECONDS * size))
        return
    _print_failure("full disk", failures.full_disk(failures.FULL_SECONDS * size))
    with database(engine) as url:
        _print_failure("database locked", failures.locked(url, failures.LOCKED_SECONDS * size))
    with database(engine) as url:
        _print_failure("clock moved", failures.moved_clock(url, failures.CLOCK_SECONDS * size))


def _print_failure(what: str, seen: failures.Outcome) -> None:
    back = f", answered again after {seen.back:.1f} s" if seen.unavailable else ""
    print(
        f"{what} ({seen.means}): {seen.seconds:.0f} s{back}; {seen.load.answers} answers acknowledged, none lost, none twice, "
        f"no gap; {seen.unavailable} requests refused with 503, no other 5xx"
    )


def run_figures(engine: str, size: float, seed: int) -> None:
    """What storing costs."""
    del seed
    studies = max(10, round(figures.STUDIES * size))
    answers = max(10, round(figures.OPEN_ANSWERS * size))
    with database(engine) as url:
        print(f"{engine}: open a study of {answers} answers: {1000 * figures.open_seconds(url, answers):.0f} ms")
        for length in figures.LENGTHS:
            if length <= figures.LENGTHS[-1] * size or length == figures.LENGTHS[0]:
                print(f"{engine}: append at {length} answers: {1000 * figures.append_seconds(url, length):.1f} ms")
        print(f"{engine}: list {studies} studies: {1000 * figures.list_seconds(url, studies):.0f} ms")


def run_swarm(engine: str, size: float, seed: int) -> None:
    """Hundreds of judges, several servers, one database."""
    del seed
    _swarm(engine, max(8, round(swarm.JUDGES * size)), max(2, round(swarm.STUDIES * size)), size)


def run_shared(engine: str, size: float, seed: int) -> None:
    """The same, in one study."""
    del seed
    _swarm(engine, max(8, round(swarm.JUDGES * size)), 1, size)


def _swarm(engine: str, judges: int, studies: int, size: float) -> None:
    seconds = swarm.SECONDS * max(0.2, size)
    with database(engine) as url:
        show = Progress(round(seconds))
        account = swarm.swarm(url, judges, studies, seconds, progress=lambda: show.advance(f"{judges} judges"))
        show.close()
    p95 = {kind: account.percentile(kind, 0.95) for kind in account.seconds}
    print(
        f"{judges} judges, {studies} studies, {swarm.SERVERS} servers, {engine}: {len(account.acknowledged)} answers, none lost, "
        f"none doubled, no gap, no 5xx ({account.statuses[409]} refusals with 409); {account.measured / account.wall:.0f} answers "
        f"a second, 95 % saved in {p95['answer']:.0f} ms, next question in {p95['question']:.0f} ms; {account.pooled:.0%} of the "
        f"questions from a pool, {account.fresh:.0%} of the pairs new"
    )


def run_requests(engine: str, size: float, seed: int) -> None:
    """Generated requests against the service."""
    from benchmarks.torture import requests as generated  # here: server processes need not import what makes them up

    del engine, seed
    count = round(generated.REQUESTS * size)
    show, began = Progress(-(-count // generated.SERVICE), work=count), time.perf_counter()
    tally = generated.torment(count, lambda done: show.advance("generated requests", done))
    show.close()
    accepted = sum(count for status, count in tally.statuses.items() if status < 400)
    print(
        f"generated requests: {tally.requests}, {accepted} accepted, no 5xx, nothing written by one that was refused; "
        f"{time.perf_counter() - began:.0f} s"
    )


def run_clients(engine: str, size: float, seed: int) -> None:
    """Slow, half-open and huge clients at once."""
    del engine, seed
    count = max(5, round(clients.CLIENTS * size))
    seen = clients.torment(count, clients.SECONDS if size >= 1 else 5.0)
    assert not seen.refused, f"normal clients were refused: {seen.refused[:5]}"
    print(
        f"{count} hostile clients: the server had {seen.peak:.0f} MB at most; normal clients waited {seen.ratio(0.5):.1f} times as "
        f"long as before in the median, {seen.ratio(0.95):.1f} times at the 95th percentile"
    )


def run_soak(engine: str, size: float, seed: int) -> None:
    """An hour of ordinary use."""
    del seed
    seconds = soak.SECONDS * size
    with database(engine) as url:
        show = Progress(round(seconds / soak.SAMPLE_SECONDS))
        seen = soak.soak(url, seconds, progress=lambda said: show.advance(f"soak, {engine}: {said}"))
        show.close()
    print(
        f"soak, {engine}: {seen.wall / 60:.0f} minutes, {soak.STUDIES} studies at a time, {seen.done['answers']} answers, "
        f"{seen.done['undone']} undone, {seen.done['looks']} looks at results, {seen.done['files']} files, "
        f"{seen.done['studies']} studies finished and compared; {seen.cpu / seen.wall:.0%} of a core"
    )
    warm = (seen.warm - seen.samples[0][0]) / 60
    print(
        f"soak, {engine}: after the first {warm:.0f} minutes {seen.level('megabytes'):.0f} MB, which grew by "
        f"{seen.growth('megabytes'):.1f} MB; {seen.level('threads'):.0f} threads ({seen.growth('threads'):+.1f}), "
        f"{seen.level('files'):.0f} open files ({seen.growth('files'):+.1f}) in {seen.level('processes'):.0f} processes"
    )
    soak.check(seen)


def run_catalogue(engine: str, size: float, seed: int) -> None:
    """A catalogue that thousands have judged."""
    answers, judges = max(2000, round(catalogue.ANSWERS * size)), max(20, round(catalogue.JUDGES * size))
    rows = max(100, round(catalogue.ROWS * size))
    show = Progress(3)
    with database(engine) as url:
        catalogue.store(url, rows, answers, judges, seed)
        show.advance("stored")
        seen = catalogue.measure(url)
        show.advance("opened, proposed")
    seeds = max(2, round(catalogue.SEEDS * size))
    good = catalogue.quality(seeds=seeds)
    show.close()
    print(
        f"catalogue, {engine}: {rows} rows, {answers} answers by {judges} judges: opened in {seen.open_seconds:.1f} s, "
        f"a batch of {seen.pairs} pairs in {seen.batch_seconds:.1f} s, the next one in {seen.next_seconds:.1f} s, "
        f"{seen.megabytes:.0f} MB at most"
    )
    print(
        f"catalogue: {catalogue.SMALL_ANSWERS} answers about {catalogue.SMALL_ROWS} rows, {seeds} studies: the exact posterior "
        f"orders {good.exact:.1%} of the pairs of rows as the judges would, the sparse model {good.sparse:.1%}; their utilities "
        f"have a correlation of {good.agreement:.3f}"
    )
    catalogue.check(seen)


PARTS: dict[str, tuple[Callable[[str, float, int], None], tuple[str, ...]]] = {
    "kills": (run_kills, ENGINES),
    "failures": (run_failures, ENGINES),
    "figures": (run_figures, ENGINES),
    "swarm": (run_swarm, ("postgresql",)),
    "shared": (run_shared, ("postgresql",)),
    "requests": (run_requests, ("sqlite",)),
    "clients": (run_clients, ("sqlite",)),
    "soak": (run_soak, ("sqlite",)),
    "catalogue": (run_catalogue, ("sqlite",)),
}
"""What there is to run, and on which engines."""


def main() -> int:
    """Run the parts that were asked for, on the engines that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="both by default")
    parser.add_argument("--size", type=float, default=1.0, help="1 is full size")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if set(given.parts) - set(PARTS):
        parser.error(f"part: allowed are {', '.join(PARTS)}")
    broken = 0
    for part in given.parts or PARTS:
        run, engines = PARTS[part]
        for engine in [engine for engine in engines if engine in (given.engine or ENGINES)]:
            try:
                run(engine, given.size, given.seed)
            except AssertionError as error:
                broken += 1
                print(f"{part}, {engine}: BROKEN: {error}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

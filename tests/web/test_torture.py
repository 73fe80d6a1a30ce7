"""A twentieth of what `make torture` does to the service; fewer requests, because a twentieth of a million takes minutes."""

import os
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks.torture import catalogue, clients, failures, postgres, processes, service_kills, soak
from benchmarks.torture.requests import by_document, from_what_is_there, target
from benchmarks.torture.swarm import JUDGES, SECONDS, swarm

SHARE = 20
REQUESTS = {by_document: 200, from_what_is_there: 1_500}


@pytest.mark.parametrize("generate", [by_document, from_what_is_there])
def test_generated_requests_never_end_in_a_5xx_and_refused_ones_write_nothing(generate):
    count = REQUESTS[generate]
    with target() as service:
        generate(service, count, lambda: None)
        assert service.tally.requests >= count
        assert min(service.tally.statuses[status] for status in (200, 201, 404, 409, 422)) > 0


@pytest.mark.parametrize("studies", [4, 1])
def test_many_judges_and_several_servers_lose_nothing(studies):
    with postgres.server() as url:
        account = swarm(url, JUDGES // SHARE, studies, seconds=SECONDS / SHARE * 2)
    assert account.acknowledged
    assert account.pooled > 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has many loopback addresses by default")
def test_slow_half_open_and_huge_clients_cost_little():
    seen = clients.torment(clients.CLIENTS // SHARE, 2.0)
    assert seen.refused == []
    assert seen.calm
    assert seen.tormented
    assert 0 < seen.peak <= 400


HARNESS = """
import sys, time
from benchmarks.torture import postgres, processes
with postgres.cluster() as cluster, processes.running(cluster.url) as served:
    print(served.pid, *processes.descendants(served.pid), (cluster.data / "postmaster.pid").read_text().split()[0], flush=True)
    time.sleep(3600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells in /proc who started whom")
def test_a_killed_harness_leaves_no_server_behind():
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", HARNESS], stdout=subprocess.PIPE, text=True, cwd=root) as harness:
        started = [int(pid) for pid in harness.stdout.readline().split()]
        harness.kill()
    assert len(started) >= 2  # the server and the database
    processes.wait_for(lambda: not service_kills.alive(started), 300, f"the end of {started}")


SOAKED = {"studies": 6, "look_seconds": 0.4, "sample_seconds": 0.3, "answers": 12}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process takes in /proc")
def test_ordinary_use_leaves_nothing_behind(tmp_path):
    seen = soak.soak(f"sqlite:///{tmp_path / 'soak.db'}", 12.0, **SOAKED)
    soak.check(seen, most_growth=0.25, most_more=20)
    assert set(seen.done) == {"studies", "answers", "undone", "looks", "files"}
    assert seen.level("processes") >= 4  # server, worker, a helper that proposes, one that computes results


def leaking(url, port, pipe):
    """A server that gives nothing back: 40 MB and ten files a second."""
    threading.Thread(target=leak, daemon=True).start()
    processes.serve(url, port, pipe)


def leak():
    kept = []
    while True:
        kept.append((b"x" * (4 << 20), os.dup(0)))
        time.sleep(0.1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process takes in /proc")
def test_a_server_that_leaks_would_be_noticed(tmp_path):
    few = SOAKED | {"studies": 2, "look_seconds": 0.1, "answers": 4}
    seen = soak.soak(f"sqlite:///{tmp_path / 'soak.db'}", 8.0, target=leaking, **few)
    with pytest.raises(AssertionError, match="memory grew by"):
        soak.check(seen, most_growth=0.25, most_more=20)
    with pytest.raises(AssertionError, match="files grew by"):
        soak.check(seen, most_growth=100, most_more=20)


def test_growth_is_the_slope_of_most_samples():
    steady = [(float(k), 100.0 + (k % 3)) for k in range(60)]
    odd = [(at, 900.0 if at in (10, 50) else value) for at, value in steady]
    leaky = [(at, value + 0.5 * at) for at, value in odd]
    assert abs(soak.growth(odd)) < 0.5
    assert soak.growth(leaky) == pytest.approx(0.5 * 59, rel=0.05)


def check_failure(outcome):
    assert outcome.load.answers >= 2 * failures.ANSWERS
    assert outcome.unavailable >= failures.REFUSALS
    assert set(outcome.load.said) == {"the database is not available: try again"}


@pytest.mark.skipif(sys.platform != "linux", reason="disks are mounted, and limits set, as Linux does")
def test_a_full_disk_is_survived():
    check_failure(failures.full_disk(1.0))


@pytest.mark.skipif(sys.platform != "linux", reason="limits are set as Linux does")
def test_a_file_that_may_not_grow_is_survived(monkeypatch):
    monkeypatch.setattr(failures.shutil, "which", lambda _: None)  # there is no mount
    outcome = failures.full_disk(1.0)
    check_failure(outcome)
    assert "instead" in outcome.means


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_a_database_that_somebody_else_locks_is_waited_for(engine, tmp_path):
    with postgres.server() if engine == "postgresql" else nullcontext(f"sqlite:///{tmp_path / 'x.db'}") as url:
        check_failure(failures.locked(failures.impatient(url), 1.0))


def test_a_database_that_is_stopped_for_a_while_is_waited_for():
    with postgres.cluster() as cluster:
        check_failure(failures.stopped(cluster, 1.0))


@pytest.mark.skipif(sys.platform != "linux", reason="libfaketime comes with Debian")
def test_the_clock_may_be_moved_forth_and_back(tmp_path):
    outcome = failures.moved_clock(f"sqlite:///{tmp_path / 'x.db'}", 0.0, ("+1h", "-1h"))
    assert outcome.load.answers >= 4 * failures.ANSWERS


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process takes in /proc")
def test_a_catalogue_that_many_have_judged_takes_little(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    url = f"sqlite:///{tmp_path / 'catalogue.db'}"
    catalogue.store(url, 250, 5_000, 250)
    seen = catalogue.measure(url)
    catalogue.check(seen, most_megabytes=300, most_seconds=600)
    with pytest.raises(AssertionError, match="MB"):
        catalogue.check(seen, most_megabytes=50)


def test_the_sparse_model_orders_candidates_as_well_as_the_exact_one():
    seen = catalogue.quality(rows=40, answers=120, seeds=2)
    assert seen.sparse > seen.exact - 0.05
    assert seen.exact > 0.75
    assert seen.agreement > 0.85

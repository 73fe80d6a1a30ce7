"""A small part of what `make torture` does, which prints how it went: it takes seconds until a killed server is there again."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("engine", "victims"),
    [("sqlite", "server 2, worker 2, helper 2"), ("postgresql", "server 1, worker 1, helper 1, database 2")],
)
def test_what_is_killed_at_any_moment_loses_nothing_that_was_acknowledged(engine, victims):
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.torture", "kills", "--size", "0.02", "--engine", engine],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    writers, service = run.stdout.splitlines()
    assert int(re.search(r"10 kills, (\d+) answers acknowledged, none lost", writers)[1]) >= 9
    assert int(re.search(rf"kills \({victims}\), (\d+) answers acknowledged, none lost", service)[1]) >= 16


def test_what_storing_costs_can_be_measured():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.torture", "figures", "--size", "0.01", "--engine", "sqlite"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert [line.split(":")[1].split()[0] for line in run.stdout.splitlines()] == ["open", "append", "list"]


def test_an_answer_that_is_lost_would_be_noticed(tmp_path):
    import prefero as pf
    from benchmarks.torture import kills

    url = f"sqlite:///{tmp_path / 'tuning.db'}"
    pf.Study.create(kills.SPACE, name="x", storage=url, proposer=kills.anywhere).close()
    with pytest.raises(AssertionError, match=r"acknowledged and lost: .*'7-1'"):
        kills._check(url, "x", ["7-1"])


def test_an_answer_of_a_judge_that_is_lost_would_be_noticed(tmp_path):
    from benchmarks.torture.insistent import SPACE, Account, check
    from prefero.storage.database import Database

    with Database(f"sqlite:///{tmp_path / 'tuning.db'}") as storage:
        import prefero as pf

        with pf.Study.create(SPACE, name="x", storage=storage, seed=0) as study:
            study.tell(study.ask(), "a", answer_id="kept")
        check(storage, ["x"], Account(acknowledged={"kept": ("x", 0)}))
        with pytest.raises(AssertionError, match="what is stored is not what was acknowledged"):
            check(storage, ["x"], Account(acknowledged={"kept": ("x", 0), "lost": ("x", 1)}))

"""A twentieth of what `make torture` does, which prints how it went."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_a_writer_killed_at_any_moment_loses_nothing_that_was_acknowledged(engine):
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.torture", "kills", "--size", "0.05", "--engine", engine],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    kills, answers = re.search(r"(\d+) kills, (\d+) answers acknowledged, none lost", run.stdout).groups()
    assert int(kills) == 10
    assert int(answers) >= 9


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

"""The campaign: planned, made once, resumed after a kill, adopted, carried out by a cluster that loses a worker."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import blackbox, results
from benchmarks.environments import ROOT
from benchmarks.methods import METHODS
from benchmarks.named import problem_named
from benchmarks.paper import __main__ as command
from benchmarks.paper import campaign, rawdata
from benchmarks.paper.experiments import EXPERIMENTS
from benchmarks.paper.plan import SCALES, Share, all_keys, in_turn, round_of, scaled, seeds_in_words
from benchmarks.problems import SETS
from benchmarks.results import Key, Run

PATIENCE = 400.0
TOY = scaled(EXPERIMENTS, SCALES["toy"])


def run(method: str = "glisp", seed: int = 0, problem: str = "adjiman") -> Run:
    return Run(method, problem, seed, "none", [1.0, 0.5], [0.0, 0.002], 2, [0.0, 0.0])


def planned(*names: str) -> set[Key]:
    return set(all_keys([experiment for experiment in TOY if experiment.name in names]))


def arguments(folder: Path, *more: str) -> list[str]:
    folders = ["--docs", str(folder / "docs"), "--out", str(folder / "docs")]
    return ["--scale", "toy", "--raw", str(folder / "raw.jsonl"), *folders, *more]


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


def rows(raw: Path) -> int:
    return raw.read_bytes().count(b"\n") if raw.exists() else 0


def start(*command_line: str, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-m", *command_line], cwd=ROOT, stderr=stderr, text=True)


@contextmanager
def started(*command_line: str) -> Iterator["subprocess.Popen[str]"]:
    process = start(*command_line)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


# The plan ------------------------------------------------------------------------------------------------------------


def test_every_run_of_the_plan_exists_and_is_named_once() -> None:
    keys = all_keys(EXPERIMENTS)
    assert len(keys) == len(set(keys))
    for method, problem, _, noise in keys:
        assert method in METHODS
        assert not problem_named(problem).constraint or METHODS[method].constraints
        command.executors.parse_noise(noise)
    order = [(METHODS[key[0]].is_peer, round_of(key)) for key in keys]
    assert order == sorted(order)  # ours first, then seed by seed


def test_the_plan_covers_what_is_promised() -> None:
    keys = all_keys(EXPERIMENTS)
    ten = {(m, p): 0 for m in METHODS for p in ("adjiman", "rosenbrock8")}
    for method, problem, _, noise in keys:
        if (method, problem) in ten and noise == "none":
            ten[method, problem] += 1
    assert all(ten[m, "rosenbrock8"] == 20 for m in ("glisp", "glisp-pi", "pbo", "posterior", "random"))
    assert all(ten[m, "rosenbrock8"] >= 3 for m in ("glis", "glis-pi", "botorch-lognei", "botorch-eubo", "optuna"))
    kinds = {"none", "flips:0.05", "flips:0.1", "flips:0.2", "logistic:0.02", "unsure:0.02", "inconsistent:0.15"}
    assert {noise for *_, noise in keys} == kinds
    assert {problem_named(problem).dimension for _, problem, _, _ in keys} >= {1, 20}
    assert max(problem_named(problem).samples for _, problem, _, _ in keys) == 501


def test_bbob_has_every_function_dimension_and_ten_instances_with_a_seed_each() -> None:
    keys = [key for key in all_keys(EXPERIMENTS) if blackbox.parts_of(key[1])]
    ours = {key[1:3] for key in keys if key[0] == "posterior"}
    assert len(ours) == 24 * 4 * 10
    assert all(seed == blackbox.seed_of(problem) for problem, seed in ours)
    told = {key[1] for key in keys if key[0] == "botorch-logei"}
    assert sum("-2d-" in name for name in told) == 240


def test_the_quick_campaign_needs_no_torch_and_the_toy_no_peer() -> None:
    quick, toy = ({key[0] for key in all_keys(scaled(EXPERIMENTS, SCALES[name]))} for name in ("quick", "toy"))
    assert {METHODS[method].environment for method in quick} == {None, "glis"}
    assert toy == {"glisp", "random"}


def test_sections_about_the_same_runs_have_the_same_in_an_evening() -> None:
    needs = {e.name: set(e.needs()) for e in scaled(EXPERIMENTS, SCALES["evening"])}
    assert needs["cpu"] == needs["questions"] == needs["ten"]
    assert {key[0] for key in needs["cpu"]} == {"glisp", "glisp-pi", "pbo", "posterior", "random", "glis"}


def test_seeds_are_said_in_words() -> None:
    words = dict(seeds_in_words(EXPERIMENTS))
    slow = ("botorch-lognei", "botorch-eubo", "botorch-eubo-pairs", "optuna", "optuna-gp", "botorch-logei")
    assert words["BBOB, the headline"].endswith(f"1 to 10 for {' and '.join(slow)}")
    assert words["Turned functions"].startswith("20 for glisp and posterior")
    assert words["Turned functions"].endswith("10 for glisp-pi and pbo and glis")


# Raw results ---------------------------------------------------------------------------------------------------------


def test_runs_made_elsewhere_are_adopted_once_and_only_if_planned(tmp_path: Path) -> None:
    raw, elsewhere = tmp_path / "raw.jsonl", tmp_path / "elsewhere.jsonl"
    for one in (run(seed=0), run(seed=1), run(seed=1), run(seed=99)):
        results.append(elsewhere, one)
    with elsewhere.open("a") as file:
        file.write('{"method": "gli')  # its campaign is still writing
    wanted = [run(seed=seed).key for seed in range(5)]
    assert campaign.adopt([elsewhere], raw, wanted) == 2
    assert campaign.adopt([elsewhere], raw, wanted) == 0
    assert [r.seed for r in results.read(raw)] == [0, 1]


def test_the_reports_own_raw_data_can_be_continued(tmp_path: Path) -> None:
    raw, reported = tmp_path / "raw.jsonl", tmp_path / "benchmarks.csv.gz"
    rawdata.write(reported, [run(seed=0), run(seed=1)], EXPERIMENTS)
    assert campaign.adopt([reported], raw, [run(seed=seed).key for seed in range(5)]) == 2
    assert [r.key for r in results.read(raw)] == [run(seed=0).key, run(seed=1).key]


def test_a_run_written_twice_counts_once(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    for one in (run(), run(), run(seed=1)):
        results.append(raw, one)
    assert len(campaign.stored(raw)) == 2


def test_methods_that_have_changed_are_forgotten(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    for one in (run("posterior"), run("glisp"), run("posterior", 1)):
        results.append(raw, one)
    assert campaign.forget(["posterior"], raw) == 2
    assert campaign.forget(["posterior"], raw) == 0
    assert [r.method for r in results.read(raw)] == ["glisp"]
    assert list(tmp_path.iterdir()) == [raw]


def test_a_run_that_the_machinery_lost_is_named_and_not_written(tmp_path: Path) -> None:
    def submit(key: Key) -> "Future[Run]":
        future: Future[Run] = Future()
        if key[2] == 1:
            future.set_exception(RuntimeError("the worker died four times"))
        else:
            future.set_result(run(seed=key[2]))
        return future

    raw = tmp_path / "raw.jsonl"
    failures = campaign.make_all([run(seed=seed).key for seed in range(3)], submit, raw)
    assert failures == ["glisp, adjiman, seed 1, noise none: RuntimeError: the worker died four times"]
    assert sorted(r.seed for r in results.read(raw)) == [0, 2]


# The command ---------------------------------------------------------------------------------------------------------


def test_a_toy_campaign_runs_reports_and_reports_the_same_from_its_raw_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments(tmp_path, "--only", "ten", "noise")) == 0
    runs = results.read(tmp_path / "raw.jsonl")
    assert len(runs) == len({r.key for r in runs})
    assert {r.key for r in runs} == planned("ten", "noise")
    assert all(r.status == "ok" and r.wall and r.machine and r.commit for r in runs)
    assert all(r.calibrating for r in runs if r.method == "glisp")
    docs, again = tmp_path / "docs", tmp_path / "again"
    text = (docs / "benchmarks.md").read_text()
    assert "planned runs are missing" in text
    assert command.main(["--scale", "toy", "--out", str(again), "--report", str(docs / "benchmarks.csv.gz")]) == 0
    files = sorted(path.relative_to(docs) for path in docs.rglob("*") if path.is_file())
    assert len(files) > 5
    for file in files:
        assert (docs / file).read_bytes() == (again / file).read_bytes(), file
    assert command.main(arguments(tmp_path, "--only", "ten", "noise")) == 0
    assert results.read(tmp_path / "raw.jsonl") == runs
    assert "0 still to be made" in capsys.readouterr().err


def test_what_is_made_again_is_not_adopted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reported = tmp_path / "benchmarks.csv.gz"
    method, problem, seed, noise = min(planned("ten"))
    rawdata.write(reported, [replace(run(method, seed), problem=problem, noise=noise)], EXPERIMENTS)
    told = []
    for more in ([], ["--adopt", str(reported)], ["--adopt", str(reported), "--again", method]):
        assert command.main(arguments(tmp_path, "--only", "ten", "--plan", *more)) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[2] != told[1]


def test_a_campaign_killed_at_any_moment_goes_on(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    with started("benchmarks.paper", *arguments(tmp_path, "--only", "ten", "noise")) as process:
        until(lambda: rows(raw) >= 2 or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = raw.read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    raw.write_bytes(before + b'{"method": "glisp", "prob')  # the worst moment: in the middle of a line
    assert command.main(arguments(tmp_path, "--only", "ten", "noise")) == 0
    assert raw.read_bytes().startswith(before)
    runs = results.read(raw)
    assert len(runs) == len({r.key for r in runs})
    assert {r.key for r in runs} == planned("ten", "noise")


@pytest.mark.parametrize(
    ("more", "needle"),
    [
        (["--scale", "huge"], "unknown scale huge: allowed are full, quick, evening, toy"),
        (["--only", "eleven"], "unknown experiment eleven: allowed are "),
        (["--again", "nobody"], "unknown method nobody"),
        (["--executor", "cloud"], "unknown executor cloud: allowed are processes, dask"),
        (["--executor", "dask"], "--dask tcp://host:port"),
        (["--dask", "nonsense://here"], "no scheduler answers there"),
        (["--adopt", "no-such.jsonl"], "no-such.jsonl: no such file"),
        (["--report", "no-such.csv.gz"], "no-such.csv.gz: no such file"),
        (["--jobs", "0"], "--jobs must be at least 1"),
    ],
)
def test_what_cannot_be_is_one_line(
    more: list[str], needle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments(tmp_path, *more)) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert needle in errors[0]
    assert not (tmp_path / "docs").exists()


def test_the_plan_can_be_read_without_running_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--plan", "--raw", str(tmp_path / "deep" / "raw.jsonl")]) == 0
    assert not list(tmp_path.iterdir())
    text = capsys.readouterr().out
    assert "still to be made" in text
    assert "5 for glis-pi and botorch-eubo, 3 for botorch-lognei and optuna" in text


# A cluster -----------------------------------------------------------------------------------------------------------


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list["subprocess.Popen[str]"]]]:
    """A Dask scheduler and two workers, each a process of its own; the address and the workers."""
    file = folder / "scheduler.json"
    worker = ("distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny")
    scheduler = ("distributed.cli.dask_scheduler", "--port", "0", "--scheduler-file", str(file))
    quiet = ("--no-dashboard",)
    with started(*scheduler, *quiet) as lead:
        until(lambda: file.exists() or lead.poll() is not None)
        assert lead.poll() is None
        with started(*worker, *quiet) as first, started(*worker, *quiet) as second:
            yield json.loads(file.read_text())["address"], [first, second]


def test_a_cluster_that_loses_a_worker_loses_no_run_and_counts_none_twice(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    with cluster(tmp_path) as (address, workers):
        only = ("ten", "turned", "noise")
        told = arguments(tmp_path, "--only", *only, "--dask", address)
        process = start("benchmarks.paper", *told, stderr=subprocess.PIPE)
        until(lambda: rows(raw) >= 2 or process.poll() is not None)
        assert process.poll() is None
        os.kill(workers[0].pid, signal.SIGKILL)
        made = rows(raw)
        _, complaints = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, complaints
        assert workers[0].wait() == -signal.SIGKILL
        assert workers[1].poll() is None
    runs = results.read(raw)
    assert made < len(runs)
    assert len(runs) == len({r.key for r in runs})
    assert {r.key for r in runs} == planned(*only)
    assert {r.status for r in runs} == {"ok"}


def test_a_campaign_that_is_stopped_has_what_matters_most() -> None:
    shares = (Share(seeds=1, methods=frozenset({"glis"}), experiments=frozenset({"ten"})), Share(seeds=1))
    keys = in_turn(EXPERIMENTS, shares)
    ten = [problem.name for problem in SETS["ten"]]
    assert keys[:10] == [("glis", name, 0, "none") for name in ten]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(all_keys(scaled(EXPERIMENTS, shares)))


def test_every_third_problem_is_of_every_class_of_functions() -> None:
    share = Share(seeds=1, methods=frozenset({"optuna"}), samples=30, experiments=frozenset({"bbob"}), every=3)
    functions = [blackbox.function_of(problem) for _, problem, _, _ in in_turn(EXPERIMENTS, [share])]
    assert functions == list(range(1, 25, 3))
    assert all(set(functions) & set(members) for members in blackbox.CLASSES.values())

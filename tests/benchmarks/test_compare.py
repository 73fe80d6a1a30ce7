"""The command: plan, run, resume, report, and one clear line for what cannot be."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import compare, provenance, results
from benchmarks.conversation import Driver
from benchmarks.environments import REQUIREMENTS, requirement_groups
from benchmarks.methods import METHODS, Method
from benchmarks.problems import PROBLEMS, range_of
from benchmarks.progress import Progress
from benchmarks.report import report
from benchmarks.results import Run

FAKE = Method("tests.benchmarks.fake_driver", constraints=True)
BROKEN = Method("tests.benchmarks.fake_driver", options={"misbehave": "raise", "after": 0})


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "fake", FAKE)
    monkeypatch.setitem(METHODS, "broken", BROKEN)


def run(method: str, regret: float, seed: int = 0, problem: str = "adjiman", status: str = "ok") -> Run:
    return Run(method, problem, seed, "none", [1.0, regret], [0.0, 0.002], 2, [0.0, 0.0], status=status)


def command(out: Path, *more: str, methods: tuple[str, ...] = ("fake", "random")) -> list[str]:
    return [*methods, "--problems", "adjiman", "camelsixhumps", "--seeds", "2", "--out", str(out), *more]


def test_a_comparison_writes_every_run_and_prints_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "raw.jsonl"
    assert compare.main(command(out)) == 0
    runs = results.read(out)
    assert {r.key for r in runs} == {
        (method, problem, seed, "none")
        for method in ("fake", "random")
        for problem in ("adjiman", "camelsixhumps")
        for seed in (0, 1)
    }
    for r in runs:
        assert len(r.regrets) == PROBLEMS[r.problem].samples - 1
        assert r.regret == pytest.approx(
            PROBLEMS[r.problem](np.array(r.recommended)) - PROBLEMS[r.problem].minimum, rel=1e-4
        )
        assert r.machine.count(", ") >= 2
        assert r.commit == provenance.commit() != ""
    text = capsys.readouterr().out
    assert "median / random" in text
    assert "camelsixhumps" in text


def test_outside_a_checkout_the_commit_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    assert provenance.commit.__wrapped__() == provenance.UNKNOWN
    assert provenance.dirty.__wrapped__()


def test_resume_runs_only_what_is_missing(tmp_path: Path) -> None:
    out = tmp_path / "raw.jsonl"
    assert compare.main(command(out)) == 0
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:5]) + lines[5][:20])  # as if the machine had stopped while writing
    assert compare.main(command(out, "--resume")) == 0
    assert out.read_text().splitlines(keepends=True)[:5] == lines[:5]
    assert len(results.read(out)) == 8
    before = out.read_text()
    assert compare.main(command(out, "--resume")) == 0
    assert out.read_text() == before


def test_the_same_command_gives_the_same_regrets_on_one_worker_or_two(tmp_path: Path) -> None:
    regrets = []
    for name, jobs in (("one", "1"), ("two", "2")):
        out = tmp_path / name
        assert compare.main(command(out, "--noise", "flips:0.1", "--jobs", jobs)) == 0
        regrets.append({r.key: r.regrets for r in results.read(out)})
    assert regrets[0] == regrets[1]


def test_report_only_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "raw.jsonl"
    for seed in range(3):
        results.append(out, run("fake", 0.01, seed))
        results.append(out, run("random", 0.04, seed))
    before = out.read_text()
    assert compare.main(["--report", str(out)]) == 0
    assert out.read_text() == before
    text = capsys.readouterr().out
    assert "0.25 [0.25, 0.25]" in text


def test_a_run_without_any_answer_counts_as_a_typical_point(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "raw.jsonl"
    assert compare.main(command(out, methods=("random", "broken"))) == 0
    failed = [r for r in results.read(out) if r.method == "broken"]
    assert [r.regret for r in failed] == pytest.approx([range_of(PROBLEMS[r.problem]) for r in failed], rel=1e-5)
    assert {r.status for r in failed} == {"RuntimeError: the matrix is singular"}
    assert "Failed runs: 4" in capsys.readouterr().out


def test_a_constrained_problem_reaches_the_driver_by_name(tmp_path: Path) -> None:
    out = tmp_path / "raw.jsonl"
    assert compare.main(["random", "--set", "sasena", "--seeds", "2", "--out", str(out)]) == 0
    assert [r.violation for r in results.read(out)] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        (["nobody"], "unknown method nobody: allowed are glisp"),
        (["random", "--problems", "mystery"], "unknown problem mystery: allowed are brochu-2d"),
        (["random", "--set", "eleven"], "unknown set eleven: allowed are ten"),
        (["random", "--noise", "loud"], "--noise loud: allowed are none"),
        (["random", "--noise", "flips:2"], "--noise flips:2: allowed are none"),
        (["random", "--seeds", "0"], "must be at least 1"),
        (["optuna", "--set", "sasena"], "unknown method for a problem with constraints optuna"),
        (["random", "--against", "me"], "unknown method me"),
        (["--report", "no-such-file.jsonl"], "no such file"),
        ([], "no method given"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(
    arguments: list[str], needle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare.main([*arguments, "--out", str(tmp_path / "raw.jsonl")]) == 2
    captured = capsys.readouterr()
    assert needle in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not (tmp_path / "raw.jsonl").exists()


def test_existing_results_are_not_touched_without_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "raw.jsonl"
    out.write_text("precious\n")
    assert compare.main(command(out)) == 2
    assert out.read_text() == "precious\n"
    assert "--resume" in capsys.readouterr().err
    assert compare.main(command(out, "--resume")) == 2
    assert "line 1: not a benchmark result" in capsys.readouterr().err


def test_peers_may_have_fewer_seeds() -> None:
    noise = compare.parse_noise("none")
    jobs = list(compare.jobs_of(["glisp", "glis"], [PROBLEMS["adjiman"]], seeds=4, peer_seeds=2, noise=noise))
    assert [(job.method, job.seed) for job in jobs] == [
        ("glisp", 0),
        ("glis", 0),
        ("glisp", 1),
        ("glis", 1),
        ("glisp", 2),
        ("glisp", 3),
    ]


def test_every_method_meets_the_same_person() -> None:
    noise, problem = compare.parse_noise("logistic"), PROBLEMS["adjiman"]
    pairs = np.random.default_rng(0).uniform(problem.lower, problem.upper, (50, 2, 2))
    first, second = (noise.person(problem, 3) for _ in range(2))
    assert [first(a, b) for a, b in pairs] == [second(a, b) for a, b in pairs]


def test_who_is_unsure_sees_what_the_logistic_person_sees_and_never_calls_it_the_same() -> None:
    problem = PROBLEMS["adjiman"]
    pairs = np.random.default_rng(0).uniform(problem.lower, problem.upper, (300, 2, 2))
    logistic, unsure = (
        [person(a, b) for a, b in pairs]
        for person in (compare.parse_noise(kind).person(problem, 3) for kind in ("logistic", "unsure"))
    )
    assert 0 in logistic
    assert 0 not in unsure
    assert all(same in (0, strict) for same, strict in zip(logistic, unsure, strict=True))


def test_the_start_line_says_nothing_about_the_function() -> None:
    job = compare.Job("glis", PROBLEMS["ackley"], 7, compare.parse_noise("none"))
    line = json.loads(json.dumps(compare.start_line(job)))
    assert line["initial"] == 25
    assert line["sigma"] == pytest.approx(1 / 75)
    assert "ackley" not in json.dumps(line)


def test_the_report_floors_counts_failures_and_names_the_best_peer() -> None:
    runs = [run("glisp", 1e-15, seed) for seed in range(3)]
    runs += [run("glis", 1e-12, seed) for seed in range(3)] + [run("optuna", 0.5, 0, status="Cholesky failed")]
    text = report(runs)
    assert "1 [1, 1]" in text
    assert "glisp against the best peer of each problem" in text
    assert "Failed runs: 1" in text
    assert "optuna on adjiman, seed 0: Cholesky failed" in text
    assert "median better on 0 of 1" in text


def test_proposals_are_timed_without_the_initial_design() -> None:
    r = Run("fake", "adjiman", 0, "none", [1.0] * 4, [0.1, 0.2, 0.3, 0.4], 3, [0.0, 0.0])
    assert r.proposal_seconds == [0.3, 0.4]


def test_a_peers_requirements_are_pinned_and_name_no_place() -> None:
    for name in {method.environment for method in METHODS.values() if method.environment}:
        groups = requirement_groups((REQUIREMENTS / f"{name}.txt").read_text())
        assert all(line.count("==") == 1 for group in groups for line in group)
        assert not any(mark in line for group in groups for line in group for mark in ("/", "@", "+"))
        if name != "glis":
            assert groups[0] == ["torch==2.13.0"]


def test_progress_says_how_far_and_how_long() -> None:
    bar = Progress(4)
    bar.advance("first")
    assert bar.line(10.0) == "[######..................] 1/4  0:10 gone, about 0:30 left"


def test_progress_counts_work_where_pieces_differ() -> None:
    bar = Progress(4, work=10.0)
    bar.advance("first", 2.5)
    assert bar.line(10.0) == "[######..................] 1/4  0:10 gone, about 0:30 left"


def test_the_benchmarks_import_without_any_peer() -> None:
    assert not {"glis", "torch", "botorch", "optuna"} & set(sys.modules)
    with compare.open_driver(FAKE) as driver:
        assert isinstance(driver, Driver)

"""The BBOB command: the functions are what they claim, runs are paired, unseen instances stay unseen."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks import bbob, blackbox, paired, results, suite
from benchmarks.compare import UsageError
from benchmarks.methods import Method
from benchmarks.results import Run

FAKE = Method("tests.benchmarks.fake_driver")


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Seven samples in 2-D, in this test alone."""
    monkeypatch.setitem(blackbox.SAMPLES, 2, 7)
    blackbox.problem_of.cache_clear()
    yield
    blackbox.problem_of.cache_clear()


def run(method: str, problem: str, regret: float, seed: int = 1) -> Run:
    return Run(method, problem, seed, "exact", [1.0, regret], [0.0, 0.002], 2, [0.0, 0.0], commit="abc")


@pytest.mark.parametrize("function", blackbox.FUNCTIONS)
def test_the_optimum_is_zero_and_a_typical_point_is_one(function: int) -> None:
    problem = blackbox.problem_of(function, 2, 1)
    points = np.random.default_rng(3).uniform(problem.lower, problem.upper, (4000, 2))
    values = problem.function(points)
    assert values.min() > 0
    assert np.median(values) == pytest.approx(1.0, rel=0.25)
    assert problem(points[7]) == pytest.approx(values[7])


def test_the_budgets_are_those_of_the_dimensions() -> None:
    assert [blackbox.problem_of(1, n, 1).samples for n in (2, 3, 5, 10)] == [30, 40, 60, 80]


def test_every_function_has_one_class() -> None:
    assert sorted(number for numbers in blackbox.CLASSES.values() for number in numbers) == list(blackbox.FUNCTIONS)


def test_logistic_noise_is_added_to_the_difference_and_flips_are_opposite_answers() -> None:
    problem = blackbox.problem_of(1, 2, 1)
    pairs = np.random.default_rng(0).uniform(-5, 5, (400, 2, 2))
    truth = np.array([np.sign(problem(a) - problem(b)) for a, b in pairs])
    wrong = {}
    for text in ("exact", "logistic:0.02", "logistic:0.5", "flip:0.1"):
        person = bbob.parse_noise(text).person(problem, 5)
        wrong[text] = np.mean(np.array([person(a, b) for a, b in pairs]) != truth)
    assert wrong["exact"] == 0
    assert 0 < wrong["logistic:0.02"] < 0.1 < wrong["logistic:0.5"]
    assert wrong["flip:0.1"] == pytest.approx(0.1, abs=0.05)


@pytest.mark.usefixtures("few_samples")
def test_the_command_runs_our_proposers_and_a_driver_on_the_same_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(suite.METHODS, "fake", FAKE)
    out = tmp_path / "new" / "raw.jsonl"
    methods = ["default", 'posterior:{"noise": 0.3}', "fake"]
    command = [*methods, "--functions", "1,20", "--dimensions", "2", "--instances", "1-2", "--out", str(out)]
    assert bbob.main(command) == 0
    runs = results.read(out)
    assert {r.status for r in runs} == {"ok"}
    assert {len(r.regrets) for r in runs} == {6}
    assert {r.key for r in runs} == {
        (method, f"f{function:02d}-2d-i{instance:02d}", 1000 * function + instance, "exact")
        for method in methods
        for function in (1, 20)
        for instance in (1, 2)
    }
    text = capsys.readouterr().out
    assert "difference to default on the same runs" in text
    assert "weak structure" in text
    assert "multimodal" not in text
    before = out.read_text()
    assert bbob.main([*command, "--resume"]) == 0
    assert out.read_text() == before


def test_differences_are_paired_and_have_standard_errors() -> None:
    ours = [run("ours", f"f01-2d-i{k:02d}", regret) for k, regret in enumerate((0.001, 0.01, 0.1, 0.02), start=1)]
    theirs = [run("theirs", f"f01-2d-i{k:02d}", regret) for k, regret in enumerate((0.01, 0.1, 0.1), start=1)]
    found = paired.paired(paired.regrets_of(ours), paired.regrets_of(theirs), paired.log_regret)
    assert found.runs == 3  # what only one of them ran does not count
    assert found.mean == pytest.approx(-2 / 3)
    assert found.error == pytest.approx(1 / 3)
    shares = paired.paired(paired.regrets_of(ours), paired.regrets_of(theirs), paired.within(0.01))
    assert shares.mean == pytest.approx(100 / 3)


def test_a_regret_below_the_floor_counts_as_the_floor() -> None:
    assert paired.log_regret(np.array([1e-9, 0.0, -1e-12])) == pytest.approx([-3.0] * 3)


def test_the_report_compares_files_and_names_failures_and_commits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, regret in (("before", 0.1), ("after", 0.01)):
        for instance in (1, 2, 3):
            results.append(tmp_path / f"{name}.jsonl", run("default", f"f15-5d-i{instance:02d}", regret))
    files = [str(tmp_path / f"{name}.jsonl") for name in ("before", "after")]
    assert bbob.main(["--report", *files]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("multimodal")]
    assert lines[0][1:6] == ["before/default", "3", "0.0", "0.0", "-1.000"]
    differences = "+100.0 ± 0.0 +100.0 ± 0.0 -1.000 ± 0.000"
    assert " ".join(lines[1][1:]) == f"after/default 3 100.0 100.0 -2.000 {differences}"
    bad = Run("default", "f01-2d-i09", 1, "exact", [1.0], [], 1, [], status="it broke", commit="def")
    results.append(tmp_path / "before.jsonl", bad)
    assert bbob.main(["--report", files[0]]) == 0
    text = capsys.readouterr().out
    assert "default: 1 of 4 runs failed: it broke" in text
    assert "several commits: abc, def" in text


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        ([], "no method given"),
        (["nobody"], "unknown method nobody: allowed are default"),
        (["posterior:{"], "after the colon must be a JSON object"),
        (["posterior:3"], "must be a JSON object, got 3"),
        (['posterior:{"hop": 1}'], "settings of posterior"),
        (['posterior:{"noise": -1}'], "noise: got -1"),
        (["default", "--instances", "41"], "allowed are 1 to 40; others are for a final test with --unseen"),
        (["default", "--instances", "x"], "must be a list of whole numbers"),
        (["default", "--functions", "25"], "--functions 25: allowed are 1 to 24"),
        (["default", "--dimensions", "4"], "--dimensions 4: allowed are 2, 3, 5, 10"),
        (["default", "--noise", "loud"], "--noise loud: allowed are exact"),
        (["default", "--noise", "flip"], "--noise flip: allowed are exact"),
        (["default", "--jobs", "0"], "--jobs must be at least 1"),
        (["optuna-gp", "--noise", "flip:0.1"], "optuna-gp is told numbers"),
        (["--report", "no-such-file.jsonl"], "no such file"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(
    arguments: list[str], needle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bbob.main([*arguments, "--out", str(tmp_path / "raw.jsonl")]) == 2
    captured = capsys.readouterr()
    assert needle in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "raw.jsonl").exists()


def test_unseen_instances_are_planned_only_if_the_command_says_so() -> None:
    arguments = bbob.parser().parse_args(["default", "--instances", "41-42", "--functions", "1", "--dimensions", "2"])
    with pytest.raises(UsageError):
        bbob.planned(arguments)
    arguments.unseen = True
    assert [job.problem.name for job in bbob.planned(arguments)] == ["f01-2d-i41", "f01-2d-i42"]

"""People drawn from a fitted population: their utilities, their noise, the ranking of a recommendation, the command."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks import choices, logit, populations, results
from benchmarks.compare import start_line
from benchmarks.conversation import Driver
from benchmarks.populations import NOISE, PersonJob
from benchmarks.suite import method_of
from tests.benchmarks.made_up import small_wheel

W = np.array([3.0, -1.0, 0.5])


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small archive in the place of the wheel, and no population from another test."""
    small_wheel(tmp_path)
    monkeypatch.setattr(choices, "FOLDER", tmp_path)
    populations.population_of.cache_clear()
    yield
    populations.population_of.cache_clear()


def job(method: str, answers: int = 12, w: np.ndarray = W) -> PersonJob:
    costs = np.sort(-(populations.candidates(len(w)) @ w))
    return PersonJob(method, populations.problem_of("trips", w, answers), 0, NOISE, costs)


def test_the_best_corner_is_ranked_first_and_the_worst_last() -> None:
    one = job("default")
    assert one.regret(np.sign(W)) == 0.0
    assert one.regret(-np.sign(W)) == 1.0
    assert one.regret(np.zeros(3)) == pytest.approx(0.5, abs=0.02)
    assert one.problem(np.sign(W)) == pytest.approx(one.problem.minimum)


def test_answers_have_logistic_noise_of_scale_one() -> None:
    one = job("default")
    person = NOISE.person(one.problem, 0)
    a, b = np.array([0.5, 0.0, 0.0]), np.zeros(3)  # 1.5 better
    said = np.mean([person(a, b) == -1 for _ in range(4000)])
    assert said == pytest.approx(1 / (1 + np.exp(-1.5)), abs=0.03)


def test_a_person_is_the_same_however_many_are_drawn(wheel: None) -> None:
    few, many = (list(populations.jobs_of(["default"], ["trips"], count, [5])) for count in (2, 4))
    point = np.array([0.3, -0.2, 0.9, 0.1])
    assert [one.problem(point) for one in few] == [one.problem(point) for one in many[:2]]
    assert few[0].problem(point) != few[1].problem(point)


def test_the_population_likes_what_the_people_in_the_table_like(wheel: None) -> None:
    mean = populations.population_of("trips").mean
    assert mean[0] < mean[1] < 0  # price matters more than time


@pytest.mark.parametrize("method", ["logit", "logit-corner"])
def test_the_logit_recommends_what_was_shown_or_a_corner(method: str) -> None:
    one = job(method, answers=25, w=np.array([8.0, -8.0]))
    with Driver(sys.executable, method_of(method).driver) as driver:
        transcript = driver.run(start_line(one), NOISE.person(one.problem, 0))
    assert transcript.failure is None
    last = transcript.incumbents()[-1]
    assert one.regret(last) < 0.1
    assert (tuple(last) in transcript.shown) == (method == "logit")
    if method == "logit-corner":
        assert last.tolist() == [1.0, -1.0]


def test_the_command_ranks_recommendations_by_number_of_answers(
    wheel: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "raw.jsonl"
    command = ["default", "random", "--data", "trips", "--people", "2", "--answers", "4,6", "--out", str(out)]
    assert populations.main(command) == 0
    runs = results.read(out)
    assert {run.key for run in runs} == {
        (method, f"trips@{answers}", person, "own")
        for method in ("default", "random")
        for answers in (4, 6)
        for person in (0, 1)
    }
    assert all(run.status == "ok" and 0 <= run.regret <= 1 for run in runs)
    text = capsys.readouterr().out
    assert "trips, 4 answers" in text
    assert "go against the person's utility" in text
    assert populations.main(["--report", str(out), "--against", "random"]) == 0
    assert "difference to random" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        ([], "no method given"),
        (["optuna-gp"], "is told numbers"),
        (["default", "--data", "cars"], "unknown data set cars"),
        (["default", "--people", "0"], "--people must be at least 1"),
        (["default", "--answers", "0"], "--answers 0: allowed are 1 to 1000"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(
    arguments: list[str], needle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert populations.main([*arguments, "--out", str(tmp_path / "raw.jsonl")]) == 2
    captured = capsys.readouterr()
    assert needle in captured.err
    assert captured.err.count("\n") == 1


def test_a_population_can_be_drawn_from() -> None:
    population = logit.Population(np.array([1.0, 0.0]), np.array([[2.0, 0.5], [0.5, 1.0]]))
    drawn = population.draw(np.random.default_rng(0), 5000)
    assert drawn.mean(axis=0) == pytest.approx(population.mean, abs=0.1)
    assert np.cov(drawn.T) == pytest.approx(population.covariance, abs=0.15)

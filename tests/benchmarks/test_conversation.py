"""The conversation with a driver, held with a small one that this interpreter runs."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks import people
from benchmarks.conversation import Driver
from benchmarks.peers import wire

FAKE = "tests.benchmarks.fake_driver"
prefer = people.exact(lambda x: float(np.sum(x**2)))


def start(samples: int = 8, seed: int = 0, **options: object) -> dict[str, object]:
    return {
        "lower": [-1.0, -2.0],
        "upper": [1.0, 2.0],
        "samples": samples,
        "initial": 3,
        "seed": seed,
        "delta": 2.0,
        "sigma": 0.1,
        "constraint": None,
        "noisy": False,
        "options": options,
    }


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with Driver(sys.executable, FAKE) as process:
        yield process


def test_a_run_recommends_after_each_comparison_and_never_gets_worse(driver: Driver) -> None:
    transcript = driver.run(start(), prefer)
    assert transcript.failure is None
    assert transcript.initial == 3
    assert len(transcript.seconds) == len(transcript.incumbents()) == 7
    assert all(0 <= value < 1 for value in transcript.seconds)
    values = [float(np.sum(x**2)) for x in transcript.incumbents()]
    assert values == sorted(values, reverse=True)


def test_first_use_is_rehearsed_and_neither_asked_nor_timed() -> None:
    asked = []

    def solve(run: wire.Start, judge: wire.Judge) -> None:
        asked.append((run.options, judge.prefer([0.0, 0.0], [1.0, 1.0])))
        judge.recommend([0.0, 0.0])
        raise RuntimeError("a rehearsal may fail")

    wire.rehearse(solve, {"acquisition": "x"})
    assert asked == [({"acquisition": "x"}, -1)]


def test_versions_travel_with_the_run(driver: Driver) -> None:
    versions = driver.run(start(), prefer).versions
    assert versions["numpy"] == np.__version__
    assert versions["no-such-package"] == "not installed"


def test_one_process_serves_many_runs_and_the_seed_decides(driver: Driver) -> None:
    first, again, other = (driver.run(start(seed=seed), prefer).incumbents() for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_driver_that_raises_keeps_what_it_reached(driver: Driver) -> None:
    transcript = driver.run(start(misbehave="raise"), prefer)
    assert transcript.failure == "RuntimeError: the matrix is singular"
    incumbents = transcript.incumbents()
    assert len(incumbents) == 7
    np.testing.assert_array_equal(incumbents[1], incumbents[-1])
    assert driver.run(start(), prefer).failure is None


def test_a_driver_that_dies_is_reported_and_started_anew(driver: Driver) -> None:
    transcript = driver.run(start(misbehave="die"), prefer)
    assert transcript.failure is not None
    assert "exit code 3" in transcript.failure
    assert len(transcript.incumbents()) == 7
    assert driver.run(start(), prefer).failure is None


def test_a_driver_that_fails_before_the_first_answer_has_no_incumbent(driver: Driver) -> None:
    assert driver.run(start(misbehave="raise", after=0), prefer).incumbents() == []


@pytest.mark.parametrize(
    ("misbehave", "complaint"),
    [
        ("lie", "a recommendation that was never shown"),
        ("greedy", "a question beyond the budget"),
        ("mute", "0 recommendations for 7 comparisons"),
    ],
)
def test_a_driver_that_breaks_the_rules_is_found_out(driver: Driver, misbehave: str, complaint: str) -> None:
    transcript = driver.run(start(misbehave=misbehave), prefer)
    assert transcript.failure is not None
    assert complaint in transcript.failure


def test_a_run_without_recommendations_falls_back_on_the_winner_of_its_last_question(driver: Driver) -> None:
    silent, honest = (driver.run(start(misbehave=how), prefer) for how in ("mute", None))
    np.testing.assert_array_equal(silent.incumbents()[-1], honest.incumbents()[-1])


def test_a_driver_that_cannot_start_is_a_failure_with_its_message() -> None:
    with Driver(sys.executable, "tests.benchmarks.no_such_driver") as missing:
        transcript = missing.run(start(), prefer)
    assert transcript.failure is not None
    assert "no_such_driver" in transcript.failure
    assert transcript.incumbents() == []


def test_a_run_past_the_limit_is_stopped_keeps_what_it_had_and_the_next_one_goes_on() -> None:
    with Driver(sys.executable, FAKE) as process:
        process.run(start(), prefer)
        late = process.run(start(misbehave="dawdle"), prefer, limit=0.6)
        assert late.failure == "stopped after 0.01 minutes of CPU time"
        assert late.answered == 2
        assert len(late.incumbents()) == 7
        assert late.wall >= 0.5
        assert process.run(start(), prefer, limit=600.0).failure is None


def test_ours_say_how_much_of_their_time_went_into_calibrating() -> None:
    with Driver(sys.executable, "benchmarks.peers.prefero_driver") as process:
        for proposer in ("glisp", "pbo", "posterior"):
            transcript = process.run(start(samples=12, proposer=proposer), prefer)
            assert transcript.failure is None
            assert transcript.calibrating is not None
            assert 0 < transcript.calibrating < sum(transcript.seconds), proposer

"""What could be had from a person who says numbers: that the driver is told them, and makes something of them."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks import people
from benchmarks.compare import Job, parse_noise, start_line
from benchmarks.conversation import Driver
from benchmarks.methods import METHODS
from benchmarks.peers.numbers_driver import NOISES, Readings, _fit
from benchmarks.problems import PROBLEMS
from prefero.models.prior import prior

KERNEL = prior([slice(0, 1)], 0.0, -1.0, 0.5)


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with Driver(sys.executable, METHODS["numbers"].driver) as process:
        yield process


def test_told_numbers_it_finds_the_minimum_of_a_known_function(driver: Driver) -> None:
    problem = PROBLEMS["adjiman"]
    transcript = driver.run(start_line(Job("numbers", problem, 0, parse_noise("none"))), people.exact(problem))
    assert transcript.failure is None
    values = [problem(x) for x in transcript.incumbents()]
    assert values == sorted(values, reverse=True)  # exact readings: what is best is known
    assert values[-1] - problem.minimum < 0.01


def test_it_keeps_the_constraints_and_copes_with_readings_that_differ(driver: Driver) -> None:
    problem, noise = PROBLEMS["classifier"], parse_noise("inconsistent:0.15")
    transcript = driver.run(start_line(Job("numbers", problem, 0, noise)), noise.person(problem, 0))
    assert transcript.failure is None
    assert all(sum(x) <= 1 for x in transcript.shown)


def test_a_person_who_has_no_numbers_says_so(driver: Driver) -> None:
    problem, noise = PROBLEMS["adjiman"], parse_noise("flips")
    transcript = driver.run(start_line(Job("numbers", problem, 0, noise)), noise.person(problem, 0))
    assert "no numbers to say" in str(transcript.failure)


def test_exact_readings_are_honoured_and_noisy_ones_averaged() -> None:
    readings = Readings(np.zeros((0, 1)), [])
    for x, value in ((-0.5, 2.0), (0.0, 1.0), (0.5, 3.0)):
        readings.add(np.array([x]), value)
    told = readings.told(KERNEL)
    assert told.best == 1
    means = told.K @ told.h
    assert means - means.mean() == pytest.approx(np.array([0.0, 1.0, -1.0]) * (means[1] - means.mean()), abs=1e-4)
    readings.add(np.array([0.0]), 5.0)
    assert len(readings.X) == 3
    assert readings.told(KERNEL).best == 0  # 2 is less than the mean of 1 and 5


def test_the_likelihood_tells_much_noise_from_little() -> None:
    rng = np.random.default_rng(0)
    X = np.linspace(-1, 1, 200)[:, None]
    t = np.sin(3 * X[:, 0])
    for noise, likeliest in ((0.02, NOISES[0]), (1.0, NOISES[-1])):
        seen = t + noise * rng.standard_normal(200)
        fits = {rho: _fit(KERNEL(X, X), seen - seen.mean(), rho, np.ones(200))[0] for rho in NOISES}
        assert max(fits, key=lambda rho: fits[rho]) == likeliest

"""Simulated people answer as they should."""

import numpy as np
import pytest

from benchmarks import people

A, B = np.array([0.0]), np.array([1.0])


def f(x: np.ndarray) -> float:
    return float(x[0])


def test_an_exact_person_prefers_the_lower_value() -> None:
    prefer = people.exact(f)
    assert (prefer(A, B), prefer(B, A), prefer(A, A)) == (-1, 1, 0)


@pytest.mark.parametrize(("rate", "expected"), [(0.0, -1), (1.0, 1)])
def test_flips_at_the_extremes(rate: float, expected: int) -> None:
    prefer = people.flips(f, rate, np.random.default_rng(0))
    assert {prefer(A, B) for _ in range(20)} == {expected}


def test_flips_err_at_their_rate_and_leave_ties() -> None:
    prefer = people.flips(f, 0.1, np.random.default_rng(0))
    wrong = sum(prefer(A, B) == 1 for _ in range(5000))
    assert 0.08 < wrong / 5000 < 0.12
    assert prefer(A, A) == 0


def test_logistic_noise_errs_as_the_logistic_function_says() -> None:
    prefer = people.logistic(f, scale=0.5, tie=0.0, rng=np.random.default_rng(0))
    wrong = sum(prefer(A, B) == 1 for _ in range(20_000)) / 20_000
    assert wrong == pytest.approx(1 / (1 + np.exp(1 / 0.5)), abs=0.01)


def test_logistic_ties_are_what_seems_close() -> None:
    prefer = people.logistic(f, scale=0.0, tie=0.1, rng=np.random.default_rng(0))
    assert prefer(np.array([0.0]), np.array([0.09])) == 0
    assert prefer(np.array([0.0]), np.array([0.11])) == -1
    assert prefer(np.array([0.11]), np.array([0.0])) == 1


def test_an_inconsistent_person_sees_each_candidate_anew():
    """Uniform errors of ±15 %: how often 1.1 f wins against f, and that no two answers share an error."""
    prefer = people.inconsistent(lambda x: float(x[0]), 0.15, np.random.default_rng(0))
    answers = np.array([prefer(np.array([1.0]), np.array([1.1])) for _ in range(4000)])
    share = (answers == 1).mean()
    low, high = np.random.default_rng(1).uniform(0.85, 1.15, (2, 200_000))
    assert abs(share - (1.1 * low < high).mean()) < 0.02
    assert 0.1 < share < 0.3  # with a common error it would be 0
    assert set(answers) == {-1, 1}


def test_beyond_its_spread_an_inconsistent_person_does_not_err():
    prefer = people.inconsistent(lambda x: float(x[0]), 0.15, np.random.default_rng(0))
    assert {prefer(np.array([1.0]), np.array([1.4])) for _ in range(200)} == {-1}


def test_who_reads_numbers_remembers_what_was_read() -> None:
    exact = people.exact(lambda x: float(x[0]))
    assert exact(np.array([2.0]), np.array([1.0])) == 1
    assert exact.seen == (2.0, 1.0)
    noisy = people.inconsistent(lambda x: float(x[0]), 0.15, np.random.default_rng(0))
    said = noisy(np.array([1.0]), np.array([1.0]))
    assert said == (-1 if noisy.seen[0] < noisy.seen[1] else 1)

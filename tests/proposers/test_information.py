"""The information of an answer: exact limits, and what must not change it."""

from math import factorial, log2

import numpy as np
import pytest

from prefero.answers import as_kind
from prefero.answers.efforts import possible_answers
from prefero.proposers.information import information


def of(utilities, noise, kind):
    return information(np.asarray(utilities, dtype=float), noise, as_kind(kind), np.random.default_rng(1))


@pytest.mark.parametrize("kind", ["pair", "best of 4", "worst of 3", "best and worst of 4", "rank 3", "insert among 3"])
def test_of_candidates_that_are_all_alike_it_is_the_logarithm_of_the_number_of_answers(kind):
    draws = np.random.default_rng(0).standard_normal((as_kind(kind).size, 4000))
    bits = of(draws, 0.0, kind)
    if not kind.startswith("insert"):
        assert bits == pytest.approx(log2(possible_answers(as_kind(kind))), abs=0.02)
    else:
        assert bits == pytest.approx(2, abs=0.02)


def test_what_is_known_tells_nothing_and_noise_takes_from_it():
    known = np.repeat([[3.0], [2.0], [1.0], [0.0]], 128, axis=1)
    assert of(known, 0.0, "rank 4") == 0.0
    assert of(known, 0.1, "rank 4") == pytest.approx(0, abs=0.01)
    drawn = np.random.default_rng(0).standard_normal((4, 128))
    bits = [of(drawn, noise, "rank 4") for noise in (0.0, 0.3, 3.0)]
    assert log2(factorial(4)) + 0.01 > bits[0] > bits[1] > bits[2] >= 0


def test_of_a_pair_it_is_what_the_normal_distribution_says():
    rng, sd, noise = np.random.default_rng(2), 1.0, 0.5
    lead = sd * rng.standard_normal(4000)
    bits = of(np.stack([lead, np.zeros(4000)]), noise, "pair")
    from scipy.special import ndtr

    p = ndtr(np.linspace(-6, 6, 4001) / (noise * np.sqrt(2)))
    entropy = -(p * np.log2(np.maximum(p, 1e-300)) + (1 - p) * np.log2(np.maximum(1 - p, 1e-300)))
    weights = np.exp(-(np.linspace(-6, 6, 4001) ** 2) / 2)
    # Few repetitions make each entropy a little too small.
    assert bits == pytest.approx(1 - weights @ entropy / weights.sum(), abs=0.03)


def test_the_order_of_the_candidates_does_not_matter():
    drawn = np.random.default_rng(3).standard_normal((4, 2000)) * [[1], [1.5], [1], [2]]
    assert of(drawn, 0.2, "rank 4") == pytest.approx(of(drawn[::-1], 0.2, "rank 4"), abs=0.03)

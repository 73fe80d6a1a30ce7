"""The statistics, on data small enough to check by hand."""

import numpy as np
import pytest

from benchmarks import summary


def test_regrets_are_floored() -> None:
    assert summary.floored([1.0, 1e-9, -1e-12], 1e-6).tolist() == [1.0, 1e-6, 1e-6]


def test_spread_of_five() -> None:
    s = summary.spread(np.array([5.0, 1.0, 3.0, 2.0, 4.0]))
    assert (s.median, s.lower_quartile, s.upper_quartile, s.worst) == (3, 2, 4, 5)


def test_geometric_mean() -> None:
    assert summary.geometric_mean([0.1, 10.0]) == pytest.approx(1.0)
    assert summary.geometric_mean([2.0, 4.0, 8.0]) == pytest.approx(4.0)


def test_the_ratio_of_constant_regrets_is_certain() -> None:
    estimate = summary.ratio(np.full(6, 0.2), np.full(4, 0.4))
    assert (estimate.value, estimate.low, estimate.high) == (0.5, 0.5, 0.5)


def test_the_ratio_takes_the_asked_quantile() -> None:
    r, reference = np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 1, 1, 1, 1])
    assert summary.ratio(r, reference).value == 3
    assert summary.ratio(r, reference, quantile=0.75).value == 4


def test_the_interval_holds_the_truth_about_nine_times_in_ten() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(100):
        estimate = summary.ratio(np.exp(rng.standard_normal(40)), np.exp(rng.standard_normal(40)))
        hits += estimate.low <= 1 <= estimate.high
    assert 82 <= hits <= 99


def test_equal_samples_are_resampled_independently() -> None:
    r = np.array([1.0, 2, 3, 4, 5])
    estimate = summary.ratio(r, r)
    assert estimate.value == 1
    assert estimate.low < 1 < estimate.high


def test_mean_ratio_is_the_geometric_mean_of_ratios() -> None:
    pairs = [
        (np.full(3, 1.0), np.full(3, 10.0)),
        (np.full(3, 10.0), np.full(3, 1.0)),
        (np.full(3, 8.0), np.full(3, 1.0)),
    ]
    assert summary.mean_ratio(pairs).value == pytest.approx(2.0)


def test_paired_ratios() -> None:
    estimate = summary.paired(np.array([1.0, 4.0]), np.array([2.0, 8.0]))
    assert estimate.value == pytest.approx(0.5)
    assert estimate.high == pytest.approx(0.5)
    overall = summary.mean_paired([(np.array([1.0, 4.0]), np.array([2.0, 8.0])), (np.array([2.0]), np.array([1.0]))])
    assert overall.value == pytest.approx(1.0)


def test_intervals_over_problems_resample_problems_as_well_as_seeds() -> None:
    """Problems that differ, with seeds that hardly do: what another problem would give is uncertain."""
    rng = np.random.default_rng(0)
    groups = [np.full(20, level) + 1e-3 * rng.standard_normal(20) for level in rng.standard_normal(24)]
    estimate = summary.grouped_mean(groups)
    half = 1.645 * np.std([group.mean() for group in groups]) / np.sqrt(24)
    assert estimate.high - estimate.value == pytest.approx(half, rel=0.15)
    assert estimate.value - estimate.low == pytest.approx(half, rel=0.15)
    ones = np.ones(20)
    pairs = [(np.exp(group), ones) for group in groups]
    for found in (summary.mean_paired(pairs), summary.mean_ratio(pairs)):
        assert np.log(found.high / found.low) == pytest.approx(2 * half, rel=0.15)


def test_seeds_count_within_one_problem() -> None:
    values = np.random.default_rng(1).standard_normal(50)
    estimate = summary.grouped_mean([values])
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.645 * values.std() / np.sqrt(50), rel=0.15)


def test_the_bootstrap_is_deterministic() -> None:
    r, reference = np.array([1.0, 2, 3]), np.array([2.0, 3, 9])
    assert summary.ratio(r, reference) == summary.ratio(r, reference)


def test_an_interval_over_functions_covers_what_it_should() -> None:
    rng, hits = np.random.default_rng(1), 0
    for _ in range(100):
        families = [mean + 0.7 * rng.normal(size=3) for mean in rng.normal(size=12)]
        found = summary.grouped_mean(families)
        hits += found.low <= 0 <= found.high
    assert 83 <= hits <= 97  # of 90; resampling the 36 values as if they were independent covers about 64

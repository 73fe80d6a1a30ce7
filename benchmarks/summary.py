"""The statistics of the report: quartiles, ratios of medians with bootstrap intervals, geometric means, paired ratios.

| symbol | meaning | shape |
|---|---|---|
| r | final regrets of one method on one problem, floored | (seeds,) |
| ratio | median(r of the method) / median(r of the reference) | |
| G | geometric mean of the ratios over problems | |

Figures over several problems have intervals for other problems of the kind, not only for other seeds: problems are drawn with
replacement, and within each of them its seeds.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Vector], Vector]

RESAMPLES = 2000
COVERAGE = 0.90
SEED = 0


@dataclass(frozen=True)
class Estimate:
    """A figure with its 90 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Spread:
    """Where the seeds of one method ended on one problem."""

    median: float
    lower_quartile: float
    upper_quartile: float
    worst: float


def floored(regrets: Sequence[float], floor: float) -> Vector:
    """Regrets with everything below the floor, rounding errors below zero included, lifted to it."""
    return np.asarray(np.maximum(regrets, floor), dtype=float)


def spread(r: Vector) -> Spread:
    """Median, quartiles and worst."""
    low, middle, high = _quantile(r, [0.25, 0.5, 0.75])
    return Spread(float(middle), float(low), float(high), float(np.max(r)))


def ratio(r: Vector, reference: Vector, quantile: float = 0.5) -> Estimate:
    """The ratio of the two methods' quantiles (the medians); seeds of both are resampled, independently."""
    at = partial(_quantile, q=quantile)
    resampled = _resampled(r, at) / _resampled(reference, at, stream=1)
    return _estimate(float(at(r) / at(reference)), resampled)


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of positive numbers."""
    return float(np.exp(np.mean(np.log(values))))


def mean_ratio(pairs: Sequence[tuple[Vector, Vector]], quantile: float = 0.5) -> Estimate:
    """G: the geometric mean over problems of the ratio of quantiles; problems and their seeds are resampled."""
    at = partial(_quantile, q=quantile)
    logs = []
    for number, (r, reference) in enumerate(pairs):
        above, below = _resampled(r, at, stream=2 * number), _resampled(reference, at, stream=2 * number + 1)
        logs.append(np.log(above) - np.log(below))
    value = geometric_mean([float(at(r) / at(reference)) for r, reference in pairs])
    return _estimate(value, np.exp(_means_over(np.array(logs))))


def paired(r: Vector, reference: Vector) -> Estimate:
    """The typical ratio seed by seed: exp of the mean difference of log regrets; both must have the same seeds."""
    differences = np.log(r) - np.log(reference)
    resampled = np.exp(_resampled(differences, _mean))
    return _estimate(float(np.exp(np.mean(differences))), resampled)


def mean_paired(pairs: Sequence[tuple[Vector, Vector]]) -> Estimate:
    """The paired ratio over all problems, each problem counting the same; problems and their seeds are resampled."""
    mean = grouped_mean([np.log(r) - np.log(reference) for r, reference in pairs])
    return Estimate(*(float(np.exp(value)) for value in (mean.value, mean.low, mean.high)))


def grouped_mean(groups: Sequence[Vector]) -> Estimate:
    """The mean of the groups' means, each group counting the same; groups and the values of each are resampled."""
    resampled = np.array([_resampled(values, _mean, stream=number) for number, values in enumerate(groups)])
    return _estimate(float(np.mean([np.mean(values) for values in groups])), _means_over(resampled))


def number(value: float) -> str:
    """A number with three digits; a dash if there is none."""
    return f"{value:.3g}" if np.isfinite(value) else "–"


def span(counts: Iterable[int]) -> str:
    """Counts in words: the one that all are, or from the fewest to the most."""
    known = sorted(set(counts))
    return str(known[0]) if len(known) == 1 else f"{known[0]} to {known[-1]}"


def interval(estimate: Estimate) -> str:
    """An estimate with its 90 % interval, if it has one."""
    if np.isnan(estimate.low):
        return number(estimate.value)
    return f"{estimate.value:.3g} [{estimate.low:.2g}, {estimate.high:.2g}]"


def _quantile(r: Vector, q: float | list[float]) -> Vector:
    return np.asarray(np.quantile(r, q, axis=-1))


def _mean(r: Vector) -> Vector:
    return np.asarray(np.mean(r, axis=-1))


def _resampled(r: Vector, statistic: Statistic, stream: int = 0) -> Vector:
    """The statistic of many samples drawn from r with replacement."""
    rng = np.random.default_rng([SEED, stream])
    return statistic(r[rng.integers(0, len(r), (RESAMPLES, len(r)))])


def _means_over(resampled: Matrix) -> Vector:
    """The means over problems drawn with replacement; `resampled` has the resampled values of a problem in each row.

    A problem that is drawn twice brings two different resamples of its seeds.
    """
    rng = np.random.default_rng([SEED, len(resampled), 1])
    problems = rng.integers(0, len(resampled), resampled.shape)
    columns = rng.integers(0, resampled.shape[1], resampled.shape)
    return np.asarray(resampled[problems, columns].mean(axis=0))


def _estimate(value: float, resampled: Vector) -> Estimate:
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))

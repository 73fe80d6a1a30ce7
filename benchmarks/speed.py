"""Measure speed: `python -m benchmarks.speed`. Milliseconds are the best of several; the ratio does not depend on the machine."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core, whatever NumPy would take

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from prefero import preference
from prefero.answers import Comparison, History, incumbent
from prefero.models import calibration, rbf

REPEATS = 15
BASELINE = "import numpy, scipy.optimize"
OURS = "from prefero import Study, fit, optimize"


def import_seconds(statement: str) -> float:
    """Wall seconds of a fresh interpreter that runs one import statement."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - began


def import_ratio(repeats: int = REPEATS) -> tuple[float, float, float]:
    """Median seconds to import prefero, to import its heaviest dependencies, and their ratio.

    The two are measured by turns, after one of each to warm the disk; the bare interpreter's start-up is in both.
    """
    for statement in (BASELINE, OURS):
        import_seconds(statement)
    ours, baseline = [], []
    for _ in range(repeats):
        baseline.append(import_seconds(BASELINE))
        ours.append(import_seconds(OURS))
    middle, reference = statistics.median(ours), statistics.median(baseline)
    return middle, reference, middle / reference


def history_of(answers: int, dimension: int = 6, seed: int = 0) -> History:
    """The history of a person who compared random samples with the best so far; the latent function is a rippled bowl."""
    X = np.random.default_rng(seed).uniform(-1, 1, (answers + 1, dimension))
    prefer = preference(lambda x: float(((x - 0.3) ** 2).sum() + 0.5 * np.sin(5 * x).sum()))
    comparisons: list[Comparison] = []
    best = 0
    for k in range(1, answers + 1):
        comparisons.append(Comparison(best, k, prefer(X[best], X[k])))
        best = k if comparisons[-1].preference == 1 else best
    return History(X, np.ones(len(X), dtype=bool), tuple(comparisons))


def milliseconds(action: Callable[[], object], repeats: int = 9) -> float:
    """CPU milliseconds of an action, the best of several."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return 1000 * min(times)


def program_time(answers: int = 200) -> float:
    """Milliseconds to set up and solve the quadratic program of a number of comparisons."""
    history = history_of(answers)
    distances, best = rbf.Distances.of(history.points), incumbent(history)
    settings = rbf.Settings(margin=1 / (answers + 1))
    return milliseconds(lambda: rbf.fit_history(history, distances, best, settings))


def calibration_time(answers: int = 80) -> float:
    """Milliseconds of a leave-one-out calibration over the ten shapes of the paper."""
    history = history_of(answers)
    D2, best = rbf.Distances.of(history.points).D2, incumbent(history)
    settings = rbf.Settings(margin=1 / (answers + 1))
    return milliseconds(lambda: calibration.calibrate(history, D2, best, settings, calibration.GRID))


def main() -> None:
    """Print the figures."""
    print(f"quadratic program, 200 comparisons: {program_time():.1f} ms")
    print(f"leave-one-out calibration, 80 comparisons, ten shapes: {calibration_time():.1f} ms")
    ours, baseline, ratio = import_ratio()
    print(f"{OURS}: {1000 * ours:.0f} ms, {BASELINE}: {1000 * baseline:.0f} ms, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()

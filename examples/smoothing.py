"""Smooth a measured curve until it looks right.

The filter is SciPy's Savitzky-Golay filter. How much to smooth is a matter of taste: noise should go, peaks should stay. A person
compares two smoothed curves; here a function knows the true curve and minds lost peaks more than noise.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

import prefero as pf
from prefero.insight import plots

Array = NDArray[np.float64]
SPACE = pf.Space({"window": pf.Integer(5, 151, step=2), "degree": pf.Integer(0, 4)})
T = np.linspace(0, 1, 600)
TRUE = np.exp(-((T - 0.25) ** 2) / 0.0006) + 0.6 * np.exp(-((T - 0.6) ** 2) / 0.006) + 0.2 * T


def smoothed(setting: pf.Candidate, measured: Array) -> Array:
    """Return the curve, smoothed."""
    return np.asarray(savgol_filter(measured, setting["window"], setting["degree"]))


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    measured = TRUE + 0.08 * np.random.default_rng(options.seed).standard_normal(T.size)

    def dislike(setting: pf.Candidate) -> float:
        """Return the person's hidden dislike: errors, above all at the peaks."""
        error = smoothed(setting, measured) - TRUE
        return float(np.sqrt(np.mean(error**2 * (1 + 3 * TRUE))))

    result = pf.optimize(pf.preference(dislike, tie=0.001), SPACE, comparisons=20, seed=options.seed)
    print(result)
    first, best = result.incumbents[0], result.best
    assert first is not None  # there is one unless nothing was answered
    assert best is not None
    grid = [SPACE.candidate([w, d]) for w in range(5, 152, 2) for d in range(5)]
    print(f"dislike {dislike(best):.4f}; the least of all {len(grid)} settings is {min(map(dislike, grid)):.4f}")
    figure = plots.Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(T, measured, color="#cccccc", linewidth=1, label="measured")
    axes.plot(T, smoothed(first, measured), color=plots.SKY, linewidth=1.5, label="after 1 answer")
    axes.plot(T, smoothed(best, measured), color=plots.BLUE, linewidth=2, label="chosen")
    plots.labelled(axes, "time", "signal")
    axes.legend(frameon=False)
    figure.savefig(options.out / "smoothing.png", dpi=110)
    print(f"figure: {options.out / 'smoothing.png'}")


if __name__ == "__main__":
    main()

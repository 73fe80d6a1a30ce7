"""Minimise a function of one variable by comparisons, and draw the surrogate, the exploration and the acquisition functions.

The latent function is eq:f-1d-example of the paper on [-3, 3]. The run makes five comparisons of six samples, three of them
random: δ = 1, ε = 2, σ = 1/6, no calibration, and the linear program for the surrogate (λ = 0). The example draws the paper's
figures 1 and 2.

The linear program may have many solutions, and most seeds lead to samples that nearly coincide. The six samples of the default
seed lie apart.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

import prefero as pf
from prefero.insight import plots
from prefero.proposers import acquisition

Array = NDArray[np.float64]
SHAPE, MARGIN = 2.0, 1 / 6  # ε and σ
IMPROVEMENT_LAMBDA = 1e-3  # the probability of improvement needs λ > 0


def latent(x: ArrayLike) -> Array:
    """Return the function that nobody measures: the answers only say which of two values is lower."""
    x = np.asarray(x, dtype=float)
    return np.asarray((1 + x * np.sin(2 * x) * np.cos(3 * x) / (1 + x**2)) ** 2 + x**2 / 12 + x / 10)


def run(seed: int) -> pf.Result:
    """Run algorithm 1 with the settings of the paper's first figure."""
    glisp = pf.Glisp(
        initial_samples=3,
        exploration=1,
        margin=MARGIN,
        shape=SHAPE,
        regularization=0,
        best_weight=1,
        calibration_steps=[],
    )
    prefer = pf.preference(lambda x: float(latent(x[0])))
    return pf.optimize(prefer, ([-3.0], [3.0]), comparisons=5, proposer=glisp, seed=seed)


def draw(history: pf.History, out: Path) -> list[Path]:
    """Draw the two figures; x is 3 times the box coordinate."""
    box = np.linspace(-1, 1, 1201)[:, None]
    x, samples = 3 * box[:, 0], 3 * history.points[:, 0]
    pairs = [(c.i, c.j) for c in history.comparisons]
    better = [(c.j, c.i) if c.preference == 1 else (c.i, c.j) for c in history.comparisons]  # (winner, loser)
    best = better[-1][0]
    linear = pf.fit(history.points, better, shape=SHAPE, margin=MARGIN, regularization=0)
    quadratic = pf.fit(history.points, better, shape=SHAPE, margin=MARGIN, regularization=IMPROVEMENT_LAMBDA)
    z = acquisition.distance_from_samples(history.points)

    figure_1 = plots.panels(x, [
        plots.Panel("latent $f$", {"f": latent(x)}, (samples, latent(samples)), pairs),
        plots.Panel(r"surrogate $\hat f$", {"f̂": linear.predict(box)}, (samples, linear.values), pairs),
        plots.Panel("exploration $z$", {"z": z(box)}, (samples, np.zeros(len(samples)))),
    ])  # fmt: skip
    idw = {rf"$\delta = {delta}$": acquisition.SurrogateAndDistance(linear, delta)(box) for delta in (1, 2)}
    chance = acquisition.ProbabilityOfImprovement(quadratic, best)(box)
    figure_2 = plots.panels(x, [
        plots.Panel(r"$a = \hat f / \Delta\hat F - \delta z$", idw, minima=True),
        plots.Panel("$a = -p$(better than the best)", {"p": chance}, minima=True),
    ])  # fmt: skip
    paths = [out / "one_dimension_surrogate.png", out / "one_dimension_acquisition.png"]
    for figure, path in zip((figure_1, figure_2), paths, strict=True):
        figure.savefig(path, dpi=130)
    return paths


def main() -> None:
    """Run the example, print the result and draw the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=48)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    result = run(options.seed)
    x = np.linspace(-3, 3, 100_001)
    least = x[latent(x).argmin()]
    print(f"minimum: f({least:.4f}) = {latent(least):.4f}")
    for k, incumbent in enumerate(result.incumbents, start=1):
        assert incumbent is not None  # there are answers
        print(f"after {k} comparisons: f({incumbent[0]:.4f}) = {latent(incumbent[0]):.4f}")
    for path in draw(result.study.history, options.out):
        print(f"figure: {path}")


if __name__ == "__main__":
    main()

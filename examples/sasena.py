"""Minimise a function of two variables under a nonlinear constraint: section 7.1 of the paper, eq:sasena.

The run makes 24 comparisons of 25 samples; the first 8 samples are a feasible Latin hypercube. δ = 1 and σ = 1; ε starts at 1
and is calibrated at 8, 12, 17 and 21 samples. The example draws the paper's figures 3, 4 and 5: the samples over the contours
of the latent function, the best latent value after each answer, and the latent function beside the surrogate.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

import prefero as pf
from prefero.insight import plots
from prefero.study.session import Session

Array = NDArray[np.float64]
LOWER, UPPER = [0.0, 0.0], [5.0, 5.0]
OPTIMUM, LEAST = [2.7450, 2.3523], -1.1743
INITIAL, CALIBRATED = 8, (8, 12, 17, 21)
GLISP = pf.Glisp(initial_samples=INITIAL, exploration=1, margin=1, shape=1, calibration_steps=CALIBRATED)


def latent(X: ArrayLike) -> Array:
    """Return the latent function, which the person wants to be small, for each row of X."""
    x1, x2 = np.asarray(X, dtype=float).T
    valley = 2 + (x2 - x1**2) ** 2 / 100 + (1 - x1) ** 2 + 2 * (2 - x2) ** 2
    return np.asarray(valley + 7 * np.sin(x1 / 2) * np.sin(0.7 * x1 * x2))


def constraint(X: ArrayLike) -> Array:
    """Return g(x) for each row of X; a candidate is feasible if g(x) <= 0."""
    x1, x2 = np.asarray(X, dtype=float).T
    return np.asarray(-np.sin(x1 - x2 - np.pi / 8))


def run(seed: int) -> pf.Result:
    """Run algorithm 1 with the paper's settings for this problem."""
    space = pf.Space.box(LOWER, UPPER, constraints=lambda candidate: constraint(np.asarray(candidate)))
    prefer = pf.preference(lambda candidate: float(latent(np.asarray(candidate))))
    return pf.optimize(prefer, space, comparisons=24, proposer=GLISP, seed=seed)


def surrogate(study: pf.Study) -> pf.Surrogate:
    """Return the surrogate of all answers with the calibrated ε: the one that would choose the next question."""
    history = study.history
    state = Session.of(study.log.state).state(history)
    better = np.array([(c.j, c.i) if c.preference == 1 else (c.i, c.j) for c in history.comparisons])
    best = better[-1, 0]  # the winner of the last comparison: each one includes the best so far
    weights = np.where((better == best).any(axis=1), GLISP.best_weight, 1.0)
    return pf.fit(history.points, better, shape=state.shape, margin=1, weights=weights)


def figures(result: pf.Result, side: int = 70) -> dict[str, plots.Figure]:
    """Return the three figures by name; each surface has `side` points along a variable."""
    space, history = result.study.space, result.study.history
    samples = np.array([space.decode(point) for point in history.points])
    fitted = surrogate(result.study)
    low, high = np.array(LOWER), np.array(UPPER)

    def learned(X: Array) -> Array:
        return fitted.predict((2 * X - low - high) / (high - low))

    on_contours = plots.samples_on_contours(
        latent, (LOWER, UPPER), samples, initial=INITIAL, best=result.x, optimum=OPTIMUM, constraint=constraint
    )
    values = [float(latent(np.asarray(incumbent))) for incumbent in result.incumbents]
    best = plots.progress(values, first_active=INITIAL - 1, optimum=LEAST)
    both = plots.surfaces({"latent $f$": latent, "surrogate": learned}, (LOWER, UPPER), samples=samples, side=side)
    return {"samples": on_contours, "progress": best, "surfaces": both}


def main() -> None:
    """Run the example, print the result and draw the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    result = run(options.seed)
    assert result.x is not None  # there are answers
    x1, x2 = result.x
    print(f"recommended: f({x1:.4f}, {x2:.4f}) = {latent(result.x):.4f} after {result.n_comparisons} comparisons")
    print(f"the optimum: f({OPTIMUM[0]:.4f}, {OPTIMUM[1]:.4f}) = {LEAST:.4f}")
    for name, figure in figures(result).items():
        path = options.out / f"sasena_{name}.png"
        figure.savefig(path, dpi=130)
        print(f"figure: {path}")


if __name__ == "__main__":
    main()

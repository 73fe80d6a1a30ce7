"""Choose among Pareto optimal solutions by preferences, for the three objectives of the paper's eq:multi-obj-ex.

The decision maker, here a function, likes solutions whose three objectives are close to each other. The first part searches the
weights of a scalarisation: it solves the weighted problem for two choices of weights, and the decision maker compares the two
solutions. The second part chooses a row of a finite front that was computed beforehand.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

import prefero as pf
from prefero.exchange.fronts import WeightsResult, choose_from, choose_weights
from prefero.insight import plots

Array = NDArray[np.float64]
LOWER, UPPER = [-1.0] * 3, [1.0] * 3
NAMES = ("F1", "F2", "F3")


def objectives(z: Array) -> Array:
    """Return F(z), three objectives to minimise; z may have many columns."""
    z1, z2, z3 = z
    first = (2 * z1 * np.sin(z2) - 3 * np.cos(z1 * z2)) ** 2
    return np.array([first, z3**2 * (z1 + z2) ** 4, (z1 + z2 + z3) ** 2])


def imbalance(F: ArrayLike) -> Array:
    """Return the decision maker's hidden dislike: how far the objectives are from each other; F may have many rows."""
    F1, F2, F3 = np.asarray(F, dtype=float).T
    return np.asarray(np.sqrt((F1 - F2) ** 2 + (F1 - F3) ** 2 + (F2 - F3) ** 2))


def computed_front() -> Array:
    """Return Pareto optimal solutions, one per row: the best on a grid for each of many random weights."""
    half, whole = np.linspace(0, 1, 31), np.linspace(-1, 1, 61)  # F(-z) = F(z)
    outcomes = objectives(np.array(np.meshgrid(half, whole, whole)).reshape(3, -1)).T
    weights = np.random.default_rng(0).dirichlet(np.ones(3), 2000)
    return np.unique(outcomes[[(outcomes @ w).argmin() for w in weights]].round(3), axis=0)


def draw_weights(result: WeightsResult, front: Array, out: Path) -> Path:
    """Draw the imbalance over the first two weights, and the weights that were compared."""

    def latent(X: Array) -> Array:
        weights = np.column_stack([X, np.maximum(1 - X.sum(axis=1), 0)])
        return imbalance(front[(weights @ front.T).argmin(axis=1)])

    study = result.result.study
    samples = np.array([study.space.decode(point) for point in study.history.points])
    initial = -(-(study.settings.comparisons + 1) // 3)
    figure = plots.samples_on_contours(
        latent, ([0, 0], [1, 1]), samples, initial=initial, best=result.weights[:2],
        constraint=lambda X: X.sum(axis=1) - 1, names=("weight of F1", "weight of F2"),
    )  # fmt: skip
    figure.savefig(out / "pareto_weights.png", dpi=130)
    return out / "pareto_weights.png"


def main() -> None:
    """Run the example, print the result and draw the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--comparisons", type=int, default=30)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    prefer = pf.preference(lambda F: float(imbalance(F)))
    front = computed_front()

    found = choose_weights(
        prefer, objectives, n_objectives=3, bounds=(LOWER, UPPER), comparisons=options.comparisons, seed=options.seed
    )
    print(f"{len(front)} Pareto optimal solutions on a grid")
    equal = front[front.sum(axis=1).argmin()]
    print(f"equal weights lead to F = {equal.round(3)}, imbalance {imbalance(equal):.3f}")
    F = found.objectives
    assert F is not None  # the chosen problem has a solution
    print(f"the chosen weights {found.weights.round(3)} lead to F = {F.round(3)}, imbalance {imbalance(F):.3f}")
    print(f"figure: {draw_weights(found, front, options.out)}")

    front = front[np.random.default_rng(0).permutation(len(front))[:200]]
    chosen = choose_from(
        lambda a, b: prefer(np.asarray(a), np.asarray(b)),
        front,
        names=NAMES,
        comparisons=options.comparisons,
        seed=options.seed,
    )
    space, x = chosen.study.space, chosen.x
    assert isinstance(space, pf.Catalogue)
    assert chosen.best is not None
    assert x is not None
    rows = list(space.rows)
    shown = [rows.index(space.decode(point)) for point in chosen.study.history.points]
    print(f"{len(shown)} of the {len(front)} rows of a front were shown; chosen: {chosen.best}")
    print(f"imbalance {imbalance(x):.3f}; the smallest on that front is {imbalance(front).min():.3f}")
    figure = plots.front(front, NAMES, shown=shown, chosen=rows.index(chosen.best))
    figure.savefig(options.out / "pareto_front.png", dpi=130)
    print(f"figure: {options.out / 'pareto_front.png'}")


if __name__ == "__main__":
    main()

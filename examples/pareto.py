"""Choose among Pareto optimal solutions by preferences: the three objectives of the paper's eq:multi-obj-ex.

The decision maker (a function here) likes solutions whose three objectives are close to each other. First by the weights of a
scalarisation: each pair of weights is solved for its optimum, and the two outcomes are compared. Then on a finite front that
was computed beforehand, whose rows are compared as they are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import prefero as pf
from prefero.exchange.fronts import choose_from, choose_weights
from prefero.insight import plots

LOWER, UPPER = [-1.0] * 3, [1.0] * 3
NAMES = ("F1", "F2", "F3")


def objectives(z):
    """F(z), all three to be made small; z may have many columns."""
    z1, z2, z3 = z
    first = (2 * z1 * np.sin(z2) - 3 * np.cos(z1 * z2)) ** 2
    return np.array([first, z3**2 * (z1 + z2) ** 4, (z1 + z2 + z3) ** 2])


def imbalance(F):
    """The decision maker's taste: how far the objectives are from each other; F may have many rows."""
    F1, F2, F3 = np.asarray(F, dtype=float).T
    return np.sqrt((F1 - F2) ** 2 + (F1 - F3) ** 2 + (F2 - F3) ** 2)


def computed_front() -> np.ndarray:
    """Pareto optimal outcomes, one a row: of a grid of decisions, the least of each of many random scalarisations."""
    half, whole = np.linspace(0, 1, 31), np.linspace(-1, 1, 61)  # F(-z) = F(z)
    outcomes = objectives(np.array(np.meshgrid(half, whole, whole)).reshape(3, -1)).T
    weights = np.random.default_rng(0).dirichlet(np.ones(3), 2000)
    return np.unique(outcomes[[(outcomes @ w).argmin() for w in weights]].round(3), axis=0)


def draw_weights(result, front: np.ndarray, out: Path) -> Path:
    """The decision maker's imbalance over the first two weights, and the weights that were asked about."""

    def latent(X):
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
    """Run, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--comparisons", type=int, default=30)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    prefer = pf.preference(imbalance)
    front = computed_front()

    found = choose_weights(
        prefer, objectives, n_objectives=3, bounds=(LOWER, UPPER), comparisons=options.comparisons, seed=options.seed
    )
    print(f"{len(front)} Pareto optimal outcomes on a grid; balance between them is a matter of taste")
    equal = front[front.sum(axis=1).argmin()]
    print(f"equal weights lead to F = {equal.round(3)}, imbalance {imbalance(equal):.3f}")
    F = found.objectives
    print(f"weights {found.weights.round(3)}, chosen, lead to F = {F.round(3)}, imbalance {imbalance(F):.3f}")
    print(f"figure: {draw_weights(found, front, options.out)}")

    front = front[np.random.default_rng(0).permutation(len(front))[:200]]
    chosen = choose_from(
        lambda a, b: prefer(np.asarray(a), np.asarray(b)),
        front,
        names=NAMES,
        comparisons=options.comparisons,
        seed=options.seed,
    )
    rows = list(chosen.study.space.rows)
    shown = [rows.index(chosen.study.space.decode(point)) for point in chosen.study.history.points]
    print(f"of {len(front)} rows of a front, {len(shown)} were shown; chosen: {chosen.best}")
    print(f"imbalance {imbalance(chosen.x):.3f}; the least on that front is {imbalance(front).min():.3f}")
    figure = plots.front(front, NAMES, shown=shown, chosen=rows.index(chosen.best))
    figure.savefig(options.out / "pareto_front.png", dpi=130)
    print(f"figure: {options.out / 'pareto_front.png'}")


if __name__ == "__main__":
    main()

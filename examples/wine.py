"""Choose a wine from a list of 178, real measurements that scikit-learn carries.

The candidates are the rows of a table: nothing in between can be had. Somebody who likes strong wines of deep colour compares
two at a time. The result names the row. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

import prefero as pf
from prefero.insight import plots

COLUMNS = ("alcohol", "color_intensity", "flavanoids", "proline")


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    data = load_wine()
    columns = [list(data.feature_names).index(name) for name in COLUMNS]
    table = np.unique(data.data[:, columns], axis=0)
    wines = pf.Catalogue([dict(zip(COLUMNS, map(float, row), strict=True)) for row in table])

    def liking(wine: pf.Candidate) -> float:
        """Return the person's hidden liking: strong, of deep but not of the deepest colour."""
        return float(wine["alcohol"] - 0.15 * (wine["color_intensity"] - 7) ** 2 + 0.3 * wine["flavanoids"])

    result = pf.optimize(pf.preference(lambda wine: -liking(wine)), wines, comparisons=25, seed=options.seed)
    print(result)
    assert result.row is not None  # it has one unless nothing was answered
    order = sorted(range(len(table)), key=lambda k: -liking(wines.rows[k]))
    print(f"row {result.row} of the table, number {order.index(result.row) + 1} of {len(table)} in this person's taste")
    print({name: round(share, 2) for name, share in result.study.learned.importance().items()})

    figure = plots.Figure(figsize=(5.6, 3.8), layout="constrained")
    axes = figure.subplots()
    shown = [wines.row(candidate) for candidate in result.study.candidates]
    axes.scatter(table[:, 1], table[:, 0], color="#cccccc", s=18, label="not shown")
    axes.scatter(table[shown, 1], table[shown, 0], color=plots.SKY, s=30, label="shown")
    axes.scatter(table[result.row, 1], table[result.row, 0], color=plots.BLUE, s=80, label="chosen")
    plots.labelled(axes, "colour intensity", "alcohol [%]")
    axes.legend(frameon=False)
    figure.savefig(options.out / "wine.png", dpi=110)
    print(f"figure: {options.out / 'wine.png'}")


if __name__ == "__main__":
    main()

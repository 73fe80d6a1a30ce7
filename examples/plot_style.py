"""Choose the style of a matplotlib figure by looking at it.

Line width, font size, aspect, grid and colours are settings of matplotlib. A person looks at two drawings of the same data. The
simulated one likes a figure that is mostly air, with thin grid lines and text that can be read.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

import prefero as pf
from prefero.insight import plots

SPACE = pf.Space({
    "line width": pf.Real(0.3, 6, log=True),
    "font size": pf.Integer(5, 20),
    "grid": pf.Real(0, 1),
    "spines": pf.Ordinal(["none", "two", "four"]),
    "colours": pf.Choice(["viridis", "plasma", "Greys"]),
})  # fmt: skip


def dislike(style: pf.Candidate) -> float:
    """Return the person's hidden dislike of a style."""
    spines = {"none": 0.2, "two": 0.0, "four": 0.3}[style["spines"]]
    colours = {"viridis": 0.0, "plasma": 0.15, "Greys": 0.4}[style["colours"]]
    width = np.log(style["line width"] / 1.6) ** 2
    return float(width + ((style["font size"] - 10) / 5) ** 2 + (style["grid"] - 0.3) ** 2 + spines + colours)


def draw(axes: Axes, style: pf.Candidate, title: str) -> None:
    """Draw the same data in a style."""
    t = np.linspace(0, 10, 300)
    colours = mpl.colormaps[style["colours"]](np.linspace(0.2, 0.8, 4))
    for k, colour in enumerate(colours):
        axes.plot(t, np.exp(-t / (3 + k)) * np.cos((1 + 0.3 * k) * t), color=colour, linewidth=style["line width"])
    axes.grid(alpha=style["grid"])
    visible = {"none": (), "two": ("left", "bottom"), "four": ("left", "bottom", "top", "right")}[style["spines"]]
    for name, spine in axes.spines.items():
        spine.set_visible(name in visible)
    text: dict[str, Any] = {"fontsize": style["font size"]}
    axes.set_title(title, **text)
    axes.set_xlabel("time [s]", **text)
    axes.tick_params(labelsize=style["font size"])


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    result = pf.optimize(pf.preference(dislike, tie=0.05), SPACE, comparisons=30, seed=options.seed)
    print(result)
    first, best = result.incumbents[0], result.best
    assert first is not None  # there is one unless nothing was answered
    assert best is not None
    figure = plots.Figure(figsize=(9, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw(left, first, "after 1 answer")
    draw(right, best, f"after {result.n_comparisons} answers")
    figure.savefig(options.out / "plot_style.png", dpi=110)
    print(f"figure: {options.out / 'plot_style.png'}")


if __name__ == "__main__":
    main()

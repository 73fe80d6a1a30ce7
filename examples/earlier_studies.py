"""Start from what earlier people liked.

Six people have chosen a seat before. The next one has a taste of their own, which is not far from theirs. With `prior=`, the first
questions are already about good seats. What the others said counts less with each answer.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import prefero as pf
from prefero.insight import plots

SPACE = pf.Space({
    "height": pf.Real(38, 56, unit="cm"),
    "tilt": pf.Real(-5, 25, unit="°"),
    "firmness": pf.Real(0, 10),
    "lumbar": pf.Real(0, 6, unit="cm"),
})  # fmt: skip
IDEAL = np.array([46.0, 12.0, 4.0, 3.0])
SCALES = np.array([6.0, 10.0, 3.0, 2.0])


def person(rng: np.random.Generator) -> np.ndarray:
    """Return the seat that a person likes best."""
    return np.asarray(IDEAL + 0.4 * SCALES * rng.standard_normal(4))


def dislike(seat: pf.Candidate, ideal: np.ndarray) -> float:
    """Return how far a seat is from the ideal one."""
    return float(np.sum(((np.asarray(seat, dtype=float) - ideal) / SCALES) ** 2))


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(options.seed)

    def chosen(ideal: np.ndarray, prior: list[pf.Study], answers: int) -> pf.Result:
        study = pf.Study(SPACE, comparisons=answers, seed=options.seed, prior=prior, sides="incumbent first")
        return pf.optimize(pf.preference(lambda seat: dislike(seat, ideal)), study)

    earlier = [chosen(person(rng), [], 20).study for _ in range(6)]
    newcomers = [person(rng) for _ in range(3)]
    figure = plots.Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for prior, colour, label in (([], plots.SKY, "from nothing"), (earlier, plots.BLUE, "from six earlier studies")):
        runs = [[dislike(best, ideal) for best in chosen(ideal, prior, 15).incumbents if best] for ideal in newcomers]
        course = np.mean(runs, axis=0)
        axes.plot(np.arange(1, 16), course, color=colour, linewidth=2, label=label)
        print(f"{label}: dislike after 3 answers {course[2]:.2f}, after 15 {course[-1]:.2f}")
    plots.labelled(axes, "answers", "dislike of the recommended seat")
    axes.legend(frameon=False)
    figure.savefig(options.out / "earlier_studies.png", dpi=110)
    print(f"figure: {options.out / 'earlier_studies.png'}")


if __name__ == "__main__":
    main()

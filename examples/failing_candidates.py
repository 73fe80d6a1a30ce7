"""Calibrate a laser cutter where some settings burn the sheet.

Nobody can write down which settings burn it: one sees it when it happens. Such a candidate failed. The proposer learns where
others would fail, too, and stays away from there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import prefero as pf
from prefero.insight import plots

SPACE = pf.Space({"power": pf.Real(10, 100, unit="%"), "speed": pf.Real(5, 60, unit="mm/s")})


def burns(setting: pf.Candidate) -> bool:
    """Return whether the sheet burns; the search does not know this."""
    return bool(setting["power"] / setting["speed"] > 3 or setting["power"] > 88)


def dislike(setting: pf.Candidate) -> float:
    """Return the hidden dislike of a cut: deep enough, and quick."""
    depth = setting["power"] / setting["speed"] ** 0.8
    return float((depth - 3.4) ** 2 + 0.5 * (1 - setting["speed"] / 60))


def operator(a: pf.Candidate, b: pf.Candidate) -> str:
    """Try both settings; say which cut is better, or which sheet burned."""
    for side, setting in (("a", a), ("b", b)):
        if burns(setting):
            return f"{side} failed"
    return "a" if dislike(a) < dislike(b) else "b"


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    result = pf.optimize(operator, SPACE, comparisons=25, seed=options.seed)
    print(result)
    study = result.study
    tried = np.array([np.asarray(candidate, dtype=float) for candidate in study.candidates])
    failed = np.array([k in study.history.failed for k in range(len(tried))])
    half = len(failed) // 2
    print(f"burned: {failed[:half].sum()} of the first {half} settings, {failed[half:].sum()} of the others")

    figure = plots.Figure(figsize=(5.6, 4), layout="constrained")
    axes = figure.subplots()
    power, speed = np.meshgrid(np.linspace(10, 100, 200), np.linspace(5, 60, 200))
    axes.contourf(power, speed, (power / speed > 3) | (power > 88), levels=[0.5, 1], colors=["#f4d9c6"])
    axes.scatter(tried[~failed, 0], tried[~failed, 1], color=plots.SKY, s=28, label="worked")
    axes.scatter(tried[failed, 0], tried[failed, 1], color=plots.ORANGE, marker="x", s=40, label="burned")
    chosen = np.asarray(result.best, dtype=float)
    axes.scatter(chosen[0], chosen[1], color=plots.BLUE, s=80, label="chosen")
    plots.labelled(axes, "power [%]", "speed [mm/s]")
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(options.out / "failing_candidates.png", dpi=110)
    print(f"figure: {options.out / 'failing_candidates.png'}")


if __name__ == "__main__":
    main()

"""Tune a heater's PID controller by comparing step responses.

An engineer looks at two step responses at a time and says which one is better. Here a function plays the engineer. It likes a
heater that warms up quickly, does not overshoot and keeps the power calm. prefero sees only its 25 answers, never a number.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import prefero as pf
from prefero.insight import plots

Array = NDArray[np.float64]
SPACE = pf.Space({
    "gain": pf.Real(0.5, 50, log=True),  # % of power per °C
    "integral": pf.Real(2, 100, log=True),  # s
    "derivative": pf.Real(0, 10),  # s
})  # fmt: skip
STEP, HORIZON, DT = 10.0, 60.0, 0.1  # °C, s, s
LEAST = 64.3  # the smallest possible dislike, found by differential evolution


@cache
def response(setting: pf.Candidate) -> tuple[Array, Array]:
    """Return temperature [°C above the start] and power [%] after a step of the set point; power is limited to 0 to 100 %."""
    steps = round(HORIZON / DT)
    temperature, power = np.zeros(steps), np.zeros(steps)
    heat = sensor = integral = slope = 0.0
    for k in range(steps):
        error = STEP - sensor
        wanted = setting["gain"] * (error + integral / setting["integral"] - setting["derivative"] * slope)
        power[k] = min(max(wanted, 0.0), 100.0)
        integral += DT * error if power[k] == wanted else 0.0  # no integration while the power is at its limit
        arriving = power[k - 20] if k >= 20 else 0.0  # 2 s later
        heat += DT * (0.5 * arriving - heat) / 20
        slope = (heat - sensor) / 2
        sensor += DT * slope
        temperature[k] = sensor
    return temperature, power


def dislike(setting: pf.Candidate) -> float:
    """Return the engineer's hidden dislike: error, overshoot and changes of the power."""
    temperature, power = response(setting)
    error = DT * np.abs(STEP - temperature).sum()
    overshoot = max(temperature.max() - STEP, 0.0)
    return float(error + 15 * overshoot + 0.05 * np.abs(np.diff(power)).sum())


def engineer(a: pf.Candidate, b: pf.Candidate) -> str:
    """Say which step response looks better."""
    return "a" if dislike(a) < dislike(b) else "b"


def table(study: pf.Study) -> str:
    """Return the questions and answers as text, one per line."""
    shown = [study.space.decode(point) for point in study.history.points]
    header = f"{'gain':>6} {'integral':>8} {'derivative':>10}"
    lines = [f"    {'best so far':^26}   {'challenger':^26}", f"  # {header}   {header}   better"]
    for number, c in enumerate(study.history.comparisons, start=1):
        said = "challenger" if c.preference == 1 else "best so far"
        lines.append(f"{number:3} {_row(shown[c.i])}   {_row(shown[c.j])}   {said}")
    return "\n".join(lines)


def _row(setting: pf.Candidate) -> str:
    return f"{setting['gain']:6.2f} {setting['integral']:8.1f} {setting['derivative']:10.2f}"


def draw(result: pf.Result) -> plots.Figure:
    """Draw the best step responses after 1, 8 and all answers, and how the engineer's dislike fell."""
    incumbents = [incumbent for incumbent in result.incumbents if incumbent is not None]
    figure = plots.Figure(figsize=(9.2, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    time = DT * np.arange(1, round(HORIZON / DT) + 1)
    left.axhline(STEP, color=plots.QUIET, linewidth=1, linestyle=(0, (5, 3)))
    for answers, colour in ((1, plots.SKY), (8, plots.ORANGE), (result.n_comparisons, plots.BLUE)):
        temperature, _ = response(incumbents[answers - 1])
        label = f"best after {answers} answer{'s' if answers > 1 else ''}"
        left.plot(time, temperature, color=colour, linewidth=2, label=label)
    plots.labelled(left, "time [s]", "temperature rise [°C]")
    left.set(xlim=(0, HORIZON), ylim=(0, None))
    left.legend(frameon=False, loc="lower right", fontsize=9.5)
    dislikes = [dislike(incumbent) for incumbent in incumbents]
    plots.progress(dislikes, first_active=8, optimum=LEAST, label="engineer's hidden dislike", ax=right)
    return figure


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--figure", type=Path, default=Path("out/first_run.png"))
    options = parser.parse_args()

    result = pf.optimize(engineer, SPACE, comparisons=25, proposer="glisp", seed=options.seed)
    print(table(result.study))
    print(f"\n{result}\n")
    assert result.best is not None  # there are answers
    temperature, _ = response(result.best)
    within = np.flatnonzero(np.abs(temperature - STEP) > 0.5)[-1] * DT
    overshoot = max(temperature.max() - STEP, 0.0)
    print(f"With it the heater stays within 0.5 °C after {within:.1f} s and overshoots by {overshoot:.2f} °C.")
    options.figure.parent.mkdir(parents=True, exist_ok=True)
    draw(result).savefig(options.figure, dpi=110)
    print(f"figure: {options.figure}")


if __name__ == "__main__":
    main()

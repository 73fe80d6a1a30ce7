"""Let an espresso drinker say how much better a cup is.

Answers may say "much better", "about the same", or that nobody would drink it. The example counts what was said, and draws how the
recommended cup became better.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import prefero as pf
from prefero.insight import plots

SPACE = pf.Space({
    "dose": pf.Real(14, 22, unit="g"),
    "seconds": pf.Real(18, 40, unit="s"),
    "temperature": pf.Integer(86, 96, unit="°C"),
    "milk": pf.Choice(["none", "cow", "oat"]),
})  # fmt: skip


def dislike(cup: pf.Candidate) -> float:
    """Return the drinker's hidden dislike of a cup."""
    milk = {"none": 0.0, "oat": 0.4, "cow": 0.9}[cup["milk"]]
    strength = cup["dose"] * cup["seconds"] / 500
    return float(4 * (strength - 1.05) ** 2 + ((cup["temperature"] - 92) / 4) ** 2 + milk)


def plainly(a: pf.Candidate, b: pf.Candidate) -> str:
    """Say which cup is better."""
    return "a" if dislike(a) < dislike(b) else "b"


def in_words(a: pf.Candidate, b: pf.Candidate) -> str:
    """Say which cup is better, how much, or that one cannot be drunk."""
    first, second = dislike(a), dislike(b)
    if second > 4 > first:
        return "b unacceptable"
    if abs(first - second) < 0.1:
        return "same"
    return ("much " if abs(first - second) > 1 else "") + plainly(a, b)


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    result = pf.optimize(in_words, SPACE, comparisons=25, seed=options.seed)
    print(result)
    print(dict(Counter(entry.answer for entry in result.study.answers)))
    figure = plots.Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    course = [dislike(best) for best in result.incumbents if best is not None]
    axes.plot(range(1, len(course) + 1), course, color=plots.BLUE, linewidth=2)
    plots.labelled(axes, "answers", "dislike of the recommended cup")
    figure.savefig(options.out / "strengths.png", dpi=110)
    print(f"figure: {options.out / 'strengths.png'}")


if __name__ == "__main__":
    main()

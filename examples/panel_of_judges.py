"""Choose the light of a room that two people share.

Each judge is asked in turn and has a taste of their own. What both like is learned together with how alike they are. The fairest
candidate is the one whose less happy judge is happiest.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import prefero as pf
from prefero.insight import plots

SPACE = pf.Space({"brightness": pf.Real(5, 100, unit="%"), "warmth": pf.Real(2200, 6500, unit="K")})
TASTES = {"ann": (75.0, 3000.0), "bob": (35.0, 4200.0)}


def dislike(judge: str, light: pf.Candidate) -> float:
    """Return how far a light is from what a judge likes best."""
    brightness, warmth = TASTES[judge]
    return float(((light["brightness"] - brightness) / 30) ** 2 + ((light["warmth"] - warmth) / 1200) ** 2)


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    study = pf.Study(SPACE, comparisons=40, seed=options.seed)
    for _ in range(20):
        for judge in TASTES:
            question = study.ask(judge)
            a_is_better = dislike(judge, question.a) < dislike(judge, question.b)
            study.tell(question, "a" if a_is_better else "b", judge=judge)
    learned = study.learned
    assert learned.fairest is not None  # it is known after the first answer
    fairest = study.candidates[learned.fairest]
    print(f"how alike they are: {learned.alike:.2f}; recommended for both {study.best}; fairest {fairest}")
    for judge in TASTES:
        favourite = learned.for_judge(judge).best
        assert favourite is not None
        own = study.candidates[favourite]
        print(f"{judge} alone: {own}; dislike {dislike(judge, own):.2f}, of the fairest {dislike(judge, fairest):.2f}")

    figure = plots.Figure(figsize=(8.4, 3.6), layout="constrained")
    x, y = np.linspace(5, 100, 40), np.linspace(2200, 6500, 40)
    grid = [SPACE.candidate([a, b]) for b in y for a in x]
    for axes, judge in zip(figure.subplots(1, 2, sharey=True), TASTES, strict=True):
        means, _ = learned.for_judge(judge).utilities(grid)
        axes.contourf(x, y, means.reshape(40, 40), levels=12, cmap="Blues")
        axes.scatter(*TASTES[judge], marker="*", color=plots.ORANGE, s=120, label=f"{judge} likes best")
        axes.scatter(*np.asarray(fairest), color="black", s=50, label="fairest")
        plots.labelled(axes, "brightness [%]", "warmth [K]" if judge == "ann" else "")
        axes.legend(frameon=False, loc="upper right")
    figure.savefig(options.out / "panel_of_judges.png", dpi=110)
    print(f"figure: {options.out / 'panel_of_judges.png'}")


if __name__ == "__main__":
    main()

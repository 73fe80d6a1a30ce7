"""Choose the threshold of a medical classifier by its confusion matrix.

A classifier of scikit-learn tells malignant from benign tumours, real data of 569 patients. Which threshold and which weight of
the classes are right depends on what a missed tumour costs beside a false alarm, which nobody likes to write down as a number.
A doctor compares confusion matrices instead. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import prefero as pf
from prefero.insight import plots

SPACE = pf.Space({
    "threshold": pf.Real(0.01, 0.99),
    "weight": pf.Real(0.1, 10, log=True),  # of a malignant tumour in training
    "C": pf.Real(0.001, 10, log=True),
})  # fmt: skip
X, BENIGN = load_breast_cancer(return_X_y=True)
MALIGNANT = BENIGN == 0


@cache
def errors(setting: pf.Candidate) -> tuple[int, int]:
    """Return how many tumours are missed and how many alarms are false, by cross-validation."""
    weights = {True: setting["weight"], False: 1.0}
    model = make_pipeline(StandardScaler(), LogisticRegression(C=setting["C"], class_weight=weights))
    chance = cross_val_predict(model, X, MALIGNANT, cv=3, method="predict_proba")[:, 1]
    alarm = chance >= setting["threshold"]
    return int((MALIGNANT & ~alarm).sum()), int((~MALIGNANT & alarm).sum())


def doctor(a: pf.Candidate, b: pf.Candidate) -> str:
    """Say which confusion matrix is better: a missed tumour is as bad as eight false alarms, and ten of these are tiring."""
    dislike = [8 * missed + false + 0.05 * false**2 for missed, false in (errors(a), errors(b))]
    return "same" if dislike[0] == dislike[1] else "a" if dislike[0] < dislike[1] else "b"


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    result = pf.optimize(doctor, SPACE, comparisons=30, seed=options.seed)
    print(result)
    usual, chosen = errors(SPACE.candidate([0.5, 1.0, 1.0])), errors(result.best)
    print(f"threshold 0.5: {usual[0]} tumours missed, {usual[1]} false alarms; chosen: {chosen[0]} and {chosen[1]}")

    figure = plots.Figure(figsize=(5.2, 3.8), layout="constrained")
    axes = figure.subplots()
    shown = np.array([errors(candidate) for candidate in result.study.candidates])
    axes.scatter(shown[:, 1], shown[:, 0], color=plots.SKY, s=30, label="shown")
    axes.scatter(*usual[::-1], color=plots.ORANGE, s=70, label="threshold 0.5")
    axes.scatter(*chosen[::-1], color=plots.BLUE, s=70, label="chosen")
    plots.labelled(axes, "false alarms", "tumours missed")
    axes.legend(frameon=False)
    axes.set(xscale="symlog", yscale="symlog")
    figure.savefig(options.out / "thresholds.png", dpi=110)
    print(f"figure: {options.out / 'thresholds.png'}")


if __name__ == "__main__":
    main()

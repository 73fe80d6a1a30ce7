"""Mixed variables, a constraint, and somebody who hesitates: choosing a filter for a noisy signal, one question at a time.

A cutoff frequency (real, on a logarithmic scale), an order (whole number) and a family (one of three) are chosen by comparing
filtered signals; a filter may delay the signal by at most 0.2 s. The loop is ask and tell. On the way one question is
skipped, one answer is taken back, and the study is written to JSON and goes on from there.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
from scipy import signal

import prefero as pf
from prefero.insight import plots

RATE = 200.0  # Hz
TIME = np.arange(0, 4, 1 / RATE)
CLEAN = np.sin(2 * np.pi * 0.7 * TIME) + 0.6 * np.sin(2 * np.pi * 2.6 * TIME + 1)
HUM = 0.8 * np.sin(2 * np.pi * 7 * TIME)
NOISY = CLEAN + HUM + 0.3 * np.random.default_rng(7).standard_normal(TIME.size)
MOST_DELAY = 0.2  # s


@cache
def filtered(setting: pf.Candidate) -> np.ndarray:
    """The noisy signal through the filter."""
    return signal.sosfilt(sections(setting), NOISY)


def sections(setting: pf.Candidate) -> np.ndarray:
    """The filter as second-order sections."""
    order, cutoff = setting["order"], setting["cutoff"]
    if setting["family"] == "chebyshev":
        return signal.cheby1(order, 1, cutoff, fs=RATE, output="sos")
    design = signal.bessel if setting["family"] == "bessel" else signal.butter
    return design(order, cutoff, fs=RATE, output="sos")


def too_slow(setting: pf.Candidate) -> float:
    """g(candidate) <= 0: the delay [s] of slow signals, roughly order / (2π cutoff), above what is allowed."""
    return setting["order"] / (2 * np.pi * setting["cutoff"]) - MOST_DELAY


SPACE = pf.Space(
    {
        "cutoff": pf.Real(0.8, 40, log=True),  # Hz
        "order": pf.Integer(1, 6),
        "family": pf.Choice(["butterworth", "bessel", "chebyshev"]),
    },
    constraints=[too_slow],
)


def roughness(setting: pf.Candidate) -> float:
    """What the listener dislikes, which only this example knows: the distance from the clean signal, whatever the delay."""
    heard = filtered(setting)
    distances = [np.mean((heard[100:] - CLEAN[100 - shift : CLEAN.size - shift]) ** 2) for shift in range(0, 80, 2)]
    return float(np.sqrt(min(distances)))


def answer(question: pf.Question) -> str:
    """Which of two filtered signals sounds better."""
    return "a" if roughness(question.a) < roughness(question.b) else "b"


def converse(study: pf.Study, answers: int) -> None:
    """Ask and tell until there are so many answers."""
    while len(study.history) < answers:
        question = study.ask()
        study.tell(question, answer(question))


def words(setting: pf.Candidate) -> str:
    """A setting in a line."""
    return f"{setting['family']} of order {setting['order']} at {setting['cutoff']:.3g} Hz"


def main() -> None:
    """Converse, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    start = [{"cutoff": 10.0, "order": 2, "family": "butterworth"}]  # what is in use today
    study = pf.Study(SPACE, comparisons=30, seed=options.seed, start=start)
    question = study.ask()
    print(f"A: {words(question.a)}\nB: {words(question.b)}\nanswer: {answer(question)}")
    study.tell(question, answer(question))

    converse(study, 4)
    study.skip(study.ask())  # cannot say; the next question is another one
    converse(study, 9)
    question = study.undo()  # wait: the last pair again
    study.tell(question, answer(question))

    path = options.out / "filter_study.json"
    path.write_text(study.to_json(), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    resumed = pf.Study.from_json(text, space=SPACE)  # the space again, since JSON does not hold the constraint's code
    print(f"{path}: {len(resumed.history)} answers; the next question is the same: {resumed.ask() == study.ask()}")

    converse(resumed, 30)
    print(f"before: {words(SPACE.candidate(start[0]))}, error {roughness(SPACE.candidate(start[0])):.3f}")
    print(f"after {len(resumed.history)} answers: {words(resumed.best)}, error {roughness(resumed.best):.3f}")
    figure = plots.questions(resumed)
    figure.savefig(options.out / "mixed_variables.png", dpi=130)
    print(f"figure: {options.out / 'mixed_variables.png'}")


if __name__ == "__main__":
    main()

"""Choose a filter for a noisy signal: mixed variables, a constraint, ask and tell.

The person compares filtered signals. The variables are a cutoff frequency (real, logarithmic), an order (integer) and a family
(one of three). A constraint limits the delay to 0.2 s. Along the way the person skips one question and takes one answer back,
and the study is saved to JSON and resumed.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import signal

import prefero as pf
from prefero.insight import plots

Array = NDArray[np.float64]
RATE = 200.0  # Hz
TIME = np.arange(0, 4, 1 / RATE)
CLEAN = np.sin(2 * np.pi * 0.7 * TIME) + 0.6 * np.sin(2 * np.pi * 2.6 * TIME + 1)
HUM = 0.8 * np.sin(2 * np.pi * 7 * TIME)
NOISY = CLEAN + HUM + 0.3 * np.random.default_rng(7).standard_normal(TIME.size)
LONGEST_DELAY = 0.2  # s


@cache
def filtered(setting: pf.Candidate) -> Array:
    """Return the noisy signal after the filter."""
    return np.asarray(signal.sosfilt(sections(setting), NOISY))


def sections(setting: pf.Candidate) -> Array:
    """Return the filter as second-order sections."""
    order, cutoff = setting["order"], setting["cutoff"]
    if setting["family"] == "chebyshev":
        return np.asarray(signal.cheby1(order, 1, cutoff, fs=RATE, output="sos"))
    design: Any = signal.bessel if setting["family"] == "bessel" else signal.butter
    return np.asarray(design(order, cutoff, fs=RATE, output="sos"))


def too_slow(setting: pf.Candidate) -> float:
    """Return by how many seconds the filter delays slow signals too much: about order / (2π cutoff), less the limit."""
    return float(setting["order"] / (2 * np.pi * setting["cutoff"]) - LONGEST_DELAY)


SPACE = pf.Space(
    {
        "cutoff": pf.Real(0.8, 40, log=True),  # Hz
        "order": pf.Integer(1, 6),
        "family": pf.Choice(["butterworth", "bessel", "chebyshev"]),
    },
    constraints=[too_slow],
)


def roughness(setting: pf.Candidate) -> float:
    """Return the listener's hidden dislike: the distance from the clean signal at the best delay."""
    heard = filtered(setting)
    distances = [np.mean((heard[100:] - CLEAN[100 - shift : CLEAN.size - shift]) ** 2) for shift in range(0, 80, 2)]
    return float(np.sqrt(min(distances)))


def answer(question: pf.Question) -> Literal["a", "b"]:
    """Say which of two filtered signals sounds better."""
    return "a" if roughness(question.a) < roughness(question.b) else "b"


def answer_until(study: pf.Study, answers: int) -> None:
    """Ask and tell until the study has this many answers."""
    while len(study.history) < answers:
        question = study.ask()
        study.tell(question, answer(question))


def words(setting: pf.Candidate) -> str:
    """Return a setting in one line."""
    return f"{setting['family']} of order {setting['order']} at {setting['cutoff']:.3g} Hz"


def main() -> None:
    """Run the example, print the result and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    start = [{"cutoff": 10.0, "order": 2, "family": "butterworth"}]  # the setting in use today
    study = pf.Study(SPACE, comparisons=30, seed=options.seed, start=start)
    question = study.ask()
    print(f"A: {words(question.a)}\nB: {words(question.b)}\nanswer: {answer(question)}")
    study.tell(question, answer(question))

    answer_until(study, 4)
    study.skip(study.ask())  # the person cannot judge; the next question is another one
    answer_until(study, 9)
    taken_back = study.undo()  # the last question waits again
    assert taken_back is not None
    study.tell(taken_back, answer(taken_back))

    path = options.out / "filter_study.json"
    path.write_text(study.to_json(), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    resumed = pf.Study.from_json(text, space=SPACE)  # JSON does not hold the constraint's code
    print(f"{path}: {len(resumed.history)} answers; same next question: {resumed.ask() == study.ask()}")

    answer_until(resumed, 30)
    assert resumed.best is not None
    print(f"before: {words(SPACE.candidate(start[0]))}, error {roughness(SPACE.candidate(start[0])):.3f}")
    print(f"after {len(resumed.history)} answers: {words(resumed.best)}, error {roughness(resumed.best):.3f}")
    figure = plots.questions(resumed)
    figure.savefig(options.out / "mixed_variables.png", dpi=130)
    print(f"figure: {options.out / 'mixed_variables.png'}")


if __name__ == "__main__":
    main()

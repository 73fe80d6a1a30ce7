"""Several judges, simulated: three camps who want different things, and a judge who answers at random among good ones.

`python -m benchmarks.panels` prints both in a few minutes; `--seeds 5` is quicker.

- **camps**: three people like what is near (0.2, 0.3), (0.3, 0.35) and (0.8, 0.7) in the unit square, and say so without error. The
  best compromise is where their mean dissatisfaction, the squared distance, is least.
- **random**: five people with one taste, one of whom tosses a coin, against the four good ones alone. Both panels give the same
  number of good answers. People see dissatisfaction with an error whose standard deviation is 2 % of the range.

Regrets are shares of the range of the mean dissatisfaction over the square.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import prefero as pf
from prefero.insight import panel

CAMPS = {"anna": (0.2, 0.3), "bert": (0.3, 0.35), "carl": (0.8, 0.7)}
NAMES, RANDOM = ("anna", "bert", "carl", "dora", "emil"), "carl"
TASTES = ((0.3, 0.65), (0.75, 0.4), (0.55, 0.8), (0.15, 0.2))  # one after the other, by seed
ERROR = 0.02
GRID = np.stack(np.meshgrid(*[np.linspace(0, 1, 101)] * 2), axis=-1).reshape(-1, 2)
Dislike = Callable[[np.ndarray], np.ndarray]


def dislike(taste: Sequence[float], X: np.ndarray) -> np.ndarray:
    """Return how far candidates are from what somebody wants, squared."""
    return np.asarray(((np.atleast_2d(X) - taste) ** 2).sum(axis=1))


@dataclass(frozen=True)
class Run:
    """One simulated panel: the regret, and what the study says.

    disagree: the probability of the surest disagreement, 0 if none is reported. found_out: who is said to answer at random.
    """

    regret: float
    stop: bool
    disagree: float
    found_out: tuple[str, ...]


def answered(judges: Mapping[str, Dislike | None], answers: int, seed: int, error: float) -> pf.Study:
    """Return a study in which the judges took turns; a judge without a taste tosses a coin."""
    study = pf.Study(pf.Space.box([0, 0], [1, 1]), comparisons=answers, seed=seed)
    rng = np.random.default_rng([seed, 77])
    names = list(judges)
    for k in range(answers):
        question = study.ask(names[k % len(names)])
        taste = judges[question.judge]
        if taste is None:
            lead = rng.standard_normal()
        else:
            noise = error * np.ptp(taste(GRID)) * rng.standard_normal(2)
            lead = (taste(np.asarray(question.b)) + noise[0] - taste(np.asarray(question.a)) - noise[1])[0]
        study.tell(question, "a" if lead > 0 else "b")
    return study


def run(judges: Mapping[str, Dislike | None], answers: int, seed: int, error: float = 0.0) -> Run:
    """Return what came of one panel."""
    study = answered(judges, answers, seed, error)
    tastes = [taste for taste in judges.values() if taste is not None]
    everywhere = np.mean([taste(GRID) for taste in tastes], axis=0)
    reached = np.mean([taste(np.asarray(study.best))[0] for taste in tastes])
    found = panel(study)
    surest = max((each.probability for each in found.conflicts), default=0.0)
    random = tuple(each.name for each in found.members if each.random)
    return Run(float((reached - everywhere.min()) / np.ptp(everywhere)), study.learned.advice().stop, surest, random)


def camps(answers: int, seed: int) -> Run:
    """Return what came of three camps."""
    return run({name: partial(dislike, taste) for name, taste in CAMPS.items()}, answers, seed)


def good(answers: int, seed: int, with_random: bool) -> Run:
    """Return what came of four people with one taste, with or without a fifth who tosses a coin."""
    taste = partial(dislike, TASTES[seed % len(TASTES)])
    judges = {name: None if name == RANDOM else taste for name in NAMES if with_random or name != RANDOM}
    return run(judges, answers * len(judges) // 4, seed, ERROR)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both simulations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--answers", type=int, default=60, help="of the camps, and of the four good judges")
    given = parser.parse_args(arguments)
    seeds = range(given.seeds)

    found = [camps(given.answers, seed) for seed in seeds]
    print(f"three camps, {given.answers} answers, {len(found)} seeds:")
    print(f"  regret of the recommendation: median {np.median([each.regret for each in found]):.2%} of the range")
    print(f"  disagreement reported: {sum(each.disagree > 0 for each in found)}")
    print(f"  its probability: median {np.median([each.disagree for each in found]):.1%}")
    print(f"  advised to stop: {sum(each.stop for each in found)}")

    four, five = ([good(given.answers, seed, with_random) for seed in seeds] for with_random in (False, True))
    means = [float(np.mean([each.regret for each in runs])) for runs in (four, five)]
    print(f"four good judges, {given.answers} answers, without and with a fifth who tosses a coin, {len(seeds)} seeds:")
    print(f"  mean regret {means[0]:.3%} and {means[1]:.3%} of the range: {means[1] / means[0]:.2f} times")
    print(f"  median {np.median([e.regret for e in four]):.3%} and {np.median([e.regret for e in five]):.3%}")
    print(f"  the fifth was found out in {sum(RANDOM in each.found_out for each in five)} runs")
    print(f"  a good judge was taken for random in {sum(bool({*e.found_out} - {RANDOM}) for e in four + five)} runs")


if __name__ == "__main__":
    main()

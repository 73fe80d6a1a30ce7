"""Does a second look help? `python -m benchmarks.second_thoughts` asks simulated people who slip, or whose taste changes.

Slips: people with random smooth tastes of 1 to 5 variables (those of `benchmarks.reliability`) say the opposite of what they mean
in a tenth of their answers. After the last answer, the three answers that prefero would look at again are checked: how many are
slips? The same people then answer once more, with five second looks at moments spread over the study. A second look errs as often
as any answer. If it differs from the first answer, the newer one counts.

Drift: the optimum of a bowl moves while the person answers, from one point to another. How often is a changed taste found, and
what does a half-life bring? Regret is that of the taste at the end.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import prefero as pf
from benchmarks.functions import Array
from benchmarks.people import Latent
from benchmarks.reliability import KEY, RANGE_POINTS, surface_of
from benchmarks.workers import side_by_side
from prefero.answers import as_preference
from prefero.insight import second_thoughts
from prefero.insight.doubts import CHANGED

MOMENTS = (0.3, 0.45, 0.6, 0.75, 0.9)
"""When a second look is taken, as shares of the study."""
LOOKS = 3
LEAST_REGRET = 1e-3
"""A smaller regret, relative to the range, counts as this in the geometric mean."""
HALF_LIVES = (5, 10, 20, 40)


@dataclass(frozen=True)
class Slipping:
    """One person: true slips among the looks, all slips, and the regret without, with looks and with as many more questions."""

    found: int
    slips: int
    plain: float
    reviewed: float
    more: float


@dataclass(frozen=True)
class Drifting:
    """One person: the stated probability of a drift, whether there was one, and the regret by half-life."""

    probability: float
    drifts: bool
    regrets: tuple[float, ...]


def _vector(candidate: pf.Candidate) -> Array:
    return np.array(list(candidate.values()), dtype=float)


def _prefers(f: Latent, question: pf.Question) -> int:
    return -1 if f(_vector(question.a)) < f(_vector(question.b)) else 1


def _answer(study: pf.Study, question: pf.Question, f: Latent, rate: float, rng: np.random.Generator) -> bool:
    """Answer a question; tell whether it was a slip."""
    slip = bool(rng.random() < rate)
    study.tell(question, as_preference(_prefers(f, question) * (-1 if slip else 1)))
    return slip


def _look_again(study: pf.Study, f: Latent, rate: float, rng: np.random.Generator) -> None:
    """Ask about the most doubtful answer again; if the new answer differs, only that one counts."""
    looks = second_thoughts(study, 1).looks
    if not looks:
        return
    step = looks[0].entry.step
    _answer(study, study.probe(step), f, rate, rng)
    old, new = (study.log.state.responses[k].said for k in (step, len(study.log.state.asked) - 1))
    if old == new:  # the sides are swapped: the same word is the other candidate
        study.log.remove(step)


def slipping(seed: int, rate: float) -> Slipping:
    """One person who slips."""
    function, dimension = surface_of(seed)

    def f(x: Array) -> float:
        return float(function(np.asarray(x, dtype=float)))

    values = function(np.random.default_rng(KEY).uniform(-1, 1, (RANGE_POINTS, dimension)))
    low, span = float(values.min()), float(np.median(values) - values.min())
    count = 10 + 8 * dimension

    def run(moments: Sequence[int], extra: int = 0) -> tuple[pf.Study, dict[int, bool], float]:
        study = pf.Study(pf.Space.box([-1] * dimension, [1] * dimension), comparisons=count, seed=seed)
        slips, rng, other = {}, np.random.default_rng([KEY, seed]), np.random.default_rng([KEY, seed, 1])
        for k in range(1, count + extra + 1):
            question = study.ask()
            slips[question.step] = _answer(study, question, f, rate, rng)
            if k in moments:
                _look_again(study, f, rate, other)
        assert study.best is not None
        return study, slips, max((f(_vector(study.best)) - low) / span, 0.0)

    study, slips, plain = run(())
    found = sum(slips[look.entry.step] for look in second_thoughts(study, LOOKS).looks)
    reviewed = run([round(part * count) for part in MOMENTS])[2]
    return Slipping(found, sum(slips.values()), plain, reviewed, run((), len(MOMENTS))[2])


def drifting(seed: int, moves: bool) -> Drifting:
    """One person whose taste moves in the middle half of the study, or stays; they slip in one of twenty answers."""
    dimension = 2 + seed % 2
    rng = np.random.default_rng([KEY, seed, 2])
    start, end = rng.uniform(-0.8, 0.8, (2, dimension))
    count = 60

    def bowl(at: float) -> Latent:
        centre = start + (end - start) * np.clip(2 * at - 0.5, 0, 1) * moves
        return lambda x: float(((np.asarray(x, dtype=float) - centre) ** 2).sum())

    def run(half_life: float | None) -> tuple[pf.Study, float]:
        asks = pf.Posterior(half_life=half_life)
        space = pf.Space.box([-1] * dimension, [1] * dimension)
        study = pf.Study(space, comparisons=count, seed=seed, proposer=asks)
        own = np.random.default_rng([KEY, seed, 3])
        for k in range(count):
            _answer(study, study.ask(), bowl(k / count), 0.05, own)
        assert study.best is not None
        return study, bowl(1.0)(_vector(study.best))

    study, usual = run(None)
    found = study.learned.drift()
    assert found is not None
    return Drifting(found[0], moves, (usual, *(run(life)[1] for life in HALF_LIVES)))


def _geometric(values: Array) -> float:
    return float(np.exp(np.log(np.maximum(values, LEAST_REGRET)).mean()))


def main(argv: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first person's number")
    parser.add_argument("--rate", type=float, default=0.1, help="how often a person slips")
    parser.add_argument("--drift", action="store_true", help="people whose taste changes, instead of people who slip")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args(argv)
    people = range(given.first, given.first + given.people)
    write = sys.stdout.write
    if given.drift:
        runs = [
            *side_by_side(drifting, [(k, moves) for k in people for moves in (False, True)], given.workers),
        ]
        for moves in (False, True):
            own = [run for run in runs if run.drifts == moves]
            share = np.mean([run.probability >= CHANGED for run in own])
            regrets = np.array([run.regrets for run in own])
            by_life = ", ".join(
                f"{life or 'none'}: {_geometric(column):.4f}"
                for life, column in zip((0, *HALF_LIVES), regrets.T, strict=True)
            )
            write(f"{'moving' if moves else 'steady'}: drift found in {share:.0%}; regret by half-life {by_life}\n")
        return
    slips = [*side_by_side(slipping, [(k, given.rate) for k in people], given.workers)]
    found = np.array([run.found for run in slips])
    write(f"true slips among {LOOKS} answers: median {np.median(found):.1f}, mean {found.mean():.2f}")
    write(f" (at most {np.mean([min(run.slips, LOOKS) for run in slips]):.2f})\n")
    for name, label in (
        ("plain", "no second look"),
        ("reviewed", "five second looks"),
        ("more", "five more questions"),
    ):
        values = np.array([getattr(run, name) for run in slips])
        write(f"{label}: regret mean {values.mean():.4f}, geometric mean {_geometric(values):.4f}, ")
        write(f"median {np.median(values):.4f}\n")


if __name__ == "__main__":
    main()

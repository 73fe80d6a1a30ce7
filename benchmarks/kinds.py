"""What each kind of answer is worth, beside plain pairs at the same number of questions: `python -m benchmarks.kinds`.

On BBOB's development instances, with consistent people whose tastes are the functions. A person says "much better" if the values
differ by more than `MUCH` of the range. "wrong levels" says it of one in ten pairs where it is not so, and the other way round;
which candidate is better stays right. Of more than two candidates, a person says what the question asks for.

A person who rates says of each new candidate, besides which one is better, to which of five levels it belongs: the levels divide
the values of a sample of the box into fifths. "wrong ratings" gives one in ten a level drawn at random. A person with doubts
answers with noise, and is not sure of pairs that differ by less than twice its standard deviation; "doubts" lets them count less,
"noisy" keeps them back.

With `--samples`, a kind that shows more candidates gets fewer questions, so that as many candidates are shown as with pairs.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

import prefero as pf
from benchmarks.blackbox import FUNCTIONS, problem_of
from benchmarks.problems import Problem
from prefero.proposers import glisp, posterior

MUCH = 0.3
WRONG = 0.1
LEVELED = 1000
"""Points of the box that a person's levels come from."""
NOISE = 0.03
"""Standard deviation of the noise of a difference, as a part of the range."""
UNSURE = {"posterior": posterior.UNSURE, "glisp": glisp.UNSURE}
FLOOR = 1e-8
"""Regrets below this count as this in logarithms."""

SEVERAL = ("best of 3", "best of 4", "best and worst of 4", "rank 3", "rank 4", "rank 6", "insert among 3")
"""Kinds of question about more than two candidates."""

Person = Callable[..., object]


def plain(problem: Problem, seed: int) -> Person:
    """A person who says which is better."""
    del seed
    return pf.preference(problem)


def strengths(problem: Problem, seed: int, wrong: float = 0.0) -> Person:
    """A person who also says whether it is much better."""
    rng = np.random.default_rng(seed)

    def prefer(a: np.ndarray, b: np.ndarray) -> int:
        lead = problem(b) - problem(a)
        much = (abs(lead) > MUCH) ^ (rng.random() < wrong)
        return int(-np.sign(lead)) * (2 if much else 1)

    return prefer


def ratings(problem: Problem, seed: int, wrong: float = 0.0) -> Person:
    """A person who also rates each new candidate."""
    rng = np.random.default_rng(seed)
    box = np.random.default_rng(0).uniform(problem.lower, problem.upper, (LEVELED, len(problem.lower)))
    limits = np.quantile([problem(x) for x in box], [0.2, 0.4, 0.6, 0.8])
    seen: set[bytes] = set()

    def level(x: np.ndarray) -> int | None:
        if x.tobytes() in seen:
            return None
        seen.add(x.tobytes())
        return int(rng.integers(1, 6)) if rng.random() < wrong else 5 - int(np.searchsorted(limits, problem(x)))

    return lambda a, b: pf.rated(pf.preference(problem)(a, b), level(a), level(b))


def noisy(problem: Problem, seed: int, doubts: bool = False) -> Person:
    """A person who confuses candidates that are nearly as good, and may say so."""
    rng = np.random.default_rng(seed)

    def prefer(a: np.ndarray, b: np.ndarray) -> object:
        lead = problem(b) - problem(a)
        said = "a" if lead + NOISE * rng.standard_normal() > 0 else "b"
        return pf.unsure(said) if doubts and abs(lead) < 2 * NOISE else said

    return prefer


KINDS: dict[str, Callable[[Problem, int], Person]] = {
    "plain": plain,
    "strengths": strengths,
    "wrong levels": lambda problem, seed: strengths(problem, seed, WRONG),
    **dict.fromkeys(SEVERAL, plain),
    "ratings": ratings,
    "wrong ratings": lambda problem, seed: ratings(problem, seed, WRONG),
    "noisy": noisy,
    "doubts": lambda problem, seed: noisy(problem, seed, doubts=True),
}
PROPOSERS: dict[str, pf.Posterior | pf.Glisp] = {
    "posterior": pf.Posterior(),
    "glisp": pf.Glisp(),
    "doubts, posterior": pf.Posterior(unsure=UNSURE["posterior"]),
    "doubts, glisp": pf.Glisp(unsure=UNSURE["glisp"]),
}


def questions_of(kind: str, problem: Problem, same_samples: bool) -> int:
    """How many questions a person answers."""
    if (
        not same_samples or kind not in SEVERAL or kind.startswith("insert")
    ):  # an insertion shows one new candidate, as a pair does
        return problem.samples - 1
    new = int(kind[-1]) - 1  # in each question, besides the incumbent
    return max(1, round((problem.samples - 1) / new))


def regrets(
    kind: str,
    proposer: Literal["posterior", "glisp"],
    dimensions: Sequence[int],
    instances: int,
    first: int = 1,
    same_samples: bool = False,
) -> np.ndarray:
    """The final regret of each run, as a part of the function's range."""
    found = []
    for dimension in dimensions:
        for function in FUNCTIONS:
            for instance in range(first, first + instances):
                problem = problem_of(function, dimension, instance)
                person = KINDS[kind](problem, instance)
                box = (problem.lower, problem.upper)
                asks = PROPOSERS.get(f"{kind}, {proposer}", PROPOSERS[proposer])
                asked = questions_of(kind, problem, same_samples)
                shown = kind if kind in SEVERAL else "pair"
                run = pf.optimize(person, box, comparisons=asked, seed=instance, proposer=asks, kind=shown)
                found.append(problem(np.asarray(run.x)))
    return np.array(found)


def row(kind: str, found: np.ndarray, pairs: np.ndarray) -> str:
    """One line of the table: shares within 1 % and 5 % of the range, and the paired difference of log10 regrets to plain pairs."""
    difference = np.log10(np.maximum(found, FLOOR)) - np.log10(np.maximum(pairs, FLOOR))
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    shares = " | ".join(f"{np.mean(found <= share):.0%}" for share in (0.01, 0.05))
    return f"| {kind} | {len(found)} | {shares} | {difference.mean():+.2f} ± {error:.2f} |"


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS)[1:], help=", ".join(KINDS))
    parser.add_argument("--proposer", default="posterior", choices=["posterior", "glisp"])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[2], choices=[2, 3, 5])
    parser.add_argument("--instances", type=int, default=3, help="of each function, at most 40")
    parser.add_argument("--samples", action="store_true", help="at the same number of candidates shown")
    parser.add_argument("--first", type=int, default=1, help="the first instance")
    given = parser.parse_args(argv)
    unknown = [kind for kind in given.kinds if kind not in KINDS]
    if unknown or not 1 <= given.first <= given.first + given.instances - 1 <= 40:
        parser.error(f"unknown: {unknown}; kinds: {', '.join(KINDS)}; instances 1 to 40")
    print("| kind | runs | within 1 % | within 5 % | log10 regret against pairs |\n|---|---|---|---|---|")
    which = (given.dimensions, given.instances, given.first)
    pairs = regrets("plain", given.proposer, *which)
    for kind in ["plain", *given.kinds]:
        found = pairs if kind == "plain" else regrets(kind, given.proposer, *which, given.samples)
        print(row(kind, found, pairs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What each kind of answer is worth, beside plain pairs at the same number of questions: `python -m benchmarks.kinds`.

On BBOB's development instances, with consistent people whose tastes are the functions. A person says "much better" if the values
differ by more than `MUCH` of the range. "wrong levels" says it of one in ten pairs where it is not so, and the other way round;
which candidate is better stays right.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

import prefero as pf
from benchmarks.bbob import FUNCTIONS, problem_of
from benchmarks.problems import Problem

MUCH = 0.3
WRONG = 0.1
FLOOR = 1e-8
"""Regrets below this count as this in logarithms."""

Person = Callable[[np.ndarray, np.ndarray], object]


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


KINDS: dict[str, Callable[[Problem, int], Person]] = {
    "plain": plain,
    "strengths": strengths,
    "wrong levels": lambda problem, seed: strengths(problem, seed, WRONG),
}


def regrets(
    kind: str, proposer: Literal["posterior", "glisp"], dimensions: Sequence[int], instances: int
) -> np.ndarray:
    """The final regret of each run, as a part of the function's range."""
    found = []
    for dimension in dimensions:
        for function in FUNCTIONS:
            for instance in range(1, instances + 1):
                problem = problem_of(function, dimension, instance)
                person = KINDS[kind](problem, instance)
                box = (problem.lower, problem.upper)
                run = pf.optimize(person, box, comparisons=problem.samples - 1, seed=instance, proposer=proposer)
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
    given = parser.parse_args(argv)
    unknown = [kind for kind in given.kinds if kind not in KINDS]
    if unknown or not 1 <= given.instances <= 40:
        parser.error(f"unknown: {unknown}; kinds: {', '.join(KINDS)}; 1 to 40 instances")
    print("| kind | runs | within 1 % | within 5 % | log10 regret against pairs |\n|---|---|---|---|---|")
    pairs = regrets("plain", given.proposer, given.dimensions, given.instances)
    for kind in ["plain", *given.kinds]:
        found = pairs if kind == "plain" else regrets(kind, given.proposer, given.dimensions, given.instances)
        print(row(kind, found, pairs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

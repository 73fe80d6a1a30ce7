"""What a person's directions are worth, beside plain pairs at the same number of questions: `python -m benchmarks.hints`.

On BBOB's development instances, with consistent people whose tastes are the functions. After every third question, a person says
"more" or "less" of one variable at the best candidate so far: the sign of the derivative there. It is the variable with the
steepest slope, or with "random" any one. "wrong" says the opposite in one of four times.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np

import prefero as pf
from benchmarks.blackbox import FUNCTIONS, problem_of
from benchmarks.kinds import PROPOSERS, row
from benchmarks.problems import Problem
from prefero.models import statements

EARLY = 0.4
"""Regrets are also reported after this part of the questions."""
EVERY = 3
"""A hint follows every so many answers."""
WRONG = 0.25
SMALL = 1e-4
"""The step of the person's derivative, as a part of each range."""
KINDS = ("steepest", "random", "wrong")


def slopes(problem: Problem, x: np.ndarray) -> np.ndarray:
    """The derivative of the function along each variable, per range."""
    lower, upper = np.asarray(problem.lower, float), np.asarray(problem.upper, float)
    moves = SMALL * np.diag(upper - lower)
    inside = [(np.clip(x - move, lower, upper), np.clip(x + move, lower, upper)) for move in moves]
    return np.array([problem(high) - problem(low) for low, high in inside])


def run(kind: str, problem: Problem, seed: int, asks: pf.Posterior | pf.Glisp) -> tuple[float, float]:
    """The regret of one study, early and at the end."""
    rng = np.random.default_rng([seed, 1])
    study = pf.Study(
        (problem.lower, problem.upper),
        comparisons=problem.samples - 1,
        seed=seed,
        proposer=asks,
        sides="incumbent first",
    )
    prefer = pf.preference(problem)

    def point(candidate: pf.Candidate) -> np.ndarray:
        return np.array(list(candidate.values()))

    questions, early = problem.samples - 1, np.inf
    for k in range(questions):
        question = study.ask()
        study.tell(question, prefer(point(question.a), point(question.b)))
        if k + 1 == round(EARLY * questions):
            assert study.best is not None
            early = float(problem(point(study.best)))
        if kind != "plain" and k % EVERY == EVERY - 1:
            assert study.best is not None
            slope = slopes(problem, point(study.best))
            variable = int(rng.integers(len(slope))) if kind == "random" else int(np.abs(slope).argmax())
            falls = bool(slope[variable] < 0) ^ (kind == "wrong" and bool(rng.random() < WRONG))
            study.hint("more" if falls else "less", study.space.names[variable])
    assert study.best is not None
    return early, float(problem(point(study.best)))


def regrets(kind: str, proposer: str, dimension: int, instances: int, first: int) -> np.ndarray:
    """The regrets of each run, early and at the end, as parts of the function's range."""
    cases = [(function, instance) for function in FUNCTIONS for instance in range(first, first + instances)]
    asks = PROPOSERS[proposer]
    return np.array([run(kind, problem_of(f, dimension, instance), instance, asks) for f, instance in cases])


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help=", ".join(KINDS))
    parser.add_argument("--proposer", default="posterior", choices=["posterior", "glisp"])
    parser.add_argument("--dimension", type=int, default=2, choices=[2, 3, 5])
    parser.add_argument("--instances", type=int, default=1, help="of each function")
    parser.add_argument("--first", type=int, default=1, help="the first instance")
    parser.add_argument("--vague", type=float, default=statements.VAGUE, help="the noise of a direction")
    given = parser.parse_args(argv)
    if set(given.kinds) - set(KINDS):
        parser.error(f"kinds: {', '.join(KINDS)}")
    statements.VAGUE = given.vague
    print("| hints | runs | within 1 % | within 5 % | log10 regret against none |\n|---|---|---|---|---|")
    which = (given.proposer, given.dimension, given.instances, given.first)
    plain = regrets("plain", *which)
    for kind in ["plain", *given.kinds]:
        found = plain if kind == "plain" else regrets(kind, *which)
        for when, regret, without in zip(("early", "at the end"), found.T, plain.T, strict=True):
            print(row(f"{kind}, {when}", regret, without), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

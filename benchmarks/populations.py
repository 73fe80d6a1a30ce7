"""People like real ones: `python -m benchmarks.populations default random` asks people drawn from a fitted population.

A mixed logit with normal weights is fitted to real choices (`benchmarks.choices`). A person drawn from it has a linear utility in
the box of attributes [-1, 1]ⁿ and answers with logistic noise of scale 1, the noise of the real answers. After a study, the
recommendation's true utility is ranked among 10,000 random candidates of the box.
"""

import argparse
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from scipy.special import expit

from benchmarks import choices, logit, paired, suite
from benchmarks.compare import Noise, UsageError, check_names
from benchmarks.functions import Array
from benchmarks.problems import Problem
from benchmarks.results import Run
from benchmarks.suite import SuiteJob

CANDIDATES = 10_000
ANSWERS = range(1, 1001)
NOISE = Noise("own", "unsure", 1.0)
"""Logistic noise of scale 1, which is the problem's known range."""
SCORES: paired.Scores = {
    "percentile": (lambda r: 100 * (1 - r), 1),
    "in the best 1 %": (paired.within(0.01), 1),
    "in the best 5 %": (paired.within(0.05), 1),
}


@cache
def population_of(data: str) -> logit.Population:
    """The population fitted to a data set."""
    return logit.mixed([person.differences() for person in choices.people_of(data)]).population()


@cache
def candidates(dimension: int) -> Array:
    """Random candidates of the box, the same for everybody."""
    return np.random.default_rng(0).uniform(-1, 1, (CANDIDATES, dimension))


def weights_of(data: str, person: int) -> Array:
    """The weights of one person drawn from the population."""
    rng = np.random.default_rng([zlib.crc32(data.encode()), person])
    return np.asarray(population_of(data).draw(rng, 1)[0])


def problem_of(data: str, w: Array, answers: int) -> Problem:
    """A study of so many answers with a person of these weights; lower is better, in units of the noise."""

    def cost(x: Array) -> Array:
        return np.asarray(-(x @ w))

    box = np.ones(len(w))
    source = f"mixed logit of {data}"
    return Problem(f"{data}@{answers}", cost, -box, box, -float(np.abs(w).sum()), answers + 1, source, known_range=1.0)


@dataclass(frozen=True)
class PersonJob(SuiteJob):
    """A study with a drawn person."""

    costs: Array = field(default_factory=lambda: np.empty(0))  # of the random candidates, ascending

    def regret(self, x: Array) -> float:
        """The share of random candidates that are better than the recommendation."""
        return float(np.searchsorted(self.costs, self.problem(x)) / len(self.costs))


def jobs_of(methods: Sequence[str], data: Sequence[str], people: int, answers: Sequence[int]) -> Iterator[PersonJob]:
    """All studies, person by person and method beside method."""
    for person in range(people):
        for name in data:
            w = weights_of(name, person)
            costs = np.sort(-(candidates(len(w)) @ w))
            for count in answers:
                problem = problem_of(name, w, count)
                for method in methods:
                    yield PersonJob(method, problem, person, NOISE, costs)


def wrong_answers(data: str, people: int = 200) -> float:
    """The share of answers about random pairs that go against the person's utility."""
    W = np.array([weights_of(data, person) for person in range(people)])
    X = candidates(W.shape[1])
    return float(expit(-np.abs((X[::2] - X[1::2]) @ W.T)).mean())


def planned(arguments: argparse.Namespace) -> list[PersonJob]:
    """The studies that the command line asks for; checks it."""
    if not arguments.methods:
        raise UsageError(f"no method given: allowed are {', '.join(suite.METHODS)}")
    for name in arguments.methods:
        if suite.method_of(name).is_told_numbers:
            raise UsageError(f"method {name} is told numbers, and these people have none to say")
    check_names("data set", arguments.data, list(choices.READERS))
    if arguments.people < 1:
        raise UsageError("--people must be at least 1")
    answers = suite.whole_numbers("--answers", arguments.answers, ANSWERS)
    return list(jobs_of(arguments.methods, arguments.data, arguments.people, answers))


def report(runs: dict[str, list[Run]], against: str | None) -> list[str]:
    """The tables, by data set and number of answers; differences are to the method `against`, by default the first."""
    reference = suite.reference(runs, against)
    problems = list(dict.fromkeys(run.problem for made in runs.values() for run in made))
    classes: dict[str, Callable[[Run], bool]] = {_title(name): _is_of(name) for name in sorted(problems)}
    return [
        f"The recommendation's true utility among {CANDIDATES:,} random candidates, means over people.",
        f"Δ: difference to {reference} with the same people ± standard error.",
        "",
        *paired.table(runs, reference, classes, SCORES),
        "",
        *paired.cost(runs),
        *paired.failures(runs),
        "",
    ]


def _title(problem: str) -> str:
    data, _, answers = problem.partition("@")
    return f"{data}, {answers} answers"


def _is_of(problem: str) -> Callable[[Run], bool]:
    return lambda run: run.problem == problem


def populations(arguments: argparse.Namespace) -> str:
    """Do what the command line says and return the report."""
    if arguments.report:
        return "\n".join(report(suite.read_all(arguments.report), arguments.against))
    runs = suite.make(planned(arguments), arguments)
    noise = [
        f"{data}: {wrong_answers(data):.0%} of the answers about random pairs go against the person's utility."
        for data in arguments.data
    ]
    return "\n".join([*noise, *report(suite.by_method(runs, arguments.methods), arguments.against)])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.populations", description=(__doc__ or "").splitlines()[0])
    p.add_argument("methods", nargs="*", metavar="METHOD", help=f"{', '.join(suite.METHODS)}, or NAME:{{settings}}")
    p.add_argument("--data", nargs="+", default=list(choices.READERS), help=f"{', '.join(choices.READERS)} (all)")
    p.add_argument("--people", type=int, default=50, help="drawn from each population (50)")
    p.add_argument("--answers", default="15,30", help="a study for each of these numbers of answers (15,30)")
    suite.add_run_options(p, "out/populations.jsonl")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 2 for an invalid command line; 130 if interrupted."""
    return suite.carry_out(populations, parser().parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

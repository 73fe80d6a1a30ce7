"""The 24 BBOB functions, which nobody here chose: `python -m benchmarks.bbob default random`.

Regrets and noise are parts of a function's range (`benchmarks.blackbox`). A run has 30, 40, 60 or 80 samples in 2, 3, 5 or 10
dimensions. Instances 1 to 40 are for development; others stay unseen until a final test.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import headline, paired, suite
from benchmarks.blackbox import (
    CLASSES,
    DEVELOPMENT,
    FUNCTIONS,
    LAST_INSTANCE,
    SAMPLES,
    function_of,
    parts_of,
    problem_of,
    seed_of,
)
from benchmarks.compare import Noise, UsageError
from benchmarks.named import FileError, problem_named, suite_in
from benchmarks.results import Run
from benchmarks.suite import SuiteJob

NOISES = {"exact": "none", "logistic": "unsure", "flip": "flips"}
"""Kinds of people, and what `benchmarks.compare` calls them."""


def belongs_to(name: str) -> Callable[[Run], bool]:
    """Whether a run is of this class of functions."""
    return lambda run: parts_of(run.problem) is not None and function_of(run.problem) in CLASSES[name]


def parse_noise(text: str) -> Noise:
    """exact, logistic:SCALE, which adds noise to the difference, or flip:RATE, which gives the opposite answer."""
    kind, _, amount = text.partition(":")
    try:
        value = float(amount) if kind != "exact" else 0.0
        if kind not in NOISES or (kind == "exact" and amount) or not 0 <= value < 1:
            raise ValueError
    except ValueError:
        raise UsageError(f"--noise {text}: allowed are exact, logistic:SCALE and flip:RATE, from 0 to 1") from None
    return Noise(kind if kind == "exact" else f"{kind}:{value:g}", NOISES[kind], value)


def jobs_of(
    methods: Sequence[str], functions: Sequence[int], dimensions: Sequence[int], instances: Sequence[int], noise: Noise
) -> Iterator[SuiteJob]:
    """All runs, instance by instance and method beside method. Each function and instance has a seed of its own."""
    for instance in instances:
        for function in functions:
            for dimension in dimensions:
                for method in methods:
                    problem = problem_of(function, dimension, instance)
                    yield SuiteJob(method, problem, seed_of(problem.name), noise)


def brought_jobs(methods: Sequence[str], file: Path, seeds: Sequence[int], noise: Noise) -> Iterator[SuiteJob]:
    """All runs on the problems of a file, with these seeds."""
    try:
        problems = suite_in(file)
    except FileError as error:
        raise UsageError(f"--suite {error}") from None
    for seed in seeds:
        for problem in problems:
            for method in methods:
                yield SuiteJob(method, problem, seed, noise)


def check_methods(methods: Sequence[str], noise: Noise) -> None:
    """Raise UsageError for a method that is unknown, or that is told numbers by a person who has none."""
    for name in methods:
        if suite.method_of(name).is_told_numbers and noise.kind != "none":
            raise UsageError(f"method {name} is told numbers: allowed is --noise exact only")


def planned(arguments: argparse.Namespace) -> list[SuiteJob]:
    """The runs that the command line asks for; checks it."""
    noise = parse_noise(arguments.noise)
    if not arguments.methods:
        raise UsageError(f"no method given: allowed are {', '.join(suite.METHODS)}")
    check_methods(arguments.methods, noise)
    allowed = range(1, LAST_INSTANCE + 1) if arguments.unseen else DEVELOPMENT
    try:
        instances = suite.whole_numbers("--instances", arguments.instances, allowed)
    except UsageError as error:
        raise UsageError(
            f"{error}{'' if arguments.unseen else '; others are for a final test with --unseen'}"
        ) from None
    if arguments.suite:
        return list(brought_jobs(arguments.methods, arguments.suite, instances, noise))
    functions = suite.whole_numbers("--functions", arguments.functions, FUNCTIONS)
    dimensions = suite.whole_numbers("--dimensions", arguments.dimensions, SAMPLES)
    return list(jobs_of(arguments.methods, functions, dimensions, instances, noise))


def check_problems(runs: dict[str, list[Run]]) -> None:
    """Raise UsageError for rows of a problem that only its suite's file knows."""
    for problem in dict.fromkeys(run.problem for made in runs.values() for run in made):
        try:
            problem_named(problem)
        except KeyError:
            raise UsageError(
                f"--report: no problem is named {problem}; --suite FILE brings the problems of a file"
            ) from None


def told_numbers(runs: dict[str, list[Run]]) -> list[str]:
    """A line that names the methods that hear more than preferences; of a file that is gone nobody knows."""
    told = []
    for name, made in runs.items():
        try:
            told += [name] if made and suite.method_of(made[0].method).is_told_numbers else []
        except UsageError:
            continue
    return [f"Told numbers, so no contestant: {', '.join(told)}."] if told else []


def report(runs: dict[str, list[Run]], against: str | None) -> str:
    """The tables; differences are to the method `against`, by default the first."""
    reference = suite.reference(runs, against)
    check_problems(runs)
    classes = {"all": lambda _: True, **{name: belongs_to(name) for name in CLASSES}}
    lines = [
        *headline.printed(runs, reference),
        "By class. Shares of runs with a regret of at most 1 % and 5 % of the range, and the mean of log10 of the regret,",
        f"which counts as {paired.FLOOR:g} if it is less.",
        f"Δ: difference to {reference} on the same runs ± standard error, every run counting as independent.",
        "",
        *paired.table(runs, reference, classes, of=headline.part_of_range),
        "",
        *paired.cost(runs),
        *paired.failures(runs),
        *told_numbers(runs),
    ]
    return "\n".join(lines) + "\n"


def bbob(arguments: argparse.Namespace) -> str:
    """Do what the command line says and return the report."""
    if arguments.report and arguments.suite:
        suite_in(arguments.suite)
    if arguments.report:
        return report(suite.read_all(arguments.report), arguments.against)
    runs = suite.make(planned(arguments), arguments)
    return report(suite.by_method(runs, arguments.methods), arguments.against)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.bbob", description=(__doc__ or "").splitlines()[0])
    p.add_argument("methods", nargs="*", metavar="METHOD", help=f"{', '.join(suite.METHODS)}, or NAME:{{settings}}")
    p.add_argument("--instances", default="1-10", help="of each function (1-10)")
    p.add_argument("--unseen", action="store_true", help="allow instances that are not for development")
    p.add_argument("--dimensions", default="2,3,5", help="2, 3, 5 and 10 (2,3,5)")
    p.add_argument("--functions", default="1-24", help="numbers of the functions (1-24)")
    p.add_argument(
        "--suite", type=Path, metavar="FILE", help="the PROBLEMS of this file instead; --instances are the seeds"
    )
    p.add_argument("--noise", default="exact", help="exact, logistic:0.02 or flip:0.1 (exact)")
    suite.add_run_options(p, "out/bbob.jsonl")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 2 for an invalid command line; 130 if interrupted."""
    return suite.carry_out(bbob, parser().parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

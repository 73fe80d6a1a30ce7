"""What it costs to ask several questions at once: `python -m benchmarks.batches` compares batches with one question at a time.

A laboratory with several test benches asks for as many questions as it has benches, and learns nothing in between. Both ways get
the same number of answers, about the same BBOB problems, from a person who never errs.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np

import prefero as pf
from benchmarks import blackbox, suite
from benchmarks.compare import UsageError
from benchmarks.paired import FLOOR
from benchmarks.progress import Progress
from benchmarks.transfer import Case, exact, table
from benchmarks.workers import side_by_side

ALONE = "one at a time"


def run(case: Case, size: int, answers: int) -> tuple[Case, int, float]:
    """The regret of the recommendation, part of the range, after so many answers in batches of a size."""
    problem = blackbox.problem_of(case.number, case.dimension, case.instance)
    says, rng = exact(lambda x: float(problem(x))), np.random.default_rng(case.seed)
    study = pf.Study(pf.Space.box(problem.lower, problem.upper), comparisons=answers, seed=case.instance)
    while study.history.answered < answers:
        batch = study.ask(count=min(size, answers - study.history.answered))
        for k in rng.permutation(len(batch)):  # benches are ready in any order
            a, b = (np.array(list(side.values()), dtype=float) for side in (batch[k].a, batch[k].b))
            study.tell(batch[k], says(a, b))
    assert study.best is not None
    return case, size, float(problem(np.array(list(study.best.values()))))


def report(arguments: argparse.Namespace) -> str:
    """Do what the command line says and return the table."""
    instances = suite.whole_numbers("--instances", arguments.instances, blackbox.DEVELOPMENT)
    if min(arguments.answers, arguments.jobs, arguments.size - 1) < 1:
        raise UsageError("--answers and --jobs must be at least 1, --size at least 2")
    names = {1: ALONE, arguments.size: f"batches of {arguments.size}"}
    cases = [Case("bbob", f, d, i) for i in instances for f in blackbox.FUNCTIONS for d in arguments.dimensions]
    tasks = [(case, size, arguments.answers) for case in cases for size in names]
    progress, found = Progress(len(tasks)), {}
    for case, size, regret in side_by_side(run, tasks, arguments.jobs):
        found[case, names[size]] = regret
        progress.advance(names[size])
    progress.close()
    note = f"After {arguments.answers} answers. Regrets below {FLOOR} of the range count as {FLOOR}."
    return "\n".join([*table(found, tuple(names.values()), "questions"), "", note, ""])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.batches", description=(__doc__ or "").splitlines()[0])
    p.add_argument("--instances", default="1-2", help="BBOB instances (1-2)")
    p.add_argument("--dimensions", type=int, nargs="+", default=[2, 3, 5], help="of the problems (2 3 5)")
    p.add_argument("--size", type=int, default=4, help="questions at once (4)")
    p.add_argument("--answers", type=int, default=40, help="in each study (40)")
    p.add_argument("--jobs", type=int, default=2, help="processes side by side (2)")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 2 for an invalid command line; 130 if interrupted."""
    return suite.carry_out(report, parser().parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

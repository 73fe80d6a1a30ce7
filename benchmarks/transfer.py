"""What earlier studies are worth: `python -m benchmarks.transfer` compares studies with a prior to cold starts.

Functions: each source is the same BBOB problem, moved a little, with 30 answers. People: sources and the new person are drawn
from a population fitted to real choices, and each source has 15 answers. The sources are similar; or opposite, with every
answer turned round; or mixed, one of them opposite. The new study has few answers, and what counts is its recommendation.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

import prefero as pf
from benchmarks import blackbox, choices, populations, suite
from benchmarks.compare import UsageError
from benchmarks.functions import Array
from benchmarks.paired import FLOOR, aligned, difference
from benchmarks.progress import Progress
from benchmarks.workers import side_by_side

Cost: TypeAlias = Callable[[Array], float]
Says: TypeAlias = Callable[[Array, Array], Literal["a", "b"]]

KINDS = ("cold", "similar", "mixed", "opposite")
SHIFT = 0.05  # of the range of each variable: standard deviation of how far a source's optimum is moved
SOURCES, SOURCE_ANSWERS = 3, 30
PEOPLE_SOURCES, PEOPLE_ANSWERS = 10, 15


@dataclass(frozen=True)
class Case:
    """One function, or one person of a population."""

    suite: str  # "bbob" or the name of a data set
    number: int  # of the function, or of the person
    dimension: int = 0
    instance: int = 0

    @property
    def seed(self) -> list[int]:
        """Of everything that is drawn for this case."""
        return [len(self.suite), self.number, self.dimension, self.instance]


def asked(space: pf.Space, says: Says, answers: int, seed: int, prior: Sequence[pf.Study] = ()) -> pf.Study:
    """A study with so many answers."""
    study = pf.Study(space, comparisons=answers, seed=seed, prior=prior)
    for _ in range(answers):
        question = study.ask()
        a, b = (np.array(list(side.values()), dtype=float) for side in (question.a, question.b))
        study.tell(question, says(a, b))
    return study


def exact(cost: Cost, sign: float = 1.0) -> Says:
    """A person who never errs; with sign -1, one of the opposite taste."""
    return lambda a, b: "a" if sign * cost(a) <= sign * cost(b) else "b"


def noisy(w: Array, rng: np.random.Generator, sign: float = 1.0) -> Says:
    """A person with these weights and logistic noise of scale 1."""
    return lambda a, b: "a" if sign * w @ (a - b) + rng.logistic() > 0 else "b"


def opposite(kind: str, source: int) -> float:
    """The sign of a source: -1 if its taste is the opposite."""
    return -1.0 if kind == "opposite" or (kind == "mixed" and source == 0) else 1.0


def run(case: Case, kind: str, answers: int) -> tuple[Case, str, float]:
    """The regret of the recommendation: part of the range, or share of better candidates for people."""
    regret = _function if case.suite == "bbob" else _person
    return case, kind, regret(case, kind, answers)


def _function(case: Case, kind: str, answers: int) -> float:
    problem = blackbox.problem_of(case.number, case.dimension, case.instance)
    space, rng = pf.Space.box(problem.lower, problem.upper), np.random.default_rng(case.seed)
    shifts = SHIFT * rng.standard_normal((SOURCES, case.dimension)) * (problem.upper - problem.lower)

    def cost(shift: Array) -> Cost:
        return lambda x: float(problem(x - shift))

    prior = [
        asked(space, exact(cost(shift), opposite(kind, k)), SOURCE_ANSWERS, 1000 + k)
        for k, shift in enumerate(shifts)
        if kind != "cold"
    ]
    truth = cost(np.zeros(case.dimension))
    study = asked(space, exact(truth), answers, case.instance, prior)
    assert study.best is not None
    return truth(np.array(list(study.best.values())))


def _person(case: Case, kind: str, answers: int) -> float:
    w = populations.weights_of(case.suite, case.number)
    space = pf.Space.box(-np.ones(len(w)), np.ones(len(w)))
    prior = []
    for k in range(PEOPLE_SOURCES) if kind != "cold" else ():
        theirs = populations.weights_of(case.suite, 100_000 + PEOPLE_SOURCES * case.number + k)
        says = noisy(theirs, np.random.default_rng([*case.seed, k]), opposite(kind, k))
        prior.append(asked(space, says, PEOPLE_ANSWERS, 1000 + k))
    study = asked(space, noisy(w, np.random.default_rng(case.seed)), answers, case.number, prior)
    assert study.best is not None
    others = populations.candidates(len(w)) @ w
    return float((others > np.array(list(study.best.values())) @ w).mean())


def table(found: dict[tuple[Case, str], float], kinds: Sequence[str], column: str = "sources") -> list[str]:
    """Medians, and the ratio to the first kind: the geometric mean over cases with its standard error as a factor."""
    rows = [["suite", column, "studies", "median regret", f"ratio to {kinds[0]}"]]
    for name in dict.fromkeys(case.suite for case, _ in found):
        cases = sorted({case for case, _ in found if case.suite == name}, key=lambda c: c.seed)
        usual = np.array([max(found[case, kinds[0]], FLOOR) for case in cases])
        for kind in kinds:
            mine = np.array([max(found[case, kind], FLOOR) for case in cases])
            off = difference(np.log(mine / usual))
            ratio = "" if kind == kinds[0] else f"{np.exp(off.mean):.2f} ×/÷ {np.exp(off.error):.2f}"
            rows.append([name, kind, str(len(cases)), f"{np.median(mine):.4f}", ratio])
    return aligned(rows)


def report(arguments: argparse.Namespace) -> str:
    """Do what the command line says and return the table."""
    instances = suite.whole_numbers("--instances", arguments.instances, blackbox.DEVELOPMENT)
    if min(arguments.answers, arguments.jobs) < 1 or arguments.people < 0:
        raise UsageError("--answers and --jobs must be at least 1, --people at least 0")
    cases = [Case("bbob", f, d, i) for i in instances for f in blackbox.FUNCTIONS for d in (2, 3, 5)]
    cases = cases if arguments.functions else []
    cases += [Case(data, person) for data in choices.READERS for person in range(arguments.people)]
    tasks = [(case, kind, arguments.answers) for case in cases for kind in KINDS]
    progress, found = Progress(len(tasks)), {}
    for case, kind, regret in side_by_side(run, tasks, arguments.jobs) if tasks else ():
        found[case, kind] = regret
        progress.advance(kind)
    progress.close()
    note = f"After {arguments.answers} answers. Regrets below {FLOOR} count as {FLOOR}; for people, the share of better candidates."
    return "\n".join([*table(found, KINDS), "", note, ""])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.transfer", description=(__doc__ or "").splitlines()[0])
    p.add_argument("--instances", default="1-3", help="BBOB instances (1-3)")
    p.add_argument("--no-functions", dest="functions", action="store_false", help="people only")
    p.add_argument("--people", type=int, default=40, help="drawn from each population (40)")
    p.add_argument("--answers", type=int, default=10, help="of the new study (10)")
    p.add_argument("--jobs", type=int, default=2, help="processes side by side (2)")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 2 for an invalid command line; 130 if interrupted."""
    return suite.carry_out(report, parser().parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

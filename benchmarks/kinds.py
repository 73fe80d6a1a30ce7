"""What each kind of answer is worth, beside plain pairs: `python -m benchmarks.kinds`.

On BBOB's development instances, for the people of `benchmarks.voices`. The budget of a kind is

| `--same` | as many as plain pairs have in the whole study |
|---|---|
| questions | questions |
| samples | candidates shown |
| seconds | seconds of the person's time, by prefero's table of efforts and `EFFORTS` |
| 20/35 | 20 questions, against 35 of plain pairs |

"chosen" offers the kinds of `CHOSEN` and lets the proposer choose among them.

Each run is one line of JSON in `--out`, written as soon as it is finished; runs that are there already are not made again. Another
method needs another file. `--report` makes no run.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

import prefero as pf
from benchmarks import provenance, suite, voices
from benchmarks.blackbox import DEVELOPMENT, FUNCTIONS, SAMPLES, problem_of
from benchmarks.problems import DIGITS, FLOOR
from benchmarks.progress import Progress
from benchmarks.voices import PEOPLE, WRONG, Says, Voice
from benchmarks.workers import side_by_side
from prefero.answers import EFFORTS as OF_KINDS
from prefero.proposers import glisp, posterior

EFFORTS = {
    "plain": 4.0,
    "strengths": 5.0,
    "wrong levels": 5.0,
    "ratings": 7.0,
    "wrong ratings": 7.0,
    "doubts": 4.5,
    "best of 3": 5.8,
    "best of 4": 7.0,
    "worst of 4": 7.0,
    "best and worst of 4": 11.8,
    "rank 3": 8.8,
    "rank 4": 14.8,
    "rank 6": 29.5,
    "insert among 3": 7.0,
    "chosen": 10.0,
}
SEVERAL = (
    "best of 3",
    "best of 4",
    "worst of 4",
    "best and worst of 4",
    "rank 3",
    "rank 4",
    "rank 6",
    "insert among 3",
)
"""Kinds of question about more than two candidates."""
CHOSEN = ("pair", "best of 4", "rank 4")
SAYS: dict[str, Callable[[Voice], Says]] = {
    "plain": voices.order,
    **dict.fromkeys((*SEVERAL, "chosen"), voices.order),
    "strengths": voices.strengths,
    "wrong levels": partial(voices.strengths, wrong=WRONG),
    "ratings": voices.ratings,
    "wrong ratings": partial(voices.ratings, wrong=WRONG),
    "doubts": voices.doubts,
}
PROPOSERS: dict[str, pf.Posterior | pf.Glisp] = {
    "posterior": pf.Posterior(),
    "glisp": pf.Glisp(),
    "doubts, posterior": pf.Posterior(unsure=posterior.UNSURE),
    "doubts, glisp": pf.Glisp(unsure=glisp.UNSURE),
}


@dataclass(frozen=True)
class Run:
    """One study of a simulated person."""

    proposer: str
    kind: str
    person: str
    same: str
    dimension: int
    function: int
    instance: int

    @property
    def pairs(self) -> "Run":
        """The run of plain pairs that this one is compared with."""
        same = self.same.partition("/")[2] or "questions"
        return Run(self.proposer, "plain", self.person, same, self.dimension, self.function, self.instance)

    @property
    def questions(self) -> int:
        """How many questions the person answers."""
        usual = SAMPLES[self.dimension] - 1
        if self.same[0].isdecimal():
            return int(self.same.partition("/")[0])
        if self.same == "seconds":
            return max(1, round(usual * EFFORTS["plain"] / EFFORTS[self.kind]))
        if self.same == "questions" or self.kind not in SEVERAL or self.kind.startswith("insert"):
            return usual  # an insertion shows one new candidate, as a pair does
        return max(1, round(usual / (int(self.kind[-1]) - 1)))


def time_of(study: pf.Study, kind: str) -> float:
    """Return how long the person took for all answers, in seconds."""
    asked = [entry.kind for entry in study.answers]
    return sum(OF_KINDS[each] if kind == "chosen" else EFFORTS[kind] for each in asked)


def made(run: Run) -> dict[str, object]:
    """Make a run and return its line."""
    problem = problem_of(run.function, run.dimension, run.instance)
    voice = Voice(run.person, problem, run.questions, np.random.default_rng([run.function, run.instance]))
    asks = PROPOSERS.get(f"{run.kind}, {run.proposer}", PROPOSERS[run.proposer])
    box, shown = (problem.lower, problem.upper), CHOSEN if run.kind == "chosen" else run.kind
    began, most = time.process_time(), EFFORTS["plain"] * (SAMPLES[run.dimension] - 1)
    found = pf.optimize(
        SAYS[run.kind](voice),
        box,
        comparisons=run.questions,
        seed=run.instance,
        proposer=asks,
        kind="pair" if shown in SAYS and shown not in SEVERAL else shown,
        callback=(lambda study: time_of(study, run.kind) >= most) if run.same == "seconds" else None,
    )
    regret = float(voices.target(run.person, problem)(np.asarray(found.x)))
    samples = len(found.study.history.points)
    return {
        "run": astuple(run),
        "regret": regret,
        "questions": run.questions,
        "samples": samples,
        "seconds": round(time.process_time() - began, 2),
        "effort": round(time_of(found.study, run.kind), 1),
        "commit": provenance.commit(),
    }


def known(out: Path) -> dict[Run, float]:
    """Return the regrets of the runs in a file."""
    if not out.exists():
        return {}
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return {Run(*row["run"]): row["regret"] for row in rows}


def make(runs: Sequence[Run], out: Path, processes: int) -> dict[Run, float]:
    """Make the runs that a file does not have, and return all regrets."""
    found = known(out)
    missing = [run for run in runs if run not in found]
    out.parent.mkdir(parents=True, exist_ok=True)
    progress = Progress(len(missing))
    with out.open("a", encoding="utf-8") as file:
        for line in side_by_side(made, ((run,) for run in missing), processes):
            run = Run(*cast("tuple[Any, ...]", line["run"]))
            found[run] = float(str(line["regret"]))
            file.write(json.dumps(line) + "\n")
            file.flush()
            progress.advance(f"{run.proposer}, {run.kind}, f{run.function:02d} in {run.dimension}-D")
    progress.close()
    return found


def table(runs: Sequence[Run], found: dict[Run, float]) -> Iterator[str]:
    """Yield the table: shares within 1 % and 5 % of the range beside those of the same pairs, and the paired differences."""
    yield f"Regrets below {FLOOR:g} of the range count as that, below {DIGITS:g} for digits."
    yield ""
    yield "| proposer | person | same | kind | runs | within 1 % | within 5 % | log10 regret against pairs | digits |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for group in dict.fromkeys((run.proposer, run.person, run.same, run.kind) for run in runs):
        both = [
            (found[run], found[run.pairs])
            for run in runs
            if (run.proposer, run.person, run.same, run.kind) == group and run in found and run.pairs in found
        ]
        if len(both) > 1:
            yield row(group, *np.array(both).T)


def row(group: Sequence[str], regrets: np.ndarray, pairs: np.ndarray) -> str:
    """One line of the table."""
    differences = " | ".join(in_logs(regrets, pairs, floor) for floor in (FLOOR, DIGITS))
    shares = " | ".join(
        f"{np.mean(regrets <= share):.0%} ({100 * (np.mean(regrets <= share) - np.mean(pairs <= share)):+.0f})"
        for share in (0.01, 0.05)
    )
    proposer, person, same, kind = group
    cells = f"`{proposer}` | {person} | {same} | {kind}"
    return f"| {cells} | {len(regrets)} | {shares} | {differences} |"


def in_logs(regrets: np.ndarray, pairs: np.ndarray, floor: float) -> str:
    """The paired difference of log10 regrets with its standard error."""
    difference = np.log10(np.maximum(regrets, floor)) - np.log10(np.maximum(pairs, floor))
    return f"{difference.mean():+.3f} ± {difference.std(ddof=1) / np.sqrt(len(difference)):.3f}"


def plan(given: argparse.Namespace, instances: Sequence[int]) -> list[Run]:
    """Return the runs that are asked for, so that whatever is finished covers all kinds and functions evenly."""
    runs = [
        Run(proposer, kind, person, same, dimension, function, instance)
        for instance in instances
        for function in FUNCTIONS
        for dimension in given.dimensions
        for proposer in given.proposer
        for person in given.person
        for same in given.same
        for kind in given.kinds
        if kind != "plain"
    ]
    return list(dict.fromkeys(each for run in runs for each in (run.pairs, run)))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("kinds", nargs="*", default=list(SAYS)[1:], help=", ".join(SAYS))
    p.add_argument("--proposer", nargs="+", default=["posterior"], choices=["posterior", "glisp"])
    p.add_argument("--person", nargs="+", default=["consistent"], choices=PEOPLE)
    p.add_argument(
        "--same", nargs="+", default=["questions"], help="questions, samples, seconds, or two numbers as 20/35"
    )
    p.add_argument("--dimensions", type=int, nargs="+", default=[2], choices=[2, 3, 5])
    p.add_argument("--instances", default="1-3", help="of each function, from 1 to 40 (1-3)")
    p.add_argument("--out", type=Path, default=Path("out/kinds.jsonl"))
    p.add_argument("--processes", type=int, default=2, help="runs side by side (2)")
    p.add_argument("--report", action="store_true", help="make no run")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print the table."""
    p = parser()
    given = p.parse_args(argv)
    if given.processes < 1:
        p.error(f"--processes {given.processes}: at least 1")
    unknown = [kind for kind in given.kinds if kind not in SAYS]
    unknown += [
        same
        for same in given.same
        if same not in ("questions", "samples", "seconds") and not re.fullmatch("[1-9][0-9]*(/[1-9][0-9]*)?", same)
    ]
    if unknown:
        p.error(
            f"unknown: {unknown}; kinds: {', '.join(SAYS)}; --same: questions, samples, seconds or two numbers as 20/35"
        )
    runs = plan(given, suite.whole_numbers("--instances", given.instances, DEVELOPMENT))
    found = known(given.out) if given.report else make(runs, given.out, given.processes)
    print("\n".join(table(runs, found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

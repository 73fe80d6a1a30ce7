"""Compare methods: `python -m benchmarks.compare glisp glis` runs both on the paper's ten functions and reports.

Every (method, problem, seed) is one run; a finished run is appended to the raw results at once, so that an
interrupted comparison continues with --resume, and --report only reads. Ratios are to the second method.
"""

import argparse
import sys
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import people, provenance, results
from benchmarks.constraints import CONSTRAINTS
from benchmarks.conversation import Driver, Transcript
from benchmarks.environments import python_of
from benchmarks.functions import Array
from benchmarks.methods import METHODS, Method
from benchmarks.problems import PROBLEMS, SETS, Problem, range_of
from benchmarks.progress import Progress
from benchmarks.report import report
from benchmarks.results import OK, Run

FLIP_RATE = 0.1
LOGISTIC_SCALE = 0.02  # of the problem's range
TIE = 0.01  # of the problem's range
INCONSISTENCY = 0.15  # the paper's, of the latent value itself


class UsageError(Exception):
    """The command line is invalid; the message says what is allowed."""


@dataclass(frozen=True)
class Noise:
    """How the simulated person errs; `name` is how it is written on the command line."""

    name: str
    kind: str
    amount: float

    def person(self, problem: Problem, seed: int) -> people.Person:
        """A person for one run: the same for every method."""
        rng = np.random.default_rng([seed, zlib.crc32(problem.name.encode())])
        if self.kind == "flips":
            return people.flips(problem, self.amount, rng)
        if self.kind in ("logistic", "unsure"):
            unit = range_of(problem)
            return people.logistic(problem, self.amount * unit, TIE * unit if self.kind == "logistic" else 0.0, rng)
        if self.kind == "inconsistent":
            return people.inconsistent(problem, self.amount, rng)
        return people.exact(problem)


@dataclass(frozen=True)
class Job:
    """A run to be made."""

    method: str
    problem: Problem
    seed: int
    noise: Noise

    @property
    def key(self) -> results.Key:
        """What identifies the run."""
        return self.method, self.problem.name, self.seed, self.noise.name

    @property
    def entry(self) -> Method:
        """The method's driver, environment and options."""
        return METHODS[self.method]

    def regret(self, x: Array) -> float:
        """What a recommendation is worse than the best."""
        return self.problem(x) - self.problem.minimum

    @property
    def what(self) -> str:
        """For the progress bar."""
        return f"{self.method}, {self.problem.name}, seed {self.seed}"


def parse_noise(text: str) -> Noise:
    """none, flips[:rate], logistic or unsure[:scale as a part of the range], or inconsistent[:part of the latent value].

    Who is unsure sees through the same noise as the logistic person, but never calls two candidates the same.
    """
    kind, _, amount = text.partition(":")
    noisy = {"logistic": LOGISTIC_SCALE, "unsure": LOGISTIC_SCALE, "inconsistent": INCONSISTENCY}
    defaults = {"none": 0.0, "flips": FLIP_RATE, **noisy}
    try:
        value = float(amount) if amount else defaults[kind]
        if kind not in defaults or not 0 <= value < 1:
            raise ValueError
    except (KeyError, ValueError):
        raise UsageError(
            f"--noise {text}: allowed are none, flips:RATE, logistic:SCALE, unsure:SCALE and inconsistent:SPREAD, from 0 to 1"
        ) from None
    return Noise(kind if kind == "none" else f"{kind}:{value:g}", kind, value)


def jobs_of(
    methods: Sequence[str], problems: Sequence[Problem], seeds: int, peer_seeds: int, noise: Noise
) -> Iterator[Job]:
    """All runs, seed by seed and method beside method, so that a slow hour of the machine affects all methods alike."""
    for seed in range(max(seeds, peer_seeds)):
        for problem in problems:
            for method in methods:
                if seed < (peer_seeds if METHODS[method].is_peer else seeds):
                    yield Job(method, problem, seed, noise)


def start_line(job: Job) -> dict[str, object]:
    """The driver's instructions: everything except the function."""
    problem = job.problem
    return {
        "lower": problem.lower.tolist(),
        "upper": problem.upper.tolist(),
        "samples": problem.samples,
        "initial": problem.initial,
        "seed": job.seed,
        "delta": problem.delta,
        "sigma": problem.sigma,
        "constraint": problem.constraint,
        "noisy": job.noise.kind != "none",
        "options": dict(job.entry.options),
    }


def measured(job: Job, transcript: Transcript) -> Run:
    """The regrets of the recommendations; that of a typical point if there are none."""
    problem = job.problem
    incumbents = transcript.incumbents()
    regrets = [job.regret(x) for x in incumbents]
    last = incumbents[-1].tolist() if incumbents else []
    g = CONSTRAINTS[problem.constraint] if problem.constraint and last else None
    return Run(
        method=job.method,
        problem=problem.name,
        seed=job.seed,
        noise=job.noise.name,
        regrets=regrets or [range_of(problem)] * transcript.comparisons,
        seconds=transcript.seconds,
        initial=transcript.initial,
        recommended=last,
        violation=max(g(last), 0.0) if g else 0.0,
        status=transcript.failure or OK,
        versions=transcript.versions,
        machine=provenance.machine(),
        commit=provenance.commit(),
        dirty=provenance.dirty(),
        calibrating=transcript.calibrating,
        wall=transcript.wall,
        samples=transcript.samples,
    )


class Drivers:
    """The driver processes of this comparison: each worker thread has its own, one for each driver it needs."""

    def __init__(self, opener: Callable[[Method], Driver], limit: float | None = None) -> None:
        self._open = opener
        self._limit = limit  # seconds of one run
        self._mine = threading.local()
        self._all = ExitStack()

    def __enter__(self) -> "Drivers":
        return self

    def __exit__(self, *_: object) -> None:
        self._all.close()

    def run(self, job: Job) -> Run:
        """Make one run."""
        method = job.entry
        mine: dict[tuple[str, str | None], Driver] = self._mine.__dict__.setdefault("drivers", {})
        which = method.driver, method.environment
        if which not in mine:
            mine[which] = self._all.enter_context(self._open(method))
        person = job.noise.person(job.problem, job.seed)
        return measured(job, mine[which].run(start_line(job), person, self._limit))


def open_driver(method: Method) -> Driver:
    """A driver in the peer's own environment, or in ours."""
    python = sys.executable if method.environment is None else python_of(method.environment)
    return Driver(python, method.driver, isolated=method.is_peer)


def run_all(jobs: Sequence[Job], workers: int, out: Path, opener: Callable[[Method], Driver] = open_driver) -> None:
    """Make all runs and append each to `out`."""
    progress = Progress(len(jobs))
    with Drivers(opener) as drivers, ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(drivers.run, job): job for job in jobs}
        try:
            for future in as_completed(futures):
                results.append(out, future.result())
                progress.advance(futures[future].what)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            progress.close()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=(__doc__ or "").splitlines()[0])
    p.add_argument("methods", nargs="*", metavar="METHOD", help=f"the first is ours to judge: {', '.join(METHODS)}")
    p.add_argument("--set", default="ten", help=f"which problems: {', '.join(SETS)} (ten)")
    p.add_argument("--problems", nargs="+", metavar="NAME", help="these problems instead of a set")
    p.add_argument("--seeds", type=int, default=20, help="runs of each method on each problem (20)")
    p.add_argument("--peer-seeds", type=int, help="the same for peers (as many as --seeds)")
    p.add_argument(
        "--noise", default="none", help="none, flips:0.1, logistic:0.02, unsure:0.02 or inconsistent:0.15 (none)"
    )
    p.add_argument("--jobs", type=int, default=1, help="runs side by side; more than the idle cores spoil timings (1)")
    p.add_argument("--out", type=Path, default=Path("results.jsonl"), help="raw results (results.jsonl)")
    p.add_argument("--resume", action="store_true", help="continue --out: what it holds is not run again")
    p.add_argument("--report", type=Path, metavar="FILE", help="run nothing, report these raw results")
    p.add_argument("--against", metavar="METHOD", help="the method of the ratios (the second)")
    return p


def check_names(what: str, given: Sequence[str], allowed: Sequence[str]) -> None:
    """Raise UsageError for unknown names."""
    unknown = [name for name in given if name not in allowed]
    if unknown:
        raise UsageError(f"unknown {what} {', '.join(unknown)}: allowed are {', '.join(allowed)}")


def chosen_problems(arguments: argparse.Namespace) -> list[Problem]:
    """The problems that the command line names."""
    check_names("set", [arguments.set], list(SETS))
    check_names("problem", arguments.problems or [], list(PROBLEMS))
    problems = [PROBLEMS[name] for name in arguments.problems] if arguments.problems else list(SETS[arguments.set])
    if any(problem.constraint for problem in problems):
        able = [name for name, method in METHODS.items() if method.constraints]
        check_names("method for a problem with constraints", arguments.methods, able)
    return problems


def planned(arguments: argparse.Namespace) -> list[Job]:
    """The missing runs; checks the command line."""
    if not arguments.methods:
        raise UsageError(f"no method given: allowed are {', '.join(METHODS)}")
    peer_seeds = arguments.seeds if arguments.peer_seeds is None else arguments.peer_seeds
    if min(arguments.seeds, peer_seeds, arguments.jobs) < 1:
        raise UsageError("--seeds, --peer-seeds and --jobs must be at least 1")
    noise = parse_noise(arguments.noise)
    problems = chosen_problems(arguments)
    done = results.finished(stored(arguments.out, arguments.resume))
    jobs = jobs_of(arguments.methods, problems, arguments.seeds, peer_seeds, noise)
    return [job for job in jobs if job.key not in done]


def stored(out: Path, resume: bool) -> list[Run]:
    """The runs to continue from; an existing file is changed only with --resume."""
    if not out.exists():
        return []
    if not resume:
        raise UsageError(f"{out} exists: add --resume to continue it, or name another file with --out")
    results.mend(out)
    return results.read(out)


def compare(arguments: argparse.Namespace) -> str:
    """Do what the command line says and return the report."""
    check_names("method", [*arguments.methods, *([arguments.against] if arguments.against else [])], list(METHODS))
    if arguments.report is None:
        jobs = planned(arguments)
        for environment in sorted({e for job in jobs if (e := METHODS[job.method].environment)}):
            python_of(environment)
        run_all(jobs, arguments.jobs, arguments.out)
    elif not arguments.report.exists():
        raise UsageError(f"--report {arguments.report}: no such file")
    runs = results.read(arguments.report or arguments.out)
    return report(runs, arguments.methods or None, arguments.against)


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 2 for an invalid command line; 130 if interrupted."""
    arguments = parser().parse_args(argv)
    try:
        print(compare(arguments), end="")
    except (UsageError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"interrupted: {arguments.out} holds what was finished, --resume continues", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The development suite's methods and commands: our proposers through public names only, peers through their drivers.

A method is a name in `METHODS`, one of our proposers with settings, as in `posterior:{"noise": 0.3}`, or a file of your own:
docs/how-to-beat-this.md.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.compare import Job, UsageError, open_driver, run_all, stored
from benchmarks.conversation import Driver
from benchmarks.environments import python_of
from benchmarks.methods import METHODS as CAMPAIGN
from benchmarks.methods import Method, in_file
from benchmarks.named import FileError
from benchmarks.peers.study_driver import PROPOSERS, proposer_of
from benchmarks.results import Run
from prefero.errors import PreferoError

STUDY_DRIVER = "benchmarks.peers.study_driver"

METHODS: dict[str, Method] = {
    "default": Method(STUDY_DRIVER),
    **{name: Method(STUDY_DRIVER, options={"proposer": name}) for name in PROPOSERS},
    **{name: CAMPAIGN[name] for name in ("random", "believer", "thompson", "glis", "glis-pi", "optuna")},
    **{name: CAMPAIGN[name] for name in ("botorch-eubo", "botorch-eubo-pairs", "botorch-lognei")},
    "logit": Method("benchmarks.peers.logit_driver"),
    "logit-corner": Method("benchmarks.peers.logit_driver", options={"anywhere": True}),
    "optuna-gp": CAMPAIGN["optuna-gp"],
    "botorch-logei": CAMPAIGN["botorch-logei"],
}
"""`default` is what a study uses if no proposer is named. `logit` asks about random pairs and recommends the best candidate shown,
`logit-corner` the best corner of the box. The last two are told numbers instead of preferences."""


def method_of(text: str) -> Method:
    """The method that a text names; raises UsageError."""
    if text in METHODS:
        return METHODS[text]
    if text.endswith(".py"):
        return _brought(text)
    name, colon, settings = text.partition(":")
    if not colon or name not in PROPOSERS:
        raise UsageError(
            f"unknown method {text}: allowed are {', '.join(METHODS)}, a file NAME.py, and settings as in "
            f"'posterior:{{\"noise\": 0.3}}' for {', '.join(PROPOSERS)}"
        )
    try:
        return settled(name, json.loads(settings))
    except json.JSONDecodeError as error:
        raise UsageError(f"method {text}: after the colon must be a JSON object ({error})") from None


@cache
def _brought(text: str) -> Method:
    try:
        return in_file(Path(text))
    except FileError as error:
        raise UsageError(f"method {error}") from None


def settled(proposer: str, settings: Any) -> Method:
    """One of our proposers with settings, which are checked here and not in the driver."""
    if not isinstance(settings, dict):
        raise UsageError(f"settings of {proposer}: must be a JSON object, got {json.dumps(settings)}")
    options = {"proposer": proposer, "settings": settings}
    try:
        proposer_of(options)
    except (TypeError, PreferoError) as error:
        raise UsageError(f"settings of {proposer}: {error}") from None
    return Method(STUDY_DRIVER, options=options)


@dataclass(frozen=True)
class SuiteJob(Job):
    """A run of one of the suite's methods."""

    @property
    def entry(self) -> Method:
        """The method's driver, environment and options."""
        return method_of(self.method)


def whole_numbers(option: str, text: str, allowed: Iterable[int]) -> list[int]:
    """The numbers of a list such as 1-3,7; raises UsageError for one that is not allowed."""
    numbers: list[int] = []
    try:
        for part in text.split(","):
            first, dash, last = part.partition("-")
            numbers += range(int(first), int(last if dash else first) + 1)
    except ValueError:
        raise UsageError(f"{option} {text}: must be a list of whole numbers such as 1-3,7") from None
    known = set(allowed)
    wrong = [number for number in numbers if number not in known]
    if wrong or not numbers:
        raise UsageError(f"{option} {text}: allowed are {_spans(sorted(known))}")
    return sorted(set(numbers))


def _spans(numbers: Sequence[int]) -> str:
    whole = numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 2
    return f"{numbers[0]} to {numbers[-1]}" if whole else ", ".join(map(str, numbers))


def add_file_options(p: argparse.ArgumentParser, out: str) -> None:
    """The options of a command that makes runs."""
    p.add_argument("--jobs", type=int, default=2, help="runs side by side (2)")
    p.add_argument("--out", type=Path, default=Path(out), help=f"raw results, one line of JSON a run ({out})")
    p.add_argument("--resume", action="store_true", help="continue --out: what it holds is not run again")


def add_run_options(p: argparse.ArgumentParser, out: str) -> None:
    """The options of a command that makes runs of given methods, and reports them."""
    add_file_options(p, out)
    p.add_argument(
        "--report", type=Path, nargs="+", metavar="FILE", help="run nothing, report these; several files are compared"
    )
    p.add_argument("--against", metavar="METHOD", help="the method that the others are compared with (the first)")


def make(
    jobs: Iterable[Job], arguments: argparse.Namespace, opener: Callable[[Method], Driver] = open_driver
) -> list[Run]:
    """Make the runs that --out lacks and return those of `jobs`; environments of peers come first."""
    if arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    wanted = list({job.key: job for job in jobs}.values())  # a method may be named twice
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    done = results.finished(stored(arguments.out, arguments.resume))
    missing = [job for job in wanted if job.key not in done]
    for environment in sorted({e for job in missing if (e := job.entry.environment)}):
        python_of(environment)
    run_all(missing, arguments.jobs, arguments.out, opener)
    keys = {job.key for job in wanted}
    return [run for run in results.read(arguments.out) if run.key in keys] if arguments.out.exists() else []


def read_all(files: Sequence[Path]) -> dict[str, list[Run]]:
    """The runs of files by method; with several files a method's name has its file's in front."""
    by_method: dict[str, list[Run]] = {}
    for file in files:
        if not file.exists():
            raise UsageError(f"--report {file}: no such file")
        for run in results.read(file):
            by_method.setdefault(f"{file.stem}/{run.method}" if len(files) > 1 else run.method, []).append(run)
    return by_method


def reference(runs: dict[str, list[Run]], against: str | None) -> str:
    """The method that others are compared with: the given one, or the first."""
    name = against or next(iter(runs), "")
    if name not in runs:
        raise UsageError(f"--against {name}: no runs of it; there are {', '.join(runs) or 'none'}")
    return name


def by_method(runs: Iterable[Run], methods: Sequence[str]) -> dict[str, list[Run]]:
    """The runs of each method, in the order of the methods."""
    made = list(runs)
    return {method: [run for run in made if run.method == method] for method in methods}


def carry_out(work: Callable[[argparse.Namespace], str], arguments: argparse.Namespace) -> int:
    """Print what the work returns. The exit code: 0; 2 for what cannot be; 130 if interrupted."""
    try:
        print(work(arguments), end="")
    except (UsageError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = f": {arguments.out} holds what was finished, --resume continues" if "out" in arguments else ""
        print(f"interrupted{kept}", file=sys.stderr)
        return 130
    return 0

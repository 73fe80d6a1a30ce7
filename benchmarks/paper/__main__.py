"""Reproduce and extend the paper's experiments: make the runs that are missing, then write the report."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core for each run, whatever NumPy would take

from benchmarks.compare import UsageError, check_names
from benchmarks.methods import METHODS
from benchmarks.paper import campaign, executors, rawdata
from benchmarks.paper.executors import Submit
from benchmarks.paper.experiments import EXPERIMENTS
from benchmarks.paper.plan import SCALES, Experiment, all_keys, in_turn, scaled, seconds_of, seeds_in_words
from benchmarks.paper.report import RAW, folder_of, write_report
from benchmarks.results import Key, Run


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=(__doc__ or "").splitlines()[0])
    p.add_argument("--scale", default="full", help=f"size of the campaign: {', '.join(SCALES)} (full)")
    p.add_argument("--only", nargs="+", metavar="NAME", default=[], help="make the runs of these experiments only")
    p.add_argument("--raw", type=Path, help="raw results, continued if they exist (out/paper.jsonl)")
    p.add_argument(
        "--adopt",
        type=Path,
        nargs="+",
        metavar="FILE",
        default=[],
        help="add runs made elsewhere (.jsonl or .csv.gz)",
    )
    p.add_argument(
        "--again",
        nargs="+",
        metavar="METHOD",
        default=[],
        help="drop the runs of these methods first, adopted ones too",
    )
    p.add_argument("--executor", default="processes", help="processes (of this machine) or dask")
    p.add_argument("--dask", metavar="ADDRESS", help="a Dask scheduler, tcp://host:port: implies --executor dask")
    p.add_argument(
        "--jobs", type=int, default=2, help="parallel processes; more than there are idle cores spoil the timings (2)"
    )
    p.add_argument("--limit", type=float, default=20.0, help="minutes of CPU time after which a run is stopped (20)")
    p.add_argument("--docs", type=Path, help="folder of the Markdown report (docs; out/SCALE at other scales)")
    p.add_argument("--out", type=Path, help="folder of the rows and the HTML page (out; out/SCALE at other scales)")
    p.add_argument("--plan", action="store_true", help="print the plan and stop")
    p.add_argument(
        "--report", type=Path, metavar="FILE", help="run nothing; write the report of these results (.jsonl or .csv.gz)"
    )
    return p


def executor(arguments: argparse.Namespace, missing: Sequence[Key]) -> AbstractContextManager[Submit]:
    """The executor that the command line names."""
    check_names("executor", [arguments.executor], ["processes", "dask"])
    limit = 60 * arguments.limit
    environments = sorted({e for key in missing if (e := METHODS[key[0]].environment)})
    if arguments.dask:
        return executors.dask(arguments.dask, limit, environments)
    if arguments.executor == "dask":
        raise UsageError("--executor dask needs the scheduler's address: --dask tcp://host:port")
    return executors.processes(arguments.jobs, limit, environments)


def checked(arguments: argparse.Namespace) -> list[Experiment]:
    """The experiments at the requested scale; raises if an argument is invalid."""
    check_names("scale", [arguments.scale], list(SCALES))
    check_names("experiment", arguments.only, [experiment.name for experiment in EXPERIMENTS])
    check_names("method", arguments.again, list(METHODS))
    if arguments.jobs < 1 or arguments.limit <= 0:
        raise UsageError("--jobs must be at least 1 and --limit more than 0")
    for file in [*arguments.adopt, *([arguments.report] if arguments.report else [])]:
        if not file.exists():
            raise UsageError(f"{file}: no such file")
    return scaled(EXPERIMENTS, SCALES[arguments.scale])


def planned(scale: str, only: Sequence[str]) -> list[Key]:
    """The requested runs, in the order in which they are made."""
    return in_turn([experiment for experiment in EXPERIMENTS if not only or experiment.name in only], SCALES[scale])


def describe(experiments: Sequence[Experiment], keys: Sequence[Key], have: dict[Key, Run]) -> str:
    """The plan in words: the number of runs, how many are missing, and the seeds of each method."""
    missing = [key for key in keys if key not in have]
    hours = sum(map(seconds_of, missing)) / 3600
    lines = [f"{len(keys)} runs, {len(missing)} still to be made, about {hours:.1f} hours of one core; seeds:"]
    lines += [f"  {title}: {words}" for title, words in seeds_in_words(experiments)]
    return "\n".join(lines)


def make_runs(arguments: argparse.Namespace, experiments: Sequence[Experiment], raw: Path) -> list[str]:
    """Make the missing runs; returns a line for each run that could not be made."""
    keys = planned(arguments.scale, arguments.only)
    raw.parent.mkdir(parents=True, exist_ok=True)
    if arguments.again:
        print(f"{campaign.forget(arguments.again, raw)} runs dropped; they will be made again", file=sys.stderr)
    if arguments.adopt:
        wanted = [key for key in all_keys(experiments) if key[0] not in arguments.again]
        print(f"{campaign.adopt(arguments.adopt, raw, wanted)} runs added", file=sys.stderr)
    have = campaign.stored(raw)
    print(describe(experiments, keys, have), file=sys.stderr, flush=True)
    missing = [key for key in keys if key not in have]
    if not missing:
        return []
    with executor(arguments, missing) as submit:
        return campaign.make_all(missing, submit, raw)


def run(arguments: argparse.Namespace) -> int:
    """Do what the command line says."""
    experiments = checked(arguments)
    full = arguments.scale == "full"
    raw = arguments.raw or Path("out/paper.jsonl" if full else f"out/paper-{arguments.scale}.jsonl")
    if arguments.plan:
        adopted = campaign.once(run for file in arguments.adopt for run in rawdata.read_any(file))
        have = {key: run for key, run in (adopted | campaign.stored(raw)).items() if key[0] not in arguments.again}
        print(describe(experiments, planned(arguments.scale, arguments.only), have))
        return 0
    failures = [] if arguments.report else make_runs(arguments, experiments, raw)
    runs = campaign.once(rawdata.read_any(arguments.report)) if arguments.report else campaign.stored(raw)
    out = arguments.out or Path(folder_of(arguments.scale))
    docs = arguments.docs or (Path("docs") if full else out)
    page = write_report(docs, out, experiments, runs, arguments.scale)
    print(f"wrote {page}, {out / 'benchmarks.html'} and {out / RAW}")
    for failure in failures:
        print(f"not made: {failure}", file=sys.stderr)
    return 1 if failures else 0


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 1 if some runs could not be made; 2 for an invalid command line; 130 if interrupted."""
    arguments = parser().parse_args(argv)
    try:
        return run(arguments)
    except (UsageError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: finished runs are kept; the same command continues", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

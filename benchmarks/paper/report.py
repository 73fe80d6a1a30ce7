"""The report: from raw results to `benchmarks.md`, `benchmarks.html`, the figures and the raw data beside them.

Everything is computed from the CSV file that is written first: whoever has that file gets the same report.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.methods import METHODS
from benchmarks.paper import document, rawdata
from benchmarks.paper.document import Block, Section, Table
from benchmarks.paper.plan import Experiment, all_keys, seeds_in_words
from benchmarks.paper.tables import in_order, label
from benchmarks.paper.verdicts import verdicts
from benchmarks.results import OK, Key, Run

TITLE = "Benchmarks: the paper, prefero and its peers side by side"
IMAGES = "images/benchmarks"
COMMANDS = {"full": "make paper", "quick": "make paper-quick", "toy": "python -m benchmarks.paper --scale toy"}


def write_report(docs: Path, experiments: Sequence[Experiment], runs: Mapping[Key, Run], scale: str) -> Path:
    """Write the report and its companions into a folder; returns the path of the Markdown file."""
    images = docs / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    raw = docs / "benchmarks.csv.gz"
    rawdata.write(raw, [runs[key] for key in all_keys(experiments) if key in runs], experiments)
    sections = sections_of(experiments, {run.key: run for run in rawdata.read(raw)}, scale)
    figures = {f"{figure.name}.svg": figure for section in sections for figure in section.figures}
    for name, figure in figures.items():
        (images / name).write_text(document.svg_file(figure), encoding="utf-8")
    for old in set(images.glob("*.svg")) - {images / name for name in figures}:
        old.unlink()
    page = docs / "benchmarks.md"
    page.write_text(document.markdown(TITLE, sections, IMAGES), encoding="utf-8")
    page.with_suffix(".html").write_text(document.html(TITLE, sections), encoding="utf-8")
    return page


def sections_of(experiments: Sequence[Experiment], runs: Mapping[Key, Run], scale: str) -> list[Section]:
    """The whole report: what was found, each experiment, what failed, where the numbers come from."""
    kept = [run for key in all_keys(experiments) if (run := runs.get(key))]
    written = [experiment.write(experiment.select(runs)) for experiment in experiments]
    found = Section("What was found", _found(kept))
    return [found, *written, failures(kept), provenance(experiments, kept, scale)]


def _found(runs: Sequence[Run]) -> tuple[Block, ...]:
    first = (
        "Every number here is written by code from raw results that lie beside it: [benchmarks.csv.gz](benchmarks.csv.gz); "
        "the same report with its figures in one file is [benchmarks.html](benchmarks.html). Regret is the latent function "
        "at the recommended sample minus its minimum, never below a millionth of the problem's range; the range is how far "
        "a typical point lies above the minimum. Intervals are 90 % bootstrap intervals. RBF+IDW and RBF+PI are the "
        "proposer `glisp` with its two acquisition functions, PBO is `pbo`."
    )
    return first, "\n".join(f"- {sentence}" for sentence in verdicts(runs)) or "Nothing was run yet."


def failures(runs: Sequence[Run]) -> Section:
    """Runs that raised or took too long: they count with the regret of what they had."""
    failed = [run for run in runs if run.status != OK]
    rows = [[label(r.method), r.problem, r.noise, str(r.seed), str(len(r.seconds)), r.status[:160]] for r in failed]
    text = (
        f"{len(failed)} of {len(runs)} runs raised an error or were stopped after twenty minutes. They count with the "
        "regret of the sample that they recommended last."
    )
    header = ["method", "problem", "noise", "seed", "questions asked", "what happened"]
    table = (Table(header, rows, "Failed runs"),) if rows else ()
    return Section("Runs that failed", (text, *table))


def provenance(experiments: Sequence[Experiment], runs: Sequence[Run], scale: str) -> Section:
    """Commands, seeds, versions, machines, commits, and what it all cost."""
    planned = len(all_keys(experiments))
    hours = sum(sum(run.seconds) for run in runs) / 3600
    text = (
        f"Made by `{COMMANDS[scale]}`: {len(runs)} of {planned} planned runs are in. They took {hours:.2f} hours of CPU time, "
        f"{hours / 2:.2f} hours on two cores. `python -m benchmarks.paper --report docs/benchmarks.csv.gz` writes this "
        "report again from its raw data."
    )
    missing = planned - len(runs)
    warning = (f"**{missing} runs of the plan are missing**; the same command makes them.",) if missing else ()
    seeds = Table(["experiment", "seeds"], seeds_in_words(experiments), "Seeds of each method")
    return Section("Where the numbers come from", (text, *warning, _cost_table(runs), seeds, _version_table(runs)))


def _cost_table(runs: Sequence[Run]) -> Table:
    rows = []
    for method in in_order(run.method for run in runs):
        mine = [run for run in runs if run.method == method]
        rows.append([label(method), str(len(mine)), f"{sum(sum(run.seconds) for run in mine) / 60:.1f}"])
    return Table(["method", "runs", "CPU minutes"], rows, "What each method cost")


def _version_table(runs: Sequence[Run]) -> Table:
    rows = []
    for method in in_order(run.method for run in runs):
        mine = [run for run in runs if run.method == method]
        versions = {", ".join(f"{name} {v}" for name, v in run.versions.items()) for run in mine if run.versions}
        kind = "peer" if METHODS[method].is_peer else "ours"
        facts = [
            " / ".join(sorted(values)) for values in (versions, {r.machine for r in mine}, {r.commit for r in mine})
        ]
        rows.append([label(method), kind, *facts])
    return Table(["method", "", "versions", "machine", "commit"], rows, "Versions, machines and commits", folded=True)

"""The report: raw results in; Markdown, figures, an HTML page and the rows as a CSV file out.

The rows are written first and the report is computed from them, so the CSV file alone gives the same report. The Markdown
names the digest of the rows.
"""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from benchmarks.environments import ROOT
from benchmarks.methods import METHODS
from benchmarks.paper import document, rawdata
from benchmarks.paper.document import Block, Section, Table
from benchmarks.paper.experiments import EXPERIMENTS, bbob
from benchmarks.paper.plan import Experiment, all_keys, seeds_in_words
from benchmarks.paper.tables import ENOUGH, FEWEST_SEEDS, in_order, label
from benchmarks.paper.verdicts import verdicts
from benchmarks.results import OK, Key, Run
from benchmarks.summary import span

TITLE = "Benchmarks: the paper, prefero and its peers side by side"
IMAGES = "images/benchmarks"
RAW = "benchmarks.csv.gz"
COMMANDS = {"full": "make paper", "quick": "make paper-quick"}
"""Others are `python -m benchmarks.paper --scale NAME`."""
WHOLE = len(all_keys(EXPERIMENTS))
"""The runs of the full campaign."""


def folder_of(scale: str) -> str:
    """The folder for what is made and not committed."""
    return "out" if scale == "full" else f"out/{scale}"


def write_report(docs: Path, out: Path, experiments: Sequence[Experiment], runs: Mapping[Key, Run], scale: str) -> Path:
    """Write the Markdown and its figures into `docs`, the rows and the HTML page into `out`; returns the Markdown's path."""
    images = docs / IMAGES
    for folder in (images, out):
        folder.mkdir(parents=True, exist_ok=True)
    raw = out / RAW
    rawdata.write(raw, [runs[key] for key in all_keys(experiments) if key in runs], experiments)
    known = {run.key: run for run in rawdata.read(raw)}
    sections = sections_of(experiments, known, scale, rawdata.digest(raw), shown(docs, "docs"), shown(out, "out"))
    files = dict(figure.file for section in sections for figure in section.figures)
    for name, content in files.items():
        (images / name).write_bytes(content)
    for old in {*images.glob("*.svg"), *images.glob("*.png")} - {images / name for name in files}:
        old.unlink()
    page = docs / "benchmarks.md"
    page.write_text(document.markdown(TITLE, sections, document.linked(IMAGES)), encoding="utf-8")
    (out / "benchmarks.html").write_text(document.html(TITLE, sections), encoding="utf-8")
    return page


def shown(folder: Path, otherwise: str) -> str:
    """A folder as it is named in the report: seen from the checkout; one elsewhere is nobody else's business."""
    resolved = folder.resolve()
    return resolved.relative_to(ROOT).as_posix() if resolved.is_relative_to(ROOT) else otherwise


def sections_of(
    experiments: Sequence[Experiment],
    runs: Mapping[Key, Run],
    scale: str,
    digest: str,
    docs: str = "docs",
    out: str = "out",
) -> list[Section]:
    """The whole report: what was found, each experiment, what failed, where the numbers come from."""
    kept = [run for key in all_keys(experiments) if (run := runs.get(key))]
    chosen = [(experiment, experiment.select(runs)) for experiment in experiments]
    written = [
        with_seeds(experiment.write(mine), mine)
        for experiment, mine in chosen
        if experiment.shows(mine) or not experiment.parts
    ]
    found = Section("What was found", (*_found(kept), *_size(kept, len(all_keys(experiments)), scale)))
    return [found, *written, failures(kept), provenance(experiments, kept, scale, digest, docs, out)]


def with_seeds(section: Section, runs: Sequence[Run]) -> Section:
    """The section with the number of seeds behind its figures, after what it is about; BBOB's tables count runs themselves."""
    if not runs or section.title == bbob.TITLE:
        return section
    counts: dict[tuple[str, str, str], int] = {}
    for run in runs:
        case = run.method, run.problem, run.noise
        counts[case] = counts.get(case, 0) + 1
    words: dict[str, list[str]] = {}
    for method in in_order(run.method for run in runs):
        mine = span(count for case, count in counts.items() if case[0] == method)
        words.setdefault(mine, []).append(label(method))
    said = ", ".join(f"{count} ({'; '.join(names)})" for count, names in words.items())
    warning = f" Fewer than {ENOUGH} say little about one problem." if min(counts.values()) < ENOUGH else ""
    return Section(
        section.title,
        (section.blocks[0], f"Seeds of each method on each problem: {said}.{warning}", *section.blocks[1:]),
    )


def _found(runs: Sequence[Run]) -> tuple[Block, ...]:
    first = (
        "Code wrote every number and every sentence below from raw results; the last section says how to make them. "
        "Regret is the latent function at the recommended sample minus its minimum. A problem's range is how far a typical "
        "point lies above the minimum. We assume that nobody sees a difference of a thousandth of it, so regrets count as at least "
        "that, except where digits are named. Intervals are 90 % bootstrap intervals that resample functions as well as seeds. "
        "Each stands alone: of ten comparisons of equal methods one would seem to differ. A ratio in a sentence is the first "
        "method's regret divided by the other's. "
        "*posterior* is the default. RBF+IDW and RBF+PI are the proposer `glisp` with its two acquisition functions; PBO is "
        "`pbo`, ours after the paper's description."
    )
    return first, "\n".join(f"- {sentence}" for sentence in verdicts(runs)) or "No runs yet."


def _size(runs: Sequence[Run], planned: int, scale: str) -> list[str]:
    """What a reader of the first page must know of a campaign that is small or not finished."""
    said = []
    if scale != "full":
        said.append(
            f"**This is the small campaign `{scale}`**: it plans {planned} of the {WHOLE} runs of the full one, so most methods "
            "have few problems or seeds."
        )
    if len(runs) != planned:
        minutes = sum(sum(run.seconds) for run in runs) / 60
        said.append(
            f"**This is a part of the campaign**: {len(runs)} of {planned} planned runs, {minutes:.0f} minutes of CPU time. The "
            "last section says what is missing and which command makes it."
        )
    if said:
        said.append(
            "Tables say how many runs or seeds each method has. With fewer than "
            f"{FEWEST_SEEDS} seeds there is no interval over seeds."
        )
    return [" ".join(said)] if said else []


def failures(runs: Sequence[Run]) -> Section:
    """Runs that raised an error or took too long; they count with the regret of their last recommendation."""
    failed = [run for run in runs if run.status != OK]
    rows = [[label(r.method), r.problem, r.noise, str(r.seed), str(len(r.seconds)), r.status[:160]] for r in failed]
    text = (
        f"{len(failed)} of {len(runs)} runs raised an error or were stopped after twenty minutes. Each counts with the "
        "regret of its last recommendation."
    )
    header = ["method", "problem", "noise", "seed", "questions asked", "what happened"]
    table = (Table(header, rows, "Failed runs"),) if rows else ()
    return Section("Runs that failed", (text, *table))


def provenance(
    experiments: Sequence[Experiment],
    runs: Sequence[Run],
    scale: str,
    digest: str,
    docs: str = "docs",
    out: str = "out",
) -> Section:
    """Commands, the digest of the rows, seeds, versions, machines, commits, and the CPU time of each method."""
    planned = len(all_keys(experiments))
    hours = sum(sum(run.seconds) for run in runs) / 3600
    raw = f"{out}/{RAW}"
    command = COMMANDS.get(scale, f"python -m benchmarks.paper --scale {scale}")
    text = (
        f"`{command}` makes the runs. {len(runs)} of {planned} planned runs were made; they took {hours:.2f} hours of CPU "
        f"time. The raw results are not part of the repository. `{_again(scale, docs, out)}` writes this report from the raw "
        f"results alone: `{raw}`, a row for each run. Whatever writes the report writes that file, too, and the report as an HTML "
        f"page beside it. The rows' SHA-256 digest, `zcat {raw} | sha256sum`, was `{digest}`."
    )
    warnings = _checkout(runs)
    made = {run.key: run for run in runs}
    left = [e.title for e in experiments if e.parts and not e.shows(e.select(made))]
    warnings += [f"No runs were made of: {', '.join(left)}."] if left else []
    missing = planned - len(runs)
    if missing:
        warnings.append(
            f"**{missing} planned runs are missing**; the same command makes them. Those that matter most were made first."
        )
    seeds = _plan_table(experiments, {run.key for run in runs})
    return Section("Where the numbers come from", (text, *warnings, _cost_table(runs), seeds, _version_table(runs)))


def _again(scale: str, docs: str, out: str) -> str:
    """The command that writes the report into these folders."""
    words = ["python -m benchmarks.paper", *([] if scale == "full" else [f"--scale {scale}"]), f"--report {out}/{RAW}"]
    words += [f"--docs {docs}"] if docs != ("docs" if scale == "full" else out) else []
    return " ".join(words + ([f"--out {out}"] if out != folder_of(scale) else []))


def _checkout(runs: Sequence[Run]) -> list[str]:
    """One sentence if all rows come from one clean checkout, a warning for each way in which they do not."""
    commits = sorted({run.commit for run in runs})
    dirty, unknown = (sum(run.dirty is flag for run in runs) for flag in (True, None))
    if len(commits) == 1 and not dirty + unknown:
        return [f"All rows come from one clean checkout, of commit `{commits[0]}`. Times are CPU times."]
    said = [f"**The rows come from {len(commits)} commits**: {', '.join(commits)}."] if len(commits) > 1 else []
    said += [f"**{dirty} rows come from a checkout with changes.**"] if dirty else []
    return said + ([f"**{unknown} rows do not tell whether their checkout had changes.**"] if unknown else [])


def _plan_table(experiments: Sequence[Experiment], made: Set[Key]) -> Table:
    """What was planned and how much of it there is."""
    rows = []
    for experiment, (title, words) in zip(experiments, seeds_in_words(experiments), strict=True):
        needs = experiment.needs()
        rows.append([title, words, f"{sum(key in made for key in needs)} of {len(needs)}" if needs else "–"])
    return Table(
        ["experiment", "seeds planned", "runs made"], rows, "Seeds of each method, as planned, and the runs made"
    )


def _cost_table(runs: Sequence[Run]) -> Table:
    rows = []
    for method in in_order(run.method for run in runs):
        mine = [run for run in runs if run.method == method]
        rows.append([label(method), str(len(mine)), f"{sum(sum(run.seconds) for run in mine) / 60:.1f}"])
    return Table(["method", "runs", "CPU minutes"], rows, "CPU time of each method")


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

"""The raw results as one CSV file, compressed: a row for each run, all that the report is made from.

Regrets change only where another sample is recommended: `regrets` names those places, "0:1.83 10:1.19" means 1.83 after
the first comparison and 1.19 from the eleventh on. `samples` does the same for the distinct samples shown so far, as their
excess over one more than the questions: "0:0" if every question shows one new sample. `milliseconds` is the CPU time before each
question, to three digits.
Everything else is as in `results.Run`. The same runs give the same bytes.
"""

import csv
import gzip
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import results
from benchmarks.paper.plan import Experiment
from benchmarks.results import Run

COLUMNS = (
    "experiments",
    "method",
    "problem",
    "seed",
    "noise",
    "status",
    "comparisons",
    "initial",
    "regrets",
    "samples",
    "milliseconds",
    "calibrating",
    "wall",
    "violation",
    "recommended",
    "versions",
    "machine",
    "commit",
    "dirty",
)


def write(path: Path, runs: Iterable[Run], experiments: Sequence[Experiment]) -> None:
    """Write the file."""
    wanted = {experiment.name: set(experiment.needs()) for experiment in experiments}
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    for run in runs:
        uses = " ".join(name for name, keys in wanted.items() if run.key in keys)
        table.writerow({"experiments": uses, **_row(run)})
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(text.getvalue().encode())


def read(path: Path) -> list[Run]:
    """All runs of the file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return [_run(row) for row in csv.DictReader(file)]


def digest(path: Path) -> str:
    """The SHA-256 of the rows, as `zcat FILE | sha256sum` prints it: that of the compressed file depends on the compressor."""
    with gzip.open(path) as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_any(path: Path) -> list[Run]:
    """Raw results in either form: this one, or a line of JSON for each run."""
    return read(path) if path.name.endswith(".csv.gz") else results.read(path)


def _row(run: Run) -> dict[str, object]:
    return {
        "method": run.method,
        "problem": run.problem,
        "seed": run.seed,
        "noise": run.noise,
        "status": " ".join(run.status.split()),
        "comparisons": len(run.regrets),
        "initial": run.initial,
        "regrets": _steps(run.regrets),
        "samples": _steps([count - k - 2 for k, count in enumerate(run.samples)]),
        "milliseconds": " ".join(f"{1000 * value:.3g}" for value in run.seconds),
        "calibrating": "" if run.calibrating is None else f"{run.calibrating:.4g}",
        "wall": "" if run.wall is None else f"{run.wall:.4g}",
        "violation": f"{run.violation:.4g}",
        "recommended": " ".join(f"{value:.8g}" for value in run.recommended),
        "versions": json.dumps(run.versions, sort_keys=True),
        "machine": run.machine,
        "commit": run.commit,
        "dirty": "" if run.dirty is None else str(int(run.dirty)),
    }


def _run(row: dict[str, str]) -> Run:
    return Run(
        method=row["method"],
        problem=row["problem"],
        seed=int(row["seed"]),
        noise=row["noise"],
        regrets=_unfolded(row["regrets"], int(row["comparisons"])),
        seconds=[float(value) / 1000 for value in row["milliseconds"].split()],
        initial=int(row["initial"]),
        recommended=[float(value) for value in row["recommended"].split()],
        violation=float(row["violation"]),
        status=row["status"],
        versions=json.loads(row["versions"]),
        machine=row["machine"],
        commit=row["commit"],
        calibrating=float(row["calibrating"]) if row["calibrating"] else None,
        wall=float(row["wall"]) if row["wall"] else None,
        samples=_samples(row.get("samples", ""), len(row["milliseconds"].split())),
        dirty=bool(int(row["dirty"])) if row.get("dirty") else None,
    )


def _samples(text: str, questions: int) -> list[int]:
    return [k + 2 + int(excess) for k, excess in enumerate(_unfolded(text, questions))] if text else []


def _steps(regrets: Sequence[float]) -> str:
    changes = [k for k in range(len(regrets)) if k == 0 or regrets[k] != regrets[k - 1]]
    return " ".join(f"{k}:{regrets[k]:.6g}" for k in changes)


def _unfolded(text: str, count: int) -> list[float]:
    steps = [(int(place), float(value)) for place, _, value in (word.partition(":") for word in text.split())]
    ends = [place for place, _ in steps[1:]] + [count]
    return [value for (place, value), end in zip(steps, ends, strict=True) for _ in range(end - place)]

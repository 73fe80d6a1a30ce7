"""The report of stored runs, as plain text tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import summary
from benchmarks.methods import METHODS
from benchmarks.named import problem_named
from benchmarks.problems import FLOOR, floor_of
from benchmarks.results import OK, Run
from benchmarks.summary import Estimate, Vector, interval, number

TOLERANCE = 1e-6  # of a known constraint


@dataclass(frozen=True)
class Cell:
    """All runs of one method on one problem, in the order of their seeds."""

    runs: tuple[Run, ...]
    floor: float

    @property
    def regrets(self) -> Vector:
        """Final regrets, floored."""
        return summary.floored([run.regret for run in self.runs], self.floor)

    @property
    def median(self) -> float:
        """The median of the final regrets."""
        return float(np.median(self.regrets))

    @property
    def milliseconds(self) -> Vector:
        """CPU milliseconds of every proposal of every run."""
        return 1000 * np.concatenate([np.array(run.proposal_seconds, dtype=float) for run in self.runs])

    def paired_with(self, other: "Cell") -> tuple[Vector, Vector]:
        """The regrets of both on the seeds that both have."""
        mine = {run.seed: value for run, value in zip(self.runs, self.regrets, strict=True)}
        theirs = {run.seed: value for run, value in zip(other.runs, other.regrets, strict=True)}
        common = sorted(mine.keys() & theirs.keys())
        return np.array([mine[seed] for seed in common]), np.array([theirs[seed] for seed in common])


class Results:
    """Stored runs by problem and method; both keep the order of their first run."""

    def __init__(self, runs: Iterable[Run], floor: float = FLOOR) -> None:
        """`floor`: regrets below this part of the range count as this part."""
        self._floor = floor
        last = {run.key: run for run in runs}  # a run that was repeated counts once, as last measured
        self.runs = list(last.values())
        self.methods = list(dict.fromkeys(run.method for run in self.runs))
        self.problems = list(dict.fromkeys(run.problem for run in self.runs))

    def cell(self, problem: str, method: str) -> Cell | None:
        """The runs of this method on this problem, or None if there are none."""
        runs = [run for run in self.runs if run.problem == problem and run.method == method]
        runs.sort(key=lambda run: run.seed)
        return Cell(tuple(runs), floor_of(problem_named(problem), self._floor)) if runs else None

    def medians(self, problem: str, methods: Iterable[str] | None = None) -> dict[str, float]:
        """The median regret of each method, of all by default, that has runs on this problem."""
        cells = {m: self.cell(problem, m) for m in (self.methods if methods is None else methods)}
        return {m: cell.median for m, cell in cells.items() if cell}

    def common(self, method: str, reference: str) -> list[tuple[str, Cell, Cell]]:
        """The problems on which both methods have runs."""
        both = [(problem, self.cell(problem, method), self.cell(problem, reference)) for problem in self.problems]
        return [(problem, ours, theirs) for problem, ours, theirs in both if ours and theirs]


def report(runs: Iterable[Run], methods: Sequence[str] | None = None, reference: str | None = None) -> str:
    """The whole report; ratios are to `reference`, by default the second method."""
    chosen = [run for run in runs if methods is None or run.method in methods]
    sections = []
    for noise in dict.fromkeys(run.noise for run in chosen):
        results = Results(run for run in chosen if run.noise == noise)
        results.methods = [m for m in methods if m in results.methods] if methods else results.methods
        against = reference or (results.methods[1] if len(results.methods) > 1 else None)
        sections += _sections(results, noise, against)
    return "\n\n".join(sections) + "\n" if sections else "no results\n"


def _sections(results: Results, noise: str, reference: str | None) -> list[str]:
    head = f"Final regret of the recommended sample; noise: {noise}; intervals: 90 % bootstrap"
    sections = [
        f"{head}\n\n{_problem_table(results, reference)}",
        f"Over all problems\n\n{_overall_table(results, reference)}",
    ]
    first, *rest = results.methods
    peers = [method for method in rest if METHODS[method].is_peer]
    if peers:
        sections.append(f"{first} against the best peer of each problem\n\n{_best_peer_table(results, first, peers)}")
    if any(run.violation > TOLERANCE for run in results.runs):
        sections.append(_violations(results))
    failures = [
        f"{run.method} on {run.problem}, seed {run.seed}: {run.status}" for run in results.runs if run.status != OK
    ]
    if failures:
        sections.append(
            f"Failed runs: {len(failures)} (their regret is that of the incumbent reached)\n" + "\n".join(failures)
        )
    return sections


def _violations(results: Results) -> str:
    broken = [run.method for run in results.runs if run.violation > TOLERANCE]
    counts = ", ".join(f"{method} {broken.count(method)}" for method in results.methods if method in broken)
    return f"Recommended samples that break the known constraint by more than {TOLERANCE:g}: {counts}"


def _problem_table(results: Results, reference: str | None) -> str:
    header = ["problem", "method", "seeds", "median", "lower q.", "upper q.", "worst", "ms/proposal"]
    header += [f"median / {reference}", "paired ratio"] if reference else []
    rows = [
        _problem_row(results, problem, method, cell, reference)
        for problem in results.problems
        for method in results.methods
        if (cell := results.cell(problem, method))
    ]
    return table(header, rows)


def _problem_row(results: Results, problem: str, method: str, cell: Cell, reference: str | None) -> list[str]:
    s = summary.spread(cell.regrets)
    row = [problem, method, str(len(cell.runs))]
    row += [
        number(value) for value in (s.median, s.lower_quartile, s.upper_quartile, s.worst, _mean(cell.milliseconds))
    ]
    other = results.cell(problem, reference) if reference else None
    if other is None:
        return row
    if method == reference:
        return [*row, "1", "1"]
    return [*row, interval(summary.ratio(cell.regrets, other.regrets)), _paired(cell, other)]


def _overall_table(results: Results, reference: str | None) -> str:
    header = ["method", "problems", "runs", "failed", "ms/proposal", "p95"]
    header += [f"medians / {reference}", "upper quartiles", "paired", "CPU", "ratio surely > 2"] if reference else []
    return table(header, [_overall_row(results, method, reference) for method in results.methods])


def _overall_row(results: Results, method: str, reference: str | None) -> list[str]:
    cells = [cell for problem in results.problems if (cell := results.cell(problem, method))]
    runs = [run for cell in cells for run in cell.runs]
    failed = sum(run.status != OK for run in runs)
    p95 = _quantile95(np.concatenate([cell.milliseconds for cell in cells]))
    row = [method, str(len(cells)), str(len(runs)), str(failed), number(_mean_of(cells)), number(p95)]
    if reference is None:
        return row
    return [*row, *_overall_ratios(results, method, reference)]


def _overall_ratios(results: Results, method: str, reference: str) -> list[str]:
    common = results.common(method, reference)
    if method == reference or not common:
        return ["1" if common else ""] * 4 + [""]
    regrets = [(ours.regrets, theirs.regrets) for _, ours, theirs in common]
    pairs = [pair for _, ours, theirs in common if len((pair := ours.paired_with(theirs))[0])]
    cpu = _mean_of([ours for _, ours, _ in common]) / _mean_of([theirs for _, _, theirs in common])
    bad = [problem for problem, ours, theirs in common if summary.ratio(ours.regrets, theirs.regrets).low > 2]
    return [
        interval(summary.mean_ratio(regrets)),
        interval(summary.mean_ratio(regrets, quantile=0.75)),
        interval(summary.mean_paired(pairs)) if pairs else "",
        number(cpu),
        ", ".join(bad) or "none",
    ]


def _best_peer_table(results: Results, method: str, peers: Sequence[str]) -> str:
    rows, ratios = [], []
    for problem in results.problems:
        cell = results.cell(problem, method)
        rivals = {peer: rival for peer in peers if (rival := results.cell(problem, peer))}
        if cell is None or not rivals:
            continue
        best = min(rivals, key=lambda peer: rivals[peer].median)
        estimate = summary.ratio(cell.regrets, rivals[best].regrets)
        ratios.append((estimate, _paired_estimate(cell, rivals[best])))
        rows.append([problem, best, interval(estimate), _paired(cell, rivals[best])])
    better = sum(estimate.value < 1 for estimate, _ in ratios)
    sure = sum(pair is not None and pair.high < 1 for _, pair in ratios)
    worse = sum(estimate.value > 2 for estimate, _ in ratios)
    verdict = (
        f"median better on {better} of {len(ratios)}, paired interval below 1 on {sure}, worse than 2 x on {worse}"
    )
    return f"{table(['problem', 'best peer', 'ratio of medians', 'paired ratio'], rows)}\n{verdict}"


def _paired_estimate(cell: Cell, other: Cell) -> Estimate | None:
    mine, theirs = cell.paired_with(other)
    return summary.paired(mine, theirs) if len(mine) else None


def _paired(cell: Cell, other: Cell) -> str:
    estimate = _paired_estimate(cell, other)
    return interval(estimate) if estimate else ""


def _mean_of(cells: Sequence[Cell]) -> float:
    """Milliseconds a proposal, every problem counting the same."""
    return float(np.mean([_mean(cell.milliseconds) for cell in cells]))


def _mean(values: Vector) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _quantile95(values: Vector) -> float:
    return float(np.quantile(values, 0.95)) if len(values) else float("nan")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns: words to the left, numbers to the right."""
    lines = [list(header), *([*row, *[""] * (len(header) - len(row))] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    text = [_aligned(line, widths) for line in lines]
    return "\n".join([text[0], "  ".join("-" * width for width in widths), *text[1:]])


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    def pad(cell: str, width: int) -> str:
        side: Callable[[int], str] = cell.rjust if cell[:1].isdigit() else cell.ljust
        return side(width)

    return "  ".join(pad(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip()

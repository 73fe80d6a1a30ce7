"""The tables that several sections share, and how numbers and methods are written in them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import wilcoxon

from benchmarks import summary
from benchmarks.methods import METHODS
from benchmarks.paper.document import Table
from benchmarks.problems import DIGITS, FLOOR
from benchmarks.report import Cell, Results
from benchmarks.results import OK, Run
from benchmarks.summary import Estimate, Vector, interval, number

LABELS = {
    "posterior": "posterior",
    "posterior-objectives": "posterior, of objectives",
    "posterior-mistakes": "posterior, of mistakes",
    "posterior-noise": "posterior, told of the noise",
    "glisp": "RBF+IDW",
    "glisp-objectives": "RBF+IDW, of objectives",
    "glisp-pi": "RBF+PI",
    "glisp-paper": "RBF+IDW as printed",
    "pbo": "PBO",
    "numbers": "told numbers",
    "random": "random",
    "believer": "hallucination believer",
    "thompson": "Thompson sampling",
    "glis": "glis IDW",
    "glis-unshrunk": "glis IDW, box not shrunk",
    "glis-pi": "glis PI",
    "glis-pi-unshrunk": "glis PI, box not shrunk",
    "botorch-lognei": "BoTorch LogNEI",
    "botorch-eubo": "BoTorch EUBO",
    "botorch-eubo-pairs": "BoTorch EUBO, q = 2",
    "optuna": "Optuna",
    "optuna-gp": "Optuna GPSampler, told numbers",
    "botorch-logei": "BoTorch LogEI, told numbers",
}
FEWEST_SEEDS = 3  # below, an interval over seeds says nothing
FEWEST_PROBLEMS = 6  # below, no signed-rank test can come out below 0.03
FEWEST_FUNCTIONS = 12  # of BBOB; below, an interval that resamples functions is too narrow to judge by
ENOUGH = 10  # seeds; where there are fewer, the report says so


def label(method: str) -> str:
    """What the report calls a method."""
    return LABELS.get(method, method)


def told_numbers(method: str) -> bool:
    """Whether a method hears more than preferences; one that nobody knows any more does not."""
    return method in METHODS and METHODS[method].is_told_numbers


def in_order(methods: Iterable[str]) -> list[str]:
    """Methods in the order of `LABELS`, ours first."""
    order = list(dict.fromkeys([*LABELS, *METHODS]))
    return sorted(set(methods), key=order.index)


def medians_table(runs: Iterable[Run], caption: str) -> Table:
    """Medians of the final regrets, a row for each problem, a column for each method.

    The best of those that compare and have enough seeds for a median is bold.
    """
    results = Results(runs, DIGITS)
    methods = in_order(results.methods)
    rows = []
    for problem in results.problems:
        cells = [results.cell(problem, method) for method in methods]
        medians = [cell.median if cell else float("nan") for cell in cells]
        judged = [
            value if cell and len(cell.runs) >= FEWEST_SEEDS and not told_numbers(m) else np.inf
            for m, cell, value in zip(methods, cells, medians, strict=True)
        ]
        best = min(judged)
        rows.append([problem, *[_bold(number(v), j == best < np.inf) for v, j in zip(medians, judged, strict=True)]])
    rows.append(["seeds", *[_counts(results, method) for method in methods]])
    return Table(["problem", *[label(method) for method in methods]], rows, caption)


def by_method(runs: Iterable[Run], said: Callable[[Sequence[Run]], str], caption: str) -> Table:
    """What is said of a method's runs on a problem, a row for each problem and a column for each method."""
    results = Results(runs)
    methods = in_order(results.methods)
    rows = []
    for problem in results.problems:
        cells = [results.cell(problem, method) for method in methods]
        rows.append([problem, *[said(cell.runs) if cell else "–" for cell in cells]])
    return Table(["problem", *map(label, methods)], rows, caption)


def _counts(results: Results, method: str) -> str:
    """How many seeds a method has on a problem: one number, or from the fewest to the most."""
    cells = [results.cell(problem, method) for problem in results.problems]
    return summary.span(len(cell.runs) if cell else 0 for cell in cells)


def spread_table(runs: Iterable[Run], caption: str, folded: bool = True) -> Table:
    """Median, quartiles and worst of the final regrets of every method on every problem."""
    results = Results(runs, DIGITS)
    rows = []
    for problem in results.problems:
        for method in in_order(results.methods):
            cell = results.cell(problem, method)
            if cell is not None:
                rows.append([problem, label(method), *_spread(cell)])
    header = ["problem", "method", "seeds", "median", "lower quartile", "upper quartile", "worst", "failed"]
    return Table(header, rows, caption, folded)


def ratio_table(runs: Iterable[Run], reference: str, caption: str, floor: float = FLOOR) -> Table | None:
    """Every method against one: ratios of medians and of upper quartiles, paired ratio and signed-rank test."""
    results = Results(runs, floor)
    rows = []
    for method in in_order(results.methods):
        common = results.common(method, reference)
        if method != reference and common:
            rows.append([label(method), *_ratios([(ours, theirs) for _, ours, theirs in common])])
    header = ["method", "problems", "median", "upper quartile", "pairs", "paired ratio", "signed-rank p, of problems"]
    return Table(header, rows, caption, folded=floor < FLOOR) if rows else None


@dataclass(frozen=True)
class Duel:
    """A method against the peer that is best on a problem: the ratio of the medians, and seed by seed where there are enough."""

    problem: str
    peer: str
    median: float
    paired: Estimate
    pairs: int

    @property
    def proven(self) -> bool:
        """Whether the interval of the paired ratio lies below 1."""
        return self.paired.high < 1


def duels(runs: Iterable[Run], method: str) -> list[Duel]:
    """The method against the peer of lowest median on each problem that both have seeds of in common."""
    results = Results(runs)
    found = []
    for problem in results.problems:
        ours = results.cell(problem, method)
        peers = {m: cell for m in results.methods if METHODS[m].is_peer and (cell := results.cell(problem, m))}
        if ours is None or not peers:
            continue
        peer = min(peers, key=lambda m: peers[m].median)
        pair = ours.paired_with(peers[peer])
        if len(pair[0]):
            ratio = ours.median / peers[peer].median
            found.append(Duel(problem, peer, ratio, _honest(summary.paired(*pair), [pair]), len(pair[0])))
    return found


def duels_table(runs: Iterable[Run], method: str, caption: str) -> Table:
    """The method against the best peer on each problem."""
    rows = [
        [duel.problem, label(duel.peer), number(duel.median), interval(duel.paired), str(duel.pairs)]
        for duel in duels(runs, method)
    ]
    return Table(["problem", "best peer", "ratio of medians", "paired ratio", "pairs"], rows, caption)


def mean_of_medians(runs: Iterable[Run], method: str, reference: str) -> Estimate | None:
    """The geometric mean over problems of the ratio of median regrets; its interval is NaN where seeds are too few."""
    common = Results(runs).common(method, reference)
    if not common:
        return None
    regrets = [(a.regrets, b.regrets) for _, a, b in common]
    return _honest(summary.mean_ratio(regrets), regrets)


def _spread(cell: Cell) -> list[str]:
    """The median alone where there are too few seeds for quartiles."""
    s = summary.spread(cell.regrets)
    failed = sum(run.status != OK for run in cell.runs)
    quartiles = [number(value) for value in (s.lower_quartile, s.upper_quartile)]
    known = quartiles if len(cell.runs) >= FEWEST_SEEDS else ["–", "–"]
    return [str(len(cell.runs)), number(s.median), *known, number(s.worst), str(failed) if failed else ""]


def _ratios(common: Sequence[tuple[Cell, Cell]]) -> list[str]:
    regrets = [(ours.regrets, theirs.regrets) for ours, theirs in common]
    pairs = [pair for ours, theirs in common if len((pair := ours.paired_with(theirs))[0])]
    medians, quartiles = (interval(_honest(summary.mean_ratio(regrets, q), regrets)) for q in (0.5, 0.75))
    paired = interval(_honest(summary.mean_paired(pairs), pairs)) if pairs else "–"
    count = sum(len(ours) for ours, _ in pairs)
    return [str(len(common)), medians, quartiles, str(count), paired, _p_value(pairs)]


def _honest(estimate: Estimate, pairs: Sequence[tuple[Vector, Vector]]) -> Estimate:
    """The same without its interval where some problem has too few seeds to resample."""
    fewest = min(min(len(ours), len(theirs)) for ours, theirs in pairs)
    return replace(estimate, low=np.nan, high=np.nan) if fewest < FEWEST_SEEDS else estimate


def _p_value(pairs: Sequence[tuple[Vector, Vector]]) -> str:
    """Wilcoxon's signed-rank test that ratios are as often above one as below, one ratio a problem: seeds are not independent."""
    differences = np.array([np.mean(np.log(a) - np.log(b)) for a, b in pairs])
    if np.count_nonzero(differences) < FEWEST_PROBLEMS:
        return "too few"
    return f"{wilcoxon(differences).pvalue:.2g}"


def _bold(text: str, wanted: bool) -> str:
    return f"**{text}**" if wanted else text

"""The tables that every comparison begins with: what a person would see, then ratios, then digits.

| symbol | meaning |
|---|---|
| r | regret of a recommendation as a part of the problem's range |
| case | problem, seed and noise: what two methods must share to be compared |
| family | a function; its instances, dimensions and seeds are not independent |

Intervals hold 90 % and resample families as well as the cases of each, so they are about other functions of the kind.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from benchmarks import summary
from benchmarks.named import family_of, problem_named
from benchmarks.paired import aligned
from benchmarks.problems import DIGITS, FLOOR, range_of
from benchmarks.results import Run
from benchmarks.summary import Estimate, Vector, interval

Case: TypeAlias = tuple[str, int, str]
Runs: TypeAlias = Mapping[str, Sequence[Run]]

NEAR, NEARER = 0.05, 0.01
"""Within 5 % and 1 % of the range: what people may and may hardly tell from the best."""


@dataclass(frozen=True)
class Grid:
    """A table: its caption, its header and its rows."""

    caption: str
    header: list[str]
    rows: list[list[str]]


def case_of(run: Run) -> Case:
    """What another method's run must share to be paired with this one."""
    return run.problem, run.seed, run.noise


def part_of_range(run: Run, most: int | None = None) -> float:
    """r of the last recommendation; with `most`, of the last one that needed at most so many distinct samples."""
    regret = run.regret if most is None else run.regret_within(most)
    return regret / range_of(problem_named(run.problem))


def needed(run: Run, part: float) -> float:
    """The number of the answer after which r is at most `part` for good; infinite if never."""
    small = np.array(run.regrets) <= part * range_of(problem_named(run.problem))
    if not small[-1]:
        return float("inf")
    late = np.flatnonzero(~small)
    return float(late[-1] + 2) if len(late) else 1.0


def by_family(values: Mapping[Case, float]) -> list[Vector]:
    """The values of each family."""
    families: dict[str, list[float]] = {}
    for case, value in values.items():
        families.setdefault(family_of(case[0]), []).append(value)
    return [np.array(found) for found in families.values()]


def share(runs: Sequence[Run], part: float, most: Mapping[Case, int] | None = None) -> Estimate:
    """The share of runs whose r is at most `part`, in per cent; `most`: with so many distinct samples in each case."""
    values = {case_of(r): part_of_range(r, None if most is None else most[case_of(r)]) <= part for r in runs}
    return summary.grouped_mean(by_family({case: 100.0 * value for case, value in values.items()}))


def ratio(ours: Sequence[Run], theirs: Sequence[Run], floor: float = FLOOR, equal_samples: bool = False) -> Estimate:
    """The geometric mean of our r over theirs on the cases that both have; r counts as at least `floor`."""
    reference = {case_of(run): run for run in theirs}
    logs = {}
    for run in ours:
        other = reference.get(case_of(run))
        if other is not None:
            most = min(run.samples[-1], other.samples[-1]) if equal_samples else None
            a, b = (max(part_of_range(one, most), floor) for one in (run, other))
            logs[case_of(run)] = float(np.log(a / b))
    mean = summary.grouped_mean(by_family(logs))
    return Estimate(*(float(np.exp(value)) for value in (mean.value, mean.low, mean.high)))


def common(ours: Sequence[Run], theirs: Sequence[Run]) -> list[Run]:
    """Our runs of the cases that the other method has, too."""
    cases = {case_of(run) for run in theirs}
    return [run for run in ours if case_of(run) in cases]


def same_cases(runs: Sequence[Run], methods: Sequence[str]) -> list[Run]:
    """The runs of these methods on the cases that all of them have."""
    chosen = [run for run in runs if run.method in methods]
    by_case: dict[Case, set[str]] = {}
    for run in chosen:
        by_case.setdefault(case_of(run), set()).add(run.method)
    return [run for run in chosen if len(by_case[case_of(run)]) == len(set(methods))]


def counted(runs: Sequence[Run]) -> bool:
    """Whether distinct samples are known; rows of earlier versions do not tell."""
    return bool(runs) and all(run.samples for run in runs)


def shares(runs: Runs) -> Grid:
    """How often each method comes near, and after how many answers."""
    rows = []
    for method, made in runs.items():
        row = [method, str(len(made)), str(len({family_of(run.problem) for run in made}))]
        row += [percent(share(made, part)) for part in (NEARER, NEAR)]
        rows.append([*row, *(_typical([needed(run, part) for run in made]) for part in (NEARER, NEAR))])
    header = ["method", "runs", "functions", "within 1 %", "within 5 %", "answers to 1 %", "answers to 5 %"]
    caption = (
        "Share of runs that end within 1 % and 5 % of the range, with 90 % intervals, and the number of answers after which half "
        "of the runs are there for good (–: fewer than half get there)"
    )
    return Grid(caption, header, rows)


def shares_by_dimension(runs: Runs, part: float) -> Grid:
    """The share of runs that come near, by the number of variables."""
    dimensions = sorted({problem_named(run.problem).dimension for made in runs.values() for run in made})
    rows = []
    for method, made in runs.items():
        mine = [[run for run in made if problem_named(run.problem).dimension == n] for n in dimensions]
        rows.append([method, *(f"{share(some, part).value:.0f} % ({len(some)})" if some else "–" for some in mine)])
    caption = (
        f"Share of runs that end within {100 * part:g} % of the range, by the number of variables (number of runs)"
    )
    return Grid(caption, ["method", *(f"{n}-D" for n in dimensions)], rows)


def equal_budgets(runs: Runs, reference: str) -> Grid:
    """Each method against the reference on the cases of both: with equal questions, and with equal distinct samples."""
    rows = []
    for method, made in runs.items():
        mine = common(made, runs[reference])
        if method == reference or not mine:
            continue
        theirs = common(runs[reference], made)
        row = [method, str(len(mine)), interval(ratio(mine, theirs)), _mean_samples(mine), _mean_samples(theirs)]
        known = counted(mine) and counted(theirs)
        rows.append([*row, interval(ratio(mine, theirs, equal_samples=True)) if known else "–"])
    header = ["method", "pairs", "equal questions", "its samples", f"{reference}'s samples", "equal samples"]
    caption = (
        f"Ratio of regrets to {reference}'s on the same problems; below 1 is better. Regrets below a thousandth of the range count "
        "as that. Samples: mean number of distinct candidates shown. With equal samples, both stop where the one with fewer did"
    )
    return Grid(caption, header, rows)


def equal_samples(runs: Runs) -> Grid | None:
    """Shares on the cases that all methods have if each stops at the number of samples that all showed; None if not known."""
    cases = set.intersection(*({case_of(run) for run in made} for made in runs.values())) if runs else set()
    same = {method: [run for run in made if case_of(run) in cases] for method, made in runs.items()}
    if not cases or not all(counted(made) for made in same.values()):
        return None
    least: dict[Case, int] = {}
    for run in (run for made in same.values() for run in made):
        least[case_of(run)] = min(run.samples[-1], least.get(case_of(run), run.samples[-1]))
    rows = []
    for method, made in same.items():
        row = [method, f"{np.mean([len(run.regrets) for run in made]):.1f}", _mean_samples(made)]
        rows.append([*row, *(percent(share(made, part, least)) for part in (NEARER, NEAR))])
    caption = (
        f"Shares at equal numbers of distinct samples, on the {len(cases)} problems that all methods have: there, every method "
        f"stops where the one that showed fewest did. Questions and samples: means of what was planned and shown before that"
    )
    return Grid(caption, ["method", "questions", "samples", "within 1 %", "within 5 %"], rows)


def digits(runs: Runs, reference: str) -> Grid:
    """The ratios with a floor of a millionth of the range, which rewards digits that nobody sees."""
    rows = []
    for method, made in runs.items():
        mine = common(made, runs[reference])
        if method != reference and mine:
            rows.append([method, interval(ratio(mine, runs[reference], DIGITS))])
    caption = f"Digits: the ratio to {reference} with equal questions if only regrets below a millionth of the range count as equal"
    return Grid(caption, ["method", "ratio"], rows)


def grids(runs: Runs, reference: str) -> list[Grid]:
    """All tables, in the order of the report."""
    made = {method: mine for method, mine in runs.items() if mine}
    if reference not in made:
        return []
    tables: list[Callable[[], Grid | None]] = [
        partial(shares, made),
        partial(shares_by_dimension, made, NEAR),
        partial(equal_samples, made),
        partial(equal_budgets, made, reference),
        partial(digits, made, reference),
    ]
    return [grid for table in tables if (grid := table()) is not None and grid.rows]


def printed(runs: Runs, reference: str) -> list[str]:
    """The tables as lines of text."""
    lines = []
    for grid in grids(runs, reference):
        lines += [grid.caption + ".", "", *aligned([grid.header, *grid.rows]), ""]
    return lines


def percent(estimate: Estimate) -> str:
    """A share with its interval."""
    return f"{estimate.value:.0f} % [{estimate.low:.0f}, {estimate.high:.0f}]"


def _typical(counts: Sequence[float]) -> str:
    middle = float(np.quantile(counts, 0.5, method="lower"))
    return f"{middle:.0f}" if np.isfinite(middle) else "–"


def _mean_samples(runs: Sequence[Run]) -> str:
    return f"{np.mean([run.samples[-1] for run in runs]):.1f}" if counted(runs) else "–"

"""Shares of good runs, and differences between methods on the runs that both made, with standard errors.

| symbol | meaning | shape |
|---|---|---|
| r | final regrets as parts of the range, run by run | (runs,) |
| d | differences of two methods' scores on the same runs | (runs,) |
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.results import OK, Run

Vector: TypeAlias = NDArray[np.float64]
Case: TypeAlias = tuple[str, int, str]  # problem, seed, noise
Score: TypeAlias = Callable[[Vector], Vector]
Regrets: TypeAlias = dict[Case, float]

FLOOR = 1e-3  # of the range: a smaller regret counts as this


def within(part: float) -> Score:
    """One for a regret of at most this part of the range, in percent."""
    return lambda r: np.where(r <= part, 100.0, 0.0)


def log_regret(r: Vector) -> Vector:
    """The logarithm to base ten of the floored regret."""
    return np.asarray(np.log10(np.maximum(r, FLOOR)))


Scores: TypeAlias = Mapping[str, tuple[Score, int]]  # by name: the score, and the decimals to print
SCORES: Scores = {"within 1 %": (within(0.01), 1), "within 5 %": (within(0.05), 1), "log10": (log_regret, 3)}


@dataclass(frozen=True)
class Difference:
    """A mean of paired differences with its standard error, which is nan for a single run."""

    mean: float
    error: float
    runs: int

    def text(self, decimals: int) -> str:
        """As "+1.2 ± 0.4"."""
        if self.runs == 0:
            return "–"
        error = "?" if np.isnan(self.error) else f"{self.error:.{decimals}f}"
        return f"{self.mean:+.{decimals}f} ± {error}"


def difference(d: Vector) -> Difference:
    """The mean of paired differences; runs count as independent."""
    if len(d) == 0:
        return Difference(np.nan, np.nan, 0)
    error = float(np.std(d, ddof=1) / np.sqrt(len(d))) if len(d) > 1 else np.nan
    return Difference(float(np.mean(d)), error, len(d))


def paired(one: Regrets, other: Regrets, score: Score) -> Difference:
    """The score of one method minus that of the other, on the runs that both made."""
    common = sorted(one.keys() & other.keys())
    a, b = (np.array([regrets[case] for case in common]) for regrets in (one, other))
    return difference(score(a) - score(b))


def last_regret(run: Run) -> float:
    """The final regret as it was measured, for problems whose range is 1."""
    return run.regret


def regrets_of(runs: Sequence[Run], of: Callable[[Run], float] = last_regret) -> Regrets:
    """The final regret of each run."""
    return {(run.problem, run.seed, run.noise): of(run) for run in runs}


def table(
    runs: Mapping[str, Sequence[Run]],
    against: str,
    classes: Mapping[str, Callable[[Run], bool]],
    scores: Scores = SCORES,
    of: Callable[[Run], float] = last_regret,
) -> list[str]:
    """Each class of runs, method beside method: mean scores of regrets, and their differences to the method `against`."""
    rows = [["", "method", "runs", *scores, *(f"Δ {name}" for name in scores)]]
    for name, belongs in classes.items():
        regrets = {method: regrets_of([run for run in made if belongs(run)], of) for method, made in runs.items()}
        for method, mine in regrets.items():
            if mine:
                rows.append([name, method, str(len(mine)), *_means(mine, scores)])
                rows[-1] += _differences(mine, regrets[against] if method != against else None, scores)
    return aligned(rows)


def _means(regrets: Regrets, scores: Scores) -> list[str]:
    r = np.array(list(regrets.values()))
    return [f"{np.mean(score(r)):.{decimals}f}" for score, decimals in scores.values()]


def _differences(mine: Regrets, theirs: Regrets | None, scores: Scores) -> list[str]:
    if theirs is None:
        return [""] * len(scores)
    return [paired(mine, theirs, score).text(decimals) for score, decimals in scores.values()]


def cost(runs: Mapping[str, Sequence[Run]]) -> list[str]:
    """CPU time of a question, the mean of all runs."""
    rows = [["method", "ms a question"]]
    for method, made in runs.items():
        seconds = [value for run in made for value in run.seconds]
        rows.append([method, f"{1000 * np.mean(seconds):.1f}" if seconds else "–"])
    return aligned(rows)


def failures(runs: Mapping[str, Sequence[Run]]) -> list[str]:
    """A line for each kind of failure, and for each method whose runs come from several commits."""
    lines = []
    for method, made in runs.items():
        for status in sorted({run.status for run in made if run.status != OK}):
            count = sum(run.status == status for run in made)
            lines.append(f"{method}: {count} of {len(made)} runs failed: {status}")
        commits = sorted({run.commit for run in made})
        if len(commits) > 1:
            lines.append(f"{method}: its runs come from several commits: {', '.join(commits)}")
    return lines


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns of equal width; columns of numbers are aligned right."""
    columns = []
    for column in zip(*rows, strict=True):
        width, numbers = max(map(len, column)), all(cell[:1] in "+-–0123456789" for cell in column[1:])
        columns.append([cell.rjust(width) if numbers else cell.ljust(width) for cell in column])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]

"""People who err: answers turned round, and differences seen through logistic noise, with ties."""

from collections.abc import Sequence

import numpy as np

from benchmarks.paper import figures, tables
from benchmarks.paper.document import Block, Figure, Section, Table
from benchmarks.paper.plan import Experiment, Part
from benchmarks.paper.tables import in_order, label, mean_of_medians
from benchmarks.problems import PROBLEMS, range_of
from benchmarks.results import Run
from benchmarks.summary import geometric_mean, interval, number

TITLE = "Noise and ties"
FIVE = ("adjiman", "camelsixhumps", "hartman3", "ackley", "hartman6")
FLIPS = ("none", "flips:0.05", "flips:0.1", "flips:0.2")
LOGISTIC, UNSURE = "logistic:0.02", "unsure:0.02"
OURS = {"glisp": 10, "glisp-pi": 10, "pbo": 10, "posterior": 10, "random": 10}
PARTS = (
    Part(FIVE, OURS, (*FLIPS, LOGISTIC)),
    Part(FIVE, {"glisp": 10, "posterior": 10, "random": 10}, (UNSURE,)),
    Part(FIVE, {"glis": 10}, ("none", "flips:0.1", LOGISTIC)),
    Part(FIVE, {"optuna": 2, "botorch-lognei": 2, "botorch-eubo": 2}, ("none", LOGISTIC)),
)
ABOUT = (
    "Five of the ten functions with people who err. Flips: the given share of the answers is the opposite of the truth, "
    "however clear the case. Logistic: the person sees the difference with logistic noise of 2 % of the problem's range, and "
    "calls the candidates the same if it seems within 1 % of the range. Without ties the person never does, which makes the "
    "noise harder to learn. Ours and glis are told ties; BoTorch and Optuna have none, so a coin decides. The regret is that "
    "of the true function at the recommended sample."
)
KINDS = {
    "none": "none",
    LOGISTIC: "logistic, ties",
    UNSURE: "logistic, no ties",
    **{f"flips:{rate:g}": f"flips {100 * rate:g} %" for rate in (0.05, 0.1, 0.2)},
}


def write(runs: Sequence[Run]) -> Section:
    """How the typical regret grows with the noise, and the medians function by function."""
    blocks: list[Block] = [ABOUT]
    if runs:
        blocks += [_overview(runs), _figure(runs), *_ratios(runs), _details(runs)]
    return Section(TITLE, tuple(blocks))


def typical(runs: Sequence[Run], method: str, noise: str) -> float:
    """The geometric mean over the functions of the median regret as a part of the range; NaN unless all are there."""
    parts = []
    for problem in dict.fromkeys(run.problem for run in runs):
        mine = [run for run in runs if (run.method, run.noise, run.problem) == (method, noise, problem)]
        if not mine:
            return float("nan")
        parts.append(float(np.median(figures.trajectories(mine)[:, -1])) / range_of(PROBLEMS[problem]))
    return geometric_mean(parts) if parts else float("nan")


def _noises(runs: Sequence[Run]) -> list[str]:
    return [noise for noise in KINDS if any(run.noise == noise for run in runs)]


def _overview(runs: Sequence[Run]) -> Table:
    noises = sorted(_noises(runs), key=[*FLIPS, LOGISTIC, UNSURE].index)
    methods = in_order(run.method for run in runs)
    rows = [[label(m), *[number(typical(runs, m, noise)) for noise in noises]] for m in methods]
    caption = "Median regret as a part of the range, geometric mean over the functions that were run"
    return Table(["method", *[KINDS[noise] for noise in noises]], rows, caption)


def _figure(runs: Sequence[Run]) -> Figure:
    rates = {0.0 if noise == "none" else 100 * float(noise.partition(":")[2]): noise for noise in FLIPS}

    def value(method: str, rate: float) -> float:
        return typical(runs, method, rates[rate])

    drawing = figures.lines(runs, list(rates), value, "answers turned round, %", "median regret / range")
    return Figure("noise-flips", drawing, "What errors cost: median regret against the share of answers turned round.")


def _ratios(runs: Sequence[Run]) -> list[Table]:
    rows = []
    for noise in _noises(runs):
        with_noise = [run for run in runs if run.noise == noise]
        for ours in ("posterior", "glisp"):
            for peer in ("glis", "optuna", "botorch-lognei", "botorch-eubo"):
                estimate = mean_of_medians(with_noise, ours, peer)
                if estimate is not None:
                    rows.append([f"{label(ours)} / {label(peer)}", KINDS[noise], interval(estimate)])
    caption = "Ratio of median regrets to the peers', geometric mean over the functions; below 1 is better"
    return [Table(["methods", "noise", "ratio"], rows, caption)] if rows else []


def _details(runs: Sequence[Run]) -> Table:
    rows: list[Sequence[str]] = []
    header: Sequence[str] = []
    for noise in _noises(runs):
        table = tables.spread_table([run for run in runs if run.noise == noise], "")
        header = ["noise", *table.header]
        rows += [[KINDS[noise], *row] for row in table.rows]
    return Table(header, rows, "Median, quartiles and worst with every kind of noise", folded=True)


EXPERIMENT = Experiment("noise", TITLE, PARTS, write, lambda runs: any(r.noise != "none" for r in runs))

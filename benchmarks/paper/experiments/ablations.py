"""What each constant of the default proposer buys: the same with other values."""

from collections.abc import Iterable, Sequence

from benchmarks.methods import ABLATIONS
from benchmarks.paper import tables
from benchmarks.paper.document import Block, Section, Table
from benchmarks.paper.experiments.noise import FIVE, KINDS, LOGISTIC, UNSURE
from benchmarks.paper.plan import Experiment, Part
from benchmarks.problems import SETS
from benchmarks.results import Run

TITLE = "What each constant buys"
FLIPS = "flips:0.1"
NOISES = (FLIPS, LOGISTIC, UNSURE)
SEEDS = 12
OF_NOISE = ("without confirmations", "six confirmations", "one value of the noise", "more noise at least")


def _part(problems: tuple[str, ...], ablations: Iterable[str], noises: tuple[str, ...]) -> Part:
    """The default, and the same with each of those values."""
    return Part(problems, {"posterior": SEEDS, **dict.fromkeys(ablations, SEEDS)}, noises)


PARTS = (
    _part(tuple(problem.name for problem in SETS["ten"]), ABLATIONS, ("none",)),
    _part(FIVE, OF_NOISE, NOISES),
)
ABOUT = (
    "The default proposer with another value of one constant, as a ratio to the default. A ratio above 1 means that the default's "
    "value is better. `Policy` in `proposers/posterior.py` says what each constant means."
)


def write(runs: Sequence[Run]) -> Section:
    """Ratios to the default, for people who do not err and for people who do."""
    blocks: list[Block] = [ABOUT]
    for noise in ("none", *NOISES):
        mine = [run for run in runs if run.noise == noise]
        caption = f"Ratio to the default, geometric mean over the functions; noise: {KINDS[noise]}"
        table: Table | None = tables.ratio_table(mine, "posterior", caption)
        blocks += [table] if table else []
    return Section(TITLE, tuple(blocks))


EXPERIMENT = Experiment("ablations", TITLE, PARTS, write, lambda runs: any(r.method in ABLATIONS for r in runs))

"""What each ingredient of the default proposer buys: the same without it."""

from collections.abc import Iterable, Sequence

from benchmarks.methods import ABLATIONS
from benchmarks.paper import tables
from benchmarks.paper.document import Block, Section, Table
from benchmarks.paper.experiments.noise import FIVE, KINDS, LOGISTIC, UNSURE
from benchmarks.paper.plan import Experiment, Part
from benchmarks.problems import SETS
from benchmarks.results import Run

TITLE = "What each ingredient buys"
FLIPS = "flips:0.1"
NOISES = (FLIPS, LOGISTIC, UNSURE)
SEEDS = 12
OF_NOISE = ("without telling pairs", "without noticing who wavers")  # nobody else sees a difference
OF_SLIPS = ("without slips", "without asking again")


def _part(problems: tuple[str, ...], ablations: Iterable[str], noises: tuple[str, ...]) -> Part:
    """The whole, and what is left of it without each of those ingredients."""
    return Part(problems, {"posterior": SEEDS, **dict.fromkeys(ablations, SEEDS)}, noises)


PARTS = (
    _part(
        tuple(problem.name for problem in SETS["ten"]), [name for name in ABLATIONS if name not in OF_NOISE], ("none",)
    ),
    _part(FIVE, (*OF_SLIPS, *OF_NOISE), (FLIPS,)),
    _part(FIVE, OF_NOISE, (LOGISTIC, UNSURE)),
)
ABOUT = (
    "The default proposer with one ingredient left out, as a ratio to the whole. A ratio above 1 means that the ingredient "
    "helps. The *exploit* turn takes the maximum of the posterior mean with some *hope* added; the *explore* turn follows the "
    "paper's method. The initial design is a quarter of the samples, the paper's usually a third. Without the tournament, each "
    "initial sample meets the best so far. Without fitted scales, every length scale is the prior's mean. Without slips, every "
    "answer is believed at once. Without telling pairs, noisy people get the same questions as everybody else."
)


def write(runs: Sequence[Run]) -> Section:
    """Ratios to the whole, for people who do not err and for people who do."""
    blocks: list[Block] = [ABOUT]
    for noise in ("none", *NOISES):
        mine = [run for run in runs if run.noise == noise]
        caption = f"Ratio to the whole, geometric mean over the functions; noise: {KINDS[noise]}"
        table: Table | None = tables.ratio_table(mine, "posterior", caption)
        blocks += [table] if table else []
    return Section(TITLE, tuple(blocks))


EXPERIMENT = Experiment("ablations", TITLE, PARTS, write)

"""Rotated and shifted functions, which are neither separable nor centred."""

from collections.abc import Sequence

from benchmarks.paper import tables
from benchmarks.paper.document import Block, Section
from benchmarks.paper.plan import Experiment, Part
from benchmarks.problems import SETS
from benchmarks.results import Run

TITLE = "Turned functions"
PARTS = (
    Part(
        tuple(problem.name for problem in SETS["turned"]),
        {"glisp": 20, "glisp-pi": 10, "pbo": 10, "posterior": 20, "numbers": 20, "random": 20, "glis": 10},
    ),
)
ABOUT = (
    "Several of the paper's functions are sums of functions of one variable, or have their minimum in the middle of the box, "
    "which favours some methods. These fifteen are rotated and shifted, or smooth random surfaces. Several are hard with so few "
    "samples even for a method that knows more than comparisons: *told numbers* is the same kernel and search, given the latent "
    "value of each candidate (`benchmarks.peers.numbers_driver`)."
)


def write(runs: Sequence[Run]) -> Section:
    """Medians, ratios to glis, and the spread."""
    blocks: list[Block] = [ABOUT]
    if runs:
        blocks.append(
            tables.medians_table(
                runs, "Median regret after the last question; the best of at least three seeds is bold"
            )
        )
        caption = "Ratio to glis IDW, geometric mean over the functions; below 1 is better"
        table = tables.ratio_table(runs, "glis", caption)
        blocks += [table] if table else []
        blocks.append(tables.spread_table(runs, "Median, quartiles and worst of every method on every turned function"))
    return Section(TITLE, tuple(blocks))


EXPERIMENT = Experiment("turned", TITLE, PARTS, write)

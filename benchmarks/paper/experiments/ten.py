"""Section 7.2 of the paper: ten functions, its methods, ours and the peers'."""

from collections.abc import Sequence

from benchmarks.paper import figures, tables
from benchmarks.paper.document import Block, Figure, Section
from benchmarks.paper.plan import Experiment, Part
from benchmarks.problems import SETS
from benchmarks.results import Run

TITLE = "Ten benchmark functions"
PROBLEMS = tuple(problem.name for problem in SETS["ten"])
PARTS = (
    Part(
        PROBLEMS,
        {
            "glisp": 20,
            "glisp-pi": 20,
            "pbo": 20,
            "posterior": 20,
            "random": 20,
            "glis": 10,
            "glis-pi": 5,
            "botorch-lognei": 3,
            "botorch-eubo": 3,
            "optuna": 3,
        },
    ),
)

ABOUT = (
    "The functions and budgets of section 7.2 of the paper. It gives budgets only by its figures; these are the ones we "
    "read off: {budgets} samples. Bounds are those of the papers it cites; ackley, whose box differs between them, has "
    "[−5, 5]². A run asks one question less than it has samples. Each method chooses its own initial design where it has a "
    "rule for one; otherwise a third of the samples, rounded up, as in the paper."
)
PAPER_FIGURES = (
    ("ten-idw", ("glisp", "pbo"), "RBF+IDW and PBO: the paper's figure of both"),
    ("ten-pi", ("glisp-pi", "pbo"), "RBF+PI and PBO: the paper's figure of both"),
)
RIVALS = ("posterior", "glisp", "glis", "glis-pi", "botorch-lognei", "botorch-eubo", "optuna", "random")
HOW = "Median (line) and best and worst run (band) against the number of preferences; dotted where active learning begins."


def write(runs: Sequence[Run]) -> Section:
    """The figures of the paper, the same with the peers, and the tables."""
    budgets = ", ".join(f"{problem.name} {problem.samples}" for problem in SETS["ten"])
    blocks: list[Block] = [ABOUT.format(budgets=budgets)]
    if runs:
        for name, methods, caption in PAPER_FIGURES:
            drawing = figures.bands(runs, methods, methods)
            blocks.append(Figure(name, drawing, f"{caption}. {HOW}"))
        drawing = figures.bands(runs, RIVALS, ("posterior",))
        blocks.append(Figure("ten-peers", drawing, f"posterior and the peers. {HOW} The band is posterior's."))
        blocks.append(tables.medians_table(runs, "Median regret after the last question; the best is bold"))
        for reference in ("glis", "pbo", "optuna"):
            caption = f"Ratio to {tables.label(reference)}, geometric mean over the functions; below 1 is better"
            table = tables.ratio_table(runs, reference, caption)
            blocks += [table] if table else []
        blocks.append(tables.spread_table(runs, "Median, quartiles and worst of every method on every function"))
    return Section(TITLE, tuple(blocks))


EXPERIMENT = Experiment("ten", TITLE, PARTS, write)

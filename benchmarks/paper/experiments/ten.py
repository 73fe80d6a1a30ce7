"""Section 7.2 of the paper: ten functions, its methods, ours and the peers'."""

from collections.abc import Sequence

from benchmarks.paper import figures, tables
from benchmarks.paper.document import Block, Figure, Section, Table
from benchmarks.paper.plan import Experiment, Part
from benchmarks.problems import DIGITS, FLOOR, SETS
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
            "glis": 20,
            "glis-pi": 5,
            "botorch-lognei": 3,
            "botorch-eubo": 5,
            "optuna": 3,
        },
    ),
)

ABOUT = (
    "The functions of section 7.2 of the paper. The paper does not print their budgets and boxes; the table below lists our "
    "choices and the source of each function. A run asks one question less than it has samples. A method that has a rule for "
    "its initial design follows it; for the others the initial design is a third of the samples, rounded up, as in the paper."
)
PAPER_FIGURES = (
    ("ten-idw", ("glisp", "pbo"), "RBF+IDW and PBO: the paper's figure of both"),
    ("ten-pi", ("glisp-pi", "pbo"), "RBF+PI and PBO: the paper's figure of both"),
)
RIVALS = ("posterior", "glisp", "glis", "glis-pi", "botorch-lognei", "botorch-eubo", "optuna", "random")
HOW = "Median (line) and best and worst run (band) against the number of preferences; dotted where active learning begins."


def write(runs: Sequence[Run]) -> Section:
    """The figures of the paper, the same with the peers, and the tables."""
    blocks: list[Block] = [ABOUT, _choices()]
    if runs:
        for name, methods, caption in PAPER_FIGURES:
            drawing = figures.bands(runs, methods, methods)
            blocks.append(Figure(name, drawing, f"{caption}. {HOW}"))
        drawing = figures.bands(runs, RIVALS, ("posterior",))
        blocks.append(Figure("ten-peers", drawing, f"posterior, RBF+IDW and the peers. {HOW} The band is posterior's."))
        blocks.append(
            tables.medians_table(
                runs, "Median regret after the last question; the best of at least three seeds is bold"
            )
        )
        for reference, floor in (("glis", FLOOR), ("pbo", FLOOR), ("optuna", FLOOR), ("glis", DIGITS)):
            caption = f"Ratio to {tables.label(reference)}, geometric mean over the functions; below 1 is better"
            caption += "" if floor == FLOOR else "; digits: regrets down to a millionth of the range count"
            table = tables.ratio_table(runs, reference, caption, floor)
            blocks += [table] if table else []
        caption = "posterior against the peer of lowest median on each function; below 1 posterior is better"
        duels = tables.duels_table(runs, "posterior", caption)
        blocks += [duels] if duels.rows else []
        blocks.append(tables.spread_table(runs, "Median, quartiles and worst of every method on every function"))
    return Section(TITLE, tuple(blocks))


def _choices() -> Table:
    rows = []
    for problem in SETS["ten"]:
        sides = list(dict.fromkeys(zip(problem.lower, problem.upper, strict=True)))
        box = " × ".join(f"[{low:g}, {high:g}]" for low, high in sides)
        power = f", {problem.dimension} times" if len(sides) == 1 else ""
        facts = [str(problem.dimension), box + power, str(problem.samples), f"{problem.minimum:.6g}", problem.source]
        rows.append([problem.name, *facts])
    header = ["problem", "variables", "box", "samples", "minimum", "source"]
    return Table(header, rows, "The ten functions: boxes and budgets, as we chose them", folded=True)


EXPERIMENT = Experiment("ten", TITLE, PARTS, write)

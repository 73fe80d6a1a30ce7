"""Section 7.1 of the paper: one run on a constrained function, drawn as its figures are, and many runs beside it."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.paper import figures, tables
from benchmarks.paper.document import Block, Figure, Section
from benchmarks.paper.plan import Experiment, Part
from benchmarks.problems import SASENA
from benchmarks.results import Run
from examples import sasena

TITLE = "Illustrative example"
OURS = ("glisp-paper", "glisp", "pbo", "posterior", "random")
GLIS = ("glis", "glis-unshrunk", "glis-pi", "glis-pi-unshrunk")
PARTS = (Part(("sasena",), dict.fromkeys((*OURS, *GLIS), 20)),)
SEED = 13
FAR = 1.0  # the box is 5 wide
SIDE = 32  # points along a side of a surface: enough to see, little enough for a page
CAPTIONS = {
    "samples": "The samples on the level sets of the latent function with the feasible domain; later ones are darker.",
    "progress": "The best latent value against the number of preferences; the line is where active learning begins.",
    "surfaces": "The latent function and the surrogate that one run learned, with the samples.",
}
ABOUT = (
    "The constrained function of Sasena, Papalambros and Goovaerts with the paper's settings: 25 samples, 8 of them initial, "
    "δ = 1, σ = 1, and ε = 1 at first, calibrated at 8, 12, 17 and 21 samples. The first three figures show one run "
    f"(seed {SEED}, `python examples/sasena.py`) that ends near the constrained minimum, as the paper's does; not all do: the last "
    "figure and the table show all runs of all methods. "
    "As in the paper, the samples gather around the constrained minimum although the surrogate does not look like the latent "
    "function: it is fitted to the answers only."
)


@cache
def one_run() -> Any:
    """The run that is drawn; the drawings are made anew, since one that is saved twice comes out differently."""
    return sasena.run(SEED)


def write(runs: Sequence[Run]) -> Section:
    """The paper's figures, then what is typical."""
    blocks: list[Block] = [ABOUT]
    blocks += [
        Figure(f"illustrative-{name}", figure, CAPTIONS[name])
        for name, figure in sasena.figures(one_run(), SIDE).items()
    ]
    if runs:
        blocks.append(wrong_parts(runs))
        methods = tables.in_order(run.method for run in runs)
        drawing = figures.bands(runs, methods, [m for m in ("posterior", "glisp") if m in methods], columns=1)
        blocks.append(
            Figure(
                "illustrative-runs", drawing, "Median regret against the number of preferences, best and worst shaded."
            )
        )
        blocks.append(tables.spread_table(runs, "Regret after the last of 24 preferences", folded=False))
    return Section(TITLE, tuple(blocks))


def astray(run: Run) -> bool:
    """Whether the recommendation lies in another part of the feasible set than the minimiser."""
    best = SASENA[0].minimizer
    assert best is not None
    return not run.recommended or bool(np.linalg.norm(np.array(run.recommended) - best) > FAR)


def wrong_parts(runs: Sequence[Run]) -> str:
    """How many runs of each method end in the wrong part of the feasible set."""
    counts = []
    for method in tables.in_order(run.method for run in runs):
        mine = [run for run in runs if run.method == method]
        counts.append(f"{tables.label(method)} {sum(map(astray, mine))} of {len(mine)}")
    return f"Runs that end in the wrong part of the feasible set, farther than {FAR:g} from the minimiser: {', '.join(counts)}."


EXPERIMENT = Experiment("illustrative", TITLE, PARTS, write)

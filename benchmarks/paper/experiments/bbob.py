"""The field's own suite: 24 functions, each turned and shifted by instance, which nobody here chose."""

from collections.abc import Sequence

import numpy as np

from benchmarks import blackbox, headline
from benchmarks.named import family_of, problem_named
from benchmarks.paper import figures, tables
from benchmarks.paper.document import Block, Figure, Section, Table
from benchmarks.paper.plan import Experiment, Part
from benchmarks.results import Run
from prefero.insight import plots

TITLE = "BBOB, the headline"
INSTANCES = 10
PROBLEMS = tuple(
    blackbox.name_of(function, dimension, instance)
    for instance in range(1, INSTANCES + 1)
    for dimension in blackbox.SAMPLES
    for function in blackbox.FUNCTIONS
)
QUICK = ("posterior", "glisp", "glisp-pi", "pbo", "random", "believer", "thompson", "glis", "glis-pi")
SLOW = ("botorch-lognei", "botorch-eubo", "botorch-eubo-pairs", "optuna", "optuna-gp", "botorch-logei")
SLOW_INSTANCES = {2: INSTANCES, 3: 3, 5: 3, 10: 1}
"""Methods that need torch take about a second a question: a night has time for this many instances by dimension."""


def _of_dimension(dimension: int) -> tuple[str, ...]:
    return tuple(name for name in PROBLEMS if f"-{dimension}d-" in name)


PARTS = (
    Part(PROBLEMS, dict.fromkeys(QUICK, INSTANCES)),
    *(Part(_of_dimension(n), dict.fromkeys(SLOW, count)) for n, count in SLOW_INSTANCES.items()),
)
ABOUT = (
    "The 24 functions of BBOB (package `ioh`), dimensions 2, 3, 5 and 10 with 30, 40, 60 and 80 samples, noise-free answers. A run "
    "asks one question less than it has samples. Regrets are parts of the function's range: the optimum is 0 and the median over "
    "the box is 1. Each instance has its own seed, the same for all methods.\n\n"
    "Instances 1 to 40 are for development, and these are the first of them: constants of *posterior* were chosen on some of "
    "them, and a rule of RBF+IDW was compared on some (docs/paper.md), which favours both. Nothing was chosen for the others.\n\n"
    "- RBF+IDW, RBF+PI and PBO are the proposers `glisp` and `pbo` with their defaults.\n"
    "- glis has the paper's settings: a third of the samples initial, δ = 2, σ one over the number of samples. Its own "
    "defaults are 2n initial samples and δ = 0.5.\n"
    "- BoTorch's methods begin with at most 2n + 2 Sobol samples, each compared with the best so far. Then LogNEI and EUBO ask "
    "about the best sample and a new one. EUBO with q = 2 asks about two new ones, as in BoTorch's tutorial, which begins with "
    "one random pair. All recommend the best sample by answers or, with q = 2, by posterior mean.\n"
    "- Optuna is the dashboard's PreferentialGPSampler with its defaults. Two trials are alive, the last winner and a new one; its "
    "tutorial shows four.\n"
    "- The hallucination believer is ours after Takeno et al. (2023), which Optuna's sampler follows, too. Thompson sampling "
    "is ours after Benavoli et al. (2021).\n"
    "- Methods that are *told numbers* learn the value of each sample, with as many samples: Optuna's GPSampler and BoTorch's "
    "LogEI with their defaults, which also allow for noise. They are not contestants.\n"
    "- Not here: GLISp-r (Previtali et al., 2023), of which we found neither a package nor a public repository. C-GLISp "
    "without unknown constraints is glis; docs/method.md compares with it where candidates fail.\n\n"
    "Not every method has every run. Compare shares only between methods with the same runs: the tables count them, the tables "
    "of common problems have equal ones, and ratios are over the runs of both. Numbers of answers are over all runs of a "
    "method, whose budgets differ by dimension. docs/method.md has *posterior* and RBF+IDW on 720 "
    "such problems, and with people who err."
)


def of_methods(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs of each method, by what the report calls it."""
    return {
        tables.label(method): [run for run in runs if run.method == method]
        for method in tables.in_order(run.method for run in runs)
    }


def judged(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """The runs of the methods with enough functions for an interval over functions, and what is left out."""
    few = {
        method: count
        for method in tables.in_order(run.method for run in runs)
        if (count := len({family_of(run.problem) for run in runs if run.method == method})) < tables.FEWEST_FUNCTIONS
    }
    return [run for run in runs if run.method not in few], [f"{tables.label(m)} ({n})" for m, n in few.items()]


def write(runs: Sequence[Run]) -> Section:
    """Shares first, then ratios, digits last."""
    blocks: list[Block] = [ABOUT]
    runs, few = judged(runs)
    blocks += [f"Too few functions for a place in the tables: {'; '.join(few)}."] if few else []
    if runs:
        by_method = of_methods(runs)
        reference = tables.label("posterior") if tables.label("posterior") in by_method else next(iter(by_method))
        for number, grid in enumerate(headline.grids(by_method, reference)):
            blocks.append(Table(grid.header, grid.rows, grid.caption))
            if number == 0:
                blocks += [*_on_common_cases(runs), _profile(runs)]
    return Section(TITLE, tuple(blocks))


def _on_common_cases(runs: Sequence[Run]) -> list[Table]:
    """Shares of each group of methods on the runs that all of the group have: with fewer runs, easier problems may be left."""
    methods = tables.in_order(run.method for run in runs)
    counts = {method: sum(run.method == method for run in runs) for method in methods}
    found = []
    for fewest in sorted(set(counts.values()), reverse=True)[1:]:
        group = [method for method in methods if counts[method] >= fewest]
        same = headline.same_cases(runs, group)
        if len(group) > 1 and len({family_of(run.problem) for run in same}) >= tables.FEWEST_FUNCTIONS:
            grid = headline.shares(of_methods(same))
            words = ", ".join(f"{n}-D" for n in sorted({problem_named(run.problem).dimension for run in same}))
            caption = f"The same on the {len(same) // len(group)} problems that all of these have ({words})"
            found.append(Table(grid.header, grid.rows, caption))
    return found


def alike(runs: Sequence[Run]) -> list[Run]:
    """The runs on the problems that all methods have; where those are few, of the methods with most runs on what they have."""
    methods = tables.in_order(run.method for run in runs)
    counts = {method: sum(run.method == method for run in runs) for method in methods}
    for fewest in sorted(set(counts.values())):
        same = headline.same_cases(runs, [method for method in methods if counts[method] >= fewest])
        if len({family_of(run.problem) for run in same}) >= tables.FEWEST_FUNCTIONS:
            return same
    return list(runs)


def _profile(runs: Sequence[Run]) -> Figure:
    same = alike(runs)
    methods = tables.in_order(run.method for run in same)
    width, height = figures.PANEL
    figure, panels = figures.new(1, 2, (width, height + 0.22 * (len(methods) // 4)))  # room for a long legend
    for axes, part in zip(panels, (headline.NEAR, headline.NEARER), strict=True):
        counts = {m: np.array([headline.needed(run, part) for run in same if run.method == m]) for m in methods}
        figures.staircases(axes, counts)
        plots.labelled(axes, "answers", f"share of runs within {100 * part:g} %")
    figures.shared_legend(figure, panels)
    caption = (
        "The share of runs that are within 5 % (left) and 1 % (right) of the range for good after so many answers, on the "
        f"{len({headline.case_of(run) for run in same})} problems that all methods of the figure have."
    )
    return Figure("bbob-profile", figure, caption)


EXPERIMENT = Experiment("bbob", TITLE, PARTS, write)

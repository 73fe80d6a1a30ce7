"""One sentence for each claim, ours or the paper's, written from the numbers alone."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks import blackbox, headline, summary
from benchmarks.methods import ABLATIONS
from benchmarks.named import family_of, problem_named
from benchmarks.paper.experiments import illustrative
from benchmarks.paper.tables import (
    ENOUGH,
    FEWEST_FUNCTIONS,
    FEWEST_SEEDS,
    duels,
    in_order,
    label,
    mean_of_medians,
)
from benchmarks.problems import SETS
from benchmarks.report import Results
from benchmarks.results import OK, Run
from benchmarks.summary import Estimate, interval, number

PAPER_METHODS = ("glisp", "glisp-pi")
CLOSE = 1.05  # "within 5 % of the best"
TEN = tuple(problem.name for problem in SETS["ten"])


def verdicts(runs: Sequence[Run]) -> list[str]:
    """One sentence for each claim that the runs can judge, and one that names those for which they are too few."""
    ten = [run for run in runs if run.problem in TEN and run.noise == "none" and run.method not in ABLATIONS]
    bbob = [run for run in runs if blackbox.parts_of(run.problem) is not None and run.noise == "none"]
    sasena = [run for run in runs if run.problem == "sasena" and run.noise == "none"]
    return [
        *_shares(bbob),
        *_answers_needed(bbob),
        *_on_the_same(bbob),
        *_sasena(sasena),
        *_against_glis(ten),
        *_best_of_all(ten),
        *_against_best_peers(ten),
        *_against_pbo(ten),
        *_lighter(ten),
        *_too_few(ten),
    ]


def _of(runs: Sequence[Run], method: str) -> list[Run]:
    return [run for run in runs if run.method == method]


def functions_of(runs: Sequence[Run]) -> int:
    """The number of functions that these runs are on."""
    return len({family_of(run.problem) for run in runs})


def _shares(runs: Sequence[Run]) -> Iterator[str]:
    """The shares of the default, the paper's method and random search, on the problems that all of them have."""
    methods = [method for method in ("posterior", "glisp", "random") if _of(runs, method)]
    same = headline.same_cases(runs, methods)
    if functions_of(same) < FEWEST_FUNCTIONS:
        return
    for method in methods:
        mine = _of(same, method)
        near, nearer = (headline.percent(headline.share(mine, part)) for part in (headline.NEAR, headline.NEARER))
        yield (
            f"On BBOB, **{label(method)} ends within 5 % of the range in {near} of its runs** and within 1 % in {nearer} "
            f"({len(mine)} runs on {functions_of(mine)} functions)."
        )


def _answers_needed(runs: Sequence[Run]) -> Iterator[str]:
    """By dimension, since budgets differ."""
    mine, said = _of(runs, "posterior"), []
    for dimension in sorted({problem_named(run.problem).dimension for run in mine}):
        some = [run for run in mine if problem_named(run.problem).dimension == dimension]
        half = float(np.quantile([headline.needed(run, headline.NEAR) for run in some], 0.5, method="lower"))
        if np.isfinite(half) and functions_of(some) >= FEWEST_FUNCTIONS:
            said.append(f"{half:.0f} of {len(some[0].regrets)} answers in {dimension}-D")
    if said:
        yield f"Half of the runs of posterior on BBOB are within 5 % for good after {', '.join(said)}."


def _on_the_same(runs: Sequence[Run]) -> Iterator[str]:
    """The default against every other method on the problems of both, with equal questions and with equal samples."""
    ours, few = _of(runs, "posterior"), []
    for method in in_order(run.method for run in runs):
        theirs = headline.common(_of(runs, method), ours)
        if method == "posterior" or not theirs:
            continue
        if functions_of(theirs) < FEWEST_FUNCTIONS:
            few.append(f"{label(method)} ({functions_of(theirs)})")
            continue
        questions = headline.ratio(ours, theirs)
        claim, said = f"{_word(questions)} {label(method)}", f"is {interval(questions)} at equal questions"
        if headline.counted(theirs) and headline.counted(headline.common(ours, theirs)):
            samples = headline.ratio(ours, theirs, equal_samples=True)
            said += f" and {interval(samples)} at equal samples"
            if _word(samples) != _word(questions):
                claim += f" at equal questions and {_word(samples)} it at equal samples"
        yield (
            f"On the {len(theirs)} BBOB problems ({functions_of(theirs)} functions) that both have, **posterior is {claim}**: the "
            f"ratio of regrets {said}."
        )
    if few:
        yield f"BBOB functions that posterior shares with these are too few to judge: {'; '.join(few)}."


def _word(estimate: Estimate) -> str:
    return "better than" if estimate.high < 1 else "worse than" if estimate.low > 1 else "not told apart from"


def _sasena(runs: Sequence[Run]) -> Iterator[str]:
    enough = [run for run in runs if len(_of(runs, run.method)) >= ENOUGH]
    if enough:
        yield f"Sasena's function with the paper's 25 samples, 8 of them initial. {illustrative.wrong_parts(enough)}"


PAIRS = (("glisp", "glis"), ("glisp-pi", "glis-pi"), ("posterior", "glis"), ("posterior", "optuna"))


def _against_glis(runs: Sequence[Run]) -> Iterator[str]:
    for ours, theirs in PAIRS:
        estimate = _judged(runs, ours, theirs)
        if estimate is not None:
            yield (
                f"**{label(ours)} is {_comparison(estimate)} than {label(theirs)}** {_basis(runs, ours, theirs)}: the "
                f"ratio of median regrets, geometric mean, is {interval(estimate)}."
            )


def _judged(runs: Sequence[Run], ours: str, theirs: str) -> Estimate | None:
    """The ratio of median regrets; None where seeds are too few for an interval."""
    estimate = mean_of_medians(runs, ours, theirs)
    return None if estimate is None or np.isnan(estimate.low) else estimate


def _too_few(runs: Sequence[Run]) -> Iterator[str]:
    """The comparisons on the ten functions that have runs and no sentence."""
    pairs = (*PAIRS, *((ours, "pbo") for ours in PAPER_METHODS))
    few = [
        f"{label(ours)} and {label(theirs)}"
        for ours, theirs in pairs
        if Results(runs).common(ours, theirs) and _judged(runs, ours, theirs) is None
    ]
    if few:
        yield f"On the ten functions fewer than {FEWEST_SEEDS} seeds are too few to compare: {'; '.join(few)}."


def _comparison(estimate: Estimate) -> str:
    """The comparison that the interval supports; without an interval nothing is proven."""
    if estimate.high < 1:
        return "better"
    return "worse" if estimate.low > 1 else "not proven better"


def _basis(runs: Sequence[Run], *methods: str) -> str:
    """The functions and seeds behind a sentence."""
    results = Results(runs)
    cells = [[results.cell(problem, method) for method in methods] for problem in results.problems]
    both = [[len(cell.runs) for cell in row if cell] for row in cells if all(row)]
    few = _few(min(min(counts) for counts in both))
    return f"on {f'{len(both)} of ' if len(both) < len(TEN) else ''}the ten functions{few}"


def _few(fewest: int) -> str:
    return f", with as few as {fewest} seeds" if fewest < ENOUGH else ""


def _fewest(runs: Sequence[Run], method: str) -> int:
    """The fewest seeds that a method has on a function."""
    results = Results(runs)
    cells = [cell for problem in results.problems if (cell := results.cell(problem, method))]
    return min((len(cell.runs) for cell in cells), default=0)


def _best_of_all(runs: Sequence[Run]) -> Iterator[str]:
    results = Results(runs)
    close, judged, lost = 0, 0, []
    for problem in results.problems:
        cells = {m: cell for m in results.methods if (cell := results.cell(problem, m))}
        medians = {m: cell.median for m, cell in cells.items() if len(cell.runs) >= FEWEST_SEEDS}
        if "posterior" in medians and len(medians) > 1:
            judged += 1
            best = min(medians, key=lambda method: medians[method])
            if medians["posterior"] <= CLOSE * medians[best]:
                close += 1
            else:
                lost.append(f"{problem} ({label(best)})")
    if judged:
        others = f"; another median is lower on {', '.join(lost)}" if lost else ""
        yield (
            f"**posterior has the best median, or one within 5 % of it, on {close} of {judged} functions**"
            f"{_few(_fewest(runs, 'posterior'))}{others}."
        )


def _against_best_peers(runs: Sequence[Run]) -> Iterator[str]:
    fought = [duel for duel in duels(runs, "posterior") if duel.pairs >= FEWEST_SEEDS]
    if fought:
        better, proven = sum(duel.median < 1 for duel in fought), sum(duel.proven for duel in fought)
        worst = max(fought, key=lambda duel: duel.median)
        yield (
            f"**posterior has a better median than the best peer on {better} of {len(fought)} functions**"
            f"{_few(min(duel.pairs for duel in fought))}. The interval of the "
            f"paired ratio lies below 1 on {proven}. Its largest ratio of medians is {number(worst.median)}, on "
            f"{worst.problem} against {label(worst.peer)}."
        )


def _against_pbo(runs: Sequence[Run]) -> Iterator[str]:
    for ours in PAPER_METHODS:
        estimate = _judged(runs, ours, "pbo")
        if estimate is not None:
            yield (
                f"The paper's claim that {label(ours)} approaches the minimum better than PBO **{_holds(estimate)}** "
                f"{_basis(runs, ours, 'pbo')}: the ratio of median regrets is {interval(estimate)}."
            )


def _holds(estimate: Estimate) -> str:
    return "holds" if estimate.high < 1 else "fails" if estimate.low > 1 else "is not settled"


def _lighter(runs: Sequence[Run]) -> Iterator[str]:
    for ours in PAPER_METHODS:
        common = Results(runs).common(ours, "pbo")
        logs = [np.log(cpu(a.runs) / cpu(b.runs)) for _, a, b in common]
        known = [np.array([value]) for value in logs if np.isfinite(value)]
        if known and _judged(runs, ours, "pbo") is not None:
            mean = summary.grouped_mean(known)
            ratio = Estimate(*(float(np.exp(value)) for value in (mean.value, mean.low, mean.high)))
            lighter = sum(value[0] < 0 for value in known)
            yield (
                f"The paper's claim that {label(ours)} is lighter than PBO **{_holds(ratio)}** {_basis(runs, ours, 'pbo')}: "
                f"less CPU time on {lighter} of {len(known)} functions, {interval(ratio)} of PBO's in the geometric mean."
            )


def cpu(runs: Sequence[Run]) -> float:
    """The mean CPU seconds of a run that was finished; NaN if none was."""
    seconds = [sum(run.seconds) for run in runs if run.status == OK]
    return float(np.mean(seconds)) if seconds else float("nan")

"""One sentence for each claim, ours or the paper's, written from the numbers alone."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks import blackbox, headline
from benchmarks.methods import ABLATIONS
from benchmarks.named import family_of
from benchmarks.paper.experiments import illustrative
from benchmarks.paper.tables import FEWEST_SEEDS, duels, in_order, label, mean_of_medians
from benchmarks.problems import SETS
from benchmarks.report import Results
from benchmarks.results import OK, Run
from benchmarks.summary import Estimate, interval, number

ENOUGH = 10  # seeds; where there are fewer, the sentence says so
CLOSE = 1.05  # "within 5 % of the best"
TEN = tuple(problem.name for problem in SETS["ten"])


def verdicts(runs: Sequence[Run]) -> list[str]:
    """One sentence for each claim that the runs can judge."""
    ten = [run for run in runs if run.problem in TEN and run.noise == "none" and run.method not in ABLATIONS]
    bbob = [run for run in runs if blackbox.parts_of(run.problem) is not None and run.noise == "none"]
    sasena = [run for run in runs if run.problem == "sasena" and run.noise == "none"]
    first = [*_shares(bbob), *_answers_needed(bbob), *_on_the_same(bbob), *_sasena(sasena)]
    return [
        *first,
        *_against_glis(ten),
        *_best_of_all(ten),
        *_against_best_peers(ten),
        *_against_pbo(ten),
        *_lighter(ten),
    ]


def _of(runs: Sequence[Run], method: str) -> list[Run]:
    return [run for run in runs if run.method == method]


def _shares(runs: Sequence[Run]) -> Iterator[str]:
    for method in ("posterior", "glisp", "random"):
        mine = _of(runs, method)
        if mine:
            near, nearer = (headline.percent(headline.share(mine, part)) for part in (headline.NEAR, headline.NEARER))
            yield (
                f"On BBOB, **{label(method)} ends within 5 % of the range in {near} of its runs** and within 1 % in {nearer} "
                f"({len(mine)} runs on {len({family_of(run.problem) for run in mine})} functions)."
            )


def _answers_needed(runs: Sequence[Run]) -> Iterator[str]:
    mine = _of(runs, "posterior")
    if mine:
        half = float(np.quantile([headline.needed(run, headline.NEAR) for run in mine], 0.5, method="lower"))
        if np.isfinite(half):
            yield f"Half of the runs of posterior on BBOB are within 5 % for good after {half:.0f} answers."


def _on_the_same(runs: Sequence[Run]) -> Iterator[str]:
    """The default against every other method on the problems of both."""
    ours = _of(runs, "posterior")
    for method in in_order(run.method for run in runs):
        theirs = headline.common(_of(runs, method), ours)
        if method == "posterior" or not theirs or not ours:
            continue
        estimate = headline.ratio(ours, theirs)
        word = "better than" if estimate.high < 1 else "worse than" if estimate.low > 1 else "not told apart from"
        families = len({family_of(run.problem) for run in theirs})
        yield (
            f"On the {len(theirs)} BBOB problems ({families} functions) that both have, **posterior is {word} {label(method)}**: "
            f"the ratio of regrets is {interval(estimate)}."
        )


def _sasena(runs: Sequence[Run]) -> Iterator[str]:
    if runs:
        yield f"Sasena's function with the paper's 25 samples, 8 of them initial. {illustrative.wrong_parts(runs)}"


def _against_glis(runs: Sequence[Run]) -> Iterator[str]:
    for ours, theirs in (("glisp", "glis"), ("glisp-pi", "glis-pi"), ("posterior", "glis"), ("posterior", "optuna")):
        estimate = mean_of_medians(runs, ours, theirs)
        if estimate is not None:
            yield (
                f"**{label(ours)} is {_comparison(estimate)} than {label(theirs)}** {_basis(runs, ours, theirs)}: the "
                f"ratio of median regrets, geometric mean, is {interval(estimate)}."
            )


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
    return f", with at least {fewest} seed{'s' if fewest > 1 else ''}" if fewest < ENOUGH else ""


def _fewest(runs: Sequence[Run], method: str) -> int:
    """The fewest seeds that a method has on a function."""
    results = Results(runs)
    cells = [cell for problem in results.problems if (cell := results.cell(problem, method))]
    return min((len(cell.runs) for cell in cells), default=0)


def _best_of_all(runs: Sequence[Run]) -> Iterator[str]:
    results = Results(runs)
    close, judged, lost = 0, 0, []
    for problem in results.problems:
        medians = results.medians(problem)
        if "posterior" in medians and len(medians) > 1:
            judged += 1
            best = min(medians, key=lambda method: medians[method])
            if medians["posterior"] <= CLOSE * medians[best]:
                close += 1
            else:
                lost.append(f"{problem} ({label(best)})")
    fewest = _fewest(runs, "posterior")
    if judged and fewest >= FEWEST_SEEDS:  # the median of a run or two is no median
        others = f"; another median is lower on {', '.join(lost)}" if lost else ""
        yield (
            f"**posterior has the best median, or one within 5 % of it, on {close} of {judged} functions**"
            f"{_few(fewest)}{others}."
        )


def _against_best_peers(runs: Sequence[Run]) -> Iterator[str]:
    fought = duels(runs, "posterior")
    if fought:
        better, proven = sum(duel.median < 1 for duel in fought), sum(duel.proven for duel in fought)
        worst = max(fought, key=lambda duel: duel.median)
        yield (
            f"**posterior has a better median than the best peer on {better} of {len(fought)} functions**, with at least "
            f"{min(duel.pairs for duel in fought)} paired seeds. The interval of the "
            f"paired ratio lies below 1 on {proven}. Its largest ratio of medians is {number(worst.median)}, on "
            f"{worst.problem} against {label(worst.peer)}."
        )


def _against_pbo(runs: Sequence[Run]) -> Iterator[str]:
    for ours in ("glisp", "glisp-pi"):
        estimate = mean_of_medians(runs, ours, "pbo")
        if estimate is not None:
            holds = "holds" if estimate.high < 1 else "fails" if estimate.low > 1 else "is not settled"
            yield (
                f"The paper's claim that {label(ours)} approaches the minimum better than PBO **{holds}** "
                f"{_basis(runs, ours, 'pbo')}: the ratio of median regrets is {interval(estimate)}."
            )


def _lighter(runs: Sequence[Run]) -> Iterator[str]:
    for ours in ("glisp", "glisp-pi"):
        common = Results(runs).common(ours, "pbo")
        if common:
            seconds = [(cpu(a.runs), cpu(b.runs)) for _, a, b in common]
            lighter = sum(a < b for a, b in seconds)
            ratio = float(np.exp(np.nanmean([np.log(a / b) for a, b in seconds])))
            holds = "holds" if lighter > len(common) / 2 and ratio < 1 else "fails"
            if min(len(cell.runs) for pair in common for cell in pair[1:]) < FEWEST_SEEDS:
                holds = "is not settled"
            yield (
                f"The paper's claim that {label(ours)} is lighter than PBO **{holds}** {_basis(runs, ours, 'pbo')}: "
                f"less CPU time on {lighter} of {len(common)} functions, {ratio:.2f} of PBO's in the geometric mean."
            )


def cpu(runs: Sequence[Run]) -> float:
    """The mean CPU seconds of a run that was finished; NaN if none was."""
    seconds = [sum(run.seconds) for run in runs if run.status == OK]
    return float(np.mean(seconds)) if seconds else float("nan")

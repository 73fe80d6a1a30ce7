"""Do the stated chances come true? `python -m benchmarks.reliability` asks simulated people with random tastes.

Each person has a smooth random surface in mind that nobody tuned to. At several moments of a study the stated chances are
written down: that one candidate beats another (pairs from all over the space, and pairs of the recommendation with what is
near it), and that the recommendation is the best candidate seen, or as good. Then the surface tells what is true.

Kinds of people: exact; flip:0.1, who say the opposite of what they mean in a tenth of their answers; logistic:0.05, who see
differences through noise of 5 % of the range (median minus least value) and never say "same"; a data set of
`benchmarks.choices`, whose people are drawn from the population fitted to it and have its noise.
"""

import argparse
import itertools
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

import prefero as pf
from benchmarks import bbob, choices, people, populations, surfaces
from benchmarks.compare import UsageError
from benchmarks.functions import Array
from benchmarks.progress import Progress
from benchmarks.workers import side_by_side
from prefero.answers import as_preference
from prefero.models import advice as insight

Cases: TypeAlias = list[tuple[float, bool]]  # what was stated, and whether it came true

KEY = 7000  # of the surfaces, away from those of the benchmark
PAIRS, NEAR = 40, 10
MOMENTS = (0.4, 0.6, 0.8, 1.0)
KINDS = ("exact", "flip:0.1", "logistic:0.02", "logistic:0.05", "logistic:0.1", *choices.READERS)
RANGE_POINTS = 2048
ENOUGH = 1000


@dataclass
class Statements:
    """Stated chances and whether they came true, by kind."""

    far: Cases = field(default_factory=list)
    near: Cases = field(default_factory=list)
    best: Cases = field(default_factory=list)

    def add(self, other: "Statements") -> None:
        """Take another run's statements."""
        for name in vars(self):
            getattr(self, name).extend(getattr(other, name))


@dataclass(frozen=True)
class Decile:
    """The statements between two chances: how many, their mean, and the share that came true."""

    low: float
    high: float
    count: int
    stated: float
    true: float


def deciles(cases: Cases) -> list[Decile]:
    """The statements by tenths of the stated chance, empty ones left out."""
    stated, true = (np.array([case[k] for case in cases], dtype=float) for k in (0, 1))
    bins = np.minimum((stated * 10).astype(int), 9)
    rows = []
    for k in range(10):
        inside = bins == k
        if inside.any():
            means = float(stated[inside].mean()), float(true[inside].mean())
            rows.append(Decile(k / 10, (k + 1) / 10, int(inside.sum()), *means))
    return rows


def surface_of(seed: int) -> tuple[surfaces.Function, int]:
    """A random taste and its number of variables."""
    dimension = 1 + seed % 5
    if seed % 2:
        return surfaces.bumps(dimension, KEY + seed), dimension
    return surfaces.waves(dimension, KEY + seed, 0.4 + 0.1 * dimension), dimension


def taste_of(kind: str, seed: int) -> tuple[people.Latent, int]:
    """The person's taste, lower is better, and its number of variables."""
    if kind in choices.READERS:
        w = populations.weights_of(kind, seed)
        return (lambda x: -float(np.asarray(x, dtype=float) @ w)), len(w)
    function, dimension = surface_of(seed)
    return (lambda x: float(function(np.asarray(x, dtype=float)))), dimension


def person_of(kind: str, f: people.Latent, dimension: int, rng: np.random.Generator) -> people.Person:
    """Who answers."""
    if kind in choices.READERS:
        return people.logistic(f, 1.0, 0.0, rng)
    noise = bbob.parse_noise(kind)
    if noise.kind == "flips":
        return people.flips(f, noise.amount, rng)
    values = (
        [f(x) for x in np.random.default_rng(KEY).uniform(-1, 1, (RANGE_POINTS, dimension))] if noise.amount else []
    )
    return (
        people.logistic(f, noise.amount * float(np.median(values) - min(values)), 0.0, rng)
        if values
        else people.exact(f)
    )


def one_person(seed: int, kind: str) -> Statements:
    """One study, and what was stated in its course."""
    f, dimension = taste_of(kind, seed)
    rng = np.random.default_rng([KEY, seed])
    prefer = person_of(kind, f, dimension, rng)
    comparisons = 10 + 8 * dimension
    study = pf.Study(
        pf.Space.box([-1] * dimension, [1] * dimension), comparisons=comparisons, seed=seed, proposer="posterior"
    )
    moments = {round(part * comparisons) for part in MOMENTS}
    said = Statements()
    for answered in range(1, comparisons + 1):
        question = study.ask()
        study.tell(question, as_preference(prefer(_vector(question.a), _vector(question.b))))
        if answered in moments:
            _write_down(study, f, said, rng)
    return said


def _write_down(study: pf.Study, f: people.Latent, said: Statements, rng: np.random.Generator) -> None:
    best = study.best
    assert best is not None
    x = _vector(best)
    seen = study.history.points[np.unique(study.history.pairs)]
    values = [f(s) for s in seen]
    alike = insight.INDIFFERENCE * (max(values) - min(values))
    said.best.append((study.learned.advice().probability_best, bool(f(x) <= min(values) + alike)))
    A, B = rng.uniform(-1, 1, (2, PAIRS, len(x)))
    said.far.extend(_stated(study, f, A, B))
    steps = 10 ** rng.uniform(-2, -0.3, (NEAR, 1)) * rng.standard_normal((NEAR, len(x)))
    near, here = np.clip(x + steps, -1, 1), np.tile(x, (NEAR, 1))
    swap = rng.random((NEAR, 1)) < 0.5  # else most would be of one side
    said.near.extend(_stated(study, f, np.where(swap, near, here), np.where(swap, here, near)))


def _stated(study: pf.Study, f: people.Latent, A: Array, B: Array) -> Cases:
    different = (A != B).any(axis=1)  # in a corner, what is near may be the same
    return [
        (study.learned.probability(a, b), bool(f(a) < f(b))) for a, b in zip(A[different], B[different], strict=True)
    ]


def _vector(candidate: pf.Candidate) -> Array:
    return np.array(list(candidate.values()), dtype=float)


def collect(people_count: int, kind: str, jobs: int) -> Statements:
    """The statements of all studies."""
    said, progress = Statements(), Progress(people_count)
    for one in side_by_side(one_person, ((seed, kind) for seed in range(people_count)), jobs):
        said.add(one)
        progress.advance("studies")
    progress.close()
    return said


TITLES = {
    "far": "one candidate beats another, anywhere",
    "near": "the recommendation and what is near it",
    "best": "the recommendation is the best seen, or as good",
}


def table(said: Statements) -> str:
    """The deciles of each kind, as text; a mark where a decile with enough cases is more than five points off."""
    lines = []
    for name, title in TITLES.items():
        lines.append(f"{title}\n  stated      cases   mean stated   came true")
        for row in deciles(getattr(said, name)):
            off = abs(row.stated - row.true) > 0.05 and row.count >= ENOUGH
            lines.append(
                f"  {row.low:.0%} to {row.high:.0%}".ljust(14)
                + f"{row.count:5d}   {row.stated:11.1%}   {row.true:9.1%}{'   more than 5 points off' if off else ''}"
            )
    return "\n".join(lines)


def who(kind: str) -> str:
    """The people of a kind, in words."""
    if kind in choices.READERS:
        return f"people of the population of {kind}"
    noise = bbob.parse_noise(kind)
    if noise.kind == "flips":
        return f"people who err in {noise.amount:.0%} of their answers"
    return f"people with noise of {noise.amount:.0%} of the range" if noise.amount else "people who never err"


def draw(said: dict[str, Statements], path: Path) -> None:
    """The reliability plot: came true against stated, one panel a kind; a small dot is of fewer than a thousand statements."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.3), layout="constrained")
    panels = figure.subplots(1, len(TITLES))
    for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
        axes.fill_between([0, 1], [-0.05, 0.95], [0.05, 1.05], color="0.9", label="within 5 points")
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
        for (kind, statements), marker in zip(said.items(), itertools.cycle("oDs^vP*")):
            rows = deciles(getattr(statements, name))
            sizes = [8 + 40 * (row.count >= ENOUGH) for row in rows]
            dots = [row.stated for row in rows], [row.true for row in rows]
            axes.scatter(*dots, s=sizes, marker=marker, zorder=3, clip_on=False, label=who(kind))
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated chance", ylabel="share that came true")
        axes.set_title(textwrap.fill(title, 30), fontsize=10)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9
    )
    figure.savefig(path, dpi=120)


def main(argv: Sequence[str] | None = None) -> int:
    """Ask, print, draw."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=(__doc__ or "").splitlines()[0])
    p.add_argument("--people", type=int, default=500, help="simulated people of each kind, one study each (500)")
    p.add_argument("--kinds", nargs="+", default=list(KINDS), help=f"kinds of people ({' '.join(KINDS)})")
    p.add_argument("--jobs", type=int, default=2, help="studies side by side (2)")
    p.add_argument("--plot", type=Path, help="where to draw the reliability plot")
    arguments = p.parse_args(argv)
    try:
        if arguments.people < 1 or arguments.jobs < 1:
            raise UsageError("--people and --jobs must be at least 1")
        for kind in arguments.kinds:
            who(kind)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    said = {}
    for kind in arguments.kinds:
        said[kind] = collect(arguments.people, kind, arguments.jobs)
        print(f"{arguments.people} {who(kind)}\n\n{table(said[kind])}\n", flush=True)
    if arguments.plot is not None:
        draw(said, arguments.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())

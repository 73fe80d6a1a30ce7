"""Predict answers of real people that were held out: `python -m benchmarks.real_answers`.

A random third of each person's choices is predicted from the rest. A choice among several alternatives is read as pairs, chosen
and other; whole choices are held out. Candidates are scaled to the smallest box around what the person was shown.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import prefero as pf
from benchmarks import choices, logit, provenance, suite
from benchmarks.choices import Person
from benchmarks.compare import UsageError, check_names
from benchmarks.functions import Array
from benchmarks.paired import aligned
from benchmarks.progress import Progress
from benchmarks.workers import side_by_side

Split: TypeAlias = tuple[list[int], list[int]]  # choices to learn from, and choices to predict

LOGITS = ("ridge", "shrunk")
"""A ridge logit for each person, and one that is shrunk to the other people's weights."""
POPULATION = "population"
"""The default, told what the other people of the data set chose."""
MODELS = ("default", "linear", POPULATION, *LOGITS)
MOST_OTHERS = 100  # people that it is told about, the same ones for everybody
HELD_OUT = 3  # one of so many choices
LEAST = 1e-12  # a probability counts as at least this


def split(person: Person, number: int) -> Split:
    """A random third of the person's choices, drawn afresh for each split."""
    seed = [number, *person.name.encode()]
    order = np.random.default_rng(seed).permutation(len(person.choices)).tolist()
    held = len(order) // HELD_OUT
    return sorted(order[held:]), sorted(order[:held])


def model_of(name: str) -> pf.Posterior | None:
    """The settings that `pf.learn` gets: default, linear, or posterior:{settings}; raises UsageError."""
    if name in ("default", "posterior"):
        return None
    text = 'posterior:{"linear": true}' if name == "linear" else name
    if not text.startswith("posterior:"):
        raise UsageError(f"unknown model {name}: allowed are {', '.join(MODELS)} and posterior:{{settings}}")
    return pf.Posterior(**suite.method_of(text).options["settings"])


def predicted(name: str, person: Person, number: int) -> Array:
    """The probabilities that prefero gives to what the person said in the choices that were held out."""
    known, held = split(person, number)
    varying = person.varying
    lower, upper = (side[varying] for side in person.box)
    pairs = person.pairs(known)
    shown, rows = np.unique(np.array(pairs)[:, :, varying].reshape(-1, varying.sum()), axis=0, return_inverse=True)
    learned = pf.learn(shown, rows.reshape(-1, 2), space=pf.Space.box(lower, upper), model=model_of(name))
    said = [learned.predict(chosen[varying], other[varying]) for chosen, other in person.pairs(held)]
    return np.array(said, dtype=float)


def told(person: Person, choices_of: Sequence[int]) -> tuple[Array, NDArray[np.intp]]:
    """What a person chose, as samples in the person's own box [-1, 1]ⁿ and pairs of a winner and a loser."""
    pairs = np.array([[person.scaled(side) for side in pair] for pair in person.pairs(choices_of)])
    shown, rows = np.unique(pairs.reshape(-1, pairs.shape[-1]), axis=0, return_inverse=True)
    return shown, rows.reshape(-1, 2)


def with_population(people: Sequence[Person], number: int) -> Iterator[tuple[str, Array]]:
    """The probabilities of the default that knows what other people said in the choices that were not held out."""
    known = {person.name: told(person, split(person, number)[0]) for person in people}
    for person in people:
        others = [known[other.name] for other in people if other is not person][:MOST_OTHERS]
        box = np.ones(known[person.name][0].shape[1])
        learned = pf.learn(*known[person.name], space=(-box, box), others=others)
        held = person.pairs(split(person, number)[1])
        yield person.name, np.array([learned.predict(person.scaled(a), person.scaled(b)) for a, b in held], dtype=float)


def work(name: str, person: Person, number: int) -> tuple[str, str, int, Array]:
    """A prediction and where it belongs: what a process computes."""
    return name, person.name, number, predicted(name, person, number)


def logits(name: str, people: Sequence[Person], number: int) -> dict[str, Array]:
    """The same for a logit, by person; the population is that of all other people's known choices."""
    splits = [split(person, number) for person in people]
    D = [person.differences(known) for person, (known, _) in zip(people, splits, strict=True)]
    moments = logit.mixed(D) if name == "shrunk" else None
    prior = logit.ridge_by_prediction(D) if name == "ridge" else None
    found = {}
    for k, (person, (_, held)) in enumerate(zip(people, splits, strict=True)):
        own = moments.population(without=k) if moments is not None else prior
        assert own is not None
        weights = logit.fit(D[k], own)
        pairs = [person.scaled(chosen) - person.scaled(other) for chosen, other in person.pairs(held)]
        found[person.name] = weights.probabilities(np.array(pairs).reshape(-1, D[k].shape[-1]))
    return found


Predictions: TypeAlias = dict[str, dict[tuple[str, int], Array]]  # by model, then by person and split


def predict(models: Sequence[str], people: Sequence[Person], splits: int, jobs: int) -> Predictions:
    """All predictions."""
    found: Predictions = {name: {} for name in models}
    ours = [name for name in models if name not in (POPULATION, *LOGITS)]
    tasks = [(name, person, number) for number in range(splits) for person in people for name in ours]
    progress = Progress(len(tasks) + splits * (len(models) - len(ours)))
    for name, person, number, p in side_by_side(work, tasks, jobs) if tasks else ():
        found[name][person, number] = p
        progress.advance(name)
    for name in (name for name in models if name in (POPULATION, *LOGITS)):
        for number in range(splits):
            made = dict(with_population(people, number)) if name == POPULATION else logits(name, people, number)
            found[name] |= {(person, number): p for person, p in made.items()}
            progress.advance(name)
    progress.close()
    return found


@dataclass(frozen=True)
class Mean:
    """A mean over answers, and its standard error; answers of one person count as dependent."""

    value: float
    error: float


def clustered(scores: Sequence[Array]) -> Mean:
    """The mean of all scores; each array holds one person's."""
    totals, counts = np.array([s.sum() for s in scores]), np.array([len(s) for s in scores])
    mean = float(totals.sum() / counts.sum())
    error = float(np.sqrt(((totals - counts * mean) ** 2).sum()) / counts.sum())
    return Mean(mean, error)


def right(p: Array) -> Array:
    """One for an answer that was predicted, a half for one that was left open."""
    return np.where(p == 0.5, 0.5, p > 0.5)


def log_loss(p: Array) -> Array:
    """Minus the logarithm of the probability of what was said."""
    return np.asarray(-np.log(np.maximum(p, LEAST)))


def table(found: Predictions, against: str) -> list[list[str]]:
    """Right and log loss of each model, and the differences to the model `against`, below a header."""
    rows = [["model", "answers", "right", "log loss", "Δ right", "Δ log loss"]]
    for name, mine in found.items():
        scores = [(s, _by_person(s, mine), _by_person(s, found[against])) for s in (right, log_loss)]
        row = [name, str(sum(map(len, mine.values())))]
        row += [f"{clustered(ours).value:.3f}" for _, ours, _ in scores]
        for _, ours, theirs in scores:
            off = clustered([a - b for a, b in zip(ours, theirs, strict=True)])
            row.append("" if name == against else f"{off.value:+.3f} ± {off.error:.3f}")
        rows.append(row)
    return rows


def _by_person(score: Callable[[Array], Array], predictions: dict[tuple[str, int], Array]) -> list[Array]:
    people: dict[str, list[Array]] = {}
    for person, number in sorted(predictions):
        people.setdefault(person, []).append(score(predictions[person, number]))
    return [np.concatenate(scores) for scores in people.values()]


def report(arguments: argparse.Namespace) -> str:
    """Do what the command line says and return the tables."""
    models = arguments.models or list(MODELS)
    for name in models:
        if name not in (POPULATION, *LOGITS):
            model_of(name)
    check_names("data set", arguments.data, list(choices.READERS))
    if min(arguments.splits, arguments.jobs) < 1 or (arguments.people is not None and arguments.people < 2):
        raise UsageError("--splits and --jobs must be at least 1, --people at least 2")
    lines, kept = [], []
    for data in arguments.data:
        people = choices.people_of(data)[: arguments.people]
        found = predict(models, people, arguments.splits, arguments.jobs)
        caption, rows = f"{data}: {len(people)} people, {arguments.splits} splits", table(found, models[0])
        lines += [caption, *aligned(rows), ""]
        kept.append({"caption": caption, "rows": rows})
    if arguments.out is not None:
        source = {"commit": provenance.commit(), "dirty": provenance.dirty()}
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(
            json.dumps(source | {"against": models[0], "tables": kept}, indent=1), encoding="utf-8"
        )
    return "\n".join([*lines, f"Δ: difference to {models[0]} ± standard error over people.", ""])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.real_answers", description=(__doc__ or "").splitlines()[0])
    p.add_argument(
        "models", nargs="*", metavar="MODEL", help=f"{', '.join(MODELS)}, or posterior:{{settings}} (these five)"
    )
    p.add_argument("--data", nargs="+", default=list(choices.READERS), help=f"{', '.join(choices.READERS)} (all)")
    p.add_argument("--splits", type=int, default=3, help="random splits of every person's choices (3)")
    p.add_argument("--people", type=int, help="only the first so many people of a data set (all)")
    p.add_argument(
        "--out", type=Path, help="also write the tables for the report of `benchmarks.paper` (out/real_answers.json)"
    )
    p.add_argument("--jobs", type=int, default=2, help="processes side by side (2)")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 2 for an invalid command line; 130 if interrupted."""
    return suite.carry_out(report, parser().parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

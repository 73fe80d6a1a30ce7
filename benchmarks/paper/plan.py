"""What an experiment is: the runs it needs, as data, and a function that writes its section of the report.

A run is named by its key (method, problem, seed, noise). Experiments select runs, they do not own them: a run that two
of them need is made once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.methods import METHODS
from benchmarks.paper.document import Section
from benchmarks.problems import PROBLEMS
from benchmarks.results import Key, Run


@dataclass(frozen=True)
class Part:
    """A block of runs: every method on every problem with every kind of noise, so many seeds of each method."""

    problems: tuple[str, ...]
    seeds: Mapping[str, int]  # by method, in the order in which the report names them
    noises: tuple[str, ...] = ("none",)

    def needs(self) -> Iterator[Key]:
        """All runs, seed by seed and method beside method, so that a slow hour of the machine hits all alike."""
        for seed in range(max(self.seeds.values(), default=0)):
            for problem in self.problems:
                for noise in self.noises:
                    for method, count in self.seeds.items():
                        if seed < count:
                            yield method, problem, seed, noise


@dataclass(frozen=True)
class Experiment:
    """One experiment: `write` gets those of its runs that exist, in the order of the plan, be they few or none."""

    name: str
    title: str
    parts: tuple[Part, ...]
    write: Callable[[Sequence[Run]], Section]

    def needs(self) -> list[Key]:
        """The runs it needs, each once."""
        return list(dict.fromkeys(key for part in self.parts for key in part.needs()))

    def select(self, runs: Mapping[Key, Run]) -> list[Run]:
        """Those of its runs that exist."""
        return [runs[key] for key in self.needs() if key in runs]


@dataclass(frozen=True)
class Scale:
    """How much of the plan is carried out: None is all."""

    seeds: int | None = None
    peer_seeds: int | None = None
    methods: frozenset[str] | None = None
    problems: int | None = None  # of each part, the first
    noises: int | None = None  # of each part, the first
    samples: int | None = None  # no problem with a larger budget

    def cut(self, part: Part) -> Part:
        """What is left of a part."""
        seeds = {
            method: _least(count, self.peer_seeds if METHODS[method].is_peer else self.seeds)
            for method, count in part.seeds.items()
            if self.methods is None or method in self.methods
        }
        problems = [p for p in part.problems if self.samples is None or PROBLEMS[p].samples <= self.samples]
        return Part(tuple(problems[: self.problems]), seeds, part.noises[: self.noises])


LIGHT = frozenset({"glisp", "glisp-pi", "glisp-paper", "pbo", "posterior", "random", "glis"})

SCALES: dict[str, Scale] = {
    "full": Scale(),
    "quick": Scale(seeds=2, peer_seeds=1, methods=LIGHT, problems=10, samples=200),  # no peer that needs torch
    "toy": Scale(seeds=2, methods=frozenset({"glisp", "random"}), problems=1, noises=2, samples=60),
}


def scaled(experiments: Iterable[Experiment], scale: Scale) -> list[Experiment]:
    """The experiments with what is left of their parts."""
    return [Experiment(e.name, e.title, tuple(scale.cut(part) for part in e.parts), e.write) for e in experiments]


def all_keys(experiments: Iterable[Experiment]) -> list[Key]:
    """The runs of all, each once: ours first, which are quick, so that a campaign cut short shows most."""
    keys = dict.fromkeys(key for experiment in experiments for key in experiment.needs())
    return sorted(keys, key=lambda key: METHODS[key[0]].is_peer)


SECONDS = {"random": 0.0002, "glisp": 0.01, "glisp-pi": 0.01, "glisp-paper": 0.05, "pbo": 0.02, "posterior": 0.025}
PEER_SECONDS = {"glis": 0.16, "botorch": 1.0, "optuna": 1.0}
"""CPU seconds of a typical question, ours by name and the peers' by environment: for the progress bar and the plan only."""


def seconds_of(key: Key) -> float:
    """About how long a run takes on one core."""
    method, problem, _, _ = key
    environment = METHODS[method].environment
    typical = SECONDS.get(method, 0.02) if environment is None else PEER_SECONDS.get(environment, 1.0)
    return typical * PROBLEMS[problem].samples


def seeds_in_words(experiments: Iterable[Experiment]) -> list[tuple[str, str]]:
    """For every experiment, how many seeds each method gets."""
    lines = []
    for experiment in experiments:
        blocks = []
        for part in experiment.parts:
            if not part.problems:
                continue
            by_count: dict[int, list[str]] = {}
            for method, count in part.seeds.items():
                by_count.setdefault(count, []).append(method)
            blocks.append(", ".join(f"{count} for {' and '.join(names)}" for count, names in by_count.items()))
        lines.append((experiment.title, "; ".join(dict.fromkeys(block for block in blocks if block)) or "none"))
    return lines


def _least(count: int, most: int | None) -> int:
    return count if most is None else min(count, most)

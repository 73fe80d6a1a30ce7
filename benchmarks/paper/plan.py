"""What an experiment is: the runs it needs, as data, and a function that writes its section of the report.

A run is named by its key (method, problem, seed, noise). Experiments select runs, they do not own them: a run that two
of them need is made once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks import blackbox
from benchmarks.methods import ABLATIONS, METHODS
from benchmarks.named import problem_named
from benchmarks.paper.document import Section
from benchmarks.results import Key, Run
from benchmarks.summary import span


@dataclass(frozen=True)
class Part:
    """A block of runs: every method on every problem with every kind of noise, and the number of seeds of each method.

    A BBOB problem has one run of each method, with the problem's own seed; its instances stand for seeds, and so does their number.
    """

    problems: tuple[str, ...]
    seeds: Mapping[str, int]  # by method, in the order in which the report names them
    noises: tuple[str, ...] = ("none",)

    def needs(self) -> Iterator[Key]:
        """All runs, seed by seed and method beside method, so that a slow hour of the machine affects all methods alike."""
        for seed in range(max(self.seeds.values(), default=0)):
            for problem in self.problems:
                parts = blackbox.parts_of(problem)
                if parts is not None and parts[2] != seed + 1:
                    continue
                for noise in self.noises:
                    for method, count in self.seeds.items():
                        if seed < count:
                            yield method, problem, seed if parts is None else blackbox.seed_of(problem), noise


@dataclass(frozen=True)
class Experiment:
    """One experiment; `write` gets its existing runs, possibly none, in the order of the plan."""

    name: str
    title: str
    parts: tuple[Part, ...]
    write: Callable[[Sequence[Run]], Section]
    # Whether these runs, some of them of other experiments, make a section.
    shows: Callable[[Sequence[Run]], bool] = bool

    def needs(self) -> list[Key]:
        """The runs it needs, each once."""
        return list(dict.fromkeys(key for part in self.parts for key in part.needs()))

    def select(self, runs: Mapping[Key, Run]) -> list[Run]:
        """Those of its runs that exist."""
        return [runs[key] for key in self.needs() if key in runs]


@dataclass(frozen=True)
class Share:
    """How much of a part is carried out: None is all."""

    seeds: int | None = None
    methods: frozenset[str] | None = None
    problems: int | None = None  # the first
    noises: int | None = None  # the first
    samples: int | None = None  # no problem with a larger budget
    experiments: frozenset[str] | None = None  # of these alone
    every: int = 1  # with 3, every third problem: some of each class of BBOB

    def of(self, part: Part) -> Part:
        """What is left of a part."""
        seeds = {m: _least(count, self.seeds) for m, count in part.seeds.items() if _among(m, self.methods)}
        problems = [p for p in part.problems if self.samples is None or problem_named(p).samples <= self.samples]
        return Part(tuple(problems[: self.problems : self.every]), seeds, part.noises[: self.noises])


OURS = frozenset(name for name, method in METHODS.items() if not method.is_peer)

LIGHT = frozenset({"posterior", "glisp", "random"})
TORCH = frozenset({"optuna", "botorch-eubo", "optuna-gp", "botorch-logei"})
GLIS = frozenset({"glis", "glis-unshrunk", "glis-pi", "glis-pi-unshrunk"})
TEN = frozenset({"ten", "cpu", "questions"})  # sections about the same runs
PAPER = TEN | {"illustrative", "multiobjective", "classifier"}
BBOB = frozenset({"bbob"})

SCALES: dict[str, tuple[Share, ...]] = {
    "full": (Share(),),
    "quick": (  # no peer that needs torch
        Share(seeds=2, methods=OURS - set(ABLATIONS), problems=10, samples=200),
        Share(seeds=1, methods=frozenset(ABLATIONS), problems=5),
        Share(seeds=1, methods=frozenset({"glis"}), problems=10, samples=100),
    ),
    "evening": (  # an hour of one core, what matters most first: a little of everything, too few seeds to settle it
        Share(seeds=2, methods=LIGHT, samples=60, experiments=BBOB),
        Share(methods=OURS, experiments=frozenset({"illustrative"})),
        Share(seeds=3, methods=OURS, experiments=PAPER),
        Share(seeds=1, methods=frozenset({"glis", "glis-pi", "believer", "thompson"}), samples=30, experiments=BBOB),
        Share(seeds=10, methods=GLIS, experiments=frozenset({"illustrative"})),
        Share(seeds=1, methods=TORCH, samples=30, experiments=BBOB, every=3),
        Share(seeds=1, methods=TORCH, samples=30, experiments=BBOB),
        Share(seeds=1, methods=LIGHT, experiments=BBOB),
        Share(seeds=1, methods=frozenset({"glis"}), experiments=TEN),
        Share(seeds=4, methods=LIGHT, samples=60, experiments=BBOB),
        Share(seeds=2, methods=LIGHT | {"numbers"}, samples=200),
        Share(seeds=1, methods=frozenset({"posterior", "glisp"}), experiments=frozenset({"answers"})),
        Share(seeds=1, methods=frozenset({"glisp-pi", "pbo"}), experiments=BBOB),
        Share(seeds=1, methods=frozenset({"botorch-eubo-pairs", "botorch-lognei"}), samples=30, experiments=BBOB),
        Share(seeds=10, methods=LIGHT, experiments=BBOB),
    ),
    "toy": (Share(seeds=2, methods=frozenset({"glisp", "random"}), problems=1, noises=2, samples=60),),
}


def scaled(experiments: Iterable[Experiment], shares: Sequence[Share]) -> list[Experiment]:
    """The experiments with what the shares leave of their parts."""
    made = []
    for e in experiments:
        parts = tuple(share.of(part) for share in shares if _among(e.name, share.experiments) for part in e.parts)
        made.append(replace(e, parts=parts))
    return made


def in_turn(experiments: Sequence[Experiment], shares: Sequence[Share]) -> list[Key]:
    """The runs in the order in which they are made, share by share: a campaign that is stopped has what matters most."""
    return list(dict.fromkeys(key for share in shares for key in all_keys(scaled(experiments, [share]))))


def all_keys(experiments: Iterable[Experiment]) -> list[Key]:
    """The runs of all, each once: ours first, which are quick, then seed by seed, so that half a campaign shows it all."""
    keys = dict.fromkeys(key for experiment in experiments for key in experiment.needs())
    return sorted(keys, key=lambda key: (METHODS[key[0]].is_peer, round_of(key)))


def round_of(key: Key) -> int:
    """The seed; of a BBOB problem, the instance, counted from 0."""
    parts = blackbox.parts_of(key[1])
    return key[2] if parts is None else parts[2] - 1


SECONDS = {
    "random": 0.0002,
    "glisp": 0.01,
    "glisp-pi": 0.012,
    "glisp-paper": 0.06,
    "pbo": 0.02,
    "believer": 0.08,
    "thompson": 0.12,
    "optuna": 0.6,
    "optuna-gp": 0.15,
    "botorch-logei": 0.35,
}
PEER_SECONDS = {"glis": 0.15, "botorch": 0.8}
"""CPU seconds of a typical question, by name and for other peers by environment: for the progress bar and the plan only."""


def seconds_of(key: Key) -> float:
    """About how long a run takes on one core."""
    method, problem, _, _ = key
    typical = SECONDS.get(method) or PEER_SECONDS.get(METHODS[method].environment or "", 0.015)
    return typical * problem_named(problem).samples


def seeds_in_words(experiments: Iterable[Experiment]) -> list[tuple[str, str]]:
    """For every experiment, how many seeds each method gets on a problem, and on BBOB how many instances of a function."""
    lines = []
    for experiment in experiments:
        rounds: dict[str, dict[tuple[Any, ...], set[int]]] = {}
        for key in experiment.needs():
            parts = blackbox.parts_of(key[1])
            where = (key[1], key[3]) if parts is None else (*parts[:2], key[3])
            rounds.setdefault(key[0], {}).setdefault(where, set()).add(round_of(key))
        by_count: dict[str, list[str]] = {}
        for method, places in rounds.items():
            by_count.setdefault(span(len(found) for found in places.values()), []).append(method)
        said = ", ".join(f"{count} for {' and '.join(names)}" for count, names in by_count.items())
        lines.append((experiment.title, said or "none"))
    return lines


def _among(name: str, chosen: frozenset[str] | None) -> bool:
    return chosen is None or name in chosen


def _least(count: int, most: int | None) -> int:
    return count if most is None else min(count, most)

"""Race settings of the default proposer: `python -m benchmarks.tune` or `python -m benchmarks.tune settings.json`.

Settings race on the BBOB functions with odd numbers and some instances. The winner and the default are then reported on the even
functions and other instances, so that no setting is chosen on what is reported. Both halves have functions of all five classes.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import bbob, blackbox, paired, suite
from benchmarks.compare import UsageError
from benchmarks.results import Run

BASELINE = "default"
SETTINGS: dict[str, dict[str, Any]] = {
    "fewer first samples": {"initial_samples": 4},
    "noise 0.1": {"noise": 0.1},
    "noise 0.3": {"noise": 0.3},
}
"""What races if no file is given: keyword arguments of `pf.Posterior` by name. The default always takes part."""
TRAINING, TEST = list(blackbox.FUNCTIONS)[::2], list(blackbox.FUNCTIONS)[1::2]
"""Functions to choose on, and functions to report on."""
BEHIND = 2.0
"""A setting leaves the race if it is so many standard errors behind the leader."""


def read_settings(path: Path | None) -> dict[str, str]:
    """The method of each named setting, the default first; raises UsageError."""
    given: Any = SETTINGS
    if path is not None:
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"{path}: must be a JSON file ({error})") from None
    if not isinstance(given, dict) or not given or BASELINE in given:
        raise UsageError(f"settings: must be an object of named settings, without {BASELINE}, which always takes part")
    methods = {BASELINE: BASELINE}
    for name, settings in given.items():
        try:
            suite.settled("posterior", settings)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from None
        methods[name] = f"posterior:{json.dumps(settings, sort_keys=True)}" if settings else "posterior"
    return methods


def survivors(runs: Mapping[str, Sequence[Run]]) -> list[str]:
    """The settings that are not clearly behind the leader, which comes first."""
    regrets = {name: paired.regrets_of(made) for name, made in runs.items()}
    ranked = sorted(regrets, key=lambda name: float(np.mean(paired.log_regret(np.array(list(regrets[name].values()))))))
    leader = ranked[0]
    kept = [leader]
    for name in ranked[1:]:
        behind = paired.paired(regrets[name], regrets[leader], paired.log_regret)
        if not behind.mean > BEHIND * behind.error:  # an unknown error, nan, keeps it
            kept.append(name)
    return kept


class Race:
    """Runs of named settings, made as they are needed."""

    def __init__(self, arguments: argparse.Namespace, methods: Mapping[str, str]) -> None:
        self._arguments = arguments
        self._methods = methods
        self._dimensions = suite.whole_numbers("--dimensions", arguments.dimensions, blackbox.SAMPLES)
        self._noises = [bbob.parse_noise(text) for text in arguments.noise]

    def runs(self, names: Sequence[str], functions: Sequence[int], instances: Sequence[int]) -> dict[str, list[Run]]:
        """The runs of these settings, by name."""
        methods = [self._methods[name] for name in names]
        jobs = [
            job
            for noise in self._noises
            for job in bbob.jobs_of(methods, functions, self._dimensions, instances, noise)
        ]
        made = suite.by_method(suite.make(jobs, self._arguments), methods)
        self._arguments.resume = True  # the next runs go to the same file
        return {name: made[self._methods[name]] for name in names}

    def trained(self, instances: Sequence[int]) -> tuple[dict[str, list[Run]], list[str]]:
        """The training runs, and the settings still in the race, best first; each instance is one round."""
        runs: dict[str, list[Run]] = {name: [] for name in self._methods}
        racing = list(self._methods)
        for instance in instances:
            for name, made in self.runs(racing, TRAINING, [instance]).items():
                runs[name] += made
            racing = survivors({name: runs[name] for name in racing})
        return runs, racing


def tune(arguments: argparse.Namespace) -> str:
    """Race, choose, and return the report of what was not used to choose."""
    methods = read_settings(arguments.settings)
    training = suite.whole_numbers("--training", arguments.training, blackbox.DEVELOPMENT)
    test = suite.whole_numbers("--test", arguments.test, blackbox.DEVELOPMENT)
    if set(training) & set(test):
        raise UsageError("--training and --test: must have no instance in common")
    race = Race(arguments, methods)
    runs, racing = race.trained(training)
    chosen = racing[0]
    reported = list(methods) if arguments.all else list(dict.fromkeys([BASELINE, chosen]))
    tested = race.runs(reported, TEST, test)
    lines = [
        f"Race on functions {_listed(TRAINING)}, instances {_listed(training)}; a setting that fell behind has fewer runs:",
        "",
        *paired.table(runs, BASELINE, {"training": lambda _: True}),
        "",
        f"Chosen: {chosen}. Still in the race: {', '.join(racing)}.",
        "",
        f"Report on functions {_listed(TEST)}, instances {_listed(test)}, none of which the choice has seen.",
        bbob.report(tested, BASELINE),
    ]
    return "\n".join(lines)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.tune", description=(__doc__ or "").splitlines()[0])
    p.add_argument(
        "settings", nargs="?", type=Path, help="a JSON object of named settings (those listed in the module)"
    )
    p.add_argument("--training", default="1-5", help="instances to choose on, a round each (1-5)")
    p.add_argument("--test", default="21-25", help="instances to report on (21-25)")
    p.add_argument("--dimensions", default="2,3,5", help="2, 3 and 5 (2,3,5)")
    p.add_argument(
        "--noise", nargs="+", default=["exact"], help="exact, logistic:0.02 or flip:0.1; several count alike"
    )
    p.add_argument("--all", action="store_true", help="report every setting, not only the chosen one")
    suite.add_file_options(p, "out/tune.jsonl")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0; 2 for an invalid command line; 130 if interrupted."""
    return suite.carry_out(tune, parser().parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

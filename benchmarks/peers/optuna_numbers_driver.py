"""Optuna's GPSampler with its defaults, told numbers: what could be had from a person who says a score.

Every question shows the best trial and a new one, so that a run has as many scores as samples.
"""

import warnings

import optuna
import torch
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial, Trial

from benchmarks.peers.wire import Judge, Start, serve

STARTUP_TRIALS = 10
"""Random trials before the model, GPSampler's default."""


def vector(trial: Trial | FrozenTrial) -> list[float]:
    """A trial's parameters in the order of the variables."""
    return [trial.params[name] for name in sorted(trial.params)]


def solve(start: Start, judge: Judge) -> int:
    """Ask the sampler and tell it the new score; the first question tells the first trial's score, too."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    torch.manual_seed(start.seed)
    bounds = zip(start.lower, start.upper, strict=True)
    space = {f"x{i:02d}": FloatDistribution(low, high) for i, (low, high) in enumerate(bounds)}
    judge.start_clock()
    sampler = optuna.samplers.GPSampler(seed=start.seed, n_startup_trials=STARTUP_TRIALS)
    study = optuna.create_study(sampler=sampler, direction="minimize")
    first = study.ask(space)
    best = vector(first)
    for number in range(start.comparisons):
        new = study.ask(space)
        judge.prefer(best, vector(new))
        if number == 0:
            study.tell(first, judge.seen[0])
        study.tell(new, judge.seen[1])
        best = vector(study.best_trial)
        judge.recommend(best)
    return STARTUP_TRIALS


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    serve(solve, ["optuna", "torch", "numpy", "scipy"])

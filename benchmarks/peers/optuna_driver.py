"""Optuna Dashboard's PreferentialGPSampler as its users meet it: two trials are alive, the worse one is replaced.

A tie is a coin flip: the person must say which trial is worse, there is no way to say "the same". There is no initial
design, the sampler models from the first answer on.
"""

import random
import warnings

import optuna
import torch
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.trial import FrozenTrial
from optuna_dashboard.preferential import PreferentialStudy, create_study
from optuna_dashboard.preferential.samplers.gp import PreferentialGPSampler

from benchmarks.peers.wire import Judge, Start, serve

FIRST_TRIALS = 2


def new_trial(study: PreferentialStudy, space: dict[str, BaseDistribution]) -> FrozenTrial:
    """Let the sampler propose and return the trial as stored."""
    number = study.ask(space).number
    return study.get_trials(deepcopy=False)[number]


def vector(trial: FrozenTrial) -> list[float]:
    """A trial's parameters in the order of the variables."""
    return [trial.params[name] for name in sorted(trial.params)]


def solve(start: Start, judge: Judge) -> int:
    """Compare each new trial with the survivor, which is the one trial that no answer puts below another."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    coin = random.Random(start.seed)
    torch.manual_seed(start.seed)
    bounds = zip(start.lower, start.upper, strict=True)
    space = {f"x{i:02d}": FloatDistribution(low, high) for i, (low, high) in enumerate(bounds)}
    judge.start_clock()
    study = create_study(n_generate=FIRST_TRIALS, sampler=PreferentialGPSampler(seed=start.seed))
    best = new_trial(study, space)
    for _ in range(start.comparisons):
        new = new_trial(study, space)
        answer = judge.prefer(vector(new), vector(best))
        wins = answer == -1 or (answer == 0 and coin.random() < 0.5)
        better, worse = (new, best) if wins else (best, new)
        study.report_preference(better, worse)
        best = better
        judge.recommend(vector(best))
    return FIRST_TRIALS


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    serve(solve, ["optuna-dashboard", "optuna", "torch", "botorch", "gpytorch", "numpy", "scipy"])

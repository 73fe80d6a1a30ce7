"""BoTorch's log expected improvement, told numbers: what could be had from a person who says a score.

A SingleTaskGP with its defaults, which standardise the scores. Every question shows the best sample and a new one, so that a
run has as many scores as samples.
"""

import warnings

import torch
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch import Tensor

from benchmarks.peers.botorch_driver import RAW_SAMPLES, RESTARTS
from benchmarks.peers.wire import Judge, Start, serve


def propose(X: Tensor, y: Tensor, cube: Tensor) -> Tensor:
    """The sample of largest expected improvement; higher scores are better."""
    model = SingleTaskGP(X, y)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    function = qLogExpectedImprovement(model, best_f=y.max())
    found, _ = optimize_acqf(function, cube, q=1, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
    return found.detach().reshape(1, -1)


def solve(start: Start, judge: Judge) -> int:
    """A Sobol design of 2n + 2 samples, never more than the paper's third, then the acquisition function."""
    torch.manual_seed(start.seed)
    lower = torch.tensor(start.lower, dtype=torch.double)
    width = torch.tensor(start.upper, dtype=torch.double) - lower
    cube = torch.stack([torch.zeros_like(lower), torch.ones_like(lower)])
    count = max(2, min(2 * len(start.lower) + 2, start.initial))
    judge.start_clock()
    design = draw_sobol_samples(cube, n=count, q=1, seed=start.seed).squeeze(1)
    X, y = design[:1], torch.empty((0, 1), dtype=torch.double)
    best = 0
    for number in range(1, start.samples):
        new = design[number : number + 1] if number < count else propose(X, y, cube)
        judge.prefer((lower + width * X[best]).tolist(), (lower + width * new[0]).tolist())
        scores = judge.seen[1:] if len(y) else judge.seen  # the first question tells the first sample's score, too
        X, y = torch.cat([X, new]), torch.cat([y, -torch.tensor(scores, dtype=torch.double).reshape(-1, 1)])
        best = int(y.argmax())
        judge.recommend((lower + width * X[best]).tolist())
    return count


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    serve(solve, ["torch", "botorch", "gpytorch", "numpy", "scipy"])

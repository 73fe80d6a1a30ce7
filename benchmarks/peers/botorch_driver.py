"""BoTorch's PairwiseGP with log noisy expected improvement, or with the expected utility of the best option (EUBO).

The incumbent is one side of the question, except with the acquisition "eubo-pairs": EUBO with q = 2, two new samples a question, as
BoTorch's tutorial does; it recommends the sample of largest posterior mean. A tie is a coin flip: a comparison there is winner
first, and there is no way to say "the same".
"""

import random
import warnings
from collections.abc import Iterable

import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from benchmarks.peers.wire import Judge, Start, serve

RESTARTS, RAW_SAMPLES = 3, 512  # BoTorch's tutorial on preferences has 3 restarts and no more raw samples


class Search:
    """The samples in the unit cube, the comparisons winner first, and the incumbent."""

    def __init__(self, start: Start, judge: Judge) -> None:
        self._judge = judge
        self._noisy = start.noisy
        self._coin = random.Random(start.seed)
        self._lower = torch.tensor(start.lower, dtype=torch.double)
        self._width = torch.tensor(start.upper, dtype=torch.double) - self._lower
        self.samples = torch.empty((0, len(start.lower)), dtype=torch.double)
        self.comparisons: list[tuple[int, int]] = []
        self.best = 0

    @property
    def unit_cube(self) -> Tensor:
        """The bounds of the scaled samples."""
        n = self.samples.shape[-1]
        return torch.stack([torch.zeros(n), torch.ones(n)]).double()

    def ask(self, new: Tensor) -> None:
        """Compare a new sample with the incumbent."""
        self.samples = torch.cat([self.samples, new.reshape(1, -1)])
        last = len(self.samples) - 1
        answer = self._judge.prefer(self._units(last), self._units(self.best))
        wins = answer == -1 or (answer == 0 and self._coin.random() < 0.5)
        self.comparisons.append((last, self.best) if wins else (self.best, last))
        self.best = last if wins else self.best

    def ask_pair(self, pair: Tensor) -> None:
        """Compare two new samples."""
        self.samples = torch.cat([self.samples, pair])
        last = len(self.samples) - 1
        answer = self._judge.prefer(self._units(last - 1), self._units(last))
        wins = answer == -1 or (answer == 0 and self._coin.random() < 0.5)
        self.comparisons.append((last - 1, last) if wins else (last, last - 1))

    def fit(self, by_mean: bool = False) -> PairwiseGP:
        """The model of all comparisons so far; an inconsistent person's incumbent is the best posterior mean."""
        model = PairwiseGP(self.samples, torch.tensor(self.comparisons))
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
        if self._noisy or by_mean:
            with torch.no_grad():
                self.best = int(model.posterior(self.samples).mean.argmax())
        return model

    def recommend(self) -> None:
        """Say which sample is the incumbent."""
        self._judge.recommend(self._units(self.best))

    def _units(self, index: int) -> Iterable[float]:
        units: list[float] = (self._lower + self._width * self.samples[index]).tolist()
        return units


def propose(search: Search, model: PairwiseGP, acquisition: str) -> Tensor:
    """The next sample against the incumbent."""
    if acquisition == "eubo":
        function = AnalyticExpectedUtilityOfBestOption(
            model, previous_winner=search.samples[search.best].reshape(1, -1)
        )
    else:
        function = qLogNoisyExpectedImprovement(model, X_baseline=search.samples, prune_baseline=True)
    found, _ = optimize_acqf(function, search.unit_cube, q=1, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
    return found.detach()


def solve(start: Start, judge: Judge) -> int:
    """A Sobol design of 2n + 2 samples, never more than the paper's third, then the acquisition function."""
    torch.manual_seed(start.seed)
    judge.start_clock()
    search = Search(start, judge)
    count = min(2 * len(start.lower) + 2, start.initial)
    design = draw_sobol_samples(search.unit_cube, n=count, q=1, seed=start.seed).squeeze(1)
    search.samples = design[:1]
    for number, new in enumerate(design[1:], start=2):
        search.ask(new)
        if number < count:
            search.recommend()
    if start.options["acquisition"] == "eubo-pairs":
        return solve_by_pairs(start, search, count)
    while len(search.comparisons) < start.comparisons:
        model = search.fit()
        search.recommend()
        search.ask(propose(search, model, start.options["acquisition"]))
    if start.noisy:
        search.fit()
    search.recommend()
    return count


def solve_by_pairs(start: Start, search: Search, count: int) -> int:
    """After the design, ask about the two new samples of largest EUBO."""
    model = search.fit(by_mean=True)
    search.recommend()
    while len(search.comparisons) < start.comparisons:
        function = AnalyticExpectedUtilityOfBestOption(model)
        pair, _ = optimize_acqf(function, search.unit_cube, q=2, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
        search.ask_pair(pair.detach())
        model = search.fit(by_mean=True)
        search.recommend()
    return count


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    serve(solve, ["torch", "botorch", "gpytorch", "numpy", "scipy"])

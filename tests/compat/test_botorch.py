"""Comparisons to BoTorch and back; with the real package where it is installed, as in the environment of `make next`."""

import numpy as np
import pytest

import prefero as pf
from prefero import exchange

SPACE = pf.Space({"gain": pf.Real(0.1, 10, log=True), "taps": pf.Integer(1, 8)})


def answered() -> pf.Study:
    study = pf.Study(SPACE, comparisons=10, seed=0)
    for _ in range(8):
        question = study.ask()
        study.tell(question, "a" if question.a["gain"] < question.b["gain"] else "b")
    return study


def test_pairs_go_both_ways():
    study, other = answered(), pf.Study(SPACE, seed=1)
    X, pairs = exchange.pairs(study)
    exchange.import_pairs(other, X, pairs, unit_box=True)
    assert [(e.a, e.b) for e in other.answers] == [(e.a, e.b) if e.answer == "a" else (e.b, e.a) for e in study.answers]


@pytest.mark.filterwarnings("default")
def test_a_pairwise_gp_takes_the_pairs():
    torch = pytest.importorskip("torch")
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood

    X, pairs = exchange.pairs(answered())
    model = PairwiseGP(torch.as_tensor(X), torch.as_tensor(pairs))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    utilities = model.posterior(torch.as_tensor(X)).mean.detach().numpy().ravel()
    assert np.mean([utilities[i] > utilities[j] for i, j in pairs]) > 0.8

    study = pf.Study(SPACE, seed=1)  # and tensors come back
    exchange.import_pairs(study, model.datapoints, model.comparisons, unit_box=True, source="BoTorch")
    assert len(study.history) == len(pairs)

"""The default proposer with another value of one constant."""

import pytest

import prefero as pf
from benchmarks.methods import ABLATIONS
from benchmarks.peers import prefero_driver
from benchmarks.peers.wire import Start


@pytest.mark.parametrize("name", ABLATIONS)
def test_every_ablation_changes_something_of_the_default_proposer(name: str) -> None:
    start = Start([0.0], [1.0], 9, 4, 0, 1.0, 0.1, None, noisy=False, options=dict(ABLATIONS[name].options))
    proposer = prefero_driver.proposer_of(start)
    assert isinstance(proposer, pf.Posterior)
    assert proposer != pf.Posterior()

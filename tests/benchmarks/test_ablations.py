"""The default proposer without one of its ingredients: that it is left out, and there again afterwards."""

import pytest

import prefero as pf
from benchmarks.methods import ABLATIONS
from benchmarks.peers import prefero_driver
from benchmarks.peers.wire import Start
from prefero.models import evidence
from prefero.proposers import posterior, slips


def start(**options: object) -> Start:
    return Start([0.0], [1.0], 9, 4, 0, 1.0, 0.1, None, noisy=False, options=options)


@pytest.mark.parametrize("name", ABLATIONS)
def test_every_ablation_changes_something_of_the_default_proposer(name: str) -> None:
    options = ABLATIONS[name].options["ablation"]
    proposer = prefero_driver.proposer_of(start(ablation=options))
    assert isinstance(proposer, pf.Posterior)
    for constant, value in options["constants"].items():
        assert value_of(constant) not in (None, value)
    assert options["constants"] or proposer != pf.Posterior()


def value_of(constant: str) -> object:
    return next((vars(module)[constant] for module in (posterior, slips, evidence) if constant in vars(module)), None)


def fail_with(constants: dict[str, float]) -> None:
    with prefero_driver.other_constants(constants):
        assert all(value_of(name) == value for name, value in constants.items())
        raise RuntimeError


def test_constants_are_themselves_again_after_a_run_that_failed() -> None:
    fit, suspicious = posterior.FIT_ITERATIONS, slips.SUSPICIOUS
    with pytest.raises(RuntimeError):
        fail_with({"FIT_ITERATIONS": 0, "SUSPICIOUS": 2.0})
    assert fit == posterior.FIT_ITERATIONS
    assert suspicious == slips.SUSPICIOUS

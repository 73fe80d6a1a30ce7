"""What our own driver makes of a method's options."""

import numpy as np
import pytest

import prefero as pf
from benchmarks.methods import METHODS
from benchmarks.peers import prefero_driver
from benchmarks.peers.wire import Start
from prefero.cli.demos import classifier


def start(method: str, variables: int) -> Start:
    bounds = [0.0] * variables, [1.0] * variables
    return Start(*bounds, 9, 4, 0, 1.0, 0.1, "simplex", noisy=True, options=dict(METHODS[method].options))


def test_mistakes_are_all_photographs_that_are_taken_for_another_class() -> None:
    weights = (0.2, 0.3, 0.1)
    found = np.asarray(prefero_driver.mistakes(np.array(weights)))  # type: ignore[arg-type]
    assert found.shape == (12,)
    assert found.sum() == round(4000 * (1 - classifier.accuracy((*weights, 0.4))))


@pytest.mark.parametrize(("method", "variables"), [("posterior-mistakes", 3), ("posterior-objectives", 2)])
def test_outcomes_are_those_of_one_problem(method: str, variables: int) -> None:
    assert isinstance(prefero_driver.proposer_of(start(method, variables)), pf.Outcomes)
    with pytest.raises(ValueError, match="weights"):
        prefero_driver.proposer_of(start(method, variables + 1))

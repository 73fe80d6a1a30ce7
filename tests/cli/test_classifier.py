"""The cost-sensitive classifier: the stored outputs, the decision rule, the counts and their cost."""

import numpy as np
import pytest

from prefero.cli.demos import classifier
from prefero.errors import InputError

EQUAL = [0.25] * 4


def test_the_stored_outputs_are_confidences_of_a_thousand_photographs_a_class() -> None:
    stored = classifier.outputs()
    assert stored.p.shape == (4000, 4)
    assert np.bincount(stored.actual).tolist() == [1000] * 4
    assert (stored.p >= 0).all()
    np.testing.assert_allclose(stored.p.sum(axis=1), 1, atol=1e-6)


def test_equal_weights_predict_the_class_of_largest_confidence() -> None:
    stored = classifier.outputs()
    assert (classifier.predicted(EQUAL) == stored.p.argmax(axis=1)).all()
    assert classifier.accuracy(EQUAL) == pytest.approx(0.81, abs=0.02)  # as in the paper


def test_a_class_that_alone_counts_is_always_predicted() -> None:
    for k in range(4):
        assert (classifier.predicted(np.eye(4)[k]) == k).mean() > 0.999  # a confidence may be 0 to the last digit


def test_only_the_ratios_of_the_weights_matter() -> None:
    weights = np.array([0.3, 0.2, 0.1, 0.4])
    assert classifier.cost(weights) == classifier.cost(7 * weights)


def test_the_cost_is_the_sum_over_both_classes_of_a_mistake() -> None:
    weights = [0.33, 0.16, 0.19, 0.32]
    guessed, actual = classifier.predicted(weights), classifier.outputs().actual
    r = classifier.confusion(weights)
    assert r.sum(axis=1).tolist() == [1000] * 4
    assert r[0, 3] == ((actual == 0) & (guessed == 3)).sum()
    assert classifier.cost(weights) == sum(classifier.COSTS[i][j] for i, j in zip(actual, guessed, strict=True))


def test_costs_weigh_mistaken_vehicles_more_than_mistaken_animals() -> None:
    costs = np.array(classifier.COSTS)
    assert (np.diag(costs) == 0).all()
    assert costs[[0, 3]].sum() > costs[[1, 2]].sum()


@pytest.mark.parametrize("weights", [[1, 2, 3], [0, 0, 0, 0], [-1, 1, 1, 1], [np.nan, 1, 1, 1]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(InputError, match="weights"):
        classifier.predicted(weights)

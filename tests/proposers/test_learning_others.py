"""What other people said as a prior, without a study."""

import numpy as np
import pytest

import prefero as pf
from prefero.errors import InputError

BOX = (-np.ones(2), np.ones(2))


def said(w, answers, seed=0):
    rng = np.random.default_rng([seed, answers])
    X = rng.uniform(-1, 1, (2 * answers, 2))
    u = X @ np.array(w)
    return X, [(k, k + answers) if u[k] > u[k + answers] else (k + answers, k) for k in range(answers)]


def test_other_people_help_to_predict_a_person_with_two_answers():
    X, pairs = said((1.0, 0.5), 2)
    others = [said((1.0, 0.4), 15, k) for k in range(5)]
    a, b = [0.9, 0.9], [-0.9, 0.2]
    alone, told = (pf.learn(X, pairs, space=BOX, others=known).predict(a, b) for known in ((), others))
    assert told > 0.7
    assert told > alone + 0.03


@pytest.mark.parametrize(
    ("others", "match"),
    [([3], r"others\[0\]: expected \(samples, pairs\)"), ([(np.ones((2, 3)), [(0, 1)])], "3 columns for 2 variables")],
)
def test_what_is_nobody_is_refused(others, match):
    with pytest.raises(InputError, match=match):
        pf.learn(*said((1.0, 0.5), 2), space=BOX, others=others)

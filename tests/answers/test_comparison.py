"""The convention of a comparison: words, numbers and π mean the same."""

import numpy as np
import pytest

from prefero.answers import as_answer, as_preference


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("a", -1),
        (-1, -1),
        (-1.0, -1),
        (np.int8(-1), -1),
        ("same", 0),
        (0, 0),
        (np.float64(0), 0),
        ("b", 1),
        (1, 1),
        (np.int64(1), 1),
    ],
)
def test_words_and_numbers_mean_the_same(said, means):
    assert as_preference(said) == means
    assert type(as_preference(said)) is int
    assert as_preference(as_answer(as_preference(said))) == means

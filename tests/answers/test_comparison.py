"""The convention of a comparison: words, numbers and π mean the same."""

import numpy as np
import pytest

import prefero as pf
from prefero.answers import as_answer, as_level, as_preference
from prefero.errors import AnswerError


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("a", -1),
        (-1, -1),
        (-1.0, -1),
        (np.int8(-1), -1),
        ("much a", -1),
        (2, 1),
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


@pytest.mark.parametrize(
    ("said", "means"), [("much a", -2), (-2, -2), (np.int8(2), 2), ("much b", 2), (pf.much("a"), -2), ("b", 1)]
)
def test_a_strength_is_a_word_or_a_number(said, means):
    assert as_level(said) == means
    assert as_level(as_answer(as_level(said))) == means


@pytest.mark.parametrize("said", ["much", "much same", "Much a", 3, -3, 1.5, True, None, ["a"]])
def test_what_is_no_answer_is_refused(said):
    with pytest.raises(AnswerError, match="answer: got"):
        as_level(said)


def test_only_a_side_can_be_much_better():
    with pytest.raises(AnswerError, match="side"):
        pf.much("same")

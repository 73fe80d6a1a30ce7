"""Levels of an ordered scale, and the history that holds ratings beside comparisons."""

import numpy as np
import pytest

from prefero.answers import RATED, Comparison, History, Rating, as_rating, incumbent, rated_level
from prefero.errors import AnswerError

SCALE = ("bad", "fair", "good")


@pytest.mark.parametrize(
    ("given", "level"), [(1, 1), (np.int64(3), 3), (2.0, 2), ("good", 3), ("2", 2), ("rated 1", 1), (np.array([3]), 3)]
)
def test_a_level_is_a_number_or_a_word(given, level):
    assert as_rating(given, SCALE) == level


@pytest.mark.parametrize(
    "given", [0, 4, -1, 1.5, True, None, "Good", "", "4", "rated 4", "²", np.array([1, 2]), np.nan]
)
def test_what_is_not_on_the_scale_is_refused_with_its_words(given):
    with pytest.raises(AnswerError, match=r"level: .*1 \(bad\), 2 \(fair\), 3 \(good\)"):
        as_rating(given, SCALE)


def test_the_log_s_words():
    assert [rated_level(said) for said in ("rated 1", "rated 10", "rated 11", "a", "")] == [1, 10, 0, 0, 0]
    assert len(RATED) == 10


X = np.linspace(-1, 1, 5)[:, None]


def history(*ratings: Rating) -> History:
    said = (Comparison(0, 1, -1, 0), Comparison(0, 2, 1, 1, "Ada"), Comparison(2, 3, -1, 2))
    return History(X.copy(), np.ones(5, dtype=bool), said, ratings=ratings)


def test_ratings_take_their_place_among_the_comparisons():
    first, second = Rating(4, 5, 5, after=0), Rating(0, 2, 5, judge="Ada", after=2)
    known = history(first, second)
    assert known.in_order == (first, *known.comparisons[:2], second, known.comparisons[2])
    assert known.judges == ("", "Ada")
    assert known.compared.tolist() == [0, 1, 2, 3, 4]
    assert known.prefix(1).ratings == (first,)
    assert len(known.prefix(1).points) == 5
    assert known.of_judge("Ada").ratings == (Rating(0, 2, 5, judge="Ada", after=1),)
    assert known.of_judge("").ratings == (first,)
    assert [rating.after for rating in known.last(2).ratings] == [0, 1]
    assert known.without_asides().ratings == ()
    assert History(X[:1].copy(), np.ones(1, dtype=bool), ratings=(Rating(0, 1, 2),)).spoken


def test_two_histories_have_in_common_what_comes_before_the_first_other_rating():
    one, other = Rating(4, 5, 5, after=2), Rating(4, 4, 5, after=2)
    assert history(one).common(history(one)) == 3
    assert history(one).common(history()) == 1
    assert history(one).common(history(other)) == 1
    assert history(Rating(4, 5, 5)).common(history()) == -1


def test_the_winner_of_the_comparisons_is_doubted_if_another_is_rated_higher():
    assert incumbent(history()) == 2
    assert incumbent(history(Rating(2, 4, 5, after=3))) == 2
    assert incumbent(history(Rating(2, 4, 5, after=3), Rating(4, 5, 5, after=3))) is None
    assert incumbent(history(Rating(4, 5, 5, after=3))) is None

"""Hints: a direction stands for two points, a limit holds for some questions of a judge."""

import numpy as np
import pytest

from prefero.answers import History, Leaning, Limit, is_hint
from prefero.answers.hint import STEP


def test_a_direction_stands_for_two_points_on_either_side_of_its_candidate():
    better, worse = Leaning((0.5, 0.0), 0, 1).ends
    np.testing.assert_allclose(better, [0.5 + STEP, 0])
    np.testing.assert_allclose(worse, [0.5 - STEP, 0])
    less = Leaning((0.5, 0.0), 0, -1).ends
    np.testing.assert_array_equal(less[0], worse)


@pytest.mark.parametrize("at", [-1.0, 1.0])
def test_at_the_border_of_the_box_it_stands_for_points_inside(at):
    for sign in (-1, 1):
        better, worse = Leaning((at,), 0, sign).ends
        assert abs(better[0]) <= 1
        assert abs(worse[0]) <= 1
        assert (better[0] - worse[0]) * sign > 0


def test_a_limit_holds_for_the_next_questions_of_its_judge():
    limit = Limit((-1.0,), (0.0,), "Ada", first=3, last=5)
    assert [step for step in range(8) if limit.holds_for("Ada", step)] == [3, 4]
    assert not limit.holds_for("Bob", 3)
    assert not limit.holds_for(None, 3)  # proposed for whoever comes
    assert Limit((-1.0,), (0.0,), first=3).holds_for("", 10**6)


def test_only_hints_are_hints():
    assert is_hint("more a failed")
    assert is_hint("near for 5 questions")
    assert not any(map(is_hint, ("a", "much a", "a failed", "skipped", "rated 4", "c>abd")))


def test_the_ends_of_a_direction_follow_the_samples():
    history = History(
        np.zeros((2, 1)), np.ones(2, dtype=bool), leanings=(Leaning((0.0,), 0, 1), Leaning((0.5,), 0, -1))
    )
    np.testing.assert_allclose(history.spoken_of[:, 0], [0, 0, STEP, 0.5 - STEP, -STEP, 0.5 + STEP])
    assert len(history.points) == 2
    assert not history.spoken  # directions alone order no samples

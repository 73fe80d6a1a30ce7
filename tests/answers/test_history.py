"""The history as a value, and the incumbent."""

import numpy as np
import pytest

from prefero.answers import Comparison, History, incumbent, loses_to


def history(samples: int, *said, feasible=None) -> History:
    points = np.linspace(-1, 1, samples)[:, None]
    mask = np.ones(samples, dtype=bool) if feasible is None else np.array(feasible)
    return History(points, mask, tuple(Comparison(*c) for c in said))


@pytest.mark.parametrize(
    ("said", "best"),
    [
        ([], None),
        ([(0, 1, -1)], 0),
        ([(0, 1, 1)], 1),
        ([(0, 1, 0)], 0),
        ([(0, 1, 1), (1, 2, 0)], 1),
        ([(0, 1, 1), (1, 2, 1), (2, 3, -1)], 2),
        ([(0, 1, 1), (2, 1, -1)], 2),
        ([(0, 1, -1), (2, 3, -1)], None),
        ([(0, 1, -1), (0, 1, 1)], None),
        ([(0, 1, 1), (0, 1, -1)], None),
        ([(0, 1, -1), (0, 2, 1), (2, 1, 1)], None),
        ([(1, 2, -1), (1, 0, 1), (0, 2, 1)], None),
    ],
)
def test_the_incumbent_by_hand(said, best):
    assert incumbent(history(4, *said)) == best


@pytest.mark.parametrize(
    ("said", "feasible", "best"),
    [
        ([(0, 1, 1)], [True, False], 0),
        ([(0, 1, -1)], [False, True], 1),
        ([(0, 1, -1)], [False, False], None),
        ([(0, 1, 1), (0, 2, 1)], [True, False, True], 2),
        ([(0, 1, 1), (1, 2, -1)], [True, False, True], 0),
        ([(0, 1, -1), (0, 2, 1)], [False, False, True], 2),
    ],
)
def test_an_infeasible_sample_is_never_the_incumbent(said, feasible, best):
    assert incumbent(history(len(feasible), *said, feasible=feasible)) == best


def test_the_samples_above_one_are_known():
    h = history(4, (0, 1, -1), (1, 2, 1), (3, 1, 0), (1, 3, 1), feasible=[True, True, False, True])
    assert loses_to(h, 1) == [0, 3]
    assert loses_to(h, 0) == []


def test_a_history_is_never_changed_in_place():
    empty = History.empty(2)
    one, i = empty.with_point(np.array([0.1, 0.2]), feasible=True)
    two, j = one.with_point(np.array([0.3, 0.4]), feasible=False)
    said = two.with_comparison(Comparison(i, j, 1)).with_skip(i, j)
    assert [len(h.points) for h in (empty, one, two, said)] == [0, 1, 2, 2]
    assert [len(h) for h in (empty, one, two, said)] == [0, 0, 0, 1]
    assert (two.skipped, said.skipped) == ((), ((0, 1),))
    with pytest.raises(ValueError, match="read-only"):
        said.points[0, 0] = 5
    with pytest.raises(AttributeError):
        said.comparisons = ()


def test_a_sample_that_is_there_is_not_added_again():
    h, i = History.empty(2).with_point(np.array([0.1, 0.2]), feasible=True)
    same, j = h.with_point(np.array([0.1 + 1e-12, 0.2]), feasible=True)
    other, k = h.with_point(np.array([0.1 + 1e-6, 0.2]), feasible=True)
    assert (i, j, k) == (0, 0, 1)
    assert same is h
    assert other.index(np.array([0.5, 0.5])) is None


def test_pairs_and_outcomes_are_arrays():
    h = history(3, (0, 1, -1), (1, 2, 0))
    assert h.pairs.tolist() == [[0, 1], [1, 2]]
    assert h.preferences.tolist() == [-1, 0]
    assert history(2).pairs.shape == (0, 2)


def test_a_prefix_has_the_samples_its_answers_speak_of():
    h = history(5, (0, 1, -1), (0, 3, 1), (3, 4, -1)).with_skip(0, 2)
    assert [len(h.prefix(k).points) for k in range(4)] == [0, 2, 4, 5]
    assert h.prefix(2).comparisons == h.comparisons[:2]
    assert h.prefix(1).skipped == ()
    assert h.prefix(2).skipped == ((0, 2),)


def test_the_last_answers_keep_all_samples():
    h = history(5, (0, 1, -1), (0, 3, 1), (3, 4, -1)).with_skip(0, 2)
    assert h.last(2).comparisons == h.comparisons[1:]
    assert len(h.last(2).points) == 5
    assert h.last(2).skipped == h.skipped
    assert h.last(3) is h


def test_a_history_knows_which_points_it_holds():
    some = history(3)
    asked = np.vstack([some.points[1] + 1e-13, some.points[1] + 1e-3, some.points[2]])
    assert some.holds(asked).tolist() == [some.index(x) is not None for x in asked] == [True, False, True]
    assert not History.empty(2).holds(np.zeros((2, 2))).any()

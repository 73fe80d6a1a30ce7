"""Minimising an acquisition: all three ways find the minimum, inside the constraints, among candidates, off what is taken."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

import prefero as pf
from prefero.proposers import search
from prefero.proposers.search import Taken

methods = pytest.mark.parametrize("method", search.METHODS)
NOTHING = Taken(np.zeros((0, 2)), np.zeros(0))


def bowl(*centre):
    return lambda X: ((X - np.array(centre)) ** 2).sum(axis=1)


def found(a, space, method="multistart", taken=None, around=None, seed=0, effort=None):
    taken = Taken(np.zeros((0, space.dimension)), np.zeros(0)) if taken is None else taken
    return search.minimise(a, space, np.random.default_rng(seed), taken, around, method, effort)


@methods
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_of_a_bowl_is_found(method, seed):
    x = found(bowl(0.31, -0.57), pf.Space.box([0, 0], [1, 1]), method, seed=seed)
    assert x == pytest.approx([0.31, -0.57], abs=0.02)


@methods
def test_the_deeper_of_two_valleys_is_found(method):
    def a(X):
        return np.minimum(bowl(-0.7, -0.7)(X), bowl(0.6, 0.8)(X) - 0.2)

    assert found(a, pf.Space.box([0, 0], [1, 1]), method) == pytest.approx([0.6, 0.8], abs=0.05)


@methods
def test_a_minimum_outside_the_constraints_is_brought_to_their_edge(method):
    space = pf.Space({"x": pf.Real(-1, 1), "y": pf.Real(-1, 1)}, LinearConstraint([[1, 1]], -np.inf, 0))
    x = found(bowl(0.5, 0.5), space, method, around=np.array([-0.5, -0.5]))
    assert space.feasible(x[None])[0]
    assert np.asarray(space.decode(x)).sum() <= 1e-8
    assert x == pytest.approx([0, 0], abs=0.1)


@methods
def test_only_candidates_are_looked_at(method):
    space = pf.Space({"k": pf.Integer(0, 9), "c": pf.Choice(["a", "b", "c"]), "x": pf.Real(0, 1)})
    looked = []

    def a(X):
        looked.append(X)
        return ((X - space.encode({"k": 7, "c": "b", "x": 0.25})) ** 2).sum(axis=1)

    best = space.decode(found(a, space, method))
    assert (best["k"], best["c"]) == (7, "b")
    assert best["x"] == pytest.approx(0.25, abs=0.05)
    X = np.vstack(looked)
    assert space.snap(X) == pytest.approx(X, abs=1e-9)


@methods
def test_what_is_taken_is_not_returned(method):
    space = pf.Space.box([0, 0], [1, 1])
    taken = Taken(np.array([[0.3, 0.3]]), np.array([0.2]))
    x = found(bowl(0.3, 0.3), space, method, taken)
    assert np.abs(x - 0.3).max() > 0.2
    assert np.abs(x - 0.3).max() < 0.45


def test_a_finite_space_is_searched_exactly():
    space = pf.Space({"k": pf.Integer(0, 40), "m": pf.Integer(0, 40)}, LinearConstraint([[1, 1]], -np.inf, 50))
    rng = np.random.default_rng(0)
    table = rng.random((41, 41))

    def a(X):
        return np.array([table[c["k"], c["m"]] for c in map(space.decode, X)])

    best = min((table[k, m], k, m) for k in range(41) for m in range(41) if k + m <= 50)
    assert tuple(space.decode(found(a, space)).values()) == best[1:]


def test_nothing_left_is_none():
    space = pf.Space({"k": pf.Integer(0, 3)})
    taken = Taken(space.points(), np.full(4, 1e-6))
    assert found(bowl(0.0), space, taken=taken) is None
    assert found(bowl(0.0), space, taken=Taken(space.points()[:3], np.full(3, 1e-6))) == pytest.approx([1])


def test_room_around_skipped_candidates_gives_way_where_nothing_else_is_left():
    space = pf.Space({"k": pf.Integer(0, 100)})
    points = space.points()
    taken = Taken(np.delete(points, 50, axis=0), np.full(100, 0.05))
    assert space.decode(found(bowl(0.9), space, taken=taken))["k"] == 50


@methods
def test_the_same_draws_give_the_same_point(method):
    space = pf.Space.box([0, 0, 0], [1, 1, 1])
    assert np.array_equal(found(bowl(0.1, 0.2, 0.3), space, method), found(bowl(0.1, 0.2, 0.3), space, method))


def test_a_known_good_place_helps_in_a_narrow_valley():
    space = pf.Space.box([0] * 6, [1] * 6)
    around = np.full(6, 0.4)

    def needle(X):
        return -np.exp(-2000 * ((X - 0.4123) ** 2).sum(axis=1))

    assert needle(found(needle, space, around=around)[None])[0] < -0.9


def test_the_next_valley_of_one_variable_is_found_by_a_jump():
    """Eight variables with two narrow valleys each: all are in the deeper one but the last."""
    space = pf.Space.box([-1] * 8, [1] * 8)
    shallow, deep = -0.6, 0.55

    def a(X):
        return -np.sum(np.exp(-(((X - shallow) / 0.03) ** 2)) + 2 * np.exp(-(((X - deep) / 0.03) ** 2)), axis=1)

    around = np.full(8, deep)
    around[-1] = shallow
    efforts = [search.Effort(spread=64, near=64, jumps=jumps, kept=4, rounds=14) for jumps in (0, 256)]
    without, jumped = (found(a, space, around=around, effort=effort) for effort in efforts)
    assert np.abs(without - around).max() < 0.1
    assert np.abs(jumped - deep).max() < 0.1


@methods
def test_a_part_of_a_space_is_searched_throughout_and_not_at_its_edges(method):
    low, high = np.array([0.2, -0.1]), np.array([0.4, 0.1])
    looked_at = []

    def a(X):
        looked_at.append(X)
        return bowl(0.27, 0.03)(X)

    x = found(a, pf.Space.box([0, 0], [1, 1]).within(low, high), method)
    assert x == pytest.approx([0.27, 0.03], abs=0.005)
    first = np.vstack(looked_at)[:40]
    assert ((first > low) & (first < high)).all(axis=1).mean() > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_of_very_many_candidates_the_best_is_found_without_trying_all(seed):
    space = pf.Catalogue(np.random.default_rng(seed).random((40_000, 4)))
    evaluated = []

    def a(X):
        evaluated.append(len(X))
        return bowl(0.3, -0.5, 0.1, 0.8)(X)

    best = space.points()[a(space.points()).argmin()]
    evaluated.clear()
    far = Taken(np.full((200, 4), 9.0), np.zeros(200))  # many samples, which hide nothing
    assert found(a, space, taken=far, seed=seed) == pytest.approx(best)
    assert sum(evaluated) < 20_000


def test_of_very_many_candidates_all_are_tried_if_the_best_are_taken():
    points = pf.Catalogue(np.random.default_rng(0).random((20_000, 1))).points()
    space = pf.Catalogue(points)
    last = space.points()[-1]
    samples = space.points()[:-1][::80]
    taken = Taken(samples, np.full(250, 3.0), np.full(250, 1e-9))  # hides everything unless it shrinks
    x = found(lambda X: ((X - last) ** 2).sum(axis=1), space, taken=taken)
    assert x == pytest.approx(last)

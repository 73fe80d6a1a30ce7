"""Between user units and the box: round trips, ends, levels, and points that are candidates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint

import prefero as pf
from tests.strategies import choices, integers, logs, named, reals, seeds, spaces

numeric_spaces = st.lists(st.one_of(reals, logs, integers), min_size=1, max_size=4).map(lambda v: pf.Space(named(v)))


def points(space: pf.Space, seed: int, count: int = 40) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.3, 1.3, (count, space.dimension))


@given(space=spaces, seed=seeds)
def test_decoding_an_encoded_candidate_gives_it_back(space, seed):
    for point in space.snap(points(space, seed)):
        candidate = space.decode(point)
        again = space.decode(space.encode(candidate))
        for name, variable in space.variables.items():
            if isinstance(variable, pf.Real):
                assert again[name] == pytest.approx(
                    candidate[name], rel=1e-12, abs=1e-12 * (variable.high - variable.low)
                )
            else:
                assert again[name] == candidate[name]
        assert space.encode(candidate) == pytest.approx(point, abs=1e-9)


@given(space=spaces, seed=seeds)
def test_what_is_decoded_is_a_candidate_of_its_kind_within_the_bounds(space, seed):
    for point in points(space, seed):
        candidate = space.decode(point)
        assert space.candidate(candidate) == candidate
        assert space.admits(candidate)
        for name, variable in space.variables.items():
            kind = {pf.Real: float, pf.Integer: int, pf.Choice: str}[type(variable)]
            assert type(candidate[name]) is kind


@given(space=spaces, seed=seeds)
def test_snapping_twice_is_snapping_once(space, seed):
    once = space.snap(points(space, seed))
    assert np.abs(once).max() <= 1
    assert space.snap(once) == pytest.approx(once, abs=1e-12)
    assert [space.decode(x) for x in space.snap(once)] == [space.decode(x) for x in once]


@given(space=spaces, seed=seeds)
def test_decoding_does_not_depend_on_snapping_first(space, seed):
    X = points(space, seed)
    for x, snapped in zip(X, space.snap(X), strict=True):
        assert space.encode(space.decode(snapped)) == pytest.approx(space.encode(space.decode(x)), abs=1e-9)


@given(numeric_spaces)
def test_the_ends_of_the_box_are_the_bounds(space):
    low, high = space.decode(-np.ones(space.dimension)), space.decode(np.ones(space.dimension))
    for name, variable in space.variables.items():
        assert low[name] == pytest.approx(variable.low, rel=1e-12)
        assert high[name] == pytest.approx(variable.high, rel=1e-12)
        assert variable.low <= low[name] < high[name] <= variable.high


@given(reals, logs)
def test_the_middle_of_the_box_is_the_mean_or_the_geometric_mean(plain, logarithmic):
    middle = pf.Space({"plain": plain, "log": logarithmic}).decode(np.zeros(2))
    assert middle["plain"] == pytest.approx((plain.low + plain.high) / 2)
    assert middle["log"] == pytest.approx(np.sqrt(logarithmic.low * logarithmic.high))


@given(st.integers(2, 7), reals)
def test_two_levels_are_two_apart(count, real):
    space = pf.Space({"level": pf.Choice(list(range(count))), "x": real})
    X = np.array([space.encode({"level": k, "x": real.low}) for k in range(count)])
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    assert distances == pytest.approx(2 * (1 - np.eye(count)))
    assert space.dimension == count + 1


@given(choices, integers)
def test_a_finite_space_lists_every_candidate_once(choice, integer):
    space = pf.Space({"c": choice, "k": integer})
    candidates = {space.decode(x) for x in space.points()}
    assert len(space.points()) == len(candidates) == len(choice.levels) * (integer.high - integer.low + 1)
    assert pf.Space({"c": choice, "x": pf.Real(0, 1)}).points() is None


@settings(max_examples=8)
@given(st.integers(-9, 9), st.integers(1, 9))
def test_only_feasible_candidates_are_listed(low, width):
    space = pf.Space({"k": pf.Integer(low, low + width), "m": pf.Integer(0, 3)}, lambda c: (c["k"] + c["m"]) % 2)
    listed = {tuple(space.decode(x).values()) for x in space.points()}
    assert listed == {(k, m) for k in range(low, low + width + 1) for m in range(4) if (k + m) % 2 == 0}


@given(seeds, st.sampled_from([1e-6, 1.0, 1e5]))
def test_a_constraint_and_its_multiple_are_violated_alike(seed, factor):
    x = {"x": pf.Real(0, 1), "y": pf.Real(0, 2)}
    plain = pf.Space(x, LinearConstraint([[1, 1]], -np.inf, 1.5))
    scaled = pf.Space(x, LinearConstraint([[factor, factor]], -np.inf, 1.5 * factor))
    X = points(plain, seed)
    assert scaled.violations(X) == pytest.approx(plain.violations(X), rel=1e-9)
    assert np.array_equal(scaled.feasible(X), plain.feasible(X))


@given(spaces)
def test_a_space_survives_as_plain_data(space):
    again = pf.Space.from_dict(space.to_dict())
    assert again.variables == space.variables
    assert again.to_dict() == space.to_dict()
    assert again.bounds == space.bounds


def test_a_unit_comes_back_with_its_variable():
    space = pf.Space(
        {"time": pf.Real(1, 9, log=True, unit="s"), "heat": pf.Integer(1, 9, unit="°C"), "x": pf.Real(0, 1)}
    )
    again = pf.Space.from_dict(space.to_dict())
    assert again.variables == space.variables
    assert [row.get("unit") for row in space.to_dict()["variables"]] == ["s", "°C", None]

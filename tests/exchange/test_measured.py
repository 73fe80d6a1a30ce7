"""Ratings from measured numbers."""

import pytest

import prefero as pf
from prefero.errors import InputError
from prefero.exchange import rate_measured


def measured(**more):
    study = pf.Study.create(pf.Space({"x": pf.Real(0, 1)}), name="stars", seed=0, **more)
    for x, stars, time in ((0.1, 1, 40.0), (0.5, 3, 25.0), (0.9, 5, 10.0)):
        study.measure([x], {"stars": stars, "seconds": time})
    return study


def levels(study, judge=""):
    return {study.candidates[r.sample]["x"]: r.level for r in study.history.ratings if r.judge == judge}


def test_a_measured_number_is_the_level():
    study = measured()
    assert rate_measured(study, "stars") == 3
    assert levels(study) == {0.1: 1, 0.5: 3, 0.9: 5}
    assert rate_measured(study, "stars") == 0  # they are known
    study.measure([0.5], {"stars": 4})
    assert rate_measured(study, "stars") == 1
    assert levels(study)[0.5] == 4
    assert rate_measured(study, "stars", judge="ann") == 3
    assert study.best["x"] > 0.5


@pytest.mark.parametrize(("limits", "found"), [([20, 30], [3, 2, 1]), ([30, 20], [1, 2, 3]), ([40, 10], [2, 2, 3])])
def test_limits_lie_between_the_levels_and_rise_or_fall(limits, found):
    study = measured(scale=["weak", "fine", "strong"])
    rate_measured(study, "seconds", limits=limits)
    assert list(levels(study).values()) == found


@pytest.mark.parametrize(
    ("name", "limits", "words"),
    [
        ("stars", [1, 2], "4 numbers between 5 levels"),
        ("stars", [1, 2, 2, 3], "rising or falling"),
        ("stars", [1, 2, float("nan"), 3], "limits"),
        ("seconds", None, "a level from 1 to 5"),
        ("noise", None, "seconds"),
        (["stars"], None, "name"),
        ("stars", "abcd", "limits"),
        ("stars", ["a", "b", "c", "d"], "limits"),
        ("stars", 3, "limits"),
    ],
)
def test_a_wrong_name_limit_or_number_rates_nothing(name, limits, words):
    study = measured()
    with pytest.raises(InputError, match=words):
        rate_measured(study, name, limits=limits)
    assert not study.history.ratings


def test_candidates_of_other_bounds_are_left_alone_and_older_ones_are_completed():
    study = measured()
    study.change_space(pf.Space({"x": pf.Real(0, 0.6), "y": pf.Real(0, 1)}), {"y": 0.5})
    assert rate_measured(study, "stars") == 2
    assert levels(study) == {0.1: 1, 0.5: 3}

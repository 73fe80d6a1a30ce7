"""The table of efforts, what an answer implies, and the kinds that a study offers."""

from itertools import permutations

import pytest

from prefero.answers import EFFORTS, as_efforts, as_kinds, better_pairs, most_telling, narrowed
from prefero.answers.efforts import implied, possible_answers
from prefero.answers.orders import KINDS
from prefero.errors import InputError

SEVERAL = sorted(set(KINDS) - {"pair"})


@pytest.mark.parametrize("name", SEVERAL)
def test_possible_answers_and_implied_comparisons_are_counted(name):
    kind = KINDS[name]
    orders = {narrowed(each, kind) for each in permutations(kind.sides)}
    assert len(orders) == possible_answers(kind)
    assert {len(better_pairs(order, kind)) for order in orders} == {implied(kind)}


def test_a_pair_takes_four_seconds_and_more_answers_take_longer():
    assert (possible_answers(KINDS["pair"]), implied(KINDS["pair"]), EFFORTS["pair"]) == (2, 1, 4.0)
    assert set(EFFORTS) == set(KINDS)
    assert EFFORTS["pair"] < EFFORTS["best of 3"] < EFFORTS["best of 4"] < EFFORTS["rank 4"] < EFFORTS["rank 5"]


def test_one_kind_or_a_list_of_different_ones():
    assert as_kinds("rank 4") == as_kinds(["rank 4"]) == (KINDS["rank 4"],)
    assert as_kinds(("pair", "best of 3")) == (KINDS["pair"], KINDS["best of 3"])
    for wrong in ([], ["pair", "pair"], ["pair", "rank 9"], [4], 4, None):
        with pytest.raises(InputError, match="kind"):
            as_kinds(wrong)


def test_efforts_are_seconds_by_kind():
    given = {"pair": None, "rank 4": 20}
    assert as_kinds(given) == (KINDS["pair"], KINDS["rank 4"])
    assert as_efforts(given) == {"rank 4": 20.0}
    assert as_efforts("pair") == as_efforts(["pair", "rank 4"]) == {}
    for wrong in (0, -1, float("nan"), float("inf"), 1e6, True, "4"):
        with pytest.raises(InputError, match=r"kind\['pair'\]"):
            as_efforts({"pair": wrong})


def test_the_kind_with_the_most_comparisons_for_a_second_tells_most():
    kinds = as_kinds(["pair", "best of 4", "rank 4"])
    assert str(most_telling(kinds, {})) == "best of 4"
    assert str(most_telling(kinds, {"rank 4": 5})) == "rank 4"
    assert str(most_telling(kinds, {"pair": 1})) == "pair"
    assert str(most_telling(kinds, {"pair": 1, "best of 4": 3, "rank 4": 6})) == "pair"  # the first of equal ones

"""Orders: what an answer about more than two candidates stands for, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefero.answers import SIDES, Kind, as_kind, as_order, better_pairs, narrowed
from prefero.answers.orders import KINDS, fits
from prefero.errors import AnswerError, InputError

SEVERAL = [kind for kind in KINDS.values() if kind.size > 2]
kinds = st.sampled_from(SEVERAL)


@pytest.mark.parametrize(
    ("kind", "said", "order"),
    [
        ("best of 4", "c", "c>abd"),
        ("best of 4", "Best C", "c>abd"),
        ("best of 4", "c > d, b, a", "c>abd"),
        ("worst of 3", "worst b", "ac>b"),
        ("best and worst of 4", "best c worst d", "c>ab>d"),
        ("best and worst of 4", "c, worst d", "c>ab>d"),
        ("best and worst of 4", ["c", "d"], "c>ab>d"),
        ("best and worst of 3", "b>a>c", "b>a>c"),
        ("rank 4", ["b", "A", "d", "c"], "b>a>d>c"),
        ("rank 4", "b, a,d,c", "b>a>d>c"),
        ("rank 4", "b>a>d>c", "b>a>d>c"),
        ("insert among 3", "place 1", "d>abc"),
        ("insert among 3", "place 3", "ab>d>c"),
        ("insert among 3", "abc>d", "abc>d"),
    ],
)
def test_an_answer_has_several_forms_and_is_stored_in_one(kind, said, order):
    assert as_order(said, as_kind(kind)) == order
    assert fits(order, as_kind(kind))


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        ("rank 4", "b,a,d", "c is missing"),
        ("rank 4", ["b", "a", "d", "d"], "d is named twice"),
        ("rank 4", "b,a,d,c,e", "e is not shown"),
        ("rank 4", ["b", "a", "d", 3], "of the sides a, b, c, d"),
        ("rank 4", "best b", "best first"),
        ("rank 4", "b>acd", "best first"),
        ("best of 4", "b,a,d,c", "the best"),
        ("best of 4", "best e", "e is not shown"),
        ("best of 4", "abd>c", "the best"),
        ("best of 4", "same", "the best"),
        ("best of 4", "much a", "the best"),
        ("best of 4", -1, "the best"),
        ("best of 4", "", "the best"),
        ("best of 4", None, "the best"),
        ("worst of 4", "a", "the worst"),  # "a" always says that A is best
        ("best and worst of 4", "best c worst c", "named twice"),
        ("best and worst of 4", "best c", "worst"),
        ("best and worst of 4", ["c", "c"], "named twice"),
        ("best and worst of 4", ["c", "e"], "not shown"),
        ("insert among 3", "place 5", "place 4"),
        ("insert among 3", "place 0", "place 4"),
        ("insert among 3", "a>d>bc>", "place 4"),
        ("insert among 3", "b>d>ac", "place 4"),
        ("insert among 3", 2, "place 4"),
    ],
)
def test_what_the_question_does_not_take_is_refused(kind, said, words):
    with pytest.raises(AnswerError, match=words):
        as_order(said, as_kind(kind))


@given(kinds, st.data())
def test_a_ranking_answers_every_kind_of_question(kind, data):
    ranking = data.draw(st.permutations(kind.sides))
    order = narrowed(ranking, kind)
    assert as_order(order, kind) == order
    place = {side: k for k, side in enumerate(ranking)}
    if kind.name != "insert" or ranking[:-1] == sorted(ranking)[:-1]:  # otherwise another ranking was shown
        assert all(place[better] < place[worse] for better, worse in better_pairs(order, kind))
    assert {side for pair in better_pairs(order, kind) for side in pair} == set(kind.sides)
    assert as_kind(str(kind)) == kind


@given(st.text(alphabet="abcdefg> ,", max_size=12), kinds)
def test_any_text_is_an_order_or_refused(said, kind):
    try:
        order = as_order(said, kind)
    except AnswerError:
        return
    assert fits(order, kind)
    assert sorted(order.replace(">", "")) == list(kind.sides)


def test_an_order_of_two_is_the_plain_answer():
    assert better_pairs("a>b", as_kind("pair")) == [("a", "b")]
    assert better_pairs("b>a", as_kind("pair")) == [("b", "a")]
    assert str(Kind("rank", 4).of_size(2)) == "pair"


def test_an_answer_stands_for_what_it_implies():
    ranked = better_pairs("b>a>d>c", as_kind("rank 4"))
    assert ranked == [("b", "a"), ("b", "d"), ("b", "c"), ("a", "d"), ("a", "c"), ("d", "c")]
    both = better_pairs("c>ab>d", as_kind("best and worst of 4"))
    assert both == [("c", "a"), ("c", "b"), ("c", "d"), ("a", "d"), ("b", "d")]
    inserted = better_pairs("ab>d>c", as_kind("insert among 3"))
    assert inserted == [("a", "d"), ("b", "d"), ("d", "c")]  # and nothing about the others


@pytest.mark.parametrize("given_", ["rank 2", "rank 7", "best of", "insert among 6", "ranking", "", None, 4])
def test_a_kind_that_there_is_not(given_):
    with pytest.raises(InputError, match="kind"):
        as_kind(given_)


def test_there_are_as_many_sides_as_a_question_may_show():
    assert max(kind.size for kind in SEVERAL) == len(SIDES) == 6

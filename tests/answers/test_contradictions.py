"""Answers that contradict each other lie on a cycle of "better than"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefero.answers import Comparison, contradicting, contradictions


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ([(0, 1, -1), (1, 2, -1), (0, 2, -1)], 0),
        ([(0, 1, -1), (1, 2, -1), (2, 0, -1)], 3),
        ([(0, 1, -1), (1, 0, -1)], 2),
        ([(0, 1, 1), (1, 0, -1)], 0),
        ([(0, 1, -1), (1, 2, 0), (2, 0, -1)], 0),
        ([(0, 1, -1), (1, 2, -1), (2, 0, -1), (3, 0, -1)], 3),
    ],
)
def test_answers_within_a_cycle_contradict_each_other(said, count):
    assert contradictions([Comparison(*c) for c in said]) == count


def reaches(edges, start, goal):
    """Whether a path of "better than" leads from one sample to another."""
    seen, stack = {start}, [start]
    while stack:
        node = stack.pop()
        if node == goal:
            return True
        new = {loser for winner, loser in edges if winner == node} - seen
        seen |= new
        stack.extend(new)
    return False


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([-1, 0, 1])), max_size=14))
def test_an_answer_contradicts_if_a_path_leads_back(said):
    comparisons = [Comparison(i, j, b) for i, j, b in said if i != j]
    edges = {(c.winner, c.loser) for c in comparisons if c.preference}
    expected = [bool(c.preference) and reaches(edges, c.loser, c.winner) for c in comparisons]
    assert contradicting(comparisons) == expected

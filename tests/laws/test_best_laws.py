"""The recommendation is a candidate that was seen, is feasible, and lost to none that is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint

import prefero as pf
from prefero.answers import Comparison, History, incumbent
from tests.strategies import PROPOSERS, happened, happenings, seeds, spaces

TRIANGLE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, LinearConstraint([[1, -1], [1, 0]], -np.inf, [0, 0.5]))
each_proposer = pytest.mark.parametrize("proposer", PROPOSERS)


@each_proposer
@given(space=spaces, script=happenings, seed=seeds)
def test_the_best_was_shown_in_an_answered_question(proposer, space, script, seed):
    study = pf.Study(space, comparisons=8, seed=seed, proposer=proposer)
    compared = []
    for happening, question in happened(study, script):
        if happening == "undo":
            compared.pop()
        else:
            compared.append(() if happening == "skip" else (question.a, question.b))
        seen = {candidate for pair in compared for candidate in pair}
        assert study.best in seen if seen else study.best is None


@each_proposer
@settings(max_examples=6)
@given(seed=seeds, lies=st.floats(0, 0.4))
def test_an_infeasible_sample_may_be_compared_and_is_never_the_best(proposer, seed, lies):
    space = TRIANGLE
    rng = np.random.default_rng(seed)
    if proposer == "glisp":
        proposer = pf.Glisp(compare_infeasible=True, initial_samples=9)
    study = pf.Study(space, comparisons=12, seed=seed, proposer=proposer)
    favourite_is_infeasible = pf.preference(lambda c: (c["x"] - 0.9) ** 2 + (c["y"] - 0.2) ** 2)
    infeasible = 0
    for _ in range(12):
        question = study.ask()
        infeasible += sum(not space.admits(candidate) for candidate in (question.a, question.b))
        said = favourite_is_infeasible(question.a, question.b)
        study.tell(question, -said if rng.random() < lies else said)
        assert space.admits(study.best)
    assert infeasible > 0
    assert infeasible == np.count_nonzero(~study.history.feasible[study.history.pairs])


def histories(draw):
    """Comparisons of a few samples, most of them with the last winner; some samples may be infeasible."""
    samples = draw(st.integers(2, 5))
    number, best, said = st.integers(0, samples - 1), 0, []
    for _ in range(draw(st.integers(0, 8))):
        i = best if draw(st.integers(0, 7)) else draw(number)
        j, preference = draw(number.filter(lambda k, i=i: k != i)), draw(st.sampled_from([-1, 1, 0]))
        said.append(((i, j) if draw(st.booleans()) else (j, i), preference))
        (i, j), preference = said[-1]
        best = j if preference == 1 else i if preference == -1 else best
    feasible = np.array([bool(draw(st.integers(0, 4))) for _ in range(samples)])
    points = np.linspace(-1, 1, samples)[:, None]
    return History(points, feasible, tuple(Comparison(i, j, preference) for (i, j), preference in said))


any_history = st.composite(histories)()


@settings(max_examples=150)
@given(any_history)
def test_the_incumbent_is_feasible_compared_and_lost_to_no_feasible_sample(history):
    best = incumbent(history)
    if best is not None:
        assert history.feasible[best]
        assert best in history.pairs
        for c in history.comparisons:
            if best == c.i:
                assert not (c.preference == 1 and history.feasible[c.j])
            if best == c.j:
                assert not (c.preference == -1 and history.feasible[c.i])


@settings(max_examples=150)
@given(any_history, st.permutations(range(5)))
def test_the_numbers_of_the_samples_do_not_matter_to_the_incumbent(history, order):
    number = [k for k in order if k < len(history.points)]
    renamed = tuple(Comparison(number[c.i], number[c.j], c.preference) for c in history.comparisons)
    feasible = np.empty_like(history.feasible)
    feasible[number] = history.feasible
    best = incumbent(history)
    assert incumbent(History(history.points.copy(), feasible, renamed)) == (None if best is None else number[best])


@settings(max_examples=150)
@given(any_history)
def test_swapping_a_pair_and_its_answer_leaves_the_incumbent_unless_the_first_answer_is_a_tie(history):
    feasible = [k for k, c in enumerate(history.comparisons) if history.feasible[[c.i, c.j]].any()]
    swapped = tuple(
        c if c.preference == 0 and k in feasible[:1] else Comparison(c.j, c.i, -c.preference)
        for k, c in enumerate(history.comparisons)
    )
    assert incumbent(History(history.points.copy(), history.feasible.copy(), swapped)) == incumbent(history)


@settings(max_examples=100)
@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=12))
def test_the_incumbent_follows_algorithm_1(said):
    best, comparisons = 0, []
    for k, preference in enumerate(said):
        comparisons.append(Comparison(best, k + 1, preference))
        best = k + 1 if preference == 1 else best
    points = np.linspace(-1, 1, len(said) + 1)[:, None]
    assert incumbent(History(points, np.ones(len(points), dtype=bool), tuple(comparisons))) == best

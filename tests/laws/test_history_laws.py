"""The recommendation is a candidate that was seen, is feasible, and lost to none that is."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint

import prefero as pf
from prefero.answers import Comparison, History, incumbent
from tests.strategies import begun, for_each_proposer, happened, happenings, seeds, spaces

TRIANGLE = pf.Space({"x": pf.Real(0, 1), "y": pf.Real(0, 1)}, LinearConstraint([[1, -1], [1, 0]], -np.inf, [0, 0.5]))


@for_each_proposer(space=spaces, script=happenings, seed=seeds)
def test_the_best_was_shown_in_an_answered_question(proposer, space, script, seed):
    study = begun(proposer, space, seed=seed)
    compared = []
    for happening, question in happened(study, script):
        if happening == "undo":
            compared.pop()
        else:
            compared.append(() if happening == "skip" else (question.a, question.b))
        seen = {candidate for pair in compared for candidate in pair}
        assert study.best in seen if seen else study.best is None


def beyond_the_border(candidate: pf.Candidate) -> float:
    """A taste whose favourite the constraints of the triangle forbid."""
    return (candidate["x"] - 0.9) ** 2 + (candidate["y"] - 0.2) ** 2


def infeasible_shown(study: pf.Study, rng: np.random.Generator, lies: float) -> int:
    """How many infeasible candidates the questions of a study show; none of them is ever recommended."""
    prefer, infeasible = pf.preference(beyond_the_border), 0
    for _ in range(12):
        question = study.ask()
        infeasible += sum(not study.space.admits(candidate) for candidate in (question.a, question.b))
        said = prefer(question.a, question.b)
        study.tell(question, -said if rng.random() < lies else said)
        assert study.space.admits(study.best)
    assert infeasible == np.count_nonzero(~study.history.feasible[study.history.pairs])
    return infeasible


@settings(max_examples=6)
@given(seed=seeds, lies=st.floats(0, 0.4))
def test_glisp_may_compare_infeasible_samples_and_never_recommends_one(seed, lies):
    proposer = pf.Glisp(compare_infeasible=True, initial_samples=9)
    study = pf.Study(TRIANGLE, comparisons=12, seed=seed, proposer=proposer)
    assert infeasible_shown(study, np.random.default_rng(seed), lies) > 0


@for_each_proposer(6, seed=seeds, lies=st.floats(0, 0.4))
def test_no_proposer_shows_infeasible_samples_unless_told_to(proposer, seed, lies):
    """Only `Glisp` can be told to: the paper's initial samples may be infeasible."""
    study = begun(proposer, TRIANGLE, 12, seed=seed)
    assert infeasible_shown(study, np.random.default_rng(seed), lies) == 0


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

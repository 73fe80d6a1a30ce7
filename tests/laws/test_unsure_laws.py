"""An answer that the person was not sure of counts less, in both proposers, if the owner says so."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prefero as pf
from prefero.answers import Comparison, History
from prefero.errors import InputError
from prefero.models import laplace, rbf
from prefero.models.expectation import propagate
from prefero.models.person import Person, believed
from prefero.models.posterior import posterior
from prefero.models.prior import prior
from prefero.models.sampling import draws_of_samples
from prefero.models.statements import Statements
from prefero.study.lookahead import before, said_since

SPACE = pf.Space.box([0, 0], [1, 1])
GROUPS = (slice(0, 1), slice(1, 2))


def history(sure: list[bool], seed: int = 0) -> History:
    X = np.random.default_rng(seed).uniform(-1, 1, (len(sure) + 1, 2))
    said = tuple(Comparison(k, k + 1, -1, k, sure=each) for k, each in enumerate(sure))
    return History(X, np.ones(len(X), dtype=bool), said)


def means(known: History, unsure: float) -> np.ndarray:
    person = Person(0.1, 0.1, 0.15, unsure=unsure)
    return believed(known, lambda linear: prior(GROUPS, linear, -1.0, 0.5), person).sample_means


doubts = st.lists(st.booleans(), min_size=1, max_size=6)


@given(doubts, st.integers(0, 99))
def test_without_the_owner_s_word_doubts_change_nothing(sure, seed):
    known, certain = history(sure, seed), history([True] * len(sure), seed)
    np.testing.assert_array_equal(means(known, 0.0), means(certain, 0.0))
    fits = [rbf.fit_history(h, rbf.Distances.of(h.points), None, rbf.Settings()).values for h in (known, certain)]
    np.testing.assert_array_equal(*fits)


@given(doubts, st.integers(0, 99))
def test_unsure_answers_have_the_noise_of_their_own(sure, seed):
    known = history(sure, seed)
    noises = np.where(sure, 0.1, np.hypot(0.1, 0.4))
    p = prior(GROUPS, 0.15, -1.0, 0.5)
    for approximation in (propagate, laplace.sites):
        counted = posterior(p, known.points, Statements.of(known, 0.0, unsure=0.4), 0.1, approximation)
        each = posterior(p, known.points, Statements.of(known, 0.0), noises, approximation)
        np.testing.assert_allclose(counted.sample_means, each.sample_means, atol=1e-6)


@given(doubts, st.integers(0, 99), st.randoms(use_true_random=False))
def test_sides_and_the_order_of_the_answers_do_not_matter(sure, seed, random):
    known = history(sure, seed)
    turned = [Comparison(c.j, c.i, 1, c.step, sure=c.sure) if random.random() < 0.5 else c for c in known.comparisons]
    random.shuffle(turned)
    other = History(known.points.copy(), known.feasible.copy(), tuple(turned))
    np.testing.assert_allclose(means(known, 0.4), means(other, 0.4), atol=2e-3)
    settings = rbf.Settings(unsure=0.3)
    fits = [rbf.fit_history(h, rbf.Distances.of(h.points), None, settings).values for h in (known, other)]
    np.testing.assert_allclose(*fits, atol=1e-3)


@given(doubts, st.booleans(), st.integers(0, 99))
def test_an_answer_never_lowers_its_winner(sure, last, seed):
    told = history([*sure, last], seed)
    without = History(told.points.copy(), told.feasible.copy(), told.comparisons[:-1])
    lead = [u[len(sure)] - u[len(sure) + 1] for u in (means(without, 0.4), means(told, 0.4))]
    # Expectation propagation stops within a tolerance.
    assert lead[1] >= lead[0] - 1e-3
    settings = rbf.Settings(unsure=0.3)
    fits = [rbf.fit_history(h, rbf.Distances.of(h.points), None, settings).values for h in (without, told)]
    lead = [f[len(sure) + 1] - f[len(sure)] for f in fits]  # lower is better
    assert lead[1] >= lead[0] - 1e-4


def test_a_single_unsure_answer_moves_less():
    lead = [float(np.diff(means(history([sure]), 0.5))[0]) for sure in (True, False)]
    assert lead[0] < lead[1] < 0


def test_the_paper_s_surrogate_breaks_the_unsure_answer_of_two_that_contradict():
    X = np.array([[-0.5, 0.0], [0.5, 0.0]])
    said = (Comparison(0, 1, -1, 0), Comparison(0, 1, 1, 1, sure=False))
    known = History(X, np.ones(2, dtype=bool), said)
    settings = rbf.Settings(unsure=0.1)
    values = rbf.fit_history(known, rbf.Distances.of(X), None, settings).values
    assert values[0] < values[1] - 0.5
    assert rbf.slack_weights(known.pairs, known.preferences, None, settings, known.unsure).tolist() == [1.0, 0.1]


def test_exact_draws_know_of_it():
    known = history([False])
    p = prior(GROUPS, 0.15, -1.0, 0.5)
    wide = posterior(p, known.points, Statements.of(known, 0.0, unsure=1.0), 0.1, propagate)
    sharp = replace(
        wide,
        statements=Statements.of(known, 0.0),
        sites=posterior(p, known.points, Statements.of(known, 0.0), 0.1, propagate).sites,
    )
    wins = [
        float(np.mean(np.diff(draws_of_samples(each, np.arange(2), np.random.default_rng(0), 2000), axis=0) < 0))
        for each in (wide, sharp)
    ]
    assert wins[0] < wins[1] - 0.02


@pytest.mark.parametrize("proposer", [pf.Posterior(unsure=0.3), pf.Glisp(unsure=0.1)])
def test_a_study_of_doubts_replays_undoes_and_goes_on(proposer):
    study = pf.Study(SPACE, comparisons=8, seed=2, proposer=proposer)
    for k, said in enumerate(("a", "b", "a", "same", "b", "a")):
        study.tell(study.ask(), said, sure=k % 2 == 0)
    again = pf.Study.from_json(study.to_json())
    assert again.proposer == proposer
    assert again.history.comparisons == study.history.comparisons
    assert again.ask() == study.ask()
    before = study.history.comparisons
    study.log.correct(2, "b", sure=False)
    assert (study.history.comparisons[2].sure, study.answers[2].answer) == (False, "b")
    study.log.correct(2, "a", sure=True)
    study.log.remove(2)
    study.log.restore(2)
    assert study.history.comparisons == before
    study.undo()
    assert [c.sure for c in study.history.comparisons] == [True, False, True, False, True]
    study.tell(study.ask("Bob"), "a", sure=False)  # several judges
    assert study.ask() == pf.Study.from_json(study.to_json()).ask()
    assert 0 <= study.learned.probability(study.candidates[0], study.candidates[1]) <= 1


def test_the_knobs_refuse_what_they_cannot_use():
    for wrong in (-1, np.nan, "much"):
        with pytest.raises(InputError, match="unsure"):
            pf.Posterior(unsure=wrong)
    for wrong in (0, 2, "little"):
        with pytest.raises(InputError, match="unsure"):
            pf.Glisp(unsure=wrong)
    assert "unsure" not in pf.Posterior().to_dict()


def test_what_was_computed_ahead_for_a_sure_answer_is_not_used_for_an_unsure_one():
    study = pf.Study(SPACE, comparisons=8, seed=2)
    study.tell(study.ask(), "a")
    question = study.ask()
    earlier = before(study.log.state)
    study.tell(question, "a", sure=False)
    assert said_since(earlier, question.step, study.log.records) is None
    study.undo()
    earlier = before(study.log.state)
    study.tell(question, "a")
    assert said_since(earlier, question.step, study.log.records) == "a"

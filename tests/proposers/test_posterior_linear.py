"""Liking that is a weighted sum of outcomes."""

import numpy as np
import pytest

import prefero as pf
from prefero.answers import Comparison, History
from prefero.models.expectation import propagate
from prefero.models.posterior import posterior
from prefero.models.prior import prior
from prefero.models.statements import Statements

PRIOR = prior((slice(0, 1), slice(1, 2), slice(2, 3)), 1.0, -1.0, 0.5)
SPACE = pf.Space({name: pf.Real(0, 1) for name in "abc"})
PRICES = np.array([5.0, 1.0, 2.0, 3.0])


def mishaps(candidate):
    """Four of them, each convex, and none small where the others are."""
    x = np.array(list(candidate.values()))
    return [(x[0] - 1) ** 2, (x[1] - 0.2) ** 2 + x[0] ** 2, (x[2] - x[0]) ** 2, (x[1] + x[2] - 1.5) ** 2]


def price(candidate):
    return float(PRICES @ mishaps(candidate))


def unsure(rng, noise):
    """Somebody who sees prices through noise."""
    return pf.preference(lambda c: price(c) + noise * rng.standard_normal())


def learned(history, noise):
    return posterior(PRIOR, history.points, Statements.of(history, 0.01), noise, propagate)


def test_the_chance_after_one_answer_is_known_in_closed_form():
    """Of one weight the sign is told: what lies the same way is better, and of other weights nothing is known."""
    X = np.array([[1.0, 0, 0], [0.0, 0, 0], [0.5, 0, 0], [0.0, 1, 0]])
    history = History(X, np.ones(4, bool), (Comparison(0, 1, -1),))
    u = learned(history, 1e-3)
    assert u.probabilities(X[2:3], X[1:2])[0] > 0.9
    assert u.probabilities(X[3:4], X[1:2])[0] == pytest.approx(0.5)
    mean, spread = u.utilities(X[:1])  # that of half a normal distribution
    assert mean[0] == pytest.approx(np.sqrt(2 / np.pi), abs=0.01)
    assert spread[0] == pytest.approx(np.sqrt(1 - 2 / np.pi), abs=0.01)


@pytest.mark.parametrize("linear", [True, False])
def test_a_weighted_sum_is_learned_through_noise(linear):
    """Whether or not it is told that it is a sum."""
    proposer = pf.Outcomes(mishaps, pf.Posterior(linear=linear), guess=False)
    ended = [
        price(pf.optimize(unsure(np.random.default_rng(s), 0.4), SPACE, comparisons=25, seed=s, proposer=proposer).best)
        for s in range(4)
    ]
    least = min(price(dict(zip("abc", x, strict=True))) for x in np.random.default_rng(0).uniform(0, 1, (20_000, 3)))
    assert np.median(ended) - least < 0.15


def test_a_study_resumes_with_the_same_question():
    rng = np.random.default_rng(0)
    proposer = pf.Outcomes(mishaps, pf.Posterior(linear=True), guess=False)
    study, person = pf.Study(SPACE, comparisons=20, seed=3, proposer=proposer), unsure(rng, 0.2)
    for _ in range(12):
        question = study.ask()
        study.tell(question, {-1: "a", 0: "same", 1: "b"}[person(question.a, question.b)])
    again = pf.Study.from_json(study.to_json(), proposer=proposer)
    assert (again.ask().a, again.ask().b, again.best) == (study.ask().a, study.ask().b, study.best)


def test_candidates_themselves_may_be_liked_linearly():
    liking = pf.preference(lambda c: 2 * c["a"] - c["b"] + 0.1 * c["c"])
    found = pf.optimize(liking, SPACE, comparisons=16, seed=0, proposer=pf.Posterior(linear=True))
    assert found.best["a"] < 0.1
    assert found.best["b"] > 0.9


def test_what_is_said_of_candidates_is_learned_from_their_outcomes():
    """Who is better of two that nobody saw; as a function of candidates far less is known."""
    proposer = pf.Outcomes(mishaps, pf.Posterior(linear=True), guess=False)
    study = pf.optimize(unsure(np.random.default_rng(0), 0.4), SPACE, comparisons=25, seed=0, proposer=proposer).study
    rng = np.random.default_rng(1)
    A, B = ([SPACE.decode(x) for x in rng.uniform(-1, 1, (80, 3))] for _ in range(2))
    better = np.array([price(a) < price(b) for a, b in zip(A, B, strict=True)])
    stated = np.array([study.learned.probability(a, b) for a, b in zip(A, B, strict=True)])
    assert ((stated > 0.5) == better).mean() > 0.8
    means, _ = study.learned.utilities(study.candidates)
    order = np.argsort([price(c) for c in study.candidates])
    assert np.corrcoef(means, [-price(c) for c in study.candidates])[0, 1] > 0.9
    assert means[order[:3]].mean() > np.median(means)
    assert study.learned.advice().expected_gain < 0.3  # some is left to be learned


@pytest.mark.filterwarnings("error")
def test_no_noise_at_all_is_no_trouble():
    proposer = pf.Outcomes(mishaps, pf.Posterior(linear=True, noise=0), guess=False)
    found = pf.optimize(pf.preference(price), SPACE, comparisons=12, seed=0, proposer=proposer)
    assert np.isfinite(found.study.learned.probability(found.best, found.study.candidates[0]))

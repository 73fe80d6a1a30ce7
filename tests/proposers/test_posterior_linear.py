"""Liking that is a weighted sum of outcomes."""

import numpy as np
import pytest
from scipy.stats import norm

import prefero as pf
from prefero.answers import Comparison, History
from prefero.errors import InputError
from prefero.models import evidence
from prefero.models.evidence import NOISES, discernment
from prefero.models.kernels import Linear
from prefero.models.posterior import ExpectedImprovement, HopefulMean, sample_posterior
from prefero.models.statements import Statements
from tests.complaints import complaint
from tests.strategies import session_of

GROUPS = (slice(0, 1), slice(1, 2), slice(2, 3))
KERNEL = Linear(np.empty(0), GROUPS)
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


def answered(rng, noise, answers=60):
    """Random pairs, answered by weights that are drawn anew."""
    X = rng.uniform(-1, 1, (2 * answers, 3))
    u = X @ rng.standard_normal(3) + noise * rng.standard_normal(len(X))
    pairs = np.arange(2 * answers).reshape(-1, 2)
    told = [Comparison(int(i), int(j), -1 if u[i] > u[j] else 1) for i, j in pairs]
    return History(X, np.ones(len(X), bool), tuple(told))


def learned(history, noise, sweeps=40):
    rng = np.random.default_rng(0)
    return sample_posterior(KERNEL, history.points, Statements.of(history, 0.01), noise, None, sweeps, rng)


def test_the_prior_is_that_of_a_weighted_sum():
    rng = np.random.default_rng(1)
    X, Z = rng.uniform(-1, 1, (4, 3)), rng.uniform(-1, 1, (4, 3))
    weights = (rng.standard_normal((200_000, 3)) + rng.standard_normal((200_000, 1))) / np.sqrt(2)  # of variance 3/3
    u = weights @ np.vstack([X, Z]).T
    drawn = u.T @ u / len(u)
    assert KERNEL(X, Z) == pytest.approx(drawn[:4, 4:], abs=0.02)
    assert KERNEL.variance(X) == pytest.approx(KERNEL(X, X).diagonal())
    assert KERNEL.between(X, Z) == pytest.approx(KERNEL(X, Z).diagonal())
    assert KERNEL(X.astype(np.float32), Z.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("acquisition", [ExpectedImprovement, lambda u, best: HopefulMean(u, best, 0.5)])
def test_gradients_of_acquisitions_match_finite_differences(acquisition):
    rng = np.random.default_rng(2)
    a = acquisition(learned(answered(rng, 0.1, 12), 0.1), 0)
    Z = rng.uniform(-1, 1, (5, 3))
    value, gradient = a.with_gradient(Z)
    numeric = np.column_stack(
        [(a.with_gradient(Z + e)[0] - a.with_gradient(Z - e)[0]) / 2e-6 for e in 1e-6 * np.eye(3)]
    )
    assert gradient == pytest.approx(numeric, abs=1e-4 * np.abs(gradient).max())
    assert value == pytest.approx(a(Z), rel=1e-4)  # many candidates at once are taken in single precision


def test_the_chance_after_one_answer_is_known_in_closed_form():
    """Of one weight the sign is told: what lies the same way is better for sure, and another sign is likely that too."""
    X = np.array([[1.0, 0, 0], [0.0, 0, 0], [0.5, 0, 0], [0.0, 1, 0]])
    history = History(X, np.ones(4, bool), (Comparison(0, 1, -1),))
    u = learned(history, 1e-3, 200)
    assert u.probabilities(X[2:3], X[1:2])[0] > 0.99
    assert u.probabilities(X[3:4], X[1:2])[0] == pytest.approx(0.5 + np.arcsin(0.5) / np.pi, abs=0.1)  # correlated by ½
    mean, spread = u.utilities(X[:1])  # that of half a normal distribution
    assert mean[0] == pytest.approx(np.sqrt(2 / np.pi), abs=0.25)
    assert spread[0] == pytest.approx(norm.std() * np.sqrt(1 - 2 / np.pi), abs=0.25)


@pytest.mark.parametrize(("noise", "among"), [(0.003, NOISES[:2]), (0.5, NOISES[2:])])
def test_how_noisy_somebody_is_shows_without_any_tie(noise, among):
    found = [discernment(KERNEL, answered(np.random.default_rng(seed), noise))[1] for seed in range(5)]
    assert np.median(found) in among


def test_a_weighted_sum_is_learned_through_noise():
    """Which nobody told of; without knowing that it is a sum, more is left to learn."""
    ended = {}
    for linear in (True, False):
        proposer = pf.Outcomes(mishaps, pf.Posterior(linear=linear), guess=False)
        ended[linear] = [
            price(
                pf.optimize(
                    unsure(np.random.default_rng(s), 0.4), SPACE, comparisons=25, seed=s, proposer=proposer
                ).best
            )
            for s in range(4)
        ]
    least = min(price(dict(zip("abc", x, strict=True))) for x in np.random.default_rng(0).uniform(0, 1, (20_000, 3)))
    excess = {linear: np.median(prices) - least for linear, prices in ended.items()}
    assert excess[True] < 0.15
    assert excess[True] < 0.7 * excess[False]


def test_every_question_brings_one_new_candidate():
    proposer = pf.Outcomes(mishaps, pf.Posterior(linear=True), guess=False)
    found = pf.optimize(unsure(np.random.default_rng(0), 0.4), SPACE, comparisons=20, seed=0, proposer=proposer)
    assert len(found.study.history.points) == 21
    assert len(np.unique(found.study.history.pairs[:, 0])) > 5  # not only the best so far is compared with it


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


def test_what_is_no_truth_value_is_refused():
    with complaint(InputError, "linear", "'yes'", "True or False"):
        pf.Posterior(linear="yes")


def test_what_is_said_of_candidates_is_learned_from_their_outcomes():
    """Who is better of two that nobody saw; as a function of candidates far less is known."""
    proposer = pf.Outcomes(mishaps, pf.Posterior(linear=True), guess=False)
    study = pf.optimize(unsure(np.random.default_rng(0), 0.4), SPACE, comparisons=25, seed=0, proposer=proposer).study
    rng = np.random.default_rng(1)
    A, B = ([SPACE.decode(x) for x in rng.uniform(-1, 1, (80, 3))] for _ in range(2))
    better = np.array([price(a) < price(b) for a, b in zip(A, B, strict=True)])
    stated = np.array([study.learned.probability(a, b) for a, b in zip(A, B, strict=True)])
    assert ((stated > 0.5) == better).mean() > 0.9
    means, _ = study.learned.utilities(study.candidates)
    order = np.argsort([price(c) for c in study.candidates])
    assert np.corrcoef(means, [-price(c) for c in study.candidates])[0, 1] > 0.9
    assert means[order[:3]].min() > np.median(means)
    assert study.learned.advice().expected_gain < 0.1  # little is left to be learned


def test_a_weighted_sum_has_no_use_for_the_papers_method_nor_for_ties_that_nobody_said(monkeypatch):
    asked = []
    mode = evidence.mode
    monkeypatch.setattr(evidence, "mode", lambda *given: asked.append(given[2]) or mode(*given))
    monkeypatch.setattr(pf.Glisp, "recalibrated", lambda *_: pytest.fail("it has no turn"))
    task = session_of(pf.Study(SPACE, comparisons=60, seed=0)).task
    state = pf.Posterior(linear=True).advance(
        None, answered(np.random.default_rng(0), 0.1), task, np.random.default_rng(0)
    )
    assert state.paper is None
    assert asked == [np.sqrt(2) * noise for noise in NOISES]
    turns = pf.Posterior(turns=("global", "exploit"))
    assert turns.advance(None, answered(np.random.default_rng(0), 0.1), task, np.random.default_rng(0)).paper is None


@pytest.mark.filterwarnings("error")
def test_no_noise_at_all_is_no_trouble():
    proposer = pf.Outcomes(mishaps, pf.Posterior(linear=True, noise=0), guess=False)
    found = pf.optimize(pf.preference(price), SPACE, comparisons=12, seed=0, proposer=proposer)
    assert np.isfinite(found.study.learned.probability(found.best, found.study.candidates[0]))

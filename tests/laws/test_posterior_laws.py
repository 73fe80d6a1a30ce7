"""What must hold of the posterior and of the proposer that uses it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefero as pf
from prefero.answers import Comparison, History
from prefero.models.advice import probability_best
from prefero.models.expectation import propagate
from prefero.models.person import Averaged
from prefero.models.posterior import HopefulMean
from prefero.models.posterior import posterior as posterior_of
from prefero.models.prior import prior
from prefero.models.sampling import draws_of_samples
from prefero.models.statements import Statements
from prefero.models.utility import LearnedUtility
from prefero.proposers.posterior import Posterior
from prefero.proposers.protocol import Task

PRIOR = prior((slice(0, 1), slice(1, 2)), 0.2, -0.9, 0.5)


def posterior(history, noise=1e-3, before=None):
    return posterior_of(PRIOR, history.points, Statements.of(history, 0.05), noise, propagate, before)


def random_history(rng, samples=6, answers=8):
    X = rng.uniform(-1, 1, (samples, 2))
    comparisons = []
    for step in range(answers):
        i, j = rng.choice(samples, 2, replace=False)
        comparisons.append(Comparison(int(i), int(j), int(rng.integers(-1, 2)), step))
    return History(X, np.ones(samples, bool), tuple(comparisons))


@pytest.mark.parametrize("seed", range(6))
def test_an_answer_never_lowers_the_winner_against_the_loser(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (6, 2))
    order = np.argsort(((X - 0.2) ** 2).sum(axis=1))
    base = History(X, np.ones(6, bool), tuple(Comparison(int(order[k]), int(order[k + 1]), -1) for k in range(2)))
    i, j = int(order[4]), int(order[5])
    before = posterior(base).probabilities(X[[i]], X[[j]])[0]
    after = posterior(base.with_comparison(Comparison(i, j, -1))).probabilities(X[[i]], X[[j]])[0]
    assert after >= before
    assert after > 0.85  # a Gaussian; exact draws know it for sure
    exact = draws_of_samples(posterior(base.with_comparison(Comparison(i, j, -1))), np.array([i, j]), rng, 500)
    assert (exact[0] > exact[1]).mean() > 0.98


@pytest.mark.parametrize("seed", range(4))
def test_swapping_a_pair_and_its_answer_changes_nothing(seed):
    history = random_history(np.random.default_rng(seed))
    swapped = History(
        history.points.copy(),
        history.feasible.copy(),
        tuple(Comparison(c.j, c.i, -c.preference, c.step) if c.preference else c for c in history.comparisons),
    )
    assert np.array_equal(posterior(history, noise=0.2).sample_means, posterior(swapped, noise=0.2).sample_means)


@pytest.mark.parametrize("hope", [0.0, 0.5, 2.0])
def test_gradients_of_acquisitions_match_finite_differences(hope):
    rng = np.random.default_rng(3)
    history = random_history(rng)
    a = HopefulMean(posterior(history, noise=0.1), 0, hope)
    Z = rng.uniform(-1, 1, (5, 2))
    value, gradient = a.with_gradient(Z)
    numeric = np.column_stack(
        [(a.with_gradient(Z + e)[0] - a.with_gradient(Z - e)[0]) / 2e-6 for e in 1e-6 * np.eye(2)]
    )
    assert gradient == pytest.approx(numeric, rel=1e-4, abs=1e-5)
    assert value == pytest.approx(a(Z), abs=1e-4)  # many candidates at once are taken in single precision


def test_hope_adds_standard_deviations_to_the_mean_of_the_difference():
    rng = np.random.default_rng(4)
    history = random_history(rng)
    utilities, Z = posterior(history, noise=0.1), rng.uniform(-1, 1, (6, 2))
    means, sd = utilities.differences(Z, np.tile(history.points[2], (6, 1)))
    for hope in (0.0, 0.5, 2.0):
        assert -HopefulMean(utilities, 2, hope)(Z) == pytest.approx(means + hope * sd, abs=1e-4)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(1, 12))
def test_any_history_gives_a_finite_new_proposal(seed, samples, answers):
    rng = np.random.default_rng(seed)
    history = random_history(rng, samples, answers)
    task = Task(pf.Space.box([-1, -1], [1, 1]), 30, 0, np.zeros((0, 2)))
    proposer = Posterior(initial_samples=2)
    state = proposer.advance(None, history, task, rng)
    proposal = proposer.propose(state, history, task, rng)
    assert np.isfinite(proposal.second).all()
    assert history.index(proposal.first) is not None
    assert np.isfinite(state.utilities.sample_means).all()


def test_replay_equals_live_across_rebuilt_states():
    def better(c):
        return (c["x1"] - 0.3) ** 2 + (c["x2"] + 0.4) ** 2

    study = pf.Study(pf.Space.box([-1, -1], [1, 1]), comparisons=50, seed=4, proposer="posterior")
    rebuilt = study.proposer.rebuild
    for answered in range(1, rebuilt + 5):
        question = study.ask()
        study.tell(question, "a" if better(question.a) < better(question.b) else "b")
        if answered in {1, 3, 8, 17, rebuilt - 1, rebuilt, rebuilt + 1, rebuilt + 4}:
            resumed = pf.Study.from_json(study.to_json())
            assert resumed.ask() == study.ask()


def test_units_and_names_do_not_matter():
    def run(scale, names):
        space = pf.Space({name: pf.Real(-scale, scale) for name in names})
        judge = pf.preference(lambda c: sum((np.asarray(c) / scale - 0.3) ** 2))
        return pf.optimize(judge, space, comparisons=14, seed=1, proposer="posterior")

    plain, scaled = run(1.0, ("x", "y")), run(1024.0, ("gain", "offset"))
    assert np.array_equal(plain.study.history.points, scaled.study.history.points)


def test_what_was_learned_is_said_in_numbers():
    space = pf.Space({"matters": pf.Real(0, 1), "does not": pf.Real(0, 1)})
    judge = pf.preference(lambda c: (c["matters"] - 0.6) ** 2)
    study = pf.optimize(judge, space, comparisons=20, seed=0, proposer="posterior").study
    near, far = {"matters": 0.58, "does not": 0.1}, {"matters": 0.05, "does not": 0.9}
    assert study.learned.probability(near, far) > 0.75
    assert study.learned.probability(near, far) + study.learned.probability(far, near) == pytest.approx(1.0, abs=1e-6)
    mean, spread = study.learned.utilities([near, far])
    assert mean[0] > mean[1]
    assert (spread > 0).all()
    importance = study.learned.importance()
    assert sum(importance.values()) == pytest.approx(1.0)
    assert importance["matters"] > importance["does not"]
    advice = study.learned.advice()
    assert 0 <= advice.probability_best <= 1
    assert advice.expected_gain >= 0
    chance = advice.probability_best
    assert ("more than 99%" if chance > 0.99 else f"{chance:.0%}") in advice.reason


def test_a_candidate_a_hair_from_the_best_is_as_good_and_one_that_lost_is_not():
    X = np.column_stack([[*np.linspace(-1, 1, 9), 1e-6], np.zeros(10)])
    comparisons = tuple(Comparison(4, k, -1) for k in range(10) if k != 4)
    known = Averaged((posterior(History(X, np.ones(10, bool), comparisons)),), np.ones(1))
    learned = LearnedUtility(X, known, known)
    chances = [probability_best(learned, k, np.arange(10), np.random.default_rng(0)) for k in (4, 9, 0)]
    assert chances[0] > 0.95
    assert chances[1] > 0.95
    assert chances[2] < 0.05


def test_what_was_learned_needs_an_answer():
    study = pf.Study(pf.Space.box([0], [1]), seed=0)
    with pytest.raises(pf.PreferoError, match="No answers yet"):
        study.learned  # noqa: B018 (it is computed when it is asked for)


def test_a_posterior_that_goes_on_knows_the_same_prior_as_one_begun_anew():
    rng = np.random.default_rng(0)
    grown = random_history(rng, samples=8, answers=12)
    early = grown.prefix(5)
    before = posterior(early)
    after = posterior(grown, before=before)
    assert len(before.X) < len(after.X)
    assert np.allclose(after.K, PRIOR(grown.points, grown.points), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (0.0, "would hardly help"),
        (0.05, "should help a little"),
        (0.5, "should help noticeably"),
        (5.8, "should help a lot"),
    ],
)
def test_advice_is_in_words_that_can_be_understood(monkeypatch, gain, words):
    monkeypatch.setattr("prefero.models.advice.expected_gain", lambda *_: gain)
    monkeypatch.setattr("prefero.models.advice.probability_best", lambda *_: 0.95)
    judge = pf.preference(lambda x: abs(x[0] - 0.6))
    advice = pf.optimize(judge, ([0.0], [1.0]), comparisons=6, seed=0).study.learned.advice()
    assert words in advice.reason
    assert advice.expected_gain == gain
